"""The advice in words: which method to take, from the decay and the cost of a kernel evaluation."""

from collections import Counter
from collections.abc import Mapping

from nysviz.papers.findings.decision import (
    CLOSE,
    COSTS,
    EXPENSIVE,
    FAILED,
    SMALL_ERROR,
    TARGETS,
    MethodAdvice,
    questions,
)
from nysviz.papers.findings.many_rows import CANDIDATES, COUNTS, SIZES
from nysviz.papers.findings.summary import DECAYS, Findings
from nysviz.papers.findings.written import TextTable, WrittenFinding
from nysviz.papers.labels import data_label, name_bandwidth
from nysviz.papers.records import catalog_name
from nysviz.papers.tournament.jobs import NAMES
from nysviz.text import counted, in_seconds, listed, three_digits

# In the place of a method where no method reaches an error that is asked for.
NO_TASK = "not reached"


def write_decision(numbers: Findings) -> WrittenFinding:
    """Write which method to take, from the decay and the cost of a kernel evaluation."""
    advice, trials, by_error = numbers.advice, numbers.trials, numbers.trials_by_error
    ten = questions(trials)
    expensive = [trial for trial in trials if trial.task.cost >= EXPENSIVE]
    close, close_of_ten, close_expensive = (
        sum(trial.is_close for trial in each) for each in (trials, ten, expensive)
    )
    sets = {catalog_name(trial.task.data) for trial in trials}
    sentence = (
        "How fast the eigenvalues fall and what a kernel evaluation costs say which method to take: on "
        f"{counted(len(sets), 'data set')} that the advice has not seen it "
        f"takes at most {CLOSE:g} times the seconds of the fastest of {len(CANDIDATES)} methods in "
        f"**{close} of {len(trials)}** questions, in {close_of_ten} of {len(ten)} of them drawn at random, "
        f"and where an evaluation costs {name_cost(EXPENSIVE)} or more in {close_expensive} of "
        f"{len(expensive)}."
    )
    ranks_at_equal_m = {each.decay: each for each in numbers.ranks_by_decay}
    rows = [
        [
            label,
            NAMES[ranks_at_equal_m[decay].first_two[0]],
            *(_advised(advice.get((decay, cost))) for cost in COSTS),
        ]
        for decay, label in enumerate(DECAYS)
    ]
    head = ["error of rank 0.1 n", "m is given", *map(name_cost, COSTS)]
    question_rows = [
        [
            f"{data_label(catalog_name(task.data))}, {task.n} × {task.d}",
            name_bandwidth(task.multiple),
            DECAYS[task.decay],
            name_cost(task.cost),
            f"{100 * task.target:g} %",
            NAMES[trial.method],
            in_seconds(task.seconds[trial.method]),
            f"{NAMES[task.fastest]}, {in_seconds(task.seconds[task.fastest])}",
            three_digits(trial.ratio),
        ]
        for trial in ten
        for task in [trial.task]
    ]
    heads = [
        "data",
        "bandwidth",
        "decay",
        "an evaluation costs",
        "error",
        "advised",
        "takes",
        "fastest",
        "times",
    ]
    tables = [
        TextTable("method by decay and cost", head, rows, "decision"),
        TextTable("ten questions", heads, question_rows, "questions"),
    ]
    ratios = sorted(trial.ratio for trial in trials)
    remarks = {
        "The tables": "seconds to reach a relative error of "
        f"{listed([f'{100 * target:g}' for target in TARGETS])} % on 20 000 to 50 000 rows with at most "
        f"{COUNTS[-1]} landmarks, read off a line through runs with "
        f"{listed([str(m) for m in COUNTS])} of them; a method that does not reach it counts as {FAILED:g} "
        "times as slow as the fastest. Behind the method: its mean ratio to the fastest, and in how many "
        "tasks it is close. Where m is given: the smallest mean rank at equal m on at most 1000 rows, which "
        "reads all of K.",
        **_unanswered(numbers),
        "How the ten were drawn": f"from all {len(trials)} tasks on the data sets held out, by a generator "
        f"with seed 0. Over all of them the ratio is {three_digits(ratios[len(ratios) // 2])} in the median "
        f"and {three_digits(ratios[-1])} at most.",
        "A third number": "advice that also knows whether the error to reach is below "
        f"{100 * SMALL_ERROR:g} % is as close in {sum(trial.is_close for trial in by_error)} of "
        f"{len(by_error)} questions.",
        "Where points have no means": "strings and graphs have no centres, so that of the methods that "
        f"choose rows the fastest stands in: {_of_rows(advice)}.",
        "What would change it": f"other data, of which there are {len(SIZES)} here; "
        f"more than {COUNTS[-1]} landmarks; a kernel that is not Gaussian. A cost replaces that of the "
        "Gaussian entry in the measured seconds, and the runs were made one at a time on two cores.",
    }
    return WrittenFinding("From two numbers to a method", sentence, tables, remarks)


def _unanswered(numbers: Findings) -> dict[str, str]:
    """Write where the chart has no method, if it has none for some decay."""
    absent = [label for decay, label in enumerate(DECAYS) if (decay, COSTS[0]) not in numbers.advice]
    if not absent:
        return {}
    left_out = len(numbers.unseen) - len(numbers.trials)
    return {
        "Without a method": f"at an error of rank 0.1 n {listed(absent)} no method reaches "
        f"{100 * max(TARGETS):g} % with {COUNTS[-1]} landmarks on the sets of the advice; {left_out} "
        "questions on the other sets are of this kind."
    }


def name_cost(cost: float) -> str:
    """Name a cost of a kernel evaluation: 0.1 µs, 100 µs."""
    return f"{1e6 * cost:g}\N{NO-BREAK SPACE}µs" if cost else "Gaussian entry"


def _advised(advice: MethodAdvice | None) -> str:
    if advice is None:
        return NO_TASK
    return f"{NAMES[advice.method]} ({three_digits(advice.ratio)}; {advice.close} of {advice.tasks})"


def _of_rows(advice: Mapping[tuple[int, float], MethodAdvice]) -> str:
    """Write which methods of rows stand in for a method whose landmarks are not rows."""
    stand_ins = Counter(each.of_rows for each in advice.values() if each.of_rows != each.method)
    return listed([f"{NAMES[name]} in {counted(count, 'cell')}" for name, count in stand_ins.items()])
