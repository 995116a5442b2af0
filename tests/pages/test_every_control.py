"""Every control that a page shows changes something on it, in pages and views with controls of their own."""

import importlib
import threading
import time
from types import SimpleNamespace

import pytest

from nysviz.analysis.learning import conjugate_gradients
from nysviz.landmarks import METHODS
from nysviz.nystroem import approximation
from nysviz.studies.compare import VIEWS as COMPARED
from nysviz.sweep import grid
from nysviz.ui.findings import QUESTIONS
from nysviz.ui.lift import VIEWS as LIFTED
from tests.pages.driving import IRIS, settled, start

pytestmark = pytest.mark.slow

KINDS = ("selectbox", "multiselect", "select_slider", "number_input", "button_group", "radio")
FEW = [METHODS[name].label for name in ("uniform", "kmeans", "rpcholesky")]
COMPARE = {"compare_methods": FEW, "compare_repeats": "3"}
LIFT = {"lift_methods": ["kernel k-means++", "greedy"], "lift_repeats": "1"}
RANK = {"compare_what": "Accuracy at rank d", "compare_rank_methods": FEW[:2]}
CASES = {
    **{f"compare, {view}": ("compare", {**COMPARE, "compare_view": view}) for view in COMPARED.values()},
    "compare at a rank": ("compare", {**RANK, "compare_rank_repeats": "3"}),
    **{f"lift, {view}": ("lift", {**LIFT, "lift_view": view}) for view in LIFTED.values()},
    "solve": ("solve", {"solve_methods": FEW}),
    "tournament": ("findings", {"findings_about": QUESTIONS["methods"]}),
}
# With another seed other landmarks are timed, which a clock that counts its readings does not show.
TIMED = {("compare, seconds against m / n", "seed")}


@pytest.fixture(autouse=True)
def steady_clock(monkeypatch):
    """Take seconds with a clock that counts its readings: what is measured anew is the same again."""
    read = threading.local()

    def perf_counter():
        read.count = getattr(read, "count", 0) + 1
        return 0.001 * read.count

    clock = SimpleNamespace(perf_counter=perf_counter, monotonic=time.monotonic)
    # The name of a study in its package is that of the function.
    linear_system = importlib.import_module("nysviz.studies.linear_system")
    for module in (approximation, grid, conjugate_gradients, linear_system):
        monkeypatch.setattr(module, "time", clock)


def opened(page, link):
    # The seed keeps these runs apart from those of other tests, whose seconds are true.
    return settled(start(page, **{"data": IRIS.title, "seed": "31", **link}))


def seen(at):
    charts = [chart.proto.spec for chart in at.main.get("plotly_chart")]
    tables = [block.proto.body for block in at.main.get("html")]
    words = [text.value for kind in ("markdown", "caption", "info") for text in at.main.get(kind)]
    return charts, tables, words


def controls(at):
    found = {}
    for block in (at.main, at.sidebar):
        for kind in KINDS:
            for control in block.get(kind):
                found[control.key] = others(control, kind)
    return found


def others(control, kind):
    if control.key == "data":
        return ["Wine"]
    if kind == "number_input":
        return [str(control.value + control.step)]
    shown = list(control._widget_state.string_array_value.data) or [control._widget_state.string_value]
    rest = [option for option in control.options if option not in shown]
    if kind == "multiselect" or (kind == "button_group" and not control._is_single_select):
        return [[*shown[: len(shown) - 1], *rest[:1]] if shown != [""] else rest[:1]]
    return rest[:3]


@pytest.mark.parametrize("case", CASES)
def test_every_control_changes_something(case):
    page, link = CASES[case]
    first = opened(page, link)
    before, shown = seen(first), controls(first)
    assert len(shown) >= 5
    idle = []
    for key, texts in shown.items():
        if not texts or (case, key) in TIMED:
            continue
        moved = opened(page, {**link, key: texts[0]})
        assert moved.session_state[key] != first.session_state[key], f"{key} did not take {texts[0]!r}"
        if seen(moved) == before and all(seen(opened(page, {**link, key: t})) == before for t in texts[1:]):
            idle.append(key)
    assert not idle, f"moving these changes nothing on the page: {idle}"
