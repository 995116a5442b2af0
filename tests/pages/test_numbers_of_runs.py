"""While runs are under way the CSV has all that is there by now."""

from dataclasses import dataclass

import pytest

import nysviz as nv
from nysviz.ui.downloads import KEY
from nysviz.ui.running import _runs
from tests.pages.driving import alone, settle

pytestmark = pytest.mark.slow

UNIFORM, KMEANS = (nv.METHODS[name].label for name in ("uniform", "kmeans"))


@dataclass(frozen=True)
class Case:
    page: str
    link: dict[str, object]
    run: str


CASES = {
    "compare": Case("compare", {"compare_methods": [UNIFORM, KMEANS], "compare_repeats": "3"}, "compare"),
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
    return settle(alone(case.page, {"seed": str(seed), **case.link}))


def rows(at):
    return len(at.session_state[KEY].rows())


@pytest.mark.parametrize("name", CASES)
def test_rows_are_not_those_of_the_first_drawing(name, monkeypatch):
    case, seed = CASES[name], 6_401
    at = opened(case, seed)
    whole = rows(at)
    (run,) = (run for run in _runs()._runs.values() if run.key[0] == case.run and seed in run.key)
    records = run.records()
    # The run as it was halfway: it is not done, and nobody has to begin it.
    monkeypatch.setattr(run, "watch", lambda waiter: None)
    monkeypatch.setattr(run, "is_going", lambda: True)
    monkeypatch.setattr(run, "done", False)
    monkeypatch.setattr(run, "_records", list(records[: len(records) // 2]))
    at.run()
    assert not at.exception and not at.error
    few = rows(at)
    assert 0 < few < whole
    run._records = list(records[: 3 * len(records) // 4])
    assert few < rows(at) < whole
    monkeypatch.undo()
    settle(at)
    assert rows(at) == whole
