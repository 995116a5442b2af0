"""Columns drawn by scores: of the columns themselves, of what earlier rounds have left, and by leverage."""

import itertools
import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels import matrix
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import adaptive, leverage_scores
from nysviz.landmarks.adaptive import adaptive_full, adaptive_partial
from nysviz.landmarks.leverage_scores import bless, leverage, leverage_approx, recursive_scores, rls
from nysviz.landmarks.sampling import column_norm, diagonal, uniform
from nysviz.landmarks.selection import draw_distinct
from tests import naive
from tests.landmarks.frequencies import EIGHT, FIVE, SIX, p_value, sequences_drawn

X = np.random.default_rng(0).standard_normal((60, 3))
KERNEL, QUADRATIC = nv.Gaussian(0.8), nv.Polynomial(2, 1.0)
PROBABILITIES = {
    uniform: lambda K: np.full(len(K), 1 / len(K)),
    column_norm: lambda K: (K**2).sum(axis=0) / (K**2).sum(),
    diagonal: lambda K: np.diag(K) ** 2 / (np.diag(K) ** 2).sum(),
}


@pytest.mark.parametrize("method, kernel", [(uniform, KERNEL), (column_norm, KERNEL), (diagonal, QUADRATIC)])
def test_sequences_are_drawn_as_often_as_the_probabilities_say(method, kernel):
    probabilities = PROBABILITIES[method](kernel(FIVE))
    assert method is uniform or max(probabilities) > 2 * min(probabilities)

    def step(chosen):
        return naive.without_replacement_step(probabilities, chosen if method is uniform else [])

    counts = sequences_drawn(method, FIVE, kernel, 2, 2_000)
    assert p_value(counts, naive.sequence_probabilities(step, 2)) > 1e-4


@pytest.mark.parametrize("method, dense", [(column_norm, False), (column_norm, True), (diagonal, False)])
def test_weights_of_the_drawn_columns(method, dense, monkeypatch):
    rows, kernel = np.random.default_rng(0).standard_normal((40, 3)), QUADRATIC
    monkeypatch.setattr(matrix, "rows_per_block", lambda n, columns: 16)
    asked = KernelMatrix(rows, kernel, dense=kernel(rows) if dense else None)
    selection = method(asked, 12, np.random.default_rng(0))
    probabilities = PROBABILITIES[method](kernel(rows))
    expected = 1 / np.sqrt(12 * probabilities[selection.pivots])
    np.testing.assert_allclose(selection.weights, expected, rtol=1e-12)
    assert asked.evaluations == (40 if method is diagonal else 40 * 40)


STEPS = {adaptive_full: naive.adaptive_full_step, adaptive_partial: naive.adaptive_partial_step}


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("per_round, length", [(1, 3), (2, 4)])
def test_rounds_draw_in_proportion_to_what_is_left(method, per_round, length):
    probabilities = naive.sequence_probabilities(STEPS[method](KERNEL(SIX), per_round), length)
    assert max(probabilities.values()) > 2 / len(probabilities)
    counts = sequences_drawn(method, SIX, KERNEL, length, 2_000, per_round=per_round)
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
    assert len(found.notes) == 1 and found.notes[0].startswith("In 2 rounds after the first the residual")


def leverage_step(scores, replacement):
    def step(chosen):
        if replacement == "with":
            return list(scores / scores.sum())
        return naive.without_replacement_step(scores, chosen)

    return step


@pytest.mark.parametrize("replacement, ridge", [("with", 0.05), ("without", 1.0)])
def test_exact_scores_are_drawn_by(replacement, ridge):
    K = KERNEL(SIX)
    shift = ridge * naive.mean_tail(np.linalg.eigvalsh(K), 2)
    scores = naive.ridge_leverage(K, shift)
    probabilities = naive.sequence_probabilities(leverage_step(scores, replacement), 2)
    counts = sequences_drawn(leverage, SIX, KERNEL, 2, 2_000, ridge=ridge, replacement=replacement)
    assert p_value(counts, probabilities) > 1e-4


def drawn_by(monkeypatch, method, K, m, **options):
    """The scores by which the last draw was made."""
    seen = []

    def noted(scores, m, rng, replacement):
        seen.append(scores)
        return draw(scores, m, rng, replacement)

    draw = leverage_scores.draw_by
    monkeypatch.setattr(leverage_scores, "draw_by", noted)
    method(K, m, np.random.default_rng(0), **options)
    return seen[0]


@pytest.mark.parametrize("kernel", [nv.Gaussian(1.0), nv.Polynomial(2)])
def test_the_mean_tail_keeps_the_sum_of_scores_below_twice_m(kernel, monkeypatch):
    K = kernel(X)
    shift = naive.mean_tail(np.linalg.eigvalsh(K), 7)
    scores = drawn_by(monkeypatch, leverage, KernelMatrix(X, kernel), 7)
    np.testing.assert_allclose(scores, naive.ridge_leverage(K, shift), rtol=1e-9)
    assert scores.sum() <= 14


