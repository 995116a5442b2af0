"""The pages where the data are large, with what counts as large set low: nothing is held, all is said."""

import numpy as np
import pytest

import nysviz as nv
from nysviz import memory
from nysviz.measures import sampled_errors
from nysviz.sweep import problem
from nysviz.ui import compare, computing
from tests.pages.driving import m_of, number, sound, start, table
from tests.pages.test_compare import lines, opened

# A size that no other test asks for: results are kept under the content of the data.
N = 903
DATA = nv.load("clusters", n=N, d=3)
KERNEL = nv.Gaussian.from_width(nv.default_width(DATA.X))
LINK = {"data": DATA.title, "clusters_n": str(N), "clusters_d": "3"}


@pytest.fixture(autouse=True)
def low_limits(monkeypatch):
    for module in (computing, problem):
        monkeypatch.setattr(module, "EXACT_ROWS", 800)
    monkeypatch.setattr(computing, "MATRIX_ROWS", 800)
    monkeypatch.setattr(computing, "READ_ROWS", 800)
    monkeypatch.setattr(computing, "SAMPLED_FROM", 800)
    monkeypatch.setattr(computing, "SAMPLE_ROWS", 700)
    monkeypatch.setattr(compare, "SAMPLED_FROM", 800)
    monkeypatch.setattr(compare, "LARGE_LANDMARKS", 40)
    monkeypatch.setattr(memory, "HELD_BYTES", 8 * N * 20)


def test_approximate_answers_from_blocks_and_samples():
    at = start(**LINK)
    figures = sound(at)
    m = m_of(at)
    # Above the limit, so that the factor is not held.
    assert m == 45
    a = nv.approximate(DATA.X, KERNEL, "kmeans", m)
    assert not a.is_held
    found, shown = sampled_errors(DATA.X, KERNEL, a), table(at)
    assert number(shown["Frobenius error"][0]) == pytest.approx(found.relative_frobenius, rel=6e-3)
    assert number(shown["trace error"][0]) == pytest.approx(found.relative_trace, rel=6e-3)
    assert "600 drawn points" in figures["map"]["layout"]["title"]["text"]
    assert figures["strip"]["layout"]["title"]["text"].endswith("for 700 random rows")
    said = " ".join(text.value for text in at.caption)
    assert "Not offered for so many rows" in said and nv.METHODS["leverage"].label in said
    assert "order of 700 random rows of 903" in said
    offered = at.selectbox(key="method").options
    assert nv.METHODS["rpcholesky"].label in offered and nv.METHODS["greedy"].label not in offered


def test_a_method_that_must_hold_its_factor_says_what_fits():
    at = start(**LINK, method=nv.METHODS["icd"].label)
    assert ["enough for m = 20; choose fewer landmarks" in error.value for error in at.error] == [True]


def test_compare_offers_what_can_be_compared_and_names_the_rest():
    at = opened(**LINK)
    drawn = lines(at)
    assert set(drawn) == {nv.METHODS[name].label for name in ("uniform", "kmeans", "rpcholesky")}
    counts = np.array(drawn[nv.METHODS["uniform"].label]["x"]) * N / 100
    np.testing.assert_allclose(counts, np.arange(4, 41, 4))
    said = " ".join(text.value for text in at.caption)
    assert "At most 40 landmarks" in said and nv.METHODS["icd"].label in said
    # More landmarks are better also for those whose factor is not held (above 20).
    for line in drawn.values():
        assert line["y"][-1] < line["y"][4] < line["y"][0]
