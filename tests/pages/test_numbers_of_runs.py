"""While runs are under way the CSV has all that is there by now."""

import pytest

import nysviz as nv
from nysviz.ui.downloads import KEY
from nysviz.ui.running import _runs
from tests.pages.driving import alone, settle

pytestmark = pytest.mark.slow

FEW, SEED = [nv.METHODS[name].label for name in ("uniform", "kmeans")], 6_401
# The first part of a run's key: the page that follows it, and its link.
CASES = {
    "compare": ("compare", {"compare_methods": FEW, "compare_repeats": "3"}),
    "compare rank": ("compare", {"compare_what": "Relative accuracy at rank d", "compare_rank_methods": FEW}),
    "bounds relative": ("bounds", {"bounds_view": "Oglic, Li: against the best rank K"}),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_not_those_of_the_first_drawing(name, monkeypatch):
    page, link = CASES[name]
    at = settle(alone(page, {"seed": str(SEED), **link}))

    def rows():
        """Rows of the CSV, as they were if the download were opened now."""
        return len(at.session_state[KEY].rows())

    whole = rows()
    (run,) = (run for run in _runs()._runs.values() if run.key[0] == name and SEED in run.key)
    records = run.records()
    # The run as it was halfway: it is not done, and nobody has to begin it.
    monkeypatch.setattr(run, "watch", lambda waiter: None)
    monkeypatch.setattr(run, "is_going", lambda: True)
    monkeypatch.setattr(run, "done", False)
    monkeypatch.setattr(run, "_records", list(records[: len(records) // 2]))
    at.run()
    assert not at.exception and not at.error
    few = rows()
    assert 0 < few < whole
    run._records = list(records[: 3 * len(records) // 4])
    assert few < rows() < whole
    monkeypatch.undo()
    settle(at)
    assert rows() == whole
