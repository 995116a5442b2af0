import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

import nysviz as nv

RNG = np.random.default_rng(0)
X, NEW = RNG.standard_normal((70, 3)), RNG.standard_normal((31, 3))
KERNEL = nv.Gaussian(1.3)
SIGMA = KERNEL.sigma


@parametrize_with_checks(
    [
        nv.NystroemFeatures(n_components=10),
        nv.NystroemFeatures(nv.Linear(), "icd", 3),
        nv.NystroemFeatures("precomputed", "icd", 3),
        nv.FourierFeatures(sigma=2.0, n_frequencies=7, orthogonal=True, weighted=True),
    ],
    # These give matrices with negative eigenvalues for kernel matrices.
    expected_failed_checks=lambda estimator: (
        dict.fromkeys(["check_positive_only_tag_during_fit", "check_estimators_dtypes"], "no kernel matrix")
        if getattr(estimator, "kernel", None) == "precomputed"
        else {}
    ),
)
def test_scikit_learn_accepts_them(estimator, check):
    check(estimator)


DATA_INDEPENDENT = [name for name, entry in nv.METHODS.items() if not entry.data_dependent]


@pytest.mark.parametrize("method", ["uniform", "column_norm", "kmeans", "rpcholesky", "ensemble", "svd"])
def test_features_are_those_of_approximate(method):
    features = nv.NystroemFeatures(KERNEL, method, 8, random_state=3).fit(X)
    a = nv.approximate(X, KERNEL, method, 8, seed=3)
    np.testing.assert_allclose(features.transform(X), a.factor, atol=1e-8)
    np.testing.assert_allclose(clone(features).fit_transform(X), a.factor, atol=1e-8)
    np.testing.assert_array_equal(features.transform(NEW), a.transform(NEW))
    assert features.kernel_evaluations_ == a.kernel_evaluations
    assert (features.component_indices_ is None) == (a.pivots is None)


@pytest.mark.parametrize("method", DATA_INDEPENDENT)
def test_fourier_features_are_those_of_approximate(method):
    fourier = nv.FourierFeatures(SIGMA, 8, orthogonal=method == "orf", random_state=3).fit(X)
    a = nv.approximate(X, KERNEL, method, 8, seed=3)
    np.testing.assert_array_equal(fourier.frequencies_, a.frequencies)
    np.testing.assert_array_equal(fourier.transform(X), a.factor)
    np.testing.assert_array_equal(fourier.transform(NEW), a.transform(NEW))
    with pytest.raises(ValueError, match="use FourierFeatures"):
        nv.NystroemFeatures(KERNEL, method, 8).fit(X).transform(X)


@pytest.mark.parametrize("kind, landmarks", [(sparse.csr_array, None), (sparse.coo_matrix, [3, 1, 8])])
def test_sparse_rows_of_the_linear_kernel_have_the_features_of_dense_ones(kind, landmarks):
    dense, new = np.where(X > 0.3, X, 0.0), np.where(NEW > 0.3, NEW, 0.0)
    features = nv.NystroemFeatures(nv.Linear(), "rpcholesky", 3, landmarks=landmarks, random_state=0)
    expected = clone(features).fit(dense)
    np.testing.assert_allclose(features.fit_transform(kind(dense)), expected.transform(dense), atol=1e-12)
    np.testing.assert_allclose(features.transform(kind(new)), expected.transform(new), atol=1e-12)
    np.testing.assert_allclose(features.transform(new), expected.transform(new), atol=1e-12)
    assert sparse.issparse(features.components_)
    with pytest.raises(TypeError, match="dense data is required"):
        nv.NystroemFeatures(KERNEL, "rpcholesky", 3).fit(kind(dense))


@pytest.mark.parametrize("method", ["kmeans", "icd", "svd", "diagonal"])
def test_notes_say_what_fell_short(method):
    features = nv.NystroemFeatures(KERNEL, method, 100, random_state=0)
    of_few = clone(features).fit(X[:20])
    assert of_few.notes_[0] == "The data have 20 rows: 20 landmarks are taken, not n_components = 100."
    assert of_few.notes_[1:] == nv.approximate(X[:20], KERNEL, method, 20, 0).notes
    enough = clone(features).set_params(n_components=20).fit(X[:20])
    assert enough.notes_ == of_few.notes_[1:] and len(of_few.components_) == 20


