"""Greedy choice of the column that explains most of the residual, in three forms."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import ROW_BY_ROW, Options, Size, Work, is_dense
from nysviz.landmarks.partial_cholesky import PartialCholesky, pivoted
from nysviz.landmarks.selection import (
    Method,
    Option,
    Selection,
    equal_rows,
    pivot_damping,
    residual_allowed,
    residual_floor,
    tied,
)
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics import memory
from nysviz.numerics.blocks import BoolArray, FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.numerics.lapack.triangular import add_product
from nysviz.numerics.loops import best_ratio, deflate_groups, subtract_combination, sum_groups

# Relative difference between a pivot's criterion by recursion and by its own column above which f is computed
# anew: the recursion loses as many digits as the squared residual has fallen by.
DRIFT = 1e-8
# Pivots after which the dense residual is updated, in one matrix product.
PANEL = 256
# Columns of R² computed at once: those with the largest criterion are likely to be the next pivots.
LOOKAHEAD = 32
# Columns of R that one worker multiplies with those rows.
PRODUCT_COLUMNS = 1_024
# Columns of the group sums that one worker updates; fewer are not worth handing out.
GROUP_COLUMNS = 16_384


def greedy(K: KernelMatrix, m: int, rng: np.random.Generator, form: str = "auto") -> Selection:
    """Choose argmax_i ‖R_:i‖² / R_ii, with R = K − K̃ so far (Farahat, Ghodsi & Kamel 2011).

    Deterministic except that the seed decides between criteria within ``TIE`` of the largest, equal up to
    rounding; the notes say how often there were several. f_i = ‖R_:i‖² and g_i = R_ii follow from one pivot
    to the next by the paper's recursion.

    ``form="lean"`` holds f, g and the factor, and evaluates K again for the product Kω of every step:
    (m + 1) n² kernel evaluations. ``form="dense"`` holds K and R and needs n². Both choose the same pivots,
    in O(n²) a step. ``"auto"`` is dense up to ``DENSE_ROWS`` rows if the machine has memory for R.
    """
    order = rng.permutation(K.n)
    return _dense_greedy(K, m, order) if is_dense(K.n, form) else _lean_greedy(K, m, order)


def gains_work(size: Size, options: Options) -> Work:
    """Return the work of all gains, from the residual held or from K evaluated again at each step."""
    if is_dense(size.n, str(options["form"])):
        return size.whole + Work(0.0, 2.0 * size.nm * size.n) + size.pivoting
    return float(size.m) * size.whole + size.pivoting


def gain(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield ‖R_:i‖² / R_ii, by which the trace of R falls (Farahat, Ghodsi & Kamel 2011)."""
    damping = pivot_damping(run.K)
    for t in range(len(run.pivots)):
        yield _gains(run.squares[t], run.diagonals[t], damping, run.floor)


GREEDY = Method(
    label="greedy",
    source="Farahat, Ghodsi & Kamel 2011",
    sentence="Picks the row whose column explains most of all that is not reproduced yet.",
    complexity="O(n²) a step",
    select=greedy,
    family="pivoting",
    step_rule=StepRule("takes the row whose column explains most of the residual", "gain", gain),
    stroke=("dash", "star"),
    nested=True,
    random=False,
    options=(
        Option(
            "form",
            "memory",
            "auto",
            choices=("auto", "dense", "lean"),
            sentence="Dense holds K and its residual; lean evaluates K again each step. Same picks.",
        ),
    ),
    holds="factor",
    reads=True,
    work=gains_work,
    matrices=1.1,
    blocks=2.0,
)


