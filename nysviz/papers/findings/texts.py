"""The findings in words: a sentence, tables and remarks, from the numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan

from nysviz.papers.findings import numbers as findings
from nysviz.papers.findings.decision_text import write_decision
from nysviz.papers.findings.many_rows import CANDIDATES, COUNTS, HELD_OUT, MULTIPLES, SIZES
from nysviz.papers.findings.many_rows_errors import SMALL_ERROR, ManyRowsRatio
from nysviz.papers.findings.numbers import CriterionRanking, RowRatio
from nysviz.papers.findings.prediction_text import write_prediction
from nysviz.papers.findings.summary import CHOICE_LABELS, DECAYS, Findings
from nysviz.papers.findings.written import TextTable, WrittenFinding, span, with_interval
from nysviz.papers.labels import data_label, name_bandwidth
from nysviz.papers.tournament.answers import MOVED, by_set, compare_pairs
from nysviz.papers.tournament.jobs import NAMES
from nysviz.papers.tournament.standings import REFERENCE
from nysviz.text import capital, counted, listed, signed, three_digits

CRITERION_LABELS = {
    "error": "equal m",
    "error_at_equal_evaluations": "equal kernel evaluations",
    "error_at_equal_seconds": "equal seconds",
}
# A method that cannot begin in more of the cells than these leave is not compared over all of them.
MOST_CELLS = 0.9


def gain_sentence(numbers: Findings) -> str:
    """Return the first finding, which the README has too."""
    gains, overall = numbers.gains, numbers.overall
    slow, fast = ([gain for gain in gains if gain.decay == decay] for decay in (0, len(DECAYS) - 1))
    cells, nothing = sum(gain.cells for gain in gains), sum(gain.without_gain for gain in gains)
    best = overall["best"]
    at_slow, at_fast = (span(gain.gains["best"].value for gain in part) for part in (slow, fast))
    slow_cells = sum(gain.without_gain for gain in slow)
    which = "all of them" if slow_cells == nothing else f"{slow_cells} of them"
    return (
        f"Uniform sampling has **{three_digits(best.value)} times** (95 % interval {three_digits(best.low)} "
        f"to {three_digits(best.high)}) the error of the best of {len(numbers.board.methods)} methods, "
        f"chosen in hindsight for each data set, bandwidth and m. Where the eigenvalues fall slowly it has "
        f"{at_slow} times that error, where they fall fast {at_fast} times. In {nothing} of {cells} cases, "
        f"{which} with a slow fall, no method is {findings.NO_GAIN:g} times better."
    )


def write_gain(numbers: Findings) -> WrittenFinding:
    """Write what the choice gains over uniform sampling."""
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
    head = ["error of rank 0.1 n", "m/n, %", *CHOICE_LABELS.values(), "cases without gain", "data sets"]
    logs = {choice: by_set(values) for choice, values in findings.log_gains(board).items()}
    tests = compare_pairs({choice: logs[choice] for choice in ("greedy", "kmeans", REFERENCE)})
    fixed = [
        f"{CHOICE_LABELS[name]} {with_interval(overall[name])} (p = {three_digits(test.p)})"
        for name, test in tests.items()
    ]
    limits = [
        f"{findings.without_gain(board, limit=limit)} cases have none if it must be {limit:g} times or more"
        for limit in (1.01, 1.1)
    ]
    remarks = {
        "The table": "error of uniform sampling over that of each choice. Decay is the relative error of "
        "the best approximation of rank 0.1 n: eigenvalues fall slowly where it is over 0.1, fast where it "
        "is below 0.001.",
        "Without hindsight": f"if one method is used in all cases, it gains: {listed(fixed)}.",
        "Test": f"Wilcoxon's signed-rank test over {len(board.sets)} data sets of the mean log ratio to "
        "uniform sampling; significant with Holm's correction for "
        f"{sum(test.sign > 0 for test in tests.values())} of {len(tests)} methods.",
        "Other choices": f"without any one data set the gain in hindsight is {_ends(logs['best'])}, that of "
        f"greedy {_ends(logs['greedy'])}; with another limit for a gain, {listed(limits)}.",
        "What would change it": "a kernel that is not Gaussian, such as one whose k(x, x) differ, and more "
        "rows; neither is among these runs.",
    }
    title = "What the choice gains over uniform sampling"
    return WrittenFinding(
        title,
        gain_sentence(numbers),
        [TextTable("error of uniform sampling over that of each choice", head, rows, "gain")],
        remarks,
    )


def _ends(values: Mapping[str, float]) -> str:
    return " to ".join(map(three_digits, findings.without_one(values)))


def write_methods(numbers: Findings) -> WrittenFinding:
    """Write which method has the best mean rank."""
    ranked = numbers.rankings
    winners = [
        f"**{NAMES[each.first]}** at {CRITERION_LABELS[each.criterion]} "
        f"({three_digits(each.standing.test.means[each.first])}, not significantly behind: "
        f"{len(each.close_methods)} methods)"
        for each in ranked
    ]
    best = {
        each.criterion: f"{NAMES[each.method]} at {CRITERION_LABELS[each.criterion]} "
        f"({three_digits(each.ratio.value)} times the error of RPCholesky)"
        for each in sorted(numbers.many_rows, key=lambda each: -each.ratio.value)
        if each.begun >= MOST_CELLS * each.cells
    }
    sentence = (
        f"The best mean rank of {len(numbers.board.methods)} methods belongs to {listed(winners)}; on 10 "
        "000 to 50 000 rows the smallest mean error is that of "
        f"{listed([best[criterion] for criterion in CRITERION_LABELS])}."
    )
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
    remarks = {
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
        "Many rows": f"{len(CANDIDATES)} methods that do not read all of K, with {COUNTS[0]} to {COUNTS[-1]} "
        f"landmarks on {counted(len(SIZES | HELD_OUT), 'data set')} at "
        f"{listed([name_bandwidth(multiple) for multiple in MULTIPLES])}, σ the default bandwidth. An "
        f"error below {SMALL_ERROR:g} counts as that. The ratio is a mean over the matrices and numbers "
        "of landmarks of a data set, then over sets; in some cells a method cannot begin for what "
        "RPCholesky spends. Errors are estimated from 100 rows of K − K̃, and the methods are chosen "
        "knowing the tournament.",
        "What would change it": "a costlier kernel: a Gaussian entry of K costs little, and the runs of the "
        "tournament take milliseconds (at the default bandwidth, on a machine with other work). Which "
        "method is the fastest for which cost is the last part.",
    }
    head = ["method", *(CRITERION_LABELS[each.criterion] for each in ranked)]
    return WrittenFinding(
        "Which method",
        sentence,
        [TextTable("mean ranks by the relative error", head, rows, "ranks"), _many_rows(numbers)],
        remarks,
    )


def _many_rows(numbers: Findings) -> TextTable:
    by_method: dict[str, dict[str, ManyRowsRatio]] = {}
    for each in numbers.many_rows:
        by_method.setdefault(each.method, {})[each.criterion] = each
    rows = [
        [capital(NAMES[name]), *(_begun(by_criterion[criterion]) for criterion in CRITERION_LABELS)]
        for name, by_criterion in by_method.items()
    ]
    title = "error over that of randomly pivoted Cholesky on 10 000 to 50 000 rows"
    return TextTable(title, ["method", *CRITERION_LABELS.values()], rows, "many-rows")


def _begun(ratio: ManyRowsRatio) -> str:
    if not ratio.begun:
        return "cannot begin"
    where = "" if ratio.begun == ratio.cells else f", in {ratio.begun} of {ratio.cells} cells"
    return f"{with_interval(ratio.ratio)}{where}"


def _p(p: float) -> str:
    return "< 10⁻¹⁰" if p < 1e-10 else three_digits(p)


def _by_choice(ranking: CriterionRanking) -> str:
    """Write at which bandwidths and m/n another method is first."""
    widths: dict[str, list[str]] = {}
    for multiple, name in ranking.by_width.items():
        widths.setdefault(name, []).append(name_bandwidth(multiple))
    percents: dict[str, list[str]] = {}
    for percent, name in ranking.by_percent.items():
        percents.setdefault(name, []).append(f"{percent:g}")
    by_width = [f"{NAMES[name]} at {listed(where)}" for name, where in widths.items()]
    by_percent = [f"{NAMES[name]} at {listed(where)}" for name, where in percents.items()]
    return f"{listed(by_width)}, {listed(by_percent)} % of n"


def write_rows(numbers: Findings) -> WrittenFinding:
    """Write what it costs that landmarks are rows."""
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
        f"Where landmarks must be rows of the data, greedy has **{_ratios(greedy)} times** the error of "
        f"k-means centres by bandwidth, for {greedy_costs[0]} times the kernel evaluations and "
        f"{greedy_costs[1]} times the seconds; RPCholesky, which does not evaluate all of K, has "
        f"{_ratios(pivots)} times their error at equal m, {three_digits(evaluations)} times at equal "
        f"kernel evaluations and {three_digits(seconds)} times at equal seconds; the best choice of rows "
        f"has {_ratios(best)} times the error of moved landmarks."
    )
    words = {1: "larger", -1: "smaller", 0: "not significantly different"}
    table = [
        [
            name_bandwidth(multiple),
            *(
                f"{with_interval(each[multiple].ratio)}, {words[each[multiple].sign]}"
                for each in (greedy, pivots, best)
            ),
        ]
        for multiple in board.multiples
    ]
    moved = {
        cost: three_digits(findings.cost_ratio(board, MOVED, findings.CENTRES, cost))
        for cost in ("kernel_evaluations", "seconds")
    }
    remarks = {
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
    head = ["bandwidth", *findings.PAIRS]
    title = "What it costs that landmarks are rows"
    return WrittenFinding(
        title,
        sentence,
        [TextTable("errors of rows over those of landmarks that are not rows", head, table, "rows")],
        remarks,
    )


def _ratios(by_width: Mapping[float, RowRatio]) -> str:
    return span(ratio.ratio.value for ratio in by_width.values())


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


def write_features(numbers: Findings) -> WrittenFinding:
    """Write how random Fourier features compare with Nyström features."""
    gaps, sets = numbers.gaps, numbers.sets
    worse = sum(ratio.sign > 0 for ratio in gaps)
    rhos = findings.gap_correlation(gaps)
    timed = [ratio for ratio in sets if not isnan(ratio.at_equal_seconds)]
    sentence = (
        f"At equal columns random Fourier features have **{span(ratio.ratio.value for ratio in gaps)} "
        "times** the test error of Nyström features on mixtures with a chosen eigengap, significantly "
        f"more in {worse} of {len(gaps)} cells (rank correlation of ratio and gap "
        f"{_signed_span(rhos.values())} by number of columns; the paper expects more with a larger gap); "
        f"on {counted(len({ratio.data for ratio in sets}), 'data set')} they have "
        f"{span(ratio.at_equal_columns for ratio in sets)} times at equal columns and "
        f"{span(ratio.at_equal_seconds for ratio in timed)} times at equal seconds."
    )
    columns = list(dict.fromkeys(ratio.columns for ratio in gaps))
    rows = [
        [
            three_digits(gap),
            *(with_interval(ratio.ratio) for ratio in gaps if ratio.gap == gap),
        ]
        for gap in dict.fromkeys(ratio.gap for ratio in gaps)
    ]
    heads = ["eigengap / n", *(f"{count} columns" for count in columns)]
    more = [
        [
            data_label(ratio.data),
            str(ratio.columns),
            three_digits(ratio.at_equal_columns),
            three_digits(ratio.at_equal_seconds),
        ]
        for ratio in sets
    ]
    tables = [
        TextTable("test error of random features over that of Nyström, mixtures", heads, rows, "eigengap"),
        TextTable(
            "the same on data sets",
            ["data set", "columns", "equal columns", "equal seconds"],
            more,
            "features",
        ),
    ]
    frequencies = numbers.frequencies_on_mixtures
    y5, y10 = (numbers.outcome(name) for name in ("y5", "y10"))
    remarks = {
        "The tables": "test error of random Fourier features over that of Nyström features with uniform "
        "columns: on mixtures of five clusters (1000 training rows, kernel ridge regression with λ = 0.001, "
        "intervals over ten repeats), and on data sets (linear machines, cross-validated bandwidth, mean "
        "errors). A frequency is two columns. A dash: no trial with Nyström features is as short.",
        "Test": "Wilcoxon's signed-rank test over the repeats of a mixture, Holm over all cells. Rank "
        "correlations over five gaps and means on four data sets have no test of their own; claims y5 and "
        f"y10, of m frequencies against m columns, do: y5, {y5.statistic}; y10, {y10.statistic}.",
        "Other choices": "m frequencies against m columns, as in the paper, so that random features have "
        f"twice the columns: {span(frequencies)} times on the mixtures, below 1 in {_below(frequencies)}; "
        f"{span(numbers.frequencies_on_sets)} times on the data sets, below 1 in "
        f"{_below(numbers.frequencies_on_sets)}.",
        "What would change it": "the seconds are those of whole trials with cross-validation on a machine "
        "with other work, so ratios at equal seconds are rough. Landmarks other than uniform ones, and "
        "structured or quasi-random frequencies, are not in these records.",
    }
    return WrittenFinding("Nyström or random features", sentence, tables, remarks)


def _below(ratios: Sequence[float]) -> str:
    return f"{sum(ratio < 1.0 for ratio in ratios)} of {len(ratios)} cells"


def _signed_span(values: Iterable[float]) -> str:
    low, *_, high = [signed(value) for value in sorted(values)] * 2
    return f"{low} to {high}"


DECISION = "decision"
FINDINGS: dict[str, Callable[[Findings], WrittenFinding]] = {
    "gain": write_gain,
    "methods": write_methods,
    "rows": write_rows,
    "features": write_features,
    "prediction": write_prediction,
    DECISION: write_decision,
}
