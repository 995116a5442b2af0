"""Landmarks that encode the data well: k-means centres, k-means++ seeds, farthest points."""

from collections.abc import Callable, Iterator

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import Work
from nysviz.landmarks.lloyd import lloyd
from nysviz.landmarks.selection import Method, Option, Selection, draw, equal_rows, residual_floor, tied
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.numerics.loops import first_of_largest
from nysviz.shortfall import Note, Shortfall


def kmeans(
    K: KernelMatrix, m: int, rng: np.random.Generator, iterations: int = 10, empty: str = "farthest"
) -> Selection:
    """Take the centres of Lloyd's algorithm from m random rows (Zhang, Tsang & Kwok 2008).

    Stops after ``iterations`` or when no row changes its cluster. An empty cluster restarts at the row
    farthest from its centre (``empty="farthest"``) or keeps its centre (``"keep"``). O(n m d) an iteration
    and no kernel evaluations. The centres are not data points.
    """
    start = K.X[rng.permutation(K.n)[:m]]
    restart = empty == "farthest"
    centres, emptied = lloyd(K.X, start, iterations, K.checkpoint, restart=restart)
    action = "restarted at the row farthest from its centre" if restart else "kept its centre"
    notes = (f"Times that an empty cluster {action}: {emptied}.",) if emptied else ()
    return Selection(points=centres, notes=notes)


KMEANS = Method(
    label="k-means centres",
    short="k-means",
    source="Zhang, Tsang & Kwok 2008",
    sentence="Takes the m centres of k-means, which encode the data with a small error.",
    complexity="O(nmd) an iteration",
    select=kmeans,
    family="quantization",
    step_rule=StepRule(
        "moves every centre to the mean of its cluster",
        "squared distance to the centre",
        "moves",
        landmark="centre",
    ),
    stroke=("solid", "square"),
    landmarks_are_data=False,
    options=(
        Option("iterations", "Lloyd iterations", 10, bounds=(1, 50)),
        Option(
            "empty",
            "empty clusters",
            "farthest",
            choices=("farthest", "keep"),
            sentence="They restart at the row farthest from its centre, or keep their centre.",
        ),
    ),
    work=lambda size, options: float(options["iterations"]) * size.nearest + size.factor,
)


