"""Groups, candidates and orthogonal frequencies take memory: it is told, and too much of it refused."""

import tracemalloc

import numpy as np
import pytest

import nysviz as nv
from nysviz import memory
from nysviz.approximation import checked_room
from nysviz.blocks import in_this_thread
from nysviz.landmarks.random_features import QR_ARRAYS, orthogonal_frequencies

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
KERNEL = nv.Gaussian(1.0)
OPTIONS = {"partition_greedy": "groups", "sgma": "candidates"}


@pytest.mark.parametrize("method, name", OPTIONS.items())
def test_more_rows_than_there_is_memory_for_are_refused_in_a_sentence(method, name, monkeypatch):
    monkeypatch.setattr(memory, "most_bytes", lambda: 8 * 200 * 20 + 5)
    nv.approximate(X, KERNEL, method, 10, **{name: 20})
    sentence = rf"^{method} with {name} = 21 holds .* enough for {name} = 20; choose fewer {name}"
    with pytest.raises(ValueError, match=sentence):
        nv.approximate(X, KERNEL, method, 10, **{name: 21})
    # The defaults count as well, but never more rows than there are.
    with pytest.raises(ValueError, match=f"{name} = 5[09] holds"):
        nv.approximate(X, KERNEL, method, 10)
    nv.approximate(X[:15], KERNEL, method, 10)


@pytest.mark.parametrize("method, name", OPTIONS.items())
def test_nothing_is_made_before(method, name):
    with pytest.raises(ValueError, match=f"{name} = 1000 holds 4.00\\sGB"):
        checked_room(nv.METHODS[method], method, 500_000, 10, None, {name: 1000}, 2**30)


def test_candidates_of_one_step_are_not_held_beside_those_of_the_next():
    n, candidates = 40_000, 200
    rows = RNG.standard_normal((n, 2))
    nv.approximate(rows[:300], KERNEL, "sgma", 2)
    tracemalloc.start()
    try:
        with in_this_thread():
            nv.approximate(rows, KERNEL, "sgma", 3, candidates=candidates)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # What they are made from comes in blocks.
    assert 1.0 < peak / (8 * n * candidates) < 1.6


def test_orthogonal_frequencies_of_many_columns_are_refused_in_a_sentence(monkeypatch):
    wide = RNG.standard_normal((20, 60))
    monkeypatch.setattr(memory, "most_bytes", lambda: 32 * 60**2)
    sentence = (
        r"^Orthogonal frequencies take .* for 60 columns of X and m = 61, .* take independent ones "
        r"\(the method rff, or FourierFeatures with orthogonal=False\), or fewer columns\.$"
    )
    assert nv.approximate(wide, KERNEL, "orf", 5).frequencies.shape == (5, 60)
    nv.FourierFeatures(n_frequencies=60, orthogonal=True).fit(wide)
    with pytest.raises(ValueError, match=sentence):
        nv.FourierFeatures(n_frequencies=61, orthogonal=True).fit(wide)
    nv.FourierFeatures(n_frequencies=61).fit(wide)
    monkeypatch.setattr(memory, "most_bytes", lambda: 32 * 60**2 - 1)
    with pytest.raises(ValueError, match="for 60 columns of X and m = 5,"):
        nv.approximate(wide, KERNEL, "orf", 5)


def test_the_bytes_of_orthogonal_frequencies_are_those_that_are_allocated():
    m, d = 10, 400
    needed = 8 * QR_ARRAYS * d * d
    tracemalloc.start()
    try:
        orthogonal_frequencies(m, d, RNG)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.9 * needed <= peak <= 1.2 * needed
