"""The tournament as an experiment: its rows, and its standings as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from nysviz.papers.output import aligned
from nysviz.papers.row import Row
from nysviz.papers.tournament.board import CRITERIA, Board
from nysviz.papers.tournament.jobs import cost_job, error_jobs
from nysviz.papers.tournament.setting import arena_of
from nysviz.papers.tournament.standings import standing, wins
from nysviz.sweep import run_jobs


def reproduce(names: Sequence[str], repeats: int = 5, seed: int = 0) -> Iterator[Row]:
    """Yield the rows of every data set: errors at five bandwidths, and seconds at the default width.

    ``data`` of a row is the name and the multiple of the default width, ``digits@width=0.25``. A row is a
    mean over the repeats, and its ``repeat`` the number of the last of them.

    Yields
    ------
    Row
        With the measures relative_frobenius, relative_trace, quantization, kernel_evaluations and seconds,
        and with m = 0, for all m together, within_quantization and within_trace: rank correlations over the
        repeats of one method with its Frobenius error.
    """
    for name in names:
        arena = arena_of(name, seed)
        for finished in run_jobs(error_jobs(arena, repeats=repeats, seed=seed)):
            yield from finished.records
        # Alone, so that nothing slows what is being timed.
        with ThreadPoolExecutor(1) as alone:
            for finished in run_jobs([cost_job(arena, seed=seed)], alone):
                yield from finished.records


def table(rows: Sequence[Row]) -> str:
    """Mean ranks by every criterion with their critical difference, and the winners by error."""
    board = Board(rows)
    found = {criterion: standing(board.values(criterion), board.methods) for criterion in CRITERIA}
    tests = {criterion: one.test for criterion, one in found.items() if one is not None}
    lines = [
        {"": name, **{criterion: f"{test.means[name]:.2f}" for criterion, test in tests.items()}}
        for name in board.methods
    ]
    lines.append({"": "CD 0.05", **{key: f"{test.difference:.2f}" for key, test in tests.items()}})
    lines.append({"": "p (F)", **{key: f"{test.p_f:.1g}" for key, test in tests.items()}})
    won = [
        {
            "× default width": f"{win.multiple:.4g}",
            "m/n, %": f"{win.percent:g}",
            "smallest mean rank": win.first + "*" * win.sure,
            "second": win.second,
            "its error, times": f"{win.ratio:.3g}",
        }
        for win in wins(board, "error")
    ]
    return (
        f"Mean ranks, 1 is the best; data sets, a vote each: {len(board.sets)}\n{aligned(lines)}\n\n"
        f"Winners by error (* significant, Wilcoxon over data sets, Holm)\n{aligned(won)}"
    )
