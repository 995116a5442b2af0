"""What the app keeps leaves room for the work; where the memory is too little, that is said."""

import pytest

from nysviz.datasets import size_limits
from nysviz.engine import Engine, budget
from nysviz.engine.shared import engine as of_the_app
from nysviz.numerics import machine, memory


def test_the_budget_can_be_set(monkeypatch):
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "100")
    assert budget.memory_budget() == 100 * 2**20
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "much")
    with pytest.raises(ValueError, match="NYSVIZ_CACHE_MB is 'much'"):
        budget.memory_budget()
    monkeypatch.setenv("NYSVIZ_CACHE_MB", "")
    assert budget.SMALLEST <= budget.memory_budget() <= budget.LARGEST


@pytest.mark.parametrize("gib", [0.1, 0.5, 1, 2, 4, 16, 64])
def test_the_defaults_leave_room_for_the_work_and_for_the_largest_data_set(gib, monkeypatch):
    monkeypatch.delenv("NYSVIZ_CACHE_MB", raising=False)
    monkeypatch.setattr(machine, "limit_bytes", lambda: int(gib * 2**30))
    kept = budget.memory_budget()
    assert kept <= budget.LARGEST and kept <= max(budget.SMALLEST, budget.MEMORY_SHARE * gib * 2**30)
    assert memory.matrix_bytes() <= 8 * 4_500**2
    if gib >= 1:
        # Python with its libraries, what is kept, and heavy work on a matrix beside another.
        assert 400 * 2**20 + kept + 2 * 3 * memory.matrix_bytes() <= gib * 2**30
    assert size_limits.most_bytes() == pytest.approx(min(max(gib / 8 * 2**30, 2**24), 4.08e8), abs=1)
    # Beside points and labels a set has the names of features and classes.
    assert size_limits.most_bytes() + 1e6 < Engine(budget.RESULTS * kept).results.large_results.maxsize


@pytest.mark.parametrize("megabytes, said", [(512, "This server has 537\N{NO-BREAK SPACE}MB"), (768, None)])
def test_less_memory_than_is_needed_is_said_at_the_start_and_on_the_page(
    monkeypatch, caplog, megabytes, said
):
    monkeypatch.setattr(machine, "limit_bytes", lambda: megabytes * 2**20)
    monkeypatch.setattr("nysviz.ui.asking.warm", lambda: None)
    of_the_app.__wrapped__()
    logged = [record.message for record in caplog.records if record.name == "nysviz"]
    assert logged == ([] if said is None else [budget.memory_warning()])
    assert said is budget.memory_warning() is None or said in budget.memory_warning()
