"""Figure 1, relative accuracy and seconds of rank-d approximations against columns, and the recursions.

Relative accuracy is ‖K − K_d‖_F / ‖K − K̃_{S,d}‖_F: 1 where the l columns give the best rank d of all.
**Choices** that the paper leaves open: d = 20; pixels divided by 255, with which σ = 10 is near the size of
the pictures' distances; words as counts.
"""

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import numpy as np
from scipy import sparse

from nysviz import landmarks
from nysviz.analysis.spectrum import spectrum
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, Kernel, Linear, default_width
from nysviz.landmarks.nystroem import nystroem_factor
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.nystroem.approximation import approximate, checked_count
from nysviz.nystroem.curves import CANCELLATION, residual_frobenius
from nysviz.nystroem.measures import frobenius
from nysviz.nystroem.nested import nested
from nysviz.papers.data import sample_rows
from nysviz.papers.records import Row, rows, rows_of
from nysviz.refusal import Refusal
from nysviz.sweep import Job, Problem, Record, jobs_of, sweep_jobs

METHODS = ("uniform", "adaptive_full", "adaptive_partial", "kmeans", "sgma", "greedy", "partition_greedy")
D = 20
# Every run is measured at all of these d, which costs next to nothing.
RANKS = (5, 10, 15, 20, 30, 40, 50, 75, 100)
SECONDS_REPEATS = 3
# Even steps in the number of columns, up to 10 % of n; seconds are taken at some of them.
STEPS = 10
SECONDS_STEPS = (0, 1, 3, 5, 7, 9)
# The paper's MNIST-4K; larger sets give as many rows, drawn with a fixed seed.
ROWS = 4_000
SAMPLE_SEED = 0


def truncations(
    K: FloatArray, G: FloatArray, B: FloatArray, image: FloatArray, gram: FloatArray, ds: Sequence[int]
) -> dict[str, FloatArray]:
    """Return ‖K − K̃_d‖_F at several d of two rank-d approximations, "relative" and "classical".

    The factor G of K̃ has the rows B at the landmarks, so that W = B Bᵀ and C = G Bᵀ. The
    best rank d of K̃ is G T Tᵀ Gᵀ with T the leading eigenvectors of GᵀG = ``gram``; the classical
    approximation C V_d Λ_d⁻¹ V_dᵀ Cᵀ from the eigenpairs of W alone is the same with those of BᵀB. ``image``
    is GᵀKG; each costs an eigenproblem of the size of GᵀG.
    """
    with one_blas_thread():
        turns = {"relative": eigh(gram)[1][:, ::-1], "classical": eigh(B.T @ B)[1][:, ::-1]}
        return {name: _errors(K, G, image, gram, turn, ds) for name, turn in turns.items()}


def _errors(
    K: FloatArray, G: FloatArray, image: FloatArray, gram: FloatArray, turn: FloatArray, ds: Sequence[int]
) -> FloatArray:
    """Return ‖K − H Hᵀ‖_F, H = G T_d, from ‖K‖² − 2 tr(T_dᵀ GᵀKG T_d) + ‖T_dᵀ GᵀG T_d‖² at each d."""
    total = frobenius(K) ** 2
    cross = np.cumsum(np.einsum("ij,ij->j", turn, image @ turn))
    squares = np.cumsum(np.cumsum((turn.T @ gram @ turn) ** 2, axis=0), axis=1).diagonal()
    column_counts = np.minimum(np.asarray(ds), turn.shape[1])
    if not turn.shape[1]:
        return np.full(len(column_counts), np.sqrt(total))
    result: FloatArray = np.sqrt(np.maximum(total - 2.0 * cross + squares, 0.0))[column_counts - 1]
    for i in np.flatnonzero(result <= CANCELLATION * np.sqrt(total)):
        # The difference above has lost half of its digits.
        result[i] = residual_frobenius(K, G @ turn[:, : column_counts[i]])
    return result


def best_possible(problem: Problem, ds: Sequence[int]) -> FloatArray:
    """Return ‖K − K_d‖_F at each d, from all eigenvalues where ‖K‖² cancels; 0 for rounding."""
    total = frobenius(problem.K)
    ds = np.minimum(np.asarray(ds), problem.n).tolist()
    values = spectrum(problem.X, problem.kernel, k=max(ds), K=problem.K)
    result = np.sqrt(np.maximum(total**2 - np.cumsum(values**2), 0.0))[np.asarray(ds) - 1]
    if (result <= CANCELLATION * total).any():
        values = spectrum(problem.X, problem.kernel, K=problem.K)
        tails = np.sqrt(np.cumsum(values[::-1] ** 2)[::-1])
        result = np.append(tails, 0.0)[np.asarray(ds)]
    # A best possible error below this part of ‖K‖ is rounding, and no ratio to it is meaningful.
    return np.where(result <= 1e-12 * total, 0.0, result)


def kernel_of(data: Dataset) -> Kernel:
    """Return a linear kernel for documents, σ = 10 for pixels from 0 to 1, else the default width."""
    if sparse.issparse(data.X):
        return Linear()
    if data.image_shape is not None and data.X.min() >= 0.0 and data.X.max() <= 1.0:
        return Gaussian(10.0)
    return Gaussian.from_width(default_width(data.X))


