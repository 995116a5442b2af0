import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import nysviz as nv
from nysviz.numerics import memory
from nysviz.numerics.factor_rows import FactorRows
from nysviz.nystroem.spectral_clusters import embed_factor, embed_matrix, group_rows
from tests import naive

RNG = np.random.default_rng(0)
CENTRES = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0], [7.0, 8.0]])
CLASSES = np.repeat(np.arange(4), (30, 20, 25, 15))
X = CENTRES[CLASSES] + RNG.standard_normal((90, 2))
KERNEL = nv.Gaussian(1.5)


@parametrize_with_checks(
    [
        nv.SpectralClusters(n_components=10, n_clusters=3),
        nv.SpectralClusters(nv.Gaussian(2.0), "rpcholesky", 20, 2),
    ]
)
def test_scikit_learn_accepts_them(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method, m", [("kmeans", 12), ("uniform", 30), ("rpcholesky", 90)])
def test_values_and_rows_are_those_of_the_definition(method, m):
    clusters = nv.SpectralClusters(KERNEL, method, m, 4, random_state=3).fit(X)
    G = nv.approximate(X, KERNEL, method, m, seed=3).factor
    values, rows = naive.spectral_embedding(G @ G.T, 4)
    np.testing.assert_allclose(clusters.eigenvalues_, values, atol=1e-10)
    # Eigenvectors are known up to a turn, products of their rows are not.
    own = clusters.embedding_
    np.testing.assert_allclose(own @ own.T, rows @ rows.T, atol=1e-7)
    np.testing.assert_allclose(clusters.degrees_, (G @ G.T).sum(axis=1), rtol=1e-10)
    assert clusters.notes_ == ()


def test_all_rows_as_landmarks_are_exact_spectral_clustering():
    K = KERNEL(X)
    exact = embed_matrix(K, 4)
    a = nv.approximate(X, KERNEL, "rpcholesky", len(X))
    own = embed_factor(a.in_blocks(1), 4)
    np.testing.assert_allclose(own.values, exact.values, atol=1e-9)
    assert subspace_angles(own.vectors, exact.vectors).max() < 1e-6
    np.testing.assert_allclose(exact.values, naive.spectral_embedding(K, 4)[0], atol=1e-12)
    peer = SpectralClustering(4, affinity="precomputed", random_state=0).fit(K)
    labels = nv.SpectralClusters(KERNEL, "rpcholesky", len(X), 4, random_state=0).fit_predict(X)
    assert adjusted_rand_score(peer.labels_, labels) == 1.0 == adjusted_rand_score(CLASSES, labels)


def test_a_kernel_matrix_takes_the_place_of_the_rows():
    K, settings = KERNEL(X), {"method": "rpcholesky", "n_components": 20, "n_clusters": 4, "random_state": 0}
    expected = nv.SpectralClusters(KERNEL, **settings).fit(X)
    own = nv.SpectralClusters("precomputed", **settings).fit(K)
    np.testing.assert_allclose(own.eigenvalues_, expected.eigenvalues_, atol=1e-9)
    np.testing.assert_array_equal(own.labels_, expected.labels_)


def test_sparse_rows_are_grouped_as_dense_ones():
    dense = np.abs(X) * (CLASSES[:, None] % 2 == [[0, 1]])
    dense[dense.sum(axis=1) == 0] = [1.0, 0.0]
    clusters = nv.SpectralClusters(nv.Linear(), "rpcholesky", 2, 2, random_state=0)
    labels = clone(clusters).fit_predict(sparse.csr_array(dense))
    np.testing.assert_array_equal(labels, clusters.fit_predict(dense))


def test_the_same_seed_gives_the_same_groups():
    def labels(state):
        return nv.SpectralClusters(KERNEL, "uniform", 15, 4, random_state=state).fit_predict(X)

    for state in (lambda: 5, lambda: np.random.RandomState(5), lambda: np.random.default_rng(5)):
        np.testing.assert_array_equal(labels(state()), labels(state()))


def test_a_factor_that_is_made_again_gives_the_same(monkeypatch):
    held = embed_factor(nv.approximate(X, KERNEL, "kmeans", 12).in_blocks(1), 4)
    monkeypatch.setattr(memory, "HELD_BYTES", 0)
    a = nv.approximate(X, KERNEL, "kmeans", 12)
    assert not a.is_held
    again = embed_factor(a.in_blocks(1), 4)
    np.testing.assert_allclose(again.values, held.values, atol=1e-12)
    assert subspace_angles(again.vectors, held.vectors).max() < 1e-6


def test_a_degree_that_is_not_positive_is_said_and_not_clipped():
    # Row 2 has the similarity -0.9 to the others; row 3 has none to any but itself.
    K = np.array([[1, 0.9, -0.9, 0], [0.9, 1, -0.9, 0], [-0.9, -0.9, 1, 0], [0, 0, 0, 1.0]])
    G = np.linalg.cholesky(K + 1e-9 * np.eye(4))
    for embedding in (embed_factor(FactorRows.of_array(G), 2), embed_matrix(G @ G.T, 2)):
        np.testing.assert_array_equal(embedding.is_connected, [True, True, False, True])
        assert embedding.degrees[2] == pytest.approx(-0.8, abs=1e-6) and not embedding.vectors[2].any()
        groups = group_rows(embedding, 2, 0)
        first, second, left_out, apart = groups.labels
        assert first == second != apart and left_out == -1
        assert groups.notes[0].startswith("1 of 4 rows in no group (label −1): their degree")


def test_a_kernel_without_positive_degrees_is_refused():
    with pytest.raises(ValueError, match="No row has a positive degree"):
        nv.SpectralClusters(nv.Linear(), "icd", 1, 2).fit([[1.0], [-1.0], [1.0], [-1.0]])


def test_what_falls_short_is_said():
    twins = np.repeat([[0.0, 0.0], [9.0, 9.0]], 5, axis=0)
    clusters = nv.SpectralClusters(KERNEL, "rpcholesky", 2, 3, random_state=0).fit(twins)
    assert set(clusters.labels_) == {0, 1}
    assert any("has rank 2: 3 groups" in note for note in clusters.notes_)
    assert any("2 distinct points" in note for note in clusters.notes_)
    # Far from all landmarks, the rows of K̃ have entries of both signs.
    scattered = np.random.default_rng(0).standard_normal((200, 3))
    found = nv.SpectralClusters(nv.Gaussian(0.4), "uniform", 60, 3, random_state=0).fit(scattered)
    assert (found.eigenvalues_[0] > 1 + 1e-6) == any("above 1" in note for note in found.notes_)


@pytest.mark.parametrize(
    "settings, match",
    [
        ({"n_clusters": 0}, "n_clusters = 0"),
        ({"n_clusters": 91}, "have 90 rows, too few for 91 groups"),
        ({"method": "kmean"}, "kmean"),
        ({"method": "rff"}, "no landmarks"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_refusals(settings, match):
    with pytest.raises(ValueError, match=match):
        nv.SpectralClusters(KERNEL, **settings).fit(X)
