"""Every trace against the method itself, and every criterion against its definition, slowly."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.steps import STEPWISE, trace
from nysviz.analysis.steps.record import RecordingGenerator
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from tests import naive

X = np.random.default_rng(5).standard_normal((70, 3)) * [2.0, 1.0, 0.5]
KERNELS = {"Gaussian": nv.Gaussian(1.3), "wide": nv.Gaussian(6.0), "linear": nv.Linear()}
SEEDS = (0, 7)
ONE_BY_ONE = [name for name, rule in STEPWISE.items() if not rule.keeps_landmarks]


def matrix(kernel="Gaussian"):
    return KernelMatrix(X, KERNELS[kernel])


def residual_before(K, rows):
    """K − K_:S K_SS⁺ K_S:, by the pseudoinverse."""
    full = K.full()
    rows = list(rows)
    return full - full[:, rows] @ np.linalg.pinv(full[np.ix_(rows, rows)], rcond=1e-13) @ full[rows]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("method", ONE_BY_ONE)
def test_the_picks_are_those_of_the_method(method, kernel):
    seed = len(kernel)
    real = METHODS[method].select(matrix(kernel), 25, np.random.default_rng(seed))
    traced = trace(matrix(kernel), method, 25, np.random.default_rng(seed))
    assert traced.picks.tolist() == real.pivots.tolist()
    assert traced.notes == real.notes


@pytest.mark.parametrize("method", ONE_BY_ONE)
def test_errors_and_residuals_are_those_of_the_approximation(method):
    seed = 1
    traced = trace(matrix(), method, 20, np.random.default_rng(seed))
    # The first rows of the others are not those of fewer landmarks.
    ms = [1, 7, 20] if METHODS[method].nested else [20]
    expected = nv.error_curve(X, KERNELS["Gaussian"], method, ms, seed=seed)
    total = np.linalg.norm(matrix().full())
    assert traced.errors[ms] == pytest.approx(expected / total, rel=1e-9)
    a = nv.approximate(X, KERNELS["Gaussian"], method, 20, seed)
    assert traced.factor(20) @ traced.factor(20).T == pytest.approx(a.factor @ a.factor.T, abs=1e-9)
    left = np.maximum(1.0 - (a.factor**2).sum(axis=1), 0.0)
    assert traced.residuals[20] == pytest.approx(left, abs=1e-9)
    assert traced.errors[0] == 1.0 and traced.factor(0).shape == (70, 0)


@pytest.mark.parametrize("method", ["icd", "greedy", "sgma", "partition_greedy", "farthest", "osinsky"])
def test_a_greedy_method_takes_the_largest_of_what_it_looked_at(method):
    options = {"candidates": 9} if method == "sgma" else {}
    steps = trace(matrix(), method, 20, np.random.default_rng(0), **options).steps
    for step in steps[1:]:
        assert step.value == pytest.approx(np.nanmax(step.criterion), rel=1e-9)
    if method == "sgma":
        assert all(np.isfinite(step.criterion).sum() == 9 for step in steps)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_drawn_numbers_lead_from_the_probabilities_to_the_picks(seed):
    # The inverse of the distribution function, at the very numbers that the method drew.
    for method, options in (
        ("rpcholesky", {"form": "simple"}),
        ("kmeanspp", {}),
        ("arp", {}),
        ("arp", {"basis": "sketch"}),
        ("dpp_exact", {}),
    ):
        rng = RecordingGenerator(np.random.default_rng(seed).bit_generator)
        METHODS[method].select(matrix(), 20, rng, **options)
        # The exact k-DPP has drawn eigenvectors first.
        uniforms = np.concatenate([np.ravel(part) for part in rng.answers])[-20:]
        steps = trace(matrix(), method, 20, np.random.default_rng(seed), **options).steps
        for step, u in zip(steps, uniforms, strict=True):
            assert step.pick == np.searchsorted(np.cumsum(step.criterion), u, side="right")


@pytest.mark.parametrize("filtering", ["plain", "robust"])
def test_a_block_has_the_distinct_rows_that_its_numbers_lead_to(filtering):
    rng, options = RecordingGenerator(np.random.default_rng(3).bit_generator), {"filtering": filtering}
    METHODS["rpcholesky_block"].select(matrix(), 25, rng, block=8, **options)
    steps = trace(matrix(), "rpcholesky_block", 25, np.random.default_rng(3), block=8, **options).steps
    for block, numbers in enumerate(rng.answers[:-1], 1):
        picks = [step for step in steps if step.round_place[0] == block]
        drawn = np.searchsorted(np.cumsum(picks[0].criterion), numbers, side="right")
        expected = list(dict.fromkeys(drawn.tolist()))
        if filtering == "robust":
            R = residual_before(matrix(), [step.pick for step in steps if step.round_place[0] < block])
            expected = naive.robust_subset(R, expected, 8)
        assert [step.pick for step in picks] == expected


@pytest.mark.parametrize("method", ["adaptive_full", "adaptive_partial"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_waiting_times_lead_from_the_round_s_probabilities_to_its_picks(method, seed):
    rng = RecordingGenerator(np.random.default_rng(seed).bit_generator)
    METHODS[method].select(matrix(), 25, rng, per_round=6)
    steps = trace(matrix(), method, 25, np.random.default_rng(seed), per_round=6).steps
    assert [step.round_place for step in steps][5:7] == [(1, 6, 6), (2, 1, 6)]
    assert steps[-1].round_place == (5, 1, 1)
    for step in steps:
        drawn, place, size = step.round_place
        if place == 1:
            with np.errstate(divide="ignore"):
                times = rng.answers[drawn - 1] / step.criterion
            picks = [other.pick for other in steps if other.round_place[0] == drawn]
            assert np.argsort(times)[:size].tolist() == picks


def test_criteria_by_their_definitions():
    K = matrix()
    chosen = trace(K, "greedy", 12, np.random.default_rng(0)).steps
    for t, step in enumerate(chosen):
        R = residual_before(K, [s.pick for s in chosen[:t]])
        open_ = np.setdiff1d(np.arange(70), [s.pick for s in chosen[:t]])
        assert step.criterion[open_] == pytest.approx(naive.gains(R, K.full())[open_], rel=1e-9)
    for method in ("icd", "rpcholesky"):
        steps = trace(K, method, 12, np.random.default_rng(0)).steps
        left = np.diag(residual_before(K, [s.pick for s in steps[:9]]))
        scale = left.sum() if method == "rpcholesky" else 1.0
        assert steps[9].criterion == pytest.approx(left / scale, abs=1e-9)
    steps = trace(K, "farthest", 12, np.random.default_rng(0)).steps
    full = K.full()
    slow = [min(full[i, i] + full[z, z] - 2 * full[i, z] for z in steps[8].landmarks) for i in range(70)]
    assert steps[9].criterion == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("start, seed", [("uniform", 0), ("kmeanspp", 7)])
def test_the_chain_ends_where_the_method_ends_and_every_outcome_follows_from_its_odds(seed, start):
    real = METHODS["dpp"].select(matrix(), 12, np.random.default_rng(seed), steps=90, start=start)
    rng = np.random.default_rng(seed)
    traced = trace(matrix(), "dpp", 90, rng, landmarks=12, start=start)
    assert traced.steps[-1].landmarks.tolist() == real.pivots.tolist()
    # The same start and the same numbers, from a generator that the trace never saw.
    again, K = np.random.default_rng(seed), matrix().full()
    begin = METHODS[start].select(matrix(), 12, again).pivots.tolist()
    again.integers(12, size=90), again.integers(58, size=90)
    for step, u in zip(traced.steps, again.random(90), strict=True):
        new = [step.pick if row == step.leaving else row for row in begin]
        odds = np.linalg.det(K[np.ix_(new, new)]) / np.linalg.det(K[np.ix_(begin, begin)])
        assert step.value == pytest.approx(odds, rel=1e-5)
        assert step.accepted == (u < odds)
        begin = new if step.accepted else begin
        assert step.landmarks.tolist() == begin
    assert 0 < sum(step.accepted for step in traced.steps) < 90
    a = nv.approximate(X, KERNELS["Gaussian"], "dpp", 12, seed, steps=90, start=start)
    assert traced.errors[-1] == pytest.approx(nv.errors(X, KERNELS["Gaussian"], a).relative_frobenius)


@pytest.mark.parametrize("seed", SEEDS)
def test_lloyd_ends_where_kmeans_ends(seed):
    traced = trace(matrix(), "kmeans", 50, np.random.default_rng(seed), landmarks=6)
    real = METHODS["kmeans"].select(matrix(), 6, np.random.default_rng(seed), iterations=50)
    assert traced.steps[-1].points == pytest.approx(real.points)
    assert len(traced) < 50 and "no centre moves" in traced.notes[-1]
    assert traced.start == pytest.approx(X[np.random.default_rng(seed).permutation(70)[:6]])
    # The potential falls, and is the quantization error of the centres before the step.
    potentials = [step.criterion.sum() for step in traced.steps]
    assert potentials == sorted(potentials, reverse=True)
    assert potentials[0] == pytest.approx(nv.quantization_error(X, traced.start))
    assert potentials[1] == pytest.approx(nv.quantization_error(X, traced.steps[0].points))


@pytest.mark.parametrize("begin", ["kmeans", "kmeanspp", "uniform"])
def test_the_descent_ends_where_gradient_ends_and_each_move_lowers_the_trace_error(begin):
    kernel = KERNELS["Gaussian"]
    traced = trace(matrix(), "gradient", 12, np.random.default_rng(3), landmarks=6, start=begin)
    assert len(traced) == 12
    first = nv.approximate(X, kernel, begin, 6, 3).landmarks
    np.testing.assert_array_equal(traced.start, first)
    # Fewer moves are the first ones of more.
    for t in (1, 5, 12):
        a = nv.approximate(X, kernel, "gradient", 6, 3, iterations=t, start=begin)
        np.testing.assert_array_equal(traced.steps[t - 1].points, a.landmarks)
        assert traced.errors[t] == pytest.approx(nv.errors(X, kernel, a).relative_frobenius)
        assert traced.residuals[t].sum() == pytest.approx(nv.errors(X, kernel, a).trace)
    places = [traced.start, *(step.points for step in traced.steps)]
    for t, step in enumerate(traced.steps):
        np.testing.assert_array_equal(step.criterion, traced.residuals[t])
        np.testing.assert_allclose(step.moves, np.linalg.norm(places[t + 1] - places[t], axis=1))
    traces = traced.residuals.sum(axis=1)
    assert (np.diff(traces) < 1e-9 * traces[0]).all() and traces[-1] < 0.95 * traces[0]


def test_the_descent_says_why_it_ends_and_what_it_cannot_follow():
    traced = trace(matrix("wide"), "gradient", 400, np.random.default_rng(0), landmarks=3)
    assert len(traced) < 400 and "no move lowers the trace error by much" in traced.notes[-1]
    kept = trace(matrix("linear"), "gradient", 5, np.random.default_rng(0), landmarks=6)
    assert not len(kept) and "it is kept" in kept.notes[-1] and len(kept.errors) == 1
    with pytest.raises(ValueError, match="its iterations are the steps"):
        trace(matrix(), "gradient", 5, np.random.default_rng(0), iterations=3)
    with pytest.raises(ValueError, match="along the derivative of the kernel"):
        trace(KernelMatrix(X, nv.Laplacian(1.0)), "gradient", 5, np.random.default_rng(0))


def test_a_method_that_stops_by_itself():
    few = np.repeat(X[:4], 5, axis=0)
    for method in ("icd", "rpcholesky", "greedy", "sgma", "partition_greedy", "kmeanspp", "farthest"):
        traced = trace(KernelMatrix(few, nv.Gaussian(1.0)), method, 15, np.random.default_rng(0))
        real = METHODS[method].select(KernelMatrix(few, nv.Gaussian(1.0)), 15, np.random.default_rng(0))
        assert len(traced) == 4 and traced.notes == real.notes and traced.notes
        assert traced.errors[-1] < 1e-6
