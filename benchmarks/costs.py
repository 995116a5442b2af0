"""What each method costs as n and m grow: fitted slopes beside the complexity that its paper states.

``python -m benchmarks.costs``. Times the choice of the landmarks alone, as table 1 of Zhang, Tsang & Kwok
(2008) compares it, on normal rows in ten dimensions with a Gaussian kernel of their default width; random
features choose none and have no place in it. Slopes are fitted to processor seconds, which other programs on
the machine disturb less. Writes the times to
``costs.csv`` and the slopes to ``cost_slopes.csv`` in ``datasets/reproduced``.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import DENSE_ROWS
from nysviz.numerics.blocks import FloatArray

FOLDER = Path(__file__).parents[1] / "datasets" / "reproduced"
DIMENSIONS = 10
ROWS = (1_000, 2_000, 4_000, 8_000, 16_000, 30_000)
AT_ROWS = 4_000
LANDMARKS = (25, 50, 100, 200, 400, 800)
AT_LANDMARKS = 100
# Nothing is started that the last two times say will take longer.
SECONDS = 30.0
# Above this the method takes another form, whose times lie on another line.
MOST_ROWS = {"greedy": DENSE_ROWS}
# Below this, times are repeated and the smallest is kept; they are also too short to show a slope.
SHORT = 1.0
REPEATS = 5
SHORTEST = 5e-5

TIMED = [name for name, method in nv.METHODS.items() if method.data_dependent]

# Exponents of n and m in the papers' complexity of choosing the landmarks; None where m does not show in it
# or does so through a number of rounds.
STATED: dict[str, tuple[float, float | None]] = {
    "uniform": (1, 0),
    "diagonal": (1, 0),
    "column_norm": (2, 0),
    "ensemble": (1, 2),
    "kmeans": (1, 1),
    "kmeanspp": (1, 1),
    "kmeanspp_lloyd": (1, 1),
    "farthest": (1, 1),
    "icd": (1, 2),
    "rpcholesky": (1, 2),
    "rpcholesky_block": (1, 2),
    "greedy": (2, 1),
    "partition_greedy": (2, 1),
    "sgma": (1, 2),
    "adaptive_full": (2, 1),
    "adaptive_partial": (1, 3),
    "arp": (3, 0),
    "osinsky": (3, 0),
    "leverage": (3, 0),
    "leverage_approx": (1, 2),
    "rls": (1, 2),
    "bless": (1, 2),
    "dpp": (0, 2),
    "dpp_exact": (3, 0),
    "sketch": (2, 1),
    "svd": (3, 0),
}


def measured(X: FloatArray, kernel: nv.Gaussian, method: str, m: int) -> dict[str, float]:
    """Smallest of some times of choosing m landmarks, and the kernel evaluations that it took."""
    wall, processor, taken, evaluations = np.inf, np.inf, 0.0, 0
    for _ in range(REPEATS):
        K = KernelMatrix(X, kernel)
        started, used = time.perf_counter(), time.process_time()
        nv.METHODS[method].select(K, m, np.random.default_rng(0))
        seconds = time.perf_counter() - started
        wall, processor = min(wall, seconds), min(processor, time.process_time() - used)
        taken, evaluations = taken + seconds, K.evaluations
        if taken > SHORT:
            break
    return {
        "seconds": float(f"{wall:.4g}"),
        "processor_seconds": float(f"{processor:.4g}"),
        "kernel_evaluations": evaluations,
    }


def expected(times: list[float], sizes: list[int], size: int) -> float:
    """Seconds for the next size, by the slope between the last two."""
    if len(times) < 2:
        return 0.0
    slope = np.log(times[-1] / times[-2]) / np.log(sizes[-1] / sizes[-2])
    return float(times[-1] * (size / sizes[-1]) ** max(1.0, slope))


def series(method: str, varied: str) -> list[dict[str, object]]:
    """Times over the sizes that stay within ``SECONDS``."""
    rows: list[dict[str, object]] = []
    times: list[float] = []
    sizes: list[int] = []
    for size in ROWS if varied == "n" else LANDMARKS:
        if expected(times, sizes, size) > SECONDS or size > MOST_ROWS.get(method, size):
            break
        n, m = (size, AT_LANDMARKS) if varied == "n" else (AT_ROWS, size)
        X = np.random.default_rng(0).standard_normal((n, DIMENSIONS))
        kernel = nv.Gaussian.from_width(nv.default_width(X))
        found = measured(X, kernel, method, m)
        times.append(found["processor_seconds"])
        sizes.append(size)
        rows.append({"method": method, "varied": varied, "n": n, "m": m, **found})
    return rows


def slope(rows: pd.DataFrame, varied: str) -> float:
    """Least-squares slope of log seconds over log size, over the larger sizes; NaN where too short."""
    long = rows[rows["processor_seconds"] >= SHORTEST].tail(max(3, (len(rows) + 1) // 2))
    if len(long) < 2:
        return float("nan")
    return float(np.polyfit(np.log(long[varied]), np.log(long["processor_seconds"]), 1)[0])


def slopes(times: pd.DataFrame) -> pd.DataFrame:
    """One row a method: the fitted slopes beside the stated exponents."""
    rows = []
    for method, of_method in times.groupby("method", sort=False):
        fitted = {v: slope(of_method[of_method["varied"] == v], v) for v in ("n", "m")}
        stated_n, stated_m = STATED[str(method)]
        rows.append(
            {
                "method": method,
                "complexity": nv.METHODS[str(method)].complexity,
                "stated_n": stated_n,
                "fitted_n": round(fitted["n"], 2),
                "stated_m": stated_m,
                "fitted_m": round(fitted["m"], 2),
            }
        )
    return pd.DataFrame(rows)


@click.command()
@click.option("--method", "methods", multiple=True, type=click.Choice(TIMED), help="All without it.")
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER, help="Folder of the two tables.")
def main(methods: tuple[str, ...], out: Path) -> None:
    """Time, fit, print and keep."""
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    X = np.random.default_rng(0).standard_normal((600, DIMENSIONS))
    # BLAS threads that wait for one another would count as work.
    with threadpool_limits(1, user_api="blas"):
        for method in methods or TIMED:
            nv.approximate(X, nv.Gaussian(2.0), method, 50)  # compiles
            found = series(method, "n") + series(method, "m")
            click.echo(f"{method:18s} " + " ".join(f"{row['processor_seconds']:.3g}" for row in found))
            rows += found
    times = pd.DataFrame(rows)
    table = slopes(times)
    click.echo(table.to_string(index=False))
    times.to_csv(out / "costs.csv", index=False)
    table.to_csv(out / "cost_slopes.csv", index=False)


if __name__ == "__main__":
    main()
