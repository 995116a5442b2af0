"""Run a method by the registry's own ``select`` and work out what each of its choices was made by.

The criteria of methods that add one row after the other follow from K, the picks so far and the method's own
draws: each function yields the criterion (n,) before every pick. They follow the definitions and not the
methods' code: the recursions and block updates there give the same numbers faster.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.analysis.steps import exchanges
from nysviz.analysis.steps.record import RecordingGenerator, Step, Trace
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.landmarks.best import positive_pairs
from nysviz.landmarks.selection import RESIDUAL_FLOOR, draw, pivot_damping, residual_floor
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.numerics.loops import choose_eigenvectors
from nysviz.nystroem.approximation import checked_count, checked_method
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.nested import nested
from nysviz.refusal import Refusal


@dataclass(frozen=True)
class Run:
    """A finished run: what was chosen, the residual K − K̃ before each pick, and the numbers drawn."""

    K: KernelMatrix
    pivots: IntArray
    # Diagonal and squared column norms of the residual before each pick, (T + 1, n) each.
    diagonals: FloatArray
    squares: FloatArray
    factor: FloatArray
    ranks: IntArray
    answers: list[Any]
    options: dict[str, Any]

    @property
    def floor(self) -> float:
        """The residual diagonal below which nothing but rounding is left."""
        return residual_floor(self.K)


def uniform(run: Run) -> Iterator[FloatArray]:
    """Every row that is left, with the same probability."""
    for t in range(len(run.pivots)):
        open_ = np.ones(run.K.n)
        open_[run.pivots[:t]] = 0.0
        yield open_ / open_.sum()


def residual_diagonal(run: Run) -> Iterator[FloatArray]:
    """R_ii, the criterion of incomplete Cholesky."""
    for t in range(len(run.pivots)):
        yield _open_diagonal(run, t)


def _open_diagonal(run: Run, t: int) -> FloatArray:
    return np.where(run.diagonals[t] > run.floor, run.diagonals[t], 0.0)


def residual_share(run: Run) -> Iterator[FloatArray]:
    """R_ii / tr R, with which randomly pivoted Cholesky draws (its rejection form as well)."""
    for diagonal in residual_diagonal(run):
        yield diagonal / diagonal.sum()


def _gain(run: Run, f: FloatArray, g: FloatArray) -> FloatArray:
    # Damped as in the methods, which settles what is equal up to rounding.
    return np.divide(f, g + pivot_damping(run.K), out=np.zeros(len(g)), where=g > run.floor)


def gain(run: Run) -> Iterator[FloatArray]:
    """‖R_:i‖² / R_ii, by which the trace of R falls: the criterion of Farahat, Ghodsi & Kamel 2011."""
    for t in range(len(run.pivots)):
        yield _gain(run, run.squares[t], run.diagonals[t])


def gain_of_candidates(run: Run) -> Iterator[FloatArray]:
    """The same gain, of the random candidates alone; NaN for all others."""
    for full, candidates in zip(gain(run), run.answers, strict=False):
        of_candidates = np.full(run.K.n, np.nan)
        of_candidates[candidates] = full[candidates]
        yield of_candidates


def grouped_gain(run: Run) -> Iterator[FloatArray]:
    """‖H_:i‖² / R_ii, with H the sums of the residual's rows in each of the groups that were drawn."""
    n = run.K.n
    count = min(int(run.options.get("groups", 50)), n)
    members = np.empty(n, dtype=np.intp)
    members[run.answers[0]] = np.arange(n) % count
    indicator = (members == np.arange(count)[:, None]).astype(np.float64)
    sums, images = indicator @ run.K.full(), indicator @ run.factor
    for t in range(len(run.pivots)):
        rank = run.ranks[t]
        left = sums - images[:, :rank] @ run.factor[:, :rank].T
        left[:, run.pivots[:t]] = 0.0
        yield _gain(run, np.einsum("ij,ij->j", left, left), run.diagonals[t])


def distance(run: Run) -> Iterator[FloatArray]:
    """K_ii + K_zz − 2 K_iz for the nearest chosen z; before the first pick every row has the same chance."""
    K = run.K.full()
    gaps = np.full(run.K.n, np.inf)
    for t, pivot in enumerate(run.pivots):
        if t == 0:
            yield np.full(run.K.n, 1.0 / run.K.n)
        else:
            yield gaps.copy()
        np.minimum(gaps, K.diagonal() + K[pivot, pivot] - 2.0 * K[pivot], out=gaps)
        gaps[gaps < run.floor] = 0.0


def distance_share(run: Run) -> Iterator[FloatArray]:
    """The same distance as a probability, with which k-means++ draws."""
    for gaps in distance(run):
        yield gaps / gaps.sum()


