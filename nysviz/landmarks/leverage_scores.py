"""Sampling by ridge leverage scores: exact, from a uniform sketch, by recursion, and along a path of λ."""

import math
from dataclasses import replace

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import Options, Size, Work
from nysviz.landmarks.nystroem import nystroem_factor, positive_eigenpairs, projection_of
from nysviz.landmarks.sampling import with_replacement
from nysviz.landmarks.selection import (
    RESIDUAL_FLOOR,
    Method,
    Option,
    Selection,
    draw,
    draw_distinct,
    residual_floor,
)
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.factor_rows import FactorRows
from nysviz.numerics.lapack.symmetric import cholesky
from nysviz.numerics.lapack.triangular import solve_in_place
from nysviz.shortfall import Shortfall, note_if

# Rows of K against the sample that are held at once while the recursive scores are computed.
LEVEL_ROWS = 8_192
# Most halvings of λ along the path of BLESS; after 40, λ is 1e-12 n κ², the size of rounding.
MOST_HALVINGS = 40

_RIDGE = Option(
    "ridge",
    "ridge, times the mean tail",
    1.0,
    bounds=(1e-6, 1e6),
    sentence="A small ridge asks for the fine detail of K, a large one for its leading directions alone.",
)
_REPLACEMENT = Option(
    "replacement",
    "rows drawn",
    "with",
    choices=("with", "without"),
    sentence="With replacement, as in the papers, a row may come twice and then adds nothing.",
)


def leverage(
    K: KernelMatrix, m: int, rng: np.random.Generator, ridge: float = 1.0, replacement: str = "with"
) -> Selection:
    """Draw m rows with p_i ∝ ℓ_i = (K (K + λI)⁻¹)_ii, the exact ridge leverage scores.

    λ is ``ridge`` times the mean tail (1/m) Σ_{i>m} λ_i of the eigenvalues (Cohen, Musco & Musco 2017), with
    which the scores sum to at most (1 + 1/``ridge``) m. n² kernel evaluations, O(n³).
    """
    values, vectors = K.eigenpairs(K.n)
    values = np.maximum(values, 0.0)
    shift = _ridge(float(values[m:].sum()), m, ridge, float(values.sum()))
    # A matrix of zeros has no scores, and a shift of 0.
    parts = np.divide(values, values + shift, out=np.zeros_like(values), where=values > 0)
    scores = np.einsum("ij,ij,j->i", vectors, vectors, parts)
    return draw_by(scores, m, rng, replacement)


LEVERAGE = Method(
    label="ridge leverage scores, exact",
    short="ridge leverage",
    source="Alaoui & Mahoney 2015; Cohen, Musco & Musco 2017",
    sentence="Draws rows by their exact influence on a ridge regression with the kernel.",
    complexity="O(n³)",
    select=leverage,
    family="leverage",
    stroke=("solid", "bowtie"),
    options=(_RIDGE, _REPLACEMENT),
    holds="matrix",
    reads=True,
    work=lambda size, options: size.whole + size.eigenpairs + size.factor,
    matrices=4.0,
)


def leverage_approx(
    K: KernelMatrix,
    m: int,
    rng: np.random.Generator,
    oversampling: float = 2.0,
    ridge: float = 1.0,
    replacement: str = "with",
) -> Selection:
    """Draw m rows by approximate ridge leverage scores (Alaoui & Mahoney 2015; Gittens & Mahoney 2016).

    ℓ_i = B_i (BᵀB + λI)⁻¹ B_iᵀ with B Bᵀ ≈ K from p = ``oversampling`` · m uniform columns, and λ = ``ridge``
    (tr K − Σ_{i≤m} θ_i)/m, θ the eigenvalues of BᵀB. (p + 1) n kernel evaluations, O(n p²).
    """
    sketch = rng.permutation(K.n)[: min(K.n, math.ceil(oversampling * m))]
    if memory.is_held(K.n, len(sketch)):
        columns = K.columns(sketch)
        factor = nystroem_factor(columns, columns[sketch], K.rounding)[0]
        B = FactorRows.of_array(factor)
    else:
        projection = projection_of(K.entries(sketch, sketch), K.rounding)[0]
        against = K.kernel.against(K.X[sketch])
        B = FactorRows(K.X, lambda X: against(X) @ projection, projection.shape[1], len(sketch))
        # B is made twice, a block at a time.
        K.evaluations += 2 * K.n * len(sketch)
    values, vectors = positive_eigenpairs(B.gram())
    total = float(K.diagonal.sum())
    turn = vectors / np.sqrt(values + _ridge(total - float(values[:m].sum()), m, ridge, total))
    scores = np.empty(K.n)

    def block(start: int, stop: int, rows: FloatArray) -> None:
        K.checkpoint()
        turned = rows @ turn
        scores[start:stop] = np.einsum("ij,ij->i", turned, turned)

    B.over(block)
    return draw_by(scores, m, rng, replacement)


