import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import pairwise

import nysviz as nv
from nysviz.kernels import base, matrix
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import blocks
from tests import naive

POINTS = {
    nv.Gaussian: lambda k: lambda x, y: naive.gaussian(x, y, k.sigma),
    nv.Laplacian: lambda k: lambda x, y: naive.laplacian(x, y, k.sigma),
    nv.Matern: lambda k: lambda x, y: naive.matern(x, y, k.nu, k.sigma),
    nv.RationalQuadratic: lambda k: lambda x, y: naive.rational_quadratic(x, y, k.alpha, k.sigma),
    nv.InverseDistance: lambda k: lambda x, y: naive.inverse_distance(x, y, k.sigma, k.epsilon),
    nv.Polynomial: lambda k: lambda x, y: naive.polynomial(x, y, k.degree, k.epsilon),
    nv.Linear: lambda k: naive.inner_product,
    nv.Sigmoid: lambda k: lambda x, y: math.tanh(k.gamma * naive.inner_product(x, y) + k.c),
    nv.Cosine: lambda k: naive.cosine,
    nv.ChiSquared: lambda k: lambda x, y: naive.chi_squared(x, y, k.gamma),
    base.Sum: lambda k: lambda x, y: twin(k.first)(x, y) + twin(k.second)(x, y),
    base.Product: lambda k: lambda x, y: twin(k.first)(x, y) * twin(k.second)(x, y),
    base.Scaled: lambda k: lambda x, y: k.scale * twin(k.kernel)(x, y),
    base.Custom: lambda k: lambda x, y: 1.0 + naive.inner_product(x, y) ** 2,
}
RADIAL = [
    nv.Gaussian(1.3),
    nv.Laplacian(2.0),
    *(nv.Matern(nu, 1.4) for nu in (0.5, 1.5, 2.5)),
    *(nv.RationalQuadratic(alpha, 0.9) for alpha in (0.4, 1.0, 50.0)),
    nv.InverseDistance(1.5, 0.3),
]
FAMILIES = [nv.Gaussian, nv.Laplacian, nv.Matern, nv.RationalQuadratic, nv.InverseDistance]
EVERY = [
    *RADIAL,
    nv.Polynomial(3, 0.5),
    nv.Linear(),
    nv.Cosine(),
    nv.ChiSquared(0.7),
    nv.Sigmoid(0.3, -0.2),
    nv.Gaussian(1.3) + nv.Polynomial(2, 0.5) * nv.Laplacian(2.0),
    2.5 * nv.Matern(1.5, 1.4),
    base.as_kernel(lambda X, Y: 1.0 + np.einsum("ik,jk", X, Y) ** 2),
]


def twin(kernel):
    """The naive k(x, y) of a kernel."""
    return POINTS[type(kernel)](kernel)


