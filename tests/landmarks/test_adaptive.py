import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import adaptive
from nysviz.landmarks.adaptive import adaptive_full, adaptive_partial
from nysviz.landmarks.selection import draw_distinct
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import SIX, p_value, sequences_drawn

X = np.random.default_rng(0).standard_normal((60, 3))
STEPS = {adaptive_full: naive.adaptive_full_step, adaptive_partial: naive.adaptive_partial_step}


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("per_round, length", [(1, 3), (2, 4)])
def test_rounds_draw_in_proportion_to_what_is_left(method, per_round, length):
    kernel = nv.Gaussian(0.8)
    probabilities = naive.sequence_probabilities(STEPS[method](kernel(SIX), per_round), length)
    assert max(probabilities.values()) > 2 / len(probabilities)
    counts = sequences_drawn(method, SIX, kernel, length, 2_000, per_round=per_round)
    assert p_value(counts, probabilities) > 1e-4


def scores_seen(monkeypatch, method, kernel, m, per_round):
    """The weights of every round, with the rows chosen before it."""
    seen = []

    def noted(weights, count, rng):
        chosen = draw_distinct(weights, count, rng)
        seen.append((weights.copy(), chosen))
        return chosen

    monkeypatch.setattr(adaptive, "draw_distinct", noted)
    method(KernelMatrix(X, kernel), m, np.random.default_rng(0), per_round=per_round)
    return seen


def test_full_scores_stay_accurate_over_many_rounds(monkeypatch):
    """The scores fall by twelve orders of magnitude, more than a subtraction follows to four digits."""
    kernel = nv.Gaussian(2.0)
    K, before, falls = kernel(X), [], []
    for weights, chosen in scores_seen(monkeypatch, adaptive_full, kernel, 60, 5):
        Q = np.linalg.qr(K[:, before])[0]
        rest = K - Q @ (Q.T @ K)
        expected = (rest**2).sum(axis=0)
        expected[before] = 0.0
        if expected.sum() < 1e-22 * (K**2).sum():
            break
        np.testing.assert_allclose(weights, expected, rtol=1e-4, atol=1e-4 * expected.sum())
        falls.append(expected.sum())
        before += list(chosen)
    assert falls[-1] < 1e-12 * falls[0]


def test_partial_scores(monkeypatch):
    kernel = nv.Laplacian(1.0)
    K, before = kernel(X), []
    for weights, chosen in scores_seen(monkeypatch, adaptive_partial, kernel, 30, 5):
        expected = naive.adaptive_partial_step(K, 5)(tuple(before))
        np.testing.assert_allclose(weights / weights.sum(), expected, atol=1e-10)
        before += list(chosen)


def test_adaptive_partial_goes_on_uniformly_where_the_columns_say_nothing():
    found = adaptive_partial(KernelMatrix(X, nv.Gaussian(1e-3)), 25, np.random.default_rng(0))
    assert len(set(found.pivots)) == 25
    assert len(found.notes) == 1 and found.notes[0].endswith("told nothing of the others: 2.")
