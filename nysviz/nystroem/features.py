"""Feature maps as scikit-learn transformers: from landmarks of any method, and from random frequencies.

Importing this module imports scikit-learn, which is slow; ``nysviz`` does so only when asked for them.
"""

import secrets
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.linear_model import Ridge
from sklearn.utils.validation import check_is_fitted, validate_data

from nysviz.kernels import Gaussian, Kernel, KernelFunction, Precomputed, as_kernel, default_kernel
from nysviz.landmarks.nystroem import projection_of
from nysviz.landmarks.random_features import fourier_features, random_frequencies
from nysviz.numerics.blocks import AnyFloatArray, FloatArray, IntArray
from nysviz.numerics.counts import from_one, quoted
from nysviz.numerics.rows import as_numbers, checked_rows
from nysviz.nystroem.approximation import approximate, checked_method
from nysviz.nystroem.lowrank import nystroem_features
from nysviz.refusal import Refusal

# Types of the rows, and so of their features; every other type becomes the first.
DTYPES = ("float64", "float32")


def seed_of(random_state: Any) -> int:
    """Return a seed: fresh for None, the number itself, or one drawn from the given generator."""
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise Refusal(f"random_state = {random_state}; a whole number from 0 is needed.")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise Refusal(f"random_state = {random_state!r}; an int, a RandomState, a Generator or None is needed.")


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
        m, d = from_one("n_frequencies", self.n_frequencies), rows.shape[1]
        # The kernel object checks σ.
        kernel = default_kernel(rows) if self.sigma is None else Gaussian(self.sigma)
        self.sigma_ = kernel.sigma
        rng = np.random.default_rng(seed_of(self.random_state))
        directions = random_frequencies(m, d, rng, orthogonal=self.orthogonal)
        self.frequencies_ = directions / self.sigma_
        self.scales_ = np.full(m, 1.0 / np.sqrt(m))
        if self.weighted:
            self.scales_ *= np.exp(-0.25 * np.einsum("ij,ij->i", directions, directions))
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Feature vectors of the rows of X, (q, 2m): the sines of all frequencies, then their cosines."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return fourier_features(self.frequencies_, rows, self.scales_)

    @property
    def _n_features_out(self) -> int:
        return 2 * len(self.frequencies_)