def data(n=40, d=5, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def rows_for(kernel, n=40, d=5, seed=0):
    """Data of which some are 0, without negative values for the kernel that takes none."""
    X = data(n, d, seed)
    if isinstance(kernel, nv.ChiSquared):
        X = np.maximum(X, 0.0)
    X[0], X[1, 0] = 0.0, 0.0
    return X


def relative_difference(K, reference):
    """Largest difference, as a part of the largest entry."""
    return np.abs(K - reference).max() / np.abs(reference).max()


@pytest.mark.parametrize("kernel", EVERY)
class TestEveryKernel:
    def test_matrices(self, kernel):
        X, Y = rows_for(kernel), rows_for(kernel, 17, seed=1)
        K = kernel(X)
        assert relative_difference(K, naive.kernel_matrix(twin(kernel), X)) < 1e-12
        assert np.array_equal(K, K.T)
        assert np.array_equal(np.diag(K), kernel.diag(X))
        assert np.array_equal(kernel(X, X), K)
        K = kernel(rows_for(kernel, 60, 2))
        # Of the sigmoid alone they are negative here.
        assert (np.linalg.eigvalsh(K)[0] > -1e-13 * K.trace()) == (not isinstance(kernel, nv.Sigmoid))
        reference = naive.kernel_matrix(twin(kernel), X, Y)
        assert relative_difference(kernel(X, Y), reference) < 1e-12
        assert relative_difference(kernel.against(Y)(X[3:9]), reference[3:9]) < 1e-12

    def test_blocks_of_the_matrix_fit_together(self, kernel, monkeypatch):
        X, Y = rows_for(kernel, 50), rows_for(kernel, 23, seed=1)
        symmetric, rectangular = kernel(X), kernel(X, Y)
        monkeypatch.setattr(base, "SMALL_ENTRIES", 0)
        monkeypatch.setattr(base, "MIN_ROWS", 7)
        monkeypatch.setattr(base, "rows_per_block", lambda n, columns: 7)
        K = kernel(X)
        assert relative_difference(K, symmetric) < 1e-14
        assert np.array_equal(K, K.T)
        assert np.array_equal(np.diag(K), kernel.diag(X))
        assert relative_difference(kernel(X, Y), rectangular) < 1e-14

    def test_no_dependence_on_the_threads(self, kernel, monkeypatch):
        X, Y, right = rows_for(kernel, 600, 7), rows_for(kernel, 300, 7, seed=1), data(600, 2)
        monkeypatch.setattr(matrix, "whole_rows_per_block", lambda n: 40)

        def found():
            return kernel(X), kernel(X, Y), KernelMatrix(X, kernel).times_by_half(right)

        many, in_a_worker = found(), blocks.pool().submit(found).result()
        monkeypatch.setattr(blocks, "cores", lambda: 1)
        for one in (in_a_worker, found()):
            assert all(map(np.array_equal, many, one))
        assert relative_difference(many[2], many[0] @ right) < 1e-12
        assert relative_difference(KernelMatrix(X, kernel).times(right), many[2]) < 1e-12


NEAR = data(30, 20)
FAR = data(15, 40) + 1e6
FAR[1], FAR[2] = FAR[0], FAR[0] + 1e-7


@pytest.mark.parametrize("kernel", RADIAL)
@pytest.mark.parametrize(
    "X, Y",
    [
        (NEAR, NEAR + 1e-5 * data(30, 20, 1)),
        (NEAR, NEAR + 1e-9 * data(30, 20, 1)),
        (FAR, data(10, 40, 1) + 1e6),
    ],
    ids=["1e-5 apart", "1e-9 apart", "far from the origin"],
)
def test_close_points_and_far_ones(kernel, X, Y):
    """The subtraction of two rows is exact to the last digit; the product of two long ones is not."""
    both = np.vstack([X, Y, X])
    for K, rows, columns in ((kernel(X, Y), X, Y), (kernel(both), both, both)):
        assert relative_difference(K, naive.kernel_matrix(twin(kernel), rows, columns)) < 1e-12


@pytest.mark.parametrize(
    "kernel, peer",
    [
        (nv.Sigmoid(0.3, -0.2), lambda X, Y: pairwise.sigmoid_kernel(X, Y, gamma=0.3, coef0=-0.2)),
        (nv.Cosine(), pairwise.cosine_similarity),
        (nv.ChiSquared(0.7), lambda X, Y: pairwise.chi2_kernel(X, Y, gamma=0.7)),
    ],
)
def test_kernels_that_scikit_learn_has_as_well(kernel, peer):
    X, Y = rows_for(kernel), rows_for(kernel, 17, seed=1)
    np.testing.assert_allclose(kernel(X, Y), peer(X, Y), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel(X), peer(X, X), rtol=1e-12, atol=1e-15)
    a = nv.approximate(X, kernel, "uniform", 20)
    assert a.is_indefinite == (not kernel.is_psd) == isinstance(kernel, nv.Sigmoid)
    assert nv.errors(X, kernel, a).relative_frobenius == pytest.approx(
        np.linalg.norm(peer(X, X) - a.factor @ a.factor.T) / np.linalg.norm(peer(X, X))
    )
    again = nv.NystroemFeatures(kernel, landmarks=X[:9]).fit(X).transform(Y)
    expected = peer(Y, X[:9]) @ np.linalg.pinv(peer(X[:9], X[:9]), 1e-12) @ peer(X[:9], Y)
    if kernel.is_psd:
        np.testing.assert_allclose(again @ again.T, expected, atol=1e-10)


@pytest.mark.parametrize("size", [1e-170, 1e-30, 1e140])
def test_the_cosine_does_not_depend_on_the_lengths(size):
    X = rows_for(nv.Cosine())
    lengths = np.where(np.arange(40) % 2, size, 1.0)[:, None]
    np.testing.assert_allclose(nv.Cosine()(X * lengths, X), nv.Cosine()(X), atol=1e-15)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("sigma", [1e-150, 1e-9, 1e-7])
def test_a_row_is_as_near_to_itself_as_can_be_at_the_smallest_bandwidths(family, sigma):
    """Also where a row alone meets all rows, as the pivoting methods ask."""
    kernel, X = family(sigma=sigma), data(60, 4) + 5.0
    K = naive.kernel_matrix(twin(kernel), X)
    for i in range(len(X)):
        assert relative_difference(kernel(X[i : i + 1], X), K[i : i + 1]) < 1e-12
        assert relative_difference(kernel(X, X[i : i + 1]), K[:, i : i + 1]) < 1e-12


@pytest.mark.parametrize("radial", RADIAL, ids=repr)
@pytest.mark.parametrize("d", [300, 2_000, 5_000, 20_000, 100_000])
def test_equal_rows_of_many_columns_are_equal_to_the_kernel(radial, d):
    """The rounding of an inner product grows with the number of columns, which no bandwidth may show."""
    X = data(12, d) + 5.0
    for sigma in (1e-12, 1e-9, 1e-7, 1e-5, 1e-3):
        kernel = type(radial)(**{**vars(radial), "sigma": sigma})
        np.testing.assert_allclose(kernel(X, X.copy()).diagonal(), kernel.diag(X), rtol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [4, 300])
def test_extreme_bandwidths(family, n):
    X = 1e5 * data(n, 3)
    for sigma in (1e-150, 1e-100, np.float64(1e-30), 1e-3):
        assert np.allclose(family(sigma=sigma)(X), np.eye(n), rtol=0, atol=1e-6)
    for sigma in (1e20, 1e300):
        assert np.allclose(family(sigma=sigma)(X), np.ones((n, n)), rtol=0, atol=1e-12)
    for sigma in (1e-300, np.float64(1e-300)):
        with pytest.raises(ValueError, match=r"^sigma = 1e-300 is so small that 1/sigma² overflows"):
            family(sigma=sigma)


def test_four_conventions_of_one_bandwidth():
    x, y = np.array([[1.0, 2.0]]), np.array([[0.5, 4.0]])
    square, of = 0.25 + 4.0, nv.Gaussian
    for kernel in (of(1.7), of.from_width(2 * 1.7**2), of.from_gamma(0.5 / 1.7**2)):
        assert kernel.sigma == pytest.approx(1.7, rel=1e-15)
        value = kernel(x, y)[0, 0]
        assert value == pytest.approx(math.exp(-square / kernel.width), rel=1e-14)
        assert value == pytest.approx(math.exp(-square * kernel.gamma), rel=1e-14)
        assert value == pytest.approx(math.exp(-square * kernel.inverse_square / 2), rel=1e-14)


def test_default_width_is_the_mean_squared_distance_to_the_mean():
    X = data(50, 4) + 3
    expected = np.mean([naive.squared_distance(x, X.mean(axis=0)) for x in X])
    assert nv.default_width(X) == pytest.approx(expected, rel=1e-14)
    assert nv.default_width(np.ones((5, 2))) == 0
    # The mean of these is not 0.1: rounding adds up.
    assert nv.default_width(np.full((1000, 3), 0.1)) == 0


@pytest.mark.parametrize("kernel, kind", [(nv.Polynomial(3, 0.5), np.uint8), (nv.Linear(), np.float32)])
def test_the_diagonal_is_converted_as_the_matrix_is(kernel, kind):
    X = (20 * np.abs(data())).astype(kind)
    for rows in (X, X.tolist()):
        found = kernel.diag(rows)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, kernel(rows).diagonal())


