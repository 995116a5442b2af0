"""Controls that several pages share: method with its options, m/n, axes of the map, order of the rows."""

import re
from collections.abc import Iterable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.analysis.learning.feature_trial import FOLDS, TEST_PART
from nysviz.datasets import Dataset
from nysviz.landmarks import METHODS, Option
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.landmark_counts import PERCENTS, first_percent, offered_counts
from nysviz.studies.matrices import MOST_LANDMARKS, Options
from nysviz.studies.scene import Scene
from nysviz.text import capital, counted
from nysviz.ui import settings
from nysviz.ui.inputs import box, held_stop, method_label, number, stops

# An m between the stops, as a link carries it; no data set has a number of rows with more digits.
COUNT_IN_LINK = re.compile(r"m = ([0-9]{1,7})")
PRINCIPAL = "principal components"


def choose_method(scene: Scene, place: DeltaGenerator, *, with_count: bool = True) -> Choice:
    """Draw the controls for method and m/n here, and those for the method's options at ``place``.

    A page on which m is dragged below its picture takes it without ``with_count``.
    """
    offered, left_out = matrices.offered(scene)
    # The label's help describes the chosen method, and is drawn before the choice is known.
    line = st.container(key="method_label").empty()
    method = box("Method", offered, "method", "kmeans", method_label, label_visibility="collapsed")
    about = METHODS[method]
    line.markdown(
        ":small[Method]", help=f"{about.sentence} Cost: {about.complexity}. Source: {about.source}."
    )
    if len(left_out) > 1:
        names = ", ".join(map(method_label, left_out))
        st.caption("Some methods need fewer rows.", help=f"They look at all of K: {names}.")
    n = scene.data.n
    m = choose_count(n, about.counted) if with_count else held_count(n)
    with place:
        if not about.options:
            return Choice(method, m, ())
        with st.container(key="method_options"), st.popover("Options", width="stretch"):
            return Choice(method, m, choose_options(about.options, method))


def stop_text(n: int, m: int) -> str:
    """Return the text by which a link names the slider's stop with exactly m of n landmarks."""
    return _percent_text(_percent(n, max(1, min(m, n, MOST_LANDMARKS))), n)


def _percent(n: int, m: int) -> float:
    return next((percent for percent, count in offered_counts(n).items() if count == m), 100.0 * m / n)


def _percent_text(percent: float, n: int) -> str:
    return f"{percent:g} %" if percent in PERCENTS else f"m = {round(n * percent / 100)}"


def _linked_count(n: int) -> int | None:
    """Return the m that the setting names, such as ``ratio=m = 612``; None for other texts."""
    match = COUNT_IN_LINK.fullmatch(settings.text("ratio"))
    return int(match[1]) if match is not None and 1 <= int(match[1]) <= min(n, MOST_LANDMARKS) else None


def _counts(n: int) -> tuple[dict[float, int], dict[str, float], dict[float, str]]:
    """Return the m of each stop by its per cent, the stop that a link adds, and the names of all."""
    offered, also = offered_counts(n), {}
    if (m := _linked_count(n)) is not None:
        also = {settings.text("ratio"): _percent(n, m)}
        offered = dict(sorted({**offered, _percent(n, m): m}.items()))
    return offered, also, {percent: _percent_text(percent, n) for percent in offered}


def held_count(n: int) -> int:
    """Return the m of the setting, for a page that moves it with a slider of its own."""
    offered, also, names = _counts(n)
    return offered[held_stop(offered, "ratio", first_percent(n), names, also)]


def choose_count(n: int, counted: str = "landmarks") -> int:
    """Draw the logarithmic slider over m/n, with m beside it; a value of other data moves to a near stop.

    An m between the stops, from another page or a link, becomes a stop; m counts ``counted``.
    """
    offered, also, names = _counts(n)
    # The default depends on the data alone: one that followed the setting would drop out of the address.
    first = first_percent(n)
    # The link carries the text of the stop, so m, which depends on n, stands in the line above.
    line, label = st.container(key="ratio_label").empty(), f"{capital(counted)} m / n"
    percent = stops(label, offered, "ratio", first, names, also=also, label_visibility="collapsed")
    share = "" if percent in PERCENTS else f", {100 * offered[percent] / n:.3g} %"
    line.markdown(f":small[{label}, m = **{offered[percent]}**{share}]")
    return offered[percent]


def choose_options(options: Iterable[Option], key: str, label: str = "") -> Options:
    """Draw the controls for options of a method, and return their values."""

    def choose(option: Option) -> object:
        name, text, note = f"{key}_{option.name}", f"{label}{option.label}", option.sentence or None
        if option.choices:
            return box(text, option.choices, name, option.default, help=note)
        low, high = option.bounds or (0, 1_000_000)
        if isinstance(option.default, int):
            return number(text, int(low), int(high), option.default, name, step=1, help=note)
        return number(text, float(low), float(high), float(option.default), name, format="%g", help=note)

    return tuple((option.name, choose(option)) for option in options)


def choose_axes(scene: Scene) -> tuple[int, int] | None:
    """Draw the choice of axes; return None for principal components, or the numbers of two features."""
    data = scene.data
    if data.d < 2:
        return None
    if box("Axes of the map", [PRINCIPAL, "two features"], "axes") == PRINCIPAL:
        return None
    left, right = st.columns(2)
    numbered = {i: f"{i}: {name}" for i, name in enumerate(data.feature_names)}
    with left:
        first = choose_by_number("x", "map_x", numbered, 0)
    with right:
        return first, choose_by_number("y", "map_y", numbered, 1)


def choose_by_number(label: str, key: str, names: Mapping[int, str], first: int) -> int:
    """Choose by name, and put the number into the link: the names may come from a user's file."""
    return box(label, names, key, first, names, texts=str)


def why_not_learned(data: Dataset) -> str:
    """Return why nothing can be learned from these data, empty if something can."""
    if data.y is None or data.task is None:
        return "These data have no target to learn. Choose data with labels or values in the sidebar."
    if data.task == "classification" and len(data.classes) < 2:
        return "All rows have the same label. Choose data with two classes or more in the sidebar."
    least_rows = next(n for n in range(2 * FOLDS, 4 * FOLDS) if n - round(TEST_PART * n) >= 2 * FOLDS)
    if data.n < least_rows:
        enough = f"a training and a test set take {least_rows} or more. Choose larger data in the sidebar."
        return f"The data have {counted(data.n, 'row')}; {enough}"
    return ""
