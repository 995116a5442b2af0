"""The numerical core beside its peers: ``python -m benchmarks.core``.

Both sides of a line take turns, after a warm-up, so that a busy machine slows both; the ratio is that of the
medians. What is compared gives the same numbers, checked before the clock starts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import click
import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import rbf_kernel

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import Selection
from nysviz.landmarks.lloyd import lloyd
from nysviz.landmarks.pivoting import rpcholesky
from nysviz.numerics.blocks import FloatArray, IntArray

Work = Callable[[], object]

KERNEL_SIZES = [(n, d) for n in (1_000, 4_435, 10_000) for d in (24, 36, 300)]
KMEANS_SIZES = [(4_435, 36, 222), (10_000, 300, 500), (10_000, 784, 500)]
CHOLESKY_SIZES = [(4_435, 36, 222), (10_000, 36, 500)]
ERRORS_SIZES = [(1_797, 64, 90), (4_435, 36, 222)]
LLOYD_STEPS = 10


def clusters(n: int, d: int, count: int = 30) -> FloatArray:
    """Return rows in Gaussian clusters, some wide and some narrow."""
    rng = np.random.default_rng(0)
    centres = 2.0 * rng.standard_normal((count, d))
    widths = rng.uniform(0.3, 1.5, count)
    labels = rng.integers(0, count, n)
    return centres[labels] + widths[labels, None] * rng.standard_normal((n, d))


def in_turns(*works: Work, repeats: int) -> list[list[float]]:
    """Return the seconds of each repeat of all, A B A B, after one call of each."""
    for work in works:
        work()
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, times in zip(works, seconds, strict=True):
            started = time.perf_counter()
            work()
            times.append(time.perf_counter() - started)
    return seconds


def line(name: str, ours: Work, theirs: Work, repeats: int) -> None:
    """Time both and print the medians, the fastest runs and the ratios."""
    a, b = in_turns(ours, theirs, repeats=repeats)
    middle, least = (statistics.median(a), statistics.median(b)), (min(a), min(b))
    numbers = [1e3 * middle[0], 1e3 * middle[1], middle[1] / middle[0], least[1] / least[0]]
    click.echo(f"{name:48s} {numbers[0]:9.1f} {numbers[1]:9.1f} {numbers[2]:7.2f} {numbers[3]:7.2f}")


def kernel_of(X: FloatArray) -> nv.Gaussian:
    """Return the Gaussian kernel of the default width."""
    return nv.Gaussian.from_width(nv.default_width(X))


def kernel_matrices(repeats: int) -> None:
    """Compare the Gaussian kernel matrix with scikit-learn's."""
    for n, d in KERNEL_SIZES:
        X = clusters(n, d)
        kernel = kernel_of(X)
        theirs = partial(rbf_kernel, X, gamma=kernel.gamma)
        if np.abs(kernel(X) - theirs()).max() > 1e-12:
            raise SystemExit("the kernel matrices differ")
        line(f"kernel matrix, n = {n:,}, d = {d}", partial(kernel, X), theirs, 3 * repeats)


def kmeans(repeats: int) -> None:
    """Compare ten Lloyd steps from the same rows with scikit-learn's KMeans."""
    for n, d, m in KMEANS_SIZES:
        X = clusters(n, d)
        start = X[np.random.default_rng(1).permutation(n)[:m]]
        peer = KMeans(m, init=start, n_init=1, max_iter=LLOYD_STEPS, tol=0.0, algorithm="lloyd")
        ours, theirs = partial(lloyd, X, start, LLOYD_STEPS), partial(peer.fit, X)
        gap = np.abs(ours()[0] - theirs().cluster_centers_).max()
        if gap > 1e-9:
            raise SystemExit(f"the centres differ by {gap:g}")
        line(f"kmeans, n = {n:,}, d = {d}, m = {m}", ours, theirs, repeats)


def plain_rpcholesky(X: FloatArray, kernel: nv.Gaussian, m: int) -> tuple[IntArray, FloatArray]:
    """Randomly pivoted Cholesky as it is written down: a pivot, its row, the update."""
    n = len(X)
    rng = np.random.default_rng(0)
    squares = np.einsum("ij,ij->i", X, X)
    residual = np.ones(n)
    F = np.zeros((m, n))
    pivots = np.empty(m, dtype=np.intp)
    for t in range(m):
        p = int(rng.choice(n, p=residual / residual.sum()))
        square_distances = np.maximum(squares + squares[p] - 2.0 * (X @ X[p]), 0.0)
        row = np.exp(-kernel.gamma * square_distances) - F[:t, p] @ F[:t]
        F[t] = row / np.sqrt(row[p])
        residual = np.maximum(residual - F[t] ** 2, 0.0)
        residual[p] = 0.0
        pivots[t] = p
    return pivots, F.T


