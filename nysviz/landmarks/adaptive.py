"""Adaptive sampling: columns in rounds, each drawn by the residual of the rounds before."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.linalg import qr

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import Work
from nysviz.landmarks.selection import RESIDUAL_FLOOR, Method, Option, Selection, draw_distinct
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.shortfall import Shortfall, note_if
from nysviz.text import counted

# Squared residual norms are updated by subtraction; once their sum has fallen by this factor, six digits are
# lost and they are computed anew.
REFRESH = 1e-6
# A direction with less than this part of the longest column is rounding.
DEPENDENT = 1e-12

_PER_ROUND = Option(
    "per_round",
    "rows a round",
    10,
    bounds=(1, 1_000),
    sentence="Small rounds adapt sooner and cost more.",
)


def adaptive_full(K: KernelMatrix, m: int, rng: np.random.Generator, per_round: int = 10) -> Selection:
    """Sample columns adaptively by the full matrix (Deshpande, Rademacher et al. 2006; Kumar et al. 2009).

    Rounds of s columns, p_j ∝ ‖column j of K − Q Qᵀ K‖² with Q an orthonormal basis of the columns so far:
    squared column norms in the first round. Within a round no column comes twice. K is held; n² kernel
    evaluations and O(n² s) a round.
    """
    full = K.full()
    scores = np.einsum("ij,ij->i", full, full)
    lowest = RESIDUAL_FLOOR**2 * float(scores.max())
    basis, images = np.empty((m, K.n)), np.empty((m, K.n))
    pivots = np.empty(m, dtype=np.intp)
    size = rank = 0
    reference = float(scores.sum())
    while size < m:
        scores[scores <= lowest] = 0.0
        scores[pivots[:size]] = 0.0
        chosen = draw_distinct(scores, min(per_round, m - size), rng)
        if not len(chosen):
            break
        pivots[size : size + len(chosen)] = chosen
        size += len(chosen)
        # Orthonormal rows that extend the basis to the chosen columns, which are projected twice: after one
        # projection the rounding is as large as the part removed.
        rows = full[chosen]
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        for _ in range(2):
            rows -= (rows @ basis[:rank].T) @ basis[:rank]
        Q, R, _ = qr(rows.T, mode="economic", pivoting=True, check_finite=False)
        added = Q.T[np.abs(np.diag(R)) > DEPENDENT * lengths.max()]
        basis[rank : rank + len(added)] = added
        images[rank : rank + len(added)] = added @ full
        scores -= np.einsum("ij,ij->j", images[rank : rank + len(added)], images[rank : rank + len(added)])
        rank += len(added)
        if scores.sum() < REFRESH * reference:
            scores = K.squares(images[:rank], basis[:rank])
            reference = float(scores.sum())
    sentence = f"After {size} of {m} columns the others lie in their span up to rounding; it stops there."
    notes = note_if(size < m, Shortfall.ROWS_EXHAUSTED, sentence)
    return Selection(pivots=pivots[:size], notes=notes)


def full_rounds(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield p_j ∝ ‖column j of K − Q Qᵀ K‖², Q a basis of the columns so far (Deshpande et al. 2006)."""
    K = run.K.full()
    lowest = RESIDUAL_FLOOR**2 * float(np.einsum("ij,ij->i", K, K).max())

    def scores(chosen: IntArray) -> FloatArray:
        residual = K
        if len(chosen):
            U, lengths, _ = np.linalg.svd(K[:, chosen], full_matrices=False)
            Q = U[:, lengths > DEPENDENT * lengths[0]]
            residual = K - Q @ (Q.T @ K)
        squares: FloatArray = np.einsum("ij,ij->j", residual, residual)
        return np.where(squares > lowest, squares, 0.0)

    return _within_rounds(run, scores)


def _within_rounds(run: RecordedRun, scores: Callable[[IntArray], FloatArray]) -> Iterator[FloatArray]:
    """Yield the probabilities of each pick: those of its round, without the rows chosen before."""
    weights = np.empty(0)
    for t, (_, place, _) in enumerate(round_places(run)):
        if place == 1:
            weights = scores(run.pivots[:t])
        weights[run.pivots[:t]] = 0.0
        yield weights / weights.sum()


