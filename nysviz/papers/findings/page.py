"""The page of findings as Markdown, and the command that writes it with its tables."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from pathlib import Path

from nysviz.papers.claims import PAPERS, Claim, ClaimVerdict
from nysviz.papers.findings import numbers as findings
from nysviz.papers.findings.numbers import CriterionRanking, Mean, RowRatio
from nysviz.papers.findings.summary import (
    CHOICE_LABELS,
    DECAYS,
    Findings,
    explain_verdict,
    irreproducible,
    read_findings,
)
from nysviz.papers.findings.tables import tables
from nysviz.papers.labels import data_label, method_label
from nysviz.papers.output import checked_output, replace
from nysviz.papers.records import FOLDER
from nysviz.papers.tournament.answers import MOVED, by_set, compare_pairs, times_width
from nysviz.papers.tournament.jobs import EXPERIMENT, NAMES, PERCENTS
from nysviz.papers.tournament.standings import REFERENCE
from nysviz.text import capital, counted, grouped, listed, signed, three_digits

CRITERION_LABELS = {
    "error": "equal m",
    "error_at_equal_evaluations": "equal kernel evaluations",
    "error_at_equal_seconds": "equal seconds",
}


def write(out: Path, folder: Path = FOLDER) -> None:
    """Write ``findings.md`` and its tables, ``findings/*.csv``, into a folder."""
    numbers = read_findings(folder)
    texts = {f"findings/{name}.csv": text for name, text in tables(numbers).items()}
    (out / "findings").mkdir(parents=True, exist_ok=True)
    for name, text in {"findings.md": page(numbers), **texts}.items():
        checked_output(out / name)
        replace(out / name, text.encode())


def page(numbers: Findings) -> str:
    """Return the page as Markdown; docs/conf.py puts the figures in place of their marks."""
    parts = (_head, _gain, _methods, _rows, _features, _prediction, _decision, _verdicts, _origins)
    return "\n\n".join(part(numbers) for part in parts) + "\n"


def _head(numbers: Findings) -> str:
    board = numbers.board
    sizes = sorted(n for n, _ in board.sizes.values())
    widths = [times_width(multiple) for multiple in board.multiples]
    made = (
        "Five findings from the runs that are recorded with this project. `python -m nysviz findings` writes "
        "this page and its tables from the records, and a test computes its numbers again."
    )
    settings = (
        f"Findings 1 to 3 rest on the tournament: {len(board.methods)} methods on {len(sizes)} data sets of "
        f"{grouped(sizes[0])} to {grouped(sizes[-1])} rows (a random sample where a set has more), Gaussian "
        f"kernel at {listed(widths)} times the default width 2σ², m/n of "
        f"{listed([f'{percent:g}' for percent in PERCENTS])} %, means of {board.repeats} repeats of a random "
        "method. A *cell* is a data set at one bandwidth and one m/n. The error is ‖K − K̃‖/‖K‖ in the "
        "Frobenius norm. Means of ratios are geometric, first within a data set, then over data sets, with a "
        "95 % Student interval; each test counts a data set once."
    )
    missing = (
        f"**Not measured:** more than {grouped(sizes[-1])} rows in findings 1 to 3 (n = 20 000 and 50 000), "
        "kernels other than the Gaussian one, seconds on a machine that does nothing else, and learning on "
        "ten data sets."
    )
    return f"# Does choosing landmarks help, and when?\n\n{made}\n\n{settings}\n\n{missing}"


def _section(number: int, title: str, sentence: str, name: str, table: str, notes: Mapping[str, str]) -> str:
    lines = "\n".join(f"- **{label}:** {text}" for label, text in notes.items())
    picture = f"[[finding-{number}]]"
    return f"## {number}. {title}\n\n**{sentence}**\n\n{picture}\n\n{table}\n\n{_csv_link(name)}\n\n{lines}"


def _csv_link(*names: str) -> str:
    return f"Data: {listed([f'[{name}.csv](findings/{name}.csv)' for name in names])}."


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '∣') for cell in line)} |" for line in lines)


def _span(values: Iterable[float]) -> str:
    low, *_, high = [three_digits(value) for value in sorted(values)] * 2
    return low if low == high else f"{low} to {high}"


def _with_interval(mean: Mean) -> str:
    return f"{signed(mean.value)} ({signed(mean.low)} … {signed(mean.high)})"


def gain_sentence(numbers: Findings) -> str:
    """Return the first finding, which the README has too."""
    gains, overall = numbers.gains, numbers.overall
    slow, fast = ([gain for gain in gains if gain.decay == decay] for decay in (0, len(DECAYS) - 1))
    cells, nothing = sum(gain.cells for gain in gains), sum(gain.without_gain for gain in gains)
    best = overall["best"]
    at_slow, at_fast = (_span(gain.gains["best"].value for gain in part) for part in (slow, fast))
    slow_cells = sum(gain.without_gain for gain in slow)
    which = "all of them" if slow_cells == nothing else f"{slow_cells} of them"
    return (
        f"Uniform sampling has {three_digits(best.value)} times (95 % interval {three_digits(best.low)} to "
        f"{three_digits(best.high)}) the error of the best of {len(numbers.board.methods)} methods, chosen "
        f"in hindsight for each data set, bandwidth and m. Where the eigenvalues fall slowly it has "
        f"{at_slow} times that error, where they fall fast {at_fast} times. In {nothing} of {cells} cases, "
        f"{which} with a slow fall, no method is {findings.NO_GAIN:g} times better."
    )


def _gain(numbers: Findings) -> str:
    board, gains, overall = numbers.board, numbers.gains, numbers.overall
    rows = [
        [
            DECAYS[gain.decay],
            f"{gain.percent:g}",
            *(three_digits(gain.gains[choice].value) for choice in CHOICE_LABELS),
            f"{gain.without_gain} of {gain.cells}",
            str(gain.sets),
        ]
        for gain in gains
    ]
    head = ["error of rank 0.1 n", "m/n, %", *CHOICE_LABELS.values(), "cells without gain", "data sets"]
    logs = {choice: by_set(values) for choice, values in findings.log_gains(board).items()}
    tests = compare_pairs({choice: logs[choice] for choice in ("greedy", "kmeans", REFERENCE)})
    fixed = [
        f"{CHOICE_LABELS[name]} {_with_interval(overall[name])} (p = {three_digits(test.p)})"
        for name, test in tests.items()
    ]
    limits = [
        f"{findings.without_gain(board, limit=limit)} cells have none from {limit:g} on"
        for limit in (1.01, 1.1)
    ]
    notes = {
        "The figure": "gain of the best method in hindsight against m/n, a line for each decay of the "
        "eigenvalues; 1 is the error of uniform sampling.",
        "The table": "error of uniform sampling over that of each choice. Decay is the relative error of "
        "the best approximation of rank 0.1 n: eigenvalues fall slowly where it is over 0.1, fast where it "
        "is below 0.001.",
        "Without hindsight": f"one method for all cells gains: {listed(fixed)}.",
        "Test": f"Wilcoxon's signed-rank test over {len(board.sets)} data sets of the mean log ratio to "
        "uniform sampling; significant with Holm's correction for "
        f"{sum(test.sign > 0 for test in tests.values())} of {len(tests)} methods.",
        "Other choices": f"without any one data set the gain in hindsight is {_ends(logs['best'])}, that of "
        f"greedy {_ends(logs['greedy'])}; where a gain counts from another limit, {listed(limits)}.",
        "What would change it": "a kernel that is not Gaussian, such as one whose k(x, x) differ, and more "
        "rows; neither is in the tournament.",
    }
    title = "What the choice gains over uniform sampling"
    return _section(1, title, gain_sentence(numbers), "gain", markdown_table(head, rows), notes)


def _ends(values: Mapping[str, float]) -> str:
    return " to ".join(map(three_digits, findings.without_one(values)))


def _methods(numbers: Findings) -> str:
    ranked = numbers.rankings
    winners = [
        f"{NAMES[each.first]} at {CRITERION_LABELS[each.criterion]} "
        f"({three_digits(each.standing.test.means[each.first])}, not significantly behind: "
        f"{len(each.close_methods)} methods)"
        for each in ranked
    ]
    sentence = f"The best mean rank of {len(numbers.board.methods)} methods belongs to {listed(winners)}."
    order = ranked[0].standing.test.means
    rows = [
        [capital(NAMES[name]), *(f"{each.standing.test.means[name]:.2f}" for each in ranked)]
        for name in order
    ]
    tests = [each.standing.test for each in ranked]
    rows.append(["Critical difference", *(f"{test.difference:.2f}" for test in tests)])
    rows.append(["p (Friedman, Iman–Davenport)", *(_p(test.p_f) for test in tests)])
    close = [
        f"at {CRITERION_LABELS[each.criterion]} {listed([NAMES[name] for name in each.close_methods])}"
        for each in ranked
    ]
    others = "; ".join(f"at {CRITERION_LABELS[each.criterion]} {_by_choice(each)}" for each in ranked)
    notes = {
        "The figure": "ranks by error at equal kernel evaluations; small marks are data sets, the large one "
        "is their mean, and the band is the critical difference.",
        "The table": "mean ranks by the relative error, 1 is the best. Equal kernel evaluations and seconds "
        f"are those that {NAMES[REFERENCE]} spends at the same m; a method that cannot begin for them is "
        "last. Uniform sampling and RPCholesky have runs up to 40 % of n, k-means centres up to 20 %, the "
        "others up to 10 %; above the costliest run of a method its error stays.",
        "Not significantly behind the first": f"{'; '.join(close)}.",
        "Test": f"Friedman's test over {len(numbers.board.sets)} data sets with Nemenyi's critical "
        "difference (Demšar 2006).",
        "Other choices": f"{others}. First without any one data set: "
        + "; ".join(
            f"at {CRITERION_LABELS[each.criterion]} {listed([NAMES[name] for name in each.without_one])}"
            for each in ranked
        )
        + ".",
        "What would change it": "more rows, and a costlier kernel: the runs take milliseconds (measured at "
        "the default width, on a machine with other work), and a Gaussian entry of K costs little. Errors "
        "and seconds at n = 20 000 and 50 000 are not measured.",
    }
    head = ["method", *(CRITERION_LABELS[each.criterion] for each in ranked)]
    return _section(2, "Which method", sentence, "ranks", markdown_table(head, rows), notes)


def _p(p: float) -> str:
    return "< 10⁻¹⁰" if p < 1e-10 else three_digits(p)


def _by_choice(ranking: CriterionRanking) -> str:
    """Write at which bandwidths and m/n another method is first."""
    widths: dict[str, list[str]] = {}
    for multiple, name in ranking.by_width.items():
        widths.setdefault(name, []).append(times_width(multiple))
    percents: dict[str, list[str]] = {}
    for percent, name in ranking.by_percent.items():
        percents.setdefault(name, []).append(f"{percent:g}")
    by_width = [f"{NAMES[name]} at {listed(where)}" for name, where in widths.items()]
    by_percent = [f"{NAMES[name]} at {listed(where)}" for name, where in percents.items()]
    return f"{listed(by_width)} times the default width, {listed(by_percent)} % of n"


def _rows(numbers: Findings) -> str:
    board = numbers.board
    greedy, pivots, best = (
        {ratio.multiple: ratio for ratio in numbers.rows if ratio.pair == pair} for pair in findings.PAIRS
    )
    evaluations, seconds = (
        1.0 / findings.equal_cost(board, findings.CENTRES, cost).ratio
        for cost in ("kernel_evaluations", "seconds")
    )
    greedy_costs = [
        three_digits(findings.cost_ratio(board, "greedy", findings.CENTRES, cost))
        for cost in ("kernel_evaluations", "seconds")
    ]
    sentence = (
        f"Where landmarks must be rows of the data, greedy has {_ratios(greedy)} times the error of k-means "
        f"centres by bandwidth, for {greedy_costs[0]} times the kernel evaluations and {greedy_costs[1]} "
        f"times the seconds; RPCholesky, which does not evaluate all of K, has {_ratios(pivots)} times their "
        f"error at equal m, {three_digits(evaluations)} times at equal kernel evaluations and "
        f"{three_digits(seconds)} times at equal seconds; the best choice of rows has {_ratios(best)} times "
        "the error of moved landmarks."
    )
    words = {1: "larger", -1: "smaller", 0: "not significantly different"}
    table = [
        [
            times_width(multiple),
            *(
                f"{_with_interval(each[multiple].ratio)}, {words[each[multiple].sign]}"
                for each in (greedy, pivots, best)
            ),
        ]
        for multiple in board.multiples
    ]
    moved = {
        cost: three_digits(findings.cost_ratio(board, MOVED, findings.CENTRES, cost))
        for cost in ("kernel_evaluations", "seconds")
    }
    notes = {
        "The figure": "the same ratios by bandwidth with their intervals; above 1 rows have the larger "
        "error.",
        "The table": "errors of rows over those of landmarks that are not rows, at equal m. The best choice "
        "of rows is the best in each cell, in hindsight; moved landmarks spend "
        f"{moved['kernel_evaluations']} times the kernel evaluations and {moved['seconds']} times the "
        "seconds of k-means centres (medians).",
        "Test": f"Wilcoxon over {len(board.sets)} data sets, Holm over the bandwidths of a column; at equal "
        "cost the error is interpolated between runs, the median of a data set (question x2 of the "
        "tournament).",
        "Other choices": f"without any one data set: {_row_choices(numbers)}.",
        "What would change it": "more rows: greedy evaluates all n² entries, k-means centres some n m, so "
        "their ratio grows with n at a given m. Data without means (strings, graphs) have no centres to "
        "compare with.",
    }
    head = ["× default width", *findings.PAIRS]
    title = "What it costs that landmarks are rows"
    return _section(3, title, sentence, "rows", markdown_table(head, table), notes)


def _ratios(by_width: Mapping[float, RowRatio]) -> str:
    return _span(ratio.ratio.value for ratio in by_width.values())


def _row_choices(numbers: Findings) -> str:
    parts = []
    for name in ("greedy", REFERENCE):
        logs = findings.log_ratios(numbers.board, name, findings.CENTRES)
        low, high = findings.without_one(by_set(logs))
        parts.append(
            f"{CHOICE_LABELS[name]} over k-means centres {three_digits(low)} to {three_digits(high)} (all "
            "bandwidths)"
        )
    return "; ".join(parts)


def _features(numbers: Findings) -> str:
    gaps, sets = numbers.gaps, numbers.sets
    worse = sum(ratio.sign > 0 for ratio in gaps)
    rhos = findings.gap_correlation(gaps)
    timed = [ratio for ratio in sets if not isnan(ratio.at_equal_seconds)]
    sentence = (
        f"At equal columns random Fourier features have {_span(ratio.ratio.value for ratio in gaps)} times "
        "the test error of Nyström features on mixtures with a chosen eigengap, significantly more in "
        f"{worse} of {len(gaps)} cells (rank correlation of ratio and gap {_signed_span(rhos.values())} by "
        "number of columns; the paper expects more with a larger gap); on "
        f"{counted(len({ratio.data for ratio in sets}), 'data set')} they have "
        f"{_span(ratio.at_equal_columns for ratio in sets)} times at equal columns and "
        f"{_span(ratio.at_equal_seconds for ratio in timed)} times at equal seconds."
    )
    columns = list(dict.fromkeys(ratio.columns for ratio in gaps))
    rows = [
        [
            three_digits(gap),
            *(_with_interval(ratio.ratio) for ratio in gaps if ratio.gap == gap),
        ]
        for gap in dict.fromkeys(ratio.gap for ratio in gaps)
    ]
    table = markdown_table(["eigengap / n", *(f"{count} columns" for count in columns)], rows)
    more = [
        [
            data_label(ratio.data),
            str(ratio.columns),
            three_digits(ratio.at_equal_columns),
            three_digits(ratio.at_equal_seconds),
        ]
        for ratio in sets
    ]
    table += "\n\n" + markdown_table(["data set", "columns", "equal columns", "equal seconds"], more)
    frequencies = numbers.frequencies_on_mixtures
    y5, y10 = (numbers.outcomes[name] for name in ("y5", "y10"))
    notes = {
        "The figure": "the ratios on the mixtures against the number of columns, a line for each eigengap.",
        "The tables": "test error of random Fourier features over that of Nyström features with uniform "
        "columns: on mixtures of five clusters (1000 training rows, kernel ridge regression with λ = 0.001, "
        "intervals over ten repeats), and on data sets (linear machines, cross-validated bandwidth, mean "
        "errors). A frequency is two columns. A dash: no trial with Nyström features is as short.",
        "Test": "Wilcoxon's signed-rank test over the repeats of a mixture, Holm over all cells. Rank "
        "correlations over five gaps and means on four data sets have no test of their own; claims y5 and "
        f"y10, of m frequencies against m columns, do: y5, {y5.statistic}; y10, {y10.statistic}.",
        "Other choices": "m frequencies against m columns, as in the paper, so that random features have "
        f"twice the columns: {_span(frequencies)} times on the mixtures, below 1 in {_below(frequencies)}; "
        f"{_span(numbers.frequencies_on_sets)} times on the data sets, below 1 in "
        f"{_below(numbers.frequencies_on_sets)}.",
        "What would change it": "the seconds are those of whole trials with cross-validation on a machine "
        "with other work, so ratios at equal seconds are rough. Landmarks other than uniform ones, and "
        "structured or quasi-random frequencies, are not in these records.",
    }
    return _section(4, "Nyström or random features", sentence, "eigengap", table, notes).replace(
        _csv_link("eigengap"), _csv_link("eigengap", "features")
    )


def _below(ratios: Sequence[float]) -> str:
    return f"{sum(ratio < 1.0 for ratio in ratios)} of {len(ratios)} cells"


def _signed_span(values: Iterable[float]) -> str:
    low, *_, high = [signed(value) for value in sorted(values)] * 2
    return f"{low} to {high}"


def _prediction(numbers: Findings) -> str:
    results, restricted = numbers.predictions.values()
    count, limit = findings.small_enough(results)
    beyond = results[count:]
    rhos = findings.error_correlation(results)
    sentence = (
        f"On {counted(len(rhos), 'set')} of digits a relative error of K̃ up to {three_digits(limit)} is "
        f"small enough: in all {count} cells up to there the LS-SVM on K̃ is at most {findings.MARGIN:g} "
        "percentage points worse than the exact one (95 % interval), beyond it in "
        f"{findings.passing(beyond)} of {len(beyond)}; with the restricted test kernel in "
        f"{findings.passing(restricted)} of {len(restricted)}."
    )
    by_cell = {(each.data, each.percent, each.method): each for each in restricted}
    rows = [
        [
            data_label(each.data),
            f"{each.percent:g}",
            method_label(each.method),
            three_digits(each.error),
            _with_interval(each.excess),
            _with_interval(by_cell[each.data, each.percent, each.method].excess),
        ]
        for each in results
    ]
    head = [
        "data set",
        "m/n, %",
        "method",
        "relative error",
        "excess, exact kernel",
        "excess, restricted kernel",
    ]
    margins = []
    for margin in (0.1, 0.5):
        passed, end = findings.small_enough(results, margin)
        margins.append(f"{margin:g} points: {passed} cells up to {three_digits(end)}")
    for name in rhos:
        alone, end = findings.small_enough([each for each in results if each.data == name])
        margins.append(f"{data_label(name)} alone: {alone} cells up to {three_digits(end)}")
    correlation = ", ".join(f"{data_label(name)} {signed(rho)}" for name, rho in rhos.items())
    e13 = numbers.outcomes["e13"]
    notes = {
        "The figure": "excess test error with the exact test kernel against the relative error; bars are 95 "
        "% intervals over pairs, the dashed line is the margin.",
        "The table": "mean test error of the LS-SVM less that of the exact one, in percentage points, over "
        f"{results[0].pairs} pairs of digits a set; the matrix error is that of the tournament on 1000 rows "
        "of the whole set at its default width, not of the pair's own matrix, which is not recorded. The "
        "exact test kernel has k between test and training rows, the restricted one that of K̃, by the "
        "landmarks.",
        "Test": "95 % Student interval of the excess over the pairs, below the margin. Pairs share digits, "
        "so they are less than independent.",
        "Other choices": f"{'; '.join(margins)}. Rank correlation of error and excess: {correlation}.",
        "Other learners": f"ridge regression with √n ln n centres (e13): {e13.statistic}.",
        "What would change it": "other sets and learners: matrix error and test error of the same run, on "
        "ten sets and with several learners, are not recorded.",
    }
    title = "Matrix error and test error"
    return _section(5, title, sentence, "prediction", markdown_table(head, rows), notes)


def _decision(numbers: Findings) -> str:
    cells = {(each.decay, each.criterion): each for each in numbers.advice}
    rows = [
        [
            label,
            *(
                ", then ".join(f"{NAMES[name]} ({three_digits(each.ranks[name])})" for name in each.first_two)
                for each in (cells[decay, criterion] for criterion in CRITERION_LABELS)
            ),
            str(cells[decay, "error"].sets),
        ]
        for decay, label in enumerate(DECAYS)
    ]
    head = [
        "error of rank 0.1 n",
        "m is given",
        "kernel evaluations are expensive",
        "kernel evaluations are cheap",
        "data sets",
    ]
    sure = sum(each.sure for each in numbers.advice)
    how = (
        "Two numbers are known beforehand: how fast the eigenvalues fall, from the matrix of a sample, and "
        "what a kernel evaluation costs. Each entry is the method with the smallest mean rank over data "
        "sets, and the second: by error at equal m, at equal kernel evaluations, at equal seconds. The first "
        f"is significantly ahead of the second in {sure} of {len(numbers.advice)} entries (Nemenyi's "
        "critical difference)."
    )
    limits = (
        "At which cost of a kernel evaluation the last column ends and the one before it begins is not "
        "measured, nor is what changes with more rows."
    )
    table = markdown_table(head, rows)
    return f"## From two numbers to a method\n\n{how}\n\n{table}\n\n{_csv_link('decision')}\n\n{limits}"


def _source(claim: Claim) -> str:
    return claim.place if claim.paper == "newer" else f"{PAPERS[claim.paper]}, {claim.place}"


def _verdicts(numbers: Findings) -> str:
    counts = {
        verdict: sum(outcome.verdict is verdict for outcome in numbers.outcomes.values())
        for verdict in ClaimVerdict
    }
    rows = [
        [
            f"[{claim.id}](#{claim.id})",
            f"{claim.statement} ({_source(claim)})",
            capital(outcome.statistic),
            explain_verdict(claim, outcome),
        ]
        for claim, outcome in irreproducible(numbers.outcomes)
    ]
    words = {
        **{verdict: str(verdict) for verdict in ClaimVerdict},
        ClaimVerdict.DEPENDS: "depend on a choice",
    }
    tally = listed([f"{count} {words[verdict]}" for verdict, count in counts.items() if count])
    which = (
        f"Of {len(numbers.outcomes)} claims: {tally}. Below are those that are not reproduced, and those "
        "whose verdict depends on a choice; [Claims](claims.md) has all."
    )
    table = markdown_table(["claim", "printed", "measured", "why"], rows)
    return f"## Printed verdicts that do not reproduce\n\n{which}\n\n{table}\n\n{_csv_link('verdicts')}"


def _origins(numbers: Findings) -> str:
    names = (EXPERIMENT, "yang-eigengap", "yang-fig2", "zhang-table4", "newer-centres")
    lines = [f"- `{name}`: {numbers.origins[name]}" for name in names if name in numbers.origins]
    return "## How the runs were made\n\n" + "\n".join(lines)
