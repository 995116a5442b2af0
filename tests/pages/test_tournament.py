"""The page Tournament: ranks and winners are those of the record."""

from importlib import import_module

import numpy as np
import pytest

from nysviz.figures.look import LIGHT, colour
from nysviz.papers import records as recorded
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.jobs import MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import TournamentBoard, standing, wins
from nysviz.studies.tournament import BEST_BY, SHORT
from nysviz.text import capital
from tests.pages.driving import answer, charts, opened, settle, table, unopened

BOARD = TournamentBoard(recorded_of("tournament"))
FOUND, WON = standing(BOARD.values("error"), BOARD.methods), wins(BOARD, "error")


def ranks(at):
    """Mean rank of each method, as the chart names its rows."""
    rows = [text.rsplit("  ", 1) for text in charts(at)["ranks"]["layout"]["yaxis"]["ticktext"]]
    return {name: float(mean) for name, mean in rows}


def test_first_view_answers_from_the_record():
    first = opened("tournament")
    best, *rest = FOUND.test.means
    said = answer(first, f"**{capital(NAMES[best])}** has the best mean rank by error")
    assert f"over {len(BOARD.sets)} data sets" in said
    near = [name for name in rest if not FOUND.test.differ(best, name)]
    assert f"not significantly behind: {len(near)} methods" in said
    assert ranks(first) == pytest.approx({SHORT[x]: mean for x, mean in FOUND.test.means.items()}, abs=0.051)
    assert list(ranks(first)) == [SHORT[name] for name in FOUND.test.means]
    # What to take by each cost, with how many are not significantly worse, which open to their names.
    for criterion, given in BEST_BY.items():
        means = standing(BOARD.values(criterion), BOARD.methods).test
        best, *rest = means.means
        near = [name for name in rest if not means.differ(best, name)]
        close = f"{len(near)}{''.join(SHORT[name] for name in near)}"
        assert table(first)[given] == [SHORT[best], f"{means.means[best]:.2f}", close]
    # Ranks, their means and the critical difference.
    chart, k = charts(first)["ranks"], len(FOUND.methods)
    dots, means = chart["data"][:k], chart["data"][k:]
    for row, (name, mean) in enumerate(FOUND.test.means.items()):
        np.testing.assert_allclose(dots[row]["x"], FOUND.test.ranks[:, FOUND.methods.index(name)])
        assert np.abs(np.asarray(dots[row]["y"]) - row).max() < 0.5
        assert means[row]["x"][0] == pytest.approx(mean)
    (band,), best = chart["layout"]["shapes"], min(FOUND.test.means.values())
    assert (band["x0"], band["x1"]) == (best, pytest.approx(best + FOUND.test.difference))
    # The winner of every cell, and what is chance.
    chart = charts(first)["winners"]
    (trace,), shapes = chart["data"], chart["layout"]["shapes"]
    assert len(WON) == len(MULTIPLES) * len(PERCENTS) == len(shapes)
    assert [text.replace("<br>", " ") for text in trace["text"]] == [SHORT[win.first] for win in WON]
    for win, shape, hover in zip(WON, shapes, trace["hovertext"], strict=True):
        full = shape["fillcolor"] == colour(win.first, LIGHT)
        assert full == win.sure == ("not significant" not in hover)
        assert f"m/n {win.percent:g} %" in hover and NAMES[win.second] in hover
    # The recorded multiples are those of 2σ².
    assert chart["layout"]["xaxis"]["ticktext"] == ["σ/4", "σ/2", "σ", "2σ", "4σ"]


def test_without_a_record_the_page_says_how_to_make_one(monkeypatch, tmp_path):
    study = import_module("nysviz.studies.tournament")
    monkeypatch.setattr(study, "stamp", tuple)
    monkeypatch.setattr(study, "recorded_of", lambda name: recorded.recorded_of(name, tmp_path))
    monkeypatch.setattr(study, "origins", dict)
    at = settle(unopened("tournament"))
    (said,) = [problem.value.replace("\\", "") for problem in at.error]
    assert "python -m nysviz record tournament" in said
    assert not charts(at)
