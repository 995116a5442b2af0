"""The numbers of the page "Tournament" as tidy records, and the script that prints them."""

from __future__ import annotations

from nysviz.ui.tournament.parts import Evidence, Question, Result


def rows(found: Evidence, question: Question, result: Result) -> list[dict[str, object]]:
    """Mean ranks, the test, ranks on each data set, and the winner of each cell."""
    one, begin = result.standing, {"criterion": question.criterion}
    if one is None:
        return []
    test = one.test
    lines: list[dict[str, object]] = [
        {**begin, "method": name, "measure": "mean_rank", "value": mean} for name, mean in test.means.items()
    ]
    tests = {
        "friedman_chi2": test.chi2,
        "iman_davenport_f": test.f,
        "iman_davenport_p": test.p_f,
        "critical_difference": test.difference,
    }
    lines += [{**begin, "measure": name, "value": value} for name, value in tests.items()]
    for data, places in zip(one.sets, one.places, strict=True):
        n, d = found.board.sizes[data]
        lines += [
            {**begin, "data": data, "n": n, "d": d, "method": name, "measure": "rank", "value": float(value)}
            for name, value in zip(one.methods, places, strict=True)
        ]
    for win in result.wins:
        head = {**begin, "width": f"{win.multiple:g}", "percent": win.percent, "method": win.first}
        lines += [
            {**head, "measure": name, "value": value}
            for name, value in (
                ("winner_mean_rank", win.ranks[0]),
                ("second_over_winner", win.ratio),
                ("winner_p", win.p),
            )
        ]
    return lines


def python(question: Question, result: Result) -> str:
    """Write the script."""
    if result.standing is None:
        return "# No data set has runs of all the chosen contestants."
    return f"""from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.standings import standing, wins

board = Board(recorded_of("tournament"))  # made by: python -m nysviz record tournament
methods = {list(result.standing.methods)!r}
found = standing(board.values({question.criterion!r}), methods, {question.multiples!r}, {question.percents!r})
for method, mean in found.test.means.items():
    print(f"method={{method}} mean_rank", mean)
print("friedman_chi2", found.test.chi2)
print("iman_davenport_f", found.test.f)
print("iman_davenport_p", found.test.p_f)
print("critical_difference", found.test.difference)
for data, places in zip(found.sets, found.places):
    for method, rank in zip(found.methods, places):
        print(f"data={{data}} method={{method}} rank", rank)
for win in wins(board, {question.criterion!r}, methods):
    cell = f"width={{win.multiple:g}} percent={{win.percent}} method={{win.first}}"
    print(cell, "winner_mean_rank", win.ranks[0])
    print(cell, "second_over_winner", win.ratio)
    print(cell, "winner_p", win.p)"""
