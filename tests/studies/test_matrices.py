"""What the pages compute in the background is what the core computes."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.engine import Engine
from nysviz.numerics import memory
from nysviz.nystroem.measures import SampledErrors, residual_diagonal
from nysviz.studies import matrices
from nysviz.studies.approximate import steps_of_strip
from nysviz.studies.scene import Scene
from nysviz.ui import asking

RNG = np.random.default_rng(3)
DATA = nv.Dataset.from_arrays(
    "made", RNG.standard_normal((60, 4)), RNG.integers(0, 3, 60), task="classification", feature_names="abcd"
)
SCENE = Scene(DATA, nv.Gaussian(1.3), 5, 1.0)


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """An empty engine for each test: what another one computed, or monkeypatched, is not in it."""
    made = Engine(100_000_000)
    for module in (asking, matrices):
        monkeypatch.setattr(module, "engine", lambda: made)
    return made


def options_of(method):
    return tuple((option.name, option.default) for option in nv.METHODS[method].options)


def strip_of(scene, method):
    return steps_of_strip(scene, method, options_of(method)), matrices.picture(scene, None)


# Nested, not nested, and without a look at the data.
@pytest.mark.parametrize("method", ["icd", "kmeans", "rff"])
def test_the_strip_is_the_approximations_one_by_one(method):
    strip, shown = strip_of(SCENE, method)
    assert strip.ms[0] == 1 and strip.ms[-1] <= DATA.n and list(strip.ms) == sorted(set(strip.ms))
    assert len(strip.errors) == len(strip.residuals) == len(strip.landmarks) == len(strip.ms)
    for k in range(0, len(strip.ms), 5):
        m = strip.ms[k]
        a = nv.approximate(DATA.X, SCENE.kernel, method, m, SCENE.seed, **dict(options_of(method)))
        error = nv.errors(DATA.X, SCENE.kernel, a).relative_frobenius
        assert strip.errors[k] == pytest.approx(error, rel=1e-6, abs=1e-7)
        if nv.METHODS[method].data_dependent:
            expected = residual_diagonal(DATA.X, SCENE.kernel, a)[shown.rows]
        else:
            K = SCENE.kernel(DATA.X)
            gaps = np.linalg.norm(K - a.factor @ a.factor.T, axis=1)
            expected = (gaps / np.linalg.norm(K, axis=1))[shown.rows]
        np.testing.assert_allclose(strip.residuals[k], expected, atol=1e-7)
        if a.landmarks is not None:
            np.testing.assert_allclose(strip.landmarks[k], a.landmarks, atol=1e-10)


@pytest.mark.parametrize("method", ["kmeans", "icd"])
def test_without_the_matrix_errors_come_from_sampled_rows(method, monkeypatch):
    exact = matrices.outcome(SCENE, method, 6, options_of(method))
    monkeypatch.setattr(memory, "HELD_ROWS", 50)
    assert matrices.kernel_matrix(SCENE) is None and not matrices.is_exact(SCENE)
    other = Scene(DATA, SCENE.kernel, 6, 1.0)
    outcome = matrices.outcome(other, method, 6, options_of(method))
    assert isinstance(outcome.errors, SampledErrors) and not isinstance(exact.errors, SampledErrors)
    a = nv.approximate(DATA.X, SCENE.kernel, method, 6, 6)
    # 60 rows are fewer than the sample: the estimate is the error itself.
    true = nv.errors(DATA.X, SCENE.kernel, a)
    assert outcome.errors.relative_frobenius == pytest.approx(true.relative_frobenius, rel=1e-6)
    low, high = outcome.errors.interval
    assert low <= true.relative_frobenius * (1 + 1e-9) and true.relative_frobenius <= high * (1 + 1e-9)
    strip, _ = strip_of(other, method)
    k = strip.ms.index(6)
    assert strip.errors[k] == pytest.approx(true.relative_frobenius, rel=1e-6)


def test_at_large_n_the_strip_is_that_of_random_rows(monkeypatch):
    monkeypatch.setattr(matrices, "SAMPLED_FROM", 50)
    monkeypatch.setattr(matrices, "SAMPLE_ROWS", 40)
    monkeypatch.setattr(matrices, "MAP_POINTS", 15)
    rows, part = matrices.sampled(SCENE)
    np.testing.assert_array_equal(part.data.X, DATA.X[rows])
    for method in ("kmeans", "rpcholesky", "rff"):
        strip, shown = strip_of(SCENE, method)
        assert strip.sampled == 40 and strip.ms[-1] <= 40
        assert set(shown.rows) <= set(rows)
        a = nv.approximate(part.data.X, SCENE.kernel, method, strip.ms[-2], 5, **dict(options_of(method)))
        among = np.searchsorted(rows, shown.rows)
        expected = matrices.point_errors(part, a, among).values
        np.testing.assert_allclose(strip.residuals[-2], expected, atol=1e-7)
        assert strip.errors[-2] == pytest.approx(
            nv.errors(part.data.X, SCENE.kernel, a).relative_frobenius, rel=1e-6, abs=1e-7
        )
    assert set(matrices.order(SCENE, "label")) == set(rows)


def test_what_looks_at_all_of_the_matrix_is_offered_for_few_rows_only(monkeypatch):
    assert matrices.offered(SCENE) == (list(nv.METHODS), [])
    monkeypatch.setattr(matrices, "MATRIX_ROWS", 59)
    monkeypatch.setattr(memory, "HELD_ROWS", 59)
    holding = {"svd", "leverage", "adaptive_full", "dpp_exact", "arp", "osinsky"}
    assert set(matrices.offered(SCENE)[1]) == holding
    monkeypatch.setattr(matrices, "READ_ROWS", 59)
    reading = {"column_norm", "greedy", "partition_greedy", "sketch"}
    assert set(matrices.offered(SCENE)[1]) == holding | reading
