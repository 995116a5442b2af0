"""The table of what choosing landmarks costs, and what is recorded of it."""

import pandas as pd
from click.testing import CliRunner

import nysviz as nv
from benchmarks import costs


def test_every_method_with_landmarks_has_a_stated_complexity():
    assert set(costs.STATED) == set(costs.TIMED) == set(nv.METHODS) - {"rff", "orf"}


def test_the_recorded_table_states_the_complexity_that_the_registry_does():
    recorded = pd.read_csv(costs.FOLDER / "cost_slopes.csv")
    assert set(recorded["method"]) == set(costs.TIMED)
    for method, complexity in zip(recorded["method"], recorded["complexity"], strict=True):
        assert complexity == nv.METHODS[method].complexity


def test_all_methods_are_timed_and_written(monkeypatch, tmp_path):
    monkeypatch.setattr(costs, "ROWS", (100, 150))
    monkeypatch.setattr(costs, "LANDMARKS", (5, 10))
    monkeypatch.setattr(costs, "AT_ROWS", 100)
    monkeypatch.setattr(costs, "AT_LANDMARKS", 5)
    monkeypatch.setattr(costs, "REPEATS", 1)
    told = CliRunner().invoke(costs.main, ["--out", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert set(pd.read_csv(tmp_path / "costs.csv")["method"]) == set(costs.TIMED)
    assert set(pd.read_csv(tmp_path / "cost_slopes.csv")["method"]) == set(costs.TIMED)
