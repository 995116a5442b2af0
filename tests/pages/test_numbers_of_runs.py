"""While runs are under way the CSV has all that is there by now."""

from dataclasses import dataclass

import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.ui.downloads import KEY
from nysviz.ui.running import _runs
from tests.pages.driving import APP, IRIS, PATIENCE_SECONDS, settle

UNIFORM, KMEANS = (nv.METHODS[name].label for name in ("uniform", "kmeans"))


@dataclass(frozen=True)
class Case:
    """A page that follows runs: its link, and the first part of its run's key."""

    page: str
    link: dict[str, object]
    run: str


CASES = {
    "compare": Case(
        "compare",
        {"compare_methods": [UNIFORM, KMEANS], "compare_repeats": "3"},
        "compare",
    ),
    "compare, by rank": Case(
        "compare",
        {"compare_what": "Relative accuracy at rank d", "compare_rank_methods": [UNIFORM, KMEANS]},
        "compare rank",
    ),
    "bounds, relative": Case(
        "bounds", {"bounds_view": "Oglic, Li: against the best rank K"}, "bounds relative"
    ),
}


def opened(case, seed):
    at = AppTest.from_file(str(APP.parent / "pages" / f"{case.page}.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title, "seed": str(seed), **case.link}
    return settle(at)


def rows(at):
    """Rows of the CSV, as they were if the download were opened now."""
    return len(at.session_state[KEY].rows())


@pytest.mark.parametrize("name", CASES)
def test_rows_are_not_those_of_the_first_drawing(name):
    case, seed = CASES[name], 6_401
    at = opened(case, seed)
    whole = rows(at)
    (run,) = (run for run in _runs()._runs.values() if run.key[0] == case.run and seed in run.key)
    records = run.records()
    # The run as it was halfway: it is not done, and nobody has to begin it.
    run.done, run._going, run._records = False, True, list(records[: len(records) // 2])
    try:
        at.run()
        assert not at.exception and not at.error
        few = rows(at)
        assert 0 < few < whole
        run._records = list(records[: 3 * len(records) // 4])
        assert few < rows(at) < whole
    finally:
        run.done, run._going, run._records = True, False, list(records)
    settle(at)
    assert rows(at) == whole
