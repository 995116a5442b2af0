"""The words and numbers of the view "Nyström against random features"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from nysviz.datasets import Dataset
from nysviz.figures.look import three_digits
from nysviz.learning.trial_setting import EXACT, FOLDS, TEST_PART
from nysviz.papers.yang2012.figure2 import Series, compare
from nysviz.ui import page
from nysviz.ui.downloads import Rows
from nysviz.ui.learning.features_seen import Seen, ahead, label_of

MATHS = r"""
A linear machine $f(x) = w^\top z(x) + b$ is learned on features with $z(x)^\top z(y) \approx k(x, y)$:

$$z_{\text{Nyström}}(x) = P^\top \big(k(z_1, x), \dots, k(z_m, x)\big)^\top, \quad P P^\top = W^{+}, \qquad
z_{\text{RFF}}(x) = \tfrac{1}{\sqrt m}\big(\sin u_i^\top x,\ \cos u_i^\top x\big)_{i \le m}, \quad
u_i \sim N(0, \sigma^{-2} I).$$

Ridge regression minimises $\sum_i (t_i - f(x_i))^2 + p \sum_i \|z(x_i)\|^2\, \|w\|^2$ with a free
intercept; the support vector machine
$\tfrac12 (\|w\|^2 + b^2) + C \sum_i \max(0, 1 - t_i f(x_i))^2$. For classes $t = \pm 1$, one machine a class
where there are more than two. Values to predict are standardised by their mean and deviation in the
training part, so a mean square error of 1 is about that of predicting the mean. The features are not scaled
any further. Of the rows 80 % train and 20 % test, drawn anew in each trial. $p$ (from $10^{-9}$ to $10$) or
$C$ (from 0.1 to 1000, on at most 3000 rows) minimises the error of 5 folds of the training part. The
bandwidth is that of the sidebar. Landmarks come from the training rows.