def kmeanspp(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw rows by kernel k-means++ (Oglic & Gärtner 2017).

    The first row is uniform, each next one has p_i ∝ min over the chosen z of K_ii + K_zz − 2 K_iz, the
    squared distance in feature space. (m + 1) n kernel evaluations. Stops when every row coincides with a
    chosen one.
    """
    uniforms = rng.random(m)
    return _seeds(K, m, float(uniforms[0]), lambda gaps, t: int(draw(gaps, uniforms[t : t + 1])[0]))


def nearest_distance(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield K_ii + K_zz − 2 K_iz for the nearest chosen z; before the first pick, equal chances."""
    K = run.K.full()
    gaps = np.full(run.K.n, np.inf)
    for t, pivot in enumerate(run.pivots):
        if t == 0:
            yield np.full(run.K.n, 1.0 / run.K.n)
        else:
            yield gaps.copy()
        np.minimum(gaps, K.diagonal() + K[pivot, pivot] - 2.0 * K[pivot], out=gaps)
        gaps[gaps < run.floor] = 0.0


def distance_share(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield the squared distance to the nearest landmark as the probability with which k-means++ draws."""
    for gaps in nearest_distance(run):
        yield gaps / gaps.sum()


KMEANSPP = Method(
    label="kernel k-means++",
    source="Oglic & Gärtner 2017",
    sentence="Picks the next row more often the farther it lies, in feature space, from those chosen.",
    complexity="O(nmd)",
    select=kmeanspp,
    family="quantization",
    step_rule=StepRule(
        "draws each row in proportion to its squared distance from the landmarks",
        "probability",
        distance_share,
    ),
    stroke=("dash", "diamond"),
    nested=True,
    work=lambda size, options: size.columns_one_by_one + size.factor,
)


def farthest(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Choose the farthest points in feature space (Gonzalez 1985).

    The first row is random, each next one is the farthest from the chosen rows; the seed decides between
    distances within ``TIE`` of the largest, and the notes say how often there were several. (m + 1) n kernel
    evaluations. Stops when every row coincides with a chosen one.
    """
    first, order = float(rng.random()), rng.permutation(K.n)
    return _seeds(K, m, first, lambda gaps, t: first_of_largest(gaps, order), counts_ties=True)


FARTHEST = Method(
    label="farthest points",
    source="Gonzalez 1985",
    sentence="From a random first row on, always picks the row farthest from all chosen so far.",
    complexity="O(nmd)",
    select=farthest,
    family="quantization",
    step_rule=StepRule(
        "always takes the row farthest from its landmarks, in feature space",
        "squared distance",
        nearest_distance,
    ),
    stroke=("dot", "x"),
    extreme=True,
    nested=True,
    work=lambda size, options: size.columns_one_by_one + size.factor,
)


def _seeds(
    K: KernelMatrix,
    m: int,
    first: float,
    choose: Callable[[FloatArray, int], int],
    *,
    counts_ties: bool = False,
) -> Selection:
    """Choose rows by their squared distance, in feature space, from the nearest one chosen so far."""
    equals, ties = np.empty(0, dtype=np.intp), 0
    pivots = np.empty(m, dtype=np.intp)
    gaps = np.full(K.n, np.inf)
    floor = residual_floor(K)
    chosen = min(int(first * K.n), K.n - 1)
    for t in range(m):
        pivots[t] = chosen
        row = K.rows(pivots[t : t + 1])[0]
        row *= -2.0
        row += K.diagonal
        row += K.diagonal[chosen]
        np.minimum(gaps, row, out=gaps)
        gaps[gaps < floor] = 0.0
        ties += int(gaps[equals].any())
        if t + 1 == m:
            break
        if not gaps.any():
            sentence = f"After {t + 1} of {m} landmarks every row coincides with one of them."
            note = Note(sentence, Shortfall.ROWS_EXHAUSTED)
            return Selection(pivots=pivots[: t + 1], notes=(*tied(ties, t + 1), note))
        chosen = choose(gaps, t + 1)
        if counts_ties:
            equals = equal_rows(gaps)
    return Selection(pivots=pivots, notes=tied(ties, m))


def kmeanspp_lloyd(K: KernelMatrix, m: int, rng: np.random.Generator, iterations: int = 10) -> Selection:
    """Refine kernel k-means++ seeds by Lloyd steps in the instance space (Oglic & Gärtner 2017).

    A step is kept only if the kernel clustering potential Σ_i min_z (K_ii + K_zz − 2 K_iz) falls; otherwise
    the refinement ends. The centres are not data points. (m + 1) n kernel evaluations for the seeds and m n a
    step, O(n m d).
    """
    seeds = kmeanspp(K, m, rng)
    centres, steps = K.X[seeds.pivots], 0
    potential = kernel_potential(K, centres)
    while steps < iterations:
        moved = lloyd(K.X, centres, 1, K.checkpoint)[0]
        lower = kernel_potential(K, moved)
        if not lower < potential:
            break
        centres, potential, steps = moved, lower, steps + 1
    notes = seeds.notes
    if iterations and not steps:
        note = Note("No Lloyd step lowered the potential: the seeds are kept.", Shortfall.START_KEPT)
        notes = (*notes, note)
    return Selection(points=centres, notes=notes)


KMEANSPP_LLOYD = Method(
    label="kernel k-means++, refined",
    short="k-means++ refined",
    source="Oglic & Gärtner 2017",
    sentence="Moves k-means++ rows to the means of their clusters while that pays in feature space.",
    complexity="O(nmd) a step",
    select=kmeanspp_lloyd,
    family="quantization",
    stroke=("dashdot", "diamond-wide"),
    landmarks_are_data=False,
    options=(Option("iterations", "Lloyd steps at most", 10, bounds=(0, 50)),),
    # Each Lloyd step is judged by the kernel's entries.
    work=lambda size, options: (
        size.columns_one_by_one
        + (1.0 + float(options["iterations"])) * (Work(size.nm) + size.nearest)
        + size.factor
    ),
)


def kernel_potential(K: KernelMatrix, points: FloatArray) -> float:
    """Return Σ_i min_z (K_ii + K_zz − 2 K_iz), the k-means objective in feature space; n m evaluations."""
    against = K.kernel.against(points)
    squares = K.kernel.diag(points)
    nearest, size = np.empty(K.n), rows_per_block(K.n, points.shape[0])
    over_blocks(K.n, size, lambda i, j: (squares - 2.0 * against(K.X[i:j])).min(axis=1, out=nearest[i:j]))
    K.evaluations += points.shape[0] * (K.n + 1)
    return float(np.maximum(nearest + K.diagonal, 0.0).sum())
