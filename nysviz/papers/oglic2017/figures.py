"""Figures 1 to 3, the numbers of landmarks, the theorems and the chains of Oglic & Gärtner 2017.

``data`` of a row of figure 1 is the set's name and γ = 1/σ², ``elevators@gamma=0.0117 1/median``.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np

from nysviz.advice.data import SMALLEST_WIDTH, check_width, repeated_below
from nysviz.analysis.bounds import relative
from nysviz.analysis.spectrum import best_errors
from nysviz.datasets import load
from nysviz.datasets.scaling import standardise
from nysviz.kernels import Gaussian, check_sparse
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.measures import frobenius
from nysviz.papers.data import sample_rows
from nysviz.papers.oglic2017 import lift
from nysviz.papers.records import Row, rows, rows_of
from nysviz.refusal import Refusal
from nysviz.sweep import Job

# Points whose distances give the bandwidths, as in the paper's section 5.
POINTS = 5_000
STRIPE = 256


@dataclass(frozen=True)
class Bandwidths:
    """Values of γ = 1/σ², ascending, and the standard choice 1/median of the squared distances."""

    values: tuple[float, ...]
    standard: float


def bandwidths(X: FloatArray) -> Bandwidths:
    """Return ten bandwidths of a data set, evenly spaced in the logarithm; one if both ends are equal.

    From 1/(99th percentile) to 1/(1st percentile) of the squared distances between sampled points, the right
    end at least 1 (Oglic & Gärtner 2017, section 5): K is then close to the identity where features have unit
    variance. Choice: distances between equal rows are left out, since data with many repeated rows would have
    an infinite right end. O(min(n, ``POINTS``)² d).
    """
    rows = X if len(X) <= POINTS else X[np.random.default_rng(0).permutation(len(X))[:POINTS]]
    squares = squared_distances(rows)
    squares = squares[squares > repeated_below(rows, squares.max(initial=0.0))]
    if not len(squares):
        raise Refusal("All rows are (nearly) equal and suggest no bandwidth; choose other data.")
    near, median, far = (float(value) for value in np.percentile(squares, (1.0, 50.0, 99.0)))
    check_width(median)
    ends = 1.0 / far, max(1.0, 1.0 / max(near, SMALLEST_WIDTH))
    values = np.geomspace(*ends, 10) if ends[0] < ends[1] else np.array(ends[:1])
    return Bandwidths(tuple(float(value) for value in values), 1.0 / median)


def squared_distances(X: FloatArray) -> FloatArray:
    """Return ‖x_i − x_j‖² of all pairs i < j, (n (n − 1)/2,), in no particular order; O(n² d)."""
    n = len(X)
    moved = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", moved, moved)
    distances, position = np.empty(n * (n - 1) // 2), 0
    with one_blas_thread():
        for start in range(0, n, STRIPE):
            stop = min(n, start + STRIPE)
            gaps = squares[start:] - 2.0 * (moved[start:stop] @ moved[start:].T)
            gaps += squares[start:stop, None]
            above = gaps[~np.tri(stop - start, n - start, dtype=bool)]
            np.maximum(above, 0.0, out=distances[position : position + len(above)])
            position += len(above)
    return distances


def kernel_at(bandwidth: float) -> Gaussian:
    """Return the Gaussian kernel exp(−γ ‖x − y‖²/2) of Oglic's bandwidth γ = 1/σ²."""
    return Gaussian(bandwidth**-0.5)


# The paper takes all rows up to 25 000, whose matrix needs 5 GB; a sample is taken here.
ROWS = 5_000
NAMES = (*lift.PUBLISHED, *lift.REFINED, *lift.NEWCOMERS, lift.BEST)
TIMED = (lift.REFERENCE, *NAMES[:-1])
FOR_RANKS = (*lift.PUBLISHED[:2], "kmeanspp_lloyd", "rpcholesky")
STANDARD = "1/median"


