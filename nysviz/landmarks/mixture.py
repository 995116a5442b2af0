"""A mixture of several independent Nyström approximations."""

import numpy as np
from scipy.linalg import block_diag

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.nystroem import nystroem_factor, projection_of
from nysviz.landmarks.selection import Method, Option, Selection
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray, rows_per_block
from nysviz.numerics.factor_rows import total_over_blocks
from nysviz.numerics.lapack.symmetric import cholesky
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.shortfall import Note, Shortfall

# Columns of K to which the shares are fitted, as in the paper's experiments.
FITTED_COLUMNS = 20
# Penalty on ‖μ‖², as a part of the mean ‖K̃_r‖² on those columns: only enough to decide between experts that
# are all but equal.
RIDGE = 1e-3


def ensemble(
    K: KernelMatrix, m: int, rng: np.random.Generator, experts: int = 10, shares: str = "uniform"
) -> Selection:
    """Mix approximations from m uniform columns each, K̃ = Σ_r μ_r K̃_r (Kumar, Mohri & Talwalkar 2009).

    ``shares="uniform"`` takes μ_r = 1/p; ``"ridge"`` fits them to 20 further columns of K by ridge regression
    with μ_r ≥ 0, so that K̃ stays positive semidefinite. The experts' own columns are used only when there
    are no others, since each expert reproduces its own exactly. The p m landmarks of all experts come one
    expert after the other. p m n kernel evaluations, 20 n more for the fit, O(p n m²).
    """
    pivots = [rng.permutation(K.n)[:m] for _ in range(experts)]
    factors: list[FloatArray] = []
    if shares == "uniform" and not memory.is_held(K.n, m * experts):
        projections = [projection_of(K.entries(rows, rows), K.rounding) for rows in pivots]
    else:
        memory.check_factor_memory("ensemble with fitted shares", K.n, m * experts)
        parts = [nystroem_factor(columns := K.columns(rows), columns[rows], K.rounding) for rows in pivots]
        factors, projections = [part[0] for part in parts], [part[1:] for part in parts]
    notes: list[str] = [
        Note(f"Expert {r}: {note}", Shortfall.RANK_LOST) for r, (_, note) in enumerate(projections, 1) if note
    ]
    mu = np.full(experts, 1.0 / experts)
    if shares == "ridge":
        mu = _fitted(K, factors, np.concatenate(pivots), rng)
        if dropped := int((mu == 0).sum()):
            notes.append(f"The fit gives {dropped} of {experts} experts no share.")
    roots = np.sqrt(mu)
    return Selection(
        pivots=np.concatenate(pivots),
        # None where it is too large to be held.
        factor=np.hstack([root * G for root, G in zip(roots, factors, strict=True)]) if factors else None,
        projection=block_diag(*[root * P for root, (P, _) in zip(roots, projections, strict=True)]),
        shares=mu,
        notes=tuple(notes),
    )


ENSEMBLE = Method(
    label="ensemble",
    source="Kumar, Mohri & Talwalkar 2009",
    sentence="Averages several approximations, each from its own m random rows.",
    complexity="O(pnm²)",
    select=ensemble,
    family="sampling",
    stroke=("dashdot", "hexagon-open"),
    options=(
        Option(
            "experts",
            "experts p",
            10,
            bounds=(1, 100),
            sentence="Each has m landmarks of its own, so the cost grows with their number.",
        ),
        Option(
            "shares",
            "shares of the experts",
            "uniform",
            choices=("uniform", "ridge"),
            sentence="Equal shares, or nonnegative ones fitted to twenty more columns of K.",
        ),
    ),
    work=lambda size, options: float(options["experts"]) * size.factor,
    factors=32.0,
)


def _fitted(
    K: KernelMatrix, factors: list[FloatArray], landmarks: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Return shares μ ≥ 0 that minimise ‖Σ μ_r K̃_r − K‖² + λ ‖μ‖² over sampled columns, (p,)."""
    order = rng.permutation(K.n)
    # Rows that are no landmarks come first; if they are fewer than 20, landmarks fill up.
    sample = order[np.argsort(np.isin(order, landmarks), kind="stable")][:FITTED_COLUMNS]
    targets, p = K.columns(sample), len(factors)
    rights = [G[sample].T for G in factors]

    def products(start: int, stop: int) -> FloatArray:
        pairs = zip(factors, rights, strict=True)
        products = np.stack([(G[start:stop] @ right).ravel() for G, right in pairs])
        return np.column_stack([products @ products.T, products @ targets[start:stop].ravel()])

    # In blocks of rows: these columns of all experts together may be larger than their factors.
    sums = total_over_blocks(K.n, rows_per_block(K.n, p * len(sample)), products)
    gram, right = sums[:, :p], sums[:, p]
    if not gram.any():
        return np.full(p, 1.0 / p)
    gram[np.diag_indices(p)] += RIDGE * np.trace(gram) / p
    # ‖Lᵀ μ − L⁻¹ b‖² is the same function of μ, but for a constant, in p rows instead of 20 n.
    L = cholesky(gram)
    # Imported late: it takes a fifth of the whole import, and only this needs it.
    from scipy.optimize import nnls

    return np.asarray(nnls(L.T, solve_triangular(L, right))[0])