@pytest.mark.parametrize("name, share", [("two_balls", 1e-3), ("digits", 200.0), ("far away", 30.0)])
def test_single_precision_errs_by_no_more_than_it_says(name, share):
    X = data(600, 5) + 1e3 if name == "far away" else nv.load(name).X[:600]
    kernel = nv.Gaussian.from_width(share * nv.default_width(X))
    rows, error = kernel.against_in_single(X)
    block = rows(X, 0)
    assert block.dtype == np.float32 and error >= np.finfo(np.float32).eps
    gap = np.linalg.norm(block - kernel(X), 2)
    # It is neither too small nor without any use.
    assert 1e-3 * error < gap <= 2 * math.sqrt(600) * error
    assert np.abs(block[:7, 5:] - rows(X[:7], 5)).max() < 10 * error


def test_single_precision_where_there_is_none():
    X = data()
    # Of the widest 1 - k(x, y) would have few digits.
    assert not any(nv.Gaussian(sigma).against_in_single(X) for sigma in (1e-6, 1e-150, 100.0))
    assert nv.Gaussian(1.0).against_in_single(np.ones((9, 2))) is None
    assert [kernel for kernel in EVERY if kernel.against_in_single(X)] == [nv.Gaussian(1.3)]
    K = KernelMatrix(X, nv.Laplacian(1.0))
    assert math.isinf(K.single_error)
    with pytest.raises(ValueError, match="not computed in single precision"):
        K.times_by_half(np.ones(len(X)), single=True)
    assert math.isinf(KernelMatrix(X, nv.Gaussian(1.0), dense=nv.Gaussian(1.0)(X)).single_error)
    assert math.isfinite(KernelMatrix(X, nv.Gaussian(1.0)).single_error)


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_the_slope_is_the_derivative_and_steepest_its_place(kernel):
    r, h = np.linspace(0.01, 6.0, 400), 1e-6
    values = kernel(np.zeros((1, 1)), np.concatenate([r - h, r + h])[:, None])[0]
    derivative = (values[: len(r)] - values[len(r) :]) / (2 * h)
    np.testing.assert_allclose(kernel.slope(r), derivative, rtol=1e-6, atol=1e-8)
    assert kernel.slope(np.array([kernel.steepest]))[0] >= kernel.slope(np.append(r, 0.0)).max() * (1 - 1e-12)


