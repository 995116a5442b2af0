"""The tournament as an experiment: its rows, and its standings as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from nysviz.papers.row import Row
from nysviz.papers.tournament.board import CRITERIA, Board
from nysviz.papers.tournament.jobs import cost_job, error_jobs
from nysviz.papers.tournament.setting import CONTESTANTS, EMBEDDED, arena_of
from nysviz.papers.tournament.standings import standing, wins
from nysviz.sweep import run_jobs


def reproduce(names: Sequence[str] = EMBEDDED, repeats: int = 5, seed: int = 0) -> Iterator[Row]:
    """Yield the rows of every data set: errors at five bandwidths, and seconds at the default width.

    ``data`` of a row is the name and the multiple of the default width, ``digits@width=0.25``. A row is a
    mean over the repeats, and its ``repeat`` the number of the last of them.

    Parameters
    ----------
    names : sequence of str
        Of the catalog.
    repeats : int
        Of what is random; run r has the seed ``seed + r``.
    seed : int
        Also of the sample of rows.

    Yields
    ------
    Row
        With the measures relative_frobenius, relative_trace, quantization, kernel_evaluations and seconds,
        and with m = 0, for all m together, within_quantization and within_trace: rank correlations over the
        repeats of one method with its Frobenius error.
    """
    for name in names or EMBEDDED:
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
    width = max(len(name) for name in CONTESTANTS)
    columns = [criterion for criterion, one in found.items() if one is not None]
    lines = [
        f"Mean ranks over {_counted(len(board.sets))}, 1 is the best; each set has one vote, the mean over "
        "its bandwidths and m/n.",
        f"{'':{width}s}  " + "  ".join(columns),
    ]
    for name in board.methods:
        cells = [f"{one.test.means[name]:{len(key)}.2f}" for key in columns if (one := found[key])]
        lines.append(f"{name:{width}s}  " + "  ".join(cells))
    last = {
        "CD 0.05": [f"{one.test.difference:{len(key)}.2f}" for key in columns if (one := found[key])],
        "p (F)": [f"{one.test.p_f:{len(key)}.1g}" for key in columns if (one := found[key])],
    }
    lines += [f"{title:{width}s}  " + "  ".join(cells) for title, cells in last.items()]
    lines += ["", "Smallest mean rank by error (* more than chance, Wilcoxon over data sets, Holm):"]
    lines += [
        f"  {win.multiple:>7.4g} × default width, m/n {win.percent:>2g} %: {win.first}{'*' * win.sure}, "
        f"error of {win.second} {win.ratio:.3g} times as large"
        for win in wins(board, "error")
    ]
    return "\n".join(lines)


def _counted(sets: int) -> str:
    return "1 data set" if sets == 1 else f"{sets} data sets"
