"""All of Zhang 2008 figure 1 for german and dna, beside the plain script that a user would write."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel

import nysviz as nv
from nysviz.papers.zhang2008.figure1 import PERCENTS
from nysviz.papers.zhang2008.figure1 import SCHEMES as METHODS
from nysviz.sweep import Problem, run_jobs, sweep_jobs

REPEATS = 20
# Where a paper's file is absent, random data of its size stand in for it; the times are alike.
SIZES = {"german": (1_000, 24), "dna": (2_000, 180)}
Curves = dict[tuple[str, int], list[Any]]


def points(name: str) -> np.ndarray:
    """Return the data set, or random rows of its size."""
    try:
        return np.asarray(nv.load(name).X)
    except ValueError:
        print(f"{name}: file absent, random rows of its size")
        return np.random.default_rng(0).random(SIZES[name])


def plain(X: np.ndarray, width: float, counts: list[int]) -> Curves:
    """Do what anybody would write with scikit-learn and numpy, one cell after the other."""
    gamma = 1.0 / width
    K = rbf_kernel(X, gamma=gamma)
    errors: Curves = defaultdict(list)
    values, vectors = np.linalg.eigh(K)
    norms = np.linalg.norm(K, axis=0) ** 2
    for m in counts:
        G = vectors[:, -m:] * np.sqrt(np.maximum(values[-m:], 0.0))
        errors["svd", m].append(np.linalg.norm(K - G @ G.T))
        errors["icd", m].append(np.linalg.norm(K - cholesky(K, m)))
        for repeat in range(REPEATS):
            rng = np.random.default_rng(repeat)
            G = Nystroem(gamma=gamma, n_components=m, random_state=repeat).fit_transform(X)
            errors["uniform", m].append(np.linalg.norm(K - G @ G.T))
            picks = rng.choice(len(X), m, p=norms / norms.sum())
            E = K[:, picks]
            errors["column_norm", m].append(np.linalg.norm(K - E @ np.linalg.pinv(E[picks]) @ E.T))
            means = KMeans(m, init="random", n_init=1, max_iter=10, random_state=repeat).fit(X)
            E = rbf_kernel(X, means.cluster_centers_, gamma=gamma)
            W = rbf_kernel(means.cluster_centers_, gamma=gamma)
            errors["kmeans", m].append(np.linalg.norm(K - E @ np.linalg.pinv(W) @ E.T))
    return errors


def cholesky(K: np.ndarray, m: int) -> np.ndarray:
    """Incomplete Cholesky by the largest residual diagonal."""
    G, diagonal = np.zeros((len(K), m)), K.diagonal().copy()
    for t in range(m):
        pivot = diagonal.argmax()
        G[:, t] = (K[:, pivot] - G[:, :t] @ G[pivot, :t]) / np.sqrt(diagonal[pivot])
        diagonal -= G[:, t] ** 2
    return G @ G.T


def ours(X: np.ndarray, width: float, counts: list[int]) -> Curves:
    """Run the same cells through the sweep."""
    problem = Problem("", X, nv.Gaussian.from_width(width), "")
    errors: Curves = defaultdict(list)
    for finished in run_jobs(sweep_jobs(problem, dict.fromkeys(METHODS, ()), counts, REPEATS)):
        for record in finished.records:
            errors[record.method, record.m].append(record.values["frobenius"])
    return errors


def main() -> int:
    """Print times, their ratio, and how far the two sets of mean errors are apart."""
    for name in SIZES:
        X = points(name)
        width = nv.default_width(X)
        counts = [round(len(X) * percent / 100) for percent in PERCENTS]
        ours(X[:200], width, [5, 10])  # the jitted loops are loaded
        seconds = {}
        results: dict[str, Curves] = {}
        for label, run in (("sweep", ours), ("plain script", plain)):
            started = time.perf_counter()
            results[label] = run(X, width, counts)
            seconds[label] = time.perf_counter() - started
        print(
            f"{name}: sweep {seconds['sweep']:.2f} s, plain script {seconds['plain script']:.2f} s, "
            f"{seconds['plain script'] / seconds['sweep']:.1f} times faster"
        )
        for method in METHODS:
            apart = []
            for m in counts:
                a, b = (np.array(results[label][method, m]) for label in ("sweep", "plain script"))
                noise = np.sqrt(a.var() / len(a) + b.var() / len(b)) + 1e-9 * a.mean()
                apart.append(abs(a.mean() - b.mean()) / noise)
            print(f"  {method:12} largest difference of means: {max(apart):.1f} standard errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
