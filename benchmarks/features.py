"""Nyström features beside the bare products and scikit-learn: ``python -m benchmarks.features``.

Data of the size of a9a (32 561 × 123), from its file where the data folder has it, else made up. Landmarks
are the same rows on all sides. The bare side is what any Nyström features must do: the product with the
landmarks, one pass of exp over it, and the product with an m × m matrix, block by block in the same pool.
"""

from __future__ import annotations

import statistics

import click
import numpy as np
from sklearn.kernel_approximation import Nystroem

import nysviz as nv
from benchmarks.core import Work, in_turns
from nysviz.numerics.blocks import FloatArray, over_blocks, rows_per_block

ROWS, COLUMNS = 32_561, 123


def data() -> tuple[str, FloatArray]:
    """Return a9a, or random yes-or-no answers of its size with about 14 yeses a row."""
    if next(card for card in nv.catalog() if card.name == "adult").on_disk:
        return "a9a", np.array(nv.load("adult").X)
    rng = np.random.default_rng(0)
    return "made up", (rng.random((ROWS, COLUMNS)) < 14 / COLUMNS).astype(np.float64)


def bare(X: FloatArray, Z: FloatArray, P: FloatArray, gamma: float) -> FloatArray:
    """Exponentials of a product of the size of k(X, Z), times P: the least that features take."""
    features = np.empty((len(X), P.shape[1]))
    scaled = np.ascontiguousarray((2.0 * gamma * Z).T)

    def block(start: int, stop: int) -> None:
        E = X[start:stop] @ scaled
        np.exp(E, out=E)
        np.matmul(E, P, out=features[start:stop])

    over_blocks(len(X), rows_per_block(len(X), len(Z)), block)
    return features


def both_peers(X: FloatArray, m: int) -> dict[str, Work]:
    """Return the three sides, each a fitted transformer applied to all rows; fitting is timed on its own."""
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    rows = np.random.default_rng(0).permutation(len(X))[:m]
    ours = nv.NystroemFeatures(kernel, landmarks=rows).fit(X)
    theirs = Nystroem(gamma=kernel.gamma, n_components=m, random_state=0).fit(X)
    # The same rows as landmarks for both.
    theirs.fit(X[rows])
    found, peer = ours.transform(X[:500]), theirs.transform(X[:500])
    gap = np.abs(found @ found.T - peer @ peer.T).max()
    if gap > 1e-6:
        raise SystemExit(f"the features differ by {gap:g}")
    P = ours.normalization_
    return {
        "nysviz": lambda: np.asarray(ours.transform(X)),
        "bare product, exp, product": lambda: bare(X, X[rows], P, kernel.gamma),
        "scikit-learn": lambda: np.asarray(theirs.transform(X)),
    }


def report(name: str, sides: dict[str, Work], repeats: int) -> None:
    """Time the sides in turns, after a warm-up, and print medians with ratios to the first."""
    seconds = in_turns(*sides.values(), repeats=repeats)
    click.echo(name)
    for side, times in zip(sides, seconds, strict=True):
        middle, least = statistics.median(times), min(times)
        ratios = statistics.median(seconds[0]) / middle, min(seconds[0]) / least
        click.echo(
            f"  {side:30s} {middle:8.3f} s, fastest {least:8.3f} s; nysviz takes {ratios[0]:.2f} times "
            f"that (of the fastest {ratios[1]:.2f})"
        )


@click.command()
@click.option("--repeats", default=5, show_default=True, help="Timed calls of each side.")
@click.option("--m", default=1_000, show_default=True, help="Landmarks.")
def main(repeats: int, m: int) -> None:
    """Print seconds and ratios."""
    name, X = data()
    about = f"{name}, {len(X):,} x {X.shape[1]}, m = {m:,}"
    report(f"transform, {about}", both_peers(X, m), repeats)


if __name__ == "__main__":
    main()