def test_approximate_scores_are_those_of_a_uniform_sketch():
    oversampling = 1.5
    K, m = KERNEL(SIX), 2
    sketches = list(itertools.combinations(range(6), math.ceil(oversampling * m)))
    probabilities = {}
    for sketch in sketches:
        tilde = naive.nystroem_of_pivots(K, list(sketch))
        shift = (np.trace(K) - naive.descending_eigh(tilde)[0][:m].sum()) / m
        scores = naive.ridge_leverage(tilde, shift)
        drawn = naive.sequence_probabilities(leverage_step(scores, "with"), m)
        for picks, p in drawn.items():
            probabilities[picks] = probabilities.get(picks, 0) + p / len(sketches)
    counts = sequences_drawn(leverage_approx, SIX, KERNEL, m, 2_000, oversampling=oversampling)
    assert p_value(counts, probabilities) > 1e-4


@pytest.mark.parametrize("dense", [False, True])
def test_recursive_scores(dense, monkeypatch):
    monkeypatch.setattr(leverage_scores, "LEVEL_ROWS", 16)
    rng = np.random.default_rng(1)
    K = KERNEL(X)
    rows, sample = rng.permutation(60)[:40], rng.permutation(60)[:15]
    weights = 1 / np.sqrt(rng.random(15))
    shift = naive.mean_tail(np.linalg.eigvalsh(K[np.ix_(sample, sample)] * np.outer(weights, weights)), 3)
    asked = KernelMatrix(X, KERNEL, dense=K if dense else None)
    found = recursive_scores(asked, rows, sample, weights, 3)
    np.testing.assert_allclose(found, naive.recursive_leverage(K, rows, sample, weights, shift), rtol=1e-9)
    assert asked.evaluations == 40 * 15 + 15 * 15 + 60


def rls_probabilities(K, m):
    """By enumeration of the samples of every level; at most one level between the first and the last."""
    n = len(K)
    sizes = [n]
    while sizes[-1] > m:
        sizes.append(math.ceil(sizes[-1] / 2))
    oversampling = max(1, math.log(m))
    rank = math.ceil(m / (4 * oversampling))

    def scores(rows, sample, weights):
        W = K[np.ix_(sample, sample)] * np.outer(weights, weights)
        tail = naive.mean_tail(np.linalg.eigvalsh(W), rank) if rank < len(sample) else np.trace(W) / rank
        shift = max(tail, 1e-12 * max(np.trace(W), np.trace(K)))
        return np.clip(naive.recursive_leverage(K, rows, sample, weights, shift), 0, None)

    samples = []
    for first in itertools.combinations(range(n), sizes[-1]):
        base = 1 / math.comb(n, sizes[-1])
        if len(sizes) == 2:
            samples.append((base, list(first), np.ones(len(first))))
            continue
        others = [i for i in range(n) if i not in first]
        extensions = list(itertools.combinations(others, sizes[1] - sizes[2]))
        for more in extensions:
            level = [*first, *more]
            chances = np.minimum(1, oversampling * scores(level, list(first), np.ones(len(first))))
            for kept in itertools.product([False, True], repeat=len(level)):
                p = np.prod(np.where(kept, chances, 1 - chances)) * base / len(extensions)
                sample = [i for i, k in zip(level, kept, strict=True) if k]
                weights = 1 / np.sqrt(chances[list(kept)])
                if not sample:
                    sample, weights = list(first), np.full(m, math.sqrt(len(level) / m))
                if p > 0:
                    samples.append((p, sample, weights))
    total = {}
    for p, sample, weights in samples:
        top = np.minimum(1, scores(range(n), sample, weights))
        for picks, q in naive.sequence_probabilities(leverage_step(top, "without"), m).items():
            total[picks] = total.get(picks, 0) + p * q
    return total


def test_recursive_sampling():
    rows, m = EIGHT, 2
    probabilities = rls_probabilities(KERNEL(rows), m)
    assert abs(sum(probabilities.values()) - 1) < 1e-9
    assert p_value(sequences_drawn(rls, rows, KERNEL, m, 2_000), probabilities) > 1e-4


MANY = np.random.default_rng(2).standard_normal((400, 3))


@pytest.mark.parametrize(
    "kernel, m, sample_size, factor",
    [
        (nv.Gaussian(1.0), 1, 2.0, 5.0),
        (nv.Gaussian(1.0), 40, 2.0, 5.0),
        (nv.Gaussian(1.0), 40, 20.0, 2.0),
        (nv.Laplacian(1.0), 40, 20.0, 2.0),
        (nv.Polynomial(2), 6, 5.0, 4.0),
    ],
)
def test_bless_takes_the_steps_of_its_definition_to_scores_near_the_exact_ones(
    kernel, m, sample_size, factor, monkeypatch
):
    K = kernel(MANY)
    rows, expected, ridge = naive.bless(K, m, np.random.default_rng(0), sample_size)
    scores = drawn_by(monkeypatch, bless, KernelMatrix(MANY, kernel), m, sample_size=sample_size)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)
    assert np.sum(scores) * 400 / len(rows) >= m
    ratio = scores / naive.ridge_leverage(K, ridge)[rows]
    assert 1 / factor < ratio.min() < ratio.max() < factor


def test_bless_draws_distinct_rows_by_its_last_scores():
    kernel, m = nv.Gaussian(1.0), 12
    rng = np.random.default_rng(1)
    rows, scores, _ = naive.bless(kernel(MANY), m, rng, 2.0)
    first = np.argsort(rng.standard_exponential(len(scores)) / scores)[:m]
    found = bless(KernelMatrix(MANY, kernel), m, np.random.default_rng(1)).pivots
    assert [int(i) for i in found] == [int(rows[i]) for i in first]
