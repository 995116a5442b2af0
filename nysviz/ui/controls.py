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
from nysviz.ui import address, state
from nysviz.ui.inputs import box, method_label, number, stops

# An m between the stops, as a link carries it; longer than any number of rows that can be held is no m.
COUNT_IN_LINK = re.compile(r"m = ([0-9]{1,7})")
PRINCIPAL = "principal components"


def choose_method(scene: Scene, place: DeltaGenerator) -> Choice:
    """Draw the controls for method and m/n here, and those for the method's options at ``place``."""
    offered, left_out = matrices.offered(scene)
    # What the chosen method does stands in the help of the label, which is drawn before the choice is known.
    line = st.empty()
    method = box("Method", offered, "method", "kmeans", method_label, label_visibility="collapsed")
    about = METHODS[method]
    line.markdown(
        ":small[Method]", help=f"{about.sentence} Cost: {about.complexity}. Source: {about.source}."
    )
    if len(left_out) > 1:
        names = ", ".join(map(method_label, left_out))
        st.caption("Some methods need fewer rows.", help=f"They look at all of K: {names}.")
    m = choose_count(scene.data.n, METHODS[method].counted)
    with place:
        if not about.options:
            return Choice(method, m, ())
        with st.popover("Options", width="stretch"):
            return Choice(method, m, choose_options(about.options, method))


def stop_for(n: int, m: int) -> tuple[float, str]:
    """Return the stop of the slider with exactly m of n landmarks, and its text in a link."""
    m = max(1, min(m, n, MOST_LANDMARKS))
    percent = next((percent for percent, count in offered_counts(n).items() if count == m), 100.0 * m / n)
    return percent, _stop_text(percent, n)


def _stop_text(percent: float, n: int) -> str:
    return f"{percent:g} %" if percent in PERCENTS else f"m = {round(n * percent / 100)}"


def _stop_in_link(n: int) -> float | None:
    """The stop that a link asks for by its number of landmarks, such as ``ratio=m = 612``."""
    found = COUNT_IN_LINK.fullmatch(st.query_params.get("ratio", ""))
    if found is None or not 1 <= int(found[1]) <= min(n, MOST_LANDMARKS):
        return None
    return stop_for(n, int(found[1]))[0]


def choose_count(n: int, counted: str = "landmarks") -> int:
    """Slider over m/n, logarithmic, with m shown; a value from other data moves to the nearest stop.

    An m between the stops, which another page or a link brings, is a stop of its own; m counts ``counted``.
    """
    offered = offered_counts(n)
    for percent in (st.session_state.get("ratio"), _stop_in_link(n)):
        if isinstance(percent, float) and percent not in PERCENTS:
            m = round(n * percent / 100)
            # Of other data the same part of the rows would be no whole number of them.
            is_whole = abs(n * percent / 100 - m) < 1e-6
            if is_whole and 1 <= m <= min(n, MOST_LANDMARKS) and m not in offered.values():
                offered[percent] = m
    offered = dict(sorted(offered.items()))
    if (linked := _stop_in_link(n)) is not None:
        # The m of the link may be one of a usual stop, whose text is another.
        address.translate("ratio", {st.query_params["ratio"]: _stop_text(linked, n)})
    # The default is that of the data, whatever is held: a default that moves along drops out of the address.
    first = first_percent(n)
    # The link carries the text of the stop, so m, which depends on n, stands in the line above.
    line, label = st.empty(), f"{capital(counted)} m / n"
    names = {percent: _stop_text(percent, n) for percent in offered}
    percent = stops(label, offered, "ratio", first, names, label_visibility="collapsed")
    share = "" if percent in PERCENTS else f", {100 * offered[percent] / n:.3g} %"
    line.markdown(f":small[{label}, m = **{offered[percent]}**{share}]")
    return offered[percent]


def choose_options(options: Iterable[Option], key: str, label: str = "") -> Options:
    """Draw the controls for options of a method."""

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
    """Choose principal components, or any two features by name."""
    data = scene.data
    if data.d < 2:
        return None
    if box("Axes of the map", [PRINCIPAL, "two features"], "axes") == PRINCIPAL:
        return None
    left, right = st.columns(2)
    numbered, mark = {i: f"{i}: {name}" for i, name in enumerate(data.feature_names)}, data.digest[:8]
    with left:
        first = choose_by_number("x", "map_x", numbered, 0, mark)
    with right:
        return first, choose_by_number("y", "map_y", numbered, 1, mark)


def choose_by_number(label: str, parameter: str, names: Mapping[int, str], default: int, mark: str) -> int:
    """Choose by name, and put the number into the link: a name may be of a user's own file.

    ``mark`` tells the names of one data set from those of another.
    """
    key = f"{parameter}_{mark}"

    def keep() -> None:
        chosen = int(st.session_state[key])
        state.put(parameter, "" if chosen == default else str(chosen))

    number = linked_number(parameter)
    st.session_state[key] = number if number in names else default
    return int(st.selectbox(label, list(names), format_func=names.__getitem__, key=key, on_change=keep))


def linked_number(parameter: str) -> int | None:
    """Return the number that the address has under this name; what is none is ignored."""
    text = st.query_params.get(parameter, "")
    return int(text) if len(text) <= 7 and text.isdecimal() else None


def why_not_learned(data: Dataset) -> str:
    """Say why nothing can be learned from these data; empty where it can."""
    if data.y is None or data.task is None:
        return "These data have no target to learn. Choose data with labels or values in the sidebar."
    if data.task == "classification" and len(data.classes) < 2:
        return "All rows have the same label. Choose data with two classes or more in the sidebar."
    least = next(n for n in range(2 * FOLDS, 4 * FOLDS) if n - round(TEST_PART * n) >= 2 * FOLDS)
    if data.n < least:
        enough = f"a training and a test set take {least} or more. Choose larger data in the sidebar."
        return f"The data have {counted(data.n, 'row')}; {enough}"
    return ""
