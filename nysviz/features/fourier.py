"""Random Fourier features of the Gaussian kernel, independent or orthogonal."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from nysviz.blocks import FloatArray
from nysviz.counts import from_one
from nysviz.features.parameters import default_kernel, seed_of
from nysviz.kernels import Gaussian
from nysviz.landmarks.random_features import fourier_features, random_frequencies


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
