"""Figure 1: Frobenius error against m/n for five schemes.

The paper prints curves without numbers, so the table sets the schemes beside one another and beside the best
possible error, and counts how often each comes out ahead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from nysviz.datasets import load
from nysviz.papers.experiments import ZHANG
from nysviz.papers.problems import problem_of
from nysviz.papers.row import Row
from nysviz.sweep import Job, Problem, run_jobs, sweep_jobs

DATA = ZHANG
METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans")
PERCENTS = tuple(range(1, 11))


def jobs(of: Problem, repeats: int, seed: int) -> list[Job]:
    """Return the runs for one data set: five schemes, m = 1 … 10 % of n."""
    counts = [max(1, round(of.n * percent / 100)) for percent in PERCENTS]
    return sweep_jobs(of, dict.fromkeys(METHODS, ()), counts, repeats, seed)


def reproduce(names: Sequence[str] = DATA, repeats: int = 20, seed: int = 0) -> Iterator[Row]:
    """Yield the Frobenius error of every run, as runs finish.

    Parameters
    ----------
    names : sequence of str
        Of the catalog.
    repeats : int
        Of the schemes with randomness; run r has the seed ``seed + r``.
    seed : int
    """
    for name in names:
        of = problem_of(load(name))
        for finished in run_jobs(jobs(of, repeats, seed)):
            for r in finished.records:
                value = r.values["frobenius"]
                yield Row(
                    "zhang-fig1", r.data, r.n, r.d, r.method, r.m, r.repeat, "frobenius", value, r.seconds
                )


def table(rows: Sequence[Row]) -> str:
    """Mean errors at every m, and which scheme but the svd has the smallest one."""
    errors: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for row in rows:
        errors[row.data, row.m, row.method].append(row.value)
    lines = [f"{'data':12} {'m':>5} " + " ".join(f"{method:>17}" for method in METHODS) + "   smallest"]
    for data, m in sorted({(data, m) for data, m, _ in errors}):
        cells, means = [], {}
        for method in METHODS:
            found = np.array(errors.get((data, m, method), []))
            if not len(found):
                cells.append(f"{'–':>17}")
                continue
            means[method] = float(found.mean())
            spread = f" ± {found.std(ddof=1):.2g}" if len(found) > 1 else ""
            cells.append(f"{f'{found.mean():.3g}{spread}':>17}")
        ours = {method: mean for method, mean in means.items() if method != "svd"}
        lines.append(f"{data:12} {m:5d} " + " ".join(cells) + "   " + min(ours, key=ours.__getitem__))
    lines.append("The paper prints curves, no numbers: compare with its figure 1.")
    return "\n".join(lines)