def round_places(run: RecordedRun) -> list[tuple[int, int, int]]:
    """Return the round of every pick, its place in the round and the round's size, counted from 1."""
    size, total = int(run.options["per_round"]), len(run.pivots)
    return [(t // size + 1, t % size + 1, min(size, total - t // size * size)) for t in range(total)]


ADAPTIVE_FULL = Method(
    label="adaptive, full matrix",
    source="Deshpande, Rademacher, Vempala & Wang 2006; Kumar, Mohri & Talwalkar 2009",
    sentence="Draws rows in rounds, more often those whose column of K is still badly reproduced.",
    complexity="O(n²m)",
    select=adaptive_full,
    family="adaptive",
    step_rule=StepRule(
        "draws rounds of rows, each in proportion to its column's residual",
        "probability",
        full_rounds,
        rounds=round_places,
    ),
    stroke=("solid", "pentagon"),
    nested=True,
    options=(_PER_ROUND,),
    holds="matrix",
    reads=True,
    work=lambda size, options: size.whole + Work(0.0, 4.0 * size.nm * size.n) + size.factor,
    matrices=1.1,
)


def adaptive_partial(K: KernelMatrix, m: int, rng: np.random.Generator, per_round: int = 10) -> Selection:
    """Sample columns adaptively by the chosen columns alone (Kumar, Mohri & Talwalkar 2009).

    Rounds of s columns, the first uniformly, p_j ∝ ‖row j of C − C̃‖² with C (n, t) the columns so far and C̃
    their own Nyström approximation of rank ⌈t/2⌉, below t. Within a round no column comes twice. If the
    chosen columns are reproduced up to rounding, they say nothing about the others, and the next round is
    uniform like the first. m n kernel evaluations, O(n t²) a round.
    """
    pivots = np.empty(m, dtype=np.intp)
    columns = np.empty((m, K.n))
    scores = np.ones(K.n)
    size = uniform_rounds = 0
    while size < m:
        scores[pivots[:size]] = 0.0
        if not scores.any():
            scores = np.ones(K.n)
            scores[pivots[:size]] = 0.0
            uniform_rounds += 1
        chosen = draw_distinct(scores, min(per_round, m - size), rng)
        pivots[size : size + len(chosen)] = chosen
        columns[size : size + len(chosen)] = K.rows(chosen)
        size += len(chosen)
        C = columns[:size]
        # C̃ = C V Vᵀ with V the leading eigenvectors of W, so C − C̃ lies along the trailing ones.
        trailing = eigh(C[:, pivots[:size]])[1][:, : max(1, size // 2)]
        residual = trailing.T @ C
        scores = np.einsum("ij,ij->j", residual, residual)
        lengths = np.einsum("ij,ij->j", C, C)
        scores[scores <= RESIDUAL_FLOOR**2 * float(lengths.max())] = 0.0
    rounds = counted(uniform_rounds, "round")
    notes = (f"In {rounds} after the first the residual was rounding, and rows were drawn uniformly.",)
    return Selection(pivots=pivots, notes=notes if uniform_rounds else ())


def partial_rounds(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield p_j ∝ ‖row j of C − C̃‖², C̃ of half the rank of the columns C so far (Kumar et al. 2009)."""
    K = run.K.full()

    def scores(chosen: IntArray) -> FloatArray:
        if not len(chosen):
            return np.ones(run.K.n)
        C = K[chosen]
        # C̃ keeps the leading half of W's eigenvectors: C − C̃ lies along the trailing ones.
        trailing = eigh(C[:, chosen])[1][:, : max(1, len(chosen) // 2)]
        squares = np.einsum("ij,ij->j", trailing.T @ C, trailing.T @ C)
        squares[squares <= RESIDUAL_FLOOR**2 * float(np.einsum("ij,ij->j", C, C).max())] = 0.0
        squares[chosen] = 0.0
        # Columns reproduced up to rounding say nothing about the others: the round is uniform.
        return squares if squares.any() else np.ones(run.K.n)

    return _within_rounds(run, scores)


ADAPTIVE_PARTIAL = Method(
    label="adaptive, chosen columns",
    source="Kumar, Mohri & Talwalkar 2009",
    sentence="Draws rows in rounds by an error that it estimates from the columns chosen so far.",
    complexity="O(nm²) a round",
    select=adaptive_partial,
    family="adaptive",
    step_rule=StepRule(
        "draws rounds of rows by an error estimated from its columns",
        "probability",
        partial_rounds,
        rounds=round_places,
    ),
    stroke=("dash", "pentagon-open"),
    nested=True,
    options=(_PER_ROUND,),
    holds="factor",
    work=lambda size, options: (
        Work(size.nm, size.nm * size.m**2 / float(options["per_round"]) / 3.0) + size.factor
    ),
)
