"""The words and numbers of the LS-SVM view: the answer, the table, what is seen and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.ui import page
from nysviz.ui.downloads import Rows
from nysviz.ui.learning.ls_svm_computing import Three, Trained, errors_of
from nysviz.ui.learning.ls_svm_controls import Question
from nysviz.ui.learning.ls_svm_reasons import Why

MATHS = r"""
With labels $y_i = \pm 1$, $Y = \operatorname{diag}(y)$ and $M = Y(K + I/C)Y$, the least-squares SVM is

$$b = \frac{y^\top M^{-1}\mathbf 1}{y^\top M^{-1} y}, \qquad \alpha = M^{-1}(\mathbf 1 - b\,y), \qquad
f(x) = \sum_i y_i\alpha_i\,k(x, x_i) + b .$$

As $Y^{-1} = Y$, two solutions with $K + I/C$ are enough: with $u = (K + I/C)^{-1}y$ and
$v = (K + I/C)^{-1}\mathbf 1$, $b = \mathbf 1^\top u / \mathbf 1^\top v$ and $Y\alpha = u - b\,v$. For
$\tilde K = GG^\top$ Woodbury's identity gives them in $O(m^2 n)$:

$$(GG^\top + I/C)^{-1} = C\left(I - G\,(I/C + G^\top G)^{-1} G^\top\right).$$

The *exact* test kernel evaluates $k(x, x_i)$ for every training row; the *restricted* one is
$z(x)^\top z(x_i)$ with the Nyström features $z$, the kernel that $\tilde K$ itself extends to new points.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, "
    "section 4.3 and table 4 (USPS digits, C = 0.5, m = 0.05 n and 0.1 n, 20 repeats). The paper does "
    "not say how m is rounded; here it is to the nearest whole number. From the command line: "
    "`python -m nysviz reproduce zhang-table4`."
)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _of_method(question: Question) -> str:
    """Return m with what it counts."""
    return METHODS[question.asked.method].in_words(question.asked.m)


def _wrong(question: Question, trained: Trained) -> int:
    error = errors_of(question.pair, trained, question.asked.restricted)
    return round(error * len(question.pair.y_test) / 100)


def _agreement(exact: Trained, ours: Trained, restricted: bool) -> float:
    return 100.0 * float(((ours.decisions(restricted) >= 0) == (exact.values >= 0)).mean())


def _per_cent(value: float) -> str:
    return f"{value:.2f} %"


def answer(question: Question, exact: Trained, ours: Trained) -> str:
    """Answer the page's question for the present settings in one line, with its numbers."""
    asked, pair = question.asked, question.pair
    error, floor = (errors_of(pair, machine, asked.restricted) for machine in (ours, exact))
    gap = _wrong(question, ours) - _wrong(question, exact)
    if gap:
        verdict = f"{abs(gap)} {'more' if gap > 0 else 'fewer'} of {len(pair.y_test)} test rows wrong"
    else:
        verdict = f"as many of {len(pair.y_test)} test rows wrong"
    agreement = _agreement(exact, ours, asked.restricted)
    return (
        f"Test error **{_per_cent(error)}** with {_of_method(question)} "
        f"({METHODS[asked.method].label}) of {len(pair.y)} training rows, the exact machine "
        f"{_per_cent(floor)}: {verdict}, the same sign on {three_digits(agreement)} %."
    )


def numbers(question: Question, everywhere: Three, flat: Three | None) -> str:
    """Tell test errors in all features and in the plane, the agreement and the seconds, as a table."""
    pair, asked = question.pair, question.asked

    def error(machine: Trained | None) -> str:
        return "…" if machine is None else _per_cent(errors_of(pair, machine, asked.restricted))

    def same(three: Three) -> str:
        return f"{three_digits(_agreement(three[0], three[2], asked.restricted))} %"

    in_plane = flat or (None, None, None)
    names = ("exact machine", _best_of_rank(asked.m), METHODS[asked.method].label)
    rows = [
        (f"error, {name}", error(one), error(two))
        for name, one, two in zip(names, everywhere, in_plane, strict=True)
    ]
    rows += [
        ("same sign as exact", same(everywhere), "…" if flat is None else same(flat)),
        ("training, exact", _seconds(everywhere[0].seconds), ""),
        ("training, approximate", _seconds(everywhere[2].seconds), ""),
    ]
    return page.number_table(("", f"all {pair.X.shape[1]} features", "in the plane"), rows)


