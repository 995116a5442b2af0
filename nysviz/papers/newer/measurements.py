"""Runs behind the claims of newer papers: columns and sketches, preconditioners, Gaussian processes, centres.

At most ``ROWS`` random rows, and the Gaussian kernel of default width unless a row says otherwise.
"""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import LinearOperator, cg

from nysviz.analysis.learning.conjugate_gradients import solve
from nysviz.analysis.learning.feature_trial import TrialSetting, single_target, trial
from nysviz.analysis.learning.gaussian_process import exact_process, sparse_process
from nysviz.analysis.spectrum import best_errors
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, default_width
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics.blocks import FloatArray, one_blas_thread
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import frobenius, leave_one_out
from nysviz.papers.records import Row, rows

ROWS, COUNTS = 1_000, (50, 100)
# Tolerance of conjugate gradients, and the most iterations.
TOLERANCE, MOST = 1e-6, 1_000
WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0)  # multiples of the default width


def columns(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield errors of columns, pivots and sketches, with their theoretical bounds.

    ``over_best`` is tr(K − K̃) over that of the best rank m, ``truncated`` the same of K̃ cut to the rank
    r = ⌊(m − 1)/2⌋, and ``bound`` the theoretical bound of ``over_best`` (``rpcholesky``, ``greedy``) or
    ``truncated`` (``sketch``). ``expected`` is the mean ``over_best`` of a k-DPP. ``estimate`` and
    ``jackknife`` are those of ``leave_one_out`` in parts of ‖K‖_F, ``deviation`` the standard deviation of
    K̃ over the repeats with one column fewer, √(E‖K̃ − E K̃‖_F²), in the same parts. The width of clusters
    follows their name.
    """
    data = _data(name)
    # Rows of one cluster have kernel values of about exp(-4/width), those of the nearest other clusters about
    # exp(-400/width).
    clusters = {f"{name}@width={width:g}": width for width in (400.0, 100.0, 25.0)}
    for label, width in clusters.items() if name == "clusters" else [(name, default_width(data.X))]:
        kernel = Gaussian.from_width(width)
        K = kernel(data.X)
        eigen = KernelMatrix(data.X, kernel, dense=K).eigenpairs(data.n)
        matrix = KernelMatrix(data.X, kernel, dense=K, eigen=eigen)
        for m in COUNTS:
            yield from _columns(label, matrix, m, repeats, seed)


def _columns(label: str, matrix: KernelMatrix, m: int, repeats: int, seed: int) -> Iterator[Row]:
    K, values = matrix.full(), np.maximum(matrix.eigenpairs(matrix.n)[0], 0.0)
    size, half = frobenius(K), (m - 1) // 2
    best, best_half = best_errors(values, m)[2], best_errors(values, half)[2]

    def head(method: str, repeat: int) -> tuple[Any, ...]:
        return ("newer-columns", label, *matrix.X.shape, method, m, repeat)

    def run(method: str, count: int, repeat: int, options: dict[str, object]) -> LowRank:
        return approximate(matrix.X, matrix.kernel, method, count, seed + repeat, matrix=matrix, **options)

    yield from rows(head("rpcholesky", 0), {"bound": pivoting_bound(values, m) / best})
    yield from rows(head("greedy", 0), {"bound": greedy_bound(values, m) / best})
    yield from rows(head("dpp", 0), {"expected": dpp_error(values, m) / best})
    yield from rows(head("sketch", 0), {"bound": 1.0 + half / (m - half - 1)})
    plain = ("uniform", "diagonal", "rpcholesky", "leverage", "bless", "arp", "osinsky", "greedy", "sketch")
    runs: dict[str, tuple[str, dict[str, object]]] = {
        **{name: (name, {}) for name in plain},
        "leverage": ("leverage", {"replacement": "without"}),
        "rpcholesky_simple": ("rpcholesky", {"form": "simple"}),
        "rpcholesky_block_m/2": ("rpcholesky_block", {"block": m // 2}),
        "rpcholesky_block_m/10": ("rpcholesky_block", {"block": m // 10}),
    }
    for name, (method, options) in runs.items():
        for repeat in range(1 if method in ("osinsky", "greedy") else repeats):
            a = run(method, m, repeat, options)
            measured = {"over_best": (K.trace() - a.gram().trace()) / best}
            if method == "sketch":
                truncated_trace = np.linalg.eigvalsh(a.gram())[::-1][:half].sum()
                measured["truncated"] = (K.trace() - truncated_trace) / best_half
            if method in ("uniform", "diagonal"):
                estimate = leave_one_out(a)
                measured |= {"estimate": estimate.frobenius / size, "jackknife": estimate.jackknife / size}
            if method in ("uniform", "diagonal", "leverage", "bless"):
                measured["relative_frobenius"] = frobenius(K - a.factor @ a.factor.T) / size
            if method in ("rpcholesky", "bless"):
                measured["kernel_evaluations"] = a.kernel_evaluations
            yield from rows(head(name, repeat), measured)
    for method in ("uniform", "diagonal") if repeats > 1 else ():
        total, squares = np.zeros_like(K), 0.0
        for repeat in range(repeats):
            G = run(method, m - 1, repeat, {}).factor
            total += G @ G.T
            squares += frobenius(G.T @ G) ** 2
        variance = (squares - frobenius(total) ** 2 / repeats) / (repeats - 1)
        yield from rows(head(method, 0), {"deviation": math.sqrt(max(variance, 0.0)) / size})


def pivoting_bound(values: FloatArray, m: int) -> float:
    """Return the smallest (1 + ε) Σ_{i>r} λ_i that m pivots of randomly pivoted Cholesky have in the mean.

    By the theorem of Chen, Epperly, Tropp & Webber: r/ε + r log(1/(εη)) pivots are enough, η the trace error
    of the best rank r over tr K. With r = 0 it is tr K. ``values`` are all eigenvalues, descending.
    """
    tails = values.sum() - np.cumsum(values)[: m - 1]
    eps, r = np.geomspace(1e-2, 1e8, 1_000)[:, None], np.arange(1, m)
    pivots_needed = r / eps + r * np.maximum(np.log(values.sum() / (eps * tails)), 0.0)
    return float(np.where(pivots_needed <= m, (1.0 + eps) * tails, np.inf).min(initial=values.sum()))


def greedy_bound(values: FloatArray, m: int) -> float:
    """Return what tr(K − K̃) cannot exceed after m columns of the largest nuclear score ‖R_:i‖² / R_ii.

    With t the trace of the residual R so far, the largest score is at least the mean of all, weighted by
    R_ii: tr(R²)/t. As R ≼ K, the r largest eigenvalues of R have at least the sum t − Σ_{i>r} λ_i, so that
    tr(R²) ≥ (t − Σ_{i>r} λ_i)²/r for every r. What is left, t − tr(R²)/t, grows with t, and the steps can be
    taken one after the other. ``values`` are all eigenvalues of K, descending. O(mn).
    """
    trace = float(values.sum())
    tails, r = np.maximum(trace - np.cumsum(values), 0.0), np.arange(1, len(values) + 1)
    for _ in range(m):
        if trace > 0.0:
            trace -= float((np.maximum(trace - tails, 0.0) ** 2 / r).max()) / trace
    return trace


def dpp_error(values: FloatArray, m: int) -> float:
    """Return the mean of tr(K − K̃) over a k-DPP of m rows, P(S) ∝ det K_SS.

    It is (m + 1) e_{m+1} / e_m, with the elementary symmetric polynomials e of the eigenvalues of K
    (Guruswami & Sinop 2012), and K has rank m at least. O(nm).
    """
    # Logarithms: e_m of a decaying spectrum is below the smallest float64.
    log_e = np.full(m + 2, -np.inf)
    log_e[0] = 0.0
    for value in np.log(values[values > 0.0]):
        log_e[1:] = np.logaddexp(log_e[1:], value + log_e[:-1])
    return (m + 1) * math.exp(log_e[m + 1] - log_e[m])


def preconditioners(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield condition numbers and iterations of (K + μI) x = b, b standard normal; μ/n follows the name's @.

    ``sketch`` has 2⌈1.5 d⌉ + 1 columns where that is less than n, with the effective dimension d at μ:
    ``condition`` with the preconditioner of Frangella, Tropp & Udell, ``condition_shift`` with K̃ + μI, and
    the ``iterations`` of the former to an error of 1e-6 in the norm of K + μI. Columns, 100 of them, and
    "none" have ``iterations`` to a relative residual of 1e-6, 1000 at most.
    """
    data = _data(name)
    kernel = Gaussian.from_width(default_width(data.X))
    K, m = kernel(data.X), min(100, data.n // 10)
    matrix = KernelMatrix(data.X, kernel, dense=K)
    values = matrix.eigenpairs(data.n)[0]
    for shift, repeat in product((1e-2, 1e-4, 1e-6), range(repeats)):
        mu = shift * data.n
        b = np.random.default_rng(seed + repeat).standard_normal(data.n)
        head = ("newer-preconditioner", f"{name}@mu={shift:g}", data.n, data.d)
        for method in ("none", "uniform", "rpcholesky"):
            none = method == "none"
            a = None if none else approximate(data.X, kernel, method, m, seed + repeat, matrix=matrix)
            solution = solve(matrix, b, mu, a, tolerance=TOLERANCE, max_iterations=MOST)
            yield from rows((*head, method, m, repeat), {"iterations": solution.iterations})
        count = 2 * math.ceil(1.5 * float((values / (values + mu)).sum())) + 1
        if count < data.n:
            a = approximate(data.X, kernel, "sketch", count, seed + repeat, matrix=matrix)
            yield from rows((*head, "sketch", count, repeat), _measure_sketch(K, b, mu, a))


def _measure_sketch(K: FloatArray, b: FloatArray, mu: float, a: LowRank) -> dict[str, float]:
    A = K + mu * np.eye(len(K))
    L = np.linalg.cholesky(A)
    eigenvalues, vectors = a.eigh()
    with one_blas_thread():

        def inverse(last: float) -> FloatArray:
            """(U (Λ + μ) Uᵀ + (last + μ)(I − U Uᵀ))⁻¹."""
            turned = vectors * (1.0 / (eigenvalues + mu) - 1.0 / (last + mu))
            turned = turned @ vectors.T
            turned[np.diag_indices_from(turned)] += 1.0 / (last + mu)
            return turned

        def condition(P: FloatArray) -> float:
            preconditioned = eigvalsh(L.T @ P @ L)
            return float(preconditioned[-1] / preconditioned[0])

        P, exact = inverse(float(eigenvalues[-1])), np.linalg.solve(A, b)
        limit, M = TOLERANCE**2 * float(exact @ b), LinearOperator(A.shape, P.dot, dtype=np.float64)
        gaps: list[FloatArray] = []
        cg(A, b, rtol=1e-14, maxiter=MOST, M=M, callback=lambda x: gaps.append(x - exact))
        # Until ‖x − x⋆‖_A ≤ 1e-6 ‖x⋆‖_A; one more than the most iterations where that is not reached.
        iterations = next((k for k, gap in enumerate(gaps, 1) if gap @ (A @ gap) <= limit), MOST + 1)
        return {
            "condition": condition(P),
            "condition_shift": condition(inverse(0.0)),
            "iterations": iterations,
        }


def evidence(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the ``gap`` from bound to evidence in nats, at width and noise of the largest exact evidence."""
    data = _data(name)
    y, width = single_target(data), default_width(data.X)
    grid = product((Gaussian.from_width(w * width) for w in WIDTHS), (0.01, 0.03, 0.1, 0.3))
    candidates = [(exact_process(data.X, y, kernel, noise).evidence, kernel, noise) for kernel, noise in grid]
    exact, kernel, noise = max(candidates, key=lambda candidate: candidate[0])
    matrix = KernelMatrix(data.X, kernel, dense=kernel(data.X))
    for m, method in product((50, 100, 200), ("icd", "uniform", "kmeans", "dpp")):
        for repeat in range(0 if m >= data.n else 1 if method == "icd" else repeats):
            a = approximate(data.X, kernel, method, m, seed + repeat, matrix=matrix)
            gap = exact - sparse_process(data.X, y, a, noise).evidence
            head = ("newer-evidence", name, data.n, data.d, method, m, repeat)
            yield from rows(head, {"gap": gap}, a.seconds)


def centres(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the test ``mse`` of ridge regression on √n ln n centres, n ≤ 1000, and of the exact one."""
    data = load(name)
    train = min(1_000, int(0.7 * data.n))
    setting = TrialSetting("regression", sizes=(train, min(400, data.n - train)), multiples=WIDTHS)
    m = math.ceil(math.sqrt(train) * math.log(train))
    kernel, y = Gaussian.from_width(default_width(data.X)), single_target(data)
    for method, repeat in product(("exact", "uniform", "farthest"), range(repeats)):
        result = trial(data.X, y, kernel, setting, method, m, seed + repeat)
        head = ("newer-centres", name, data.n, data.d, method, m, repeat)
        yield from rows(head, {"mse": result.score}, result.seconds)


def _data(name: str) -> Dataset:
    data = load(name, k=50, separation=20.0) if name == "clusters" else load(name)
    return data.sampled(ROWS)