def eigenvector_share(run: Run) -> Iterator[FloatArray]:
    """Share of each row in the m leading eigenvectors, less the part that the chosen rows span."""
    return _shares(run.K.eigenpairs(len(run.pivots))[1], run.pivots)


def drawn_eigenvector_share(run: Run) -> Iterator[FloatArray]:
    """The same share in the eigenvectors that were drawn by their eigenvalues (Kulesza & Taskar 2011)."""
    values, vectors = positive_pairs(run.K, run.K.n)
    chosen = choose_eigenvectors(np.log(values), run.answers[0], len(run.pivots))
    return _shares(vectors[:, chosen], run.pivots)


def _shares(left: FloatArray, pivots: IntArray) -> Iterator[FloatArray]:
    for pivot in pivots:
        squares = np.einsum("ij,ij->i", left, left)
        yield squares / squares.sum()
        direction = left[pivot] / np.linalg.norm(left[pivot])
        left = left - np.outer(left @ direction, direction)
        left[pivot] = 0.0


def share_by_left_over(run: Run) -> Iterator[FloatArray]:
    """P_ii / ‖B_:i‖² with P = V Vᵀ and B = K^½ (I − P) at first (Osinsky 2023).

    A pivot j takes w wᵀ from P and c wᵀ from B, with w = P_j / √P_jj and c = B_:j / w_j.
    """
    values, vectors = run.K.eigenpairs(run.K.n)
    V, root = vectors[:, : len(run.pivots)], (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    P, B = V @ V.T, root - (root @ V) @ V.T
    for pivot in run.pivots:
        yield np.maximum(P.diagonal(), 0.0) / (np.einsum("ij,ij->j", B, B) + run.floor)
        w = P[pivot] / np.sqrt(P[pivot, pivot])
        B -= np.outer(B[:, pivot] / w[pivot], w)
        P -= np.outer(w, w)
        P[pivot] = P[:, pivot] = 0.0


# A direction below this part of the longest column is rounding.
DEPENDENT = 1e-12


def places(run: Run) -> list[tuple[int, int, int]]:
    """Round, place in the round and size of the round of every pick, counted from 1."""
    size = int(run.options.get("per_round", 10))
    total = len(run.pivots)
    return [(t // size + 1, t % size + 1, min(size, total - t // size * size)) for t in range(total)]


def block_places(run: Run) -> list[tuple[int, int, int]]:
    """The same where a block's rows are those of its draws, in order, that were not rejected."""
    found: list[tuple[int, int, int]] = []
    for block, numbers in enumerate(run.answers, 1):
        size, rest = 0, run.pivots[len(found) :].tolist()
        for row in draw(_open_diagonal(run, len(found)), numbers):
            size += rest[size : size + 1] == [row]
        found += [(block, place, size) for place in range(1, size + 1)]
    return found


def block_share(run: Run) -> Iterator[FloatArray]:
    """R_ii / tr R before the block, with which all rows of it are drawn."""
    for t, (_, place, _) in enumerate(block_places(run)):
        weights = _open_diagonal(run, t - place + 1)
        yield weights / weights.sum()


def full_rounds(run: Run) -> Iterator[FloatArray]:
    """p_j ∝ ‖column j of K − Q Qᵀ K‖², Q a basis of the columns so far (Deshpande et al. 2006)."""
    K = run.K.full()
    lowest = RESIDUAL_FLOOR**2 * float(np.einsum("ij,ij->i", K, K).max())

    def scores(chosen: IntArray) -> FloatArray:
        left = K
        if len(chosen):
            U, lengths, _ = np.linalg.svd(K[:, chosen], full_matrices=False)
            Q = U[:, lengths > DEPENDENT * lengths[0]]
            left = K - Q @ (Q.T @ K)
        squares: FloatArray = np.einsum("ij,ij->j", left, left)
        return np.where(squares > lowest, squares, 0.0)

    return _within_rounds(run, scores)


def partial_rounds(run: Run) -> Iterator[FloatArray]:
    """p_j ∝ ‖row j of C − C̃‖², C̃ of half the rank of the columns C so far (Kumar et al. 2009)."""
    K = run.K.full()

    def scores(chosen: IntArray) -> FloatArray:
        if not len(chosen):
            return np.ones(run.K.n)
        C = K[chosen]
        # C̃ keeps the leading half of W's eigenvectors: the rest of C lies along the others.
        others = eigh(C[:, chosen])[1][:, : max(1, len(chosen) // 2)]
        squares = np.einsum("ij,ij->j", others.T @ C, others.T @ C)
        squares[squares <= RESIDUAL_FLOOR**2 * float(np.einsum("ij,ij->j", C, C).max())] = 0.0
        squares[chosen] = 0.0
        # Columns that are reproduced up to rounding tell nothing of the others: a uniform round.
        return squares if squares.any() else np.ones(run.K.n)

    return _within_rounds(run, scores)


def _within_rounds(run: Run, scores: Callable[[IntArray], FloatArray]) -> Iterator[FloatArray]:
    """Probabilities of one round, shared anew among the rows that are left after each of its picks."""
    weights = np.empty(0)
    for t, (_, place, _) in enumerate(places(run)):
        if place == 1:
            weights = scores(run.pivots[:t])
        weights[run.pivots[:t]] = 0.0
        yield weights / weights.sum()


ONE_BY_ONE: dict[str, Callable[[Run], Iterator[FloatArray]]] = {
    "icd": residual_diagonal,
    "rpcholesky": residual_share,
    "rpcholesky_block": block_share,
    "greedy": gain,
    "sgma": gain_of_candidates,
    "partition_greedy": grouped_gain,
    "kmeanspp": distance_share,
    "farthest": distance,
    "adaptive_full": full_rounds,
    "adaptive_partial": partial_rounds,
    "arp": eigenvector_share,
    "osinsky": share_by_left_over,
    "dpp_exact": drawn_eigenvector_share,
    "uniform": uniform,
}
ROUNDS = {
    "adaptive_full": places,
    "adaptive_partial": places,
    "rpcholesky_block": block_places,
}
EXCHANGING = {"dpp": exchanges.swaps, "kmeans": exchanges.lloyd}
STEPWISE = (*ONE_BY_ONE, *EXCHANGING)
"""Ids of the methods that can be followed."""

# Landmarks of a method that keeps their number, unless another number is asked for.
KEPT_LANDMARKS = 20


def trace(
    K: KernelMatrix,
    method: str,
    steps: int,
    rng: np.random.Generator,
    *,
    landmarks: int | None = None,
    **options: object,
) -> Trace:
    """Follow a method of ``STEPWISE`` step by step.

    The picks are those of ``METHODS[method].select`` with the same generator and options. ``steps`` are
    landmarks to choose, swaps to propose (``dpp``) or iterations (``kmeans``); these two alone take
    ``landmarks``, 20 or as many as there are rows. Fewer steps where the method stops by itself; its notes
    say so. K is held, and one residual matrix beside it: meant for some hundred rows. O(n² T) beyond the
    method. ValueError for an unknown method or option, or numbers out of range.
    """
    if method not in STEPWISE:
        raise Refusal(f"{method!r} cannot be followed step by step; choose one of {', '.join(STEPWISE)}.")
    checked_method(method, dict(options))
    recording = RecordingGenerator(rng.bit_generator)
    if method in EXCHANGING:
        if steps < 1 or steps != int(steps):
            raise Refusal(f"steps = {steps}; a whole number from 1 is needed.")
        m = checked_count(min(KEPT_LANDMARKS, K.n) if landmarks is None else landmarks, K.n)
        return EXCHANGING[method](K, m, int(steps), recording, dict(options))
    if landmarks is not None:
        raise Refusal(f"{method} adds one landmark a step: give steps, not landmarks.")
    return _one_by_one(K, method, checked_count(steps, K.n), recording, dict(options))


def _one_by_one(
    K: KernelMatrix, method: str, steps: int, rng: RecordingGenerator, options: dict[str, Any]
) -> Trace:
    selection = METHODS[method].select(K, steps, rng, **options)
    pivots = np.empty(0, dtype=np.intp) if selection.pivots is None else selection.pivots
    made = nested(K, selection)
    factor, ranks = made.factor, np.concatenate([[0], made.columns]).astype(np.intp)
    # Of K − G_t G_tᵀ before the first pick and after each.
    R = K.full().copy()
    diagonals, squares = np.empty((2, len(ranks), K.n))
    for t, rank in enumerate(ranks):
        if t:
            new = factor[:, ranks[t - 1] : rank]
            R -= new @ new.T
            # What rounding leaves of a chosen row would only be noise.
            R[pivots[t - 1]] = 0.0
            R[:, pivots[t - 1]] = 0.0
        diagonals[t] = np.maximum(R.diagonal(), 0.0)
        squares[t] = np.einsum("ij,ij->i", R, R)
    run = Run(K, pivots, diagonals, squares, factor, ranks, rng.answers, options)
    in_rounds = ROUNDS[method](run) if method in ROUNDS else [None] * len(pivots)
    done = [
        Step(pick=int(pivot), criterion=criterion, landmarks=pivots[: t + 1], round_place=in_rounds[t])
        for t, (pivot, criterion) in enumerate(zip(pivots, ONE_BY_ONE[method](run), strict=True))
    ]
    total = frobenius(K.full()) or 1.0
    errors = np.sqrt(squares.sum(axis=1)) / total
    return Trace(method, tuple(done), errors, diagonals, selection.notes, factors=(factor,), ranks=ranks)
