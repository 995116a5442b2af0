"""Feature maps as scikit-learn transformers: from landmarks, and from random frequencies.

Importing this module imports scikit-learn, which is slow; ``nysviz`` itself does so only when asked for them.
"""

from __future__ import annotations

import secrets
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.kernels import Gaussian, Kernel, default_width
from nysviz.landmarks.nystroem import projection_of
from nysviz.lowrank import nystroem_features


class NystroemFeatures(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Nyström features z(x) with z(x)ᵀ z(y) ≈ k(x, y), from the landmarks of any method of nysviz.

    Parameters
    ----------
    kernel : Kernel, optional
        A kernel of nysviz; the Gaussian of the data's default width when not given.
    method : str, default="kmeans"
        An id of ``nysviz.METHODS``.
    n_components : int, default=100
        Number of landmarks m; the number of rows where those are fewer. ``ensemble`` takes m for each expert.
    landmarks : (m, d) array or (m,) int array, optional
        Own landmarks, as points or as row numbers of the data given to ``fit``; ``method``, ``n_components``,
        ``options`` and ``random_state`` then have no effect.
    options : dict, optional
        The method's own settings, see ``METHODS[method].options``.
    random_state : int, RandomState, Generator or None, default=None
        An int gives the landmarks of ``nysviz.approximate`` with that seed.

    Attributes
    ----------
    components_ : (m, d) array
        The landmarks; all rows for ``svd``.
    component_indices_ : (m,) int array or None
        Their row numbers, where they are rows of the data.
    normalization_ : (m, r) array
        P with z(x) = Pᵀ k(components_, x). The rank r is below m where landmarks repeat or nearly so.
    kernel_ : Kernel
    kernel_evaluations_ : int
        Entries k(x, y) that ``fit`` asked for.
    notes_ : tuple of str
        What fell short and why, in sentences.
    n_features_in_ : int
    feature_names_in_ : (d,) array
        Where the data had names.

    See Also
    --------
    FourierFeatures : Features that do not depend on the data.
    sklearn.kernel_approximation.Nystroem : Uniformly drawn landmarks, with scikit-learn's kernels.

    References
    ----------
    C. Williams and M. Seeger. Using the Nyström method to speed up kernel machines. NIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from nysviz import Gaussian, NystroemFeatures
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> features = NystroemFeatures(Gaussian(2.0), "rpcholesky", n_components=12, random_state=0)
    >>> Z = features.fit_transform(X)
    >>> bool(abs(Z @ Z.T - Gaussian(2.0)(X)).max() < 0.05)
    True
    """

    kernel_: Kernel
    components_: FloatArray
    component_indices_: IntArray | None
    normalization_: FloatArray
    kernel_evaluations_: int
    notes_: tuple[str, ...]

    def __init__(
        self,
        kernel: Kernel | None = None,
        method: str = "kmeans",
        n_components: int = 100,
        *,
        landmarks: ArrayLike | None = None,
        options: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.method = method
        self.n_components = n_components
        self.landmarks = landmarks
        self.options = options
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Choose the landmarks.

        Parameters
        ----------
        X : (n, d) array
            Finite numbers.
        y : ignored

        Raises
        ------
        ValueError
            Unknown method or option, a number of components below 1, landmarks that do not fit X.
        """
        rows = validate_data(self, X, dtype=np.float64, order="C")
        self.kernel_ = _default_kernel(rows) if self.kernel is None else self.kernel
        if self.landmarks is not None:
            self._fit_landmarks(rows)
            return self
        m = _checked_whole("n_components", self.n_components)
        a = approximate(
            rows,
            self.kernel_,
            self.method,
            min(m, len(rows)),
            _seed(self.random_state),
            **(self.options or {}),
        )
        self.components_, self.component_indices_ = a.basis, a.pivots
        self.normalization_, self.notes_ = a.projection, a.notes
        self.kernel_evaluations_ = a.kernel_evaluations
        return self

    def _fit_landmarks(self, rows: FloatArray) -> None:
        points, indices = _own_landmarks(np.asarray(self.landmarks), rows)
        self.components_, self.component_indices_ = points, indices
        self.normalization_, note = projection_of(self.kernel_(points))
        self.notes_ = (note,) if note else ()
        self.kernel_evaluations_ = len(points) ** 2

    def transform(self, X: ArrayLike) -> FloatArray:
        """Feature vectors of the rows of X, (q, r), in blocks; q·m kernel evaluations."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return nystroem_features(self.kernel_, self.components_, self.normalization_, rows)

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[1])


class FourierFeatures(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Random Fourier features of the Gaussian kernel: z(x) = (sin uᵢᵀx …, cos uᵢᵀx …) / √m, u ~ N(0, σ⁻² I).

    Parameters
    ----------
    sigma : float, optional
        Bandwidth σ of exp(-‖x-y‖² / 2σ²); that of the data's default width when not given.
    n_frequencies : int, default=100
        m, which makes 2m features.
    orthogonal : bool, default=False
        Frequencies in orthogonal blocks of d, with the lengths of independent ones (Yu et al. 2016): the same
        expectation, a smaller variance.
    weighted : bool, default=False
        Scale the features of uᵢ by exp(-σ²‖uᵢ‖²/4). A linear machine with a plain penalty ‖w‖² on them is
        the kernel machine restricted to the span of these sines and cosines (Yang et al. 2012,
        proposition 1, whose weights exp(σ²‖uᵢ‖²/2) stand in the penalty instead); z(x)ᵀ z(y) no longer
        approximates the kernel.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    frequencies_ : (m, d) array
        One u a row.
    scales_ : (m,) array
        What the sine and cosine of each frequency are multiplied by.
    sigma_ : float
    n_features_in_ : int
    feature_names_in_ : (d,) array
        Where the data had names.

    See Also
    --------
    NystroemFeatures : Features that depend on the data.
    sklearn.kernel_approximation.RBFSampler : Cosines with a random offset in place of pairs.

    References
    ----------
    A. Rahimi and B. Recht. Random features for large-scale kernel machines. NIPS 2007.
    F. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar. Orthogonal random features. NIPS 2016.
    T. Yang, Y.-F. Li, M. Mahdavi, R. Jin, Z.-H. Zhou. Nyström method vs random Fourier features. NIPS 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from nysviz import FourierFeatures, Gaussian
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> Z = FourierFeatures(sigma=2.0, n_frequencies=2000, random_state=0).fit_transform(X)
    >>> bool(abs(Z @ Z.T - Gaussian(2.0)(X)).max() < 0.1)
    True
    """

    sigma_: float
    frequencies_: FloatArray
    scales_: FloatArray

    def __init__(
        self,
        sigma: float | None = None,
        n_frequencies: int = 100,
        *,
        orthogonal: bool = False,
        weighted: bool = False,
        random_state: Any = None,
    ) -> None:
        self.sigma = sigma
        self.n_frequencies = n_frequencies
        self.orthogonal = orthogonal
        self.weighted = weighted
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Draw the frequencies; only the number of columns of X matters, and its width where σ is not given.

        Parameters
        ----------
        X : (n, d) array
        y : ignored
        """
        rows = validate_data(self, X, dtype=np.float64, order="C")
        m, d = _checked_whole("n_frequencies", self.n_frequencies), rows.shape[1]
        # The kernel object checks σ.
        kernel = _default_kernel(rows) if self.sigma is None else Gaussian(self.sigma)
        self.sigma_ = kernel.sigma
        rng = np.random.default_rng(_seed(self.random_state))
        directions = orthogonal_frequencies(m, d, rng) if self.orthogonal else rng.standard_normal((m, d))
        self.frequencies_ = directions / self.sigma_
        self.scales_ = np.full(m, 1.0 / np.sqrt(m))
        if self.weighted:
            self.scales_ *= np.exp(-0.25 * np.einsum("ij,ij->i", directions, directions))
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Feature vectors of the rows of X, (q, 2m): the sines of all frequencies, then their cosines."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        m = len(self.frequencies_)
        features = np.empty((len(rows), 2 * m))

        def block(start: int, stop: int) -> None:
            angles = rows[start:stop] @ self.frequencies_.T
            np.multiply(np.sin(angles), self.scales_, out=features[start:stop, :m])
            np.multiply(np.cos(angles), self.scales_, out=features[start:stop, m:])

        over_blocks(len(rows), rows_per_block(len(rows), 2 * m), block)
        return features

    @property
    def _n_features_out(self) -> int:
        return 2 * len(self.frequencies_)


def orthogonal_frequencies(m: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Frequencies for σ = 1 that are orthogonal within each block of d (Yu et al. 2016), (m, d).

    Each is as long as an independent normal vector, and alone distributed like one.
    """
    blocks = -(-m // d)
    normal = rng.standard_normal((blocks, d, d))
    Q, R = np.linalg.qr(normal)
    # With a positive diagonal of R the factor Q is uniform over the orthogonal matrices.
    Q *= np.sign(np.einsum("bii->bi", R))[:, None, :]
    lengths = np.sqrt(rng.chisquare(d, size=(blocks * d, 1)))
    frequencies: FloatArray = (lengths * Q.reshape(blocks * d, d))[:m]
    return frequencies


def _checked_whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} = {value!r}; a whole number from 1 is needed.")
    return int(value)


def _default_kernel(rows: FloatArray) -> Gaussian:
    width = default_width(rows)
    # Where all rows are equal every width gives the same kernel matrix.
    return Gaussian.from_width(width) if width > 0 else Gaussian(1.0)


def _own_landmarks(given: np.ndarray[Any, Any], rows: FloatArray) -> tuple[FloatArray, IntArray | None]:
    """Landmark points, and their row numbers where those were given."""
    n, d = rows.shape
    if given.ndim == 1 and given.size and np.issubdtype(given.dtype, np.integer):
        if given.min() < 0 or given.max() >= n:
            raise ValueError(
                f"landmarks holds row numbers up to {given.max()}; the data have rows 0 to {n - 1}."
            )
        indices = given.astype(np.intp)
        return rows[indices], indices
    points = np.ascontiguousarray(given, dtype=np.float64)
    if points.ndim != 2 or not len(points) or points.shape[1] != d or not np.isfinite(points).all():
        raise ValueError(
            f"landmarks has the shape {given.shape}; finite points (m, {d}) or row numbers (m,) are needed."
        )
    return points, None


def _seed(random_state: Any) -> int:
    """Seed of a generator: fresh for None, the number itself, else drawn from the generator given."""
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, Integral):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(
        f"random_state = {random_state!r}; an int, a RandomState, a Generator or None is needed."
    )
