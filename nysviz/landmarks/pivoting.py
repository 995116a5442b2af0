"""Pivot rules of partial Cholesky factorisations: the largest residual, or one drawn by it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import Options, Size, Work
from nysviz.landmarks.partial_cholesky import LeanCholesky, PartialCholesky
from nysviz.landmarks.selection import (
    Method,
    Option,
    Selection,
    draw,
    equal_rows,
    tied,
)
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.loops import (
    accept_proposals,
    filter_proposals,
    first_of_largest,
)

# Proposals in a rejection round: few at first, more while most are accepted, fewer when hardly any is. The
# rule looks at the past only, so that the first picks do not depend on how many are asked for.
FIRST_PROPOSALS = 16
MOST_PROPOSALS = 256
# A row of a block is rejected where the others leave less than this part of the residual that it was drawn
# by: its column would be known to few digits, and extrapolate them to rows far from the block. At 1e-8 K̃
# overshoots K on data with heavy tails; a larger part would keep alike rows out, which ``rpcholesky`` is for.
LEAST_SHARE = 1e-6
# Of the accelerated form of randomly pivoted Cholesky: columns for each landmark, since some are rejected,
# and passes over them where they are not held.
PROPOSED, LEAN_PASSES = 1.1, 3.0


def icd(K: KernelMatrix, m: int, rng: np.random.Generator, first: str = "lowest") -> Selection:
    """Incomplete Cholesky with the largest residual diagonal as pivot (Fine & Scheinberg 2001).

    Of a Gaussian process that is the point of the largest conditional variance, under which name it chooses
    inducing points (Burt, Rasmussen & van der Wilk 2020).

    Where all k(x, x) are equal the first pivot is row 0, whatever the data; ``first="random"`` draws it from
    the equal ones, which shows how much it decides. Later on the seed decides between residuals within
    ``TIE`` of the largest, equal but for rounding, and the notes say at how many pivots there were several.

    (m + 1) n kernel evaluations, O(m² n). Stops when the residual reaches rounding.
    """
    partial = PartialCholesky(K, m)
    if partial.residual.max() > partial.floor:
        largest = equal_rows(partial.residual)
        partial.add(int(rng.choice(largest) if first == "random" else largest[0]))
    order, ties = rng.permutation(K.n), 0
    while partial.size < m:
        pivot = first_of_largest(partial.residual, order)
        if partial.residual[pivot] <= partial.floor:
            break
        equals = equal_rows(partial.residual)
        partial.add(pivot)
        ties += int((partial.residual[equals] > partial.floor).any())
    selection = partial.selection(m)
    return replace(selection, notes=(*tied(ties, partial.size), *selection.notes))


def residual_diagonal(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield R_ii before each pick, the criterion of incomplete Cholesky."""
    for t in range(len(run.pivots)):
        yield run.open_diagonal(t)


ICD = Method(
    label="incomplete Cholesky",
    source="Fine & Scheinberg 2001; Bach & Jordan 2005",
    sentence="Always picks the row that is reproduced worst so far; of a Gaussian process, the one with "
    "the largest conditional variance.",
    complexity="O(m²n)",
    select=icd,
    family="pivoting",
    step_rule=StepRule("always takes the row with the largest residual", "residual", residual_diagonal),
    stroke=("dot", "triangle-down"),
    extreme=True,
    nested=True,
    random=False,
    options=(
        Option(
            "first",
            "first pivot",
            "lowest",
            choices=("lowest", "random"),
            sentence="Of the rows with the largest K_ii: all rows, for a Gaussian kernel.",
        ),
    ),
    holds="factor",
    work=lambda size, options: size.pivoting,
    factors=1.25,
)


