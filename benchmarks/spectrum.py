"""Eigenvalues beside their peers: ``python -m benchmarks.spectrum``.

All eigenvalues against ``numpy.linalg.eigvalsh``, and the top 100 against ``scipy.linalg.eigh`` with
``subset_by_index``. Both sides start from the same K in memory and take
turns after a small warm-up; what is compared gives the same numbers, which is checked.
"""

from __future__ import annotations

import time
from functools import partial

import click
import numpy as np
from scipy.linalg import eigh

import nysviz as nv
from benchmarks.core import Work, clusters
from nysviz.numerics.blocks import FloatArray

# The largest difference of two eigenvalues, relative to the largest one.
TOLERANCE = 1e-8
DATA = {
    "clusters in 36 dimensions": lambda n: clusters(n, 36),
    "two balls": lambda n: nv.two_balls(n=n).X,
    "one Gaussian cloud, a slow decay": lambda n: np.random.default_rng(0).standard_normal((n, 36)),
}


def compare(name: str, ours: Work, theirs: Work, repeats: int) -> None:
    """Print seconds and how many times faster nysviz is, by the medians, and how far the values differ."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        found = []
        for work, times in zip((ours, theirs), seconds, strict=True):
            started = time.perf_counter()
            found.append(np.asarray(work()))
            times.append(time.perf_counter() - started)
        gap = float(np.abs(found[0] - found[1]).max() / found[1][0])
        if gap > TOLERANCE:
            raise SystemExit(f"{name}: the eigenvalues differ by {gap:g} of the largest")
    mine, others = (float(np.median(times)) for times in seconds)
    click.echo(f"{name:52s} {mine:8.2f} s {others:8.2f} s {others / mine:6.2f} x  {gap:.0e}")


def top(K: FloatArray, k: int) -> FloatArray:
    """Top k eigenvalues by LAPACK's range of a tridiagonal matrix."""
    n = len(K)
    values: FloatArray = eigh(K, subset_by_index=(n - k, n - 1), eigvals_only=True)[::-1]
    return values


@click.command()
@click.option("--n", "size", default=4_435, show_default=True, help="Rows for all eigenvalues.")
@click.option("--top-n", default=10_000, show_default=True, help="Rows for the top of the spectrum.")
@click.option("--k", default=100, show_default=True, help="Eigenvalues at the top.")
@click.option("--repeats", default=3, show_default=True, help="Timed calls of each side.")
@click.option("--data", "names", multiple=True, type=click.Choice(list(DATA)), help="Only these data.")
def main(size: int, top_n: int, k: int, repeats: int, names: tuple[str, ...]) -> None:
    """Print seconds of both sides, their ratio, and the largest difference of the values."""
    small = np.eye(300)
    np.linalg.eigvalsh(small), eigh(small), nv.spectrum(small, nv.Linear())
    click.echo(f"{'':52s} {'nysviz':>10s} {'peer':>10s} {'ratio':>8s}")
    for name in names or DATA:
        X = DATA[name](size)
        kernel = nv.Gaussian.from_width(nv.default_width(X))
        K = kernel(X)
        ours = partial(nv.spectrum, X, kernel, K=K)
        compare(f"all, n = {size}: {name}", ours, lambda K=K: np.linalg.eigvalsh(K)[::-1], repeats)  # type: ignore[misc]
        X = DATA[name](top_n)
        kernel = nv.Gaussian.from_width(nv.default_width(X))
        K = kernel(X)
        best = partial(nv.spectrum, X, kernel, k, K=K)
        compare(f"top {k}, n = {top_n}: {name}", best, partial(top, K, k), repeats)


if __name__ == "__main__":
    main()
