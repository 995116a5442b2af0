"""The page Tournament: ranks and winners are those of the record, and of the core in a live run."""

import math
import re
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.figures.look import DARK, LIGHT, colour
from nysviz.figures.tournament_maps import _on, luminance
from nysviz.papers import records as recorded
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.answers import QUESTIONS
from nysviz.papers.tournament.board import CRITERIA, Board
from nysviz.papers.tournament.contest import reproduce
from nysviz.papers.tournament.setting import CONTESTANTS, EMBEDDED, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import standing, wins
from nysviz.ui.tournament import parts
from nysviz.ui.tournament.parts import LABELS, SHORT
from tests.pages.driving import IRIS, PATIENCE_SECONDS, charts, settled
from tests.pages.test_same_numbers import compare, kept_of, numbers_of, printed, run

ROOT = Path(__file__).resolve().parents[2]
RECORD = recorded_of("tournament")
BOARD = Board(RECORD)
needs_record = pytest.mark.skipif(not len(RECORD), reason="no tournament is recorded")


def opened(**link):
    at = AppTest.from_file(str(ROOT / "pages" / "tournament.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title, **link}
    return settled(at)


def answer(at):
    return next(text.value for text in at.markdown if text.value.startswith("By "))


def table(at):
    body = next(block.proto.body for block in at.get("html") if "cells won" in block.proto.body)
    return re.findall(r"<td>([^<]*)</td><td>([\d.]+)</td><td>(\d+)</td><td>(\d+)</td>", body)


def names_in(trace):
    """Winners of the map as its cells name them, a word a line."""
    return [text.replace("<br>", " ") for text in trace["text"]]


@pytest.fixture(scope="module")
def first():
    return opened()


@needs_record
def test_first_view_answers_from_the_record(first):
    found = standing(BOARD.values("error"), BOARD.methods)
    best = next(iter(found.test.means))
    assert f"**{NAMES[best]}** stands first" in answer(first)
    assert f"over {len(BOARD.sets)} data sets" in answer(first)
    near = [name for name in found.test.means if name != best and not found.test.differ(best, name)]
    assert all(NAMES[name] in answer(first) for name in near)
    rows = table(first)
    won = [win.first for win in wins(BOARD, "error")]
    sure = [win.first for win in wins(BOARD, "error") if win.sure]
    assert [name for name, *_ in rows] == [NAMES[name] for name in found.test.means]
    for (_, mean, cells, clear), (name, exact) in zip(rows, found.test.means.items(), strict=True):
        assert float(mean) == pytest.approx(exact, abs=0.005)
        assert (int(cells), int(clear)) == (won.count(name), sure.count(name))


@needs_record
def test_rank_chart_has_means_ranks_ruler_and_bars(first):
    chart, found = charts(first)["tournament"], standing(BOARD.values("error"), BOARD.methods)
    k, names = len(found.methods), list(found.test.means)
    assert chart["layout"]["yaxis"]["ticktext"] == [SHORT[name] for name in names]
    dots, means = chart["data"][:k], chart["data"][k:]
    for row, name in enumerate(names):
        np.testing.assert_allclose(dots[row]["x"], found.test.ranks[:, found.methods.index(name)])
        assert np.abs(np.asarray(dots[row]["y"]) - row).max() < 0.5
        assert means[row]["x"][0] == pytest.approx(found.test.means[name])
    shapes = chart["layout"]["shapes"]
    lengths = [shape["x1"] - shape["x0"] for shape in shapes if shape["y0"] == shape["y1"]]
    assert lengths == [pytest.approx(found.test.difference)]
    bars = [shape for shape in shapes if shape["line"]["width"] == 4]
    spans = [(round(bar["y0"] + 0.2), round(bar["y1"] - 0.2)) for bar in bars]
    assert spans == [(names.index(group[0]), names.index(group[-1])) for group in found.test.cliques()]


@needs_record
def test_map_shows_every_cells_winner_and_what_is_chance(first):
    chart, found = charts(first)["tournament_map"], wins(BOARD, "error")
    (trace,), shapes = chart["data"], chart["layout"]["shapes"]
    assert len(found) == len(MULTIPLES) * len(PERCENTS) == len(shapes)
    assert names_in(trace) == [SHORT[win.first] for win in found]
    for win, shape, hover in zip(found, shapes, trace["hovertext"], strict=True):
        full = shape["fillcolor"] == colour(win.first, LIGHT)
        assert full == win.sure
        assert f"m/n {win.percent:g} %" in hover and NAMES[win.second] in hover
        assert ("not significant" in hover) != win.sure


@needs_record
def test_the_width_of_a_kernel_has_no_letter_of_its_own(first):
    """The pages have γ for two opposite things in the papers: here the axis says 2σ²."""
    title = charts(first)["tournament_map"]["layout"]["xaxis"]["title"]["text"]
    assert title == "width 2σ², in multiples of the default"


@needs_record
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_has_its_ranks(criterion):
    at = opened(tournament_by=LABELS[criterion])
    found = standing(BOARD.values(criterion), BOARD.methods)
    rows = table(at)
    assert [name for name, *_ in rows] == [NAMES[name] for name in found.test.means]
    assert f"By {LABELS[criterion]} **{rows[0][0]}**" in answer(at)


@needs_record
def test_contestants_widths_and_ratios_from_the_link():
    at = opened(
        tournament_methods=["k-means", "greedy", "refined k-means++"],
        tournament_widths=["1/16", "16"],
        tournament_percents="5 %",
    )
    # These are the names that links had once; those of today say the same.
    assert not at.warning
    now = opened(tournament_methods=[NAMES[name] for name in ("kmeans", "greedy", "kmeanspp_lloyd")])
    chosen = (one.multiselect(key="tournament_methods").value for one in (at, now))
    assert {frozenset(names) for names in chosen} == {frozenset(("kmeans", "greedy", "kmeanspp_lloyd"))}
    methods = ("kmeans", "kmeanspp_lloyd", "greedy")
    found = standing(BOARD.values("error"), methods, (1 / 16, 16.0), (5,))
    assert [name for name, *_ in table(at)] == [NAMES[name] for name in found.test.means]
    np.testing.assert_allclose(
        charts(at)["tournament"]["data"][0]["x"],
        found.test.ranks[:, found.methods.index(next(iter(found.test.means)))],
    )
    assert "of 3 over" in answer(at)


@needs_record
def test_equal_seconds_are_told_in_milliseconds():
    at = opened(tournament_by="error at equal seconds")
    said = next(text.value for text in at.markdown if "What is held equal is short" in text.value)
    for percent in (1, 10):
        seconds = [BOARD.number(b, "rpcholesky", "seconds") for b in BOARD.blocks() if b.percent == percent]
        shown = re.search(rf"([\d.]+) ms at m/n = {percent} %", said).group(1)
        assert float(shown) == pytest.approx(1000 * np.median(seconds), rel=6e-3)


@needs_record
def test_one_contestant_is_asked_for_another():
    at = opened(tournament_methods="greedy")
    assert "two or more contestants" in at.info[0].value


@needs_record
def test_third_picture_is_ranks_or_predictors(first):
    found = standing(BOARD.values("error"), BOARD.methods)
    heat = charts(first)["tournament_lower"]["data"][0]
    assert sorted(np.asarray(heat["z"]).ravel()) == pytest.approx(sorted(found.places.ravel()))
    lower = charts(opened(tournament_third="what predicts the error"))["tournament_lower"]
    assert [trace["name"] for trace in lower["data"]] == ["trace of the residual", "quantization error"]
    numbers = dict(QUESTIONS["x3"].answer(RECORD).numbers)
    for k, multiple in enumerate(BOARD.multiples):
        text = next(value for what, value in numbers.items() if f"at {parts.times_width(multiple)} ×" in what)
        trace = float(text.split()[1].rstrip(",").replace("\N{MINUS SIGN}", "-"))
        assert lower["data"][0]["y"][k] == pytest.approx(trace, abs=6e-3)


@needs_record
def test_advice_is_computed(first):
    text = next(text.value for text in first.markdown if text.value.startswith("- Where m is given"))
    for criterion in ("error", "error_at_equal_evaluations", "error_at_equal_seconds"):
        found = standing(BOARD.values(criterion), BOARD.methods)
        best = next(iter(found.test.means))
        assert f"take **{NAMES[best]}** (mean rank {found.test.means[best]:.2f} of 9)" in text
    dear = [
        name
        for name in CONTESTANTS
        if all(math.isinf(of[name]) for of in BOARD.values("error_at_equal_evaluations").values())
    ]
    assert all(NAMES[name] in text for name in dear)


@needs_record
def test_the_script_prints_the_numbers_of_the_page():
    at = opened(tournament_by="error at equal kernel evaluations", tournament_widths="1")
    script, rows = kept_of(at)
    found, shown = printed(run(script)), numbers_of(rows)
    assert {"mean_rank", "critical_difference", "rank", "winner_p"} <= {one.measure for one in shown}
    assert compare(found, shown) == []


def test_without_a_record_the_page_says_how_and_still_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(parts, "file_of", lambda name: tmp_path / "none.csv.gz")
    monkeypatch.setattr(parts, "FOLDER", tmp_path)
    monkeypatch.setattr(parts, "recorded_of", lambda name: recorded.recorded_of(name, tmp_path))
    monkeypatch.setattr(parts, "origins", dict)
    at = opened(tournament_repeats="1")
    assert any("python -m nysviz record tournament" in text.value for text in at.markdown)
    assert "tournament" not in charts(at)
    at.button(key="tournament_run").click()
    assert "tournament_again" in charts(settled(at))


def test_a_live_run_has_the_cores_winners_and_marks_what_changed():
    at = opened(tournament_repeats="1", seed="3")
    assert "tournament_again" not in charts(at)
    at.button(key="tournament_run").click()
    chart = charts(settled(at))["tournament_again"]
    live = wins(Board(reproduce(["iris"], 1, 3)), "error")
    assert names_in(chart["data"][0]) == [SHORT[win.first] for win in live]
    if "iris" not in BOARD.sets:
        return
    before = {(w.multiple, w.percent): w.first for w in wins(BOARD.of(["iris"]), "error")}
    changed = [before[w.multiple, w.percent] != w.first for w in live]
    assert [shape["line"]["width"] > 0 for shape in chart["layout"]["shapes"]] == changed
    said = next(text.value for text in at.markdown if text.value.startswith("The same winner"))
    assert f"**{changed.count(False)} of 20**" in said
    # Other settings: that run is no longer what is asked for.
    at.selectbox(key="tournament_repeats").set_value(3)
    assert "tournament_again" not in charts(settled(at))


def test_data_that_cannot_meet_are_told_in_one_sentence():
    at = opened(data="Gaussian clusters", clusters_n="60")
    at.button(key="tournament_run").click()
    deadline = time.monotonic() + PATIENCE_SECONDS
    at.run()
    while not at.error:
        assert time.monotonic() < deadline and not at.exception
        at.run()
    assert "needs 100 or more" in at.error[0].value


def test_cells_are_read_on_every_colour():
    def contrast(a, b):
        low, high = sorted((luminance(a), luminance(b)))
        return (high + 0.05) / (low + 0.05)

    assert luminance("#000000") == 0 and luminance("#FFFFFF") == pytest.approx(1.0)
    for theme in (LIGHT, DARK):
        for name in CONTESTANTS:
            hue = colour(name, theme)
            assert contrast(hue, _on(hue)) >= 4.5


def test_names_are_short_and_without_commas():
    assert set(NAMES) == set(SHORT) == set(CONTESTANTS)
    assert all("," not in name for name in (*NAMES.values(), *SHORT.values()))
    assert all(nv.catalog() for _ in EMBEDDED) and max(map(len, SHORT.values())) <= 17


def test_the_claims_page_asks_the_questions_and_leads_here():
    at = AppTest.from_file(str(ROOT / "pages" / "claims.py"), default_timeout=PATIENCE_SECONDS)
    settled(at)
    body = next(block.proto.body for block in at.get("html") if "<th>Question</th>" in block.proto.body)
    for question in QUESTIONS.values():
        found = question.answer(RECORD)
        assert f"<td>{question.id}</td>" in body
        assert (found.sentence or found.statistic)[:40].replace("'", "&#x27;") in body
    links = re.findall(r'href="([^"]+)"', body)
    assert len(links) == 3
    keys = {"tournament_by", "tournament_methods", "tournament_third"}
    for link in links:
        address = urlsplit(link.replace("&amp;", "&"))
        assert (ROOT / "pages" / f"{address.path}.py").exists()
        assert set(parse_qs(address.query)) <= keys