def sketch_work(size: Size, options: Options) -> Work:
    """Return the work of leverage scores from a uniform sketch, and of the factor."""
    p = min(size.n, math.ceil(options["oversampling"] * size.m))
    passes = 1.0 if memory.is_held(size.n, p) else 2.0
    return passes * Work(float(size.n) * p, 4.0 * float(size.n) * p**2) + size.factor


LEVERAGE_APPROX = Method(
    label="ridge leverage scores, approximate",
    short="approximate leverage",
    source="Alaoui & Mahoney 2015; Gittens & Mahoney 2016",
    sentence="Draws rows by leverage scores that a first, uniform approximation estimates.",
    complexity="O(np²)",
    select=leverage_approx,
    family="leverage",
    stroke=("dash", "bowtie-open"),
    options=(
        Option(
            "oversampling",
            "sketch size p, times m",
            2.0,
            bounds=(0.1, 20.0),
            sentence="A larger uniform sketch gives truer scores and takes longer.",
        ),
        _RIDGE,
        _REPLACEMENT,
    ),
    work=sketch_work,
    factors=6.4,
)


def _ridge(tail: float, m: int, ridge: float, trace: float) -> float:
    # Where K has rank m or less nothing is left in the tail, and λ = 0 would divide by zero.
    return ridge * max(tail / m, RESIDUAL_FLOOR * abs(trace))


def draw_by(scores: FloatArray, m: int, rng: np.random.Generator, replacement: str) -> Selection:
    """Draw m rows with probabilities proportional to their scores, (n,), with or without replacement."""
    if replacement == "with":
        return with_replacement(scores, m, rng)
    pivots = draw_distinct(scores, m, rng)
    sentence = f"Only {len(pivots)} of {m} rows have a leverage score above 0."
    return Selection(pivots=pivots, notes=note_if(len(pivots) < m, Shortfall.ROWS_EXHAUSTED, sentence))