def _lean_greedy(K: KernelMatrix, m: int, order: IntArray) -> Selection:
    partial = PartialCholesky(K, m)
    f, damping = _residual_norms(partial), pivot_damping(K)
    fresh, ties = True, 0
    while partial.size < m:
        pivot = best_ratio(f, partial.residual, damping, partial.floor, order)
        if pivot < 0:
            break
        row = partial.residual_row(pivot)
        exact = float(row @ row)
        if not fresh and abs(f[pivot] - exact) > DRIFT * exact:
            f, fresh = _residual_norms(partial), True
            continue
        equals = equal_rows(_gains(f, partial.residual, damping, partial.floor))
        done = partial.rows[: partial.size]
        omega = partial.add(pivot, row)
        ties += int((partial.residual[equals] > partial.floor).any())
        applied = K.times(omega) - (done @ omega) @ done
        f -= omega * (2.0 * applied - (omega @ omega) * omega)
        f[pivot] = 0.0
        fresh = False
    selection = partial.selection(m)
    return replace(selection, notes=(*tied(ties, partial.size), *selection.notes))


def _gains(f: FloatArray, g: FloatArray, damping: FloatArray, floor: float) -> FloatArray:
    """Return the criterion of ``best_ratio``, (n,), 0 for rows that are no candidates."""
    return np.divide(f, g + damping, out=np.zeros(len(f)), where=g > floor)


def _residual_norms(partial: PartialCholesky) -> FloatArray:
    """Return ‖R_:i‖² of every column, (n,); n² evaluations and O(n² t), one block held at a time."""
    done = partial.rows[: partial.size]
    f = partial.K.squares(done, done)
    f[partial.pivots[: partial.size]] = 0.0
    return f


