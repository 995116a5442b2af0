"""Zhang, Tsang and Kwok 2008, table 3: kernel PCA on three directions, misalignment and seconds."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from statistics import fmean

import numpy as np

from nysviz.analysis.learning import kernel_pca
from nysviz.datasets import load
from nysviz.kernels import Gaussian, default_width
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, all_blas_threads
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.nystroem.approximation import approximate
from nysviz.papers.output import aligned, mean_text, published
from nysviz.papers.records import Row
from nysviz.sweep import Job, Problem, Record, jobs_of
from nysviz.sweep.problem import Options

COMPARED = ("kmeans", "kmeans_keep", "uniform", "column_norm", "icd", "icd_first")
# Choices that the paper leaves open: empty clusters of k-means, and icd's first pivot, as all k(x, x) are
# equal.
VARIANTS: dict[str, tuple[str, Options]] = {
    "kmeans_keep": ("kmeans", (("empty", "keep"),)),
    "icd_first": ("icd", (("first", "random"),)),
}


def method_and_options(name: str) -> tuple[str, Options]:
    """Return the method and its options of a name in ``COMPARED`` or ``METHODS``."""
    return VARIANTS.get(name, (name, ()))


def label_of(name: str) -> str:
    """Return the label of a name: that of the method, and its options."""
    method, options = method_and_options(name)
    return ", ".join([METHODS[method].label, *(f"{option} = {value}" for option, value in options)])


def name_of(record: Record) -> str:
    """Return the name of a run in the arguments of ``misalignment_jobs``."""
    run = (record.method, record.options)
    return next((name for name, variant in VARIANTS.items() if variant == run), record.method)


def is_random(name: str) -> bool:
    """Return whether runs with other seeds differ."""
    return name in VARIANTS or METHODS[name].random


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield misalignment and seconds of every method and of both exact solvers, one run at a time."""
    data = load(name)
    X, kernel = data.X, Gaussian.from_width(default_width(data.X))
    head = ("zhang-table3", data.name, data.n, data.d)
    # Loads the jitted loops, so that the seconds of the runs do not include it.
    few = np.random.default_rng(0).random((60, 2))
    for method in {method_and_options(name)[0] for name in COMPARED}:
        kernel_pca.approximate_embedding(approximate(few, Gaussian(0.5), method, 6))
    exact = kernel_pca.exact_embedding(X, kernel)
    # The paper's SVD computes all eigenvectors, which takes minutes for more rows.
    if data.n <= 5_000:
        started = time.perf_counter()
        with all_blas_threads():
            vectors = eigh(kernel_pca.centred(kernel(X)), overwrite=True)[1]
        seconds = time.perf_counter() - started
        apart = kernel_pca.misalignment(exact.vectors, vectors[:, -kernel_pca.DIRECTIONS :])
        yield Row(*head, "svd", data.n, 0, "misalignment", apart, seconds)
        yield Row(*head, "lanczos", data.n, 0, "misalignment", apart, exact.seconds)
    # Rounded down, which comes nearest to the printed icd, a method without randomness.
    m = max(1, data.n // 20)
    for name in COMPARED:
        method, options = method_and_options(name)
        for repeat in range(repeats if is_random(name) else 1):
            a = approximate(X, kernel, method, m, seed + repeat, matrix=None, **dict(options))
            embedding = kernel_pca.approximate_embedding(a)
            error = kernel_pca.misalignment(exact.vectors, embedding.vectors)
            yield Row(*head, name, m, repeat, "misalignment", error, a.seconds + embedding.seconds)


def misalignment_jobs(
    problem: Problem,
    exact: FloatArray,
    methods: Sequence[str],
    ms: Sequence[int],
    repeats: int,
    seed: int = 0,
) -> list[Job]:
    """Return the runs of methods, or names in ``COMPARED``, against eigenvectors ``exact`` (n, k)."""
    series = {name: is_random(name) for name in methods}
    kind = f"zhang-table3, {exact.shape[1]} directions"
    return jobs_of(kind, problem, series, ms, repeats, seed, partial(_one_run, exact))


def _one_run(
    exact: FloatArray, problem: Problem, name: str, m: int, repeat: int, seed: int
) -> tuple[Record, ...]:
    method, options = method_and_options(name)
    a = approximate(problem.X, problem.kernel, method, m, seed, matrix=problem.matrix(), **dict(options))
    embedding = kernel_pca.approximate_embedding(a, exact.shape[1])
    values = {"misalignment": kernel_pca.misalignment(exact, embedding.vectors)}
    return (problem.record(method, options, m, repeat, seed, values, a.seconds + embedding.seconds),)


def table(rows: Sequence[Row]) -> str:
    """Return a text table of measured and printed values, a line per data set and method."""
    errors = {(cell["data"], cell["method"]): cell for cell in published("zhang2008_table3_error")}
    seconds = {cell["data"]: cell for cell in published("zhang2008_table3_seconds")}
    lines = []
    for (data, method), runs in groupby(rows, key=lambda row: (row.data, row.method)):
        measured = list(runs)
        printed = errors.get((data, method_and_options(method)[0]))
        spread = f" ± {printed['std']}" if printed and printed["std"] else ""
        lines.append(
            {
                "data": data,
                "m": measured[0].m,
                "method": method,
                "printed": f"{printed['mean']}{spread}" if printed else "–",
                "measured": mean_text([run.value for run in measured]),
                "seconds printed": seconds.get(data, {}).get(method_and_options(method)[0]) or "–",
                "measured ": f"{fmean(run.seconds for run in measured):.3g}",
            }
        )
    return f"{aligned(lines)}\n\n{LEGEND}"


LEGEND = """Misalignment of the first three directions of kernel PCA, default width, m = 0.05 n rounded down.
kmeans, kmeans_keep: an empty cluster restarts at the farthest row, or keeps its centre. icd, icd_first: the
first pivot is row 0, or drawn at random. The paper does not say which. Seconds: approximation and
eigenvectors, K not at hand; svd: all eigenvectors by LAPACK, lanczos: three."""
