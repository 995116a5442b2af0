"""Spectral clustering with landmarks: groups of rows from the leading eigenvectors of D^(-1/2) K̃ D^(-1/2).

Importing this module imports scikit-learn, which is slow; ``nysviz`` does so only when asked for it.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from nysviz.kernels import Kernel, KernelFunction
from nysviz.numerics.blocks import FloatArray, IntArray, all_blas_threads
from nysviz.numerics.counts import from_one
from nysviz.numerics.factor_rows import FactorRows
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.nystroem.features import NystroemFeatures, seed_of
from nysviz.refusal import Refusal
from nysviz.text import counted, of_all, three_digits

# A degree is a sum, right to this part of the product of lengths that bounds it: below that it is rounding.
DEGREE_ROUNDING = 1e-12
# Eigenvalues of the normalised matrix lie within [0, 1] unless K̃ has entries below 0; more is no rounding.
ABOVE_ONE = 1e-6
# Rows of the embedding, of length 1, are one point for k-means where all their digits up to here agree.
DIGITS = 8
STARTS = 10  # of k-means, of which the best one counts
NO_GROUP = -1


@dataclass(frozen=True, eq=False)
class SpectralEmbedding:
    """Leading eigenpairs of the normalised matrix D^(-1/2) K D^(-1/2), D the diagonal of K 1.

    Attributes
    ----------
    values : (k,) array
        Descending. 1 is the largest where no entry of K is below 0, once for each part that is connected.
    vectors : (n, k) array
        Orthonormal.
    degrees : (n,) array
        K 1. A row whose degree is not positive is left out of the matrix, and 0 in all vectors.
    is_connected : (n,) array of bool
        The rows that have a positive degree.
    """

    values: FloatArray
    vectors: FloatArray
    degrees: FloatArray
    is_connected: np.ndarray[Any, np.dtype[np.bool_]]

    def rows(self, k: int) -> FloatArray:
        """Return the rows of the first k eigenvectors, scaled to length 1, (n, k); a row of zeros stays."""
        rows = self.vectors[:, :k]
        lengths = np.linalg.norm(rows, axis=1)
        return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def embed_factor(factor: FactorRows, k: int) -> SpectralEmbedding:
    """Return the k leading eigenpairs of the normalised K̃ = G Gᵀ, fewer where its rank is smaller; O(n r²).

    From HᵀH, H = D^(-1/2) G (Fowlkes, Belongie, Chung & Malik 2004), in blocks of rows of G (n, r).
    Refusal where no degree is positive.
    """
    n = factor.shape[0]
    total = factor.transposed_times(np.ones(n))
    degrees, limits = factor.times(total), np.sqrt(factor.diagonal) * np.linalg.norm(total)
    is_connected = _connected(degrees, limits)

    def normalised(X: FloatArray) -> FloatArray:
        G = factor.features(X)
        part = G @ total
        positive = _positive(part, np.linalg.norm(G, axis=1) * np.linalg.norm(total))
        return G * np.where(positive, 1.0 / np.sqrt(np.where(positive, part, 1.0)), 0.0)[:, None]

    H = FactorRows(factor.X, normalised, factor.shape[1], 1)
    H.block_rows = factor.block_rows
    values, turn = H.eigenturn(min(k, *factor.shape))
    return SpectralEmbedding(values, H.times(turn), degrees, is_connected)


def embed_matrix(K: FloatArray, k: int) -> SpectralEmbedding:
    """Return the k leading eigenpairs of the normalised K (n, n), by LAPACK; O(n³), and a copy of K."""
    degrees = K.sum(axis=1)
    # Of a row that is nearly 0 in sum, entries of both signs have cancelled.
    is_connected = _connected(degrees, np.sqrt(len(K)) * np.linalg.norm(K, axis=1))
    scale = np.where(is_connected, 1.0 / np.sqrt(np.where(is_connected, degrees, 1.0)), 0.0)
    normalised = K * scale
    normalised *= scale[:, None]
    with all_blas_threads():
        values, vectors = eigh(normalised, largest=min(k, len(K)), overwrite=True)
    return SpectralEmbedding(values[::-1], vectors[:, ::-1], degrees, is_connected)


def _positive(degrees: FloatArray, limits: FloatArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return degrees > DEGREE_ROUNDING * limits


def _connected(degrees: FloatArray, limits: FloatArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    is_connected = _positive(degrees, limits)
    if not is_connected.any():
        raise Refusal(
            "No row has a positive degree, the sum of its similarities to all rows, so that there are no "
            "groups; choose a kernel without negative values, such as the Gaussian."
        )
    return is_connected


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows by spectral clustering, (n,): from 0, and -1 for a row of no group; what fell short."""

    labels: IntArray
    notes: tuple[str, ...]


def group_rows(embedding: SpectralEmbedding, n_clusters: int, seed: int) -> Groups:
    """Group the rows of the embedding, each of length 1, by scikit-learn's k-means.

    Refusal for more groups than rows that have a positive degree.
    """
    n, connected = len(embedding.degrees), embedding.is_connected
    count = int(connected.sum())
    if n_clusters > count:
        kind = " of a positive degree" if count < n else ""
        raise Refusal(f"The data have {counted(count, 'row')}{kind}, too few for {n_clusters} groups.")
    points = embedding.rows(n_clusters)[connected]
    # k-means warns where there are fewer points than groups.
    groups = min(n_clusters, len(np.unique(points.round(DIGITS) + 0.0, axis=0)))
    labels = np.full(n, NO_GROUP, dtype=np.intp)
    # OpenMP's threads wait by spinning: on a busy machine two of them take ten times as long as one.
    with threadpool_limits(1, user_api="openmp"):
        labels[connected] = KMeans(groups, n_init=STARTS, random_state=seed % 2**32).fit(points).labels_
    return Groups(labels, tuple(_shortfalls(embedding, n_clusters, groups)))