def test_sums_and_products_are_an_algebra():
    one, two, three = nv.Gaussian(1.3), nv.Matern(2.5, 2.0), nv.Polynomial(2, 0.5)
    X, Y = data(30), data(20, seed=1)
    np.testing.assert_array_equal((one + two)(X, Y), one(X, Y) + two(X, Y))
    np.testing.assert_array_equal((one * two)(X, Y), one(X, Y) * two(X, Y))
    np.testing.assert_allclose(((one + two) * three)(X, Y), (one * three + two * three)(X, Y), rtol=1e-14)
    assert one + two == one + two != two + one and len({one + two, one + two, one * two}) == 2
    found = eval(repr((one + two) * three), vars(nv) | vars(base))
    assert found == (one + two) * three
    # A product of Gaussians is the Gaussian of the sum of their 1/sigma².
    both = nv.Gaussian(3.0) * nv.Gaussian(4.0)
    np.testing.assert_allclose(both(X, Y), nv.Gaussian(12 / 5)(X, Y), rtol=1e-13)
    a = nv.approximate(X, both, "icd", 9)
    assert a.factor @ a.factor.T == pytest.approx(naive.nystroem_of_pivots(both(X), a.pivots), abs=1e-10)


def test_multiples_are_part_of_the_algebra():
    X, Y, kernel = data(30), data(20, seed=1), 2.0 * nv.Gaussian(1.3)
    assert kernel == nv.Gaussian(1.3) * 2 == np.float32(2) * nv.Gaussian(1.3) != nv.Gaussian(1.3)
    assert kernel.describe() == "2.00 × Gaussian, σ = 1.30" and kernel.is_psd
    np.testing.assert_allclose(kernel(X, Y), (nv.Gaussian(1.3) + nv.Gaussian(1.3))(X, Y), rtol=1e-15)
    mixed = 0.5 * (3 * kernel + nv.Polynomial(2, 0.5)) * kernel
    assert eval(repr(mixed), vars(nv) | vars(base)) == mixed
    plain, twice = (nv.approximate(X, of, "greedy", 9) for of in (nv.Gaussian(1.3), kernel))
    np.testing.assert_array_equal(plain.pivots, twice.pivots)
    one, two = (nv.errors(X, a.kernel, a) for a in (plain, twice))
    assert (two.trace, two.frobenius) == pytest.approx((2 * one.trace, 2 * one.frobenius))
    assert two.relative_trace == pytest.approx(one.relative_trace)
    for bad in (0, -1.0, math.nan, math.inf, "x", None):
        with pytest.raises(ValueError, match=r"^scale = .*; a finite number above 0 is needed\.$"):
            bad * nv.Gaussian(1.3)
    with pytest.raises(ValueError, match="no finite numbers on these data"):
        (1e300 * nv.Polynomial(2))(1e10 * X)