def rls(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw m rows by recursive ridge leverage scores (Musco & Musco 2017, algorithm 3).

    The rows are halved at random until about m of them are left: the first sample. On each level up, the
    sample gives the ridge leverage scores of twice as many rows, by which about m of them are kept
    independently and weighted; on the top level m rows are drawn without replacement. About 2 m n kernel
    evaluations and O(n m²).
    """
    order = rng.permutation(K.n)
    sizes = [K.n]
    while sizes[-1] > m:
        sizes.append(-(-sizes[-1] // 2))
    oversampling = max(1.0, math.log(m))
    rank = max(1, math.ceil(m / (4.0 * oversampling)))
    sample = order[: sizes[-1]]
    weights = np.ones(len(sample))
    for size in sizes[-2:0:-1]:
        level = order[:size]
        chances = np.minimum(1.0, oversampling * recursive_scores(K, level, sample, weights, rank))
        kept_places = np.flatnonzero(rng.random(size) < chances)
        if not len(kept_places):
            # All scores are rounding: any rows of this level are as good.
            kept_places, chances = np.arange(min(m, size)), np.full(size, min(1.0, m / size))
        sample, weights = level[kept_places], 1.0 / np.sqrt(chances[kept_places])
    scores = np.minimum(1.0, recursive_scores(K, np.arange(K.n), sample, weights, rank))
    return draw_by(scores, m, rng, "without")


RLS = Method(
    label="recursive ridge leverage scores",
    short="recursive leverage",
    source="Musco & Musco 2017",
    sentence="Estimates leverage scores from ever larger random halves of the rows, then draws by them.",
    complexity="O(nm²)",
    select=rls,
    family="leverage",
    stroke=("dashdot", "hourglass"),
    work=lambda size, options: 2.0 * Work(size.nm, size.nm * size.m) + size.factor,
)


def recursive_scores(
    K: KernelMatrix, rows: IntArray, sample: IntArray, weights: FloatArray, rank: int
) -> FloatArray:
    """Estimate the ridge leverage scores of rows (b,) from a weighted sample (s,) (Musco & Musco 2017).

    ℓ_i = (K_ii − K_iS (K_SS + λ D⁻²)⁻¹ K_Si) / λ with D the weights, inverse square roots of the chances with
    which the sample was kept, and λ the mean tail (1/k) Σ_{j>k} of the eigenvalues of D K_SS D, or (1/k) Σ_j
    where the sample has no more than k = ``rank`` rows. (b + s) s kernel evaluations, O(b s²).
    """
    inner = K.entries(sample, sample)
    weighted = inner * np.outer(weights, weights)
    values = np.maximum(np.linalg.eigvalsh(weighted), 0.0)
    # A sample of at most k rows shows no tail; with λ = 0 every row would be kept, at a cost of n². The whole
    # trace in its place keeps about as many rows as usual.
    tail = float(values[: len(values) - rank].sum() if len(values) > rank else values.sum())
    shift = _ridge(tail, rank, 1.0, max(float(values.sum()), float(K.diagonal.sum())))
    return _scores_by(K, rows, sample, inner, weights, shift)


def bless(K: KernelMatrix, m: int, rng: np.random.Generator, sample_size: float = 2.0) -> Selection:
    """Draw m rows by leverage scores along a path of λ (BLESS; Rudi, Calandriello et al. 2018, algorithm 1).

    λ starts at n κ², κ² the largest k(x, x), and is halved in each step. At each λ the scores of 2 n κ²/λ
    random rows, or of all, follow from the weighted sample before; by these scores, ``sample_size``
    times the effective dimension are drawn with replacement for the next sample (q = q₁ = 2 and q₂ of the
    paper). The path ends when the effective dimension reaches m, or after ``MOST_HALVINGS``. Then m rows are
    drawn without replacement; the paper leaves this step open. Up to about n m kernel evaluations a step, O(n
    m²).
    """
    largest = K.n * float(K.diagonal.max())
    sample, weights = np.empty(0, dtype=np.intp), np.empty(0)
    for halvings in range(1, MOST_HALVINGS + 1):
        looked = rng.permutation(K.n)[: 2 * 2**halvings]
        inner, shift = K.entries(sample, sample), largest / 2**halvings
        scores = np.minimum(1.0, _scores_by(K, looked, sample, inner, weights, shift))
        dimension = float(scores.mean()) * K.n
        if min(dimension, len(looked)) >= m:
            break
        if dimension > 0:
            count = math.ceil(sample_size * dimension)
            draws = draw(scores, rng.random(count))
            sample = looked[draws]
            # Each row's expected number of draws, over the part of the rows that was looked at.
            weights = 1.0 / np.sqrt(count * scores[draws] / dimension)
    chosen = draw_by(scores, m, rng, "without")
    return replace(chosen, pivots=looked[chosen.pivots])


def path_work(size: Size, options: Options) -> Work:
    """Return the work of leverage scores along a path of λ for a smooth kernel, and of the factor."""
    rows = float(options["sample_size"]) * math.log2(size.m + 1) / 2.0 * size.nm
    return Work(rows, rows * size.m / 2.0) + size.factor


BLESS = Method(
    label="bottom-up leverage scores (BLESS)",
    short="BLESS",
    source="Rudi, Calandriello, Carratino & Rosasco 2018",
    sentence="Estimates leverage scores for an ever smaller ridge, each time from ever more rows.",
    complexity="O(nm²) at most",
    select=bless,
    family="leverage",
    stroke=("dot", "hourglass-open"),
    options=(
        Option(
            "sample_size",
            "sample size, times the effective dimension",
            2.0,
            bounds=(0.5, 20.0),
            sentence="A larger sample gives truer scores and takes longer.",
        ),
    ),
    work=path_work,
)


def _scores_by(
    K: KernelMatrix, rows: IntArray, sample: IntArray, inner: FloatArray, weights: FloatArray, shift: float
) -> FloatArray:
    """Return (K_ii − K_iS (K_SS + λ D⁻²)⁻¹ K_Si) / λ, (b,); K_SS is ``inner``, D the weights, λ the shift."""
    if shift == 0:
        return np.zeros(len(rows))
    # Where weights are large the shift alone may be less than what rounding takes from the eigenvalues.
    inner[np.diag_indices_from(inner)] += np.maximum(shift / weights**2, residual_floor(K))
    L = cholesky(inner, overwrite=True)
    explained = np.empty(len(rows))
    for start in range(0, len(rows), LEVEL_ROWS):
        block = K.entries(rows[start : start + LEVEL_ROWS], sample)
        solve_in_place(L, block.T)
        explained[start : start + LEVEL_ROWS] = np.einsum("ij,ij->i", block, block)
    return np.maximum(K.diagonal[rows] - explained, 0.0) / shift
