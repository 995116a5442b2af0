"""The words and numbers of the page "Bounds": the guarantee, the error, and what lies between them."""

from __future__ import annotations

from dataclasses import replace

from nysviz.bounds.zhang import needs_ball
from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.ui import page
from nysviz.ui.bounds.computing import Entry, Report
from nysviz.ui.bounds.pictures import STEPS, Constants
from nysviz.ui.downloads import Rows
from nysviz.ui.sidebar.scene import Scene

MATHS = r"""
Let $z_{c(i)}$ be the landmark nearest to $x_i$, $T$ the size of the largest cluster and
$e = \sum_i \|x_i - z_{c(i)}\|^2$. If the kernel satisfies property (8) of Zhang, Tsang and Kwok (2008),

$$\big(k(a,b) - k(c,d)\big)^2 \le C\,\big(\|a-c\|^2 + \|b-d\|^2\big) \quad \text{for all } a, b, c, d,$$

then (proposition 3)

$$\|K - E W^{-1} E^{\top}\|_F \;\le\; 4T\sqrt{m\,C\,e\,T} \;+\; m\,C\,T\,e\,\|W^{-1}\|_F .$$

**The proof, and what each step gives away.** With $P$ the assignment of points to landmarks,
$K = PWP^{\top} + A$ and $E = PW + B$, one has

$$K - EW^{-1}E^{\top} = A - PB^{\top} - BP^{\top} - BW^{-1}B^{\top}.$$

The norms are added; $\|BW^{-1}B^{\top}\|$ becomes $\|B\|^2\|W^{-1}\|_2$; property (8) turns $A$ and $B$
into $C$ and $e$; $\|W^{-1}\|_F$ stands for $\|W^{-1}\|_2$; clusters are filled up to size $T$; and the
norms of $T^2$ blocks are added as numbers, where their squares add up to the square of the whole. Without the
last two steps the bound reads $(2+\sqrt2)\sqrt{n\,C\,e} + m\,C\,e\,\|W^{-1}\|_F$, and $T$ is gone.

**The constant.** For $k = f(\|x-y\|)$ the mean value theorem and $(s+t)^2 \le 2(s^2+t^2)$ give
$C = 2\max|f'|^2$, which small moves reach: $4/(\mathrm{e}\,\sigma^2)$ for $\exp(-\|x-y\|^2/\sigma^2)$, as the
paper writes the Gaussian, that is $2/(\mathrm{e}\,\sigma^2)$ in the $\sigma$ of this project, where
$\exp(-\|x-y\|^2/2\sigma^2)$ (here $\mathrm{e}$ is Euler's number); $2/\sigma^2$ for the Laplacian;
$2/(\sigma^2\epsilon^4)$ for the inverse distance. Section 3.4 prints $1/(2\sigma^2)$ in the paper's $\sigma$
for the Gaussian, that is $1/(4\sigma^2)$ in this project's; $1/\sigma^2$ and $1/(\sigma^2\epsilon^4)$ for the
other two, whose $\sigma$ is the same. A polynomial kernel has no such constant on the whole space; on
the ball $\|x\| \le R$ it has $C = 2R^2p^2(R^2+\epsilon)^{2p-2}$, where $p^2R^p$ is printed.

**Proposition 1.** If $x_i$ and $x_j$ are landmarks, rows $i$ and $j$ of $E$ are rows of $W$, and
$W_{p:}W^{-1}W_{:q} = W_{pq}$: the entry is exact.
"""


def silence(method: str) -> str:
    """Why proposition 3 says nothing about a method, and what to do; empty where it says something."""
    if method in OFFERED:
        return ""
    label, entry = METHODS[method].label, METHODS[method]
    has = entry.data_dependent and entry.family != "floor"
    reason = "is a mixture, which has no single W" if has else "has no landmarks"
    return (
        f"Proposition 3 says nothing about this method: {label} {reason}. Choose a method that picks one set "
        f"of landmarks, such as {METHODS['kmeans'].label} or {METHODS['uniform'].label}."
    )


def numbers(scene: Scene, report: Report) -> str:
    """Tell the parts of the bound as a table."""
    bound, orders = report.bound, report.orders
    least = "≥ " if bound.is_least else ""
    rows = [("measured error ‖K − K̃‖", three_digits(report.error), "")]
    if report.interval is not None:
        rows.append(("95 % interval", " – ".join(map(three_digits, report.interval)), ""))
    rows += [
        ("bound of proposition 3", least + three_digits(bound.total), ""),
        ("its term with ‖W⁻¹‖", least + three_digits(bound.inverse_term), ""),
        ("its term without", three_digits(bound.encoding_term), ""),
        ("largest cluster T", str(bound.largest_cluster), f"n/m = {three_digits(bound.n / bound.m)}"),
        ("quantization error e", three_digits(bound.quantization), ""),
        ("‖W⁻¹‖ (Frobenius)", least + three_digits(bound.inverse_norm), ""),
        ("constant C", three_digits(bound.constant), ""),
        ("looseness", f"{least}{orders.sum():.2f} orders" if len(orders) else "–", ""),
    ]
    return page.number_table(("", "value", ""), rows)