def rpcholesky(K: KernelMatrix, m: int, rng: np.random.Generator, form: str = "accelerated") -> Selection:
    """Randomly pivoted Cholesky (Chen, Epperly, Tropp & Webber 2022): p_i ∝ residual diagonal.

    ``form="accelerated"`` draws many proposals at once and rejects (Epperly, Tropp & Webber 2024), which
    has the same distribution as ``"simple"``, one pivot after the other, and turns the work into matrix
    products. (m + 1) n kernel evaluations plus b² a round of b proposals; O(m² n).

    Where the factor is too large to be held, the accelerated form holds the pivots' triangle alone and
    evaluates their columns again each round: some 2 to 4 times as many evaluations, O(n + m²) memory.
    """
    if form == "simple":
        whole = PartialCholesky(K, m)
        while _has_rows(whole, m):
            whole.add(int(draw(whole.residual, rng.random(1))[0]))
        return whole.selection(m)
    lean = not memory.is_held(K.n, m)
    partial: PartialCholesky | LeanCholesky = LeanCholesky(K, m) if lean else PartialCholesky(K, m)
    proposals = min(FIRST_PROPOSALS, K.n)
    while _has_rows(partial, m):
        candidates = draw(partial.residual, rng.random(proposals))
        accepted, triangle = _rejection(partial, candidates, rng.random(proposals), m - partial.size)
        if len(accepted):
            partial.add_block(accepted, triangle)
        if 2 * len(accepted) > proposals:
            proposals = min(2 * proposals, MOST_PROPOSALS)
        elif 8 * len(accepted) < proposals:
            proposals = max(proposals // 2, FIRST_PROPOSALS)
    return partial.selection(m)


def drawn_pivots_work(size: Size, options: Options) -> Work:
    """Return the work of pivots drawn at random, in blocks or one after the other."""
    if options["form"] == "simple":
        return size.pivoting
    passes = 1.0 if size.is_held else LEAN_PASSES
    return Work(PROPOSED * passes * size.nm, 2.0 * size.nm * size.m)


def residual_share(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield R_ii / tr R, the probabilities of randomly pivoted Cholesky in both forms."""
    for diagonal in residual_diagonal(run):
        yield diagonal / diagonal.sum()


RPCHOLESKY = Method(
    label="randomly pivoted Cholesky",
    short="RPCholesky",
    source="Chen, Epperly, Tropp & Webber 2022; Epperly, Tropp & Webber 2024",
    sentence="Picks the next row with a probability that grows with its own residual.",
    complexity="O(m²n)",
    select=rpcholesky,
    family="pivoting",
    step_rule=StepRule("draws each row in proportion to its residual", "probability", residual_share),
    stroke=("solid", "triangle-up"),
    nested=True,
    options=(Option("form", "form", "accelerated", choices=("accelerated", "simple")),),
    holds="factor",
    lean=("form", "accelerated"),
    work=drawn_pivots_work,
    factors=1.4,
)


def rpcholesky_block(
    K: KernelMatrix, m: int, rng: np.random.Generator, block: int = 20, filtering: str = "plain"
) -> Selection:
    """Block randomly pivoted Cholesky (Chen, Epperly, Tropp & Webber 2022): p_i ∝ residual diagonal.

    Each block of rows is drawn, with replacement, by the residual before it, and those are kept of which the
    rows before leave more than ``LEAST_SHARE``: rows that are much alike may come together, which
    ``rpcholesky`` rejects (Epperly, Tropp & Webber 2024). With blocks of one row it draws as that does.
    (m + 1) n kernel evaluations and b² a block; O(m² n).

    ``filtering="robust"`` keeps fewer of the rows B that a block has drawn, and the others go back: of the
    residual matrix R it takes pivots C among B, the largest first, until tr(R_BB − R_BC R_CC⁻¹ R_CB) ≤
    tr R_BB / b (Dong, Chen, Martinsson & Pearce 2023, with their τ_b = 1/b). They draw B without replacement,
    and fewer rows for the last block; here that is the first part of a whole one, in the order of drawing, so
    that the first pivots do not depend on m. Where the data have clusters, hardly any two rows of a block are
    then of the same one; rows far from all others are chosen more often. Up to 2 b² evaluations a block.
    """
    partial = PartialCholesky(K, m)
    while _has_rows(partial, m):
        candidates = draw(partial.residual, rng.random(block))
        if filtering == "robust":
            candidates = _distinct(candidates)
            H = _residual_matrix(partial, candidates)
            candidates = _filtered(candidates, H, block, partial.floor)
        shares = np.full(len(candidates), LEAST_SHARE)
        accepted, triangle = _rejection(partial, candidates, shares, m - partial.size)
        partial.add_block(accepted, triangle)
    return partial.selection(m)


def block_places(run: RecordedRun) -> list[tuple[int, int, int]]:
    """Return block, place in the block and size of the block of every pick, counted from 1.

    A block's rows are those of its draws, in order, that were not rejected.
    """
    places: list[tuple[int, int, int]] = []
    for block, numbers in enumerate(run.answers, 1):
        diagonal, size, later_pivots = run.open_diagonal(len(places)), 0, run.pivots[len(places) :].tolist()
        candidates = draw(diagonal, numbers)
        if run.options["filtering"] == "robust":
            candidates = _distinct(candidates)
            factor_rows = run.factor[candidates, : run.ranks[len(places)]]
            H = run.K.entries(candidates, candidates) - factor_rows @ factor_rows.T
            np.fill_diagonal(H, diagonal[candidates])
            candidates = _filtered(candidates, H, len(numbers), run.floor)
        for row in candidates:
            size += later_pivots[size : size + 1] == [row]
        places += [(block, place, size) for place in range(1, size + 1)]
    return places


def block_share(run: RecordedRun) -> Iterator[FloatArray]:
    """R_ii / tr R before the block, with which all rows of it are drawn."""
    for t, (_, place, _) in enumerate(block_places(run)):
        weights = run.open_diagonal(t - place + 1)
        yield weights / weights.sum()


RPCHOLESKY_BLOCK = Method(
    label="block randomly pivoted Cholesky",
    short="block RPCholesky",
    source="Chen, Epperly, Tropp & Webber 2022; Dong, Chen, Martinsson & Pearce 2023; Epperly, Tropp & "
    "Webber 2024",
    sentence="Draws rows by their residuals, a block at a time: those of a block may be much alike.",
    complexity="O(m²n)",
    select=rpcholesky_block,
    family="pivoting",
    step_rule=StepRule(
        "draws blocks of rows, each in proportion to the residual before",
        "probability",
        block_share,
        rounds=block_places,
    ),
    stroke=("9px,3px,2px,3px,2px,3px", "triangle-up-open"),
    nested=True,
    options=(
        Option(
            "block",
            "rows a block b",
            20,
            bounds=(1, 1_000),
            sentence="Large blocks are faster; with 1 it is randomly pivoted Cholesky itself.",
        ),
        Option(
            "filtering",
            "filter of a block",
            "plain",
            choices=("plain", "robust"),
            sentence="Plain: of rows that are all but equal one is kept. Robust: rows that the others of "
            "the block mostly reproduce are not kept either, which helps where the data have clusters.",
        ),
    ),
    holds="factor",
    work=lambda size, options: Work(size.nm, 2.0 * size.nm * size.m),
    factors=1.25,
)


def _has_rows(partial: PartialCholesky | LeanCholesky, m: int) -> bool:
    """Set residuals within rounding to 0; return whether fewer than m pivots and other residuals remain."""
    partial.residual[partial.residual <= partial.floor] = 0.0
    return partial.size < m and bool(partial.residual.any())


def _distinct(candidates: IntArray) -> IntArray:
    """Return each row once, in the order of the first draws."""
    return candidates[np.sort(np.unique(candidates, return_index=True)[1])]


def _filtered(candidates: IntArray, H: FloatArray, block: int, floor: float) -> IntArray:
    """Return the rows, in their order, that the robust filter keeps; H is their residual matrix."""
    places = np.empty(len(H), dtype=np.intp)
    return candidates[np.sort(places[: filter_proposals(H, 1.0 / block, floor, places)])]


def _residual_matrix(partial: PartialCholesky | LeanCholesky, candidates: IntArray) -> FloatArray:
    """Return the rows and columns ``candidates`` of K − Fᵀ F, (b, b); b² evaluations."""
    H = partial.K.entries(candidates, candidates)
    columns = partial.factor_columns(candidates)
    H -= columns.T @ columns
    # The diagonal by which the candidates were drawn, so that they are weighed against the same numbers.
    np.fill_diagonal(H, partial.residual[candidates])
    return H


def _rejection(
    partial: PartialCholesky | LeanCholesky, candidates: IntArray, uniforms: FloatArray, limit: int
) -> tuple[IntArray, FloatArray]:
    """Accept or reject the candidates in turn; return the accepted ones and their triangular factor."""
    H = _residual_matrix(partial, candidates)
    L = np.zeros_like(H)
    places = np.empty(len(H), dtype=np.intp)
    rank = accept_proposals(H, uniforms, partial.floor, limit, L, places)
    places = places[:rank]
    return candidates[places], L[np.ix_(places, np.arange(rank))]
