"""Landmark methods against their peers and their slow forms, in one run on one machine.

``python -m benchmarks.landmarks``. Every ratio is of times taken within this run, the smallest of some
repeats each; what is compiled or imported at first use is warmed up before.
"""

from __future__ import annotations

import click
import numpy as np
from dppy.finite_dpps import FiniteDPP

import nysviz as nv
from benchmarks.core import in_turns
from nysviz.numerics.blocks import FloatArray

# Steps of the residual-matrix version that are timed; each costs the same.
RESIDUAL_STEPS = 12


def normal(n: int, d: int, seed: int = 0) -> tuple[FloatArray, nv.Gaussian]:
    """Rows of independent normal numbers and the Gaussian kernel of their default width."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X, nv.Gaussian.from_width(nv.default_width(X))


def report(name: str, seconds: float, peer: str, peer_seconds: float, wanted: float) -> None:
    """Print one line."""
    verdict = "as wanted" if peer_seconds >= wanted * seconds else "TOO SLOW"
    click.echo(
        f"{name:44s} {seconds:7.3f} s   {peer} {peer_seconds:7.3f} s   "
        f"{peer_seconds / seconds:5.1f} times as fast, {wanted:g} wanted: {verdict}"
    )


def dpp(repeats: int) -> None:
    """The swap chain against DPPy's exact sampler, which decomposes the matrix."""
    n, m = 2_000, 50
    X, kernel = normal(n, 10)
    K = kernel(X)
    nv.approximate(X, kernel, "dpp", m, steps=100)

    def peer() -> None:
        # A new one each time, since it keeps the decomposition.
        FiniteDPP("likelihood", L=K).sample_exact_k_dpp(size=m, random_state=np.random.RandomState(0))

    turns = in_turns(lambda: nv.approximate(X, kernel, "dpp", m, steps=10_000), peer, repeats=repeats)
    ours, theirs = map(min, turns)
    report(f"dpp, 10 000 steps, n = {n}, m = {m}", ours, "DPPy, exact", theirs, 5)


def residual_matrix_steps(K: FloatArray, steps: int) -> list[int]:
    """Greedy as its definition has it: the whole residual matrix, updated and measured each step."""
    E, pivots = K.copy(), []
    for _ in range(steps):
        gains = (E**2).sum(axis=0) / np.maximum(np.diag(E), 1e-12)
        pivot = int(gains.argmax())
        omega = E[:, pivot] / np.sqrt(E[pivot, pivot])
        E -= np.outer(omega, omega)
        pivots.append(pivot)
    return pivots


def greedy(repeats: int) -> None:
    """Against the residual-matrix version, and partition-based against full."""
    n, m = 4_435, 443
    X, kernel = normal(n, 10)
    for method in ("greedy", "partition_greedy"):
        nv.approximate(X[:500], kernel, method, 100)
    K = kernel(X)
    steps = residual_matrix_steps(K, 5)
    if not np.array_equal(steps, np.asarray(nv.approximate(X, kernel, "greedy", 5).pivots)):
        raise click.ClickException("The two forms of greedy choose different pivots.")
    turns = in_turns(
        lambda: nv.approximate(X, kernel, "greedy", m),
        lambda: nv.approximate(X, kernel, "partition_greedy", m),
        lambda: residual_matrix_steps(K, RESIDUAL_STEPS),
        repeats=repeats,
    )
    ours, partition, some = map(min, turns)
    slow = m * some / RESIDUAL_STEPS
    report(f"greedy, n = {n}, m = {m}", ours, "residual matrix in numpy", slow, 10)
    report(f"partition_greedy, c = 50, n = {n}, m = {m}", partition, "greedy", ours, 5)


PARTS = {part.__name__: part for part in (dpp, greedy)}


@click.command()
@click.option("--only", type=click.Choice(list(PARTS)), multiple=True, help="Part of it; may be repeated.")
@click.option("--repeats", default=3, show_default=True)
def main(only: tuple[str, ...], repeats: int) -> None:
    """Print every ratio with the one that is wanted."""
    for name in only or PARTS:
        PARTS[name](repeats)


if __name__ == "__main__":
    main()