def answer(report: Report) -> str:
    """Answer the page's question in one line, with its numbers."""
    bound, orders = report.bound, report.orders
    about = "about " if report.interval is not None else ""
    limit = f"a Frobenius error of at most **{three_digits(bound.total)}**"
    if bound.is_least:
        limit = f"a Frobenius error below a limit that is at least **{three_digits(bound.total)}**"
    text = f"Guaranteed: {limit}. Measured: **{about}{three_digits(report.error)}**."
    if report.is_rounding:
        text += " That is rounding: the approximation is exact."
    if len(orders):
        text += f" The guarantee is **{orders.sum():.1f} orders of magnitude** loose"
        if bound.total > report.whole:
            text += (
                f", and lies above ‖K‖ = {three_digits(report.whole)}, the error of no approximation at all"
            )
        text += "."
    return text


def close(scene: Scene, report: Report, found: Constants, tried: Entry, python: str, rows: Rows) -> None:
    """End the page: what is seen and why, the maths, the same numbers in Python, the source."""
    seen = [*_loose(report), _constant(scene, found), _data_constant(report, found), _entry(tried)]
    page.closing(" ".join(part for part in seen if part), MATHS, python, SOURCE, rows)


def _loose(report: Report) -> list[str]:
    bound, orders = report.bound, report.orders
    sentences = []
    if len(orders):
        k = int(orders.argmax())
        name, explanation = list(STEPS.values())[k]
        begin = explanation[0].lower() if explanation[1].islower() else explanation[0]
        sentences.append(
            f"Of the {orders.sum():.1f} orders of magnitude between error and bound, {orders[k]:.1f} are "
            f"lost in one step of the proof ({name}): {begin}{explanation[1:]}"
        )
    equal = replace(bound, largest_cluster=-(-bound.n // bound.m))
    if equal.largest_cluster < bound.largest_cluster and equal.total > 0:
        sentences.append(
            f"The largest cluster has {bound.largest_cluster} points, "
            f"{bound.largest_cluster * bound.m / bound.n:.1f} times the mean; with clusters of equal size "
            f"the bound would be {bound.total / equal.total:.1f} times smaller."
        )
    if bound.is_least:
        sentences.append(
            "W is singular up to rounding here, so ‖W⁻¹‖ is not known. The bound shown is about the least it "
            "can be."
        )
    elif bound.inverse_term > 0:
        part = 100 * bound.inverse_term / bound.total
        sentences.append(f"The term with ‖W⁻¹‖ makes {part:.3g} % of the bound.")
    return sentences


def _constant(scene: Scene, found: Constants) -> str:
    q = found.quadruple
    if found.derived == 0:
        return ""
    ball = (
        f"The {scene.kernel.label} kernel satisfies property (8) on bounded data only; here on the ball "
        "round the origin that holds all points. "
        if needs_ball(scene.kernel)
        else ""
    )
    if q.ratio <= found.printed:
        return f"{ball}The printed constant is larger than the derived one here, and holds."
    change, allowed = (q.first - q.second) ** 2, found.printed * q.moved
    a, b = (three_digits(x) for x in (q.a, q.b))
    # Differences: written with three digits each, near points could not be told apart.
    c, d = (f"{'−' if x < 0 else '+'} {three_digits(abs(x))}" for x in (q.c - q.a, q.d - q.b))
    return (
        f"{ball}The printed constant is too small: four points on a line, a = {a}, b = {b}, "
        f"c = a {c} and d = b {d}, have (k(a, b) − k(c, d))² = {three_digits(change)}, where it allows "
        f"{three_digits(allowed)}, "
        f"{three_digits(change / allowed)} times less."
    )


def _data_constant(report: Report, found: Constants) -> str:
    most = float(report.ratios.max(initial=0.0))
    if not 0 < most < found.derived:
        return ""
    return (
        f"Between points and their landmarks the {len(report.ratios)} pairs drawn need no more than C = "
        f"{three_digits(most)}, {three_digits(found.derived / most)} times less than what holds for all "
        "points."
    )


def _entry(tried: Entry) -> str:
    i, j = tried.rows
    both = f"rows {i} and {j} are landmarks themselves" if i != j else f"row {i} is a landmark itself"
    return (
        f"Entry ({i}, {j}) of K is {three_digits(tried.exact)}; its approximation is off by "
        f"{three_digits(tried.before)}, and by {three_digits(tried.after)}, which is rounding, once {both} "
        "(proposition 1)."
    )


SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008: "
    "proposition 1, property (8), propositions 2 and 3, section 3.4. The constants are derived anew, see "
    "the maths."
)