def matrices_of(name: str, rows: int = ROWS, seed: int = 0) -> lift.Matrices:
    """Return the matrices of a data set's standardised rows, sampled where there are more (section 5)."""
    data = load(name)
    check_sparse(data.X, Gaussian(1.0))
    X, digest = sample_rows(data, rows, seed)
    return lift.Matrices(name, standardise(X), f"{digest}:standardised")


def bandwidth_of(data: str) -> float:
    """Return γ from the data name of a row."""
    return float(data.partition("@gamma=")[2].split()[0])


def figure1(
    name: str, repeats: int, seed: int, *, rows: int = ROWS, schemes: Sequence[str] = NAMES
) -> Iterator[Row]:
    """Yield figure 1: relative error and lift of every run, rank 100, at ten bandwidths and 1/median."""
    matrices = matrices_of(name, rows, seed)
    grid = bandwidths(matrices.X)
    yield from at_bandwidths("oglic-fig1", name, matrices, grid, schemes, repeats, seed)


def at_bandwidths(
    experiment: str,
    label: str,
    matrices: lift.Matrices,
    grid: Bandwidths,
    schemes: Sequence[str],
    repeats: int,
    seed: int,
    rule: str = "k",
) -> Iterator[Row]:
    """Yield relative errors and lifts at each bandwidth and at 1/median; ``label`` names the data."""
    rank = lift.rank_for(len(matrices.X))
    for value in sorted({*grid.values, grid.standard}):
        jobs = lift.lift_jobs(matrices, [kernel_at(value)], schemes, [rank], repeats, seed, rule=rule)
        mark = f" {STANDARD}" if value == grid.standard else ""
        yield from lift_rows(experiment, jobs, f"{label}@gamma={value:.6g}{mark}")


