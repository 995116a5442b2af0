"""The page Findings: each finding is that of the record, and the second has the tournament's ranks."""

from importlib import import_module

import numpy as np
import pytest

import nysviz as nv
from nysviz.figures.look import LIGHT, colour
from nysviz.papers import records as recorded
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.jobs import MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import TournamentBoard, standing, wins
from nysviz.studies.tournament import BEST_BY, SHORT
from nysviz.text import capital
from nysviz.ui.findings import QUESTIONS
from tests.pages.driving import answer, charts, opened, settle, table, unopened

BOARD = TournamentBoard(recorded_of("tournament"))
FOUND, WON = standing(BOARD.values("error"), BOARD.methods), wins(BOARD, "error")


def ranks(at):
    """Mean rank of each method, as the chart names its rows."""
    rows = [text.rsplit("  ", 1) for text in charts(at)["ranks"]["layout"]["yaxis"]["ticktext"]]
    return {name: float(mean) for name, mean in rows}


def test_the_ranking_is_that_of_the_record():
    first = opened("findings", findings_about=QUESTIONS["methods"])
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
    monkeypatch.setattr("nysviz.studies.recorded.stamp", tuple)
    monkeypatch.setattr(study, "recorded_of", lambda name: recorded.recorded_of(name, tmp_path))
    monkeypatch.setattr(study, "origins", dict)
    at = settle(unopened("findings", {"findings_about": QUESTIONS["methods"]}))
    (said,) = [problem.value.replace("\\", "") for problem in at.error]
    assert "python -m nysviz record tournament" in said
    assert not charts(at)


@pytest.mark.parametrize("finding", [name for name in QUESTIONS if name != "methods"])
def test_a_finding_has_its_sentence_its_picture_its_remarks_and_its_tables(finding):
    page, study = opened("findings", findings_about=QUESTIONS[finding]), nv.studies.findings(finding)
    assert answer(page, study.answer)
    assert [*charts(page)] == [finding]
    text = " ".join(caption.value for caption in page.caption)
    for subject in study.written.remarks:
        assert f"**{subject}:**" in text
    assert [each.label for each in page.expander][: len(study.written.tables)] == [
        f"Table: {each.title}" for each in study.written.tables
    ]


def test_the_page_begins_with_what_is_to_be_gained():
    assert [*charts(opened("findings"))] == ["gain"]
