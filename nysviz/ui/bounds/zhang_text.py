"""The sentences, the table, the rows and the script of the first view of the page "Bounds"."""

from __future__ import annotations

from nysviz.bounds.zhang import needs_ball
from nysviz.landmarks import METHODS
from nysviz.measures import SAMPLED_ROWS
from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.text import three_digits
from nysviz.ui import page
from nysviz.ui.bounds.zhang_result import Report, curve_counts, repeats_of
from nysviz.ui.computing import is_exact
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code

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
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008: "
    "proposition 1, property (8), propositions 2 and 3, section 3.4. The constants are derived anew, see "
    "the maths."
)
# What tells the numbers of the one approximation from those of the curve's runs.
HERE = {"picture": "one_approximation"}
PARTS = (
    "total",
    "encoding_term",
    "inverse_term",
    "largest_cluster",
    "quantization",
    "inverse_norm",
    "constant",
)
# The steps of the proof, from the error up: a short name, and what is given away.
STEPS = {
    "parts added": "Norms of the four parts of K − K̃ are added, though the parts cancel in part.",
    "‖W⁻¹‖ for W⁻¹": "B W⁻¹ Bᵀ is bounded by ‖B‖² ‖W⁻¹‖₂.",
    "C and e": "The changes A and B are bounded through property (8) and e.",
    "Frobenius ‖W⁻¹‖": "‖W⁻¹‖_F takes the place of ‖W⁻¹‖₂.",
    "all of size T": "Every cluster is taken to be as large as the largest.",
    "blocks added": "Norms of T² blocks are added as numbers, not as squares.",
}


def no_bound(method: str) -> str:
    """Why proposition 3 says nothing about a method, and what to do; empty where it says something."""
    if method in OFFERED:
        return ""
    entry = METHODS[method]
    mixes = entry.data_dependent and entry.family != "floor"
    reason = "is a mixture, which has no single W" if mixes else "has no landmarks"
    return (
        f"Proposition 3 says nothing about this method: {entry.label} {reason}. Choose a method that picks "
        f"one set of landmarks, such as {METHODS['kmeans'].label} or {METHODS['uniform'].label}."
    )


def answer(report: Report) -> str:
    """Answer the page's question in one line, with its numbers."""
    bound, orders = report.bound, report.orders
    about = "about " if report.interval is not None else ""
    least = "a limit that is at least " if bound.is_least else ""
    text = (
        f"Guaranteed: a Frobenius error of at most {least}**{three_digits(bound.total)}**. "
        f"Measured: **{about}{three_digits(report.error)}**."
    )
    if report.is_rounding:
        text += " That is rounding: the approximation is exact."
    if len(orders):
        text += f" The guarantee is **{orders.sum():.1f} orders of magnitude** loose."
    return text


def numbers(scene: Scene, report: Report) -> str:
    """Return the parts of the bound as a table."""
    bound, orders = report.bound, report.orders
    least = "≥ " if bound.is_least else ""
    ball = "for ‖x‖ ≤ R" if needs_ball(scene.kernel) else ""
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
        ("constant C", three_digits(bound.constant), ball),
        ("looseness", f"{least}{orders.sum():.2f} orders" if len(orders) else "–", ""),
    ]
    return page.number_table(("", "value", ""), rows)


def headline(report: Report) -> str:
    """Say how far the bound is above the error."""
    if report.is_rounding:
        return "The approximation is exact: the bound has no error to compare with"
    if not len(report.orders):
        return "There is no guarantee to compare the error with"
    least = "at least " if report.bound.is_least else ""
    return f"The bound lies {least}{report.orders.sum():.1f} orders of magnitude above the error"


def explanation(report: Report) -> str:
    """Say where the bound is lost, and what contradicts the printed constant."""
    sentences = []
    if len(report.orders):
        name, lost = list(STEPS.items())[int(report.orders.argmax())]
        sentences.append(f"The proof loses most in the step “{name}”. {lost}")
    if report.bound.is_least:
        sentences.append(
            "W is singular up to rounding here, so ‖W⁻¹‖ is not known; numbers with ≥ are the least possible."
        )
    if report.is_broken:
        q = report.quadruple
        # Differences: written with three digits each, near points could not be told apart.
        c, d = (f"{'−' if x < 0 else '+'} {three_digits(abs(x))}" for x in (q.c - q.a, q.d - q.b))
        change, allowed = (three_digits(x) for x in ((q.first - q.second) ** 2, report.printed * q.moved))
        sentences.append(
            f"The printed constant is too small: four points on a line, a = {three_digits(q.a)}, "
            f"b = {three_digits(q.b)}, c = a {c} and d = b {d}, have (k(a, b) − k(c, d))² = {change}, "
            f"where it allows {allowed}."
        )
    return " ".join(sentences)


