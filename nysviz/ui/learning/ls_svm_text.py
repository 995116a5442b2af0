"""The sentences and the table of the LS-SVM view."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from nysviz.landmarks import METHODS
from nysviz.learning.paired_test import paired_test
from nysviz.sweep import Record
from nysviz.text import capital, counted, in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.learning.ls_svm_controls import TEST_KERNELS, Question
from nysviz.ui.learning.ls_svm_result import Ground, Three, Trained, Why, errors_of
from nysviz.ui.sidebar.scene import Scene

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
The bandwidth is a multiple of the default width of the training rows, in all features as in the plane.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, "
    "section 4.3 and table 4 (USPS digits, C = 0.5, m = 0.05 n and 0.1 n, 20 repeats). The paper does "
    "not say how m is rounded; here it is to the nearest whole number. From the command line: "
    "`python -m nysviz reproduce zhang-table4`."
)


def without_classes(scene: Scene) -> str:
    """Say why there is nothing to classify, and what to choose."""
    if scene.data.task == "regression":
        return (
            "The target of these data is a number: there are no classes to tell apart. The view “Nyström "
            "against random features” above fits a regression to it; a classifier needs a set with classes, "
            "such as “Handwritten digits, 8 × 8”."
        )
    return (
        "There are no classes to tell apart here: two classes are needed, each with two rows or more. "
        "Choose a classification set in the sidebar, such as “Handwritten digits, 8 × 8”, or a target column "
        "when you send a file of your own."
    )


def agreement(exact: Trained, ours: Trained, restricted: bool) -> float:
    """Test rows to which both machines give the same sign, in per cent."""
    return 100.0 * float(((ours.decisions(restricted) >= 0) == (exact.values >= 0)).mean())


def answer(question: Question, exact: Trained, ours: Trained) -> str:
    """Answer the page's question for the present settings in one line, with its numbers."""
    asked, pair = question.asked, question.pair
    error, floor = (errors_of(pair, machine, asked.restricted) for machine in (ours, exact))
    entry = METHODS[asked.method]
    return (
        f"Test error **{error:.2f} %** with {entry.in_words(asked.m)} ({entry.label}) of {len(pair.X)} "
        f"training rows, {floor:.2f} % with the exact machine; both give the same class to "
        f"{three_digits(agreement(exact, ours, asked.restricted))} % of {len(pair.y_test)} test rows."
    )


def numbers(question: Question, everywhere: Three, flat: Three | None) -> str:
    """Return test errors in all features and in the plane, the agreement and the seconds, as a table."""
    pair, asked = question.pair, question.asked
    exact, _, ours = everywhere

    def error(machine: Trained | None, restricted: bool = asked.restricted) -> str:
        return "…" if machine is None else f"{errors_of(pair, machine, restricted):.2f} %"

    def same(one: Trained, other: Trained) -> str:
        return f"{three_digits(agreement(one, other, asked.restricted))} %"

    in_plane = flat or (None, None, None)
    best = METHODS["svd"].label.replace("rank m", f"rank {asked.m}")
    names = ("exact machine", best, METHODS[asked.method].label)
    rows = [
        (f"error, {name}", error(one), error(two))
        for name, one, two in zip(names, everywhere, in_plane, strict=True)
    ]
    other = TEST_KERNELS[not asked.restricted]
    rows += [
        (
            f"the last, {other} test kernel",
            error(ours, not asked.restricted),
            error(in_plane[2], not asked.restricted),
        ),
        ("same class as exact", same(exact, ours), "…" if flat is None else same(flat[0], flat[2])),
        ("training, exact", in_seconds(exact.seconds), ""),
        ("training, approximate", in_seconds(ours.seconds), ""),
    ]
    return page.number_table(("", f"all {pair.X.shape[1]} features", "in the plane"), rows)


def about_data(question: Question) -> str:
    """Name the data and both classes, for a subtitle."""
    data = question.source.data
    # The hyphen of a class that is a negative number is a minus.
    first, second = (
        f"−{name[1:]}" if name[:1] == "-" and name[1:2].isdigit() else name for name in question.classes
    )
    return f"{data.title or data.name}, classes {first} and {second}"


def map_title(found: Ground) -> str:
    """Say on which part of the plane the two machines differ."""
    moved = 100.0 * float(((found.values >= 0) != (found.reference >= 0)).mean())
    return f"Approximating K changes the prediction on {three_digits(moved)} % of the plane"


def curves_title(records: Sequence[Record], measure: str, m: int) -> str:
    """Name the landmark method that errs least at the number of landmarks nearest to m, if one does."""
    found: dict[str, list[float]] = {}
    tried = {record.m for record in records if record.method not in ("exact", "svd")}
    nearest = min(tried, key=lambda count: abs(count - m), default=m)
    for record in records:
        if record.m == nearest and record.method not in ("exact", "svd"):
            found.setdefault(record.method, []).append(record.values[measure])
    if len(found) < 2:
        return "Test error against landmarks"
    random = [len(values) for method, values in found.items() if METHODS[method].random]
    repeats = min(random, default=2)
    first, second = sorted(found, key=lambda method: fmean(found[method]))[:2]
    # A method without randomness runs once.
    runs = [
        found[method][:repeats] if METHODS[method].random else found[method][:1] * repeats
        for method in (first, second)
    ]
    if not paired_test(*runs).significant:
        return f"At m = {nearest} no landmark method has a clearly lower test error than all others"
    return (
        f"{capital(METHODS[first].label)}: lowest test error of the landmark methods at m = {nearest}, "
        f"{fmean(found[first]):.2f} %"
    )


def explanation(question: Question, why: Why | None) -> str:
    """Set the error of K̃ beside the change of f, and both beside the ridge."""
    sentences = [f"The test set is {question.pair.how.replace(' for the test', '')}."]
    if why is not None:
        sentences.append(
            f"K̃ misses {three_digits(100.0 * why.relative_error)} % of K in Frobenius norm; f moves by "
            f"{three_digits(why.change)} in the median, and the exact machine's |f| is "
            f"{three_digits(why.margin)} in the median."
        )
        if why.above_ridge is not None:
            sentences.append(
                f"K has {counted(why.above_ridge, 'eigenvalue')} above the ridge 1/C = "
                f"{1 / question.asked.C:g}, K̃ has rank {why.rank}: what lies below the ridge is damped in "
                "the exact machine too."
            )
    return " ".join(sentences)