class NystroemFeatures(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Nyström features z(x) with z(x)ᵀ z(y) ≈ k(x, y), from the landmarks of any method of nysviz.

    They are float32 where X is, in half the memory: computed in double precision and then rounded.

    Parameters
    ----------
    kernel : Kernel, callable or "precomputed", optional
        A kernel of nysviz, a function k(X, Y), or "precomputed" where kernel matrices take the place of X:
        k(X, X), (n, n), in ``fit`` and k(X_new, X), (q, n), in ``transform``. The Gaussian of the data's
        default width when not given.
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
    fit_inverse_transform : bool, default=False
        Learn the way back for ``inverse_transform``: ridge regression of the rows on their features.
    alpha : float, default=1.0
        Its ridge.

    Attributes
    ----------
    components_ : (m, d) array
        The landmarks; all rows for ``svd``. Row numbers (m, 1) for a precomputed kernel.
    component_indices_ : (m,) int array or None
        Their row numbers, where they are rows of the data.
    normalization_ : (m, r) array
        P with z(x) = Pᵀ k(``components_``, x). The rank r is below m where landmarks repeat or nearly so.
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
        kernel: Kernel | KernelFunction | str | None = None,
        method: str = "kmeans",
        n_components: int = 100,
        *,
        landmarks: ArrayLike | None = None,
        options: dict[str, Any] | None = None,
        random_state: Any = None,
        fit_inverse_transform: bool = False,
        alpha: float = 1.0,
    ) -> None:
        self.kernel = kernel
        self.method = method
        self.n_components = n_components
        self.landmarks = landmarks
        self.options = options
        self.random_state = random_state
        self.fit_inverse_transform = fit_inverse_transform
        self.alpha = alpha

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Choose the landmarks.

        Parameters
        ----------
        X : (n, d) array
            Finite numbers; for the linear kernel also sparse rows (scipy.sparse), which stay sparse.
        y : ignored

        Raises
        ------
        ValueError
            Unknown method or option, a number of components below 1, landmarks that do not fit X.
        """
        self.fit_transform(X) if self.fit_inverse_transform else self._fit(X)
        return self

    def fit_transform(self, X: ArrayLike, y: object = None, **fit_params: object) -> AnyFloatArray:
        """Choose the landmarks and return the features of the same rows, (n, r).

        The same as ``fit`` and then ``transform`` up to rounding, without a second evaluation of k(X, Z).
        """
        table, factor = self._fit(X)
        features = self._features(table) if factor is None else factor.astype(table.dtype, copy=False)
        if self.fit_inverse_transform:
            self.inverse_ = Ridge(self.alpha).fit(features, table)
        return features

    def _fit(self, X: ArrayLike) -> tuple[Any, FloatArray | None]:
        """Return the checked rows, and their features where choosing the landmarks made them."""
        table = self._rows(X, reset=True)
        rows = table.astype(np.float64, copy=False)
        if self._is_precomputed:
            self.kernel_ = Precomputed(rows)
            rows = self.kernel_.indices
        else:
            self.kernel_ = default_kernel(rows) if self.kernel is None else as_kernel(self.kernel)
        if self.landmarks is not None:
            points, self.component_indices_ = _own_landmarks(np.asanyarray(self.landmarks), rows)
            self.components_ = points
            self.normalization_, note = projection_of(self.kernel_(points))
            self.notes_ = (note,) if note else ()
            self.kernel_evaluations_ = points.shape[0] ** 2
            return table, None
        options = self.options or {}
        if not isinstance(options, dict):
            raise Refusal(f"options = {quoted(options)}; a dict of the method's own settings is needed.")
        if not checked_method(self.method, options).data_dependent:
            raise Refusal(
                f"method = {self.method!r} has no landmarks; use FourierFeatures for random features."
            )
        m, n = from_one("n_components", self.n_components), rows.shape[0]
        seed = seed_of(self.random_state)
        a = approximate(rows, self.kernel_, self.method, min(m, n), seed, **options)
        notes = (
            (f"The data have {n} rows: {n} landmarks are taken, not n_components = {m}.",) if m > n else ()
        )
        self.components_, self.component_indices_ = a.basis, a.pivots
        self.normalization_, self.notes_ = a.projection, (*notes, *a.notes)
        self.kernel_evaluations_ = a.kernel_evaluations
        return table, a.factor if a.is_held else None

    def transform(self, X: ArrayLike) -> AnyFloatArray:
        """Feature vectors of the rows of X, (q, r), in blocks; q·m kernel evaluations."""
        check_is_fitted(self)
        return self._features(self._rows(X, reset=False))

    def _features(self, rows: Any) -> AnyFloatArray:
        if not self._is_precomputed:
            return nystroem_features(self.kernel_, self.components_, self.normalization_, rows)
        columns = rows[:, self.components_[:, 0].astype(np.intp)]
        return (columns @ self.normalization_).astype(rows.dtype, copy=False)

    def inverse_transform(self, Z: ArrayLike) -> AnyFloatArray:
        """Rows whose features are near Z, (q, d): approximate pre-images, by ridge regression.

        As scikit-learn's ``KernelPCA`` does (Bakır, Weston & Schölkopf 2004), at O(n r² + n r d) in ``fit``;
        ValueError where ``fit_inverse_transform`` was not set.
        """
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise Refusal("The way back was not learned; set fit_inverse_transform=True and fit again.")
        return self.inverse_.predict(Z)

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _rows(self, X: ArrayLike, *, reset: bool) -> Any:
        sparse = "csr" if self.__sklearn_tags__().input_tags.sparse else False
        rows = validate_data(self, X, dtype=DTYPES, order="C", accept_sparse=sparse, reset=reset)
        return checked_rows(rows).astype(rows.dtype, copy=False) if issparse(rows) else rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = getattr(self.kernel, "takes_sparse", False) is True
        tags.input_tags.pairwise = self._is_precomputed
        tags.transformer_tags.preserves_dtype = list(DTYPES)
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[1])


def _own_landmarks(landmarks: np.ndarray[Any, Any], rows: FloatArray) -> tuple[FloatArray, IntArray | None]:
    """Return landmark points, and their row numbers where those were given."""
    n, d = rows.shape
    if landmarks.ndim == 1 and landmarks.size and np.issubdtype(landmarks.dtype, np.integer):
        if landmarks.min() < 0 or landmarks.max() >= n:
            raise Refusal(
                f"landmarks holds row numbers up to {landmarks.max()}; the data have rows 0 to {n - 1}."
            )
        indices = landmarks.astype(np.intp)
        return rows[indices], indices
    points = np.ascontiguousarray(as_numbers(landmarks, "landmarks"))
    if points.ndim != 2 or not len(points) or points.shape[1] != d or not np.isfinite(points).all():
        raise Refusal(
            f"landmarks has the shape {landmarks.shape}; finite points (m, {d}) or row numbers (m,) are "
            "needed."
        )
    return points, None
