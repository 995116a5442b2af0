"""The low-rank approximation K̃ = E W⁺ Eᵀ = G Gᵀ, its operations, and feature vectors z(x) of points."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from nysviz.kernels import Kernel, SingleArray, check_sparse
from nysviz.landmarks.nystroem import positive_eigenpairs
from nysviz.landmarks.random_features import fourier_features
from nysviz.numerics import memory, shifted
from nysviz.numerics.blocks import FloatArray, IntArray, one_blas_thread, over_blocks, rows_per_block
from nysviz.numerics.counts import from_one
from nysviz.numerics.factor_rows import FactorRows
from nysviz.numerics.lapack.symmetric import solve_by_factor
from nysviz.numerics.rows import checked_rows
from nysviz.refusal import Refusal
from nysviz.shortfall import Note, Shortfall
from nysviz.text import grouped, html_table, in_seconds

Floats = TypeVar("Floats", FloatArray, SingleArray)
# Shares of a mixture may exceed 1 in sum by this much through rounding.
SHARE_ROUNDING = 1e-12
# Eigenvalues of a held factor below this part of the largest one are rounding. A column is right to eps times
# at most 1e6, which W⁺ amplifies by, as its eigenvalues stop at 1e-12 of the largest: 5e-20 when squared.
EIGENVALUE_ROUNDING = 1e-18


@dataclass(frozen=True)
class LowRank:
    """A positive semidefinite approximation of rank r of an n × n kernel matrix.

    Attributes
    ----------
    rows : (n, r) array or FactorRows
        G with K̃ = G Gᵀ, or where it is larger than ``memory.HELD_BYTES`` what makes its rows again.
    landmarks : (m', d) array or None
        The landmark points; None for ``svd``, ``sketch`` and random features, which have none.
    pivots : (m',) int array or None
        Their row numbers where they are rows of X, in the order of choice.
    projection : (b, r) array
        z(x) = k(x, basis) @ projection is the feature vector of a point; G holds those of the rows of X.
    basis : (b, d) array
        The landmarks, or all of X for ``svd`` and ``sketch``; empty for random features.
    kernel : Kernel
    method : str
    requested : int
        The requested m, or the number at which the tolerance was reached; ``rank`` may be smaller.
    seconds : float
        Wall time of the selection and of the factor, if it is held.
    kernel_evaluations : int
        Entries k(x, y) that were asked for, those of a factor that is not held counted once.
    notes : tuple of str
        What fell short and why, in sentences.
    weights : (m',) array or None
        Rescaling of the columns by sampling with replacement.
    shares : (p,) array or None
        Set by ``ensemble`` alone, whose K̃ is a mixture of p Nyström approximations with these shares.
    frequencies : (m, d) array or None
        Set by random features alone: z(x) holds their sines and cosines, and no entry of K is looked at.
    turn : (2m, r) array or None
        Matrix by which ``truncate`` multiplied the sines and cosines from the right.
    is_indefinite : bool
        Whether W, or a K̃_ii above K_ii, shows that the kernel is not positive semidefinite; looked for only
        where that is not known of the kernel (``Kernel.is_psd``).

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> a = nv.approximate(data.X, nv.Gaussian(1.0), method="kmeans", m=10)
    >>> a.rank, a.landmarks.shape, a.transform(data.X[:5]).shape
    (10, (10, 4), (5, 10))
    >>> values, vectors = a.eigh(3)
    >>> a.solve(data.y.astype(float), shift=1.0).shape
    (150,)
    """

    rows: FloatArray | FactorRows
    landmarks: FloatArray | None
    pivots: IntArray | None
    projection: FloatArray
    basis: FloatArray
    kernel: Kernel
    method: str
    requested: int
    seconds: float
    kernel_evaluations: int
    notes: tuple[str, ...] = ()
    weights: FloatArray | None = None
    shares: FloatArray | None = None
    frequencies: FloatArray | None = None
    turn: FloatArray | None = None
    is_indefinite: bool = False

    def __repr__(self) -> str:
        facts = f"n={self.n}, m={self.requested}, rank={self.rank}, kernel={self.kernel!r}"
        cost = f"seconds={self.seconds:.3g}, kernel_evaluations={self.kernel_evaluations}"
        return f"LowRank({self.method!r}, {facts}, {cost})"

    def _repr_html_(self) -> str:
        return html_table(
            ("method", self.method),
            ("kernel", repr(self.kernel)),
            ("n, m, rank", f"{grouped(self.n)}, {grouped(self.requested)}, {grouped(self.rank)}"),
            ("time", in_seconds(self.seconds)),
            ("kernel evaluations", grouped(self.kernel_evaluations)),
            *(("note", note) for note in self.notes),
        )

    @property
    def shortfalls(self) -> frozenset[Shortfall]:
        """The kinds of shortfall that the notes tell of.

        Examples
        --------
        >>> import nysviz as nv
        >>> a = nv.approximate(nv.load("iris").X, nv.Linear(), "greedy", m=10)
        >>> a.rank, nv.Shortfall.ROWS_EXHAUSTED in a.shortfalls
        (4, True)
        """
        return frozenset(note.shortfall for note in self.notes if isinstance(note, Note))

    @property
    def factor(self) -> FloatArray:
        """G, (n, r), with K̃ = G Gᵀ; made at each call where it is not held, 8 n r bytes."""
        return self.rows.whole() if isinstance(self.rows, FactorRows) else self.rows

    @property
    def is_held(self) -> bool:
        """Whether the factor is at hand."""
        return not isinstance(self.rows, FactorRows)

    @property
    def n(self) -> int:
        """Number of rows of X."""
        return int(self.rows.shape[0])

    @property
    def d(self) -> int:
        """Number of columns of X."""
        return int(self.basis.shape[1])

    def take(self, rows: IntArray) -> FloatArray:
        """Return rows of the factor, G[rows]; O(m d + m r) each where it is not held."""
        return self.rows.take(rows) if isinstance(self.rows, FactorRows) else self.rows[rows]

    def gram(self) -> FloatArray:
        """Return GᵀG, (r, r); O(n r²), in blocks of rows where the factor is not held."""
        return self.rows.gram() if isinstance(self.rows, FactorRows) else self.rows.T @ self.rows

    def times(self, right: FloatArray) -> FloatArray:
        """Return G @ right for an (r,) or (r, c) array."""
        return self.rows.times(right) if isinstance(self.rows, FactorRows) else self.rows @ right

    def transposed_times(self, left: FloatArray) -> FloatArray:
        """Return Gᵀ @ left for an (n,) or (n, c) array."""
        return self.rows.transposed_times(left) if isinstance(self.rows, FactorRows) else self.rows.T @ left

    def in_blocks(self, inner: int) -> FactorRows:
        """Return the factor for work in blocks of rows, held or not; ``inner`` more columns are formed."""
        if isinstance(self.rows, FactorRows):
            return self.rows
        return FactorRows.of_array(self.rows, inner)

    @property
    def residual_is_psd(self) -> bool:
        """Whether K − K̃ is positive semidefinite, as far as is known.

        It is for a positive semidefinite kernel, except for random features and for a mixture whose shares
        sum to more than 1.
        """
        if self.frequencies is not None or self.is_indefinite:
            return False
        return self.shares is None or bool(self.shares.sum() <= 1.0 + SHARE_ROUNDING)

    @property
    def rank(self) -> int:
        """Number of columns of the factor, but not more than its rows.

        The factor of a single set of landmarks has no dependent columns; that of a mixture (``ensemble``) or
        of random features may have, and then K̃ has a smaller rank than this: as many as ``eigh`` returns.
        """
        return int(min(self.rows.shape))

    @property
    def nbytes(self) -> int:
        """Bytes of the factor, or of the arrays that make it, to be compared with 8 n² of the matrix."""
        if not isinstance(self.rows, FactorRows):
            return self.rows.nbytes
        # Sparse rows are three arrays.
        basis: Any = self.basis
        rows = (basis.data, basis.indices, basis.indptr) if sparse.issparse(basis) else (basis,)
        made_of = (*rows, self.projection, self.frequencies, self.turn)
        return sum(part.nbytes for part in made_of if part is not None)

    def diagonal(self) -> FloatArray:
        """Return K̃_ii, (n,); a factor that is not held is made once, in blocks, and its diagonal kept."""
        if isinstance(self.rows, FactorRows):
            return self.rows.diagonal
        return np.einsum("ij,ij->i", self.rows, self.rows)

    def eigh(
        self, k: int | None = None, form: Literal["orthogonal", "extension"] = "orthogonal"
    ) -> tuple[FloatArray, FloatArray]:
        """Compute eigenvalues, descending, and eigenvectors of the approximation.

        Parameters
        ----------
        k : int, optional
            How many, from 1; all by default. Fewer are returned where K̃ has a smaller rank.
        form : {"orthogonal", "extension"}
            ``orthogonal``: the eigenpairs of K̃ itself (Zhang 2008, prop. 4), by a QR of G; O(n r²).
            ``extension``: Φ = √(m/n) E Φ_Z Λ_Z⁻¹ and Λ = (n/m) Λ_Z (Zhang 2008, eq. 4), whose columns are
            not orthogonal; without n/m where sampling has rescaled the columns by 1/√(m p) itself.

        Returns
        -------
        values : (k,) array
        vectors : (n, k) array
            Pairs that are rounding are left out: those below 1e-18 of the largest value. Where the factor is
            not held, from GᵀG in two passes over blocks of rows: values right to about 1e-15 of the largest,
            and pairs below 1e-13 of it left out.

        Raises
        ------
        ValueError
            A k below 1 or that is no whole number, another form, or ``extension`` of an approximation without
            landmarks or of a mixture, which has no single W.
        """
        if k is not None:
            k = from_one("k", k)
        if form == "extension":
            return self._extension(k)
        if form != "orthogonal":
            raise Refusal(f"form = {form!r}; 'orthogonal' or 'extension' is needed.")
        k = self.rank if k is None else min(k, self.rank)
        if self.rank == 0:
            return np.empty(0), np.empty((self.n, 0))
        if isinstance(self.rows, FactorRows):
            with one_blas_thread():
                values, turn = self.rows.eigenturn(k)
                return values, self.rows.times(turn)
        with one_blas_thread():
            Q, R = qr(self.rows, mode="economic", check_finite=False)
            left, singular, _ = np.linalg.svd(R, full_matrices=False)
            values = singular**2
            k = min(k, int((values > EIGENVALUE_ROUNDING * values[0]).sum()))
            return values[:k], Q @ left[:, :k]

    def _landmark_eigh(self) -> tuple[FloatArray, FloatArray]:
        """Return the eigenpairs of W above rounding, descending, with the columns' rescaling applied."""
        if self.landmarks is None:
            raise Refusal("This approximation has no landmarks; use the orthogonal form.")
        if self.shares is not None:
            raise Refusal("A mixture of approximations has no single W; use the orthogonal form.")
        W = self.kernel(self.landmarks)
        if self.weights is not None:
            W = W * np.outer(self.weights, self.weights)
        return positive_eigenpairs(W)

    def _extension(self, k: int | None) -> tuple[FloatArray, FloatArray]:
        values, vectors = self._landmark_eigh()
        # A truncated factor spans no more directions than it has columns.
        count = min(len(values), self.rank)
        k = count if k is None else min(k, count)
        values, vectors = values[:k], vectors[:, :k]
        # Columns that are rescaled by 1/√(m p) estimate the eigenvalues of K as they are.
        scale = self.n / max(1, self.basis.shape[0]) if self.weights is None else 1.0
        # E in terms of G: E = G Pᵀ W, with P the projection, so the kernel is not evaluated again.
        columns = self.projection.T @ self.kernel(self.basis)
        if self.weights is not None:
            columns = columns * self.weights
        if isinstance(self.rows, FactorRows):
            return values * scale, self.rows.times(columns @ (vectors / values)) / np.sqrt(scale)
        return values * scale, self.rows @ columns @ (vectors / values) / np.sqrt(scale)

    def truncate(self, d: int, how: Literal["best", "landmark"] = "best") -> "LowRank":
        """Return an approximation of rank at most d.

        Parameters
        ----------
        d : int
        how : {"best", "landmark"}
            ``best``: the best rank d of K̃, from the SVD of G (Farahat 2011, sec. 2). ``landmark``: from the
            d leading eigenpairs of W, the classical Nyström approximation; the best rank d too where there
            is no single W, for the best rank m, random features and mixtures. O(n r min(n, r)) and O(n r d).

        Returns
        -------
        LowRank
            With the factor G T for a T (r, d), and with the landmarks as they are.

        Raises
        ------
        ValueError
            A d below 1 or that is no whole number, or another ``how``.
        """
        d = from_one("d", d, "a rank from 1, a whole number,")
        if how not in ("best", "landmark"):
            raise Refusal(f"how = {how!r}; 'best' or 'landmark' is needed.")
        if how == "best" or self.landmarks is None or self.shares is not None:
            # T (r, d) with orthonormal columns and the best rank d of K̃ as (G T)(G T)ᵀ.
            with one_blas_thread():
                if isinstance(self.rows, FactorRows) or not self._is_wide:
                    turn = positive_eigenpairs(self.gram())[1][:, :d]
                else:
                    values, vectors = positive_eigenpairs(self.rows @ self.rows.T)
                    turn = self.rows.T @ (vectors[:, :d] / np.sqrt(values[:d]))
        else:
            values, vectors = self._landmark_eigh()
            if self.weights is not None:
                vectors = vectors * self.weights[:, None]
            values, vectors = values[:d], vectors[:, :d]
            W = self.kernel(self.landmarks)
            turn = (self.projection.T @ W) @ (vectors / np.sqrt(values))
        return self._turned(turn)

    @property
    def _is_wide(self) -> bool:
        """Whether the factor has more columns than rows, as of a mixture: then G Gᵀ is the smaller square."""
        return int(self.rows.shape[1]) > self.n

    def rotated(self, turn: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the function that maps checked points (q, d) to z(x) @ turn, (q, k); it holds no factor."""
        projection, whole_turn = self._turned_maps(turn)
        return partial(features, self.kernel, self.basis, projection, self.frequencies, whole_turn)

    def _turned_maps(self, turn: FloatArray) -> tuple[FloatArray, FloatArray | None]:
        """Return ``projection`` and ``turn`` of the factor G @ turn."""
        if self.frequencies is None:
            return self.projection @ turn, None
        return self.projection @ turn, turn if self.turn is None else self.turn @ turn

    def _turned(self, turn: FloatArray) -> "LowRank":
        """Return the approximation with the factor G @ turn."""
        projection, whole_turn = self._turned_maps(turn)
        if not isinstance(self.rows, FactorRows) or memory.is_held(self.n, turn.shape[1]):
            rows: FloatArray | FactorRows = self.times(turn)
        else:
            rows = factor_rows(self.rows.X, self.kernel, self.basis, projection, self.frequencies, whole_turn)
        return replace(self, rows=rows, projection=projection, turn=whole_turn)

    def solve(self, b: FloatArray, shift: float) -> FloatArray:
        """Solve (K̃ + shift·I) x = b by Woodbury's identity (Zhang 2008, eq. 13).

        Parameters
        ----------
        b : (n,) or (n, c) array
            Finite numbers.
        shift : float
            Above 5.7e-14 tr K̃.

        Returns
        -------
        array of the shape of b. O(n r min(n, r)), and an n × n matrix only where a factor that is held has
        more columns than rows. Where the shift is small beside K̃ the solution is refined, O(n r) a step, to
        the digits that the problem has: about 2 eps ‖K̃‖ / shift of it are uncertain.

        Raises
        ------
        ValueError
            A shift that is not a finite number above 0, or so small beside K̃ that rounding leaves less than
            two digits of x; a b of another shape, or that is not finite.
        """
        shift, b = shifted.checked_shift(shift), shifted.checked_right_sides(b, self.n)
        with one_blas_thread():
            wide = isinstance(self.rows, np.ndarray) and self._is_wide
            square = self.factor @ self.factor.T if wide else self.gram()
            needs_refinement = shift < shifted.WELL_CONDITIONED * float(np.trace(square))
            L = shifted.shifted_cholesky(square, shift)

            def by_factor(right: FloatArray) -> FloatArray:
                if wide:
                    return solve_by_factor(L, right)
                core = solve_by_factor(L, self.transposed_times(right))
                return (right - self.times(core)) / shift

            if not needs_refinement:
                return by_factor(b)
            return shifted.solve_refined(by_factor, lambda x: self.times(self.transposed_times(x)), b, shift)

    def logdet(self, shift: float) -> float:
        """Return log det(K̃ + shift·I) from the eigenvalues of K̃, O(n r²); ValueError for a shift ≤ 0."""
        shift = shifted.checked_shift(shift)
        values = self.rows.eigenturn(self.rank)[0] if isinstance(self.rows, FactorRows) else self.eigh()[0]
        return float(np.log(values + shift).sum() + (self.n - len(values)) * np.log(shift))

    def transform(self, X_new: FloatArray) -> FloatArray:
        """Compute feature vectors z(x) of new points, so that z(x)ᵀ z(y) approximates k(x, y).

        Parameters
        ----------
        X_new : (q, d) array
            Finite numbers; q may be 0.

        Returns
        -------
        (q, r) array; q·m kernel evaluations, one block of rows held at a time. On the rows of X it returns G
        up to rounding. Random features evaluate no kernel: O(q m d).

        Raises
        ------
        ValueError
            X_new not finite, no table of numbers, or with other columns than X.
        """
        rows = checked_rows(X_new, "X_new", may_be_empty=True)
        check_sparse(rows, self.kernel, "X_new")
        if rows.shape[1] != self.d:
            raise Refusal(
                f"X_new has {rows.shape[1]} columns and X had {self.d}; both need the same features."
            )
        return features(self.kernel, self.basis, self.projection, self.frequencies, self.turn, rows)


def factor_rows(
    X: FloatArray,
    kernel: Kernel,
    basis: FloatArray,
    projection: FloatArray,
    frequencies: FloatArray | None = None,
    turn: FloatArray | None = None,
) -> FactorRows:
    """Return the factor of the rows of X without holding it; the arguments are those of ``LowRank``."""
    make_rows = partial(features, kernel, basis, projection, frequencies, turn)
    inner = basis.shape[0] if frequencies is None else 2 * len(frequencies)
    return FactorRows(X, make_rows, projection.shape[1], inner)


def features(
    kernel: Kernel,
    basis: FloatArray,
    projection: FloatArray,
    frequencies: FloatArray | None,
    turn: FloatArray | None,
    X: FloatArray,
) -> FloatArray:
    """Return feature vectors of the rows of X, (q, r): sines and cosines, or k(x, basis) P."""
    if frequencies is not None:
        return fourier_features(frequencies, X, turn=turn)
    return nystroem_features(kernel, basis, projection, X)


def nystroem_features(kernel: Kernel, basis: FloatArray, projection: FloatArray, X: Floats) -> Floats:
    """Return feature vectors k(x, basis) P of the rows of X, (q, r), in blocks of rows.

    They are computed in double precision: P has the size of 1/√λ_min(W), which would multiply the rounding
    of k(x, basis) in single precision. Those of float32 rows are float32.
    """
    features = np.empty((X.shape[0], projection.shape[1]), X.dtype)
    against = kernel.against(basis)
    over_blocks(
        X.shape[0],
        rows_per_block(X.shape[0], basis.shape[0]),
        lambda i, j: np.matmul(against(X[i:j].astype(np.float64, copy=False)), projection, out=features[i:j]),
    )
    return features
