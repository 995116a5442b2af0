"""Figure 1, error against m/n for five schemes, without printed numbers; and the propositions."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.linalg import eigh

from nysviz.analysis.bounds import change_ratio, derived_constant, entry_errors, error_bound, printed_constant
from nysviz.analysis.learning.kernel_pca import departure, two_forms
from nysviz.datasets import load
from nysviz.kernels import Gaussian, InverseDistance, Kernel, Laplacian, Linear, Polynomial, default_width
from nysviz.numerics.blocks import one_blas_thread
from nysviz.nystroem.approximation import approximate, checked_count, checked_method
from nysviz.papers.data import default_problem
from nysviz.papers.records import Row, rows, rows_of
from nysviz.sweep import Job, Problem, Record, jobs_of, sweep_jobs
from nysviz.sweep.problem import Options

# The schemes with landmarks, which proposition 3 is about, and all schemes.
METHODS = ("icd", "uniform", "column_norm", "kmeans")
SCHEMES = ("svd", *METHODS)
PERCENTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def counts(n: int, percents: Sequence[float] = PERCENTS) -> tuple[int, ...]:
    """Return the numbers of landmarks for ratios in per cent of n rows, each once and at least 1."""
    return tuple(sorted({min(n, max(1, round(n * percent / 100))) for percent in percents}))


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the Frobenius error of every run, as runs finish."""
    problem = default_problem(load(name))
    jobs = sweep_jobs(problem, dict.fromkeys(SCHEMES, ()), counts(problem.n), repeats, seed)
    yield from rows_of("zhang-fig1", jobs, "frobenius")


def bound_jobs(
    problem: Problem, methods: Mapping[str, Options], ms: Sequence[int], repeats: int, seed: int = 0
) -> list[Job]:
    """Return one run for each method with one W, m and repeat: the error, the bound and its parts."""
    series = {entry: checked_method(entry[0], dict(entry[1])).random for entry in methods.items()}
    counts = [checked_count(m, problem.n) for m in ms]
    return jobs_of("zhang-prop3", problem, series, counts, repeats, seed, bound_run)


def bound_run(
    problem: Problem, entry: tuple[str, Options], m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    """Approximate once and measure; the error is estimated where K is too large to be held."""
    method, options = entry
    started = time.perf_counter()
    with one_blas_thread():
        a = approximate(problem.X, problem.kernel, method, m, seed, matrix=problem.matrix(), **dict(options))
        bound = error_bound(problem.X, problem.kernel, a)
        error = problem.frobenius(a)["frobenius"]
    values = {
        "frobenius": error,
        "bound": bound.total,
        "encoding_term": bound.encoding_term,
        "inverse_term": bound.inverse_term,
        "quantization": bound.quantization,
        "largest_cluster": float(bound.largest_cluster),
        "inverse_norm": bound.inverse_norm,
        "distinct": float(bound.m),
        "is_least": float(bound.is_least),
    }
    return (problem.record(method, options, m, repeat, seed, values, time.perf_counter() - started),)


def reproduce_bound(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield error and bound of every run, at the default width and m = 1 … 10 % of n."""
    problem = default_problem(load(name))
    jobs = bound_jobs(problem, dict.fromkeys(METHODS, ()), counts(problem.n), repeats, seed)
    yield from rows_of("zhang-prop3", jobs, "frobenius", "bound")


def kernels(sigma: float) -> tuple[Kernel, ...]:
    """Return one of each kernel, at the scale sigma of the data."""
    radial = Gaussian(sigma), Laplacian(sigma), InverseDistance(sigma, 0.5)
    return (*radial, Polynomial(2, 1.0), Linear())


def entries_between_landmarks(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the largest relative |k − k̃| between 40 landmarks, 0 by proposition 1, by kernel."""
    data = load(name)
    sigma = math.sqrt(default_width(data.X) / 2.0)
    for repeat in range(repeats):
        Z = data.X[np.random.default_rng(seed + repeat).permutation(data.n)[:40]]
        for kernel in kernels(sigma):
            size = float(np.abs(kernel(Z)).max()) or 1.0
            head = ("zhang-prop1", name, data.n, data.d, kernel.label, len(Z), repeat)
            yield from rows(head, {"entry_error": entry_errors(kernel, Z, Z).max() / size})


def changes_of_entries(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Search random quadruples on a line for the largest ratio of property (8), a lower bound of C."""
    quadruples = 100_000
    for repeat in range(repeats):
        rng = np.random.default_rng(seed + repeat)
        a = np.zeros((quadruples, 1))
        b = rng.normal(scale=2.0, size=a.shape)
        # Moves of all sizes, since the supremum is approached by small ones.
        moves = rng.normal(size=(2, *a.shape)) * 10.0 ** rng.uniform(-3.0, 0.5, (2, *a.shape))
        for kernel in kernels(1.0)[:3]:
            values = {
                "largest_ratio": change_ratio(kernel, a, b, a + moves[0], b + moves[1]).max(),
                "printed_constant": printed_constant(kernel),
                "derived_constant": derived_constant(kernel),
            }
            yield from rows(("zhang-property8", name, quadruples, 1, kernel.label, 4, repeat), values)


def orthogonality(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield ‖UᵀU − I‖ and the largest angle to five exact eigenvectors, of both forms, m = 0.05 n."""
    data, vectors = load(name), 5
    kernel = Gaussian.from_width(default_width(data.X))
    with one_blas_thread():
        exact = eigh(kernel(data.X), subset_by_index=(data.n - vectors, data.n - 1))[1][:, ::-1]
    m = max(vectors, data.n // 20)
    for method in ("uniform", "kmeans", "icd"):
        for repeat in range(1 if method == "icd" else repeats):
            forms = two_forms(approximate(data.X, kernel, method, m, seed + repeat), exact)
            values = {
                "departure_extension": departure(forms.extension),
                "departure_orthogonal": departure(forms.orthogonal),
                "angle_extension": forms.extension_angles[-1],
                "angle_orthogonal": forms.orthogonal_angles[-1],
            }
            yield from rows(("zhang-prop4", name, data.n, data.d, method, m, repeat), values)
