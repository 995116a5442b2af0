"""The words and numbers of the page "Approximate": the answer, the table, what is seen and why."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.lowrank import LowRank
from nysviz.measures import Errors, SampledErrors, residual_diagonal
from nysviz.spectrum import best_errors
from nysviz.ui import page
from nysviz.ui.approximate import rows as approximate_rows
from nysviz.ui.computing import Outcome, picture, point_errors
from nysviz.ui.controls import Choice
from nysviz.ui.sidebar.scene import Scene

MATHS = r"""
With landmarks $z_1, \dots, z_m$, let $E_{ij} = k(x_i, z_j)$ and $W_{ij} = k(z_i, z_j)$. The Nyström
approximation is

$$\tilde K = E\,W^{+}E^{\top} = G\,G^{\top}, \qquad G = E\,V_r \Lambda_r^{-1/2}, \quad
W = V\Lambda V^{\top},$$

where only the $r \le m$ eigenvalues of $W$ above $10^{-12}$ of the largest are kept. $K - \tilde K$
is positive semidefinite (for an ensemble: where its weights are not negative and sum to at most 1), so its
trace norm is $\sum_i (K_{ii} - \tilde K_{ii})$, the sum of the colours on the map. The best
approximation of rank $r$ keeps the $r$ leading eigenvalues of $K$ (Eckart and Young 1936); its errors are

$$\|K - K_r\|_F = \Big(\sum_{i>r} \lambda_i^2\Big)^{1/2}, \qquad \|K - K_r\|_2 = \lambda_{r+1}, \qquad
\operatorname{tr}(K - K_r) = \sum_{i>r}\lambda_i .$$

The quantization error is $\sum_i \min_j \|x_i - z_j\|^2$ (Zhang, Tsang and Kwok 2008).
"""
RANDOM_FEATURES_MATHS = r"""
A Gaussian kernel is a mean over random frequencies $u \sim N(0, \sigma^{-2} I)$ (Bochner; Rahimi and Recht
2007): $k(x, y) = \mathbb E \cos u^{\top}(x - y)$. With $m$ of them drawn,

$$z(x) = \tfrac{1}{\sqrt m}\,(\sin u_1^{\top}x, \dots, \sin u_m^{\top}x,\ \cos u_1^{\top}x, \dots,
\cos u_m^{\top}x), \qquad \tilde K_{ij} = z(x_i)^{\top} z(x_j) = \tfrac1m \sum_r \cos u_r^{\top}(x_i - x_j).$$

The diagonal is exact for any frequencies, since $\sin^2 + \cos^2 = 1$; the map therefore shows
$\|K_i - \tilde K_i\| / \|K_i\|$ for whole rows. $\tilde K$ has the mean $K$, and with independent
frequencies the variance $(1 - k(x, y)^2)^2 / 2m$ in each entry. $K - \tilde K$ has eigenvalues of both signs:
its trace norm is the sum of their magnitudes. There are no landmarks, so there is no quantization error. The
rank is at most $2m$; the best approximation of that rank keeps as many leading eigenvalues of $K$.
"""


# A residual below this part of the trace is rounding.
ROUNDING = 1e-12


def numbers(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Tell the errors with multiples of the best possible, and what the approximation cost, as a table."""
    a, measured, e = outcome.approximation, outcome.errors, outcome.quantization
    best = None
    if eigenvalues is not None and isinstance(measured, Errors):
        best = best_errors(eigenvalues, a.rank)
    rows = []
    for k, name in enumerate(("Frobenius", "spectral", "trace")):
        relative = getattr(measured, f"relative_{name.lower()}", None)
        if relative is None:
            continue
        ratio = "…" if isinstance(measured, Errors) else "–"
        if best is not None:
            ratio = _multiple(getattr(measured, name.lower()), best[k])
        # All eigenvalues of a large indefinite residual take too long: its trace norm is not known then.
        known = np.isfinite(relative)
        rows.append(
            (f"relative {name} error", three_digits(relative) if known else "–", ratio if known else "")
        )
    if isinstance(measured, SampledErrors):
        low, high = map(three_digits, measured.interval)
        rows.insert(1, ("95 % interval", f"{low} – {high}", ""))
    n = scene.data.n
    rows += [
        ("quantization error", "–" if e is None else three_digits(e), ""),
        ("rank kept", f"{a.rank} of {a.requested}", "")
        if METHODS[a.method].data_dependent
        else ("rank at most", str(a.rank), ""),
        ("kernel evaluations", f"{three_digits(a.kernel_evaluations / n**2)} n²", ""),
        ("time", _seconds(a.seconds), ""),
        ("memory", _bytes(a.nbytes), f"of {_bytes(8 * n * n)}"),
    ]
    return page.number_table(("", "", "× best"), rows)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _seconds(seconds: float) -> str:
    return f"{three_digits(1000 * seconds)} ms" if seconds < 1 else f"{three_digits(seconds)} s"


