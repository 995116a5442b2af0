"""The sentences and the table of the page "Approximate"."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS
from nysviz.measures import Errors, SampledErrors, residual_diagonal
from nysviz.spectrum import best_errors
from nysviz.text import counted, in_bytes, in_seconds, percent, three_digits
from nysviz.ui import page
from nysviz.ui.computing import Outcome
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


NORMS = ("frobenius", "spectral", "trace")
# Below this part of the error the best possible error is rounding, and no multiple of it is shown.
ROUNDING = 1e-10


def numbers(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Return the table: errors with multiples of the best possible, and what the approximation cost."""
    a, measured, n = outcome.approximation, outcome.errors, scene.data.n
    rows = []
    for norm in NORMS:
        relative = getattr(measured, f"relative_{norm}", None)
        if relative is not None:
            name = norm.capitalize() if norm == "frobenius" else norm
            rows.append(
                (f"relative {name} error", three_digits(relative), multiple(outcome, eigenvalues, norm))
            )
    if isinstance(measured, SampledErrors):
        rows.insert(1, ("95 % interval", " – ".join(map(three_digits, measured.interval)), ""))
    e = outcome.quantization
    rows += [
        ("quantization error", "–" if e is None else three_digits(e), ""),
        ("rank kept", f"{a.rank} of {a.requested}", "")
        if METHODS[a.method].data_dependent
        else ("rank at most", str(a.rank), ""),
        ("kernel evaluations", f"{three_digits(a.kernel_evaluations / n**2)} n²", ""),
        ("time", in_seconds(a.seconds), ""),
        ("memory", in_bytes(a.nbytes), f"of {in_bytes(8 * n * n)}"),
    ]
    return page.number_table(("", "", "× best"), rows)


def multiple(outcome: Outcome, eigenvalues: FloatArray | None, norm: str = "frobenius") -> str:
    """Return the error in multiples of the best possible; a dash where that is not known or rounding."""
    if eigenvalues is None or not isinstance(outcome.errors, Errors):
        return "–"
    best = best_errors(eigenvalues, outcome.approximation.rank)[NORMS.index(norm)]
    error = getattr(outcome.errors, norm)
    return three_digits(error / best) if best > max(ROUNDING * error, 1e-9) else "–"


def answer(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Answer the page's question in one sentence."""
    a, measured = outcome.approximation, outcome.errors
    about = "about " if isinstance(measured, SampledErrors) else ""
    text = (
        f"Relative Frobenius error **{about}{three_digits(measured.relative_frobenius)}** with "
        f"{METHODS[a.method].in_words(a.requested)} for {counted(scene.data.n, 'point')}"
    )
    times = multiple(outcome, eigenvalues)
    return f"{text}." if times == "–" else f"{text}, {times} times the best possible at rank {a.rank}."


def explanation(scene: Scene, choice: Choice, outcome: Outcome) -> str:
    """Say what the colours of the map mean, and where the error is."""
    a = outcome.approximation
    if not METHODS[choice.method].data_dependent:
        return (
            "A point's colour is the relative error of its row of K, ‖K_i − K̃_i‖ / ‖K_i‖: sines and cosines "
            "reproduce the diagonal exactly. Another seed draws other frequencies."
        )
    residual = np.sort(residual_diagonal(scene.data.X, scene.kernel, a))[::-1]
    worst = residual[: max(1, len(residual) // 10)].sum() / (residual.sum() or 1.0)
    return (
        "A point's colour is its residual, k(x, x) − K̃(x, x): what the approximation does not explain of it. "
        f"The worst tenth of the points carries {percent(worst)} of the sum of the residuals."
    )


def maths(choice: Choice) -> str:
    """Return the formulas behind the page."""
    return MATHS if METHODS[choice.method].data_dependent else RANDOM_FEATURES_MATHS


def source(choice: Choice) -> str:
    """Name the method's source, and where its numbers are printed."""
    compared = "Yang et al. 2012, figures 1 and 2"
    if METHODS[choice.method].data_dependent:
        compared = "Zhang, Tsang and Kwok 2008, figure 1"
    return f"Method: {METHODS[choice.method].source}. Numbers to compare: {compared}."
