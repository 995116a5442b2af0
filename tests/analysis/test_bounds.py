"""Zhang, Tsang & Kwok 2008: property (8), propositions 1 to 3, and the way from the bound to the error."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

import nysviz as nv
from nysviz.analysis import bounds
from nysviz.analysis.bounds.property_eight import distances, entries, on_a_line
from nysviz.nystroem.measures import frobenius, quantization_error, residual
from tests import naive
from tests.kernels.test_kernels import twin

RADIAL = (
    nv.Matern(1.5, 0.9),
    nv.Gaussian(1.3),
    nv.Laplacian(0.7),
    nv.InverseDistance(2.0, 0.5),
    nv.RationalQuadratic(0.7, 1.1),
    3.0 * nv.Gaussian(1.3),
)
BALL = (nv.Linear(), nv.Polynomial(3, 0.2), 0.5 * nv.Polynomial(2, 0.2))
RADIUS = 2.5
rng = np.random.default_rng(0)
BLOBS = np.concatenate([rng.normal(centre, 0.3, (14, 2)) for centre in (-1.5, 0.0, 1.5, 3.0)])


def points(limit):
    return arrays(np.float64, (4, 2), elements=st.floats(-limit, limit, width=32))


@pytest.mark.parametrize("kernel", RADIAL + BALL, ids=repr)
@given(quadruple=points(1.75), times=st.sampled_from([1.0, 2.3]))
@settings(max_examples=60, deadline=None)
def test_property_eight_holds_with_the_derived_constant(kernel, quadruple, times):
    # Points within the ball of radius 2.5; a radial kernel needs none.
    a, b, c, d = quadruple * (times if kernel in RADIAL else 1.0)
    moved = naive.squared_distance(a, c) + naive.squared_distance(b, d)
    change = abs(twin(kernel)(a, b) - twin(kernel)(c, d))
    constant = bounds.derived_constant(kernel, None if kernel in RADIAL else RADIUS)
    assert change <= math.sqrt(constant * moved) + 1e-12 * max(1.0, math.sqrt(constant))


def test_of_several_widths_the_smallest_decides():
    kernel = nv.PerFeature(nv.Gaussian, (2.0, 0.4), sigma=1.5)
    a, b, c, d = np.random.default_rng(1).uniform(-1, 1, (4, 40_000, 2))
    found = bounds.change_ratio(kernel, a, b, a + 0.02 * c, b + 0.02 * d)
    assert 0.8 * bounds.derived_constant(kernel) < found.max() <= bounds.derived_constant(kernel)
    # On the line, points are as far apart as the kernel says.
    gaps, line = distances(kernel, a[:50], b[:50]), on_a_line(kernel)
    assert line(np.zeros((1, 1)), gaps[:, None])[0] == pytest.approx(entries(kernel, a[:50], b[:50]))
    shown = bounds.violating_quadruple(kernel)
    on_one_feature = naive.gaussian(np.array([shown.a]), np.array([shown.b]), 0.6)
    assert shown.first == pytest.approx(on_one_feature) and shown.ratio > bounds.printed_constant(kernel)


@pytest.mark.parametrize("kernel", RADIAL + BALL, ids=repr)
def test_the_violating_quadruple(kernel):
    radius = RADIUS if kernel in BALL else None
    q = bounds.violating_quadruple(kernel, radius)
    assert q.first == pytest.approx(twin(kernel)([q.a], [q.b]), rel=1e-12)
    assert q.second == pytest.approx(twin(kernel)([q.c], [q.d]), rel=1e-12)
    derived, printed = bounds.derived_constant(kernel, radius), bounds.printed_constant(kernel, radius)
    assert 0.97 * derived < q.ratio <= derived
    if kernel in RADIAL or printed < 0.97 * derived:
        assert not (q.first - q.second) ** 2 <= printed * q.moved
    if kernel in BALL:
        assert max(map(abs, (q.a, q.b, q.c, q.d))) <= RADIUS


def test_constants_in_the_papers_own_bandwidth():
    sigma = 1.7
    zhang = nv.Gaussian.from_width(sigma**2)  # exp(-‖x − y‖²/σ²)
    assert bounds.derived_constant(zhang) == pytest.approx(4 / (math.e * sigma**2))
    assert bounds.printed_constant(zhang) == pytest.approx(1 / (2 * sigma**2))
    assert bounds.derived_constant(nv.Laplacian(sigma)) == pytest.approx(2 / sigma**2)
    assert bounds.printed_constant(nv.Laplacian(sigma)) == pytest.approx(1 / sigma**2)
    inverse = nv.InverseDistance(sigma, 0.5)
    assert bounds.derived_constant(inverse) == pytest.approx(2 / (sigma**2 * 0.5**4))
    assert bounds.printed_constant(inverse) == pytest.approx(1 / (sigma**2 * 0.5**4))


@pytest.mark.parametrize("kernel, method", [*zip(RADIAL, ("kmeans", "column_norm", "icd"), strict=False)])
def test_the_parts_of_the_bound_against_the_slow_twin(kernel, method):
    a = nv.approximate(BLOBS, kernel, method, 6, seed=2)
    bound = bounds.error_bound(BLOBS, kernel, a)
    Z = np.unique(a.landmarks, axis=0)
    W = naive.kernel_matrix(twin(kernel), Z)
    encoding, inverse = naive.proposition_three(bounds.derived_constant(kernel), BLOBS, Z, W)
    assert bound.encoding_term == pytest.approx(encoding, rel=1e-9)
    assert bound.inverse_term == pytest.approx(inverse, rel=1e-6)
    assert bound.total == bound.encoding_term + bound.inverse_term
    assert bound.quantization == pytest.approx(quantization_error(BLOBS, a.landmarks))
    assert (bound.n, bound.m, bound.is_least) == (len(BLOBS), len(Z), False)


DATA = ("iris", "wine", "diabetes", "breast_cancer")
RUNGS = "printed blocks clusters spectral constant inverse measured"


@pytest.mark.parametrize("kind, name", [(kind, DATA[i % 4]) for i, kind in enumerate(nv.KERNELS)])
def test_each_rung_of_the_ladder_is_sharper_and_none_is_below_the_error(name, kind):
    X = nv.load(name).X
    sigma = math.sqrt(nv.default_width(X) / 2)
    kernel = {
        "gaussian": nv.Gaussian(sigma),
        "laplacian": nv.Laplacian(sigma),
        "matern": nv.Matern(1.5, sigma),
        "rational_quadratic": nv.RationalQuadratic(1.0, sigma),
        "inverse_distance": nv.InverseDistance(sigma, 1.0),
        "polynomial": nv.Polynomial(2, 1.0),
        "linear": nv.Linear(),
    }[kind]
    K = kernel(X)
    for method, m in (("kmeans", 3), ("uniform", 12), ("icd", 20), ("column_norm", 15)):
        a = nv.approximate(X, kernel, method, min(m, X.shape[1]) if kind == "linear" else m, seed=1)
        steps = bounds.ladder(X, kernel, a, K=K)
        assert " ".join(step.name for step in steps) == RUNGS
        values = np.array([step.value for step in steps])
        assert (np.diff(values) <= 1e-9 * values[:-1]).all(), values
        assert values[0] == pytest.approx(bounds.error_bound(X, kernel, a).total)
        assert values[-1] == pytest.approx(frobenius(residual(K, a.factor)), rel=1e-9, abs=1e-9)
        # Without K, and with what is known by then.
        made = bounds.ladder(X, kernel, a, measured=values[-1], bound=bounds.error_bound(X, kernel, a))
        assert [step.value for step in made] == pytest.approx(values, rel=1e-9, abs=1e-9)


def test_the_last_rungs_are_the_matrices_of_the_proof():
    kernel = nv.Gaussian(0.8)
    a = nv.approximate(BLOBS, kernel, "kmeans", 5, seed=3)
    K, E, W = kernel(BLOBS), kernel(BLOBS, a.landmarks), kernel(a.landmarks)
    A, P, B = naive.moves_to_landmarks(K, E, W, cdist(BLOBS, a.landmarks).argmin(axis=1))
    between = B @ np.linalg.inv(W) @ B.T
    np.testing.assert_allclose(A - P @ B.T - B @ P.T - between, K - naive.nystroem(E, W), atol=1e-12)
    steps = {step.name: step.value for step in bounds.ladder(BLOBS, kernel, a)}
    sides = np.linalg.norm(A) + 2 * np.linalg.norm(B @ P.T)
    assert steps["inverse"] == pytest.approx(sides + np.linalg.norm(between))
    two = np.linalg.norm(np.linalg.inv(W), 2)
    assert steps["constant"] == pytest.approx(sides + np.linalg.norm(B) ** 2 * two)
    C, e, n, m = bounds.derived_constant(kernel), quantization_error(BLOBS, a.landmarks), len(BLOBS), 5
    assert steps["spectral"] == pytest.approx((2 + math.sqrt(2)) * math.sqrt(n * C * e) + m * C * e * two)


def test_a_ladder_from_sampled_rows_is_near_the_whole_one():
    X = nv.load("digits").X[:900]
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    a = nv.approximate(X, kernel, "kmeans", 30)
    rows = np.random.default_rng(0).permutation(900)[:450]
    whole, sampled = bounds.ladder(X, kernel, a), bounds.ladder(X, kernel, a, rows=rows)
    for one, other in zip(whole, sampled, strict=True):
        assert other.value == pytest.approx(one.value, rel=0.1)
    assert whole[:4] == sampled[:4]
    everything = bounds.ladder(X, kernel, a, rows=np.arange(900))
    assert everything[-1].value == pytest.approx(whole[-1].value)


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_proposition_two_for_every_pair_of_sets(kernel):
    Z = nv.approximate(BLOBS, kernel, "kmeans", 4, seed=1).landmarks
    found = bounds.encode(BLOBS, Z)
    Z, T, m = found.landmarks, int(found.sizes.max()), len(Z)
    # One point of each cluster a set; landmarks stand in where a cluster has run out.
    sets = np.repeat(Z[None], T, axis=0)
    for k in range(m):
        members = BLOBS[found.labels == k]
        sets[: len(members), k] = members
    W, C = kernel(Z), bounds.derived_constant(kernel)
    inverse = np.linalg.inv(W)
    e = [sum(naive.squared_distance(x, z) for x, z in zip(part, Z, strict=True)) for part in sets]
    assert sum(e) == pytest.approx(found.gaps.sum())
    total = 0.0
    for i in range(T):
        for j in range(T):
            left = kernel(sets[i], sets[j]) - kernel(sets[i], Z) @ inverse @ kernel(sets[j], Z).T
            moves = np.sqrt(2 * m * C * (e[i] + e[j])) + np.sqrt(m * C * e[i]) + np.sqrt(m * C * e[j])
            bound = moves + m * C * np.sqrt(e[i] * e[j]) * np.linalg.norm(inverse)
            assert np.linalg.norm(left) <= bound + 1e-12
            total += bound
    whole = bounds.error_bound(BLOBS, kernel, nv.approximate(BLOBS, kernel, "kmeans", 4, seed=1)).total
    assert total <= whole * (1 + 1e-12)


@pytest.mark.parametrize("kernel", RADIAL + BALL, ids=repr)
def test_proposition_one(kernel):
    X = nv.load("wine").X
    largest = kernel.diag(X).max()
    draws = np.random.default_rng(4)
    Z = nv.approximate(X, kernel, "kmeans", 6).landmarks
    for _ in range(20):
        pair = X[draws.choice(len(X), 2, replace=False)]
        after = bounds.entry_errors(kernel, np.concatenate([Z, pair]), pair)
        assert after.max() < 1e-10 * max(1.0, largest)
        before = bounds.entry_errors(kernel, Z, pair)
        K, E = kernel(pair), kernel(pair, Z)
        expected = np.abs(K - naive.nystroem(E, kernel(Z)))
        np.testing.assert_allclose(before, expected, atol=1e-9 * max(1.0, largest))


def test_landmarks_that_coincide_count_once():
    kernel, X = nv.Gaussian(1.0), np.repeat(BLOBS[:8], 5, axis=0)
    a = nv.approximate(X, kernel, "uniform", 30)
    bound = bounds.error_bound(X, kernel, a)
    assert bound.m == 8 and not bound.is_least and math.isfinite(bound.inverse_norm)