def our_rpcholesky(X: FloatArray, kernel: nv.Gaussian, m: int, form: str) -> Selection:
    """Return the pivots and the factor, from a matrix that is read on demand."""
    return rpcholesky(KernelMatrix(X, kernel), m, np.random.default_rng(0), form=form)


def cholesky(repeats: int) -> None:
    """Compare randomly pivoted Cholesky with the plain loop."""
    for n, d, m in CHOLESKY_SIZES:
        X = clusters(n, d)
        kernel = kernel_of(X)
        pivots, G = plain_rpcholesky(X, kernel, m)
        E = kernel(X, X[pivots])
        triangle = np.linalg.cholesky(E[pivots])
        if np.abs(solve_triangular(triangle, E.T, lower=True).T - G).max() > 1e-8:
            raise SystemExit("the plain loop is not what it says")
        for form in ("accelerated", "simple"):
            ours, theirs = (
                partial(our_rpcholesky, X, kernel, m, form),
                partial(plain_rpcholesky, X, kernel, m),
            )
            line(f"rpcholesky ({form}), n = {n:,}, d = {d}, m = {m}", ours, theirs, repeats)


def plain_errors(X: FloatArray, kernel: nv.Gaussian, G: FloatArray) -> list[float]:
    """Return the norms of K − G Gᵀ, and those of K, from the two matrices."""
    K = rbf_kernel(X, gamma=kernel.gamma)
    return [float(size) for A in (K - G @ G.T, K) for size in (np.linalg.norm(A), _largest(A), np.trace(A))]


def _largest(A: FloatArray) -> float:
    return float(eigsh(A, k=1, tol=1e-8, return_eigenvectors=False)[0])


def plain_curve(X: FloatArray, kernel: nv.Gaussian, ms: list[int]) -> list[float]:
    """Return the errors of icd for each m, run anew each time."""
    K = kernel(X)
    factors = (nv.approximate(X, kernel, "icd", m).factor for m in ms)
    return [float(np.linalg.norm(K - G @ G.T)) for G in factors]


def errors(repeats: int) -> None:
    """Compare the errors of one approximation, and of 20 numbers of landmarks, with the direct way."""
    for n, d, m in ERRORS_SIZES:
        X = clusters(n, d)
        kernel = kernel_of(X)
        a = nv.approximate(X, kernel, "kmeans", m)
        ours, theirs = partial(nv.errors, X, kernel, a), partial(plain_errors, X, kernel, a.factor)
        found, direct = ours(), theirs()
        if not np.allclose([found.frobenius, found.spectral, found.trace], direct[:3], rtol=1e-6):
            raise SystemExit("the errors differ")
        line(f"errors, n = {n:,}, m = {m}", ours, theirs, repeats)
        ms = [int(step) for step in np.linspace(m / 20, m, 20)]
        curve, each = partial(nv.error_curve, X, kernel, "icd", ms), partial(plain_curve, X, kernel, ms)
        if not np.allclose(curve(), each(), rtol=1e-6):
            raise SystemExit("the curves differ")
        line(f"error curve of icd, 20 steps to m = {m}, n = {n:,}", curve, each, repeats)


PARTS = {"kernels": kernel_matrices, "kmeans": kmeans, "rpcholesky": cholesky, "errors": errors}


@click.command()
@click.option("--repeats", default=5, show_default=True, help="Timed calls of each side.")
@click.option("--part", "parts", multiple=True, type=click.Choice(list(PARTS)), help="Only this part.")
def main(repeats: int, parts: tuple[str, ...]) -> None:
    """Print milliseconds and how many times faster nysviz is, by the medians and by the fastest runs."""
    click.echo(f"{'':48s} {'nysviz':>9s} {'peer':>9s} {'ratio':>7s} {'of best':>7s}")
    for name in parts or PARTS:
        PARTS[name](repeats)


if __name__ == "__main__":
    main()
