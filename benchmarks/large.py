"""Half a million rows: ``python -m benchmarks.large``.

Approximations whose factor is not held: seconds and peak memory of choosing the landmarks, of the errors from
sampled rows, of the eigenpairs and of the features, beside the bare matrix product and exponential of the
same blocks. Each method runs in a process of its own, so that its peak is its own. The pages are measured by
``python -m benchmarks.large_pages``.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import TypeVar

import click
import numpy as np

import nysviz as nv
from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.datasets.generators import clusters
from nysviz.lowrank import LowRank
from nysviz.measures import quantization_error, sampled_errors
from nysviz.text import in_bytes

METHODS = ("uniform", "kmeans", "rpcholesky", "rls", "rff")
T = TypeVar("T")


def timed(what: str, work: Callable[[], T]) -> T:
    """Run once and print the seconds and the peak of the process so far."""
    started = time.perf_counter()
    result = work()
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"  {what:34} {time.perf_counter() - started:8.1f} s   peak {in_bytes(peak):>8}", flush=True)
    return result


def bare(X: FloatArray, a: LowRank, gamma: float) -> None:
    """Product, exponential and product of the same blocks, without what makes them right."""
    Z, extended = a.basis, np.empty((len(a.basis), a.basis.shape[1] + 2))
    extended[:, :-2], extended[:, -2], extended[:, -1] = 2.0 * gamma * Z, -gamma, -gamma * (Z * Z).sum(axis=1)

    def block(start: int, stop: int) -> None:
        rows = X[start:stop]
        left = np.column_stack([rows, np.einsum("ij,ij->i", rows, rows), np.ones(len(rows))])
        entries = left @ extended.T
        np.exp(entries, out=entries)
        _ = entries @ a.projection

    over_blocks(len(X), rows_per_block(len(X), len(Z)), block)


def run(method: str, n: int, d: int, m: int) -> None:
    """One method from nothing to its errors."""
    print(f"{method}, n = {n}, d = {d}, m = {m}", flush=True)
    X = timed("clusters", lambda: clusters(n=n, k=20, d=d, separation=4.0).X)
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    a = timed("landmarks", lambda: nv.approximate(X, kernel, method, m))
    print(f"  the factor of {in_bytes(8 * n * a.rank)} is {'held' if a.is_held else 'not held'}", flush=True)
    found = timed("errors from 500 sampled rows", lambda: sampled_errors(X, kernel, a))
    print(f"  relative Frobenius error {found.relative_frobenius:.4g}, 95 % {found.interval}", flush=True)
    landmarks = a.landmarks
    if landmarks is not None:
        timed("quantization error", lambda: quantization_error(X, landmarks))
        timed("features, a block at a time", lambda: a.times(np.ones(a.rank)))
        timed("bare product, exp and product", lambda: bare(X, a, kernel.gamma))
    timed("ten eigenpairs", lambda: a.eigh(10))
    timed("solve", lambda: a.solve(X[:, 0], 1.0))


@click.command()
@click.option("--rows", default=500_000, show_default=True)
@click.option("--features", default=54, show_default=True)
@click.option("--landmarks", default=500, show_default=True)
@click.option("--method", "methods", multiple=True, default=METHODS, show_default=True)
def main(rows: int, features: int, landmarks: int, methods: tuple[str, ...]) -> None:
    """Print the seconds and the peak memory of each step."""
    fresh = multiprocessing.get_context("spawn")
    for method in methods:
        process = fresh.Process(target=run, args=(method, rows, features, landmarks))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"{method} ended with {process.exitcode}.")


if __name__ == "__main__":
    main()