def _dense_greedy(K: KernelMatrix, m: int, order: IntArray) -> Selection:
    limits, damping = (residual_floor(K), residual_allowed(K)), pivot_damping(K)
    if not is_dense(K.n):
        memory.check_matrix_memory("greedy in its dense form", K.n, memory.most_bytes() // 2)
    R = K.copy()
    rows = np.empty((m, K.n))
    pivots = np.empty(m, dtype=np.intp)
    size = all_ties = 0
    while size < m:
        stop = min(m, size + PANEL)
        count, ties = _panel(R, rows[size:stop], pivots[size:stop], damping, order, *limits)
        if not count:
            break
        deflate(R, rows[size : size + count])
        # The rounding left in a chosen row would only be noise.
        R[pivots[size : size + count]] = 0.0
        R[:, pivots[size : size + count]] = 0.0
        size, all_ties = size + count, all_ties + ties
    selection = pivoted(K, rows[:size], pivots[:size], m)
    return replace(selection, notes=(*tied(all_ties, size), *selection.notes))


def _panel(
    R: FloatArray,
    omegas: FloatArray,
    pivots: IntArray,
    damping: FloatArray,
    order: IntArray,
    floor: float,
    enough: float,
) -> tuple[int, int]:
    """Choose pivots from R by the recursion while f stays accurate; return their number and that of ties.

    With V = R Ω the product of R and the ω so far, the residual of the step times its ω is R ω − Ω Ωᵀω, and
    R ω follows from a column of R², so that the matrix is read for many steps at once.
    """
    n = len(R)
    f = np.empty(n)
    over_blocks(n, rows_per_block(n, n), lambda i, j: np.einsum("ij,ij->i", R[i:j], R[i:j], out=f[i:j]))
    g = R.diagonal().copy()
    images = np.empty_like(omegas)
    squares: list[FloatArray] = []
    place = np.full(n, -1)
    ties = 0
    for s in range(len(omegas)):
        pivot = best_ratio(f, g, damping, floor, order) if g.sum() > enough else -1
        if pivot < 0:
            return s, ties
        coefficients = omegas[:s, pivot].copy()
        omega = omegas[s]
        omega[:] = R[pivot]
        subtract_combination(coefficients, omegas[:s], omega)
        exact = float(omega @ omega)
        # A fresh f is exact by construction: the first pivot always passes.
        if s and abs(f[pivot] - exact) > DRIFT * exact:
            return s, ties
        equals = equal_rows(_gains(f, g, damping, floor))
        if place[pivot] < 0:
            ahead = _likely_next(f, g + damping, (g > floor) & (place < 0), pivot)
            place[ahead] = np.arange(len(squares), len(squares) + len(ahead))
            squares.extend(_product(R[ahead], R))
        scale = 1.0 / np.sqrt(omega[pivot])
        images[s] = squares[place[pivot]]
        subtract_combination(coefficients, images[:s], images[s])
        images[s] *= scale
        omega *= scale
        omega[pivots[:s]] = 0.0
        applied = images[s].copy()
        subtract_combination(np.einsum("si,i->s", omegas[:s], omega), omegas[:s], applied)
        f -= omega * (2.0 * applied - (omega @ omega) * omega)
        np.maximum(f, 0.0, out=f)
        g -= omega * omega
        f[pivot] = g[pivot] = 0.0
        ties += int((g[equals] > floor).any())
        pivots[s] = pivot
    return len(omegas), ties


def _product(rows: FloatArray, R: FloatArray) -> FloatArray:
    """Return ``rows @ R``, computed in blocks of columns."""
    product = np.empty_like(rows)
    over_blocks(len(R), PRODUCT_COLUMNS, lambda i, j: np.matmul(rows, R[:, i:j], out=product[:, i:j]))
    return product


def _likely_next(f: FloatArray, g: FloatArray, open_: BoolArray, pivot: int) -> IntArray:
    """Return the pivot and the open columns with the largest f/g, whose column of R² is not yet computed."""
    scores = np.where(open_, f, -1.0) / np.where(open_, g, 1.0)
    # Among equals it need not be one of the largest.
    scores[pivot] = np.inf
    count = min(LOOKAHEAD, int(open_.sum()))
    return np.sort(np.argpartition(-scores, count - 1)[:count])


def deflate(R: FloatArray, omegas: FloatArray) -> None:
    """Replace R by R − Ωᵀ Ω."""
    size = rows_per_block(len(R), len(R))
    # BLAS adds to R itself; a matrix product of numpy's would first make a second n × n matrix.
    over_blocks(len(R), size, lambda i, j: add_product(R[i:j], omegas[:, i:j].T, omegas, -1.0))


def partition_greedy(K: KernelMatrix, m: int, rng: np.random.Generator, groups: int = 50) -> Selection:
    """Choose greedily by the sums of the residual over random groups (Farahat, Ghodsi & Kamel 2011).

    The rows fall into c random groups, and f_i = ‖H_:i‖² with H (c, n) the sums of the residual's rows in
    each group. With one group per row it is ``greedy``. n² kernel evaluations once for H, one block held at a
    time, and n a step; O(n c + n t) in step t.
    """
    count = min(groups, K.n)
    members = np.empty(K.n, dtype=np.intp)
    members[rng.permutation(K.n)] = np.arange(K.n) % count
    sums = np.empty((count, K.n))
    K.over_rows(lambda start, stop, rows: sum_groups(rows, members, start, sums))
    f, damping = np.einsum("ij,ij->j", sums, sums), pivot_damping(K)
    partial, order = PartialCholesky(K, m), rng.permutation(K.n)
    while partial.size < m:
        pivot = best_ratio(f, partial.residual, damping, partial.floor, order)
        if pivot < 0:
            break
        _take_out(sums, members, partial.add(pivot), f)
    return partial.selection(m)


def grouped_gain(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield ‖H_:i‖² / R_ii, with H the sums of the residual's rows in each of the drawn groups."""
    n, damping = run.K.n, pivot_damping(run.K)
    count = min(int(run.options["groups"]), n)
    members = np.empty(n, dtype=np.intp)
    members[run.answers[0]] = np.arange(n) % count
    indicator = (members == np.arange(count)[:, None]).astype(np.float64)
    sums, images = indicator @ run.K.full(), indicator @ run.factor
    for t in range(len(run.pivots)):
        rank = run.ranks[t]
        residual_sums = sums - images[:, :rank] @ run.factor[:, :rank].T
        residual_sums[:, run.pivots[:t]] = 0.0
        yield _gains(
            np.einsum("ij,ij->j", residual_sums, residual_sums), run.diagonals[t], damping, run.floor
        )


PARTITION_GREEDY = Method(
    label="partition-based greedy",
    short="partition greedy",
    source="Farahat, Ghodsi & Kamel 2011",
    sentence="As greedy, but it looks at the rows through the sums of a few random groups.",
    complexity="O(n²) once, O(nc) a step",
    select=partition_greedy,
    family="pivoting",
    step_rule=StepRule(
        "takes the row that explains most of the sums over random groups", "grouped gain", grouped_gain
    ),
    stroke=("dashdot", "star-open"),
    nested=True,
    options=(
        Option(
            "groups",
            "groups c",
            50,
            bounds=(1, 1_000),
            sentence="Fewer are faster; with as many groups as rows the picks are those of greedy.",
            holds_rows=True,
        ),
    ),
    holds="factor",
    reads=True,
    work=lambda size, options: (
        size.whole + Work(0.0, ROW_BY_ROW * size.nm * float(options["groups"])) + size.pivoting
    ),
    factors=1.4,
)


def _take_out(sums: FloatArray, members: IntArray, omega: FloatArray, f: FloatArray) -> None:
    """Replace the group sums of R, and their squared column norms f, by those of R − ω ωᵀ."""
    of_pivot: FloatArray = np.bincount(members, weights=omega, minlength=len(sums)).astype(np.float64)
    over_blocks(
        len(f), GROUP_COLUMNS, lambda i, j: deflate_groups(sums[:, i:j], of_pivot, omega[i:j], f[i:j])
    )


def sgma(K: KernelMatrix, m: int, rng: np.random.Generator, candidates: int = 59) -> Selection:
    """Choose greedily among a few random candidates (Smola & Schölkopf 2000).

    Applies the criterion of ``greedy`` to a fresh random subset of the rows in each step; the best of 59 is,
    with probability 0.95, among the best 5 % of all. With all rows as candidates it is ``greedy``. c n kernel
    evaluations a step with c candidates; O(c m² n) in all.
    """
    partial, damping = PartialCholesky(K, m), pivot_damping(K)
    while partial.size < m:
        open_rows = np.flatnonzero(partial.residual > partial.floor)
        if not len(open_rows):
            break
        drawn_rows = rng.choice(open_rows, min(candidates, len(open_rows)), replace=False)
        order = np.argsort(drawn_rows)  # of equal rows the one drawn first wins
        chosen = drawn_rows[order]
        rows = partial.residual_rows(chosen)
        f = np.einsum("ij,ij->i", rows, rows)
        best = best_ratio(f, partial.residual[chosen], damping[chosen], partial.floor, order)
        partial.add(int(chosen[best]), rows[best])
        # Otherwise they would be held beside those of the next step.
        del rows
    return partial.selection(m)


def gain_of_candidates(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield the gain of ``greedy`` for the random candidates alone, NaN for all other rows."""
    for full, candidates in zip(gain(run), run.answers, strict=False):
        of_candidates = np.full(run.K.n, np.nan)
        of_candidates[candidates] = full[candidates]
        yield of_candidates


SGMA = Method(
    label="sparse greedy (SGMA)",
    source="Smola & Schölkopf 2000",
    sentence="As greedy, but each step looks at a few random candidates only.",
    complexity="O(c m²n)",
    select=sgma,
    family="pivoting",
    step_rule=StepRule("takes the best of a few random candidates", "gain", gain_of_candidates),
    stroke=("longdash", "cross"),
    nested=True,
    options=(
        Option(
            "candidates",
            "candidates c each step",
            59,
            bounds=(1, 1_000),
            sentence="The best of 59 is among the best 5 % of all rows with probability 0.95.",
            holds_rows=True,
        ),
    ),
    holds="factor",
    work=lambda size, options: (
        size.pivoting + float(options["candidates"]) * Work(size.nm, size.nm * size.m / 2.0)
    ),
    factors=1.05,
    rows=2.3,
)