@pytest.mark.parametrize("method", ["kmeans", "rpcholesky", "svd"])
def test_an_own_function_gives_the_numbers_of_the_kernel_that_it_computes(method):
    X, kernel = data(60, 3), nv.Gaussian(1.3)

    def own(X, Y):
        return pairwise.rbf_kernel(X, Y, gamma=kernel.gamma)

    a, b = nv.approximate(X, own, method, 12), nv.approximate(X, kernel, method, 12)
    found, expected = nv.errors(X, own, a), nv.errors(X, kernel, b)
    assert found.relative_frobenius == pytest.approx(expected.relative_frobenius, rel=1e-9)
    assert found.trace == pytest.approx(expected.trace, rel=1e-9)
    np.testing.assert_allclose(nv.spectrum(X, own), nv.spectrum(X, kernel), atol=1e-12)
    curves = (nv.error_curve(X, each, method, [4, 12]) for each in (own, kernel))
    np.testing.assert_allclose(*curves, rtol=1e-9)
    features = [clone(nv.NystroemFeatures(each, method, 12, random_state=0)).fit(X) for each in (own, kernel)]
    Z, expected = (one.transform(data(9, 3, seed=1)) for one in features)
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-9)


@pytest.mark.parametrize("constant", [0.0, 7.3, -0.1, 1e12, 1e-12])
@pytest.mark.parametrize("n", [3, 50, 100_000])
def test_the_deviation_of_a_constant_column_is_no_width(constant, n):
    """It is 0 or some eps of the values: a new row that differs by more would have no features."""
    X = np.c_[np.arange(n, dtype=float), np.full(n, constant)]

    def ask():
        return nv.PerFeature(nv.Gaussian, X.std(axis=0)).against(X[:2])

    with pytest.raises(ValueError, match=r"^widths\[1\] = .* constant.* leave .* out.*[.]\Z"):
        ask()
    X[:, 1] += (1e-8 * abs(constant) or 1.0) * (np.arange(n) % 3)
    assert ask()(X[:2])[0, 0] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("radial", RADIAL, ids=repr)
def test_one_width_per_feature_is_the_kernel_of_scaled_rows(radial):
    X, Y, widths = data(30), data(20, seed=1), np.array([0.5, 2.0, 1.0, 30.0, 0.1])
    kernel = nv.PerFeature(type(radial), widths, **vars(radial))
    scaled = X / widths
    np.testing.assert_array_equal(kernel(X), radial(scaled))
    np.testing.assert_array_equal(kernel(X, Y), radial(scaled, Y / widths))
    np.testing.assert_array_equal(kernel.diag(X), radial.diag(X))
    assert eval(f"nv.{kernel!r}") == kernel == clone(kernel, safe=False)
    assert kernel != nv.PerFeature(type(radial), widths + 1.0, **vars(radial))
    assert len(str(nv.PerFeature(type(radial), [0.1] * 500))) < 150
    features = nv.NystroemFeatures(kernel, "kmeans", 8, landmarks=range(8)).fit(X)
    expected = nv.NystroemFeatures(radial, "kmeans", 8, landmarks=range(8)).fit(scaled)
    np.testing.assert_array_equal(features.transform(Y), expected.transform(Y / widths))
