"""The pages where the data are large, with what counts as large set low: nothing is held, all is said."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis import bounds
from nysviz.numerics import memory
from nysviz.nystroem.measures import sampled_errors
from nysviz.studies import machines, matrices
from tests.pages.driving import charts, code_of, lines, m_of, number, settled, sound, start, table, unopened
from tests.pages.test_compare import opened

pytestmark = pytest.mark.slow

# A size that no other test asks for: results are kept under the content of the data.
N = 903
DATA = nv.load("clusters", n=N, d=3)
KERNEL = nv.Gaussian.from_width(nv.default_width(DATA.X))
LINK = {"data": DATA.title, "clusters_n": str(N), "clusters_d": "3"}


@pytest.fixture(autouse=True)
def low_limits(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 800)
    for limit in ("MATRIX_ROWS", "READ_ROWS", "SAMPLED_FROM"):
        monkeypatch.setattr(matrices, limit, 800)
    monkeypatch.setattr(matrices, "SAMPLE_ROWS", 700)
    monkeypatch.setattr(matrices, "LARGE_LANDMARKS", 40)
    monkeypatch.setattr(memory, "HELD_BYTES", 8 * N * 20)


def page(name, **link):
    return settled(unopened(name, LINK | link))


def captions(at):
    return " ".join(text.value for text in at.caption)


def test_approximate_answers_from_blocks_and_samples():
    at = start(**LINK)
    figures = sound(at)
    m = m_of(at)
    # Above the limit, so that the factor is not held.
    assert m == 45
    a = nv.approximate(DATA.X, KERNEL, "kmeans", m)
    assert not a.is_held
    found, shown = sampled_errors(DATA.X, KERNEL, a), table(at)
    assert number(shown["relative Frobenius error"][0]) == pytest.approx(found.relative_frobenius, rel=6e-3)
    assert number(shown["relative trace error"][0]) == pytest.approx(found.relative_trace, rel=6e-3)
    # A guess is named as one, and stands where the error is not known.
    assert not [name for name in shown if "leave-one-out" in name]
    random = start(**LINK, method=nv.METHODS["uniform"].label)
    guess = nv.leave_one_out(nv.approximate(DATA.X, KERNEL, "uniform", m)).relative_frobenius
    (told,) = [cells[0] for name, cells in table(random).items() if "guess" in name and "m columns" in name]
    assert number(told) == pytest.approx(guess, rel=6e-3)
    assert " at 600 points" in figures["map"]["layout"]["title"]["text"]
    offered = at.selectbox(key="method").options
    assert nv.METHODS["rpcholesky"].label in offered
    assert not {nv.METHODS[name].label for name in ("greedy", "leverage")} & {*offered}


def test_compare_offers_what_can_be_compared_and_names_the_rest():
    at = opened(**LINK)
    drawn = lines(at, "curves")
    assert set(drawn) == {nv.METHODS[name].brief for name in ("uniform", "kmeans", "rpcholesky")}
    counts = np.array(drawn[nv.METHODS["uniform"].brief]["x"]) * N / 100
    np.testing.assert_allclose(counts, np.arange(8, 41, 8))
    said = " ".join(text.value for text in at.caption)
    assert "At most 40 landmarks" in said and nv.METHODS["icd"].label in said
    # More landmarks are better also for those whose factor is not held (above 20).
    for line in drawn.values():
        assert line["y"][-1] < line["y"][2] < line["y"][0]


def test_bounds_are_measured_in_blocks():
    at = page("bounds")
    assert set(charts(at)) == {"curve", "ladder", "property", "entry"}
    m = int(re.search(r"m = \*\*(\d+)\*\*", " ".join(text.value for text in at.markdown)).group(1))
    a = nv.approximate(DATA.X, KERNEL, "kmeans", m)
    assert not a.is_held
    found, shown = sampled_errors(DATA.X, KERNEL, a), table(at)
    written = [number(text) for text in re.findall(r"\*\*(?:about )?(.+?)\*\*", at.markdown[0].value)]
    bound = bounds.error_bound(DATA.X, KERNEL, a).total
    assert written == pytest.approx([found.frobenius, bound], rel=6e-3)
    low, high = (number(end) for end in shown["95 % interval"][0].split(" – "))
    assert low < found.frobenius < high
    line = lines(at, "curve")["bound"]
    np.testing.assert_allclose(np.array(line["x"]) * N / 100, np.arange(8, 41, 8))
    assert "errors from 500 sampled rows" in charts(at)["curve"]["layout"]["title"]["subtitle"]["text"]
    # The worst entry of the sampled rows is no better than any of them.
    i, j = map(int, re.search(r"Worst entry \((\d+), (\d+)\)", str(charts(at)["entry"]["layout"])).groups())
    rows = nv.nystroem.measures.sampled_rows(N, 500)
    gap = np.abs(KERNEL(DATA.X[rows], DATA.X) - a.factor[rows] @ a.factor.T)
    gap[np.arange(500), rows] = 0.0
    worst = abs(KERNEL(DATA.X[[i]], DATA.X[[j]])[0, 0] - a.factor[i] @ a.factor[j])
    assert worst == pytest.approx(gap.max(), rel=1e-9)


def test_the_machines_learn_from_some_rows_and_say_so(monkeypatch):
    monkeypatch.setattr(machines, "MOST_ROWS", 60)
    at = page("learning", learning_repeats="5")
    total = int(np.isin(DATA.y, [0, 1]).sum())
    assert f"60 random rows of {total} are taken" in captions(at)


@pytest.mark.parametrize("name", ["spectrum", "lift", "data"])
def test_other_pages_answer(name):
    link = {"lift_repeats": "1", "lift_methods": nv.METHODS["kmeanspp"].label} if name == "lift" else {}
    assert charts(page(name, **link))


@pytest.mark.parametrize("columns, is_there", [(55, False), (65, True)])
def test_what_holds_rows_beside_its_factor_is_left_out_without_room_for_them(monkeypatch, columns, is_there):
    # Sparse greedy looks at the rows of 59 candidates at a time.
    monkeypatch.setattr(memory, "HELD_BYTES", 8 * N * columns)
    assert (nv.METHODS["sgma"].label not in captions(page("compare"))) == is_there


def test_relative_bounds_are_those_of_a_sample(monkeypatch):
    monkeypatch.setattr(matrices, "SAMPLE_ROWS", 300)
    at = page("bounds", bounds_view="Oglic, Li: best rank k")
    assert f"hown for 300 random rows of {N}" in captions(at)
    assert "n = 300" in charts(at)["relative"]["layout"]["title"]["subtitle"]["text"]
    code = code_of(at)
    values = {}
    exec(code.replace("print(", "(lambda *_: None)("), values)
    np.testing.assert_array_equal(values["result"].part.data.X, DATA.sampled(300).X)