def _multiple(error: float, best: float) -> str:
    # Where the best error is rounding, a multiple of it would mean nothing.
    return "–" if best <= 1e-10 * max(error, 1e-300) or best < 1e-9 else three_digits(error / best)


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{three_digits(count) if count >= 1 else 0} {unit}"
        count /= 1000
    return ""


def answer(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Answer the page's question for the present settings in one line, with its number."""
    a, measured = outcome.approximation, outcome.errors
    about = "about " if isinstance(measured, SampledErrors) else ""
    what = METHODS[a.method].in_words(a.requested)
    if not METHODS[a.method].data_dependent:
        what += f", {2 * a.requested} features,"
    text = (
        f"Relative Frobenius error **{about}{three_digits(measured.relative_frobenius)}** with {what} for "
        f"{_counted(scene.data.n, 'point')}"
    )
    if eigenvalues is not None and isinstance(measured, Errors):
        best = best_errors(eigenvalues, a.rank)[0]
        multiple = _multiple(measured.frobenius, best)
        if multiple != "–":
            text += f", {multiple} times the best possible with rank {a.rank}"
    return text + "."


def close(scene: Scene, choice: Choice, outcome: Outcome, eigenvalues: FloatArray | None) -> None:
    """End the page: what is seen and why, the maths, the same numbers in Python, the source."""
    depends = METHODS[choice.method].data_dependent
    page.closing(
        _seen(scene, choice, outcome, eigenvalues),
        MATHS if depends else RANDOM_FEATURES_MATHS,
        approximate_rows.python(scene, choice),
        _source(choice),
        approximate_rows.rows(scene, choice, outcome, eigenvalues),
    )


def _seen(scene: Scene, choice: Choice, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    a, measured = outcome.approximation, outcome.errors
    depends = METHODS[choice.method].data_dependent
    sentences = [_seen_by_residual(scene, choice, a) if depends else _seen_by_row(scene, a)]
    if eigenvalues is not None and isinstance(measured, Errors) and a.rank:
        multiple = _multiple(measured.frobenius, best_errors(eigenvalues, a.rank)[0])
        if multiple != "–":
            sentences.append(
                f"No approximation of rank {a.rank} can have a smaller Frobenius error than the part of the "
                f"spectrum to the right of that rank; this one has {multiple} times as much."
            )
    if not depends:
        sentences.append("Another seed draws other frequencies: the error is spread over all entries of K.")
    elif a.rank < a.requested:
        sentences.append(
            f"Only rank {a.rank} of {a.requested} is kept: repeated landmarks add nothing, and the rest "
            "is below rounding."
        )
    elif not METHODS[choice.method].landmarks_are_data and a.landmarks is not None:
        sentences.append("The plus signs are centres, not data points: they may lie where no point is.")
    return " ".join(sentences)


def _seen_by_residual(scene: Scene, choice: Choice, a: LowRank) -> str:
    residual = residual_diagonal(scene.data.X, scene.kernel, a)
    total = float(residual.sum())
    worst = np.sort(residual)[::-1]
    share = 100 * worst[: max(1, len(worst) // 10)].sum() / total if total > 0 else 0.0
    is_best = METHODS[choice.method].family == "floor"
    what = "the leading eigenvectors" if is_best else METHODS[choice.method].in_words(choice.m)
    verb = "leaves" if choice.m == 1 and not is_best else "leave"
    text = f"Each point's colour is what {what} {verb} unexplained of its own entry k(x, x)."
    if total <= ROUNDING * float(scene.kernel.diag(scene.data.X).sum()):
        return f"{text} Nothing is left of any but rounding."
    if not a.residual_is_psd:
        return (
            f"{text} The worst tenth of the points carries {share:.0f} % of that. The shares of this mixture "
            "sum to more than 1, so K − K̃ has eigenvalues of both signs, and its trace norm is more than the "
            "sum of the colours."
        )
    where = "" if is_best else ": points far from every landmark, in the kernel's sense of far"
    return f"{text} The worst tenth of the points carries {share:.0f} % of the trace error{where}."


def _seen_by_row(scene: Scene, a: LowRank) -> str:
    found = point_errors(scene, a, picture(scene, None).rows)
    return (
        "Sines and cosines reproduce every k(x, x) exactly, so each point's colour is the relative error of "
        f"its whole row of K instead, ‖K_i − K̃_i‖ / ‖K_i‖: {three_digits(float(np.median(found)))} for the "
        f"median of the drawn points, {three_digits(float(found.max()))} for the worst."
    )


def _source(choice: Choice) -> str:
    if not METHODS[choice.method].data_dependent:
        return (
            f"Method: {METHODS[choice.method].source}. Compared with landmarks in: Yang, Li, Mahdavi, Jin "
            "and Zhou, Nyström method vs random Fourier features, NIPS 2012, figures 1 and 2."
        )
    return (
        f"Method: {METHODS[choice.method].source}. Numbers to compare: Zhang, Tsang and Kwok, "
        "Improved Nyström low-rank approximation and error analysis, ICML 2008, figure 1."
    )