def figure2(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield figure 2: error and seconds of one approximation without a given K, one run at a time."""
    matrices = matrices_of(name, ROWS, seed)
    rank = lift.rank_for(len(matrices.X))
    with ThreadPoolExecutor(1) as alone:
        for value in bandwidths(matrices.X).values:
            jobs = lift.lift_jobs(matrices, [kernel_at(value)], TIMED, [rank], repeats, seed, at_hand=False)
            timed = rows_of("oglic-fig2", jobs, "relative_frobenius", name=lift.scheme_of, executor=alone)
            yield from (row._replace(data=f"{name}@gamma={value:.6g}") for row in timed)


def figure3(
    name: str, repeats: int, seed: int, *, rows: int = ROWS, schemes: Sequence[str] = NAMES
) -> Iterator[Row]:
    """Yield figure 3: relative error and lift at 1/median; ``m`` is both the rank and the landmarks."""
    matrices = matrices_of(name, rows, seed)
    kernel, ranks = kernel_at(bandwidths(matrices.X).standard), lift.ranks_for(len(matrices.X))
    jobs = lift.lift_jobs(matrices, [kernel], schemes, ranks, repeats, seed)
    yield from lift_rows("oglic-fig3", jobs, name)


def landmark_rules(
    name: str, repeats: int, seed: int, *, rows: int = ROWS, schemes: Sequence[str] = FOR_RANKS
) -> Iterator[Row]:
    """Yield figure 1 with k, k ln k and k ln n landmarks and rank k (section 5)."""
    matrices = matrices_of(name, rows, seed)
    grid = bandwidths(matrices.X)
    for rule in lift.LANDMARKS:
        yield from at_bandwidths("oglic-ranks", name, matrices, grid, schemes, repeats, seed, rule)


def lift_rows(experiment: str, jobs: Iterable[Job], data: str) -> Iterator[Row]:
    """Yield the relative error of every run of one kernel, as runs finish, and their lifts at the end."""
    errors = []
    for row in rows_of(experiment, jobs, "relative_frobenius", name=lift.scheme_of):
        row = row._replace(data=data, value=max(row.value, lift.ROUNDING))
        errors.append(row)
        yield row
    uniform = [row for row in errors if row.method == lift.REFERENCE]
    for row, reference in product(errors, uniform):
        # Paired by the repeat; a method without randomness with every repeat.
        paired = reference.repeat == row.repeat or not lift.SCHEMES[row.method].random
        if row.method != lift.REFERENCE and reference.m == row.m and paired:
            yield row._replace(repeat=reference.repeat, measure="lift", value=reference.value / row.value)


SAMPLE = 2_000  # random rows of larger sets: all eigenvectors of K are needed
# Numbers of rows of two large sets, to show how the outcome depends on n.
SIZES = (500, 1_000, 4_000)


def lift_at_sizes(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the errors of figure 1 at other numbers of rows n and the same γ; the data is "name n"."""
    grid, schemes = bandwidths(matrices_of(name, SAMPLE, seed).X), (*lift.PUBLISHED, "kmeanspp_lloyd")
    for n in SIZES:
        matrices = matrices_of(name, n, seed)
        yield from at_bandwidths("oglic-rows", f"{name} {n}", matrices, grid, schemes, repeats, seed)


def chains(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the relative error of the k-DPP chain, ``dpp_start_steps``, at γ = 1/median."""
    matrices = matrices_of(name, SAMPLE, seed)
    (n, d), X = matrices.X.shape, matrices.X
    kernel = kernel_at(bandwidths(X).standard)
    K, m = matrices.at(kernel), lift.rank_for(n)
    for repeat, start, steps in product(range(repeats), ("uniform", "kmeanspp"), (1, 10, 100, 1_000)):
        matrix = KernelMatrix(X, kernel, dense=K)
        a = approximate(X, kernel, "dpp", m, seed + repeat, matrix=matrix, start=start, steps=steps)
        error = frobenius(K - a.factor @ a.factor.T) / frobenius(K)
        head = ("oglic-chain", name, n, d, f"dpp_{start}_{steps}", m, repeat)
        yield Row(*head, "relative_frobenius", error, a.seconds)


def guarantees(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield errors over the best of the same rank, potentials over the best known, and their bounds.

    γ is 1/median. ``over_best`` is ‖K − K̃‖ / ‖K − K_k‖ of k landmarks of kernel k-means++; ``bound`` that of
    theorem 4 with its Θ from the best of ``repeats`` runs of Lloyd with k + 1 clusters, and
    ``outside_share`` the part of their centroids outside the top k eigenvectors, which is 0 where theorem 1
    holds. ``potential`` is that of the seeds over the best clustering's, ``potential_bound`` 8(ln k + 2).
    """
    matrices = matrices_of(name, SAMPLE, seed)
    kernel = kernel_at(bandwidths(matrices.X).standard)
    K, (n, d) = matrices.at(kernel), matrices.X.shape
    with one_blas_thread():
        values, vectors = np.linalg.eigh(K)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    features = relative.feature_rows(values, vectors)
    for k in (5, 20, 50):
        head = ("oglic-theorems", name, n, d, "kmeanspp", k)
        best = best_errors(values, k)[0]
        clusters = relative.best_clustering(features, k + 1, repeats, seed)
        inside = relative.theta(features, clusters.labels, k, best)
        fixed = {
            "bound": relative.oglic_bound(k, n, inside),
            "outside_share": relative.outside_share(features, clusters.labels, k),
            "potential_bound": relative.arthur_bound(k + 1),
        }
        yield from rows((*head, 0), fixed)
        for repeat in range(repeats):
            matrix = KernelMatrix(matrices.X, kernel, dense=K)
            a = approximate(matrices.X, kernel, "kmeanspp", k, seed + repeat, matrix=matrix)
            measured = {
                "over_best": frobenius(K - a.factor @ a.factor.T) / best,
                "potential": clusters.seed_potentials[repeat] / clusters.potential,
            }
            yield from rows((*head, repeat), measured)