def problem_of(data: Dataset, kernel: Kernel | None = None, rows: int = ROWS) -> Problem:
    """Return the problem of at most ``rows`` rows, drawn with a fixed seed where there are more."""
    X, digest = sample_rows(data, rows, SAMPLE_SEED)
    return Problem(data.name, X, kernel_of(data) if kernel is None else kernel, digest)


def counts_of(n: int, d: int = D, up_to: float = 10.0, steps: Sequence[int] = range(STEPS)) -> list[int]:
    """Return the numbers of columns up to ``up_to`` per cent of n, or to 3 d if that is more, each once."""
    top = min(n, max(up_to * n / 100, 3 * d))
    return sorted({max(1, round(top * (step + 1) / STEPS)) for step in steps})


def jobs(
    problem: Problem, methods: Sequence[str], counts: Sequence[int], repeats: int, seed: int
) -> list[Job]:
    """Return the runs of both accuracies at each d of ``RANKS`` up to l, all once before any is repeated."""
    if not problem.is_exact:
        raise Refusal(
            f"The kernel matrix of {problem.n} rows does not fit into memory; take a sample of them, or try "
            "again when the server has more memory."
        )
    counts = tuple(sorted({checked_count(m, problem.n) for m in counts}))
    runs = []
    for repeat in range(repeats):
        for method in methods:
            if repeat > 0 and not landmarks.METHODS[method].random:
                continue
            # A method that is not nested starts anew at every l.
            for ms in [counts] if landmarks.METHODS[method].nested else [(m,) for m in counts]:
                work = partial(_accuracy, problem, method, ms, repeat, seed + repeat)
                key = ("farahat-fig1", problem.digest, problem.kernel, method, ms, repeat, seed + repeat)
                runs.append(Job(key, ("farahat-fig1", problem.digest, method), float(ms[-1]), work))
    return runs


def _accuracy(
    problem: Problem, method: str, counts: Sequence[int], repeat: int, seed: int
) -> tuple[Record, ...]:
    best = problem.once("best ranks", partial(best_possible, problem, RANKS))
    started = time.perf_counter()
    with one_blas_thread():
        if landmarks.METHODS[method].nested:
            errors = _nested(problem, method, counts, seed)
        else:
            a = approximate(problem.X, problem.kernel, method, counts[0], seed, matrix=problem.matrix())
            G, B = a.factor, a.kernel(a.basis) @ a.projection
            errors = [truncations(problem.K, G, B, G.T @ (problem.K @ G), G.T @ G, RANKS)]
    seconds = time.perf_counter() - started
    records = []
    for m, norms_by_name in zip(counts, errors, strict=True):
        values = {
            f"{name}_accuracy_{d}": float(best[i] / norms[i])
            for i, d in enumerate(RANKS)
            for name, norms in norms_by_name.items()
            if d <= m and best[i] > 0
        }
        records.append(problem.record(method, (), m, repeat, seed, values, seconds))
    return tuple(records)


def _nested(problem: Problem, method: str, counts: Sequence[int], seed: int) -> list[dict[str, FloatArray]]:
    """Return errors of the first l columns of a nested method: O(n² r) once, O(l³ + n l²) for each l."""
    matrix = problem.matrix()
    selection = landmarks.METHODS[method].select(matrix, counts[-1], np.random.default_rng(seed))
    nested_factor = nested(matrix, selection)
    factor, columns = nested_factor.factor, nested_factor.columns
    if selection.pivots is None:
        raise Refusal(f"{method} has no columns to choose; take a method with landmarks.")
    image, gram = factor.T @ (problem.K @ factor), factor.T @ factor
    errors = []
    for m in counts:
        # A method that stopped early keeps its last columns for every larger l.
        reached = min(m, len(columns))
        rank = int(columns[reached - 1]) if reached else 0
        G, B = factor[:, :rank], factor[selection.pivots[:reached], :rank]
        errors.append(truncations(problem.K, G, B, image[:rank, :rank], gram[:rank, :rank], RANKS))
    return errors


def seconds_jobs(
    problem: Problem, methods: Sequence[str], counts: Sequence[int], d: int, at_hand: bool, seed: int
) -> list[Job]:
    """Return runs that measure the seconds of one rank-d approximation, K given (``at_hand``) or not."""
    series = dict.fromkeys([(method, d, at_hand) for method in methods], True)
    return jobs_of("rank-d seconds", problem, series, counts, SECONDS_REPEATS, seed, _seconds)