def rows(
    scene: Scene, choice: Choice, report: Report, pair: tuple[int, int], entry: dict[str, float]
) -> list[dict[str, object]]:
    """The bound with its parts and steps, the error, and one entry of K."""
    begin = head(scene, method=choice.method, options=repr(dict(choice.options)), m=choice.m, **HERE)
    values: dict[str, object] = {part: getattr(report.bound, part) for part in PARTS}
    values |= {"printed_constant": report.printed, "frobenius": report.error}
    values |= {"most_of_pairs": float(report.ratios.max(initial=0.0))}
    if report.interval is not None:
        values["frobenius_low"], values["frobenius_high"] = report.interval
    told = measured(begin, values)
    for step in report.steps:
        told += measured({**begin, "step": step.name}, {"ladder": step.value})
    return told + measured({**begin, "row": pair[0], "column": pair[1]}, entry)


def python(scene: Scene, choice: Choice, pair: tuple[int, int]) -> str:
    """Write the script."""
    options = "".join(f", {name}={value!r}" for name, value in choice.options)
    exact = is_exact(scene)
    radius = ", radius_of(X, a.landmarks)" if needs_ball(scene.kernel) else ""
    repeats = repeats_of(scene) if METHODS[choice.method].random else 1
    asked = f"{{{choice.method!r}: {choice.options!r}}}, {list(curve_counts(scene))}, {repeats}, {scene.seed}"
    return f"""import numpy as np
import nysviz as nv
from nysviz.bounds import change_ratio, encode, entry_errors, error_bound, ladder, printed_constant
from nysviz.bounds.zhang import radius_of
from nysviz.papers.zhang2008.figure1 import bound_jobs
from nysviz.measures import sampled_errors, sampled_rows
from nysviz.sweep import Problem, run_jobs, tidy

data = {loading_code(scene)}
X = data.X
kernel = nv.{scene.kernel!r}
a = nv.approximate(X, kernel, method="{choice.method}", m={choice.m}, seed={scene.seed}{options})
here = "picture={HERE["picture"]}"
bound = error_bound(X, kernel, a)
for part in {PARTS!r}:
    print(here, part, getattr(bound, part))
print(here, "printed_constant", printed_constant(kernel{radius}))
{_STEPS[exact]}for step in steps:
    print(here, f"step={{step.name}} ladder", step.value)

# Property (8) for random pairs of points against their landmarks.
found = encode(X, a.landmarks)
i, j = np.random.default_rng(0).integers(len(X), size=(2, 300))
nearest = found.landmarks[found.labels]
print(here, "most_of_pairs", change_ratio(kernel, X[i], X[j], nearest[i], nearest[j]).max())

# One entry of K, with the landmarks as they are and with both of its points among them.
points = X[{list(pair)}]
more = np.concatenate([a.landmarks, points])
print(here, "entry", kernel(points)[0, 1])
print(here, "entry_error", entry_errors(kernel, a.landmarks, points)[0, 1])
print(here, "entry_error_as_landmarks", entry_errors(kernel, more, points)[0, 1])

problem = Problem(data.name, X, kernel, data.digest{", dense=kernel(X)" if exact else ""})
jobs = bound_jobs(problem, {asked})
records = [record for finished in run_jobs(jobs) for record in finished.records]
print(tidy(records).to_csv(index=False))"""


_STEPS = {
    True: """steps = ladder(X, kernel, a)
print(here, "frobenius", steps[-1].value)
""",
    False: f"""error = sampled_errors(X, kernel, a)
print(here, "frobenius", error.frobenius)
whole = error.frobenius / error.relative_frobenius if error.relative_frobenius > 0 else 0.0
print(here, "frobenius_low", error.interval[0] * whole)
print(here, "frobenius_high", error.interval[1] * whole)
steps = ladder(X, kernel, a, rows=sampled_rows(len(X), {SAMPLED_ROWS}), measured=error.frobenius)
""",
}