The test at each $m$ is the paired, two-sided t-test over trials at 95 %: both machines of a pair learn
from the same rows. No correction is made for testing at several $m$.
"""


def too_few(data: Dataset) -> str:
    """Say why nothing can be learned from so few rows or classes; empty where it can."""
    if data.task == "classification" and len(data.classes) < 2:
        return "All rows have the same label: there are no classes to tell apart."
    least = next(n for n in range(2 * FOLDS, 4 * FOLDS) if n - round(TEST_PART * n) >= 2 * FOLDS)
    if data.n < least:
        rows = "1 row is" if data.n == 1 else f"{data.n} rows are"
        return f"{rows} too few: {FOLDS} folds of two rows and a part for the test take {least} or more."
    return ""


def headline(seen: Seen) -> str:
    """Say where which of the two is significantly ahead."""
    if not seen.found:
        return "The first trials are under way"
    if seen.random is None:
        return f"{'Accuracy' if seen.percent else 'Error'} of {label_of(seen.nystroem)}"
    tested = [m for m, test in seen.tests.items() if test.pairs > 1]
    if not tested:
        return "One trial so far: a test of the difference needs two"
    winners = ahead(seen)
    parts = []
    for line, name in ((seen.nystroem, "Nyström"), (seen.random, "random features")):
        if at := [str(m) for m, winner in winners.items() if winner == line.method]:
            where = "every m" if len(at) == len(tested) else "m = " + ", ".join(at)
            parts.append(f"{name} {'is' if line is seen.nystroem else 'are'} significantly ahead at {where}")
    if not parts:
        return "No significant difference at any m"
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def answer(seen: Seen, m: int) -> str:
    """Answer for the chosen m in one line."""
    ours = seen.found.get(seen.nystroem.id, {}).get(m)
    if not ours:
        return f"The trials with m = {m} are under way."
    text = f"With **m = {m}**, {label_of(seen.nystroem)}: **{seen.value(fmean(ours.values()))}**"
    theirs = seen.found.get(seen.random.id, {}).get(m) if seen.random else None
    if seen.random and theirs:
        text += f", {label_of(seen.random)}: **{seen.value(fmean(theirs.values()))}**"
    text += " accuracy" if seen.percent else " of the target's variance left"
    test = seen.tests.get(m)
    if test and test.pairs > 1:
        verdict = "significant" if test.significant else "not significant"
        text += f"; the difference is {verdict} over {test.pairs} trials (p = {three_digits(test.p)})"
    if exact := seen.found.get(EXACT):
        values = [score for at in exact.values() for score in at.values()]
        text += f". The exact kernel machine: {seen.value(fmean(values))}"
    return text + "."


def numbers(seen: Seen, lines: Sequence[Series], m: int, columns: Mapping[tuple[str, int], int]) -> str:
    """Tell scores and columns of every line at the chosen m, and the difference of the tested two."""
    rows = []
    for line in lines:
        values = list(seen.found.get(line.id, {}).get(m, {}).values())
        told = seen.around(values) if values else "…"
        rows.append((label_of(line).removeprefix("Nyström, "), told, str(columns.get((line.id, m), "…"))))
    exact = [score for at in seen.found.get(EXACT, {}).values() for score in at.values()]
    if exact:
        rows.append(("exact kernel machine", seen.around(exact), str(next(iter(seen.found[EXACT])))))
    test = seen.tests.get(m)
    if test and test.pairs > 1:
        scale, unit = (100.0, " pts") if seen.percent else (1.0, "")
        gap = f"{scale * test.difference:+.2g} ± {scale * test.half_width:.2g}{unit}".replace("-", "−")
        rows.append(("Nyström ahead by, 95 %", gap, ""))
        rows.append(("p of the paired t-test", three_digits(test.p), f"{test.pairs} trials"))
    return page.number_table((f"m = {m}", "accuracy" if seen.percent else "error", "columns"), rows)


def close(seen: Seen, python: str, rows: Rows) -> None:
    """End the page: what is seen, the maths, the same in Python, the source."""
    page.closing(_seen(seen), MATHS, python, SOURCE, rows)


SOURCE = (
    "Yang, Li, Mahdavi, Jin and Zhou, Nyström method vs random Fourier features, NIPS 2012, figure 2. There "
    "the axis counts random samples, and the definition in its section 2 has m frequencies with a sine and a "
    "cosine each: the first reading of m. All parameters are cross-validated there; "
    "`python -m nysviz reproduce yang-fig2` does that for the bandwidth too, this page keeps "
    "the one of the sidebar."
)


def _seen(seen: Seen) -> str:
    sentences = []
    tested = [m for m, test in seen.tests.items() if test.pairs > 1]
    if seen.random is not None and tested:
        winners = list(ahead(seen).values())
        ours, theirs = winners.count(seen.nystroem.method), winners.count(seen.random.method)
        sentences.append(
            f"Of {len(tested)} numbers m, {label_of(seen.nystroem)} is significantly ahead at {ours}, "
            f"{label_of(seen.random)} at {theirs}; at {len(tested) - ours - theirs} the trials do not tell "
            "them apart."
        )
    if (equal := _equal_columns(seen)) is not None:
        sentences.append(equal)
    sentences += _gap_to_exact(seen)
    return " ".join(sentences) or "The first trials are under way."


def _equal_columns(seen: Seen) -> str | None:
    """Compare m frequencies with 2m landmarks, where both are there: linear machines of one size."""
    if seen.random is None or seen.random.reading != "frequencies":
        return None
    ours, theirs = seen.found.get(seen.nystroem.id, {}), seen.found.get(seen.random.id, {})
    both = [m for m in theirs if 2 * m in ours]
    if not both:
        return None
    tests = {
        m: compare({"a": {m: ours[2 * m]}, "b": {m: theirs[m]}}, "a", "b", larger_is_better=seen.percent).get(
            m
        )
        for m in both
    }
    told = {m: test for m, test in tests.items() if test is not None and test.pairs > 1}
    if not told:
        return None
    m = max(told)
    won = sum(test.significant and test.difference > 0 for test in told.values())
    lost = sum(test.significant and test.difference < 0 for test in told.values())
    return (
        f"Each frequency makes two columns. At equal columns, 2m landmarks against m frequencies, the "
        f"Nyström features are significantly ahead in {won} of {len(told)} comparisons and behind in {lost}: "
        f"{2 * m} landmarks score {seen.value(fmean(ours[2 * m].values()))}, {m} frequencies "
        f"{seen.value(fmean(theirs[m].values()))}."
    )


def _gap_to_exact(seen: Seen) -> list[str]:
    """Compare with the exact machine on the trials that both have: splits differ more than machines."""
    exact = {r: score for at in seen.found.get(EXACT, {}).values() for r, score in at.items()}
    ours = seen.found.get(seen.nystroem.id)
    if not exact or not ours:
        return []
    largest = max(ours)
    shared = sorted(set(exact) & set(ours[largest]))
    if not shared:
        return []
    gap = fmean(ours[largest][r] - exact[r] for r in shared)
    points = f"{abs(100 * gap):.2g}"
    size = three_digits(abs(gap))
    if seen.percent:
        size = f"{points} point{'' if points == '1' else 's'}"
    side = "below" if gap < 0 else "above"
    place = f"{size} {side} that of" if gap else "equal to that of"
    score = "accuracy" if seen.percent else "error"
    return [
        f"With {largest} landmarks of {next(iter(seen.found[EXACT]))} training rows the mean {score} is "
        f"{place} the exact kernel machine on the same splits."
    ]