def _seconds(
    problem: Problem, series: tuple[str, int, bool], m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    method, d, at_hand = series
    matrix = problem.matrix() if at_hand else None
    started = time.perf_counter()
    a = approximate(problem.X, problem.kernel, method, m, seed, matrix=matrix).truncate(d)
    seconds = time.perf_counter() - started
    values = {"seconds": seconds, "kernel_evaluations": float(a.kernel_evaluations)}
    return (problem.record(method, (), m, repeat, seed, values, seconds),)


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield relative accuracy (best and classical rank d = 20) and seconds, as runs finish."""
    measures = {f"{which}_accuracy_{D}": f"{which}_accuracy" for which in ("relative", "classical")}
    problem = problem_of(load(name))
    counts = [m for m in counts_of(problem.n) if m >= D]
    for row in rows_of("farahat-fig1", jobs(problem, METHODS, counts, repeats, seed), *measures):
        yield row._replace(measure=measures[row.measure], seconds=math.nan)
    some = [m for m in counts_of(problem.n, steps=SECONDS_STEPS) if m >= D]
    with ThreadPoolExecutor(1) as alone:
        timed = seconds_jobs(problem, METHODS, some, D, True, seed)
        yield from rows_of("farahat-fig1", timed, "seconds", executor=alone)


TIMED = ("uniform", "sgma", "greedy", "partition_greedy")
# The settings that follow the data name and an @ in the rows of ``seconds``.
GIVEN, COMPUTED = "K given", "K computed"


def recursions(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the distance of the recursion from the direct formula, and where two greedy selections differ.

    ``difference`` is ‖G Gᵀ − E W⁺ Eᵀ‖ / ‖K‖ for the factor G of the recursion. ``agreed`` counts the leading
    pivots that the f, g recursion shares with the whole residual, and ``parted`` is the relative difference
    of the two criteria at the first pivot that differs, 0 where none does.
    """
    problem = problem_of(load(name))
    K, m = problem.K, min(60, problem.n // 4)
    head = ("farahat-recursion", name, problem.n, problem.d)
    for method in ("uniform", "icd", "greedy", "rpcholesky"):
        for repeat in range(repeats if landmarks.METHODS[method].random else 1):
            matrix = problem.matrix()
            with one_blas_thread():
                selection = landmarks.METHODS[method].select(matrix, m, np.random.default_rng(seed + repeat))
                G = nested(matrix, selection).factor
                pivots = selection.pivots
                assert pivots is not None
                H = nystroem_factor(K[:, pivots], K[np.ix_(pivots, pivots)])[0]
                difference = float(np.linalg.norm(G @ G.T - H @ H.T)) / frobenius(K)
            yield Row(*head, method, m, repeat, "difference", difference)
    agreed, gap = _greedy_forms(problem, m)
    yield from rows((*head, "greedy", m, 0), {"agreed": agreed, "parted": gap})


def _greedy_forms(problem: Problem, m: int) -> tuple[int, float]:
    greedy = landmarks.METHODS["greedy"]
    lean = greedy.select(problem.matrix(), m, np.random.default_rng(0), form="lean").pivots
    assert lean is not None
    R = problem.K.copy()
    floor = 1e-12 * float(R.diagonal().max())
    for step, pivot in enumerate(lean):
        # ‖R_:i‖² / R_ii of the whole residual.
        diagonal, gains = R.diagonal(), np.zeros(len(R))
        np.divide(np.einsum("ij,ij->i", R, R), diagonal, out=gains, where=diagonal > floor)
        best = int(gains.argmax())
        if best != pivot:
            return step, float((gains[best] - gains[pivot]) / gains[best])
        R -= np.outer(R[:, best], R[best]) / R[best, best]
    return len(lean), 0.0


def ranks(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the relative accuracy of both truncations at every d, from l columns up to a tenth of n."""
    measures = [f"{which}_accuracy_{d}" for which in ("relative", "classical") for d in RANKS]
    problem = problem_of(load(name))
    counts = counts_of(problem.n, steps=(1, 4, 9))
    runs = jobs(problem, ("uniform", "greedy", "kmeans"), counts, repeats, seed)
    yield from (row._replace(seconds=math.nan) for row in rows_of("farahat-rank-d", runs, *measures))


def groups(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the error by number of groups, ``partition_greedy_c``; ``greedy`` has all rows."""
    problem = problem_of(load(name))
    m = max(1, round(0.05 * problem.n))
    runs = sweep_jobs(problem, {"uniform": (), "greedy": ()}, [m], repeats, seed)
    for c in (5, 10, 20, 50, 100, 200):
        runs += sweep_jobs(problem, {"partition_greedy": (("groups", c),)}, [m], repeats, seed)
    yield from rows_of(
        "farahat-groups",
        runs,
        "relative_frobenius",
        name=lambda run: "_".join([run.method, *(str(value) for _, value in run.options)]),
    )


def seconds(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield processor seconds of a rank-d approximation, the entries of K given and computed when needed."""
    problem = problem_of(load(name))
    counts = [m for m in counts_of(problem.n, steps=SECONDS_STEPS) if m >= D]
    # Loads the compiled loops.
    for method in TIMED:
        approximate(problem.X, problem.kernel, method, counts[0], seed)
    for repeat, method, m in product(range(repeats), TIMED, counts):
        for how, matrix in ((GIVEN, problem.matrix()), (COMPUTED, None)):
            started = time.process_time()
            approximate(problem.X, problem.kernel, method, m, seed + repeat, matrix=matrix).truncate(D)
            spent = time.process_time() - started
            head = ("farahat-seconds", f"{name}@{how}", problem.n, problem.d, method, m, repeat)
            yield Row(*head, "seconds", spent)