def _best_of_rank(m: int) -> str:
    """Name the floor as elsewhere, with the rank that it has here."""
    return METHODS["svd"].label.replace("rank m", f"rank {m}")


def rows_told(question: Question) -> str:
    """Name the data and both classes, for a subtitle."""
    data = question.source.data
    first, second = (_signed(name) for name in question.classes)
    return f"{data.title or data.name}, classes {first} and {second}"


def _signed(name: str) -> str:
    """Write the hyphen of a class that is a negative number as a minus."""
    return f"−{name[1:]}" if name[:1] == "-" and name[1:2].isdigit() else name


def _seconds(seconds: float) -> str:
    return f"{three_digits(1000 * seconds)} ms" if seconds < 1 else f"{three_digits(seconds)} s"


def curves_title(records: Sequence[Any], measure: str, m: int) -> str:
    """Name the landmark method that errs least at the number of landmarks nearest to m."""
    tried = sorted({r.m for r in records if r.method != "exact"})
    if not tried:
        return "Test error against landmarks"
    nearest = min(tried, key=lambda count: abs(count - m))
    means: dict[str, list[float]] = {}
    for r in records:
        if r.m == nearest and r.method not in ("exact", "svd"):
            means.setdefault(r.method, []).append(r.values[measure])
    order = sorted(means, key=lambda method: float(np.mean(means[method])))
    if len(order) < 2:
        return "Test error against landmarks"
    low, high = (float(np.mean(means[method])) for method in (order[0], order[-1]))
    if low == high:
        return f"At m = {nearest} all landmark methods err on {_per_cent(low)}"
    return f"Least of the landmark methods at m = {nearest}: {METHODS[order[0]].label} {_per_cent(low)}"


def close(
    question: Question, exact: Trained, ours: Trained, why: Why | None, python: str, rows: Rows
) -> None:
    """End the page: what is seen and why, the maths, the same numbers in Python, the source."""
    page.closing(_seen(question, exact, ours, why), MATHS, python, SOURCE, rows)


def _seen(question: Question, exact: Trained, ours: Trained, why: Why | None) -> str:
    pair, asked = question.pair, question.asked
    q = len(pair.y_test)
    agreement = _agreement(exact, ours, asked.restricted)
    flips = round((100.0 - agreement) * q / 100)
    sentences = [
        f"Of {q} test rows the exact machine gets {_wrong(question, exact)} wrong and the approximate one "
        f"{_wrong(question, ours)}; they give different signs to {flips}."
    ]
    if why is not None:
        sentences += _reasons(question, why, flips)
    exact_test, own = (errors_of(pair, ours, restricted) for restricted in (False, True))
    sentences.append(
        f"With the exact test kernel the approximate machine errs on {_per_cent(exact_test)}, with the "
        f"restricted one on {_per_cent(own)}."
    )
    sentences.append(
        f"Rows were parted by {pair.how}. The bandwidth is a multiple of the training rows' own default "
        "width, in all features as in the plane."
        if question.scene.multiple is not None
        else f"Rows were parted by {pair.how}."
    )
    return " ".join(sentences)


def _reasons(question: Question, why: Why, flips: int) -> list[str]:
    """Set the error of K̃ beside the change of f and of the signs, as far as the numbers bear it out."""
    q = len(question.pair.y_test)
    loss, changed = 100.0 * why.relative_error, 100.0 * flips / q
    signs = f"{three_digits(changed)} % of the signs change" if flips else "no sign changes"
    text = f"K̃ misses {three_digits(loss)} % of K in Frobenius norm, and {signs}"
    if changed < loss / 2:
        text += ": the error of K̃ matters less to the classifier than its size suggests"
    sentences = [
        f"{text}.",
        f"f moves by {three_digits(why.change)} in the median, while the exact machine's |f| is "
        f"{three_digits(why.margin)} in the median"
        + (f", and {three_digits(why.flipped)} where the sign changes." if flips else "."),
    ]
    if why.above_ridge is not None:
        C = question.asked.C
        sentences.append(
            f"{_counted(why.above_ridge, 'eigenvalue')} of K exceed{'s' if why.above_ridge == 1 else ''} the "
            f"ridge 1/C = {1 / C:g}; K̃ has rank {why.rank}. Directions below the ridge are damped in the "
            "exact machine too."
        )
    return sentences