@pytest.mark.parametrize("landmarks", [None, [3, 1, 8]])
@pytest.mark.parametrize("kernel", [KERNEL, nv.Linear(), "precomputed"])
def test_single_precision_only_rounds(kernel, landmarks):
    single = (KERNEL(X) if kernel == "precomputed" else X).astype(np.float32)
    features = nv.NystroemFeatures(kernel, "rpcholesky", 3, landmarks=landmarks, random_state=0)
    expected = clone(features).fit_transform(single.astype(np.float64))
    assert expected.dtype == np.float64
    for rows in (single, sparse.csr_array(single)) if kernel == nv.Linear() else (single,):
        for found in (clone(features).fit_transform(rows), features.fit(rows).transform(rows)):
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_pre_images_are_nearer_to_the_clean_digits_than_the_noisy_ones():
    data = nv.load("digits").X
    kernel = nv.Gaussian.from_width(nv.default_width(data))
    clean, noisy = data[1000:1400], data[1000:1400] + np.random.default_rng(0).normal(0, 4, (400, 64))
    options = {"random_state": 0, "fit_inverse_transform": True, "alpha": 1e-3}
    features = nv.NystroemFeatures(kernel, "kmeans", 200, **options)
    found = features.fit(data[:1000]).inverse_transform(features.transform(noisy))
    assert np.linalg.norm(found - clean) < 0.75 * np.linalg.norm(noisy - clean)
    Z = features.transform(data[:1000])
    expected = Ridge(1e-3).fit(Z, data[:1000]).predict(features.transform(noisy))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="fit_inverse_transform=True"):
        nv.NystroemFeatures(kernel, "kmeans", 20).fit(data).inverse_transform(Z)


def test_nystroem_equals_scikit_learn():
    peer = Nystroem(gamma=KERNEL.gamma, n_components=12, random_state=0).fit(X)
    rows = peer.component_indices_[:12]
    for landmarks in (rows, peer.components_, list(map(int, rows))):
        own = nv.NystroemFeatures(KERNEL, landmarks=landmarks).fit(X)
        for left in (X, NEW):
            found, expected = (of.transform(left) @ of.transform(NEW).T for of in (own, peer))
            np.testing.assert_allclose(found, expected, atol=1e-10)
    assert list(nv.NystroemFeatures(KERNEL, landmarks=rows).fit(X).component_indices_) == list(rows)


@pytest.mark.parametrize("make", [nv.NystroemFeatures, nv.FourierFeatures])
def test_random_states(make):
    def fitted(state):
        features = make(random_state=state)
        key = "n_components" if make is nv.NystroemFeatures else "n_frequencies"
        return features.set_params(**{key: 5}).fit(X).transform(NEW)

    for state in (lambda: 3, lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)):
        np.testing.assert_array_equal(fitted(state()), fitted(state()))
    shared = np.random.RandomState(3)
    assert not np.array_equal(fitted(shared), fitted(shared))
    assert not np.array_equal(fitted(None), fitted(None))


def test_the_default_kernel_has_the_default_width():
    features = nv.NystroemFeatures(n_components=5).fit(X)
    assert features.kernel_ == nv.Gaussian.from_width(nv.default_width(X))
    assert features.kernel is None
    np.testing.assert_allclose(nv.FourierFeatures().fit(X).sigma_ ** 2, nv.default_width(X) / 2)
    for equal in (np.ones((4, 2)), np.full((1000, 3), 0.1)):
        assert nv.NystroemFeatures(n_components=2).fit(equal).kernel_ == nv.Gaussian(1.0)


def test_fourier_equals_scikit_learn():
    """A pair of sine and cosine is a cosine with the offsets −π/2 and 0."""
    fourier = nv.FourierFeatures(SIGMA, 40, random_state=0).fit(X)
    peer = RBFSampler(gamma=KERNEL.gamma, n_components=80, random_state=0).fit(X)
    peer.random_weights_ = np.hstack([fourier.frequencies_.T, fourier.frequencies_.T])
    peer.random_offset_ = np.repeat([-np.pi / 2, 0.0], 40)
    np.testing.assert_allclose(fourier.transform(NEW), peer.transform(NEW), atol=1e-12)


def test_orthogonal_frequencies_have_the_smaller_variance():
    rows = np.random.default_rng(1).standard_normal((12, 8))
    kernel = nv.Gaussian(4.0)
    errors = {False: [], True: []}
    for orthogonal, found in errors.items():
        for s in range(60):
            Z = nv.FourierFeatures(4.0, 32, orthogonal=orthogonal, random_state=s).fit_transform(rows)
            found.append(((Z @ Z.T - kernel(rows)) ** 2).mean())
    assert np.mean(errors[True]) < 0.5 * np.mean(errors[False])


def test_weighted_features_make_the_machine_of_proposition_one():
    """A plain penalty on the scaled features is wᵀ(w∘γ), γ = exp(σ²‖u‖²/2), on the plain ones."""
    y = np.cos(X).sum(axis=1)
    penalty, settings = 0.3, {"sigma": SIGMA, "n_frequencies": 15, "random_state": 0}
    plain = nv.FourierFeatures(**settings).fit(X)
    scaled = nv.FourierFeatures(**settings, weighted=True).fit(X)
    np.testing.assert_array_equal(plain.frequencies_, scaled.frequencies_)
    gamma = np.tile(np.exp(SIGMA**2 * (plain.frequencies_**2).sum(axis=1) / 2), 2)
    Z, V = plain.transform(X), scaled.transform(X)
    w = np.linalg.solve(Z.T @ Z + penalty * np.diag(gamma), Z.T @ y)
    v = np.linalg.solve(V.T @ V + penalty * np.eye(30), V.T @ y)
    np.testing.assert_allclose(plain.transform(NEW) @ w, scaled.transform(NEW) @ v, atol=1e-9)