def _shortfalls(embedding: SpectralEmbedding, n_clusters: int, groups: int) -> list[str]:
    n, left_out = len(embedding.degrees), int((~embedding.is_connected).sum())
    notes = []
    if left_out:
        notes.append(
            f"{of_all(left_out, n, 'row')} in no group (label −1): their degree, the sum of their "
            "similarities to all rows, is not positive."
        )
    if embedding.values[0] > 1.0 + ABOVE_ONE:
        notes.append(
            f"The largest eigenvalue is {three_digits(float(embedding.values[0]))}, above 1: similarities "
            "below 0 make some degrees too small, and a group may be a few rows. More landmarks or a larger "
            "bandwidth help."
        )
    if (rank := len(embedding.values)) < n_clusters:
        notes.append(f"The matrix has rank {rank}: {n_clusters} groups are told apart by fewer eigenvectors.")
    if groups < n_clusters:
        points = counted(groups, "distinct point")
        notes.append(f"The rows fall into {points}, and that many groups are made.")
    return notes


class SpectralClusters(
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Spectral clustering of any number of rows, from the landmarks of any method of nysviz.

    The similarities are those of the approximation K̃ = G Gᵀ. With degrees d = K̃ 1 the rows of the leading
    eigenvectors of D^(-1/2) K̃ D^(-1/2), each scaled to length 1, are grouped by k-means. O(n m²), and no
    n × n matrix.

    Parameters
    ----------
    kernel : Kernel, callable or "precomputed", optional
        A kernel of nysviz, a function k(X, Y), or "precomputed" where the kernel matrix (n, n) takes the
        place of X. The Gaussian of the data's default width when not given.
    method : str, default="kmeans"
        An id of ``nysviz.METHODS``.
    n_components : int, default=100
        Number of landmarks m; the number of rows where those are fewer.
    n_clusters : int, default=8
    options : dict, optional
        The method's own settings, see ``METHODS[method].options``.
    random_state : int, RandomState, Generator or None, default=None
        Of the landmarks, and of k-means.

    Attributes
    ----------
    labels_ : (n,) int array
        The groups, from 0. A row whose degree is not positive, as similarities below 0 can make it, is in no
        group: its label is -1, and ``notes_`` says so.
    eigenvalues_ : (k,) array
        The leading eigenvalues of the normalised matrix, descending; k is ``n_clusters``, or the rank of K̃
        where that is smaller.
    embedding_ : (n, k) array
        The rows that k-means groups: of length 1, and 0 where the label is -1.
    degrees_ : (n,) array
    notes_ : tuple of str
        What fell short and why, in sentences.
    n_features_in_ : int
    feature_names_in_ : (d,) array
        Where the data had names.

    See Also
    --------
    sklearn.cluster.SpectralClustering : From all n² similarities.

    References
    ----------
    C. Fowlkes, S. Belongie, F. Chung, J. Malik. Spectral grouping using the Nyström method. PAMI 2004.
    A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from nysviz import Gaussian, SpectralClusters
    >>> X = np.random.default_rng(0).standard_normal((60, 2)) + np.repeat(
    ...     [[0, 0], [9, 0], [0, 9]], 20, axis=0
    ... )
    >>> clusters = SpectralClusters(Gaussian(2.0), n_components=12, n_clusters=3, random_state=0)
    >>> np.bincount(clusters.fit_predict(X)).tolist()
    [20, 20, 20]
    """

    labels_: IntArray
    eigenvalues_: FloatArray
    embedding_: FloatArray
    degrees_: FloatArray
    notes_: tuple[str, ...]

    def __init__(
        self,
        kernel: Kernel | KernelFunction | str | None = None,
        method: str = "kmeans",
        n_components: int = 100,
        n_clusters: int = 8,
        *,
        options: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.method = method
        self.n_components = n_components
        self.n_clusters = n_clusters
        self.options = options
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Group the rows.

        Parameters
        ----------
        X : (n, d) array
            Finite numbers; for the linear kernel also sparse rows (scipy.sparse).
        y : ignored

        Raises
        ------
        ValueError
            Unknown method or option, a number of components or clusters below 1, more clusters than rows, no
            row with a positive degree.
        """
        n_clusters, seed = from_one("n_clusters", self.n_clusters), seed_of(self.random_state)
        features = self._features().set_params(random_state=seed)
        G = features.fit_transform(X).astype(np.float64, copy=False)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(features, name):
                setattr(self, name, getattr(features, name))
        embedding = embed_factor(FactorRows.of_array(G), n_clusters)
        groups = group_rows(embedding, n_clusters, seed)
        self.labels_, self.notes_ = groups.labels, (*features.notes_, *groups.notes)
        self.eigenvalues_, self.embedding_ = embedding.values, embedding.rows(n_clusters)
        self.degrees_ = embedding.degrees
        return self

    def _features(self) -> NystroemFeatures:
        return NystroemFeatures(self.kernel, self.method, self.n_components, options=self.options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = self._features().__sklearn_tags__().input_tags
        return tags
