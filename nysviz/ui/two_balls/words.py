"""The words and numbers of the page "Two balls": the answer, the table, what is seen and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from nysviz.figures.look import grouped, three_digits
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.leading_subspace import LeadingPairs
from nysviz.papers.yang2012 import figure1
from nysviz.ui import page
from nysviz.ui.two_balls import rows as two_balls_rows
from nysviz.ui.two_balls.parts import NYSTROEM, Balls, Comparison, label, reach
from nysviz.ui.work.runs import Run

# Below this accuracy (%) on balanced classes a classifier has learned next to nothing.
NEAR_CHANCE = 60.0
# The paper's panel f, at N = 10 000, shows the first eigenvector of random features from -0.037 to 0.037.
PRINTED_ENTRY = 0.037
ABOUT = (
    "Accuracy on the test half of one split; the curves show ten. Cosine of the larger angle between the "
    "planes of the two leading eigenvectors. Last column: entries of the first one, times √N."
)
# Vectors whose residual is below this part of λ₂ are right to more digits than a picture shows.
SETTLED = 1e-3
# Above this ratio of λ₃ to λ₂ the second eigenvector is as good as any other.
NO_GAP = 0.98

MATHS = r"""
Two discs of radius $1/2$ in the first two of $2 + r$ dimensions, the other $r$ uniform on $[0, 1]$. The
kernel is $k(x, y) = \exp(-\|x-y\|^2 / 2\sigma^2)$. Nyström features of landmarks $z_1, \dots, z_m$ are
$\Lambda^{-1/2} V^\top k(Z, x)$ with $k(Z, Z) = V \Lambda V^\top$; random Fourier features are

$$z(x) = \tfrac{1}{\sqrt m}\,\big(\sin u_i^\top x,\ \cos u_i^\top x\big)_{i=1}^m, \qquad
u_i \sim \mathcal N(0, s^2 I), \qquad
\mathbb E\, z(x)^\top z(y) = \exp\!\big(-\tfrac{s^2}{2}\|x-y\|^2\big).$$

So $s = 1/\sigma$ estimates $k$; $s = 1$ and $s = \sigma$ estimate the kernels of bandwidth 1 and $1/\sigma$.
In each case the matrix is $\tilde K = Z Z^\top$ with few columns in $Z$; its eigenpairs come from
$Z^\top Z$. The two leading eigenvectors $U$ of $K$ and $\tilde U$ of $\tilde K$ are compared by the cosines
of the principal angles, the singular values of $U^\top \tilde U$: both are $1$ when the planes are the same.
The eigenpairs of $K$ come from the block Lanczos method (Golub and Underwood 1977), with blocks of the rows
of $K$ made one after the other; $K$ is never held.
"""

SOURCE = (
    "Yang, Li, Mahdavi, Jin and Zhou, Nyström method vs random Fourier features: a theoretical and empirical "
    "comparison, NIPS 2012, figure 1. Orthogonal random features: Yu et al. 2016. k-means landmarks: Zhang, "
    "Tsang and Kwok 2008. The paper does not say how these points were split: here half are the test. "
    "The linear machine is a support vector machine with squared hinge loss, its C chosen by 5-fold "
    "cross-validation on at most 2000 rows of the other half."
)


def answer(m: int, scores: Mapping[tuple[str, str], float], shown: Sequence[Comparison]) -> str:
    """Answer the page's question for the present settings in one line, with what is known of its numbers."""
    cosines = {one.method: one.smallest for one in shown}
    scale = next(one.scale for one in shown if one.method == "rff")
    ours, theirs = (
        f" **{scores[case]:.1f} %**" if case in scores else "" for case in ((NYSTROEM, ""), ("rff", scale))
    )
    of_scale = "" if scale == "1/σ" else f" of scale {scale}"
    return (
        f"With m = {m}: Nyström{ours}, random Fourier features{of_scale}{theirs}; cosine of the leading "
        f"planes **{cosines[NYSTROEM]:.3f}** against **{cosines['rff']:.3f}**."
    )


def numbers(exact: LeadingPairs, rows: Sequence[Comparison], scores: Mapping[tuple[str, str], float]) -> str:
    """Accuracy, cosine and reach of every method and of RFF at every frequency scale, as a table."""
    cells = [("K, exact", "", "1", _from_to(reach(exact)))]
    for one in rows:
        name = label(one.method)
        if one.method in RANDOM_FEATURES:
            name += f", scale {one.scale}"
        score = scores.get((one.method, one.scale))
        found = "…" if score is None else f"{score:.1f}"
        cells.append((name, found, f"{one.smallest:.3f}", _from_to(one.reach)))
    head = "".join(f"<th>{title}</th>" for title in ("", "accuracy, %", "cosine", "√N u<sub>1</sub>"))
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
    return f'<table class="nysviz-numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def shortfall(exact: LeadingPairs) -> str:
    """Say so where K has no plane of two leading eigenvectors; empty where it has one."""
    first, second, *rest = exact.values
    if rest and rest[0] > NO_GAP * second:
        return (
            f"λ₃ is {rest[0] / second:.3f} of λ₂: K has no leading plane to speak of, and the cosines say "
            "little."
        )
    if exact.residual > SETTLED * second / first:
        return (
            f"The leading eigenvectors of K did not settle in {exact.passes} passes (residual "
            f"{three_digits(exact.residual)} of λ₁): the cosines are rough."
        )
    return ""


def close(
    balls: Balls,
    m: int,
    scale: str,
    exact: LeadingPairs,
    rows: Sequence[Comparison],
    scores: Mapping[tuple[str, str], float],
    trials: Run | None,
) -> None:
    """End the page: what is seen and why, the maths, the same numbers in Python, the source."""
    words = " ".join(_seen(balls, m, exact, rows, scores))
    told = partial(two_balls_rows.rows, balls, m, exact, rows, scores, trials)
    page.closing(words, MATHS, two_balls_rows.python(balls, m, scale), SOURCE, told)


def _seen(
    balls: Balls,
    m: int,
    exact: LeadingPairs,
    rows: Sequence[Comparison],
    scores: Mapping[tuple[str, str], float],
) -> list[str]:
    of = {(one.method, one.scale): one for one in rows}
    defined, ours = of["rff", "1/σ"], of[NYSTROEM, ""]
    sentences = [_eigenvalues(balls, exact)]
    stated = (
        "The paper states that 100 samples let Nyström predict perfectly while random Fourier features are "
        "close to a random guess."
    )
    sentences.append(stated)
    if (NYSTROEM, "") in scores and ("rff", "1/σ") in scores:
        sentences.append(_measured(m, rows, scores))
    sentences.append(_spread(rows))
    sentences.append(
        f"The plane of the two leading eigenvectors is kept to a cosine of {ours.smallest:.3f} by {m} "
        f"landmarks and to {defined.smallest:.3f} by {m} frequencies of scale 1/σ, which are {2 * m} columns."
    )
    orthogonal = next((one for one in rows if one.method == "orf" and one.scale == "1/σ"), None)
    if orthogonal is not None and orthogonal.smallest > defined.smallest:
        sentences.append(
            "Frequencies made orthogonal, which know nothing of the data either, reach "
            f"{orthogonal.smallest:.3f}: part of the difference is the noise of independent draws."
        )
    return sentences


def _eigenvalues(balls: Balls, exact: LeadingPairs) -> str:
    first, second = (float(value) / balls.n for value in exact.values[:2])
    text = f"The two largest eigenvalues of K, over N, are {three_digits(first)} and {three_digits(second)}"
    paper = balls.redundant == figure1.REDUNDANT and balls.sigma == figure1.SIGMA and balls.distance == 1.0
    if paper:
        printed = " and ".join(f"{value:g}" for value in figure1.PRINTED_EIGENVALUES)
        text += f" (printed at N = {grouped(figure1.N)}: {printed})"
    if len(exact.values) > 2:
        text += f"; the third is {three_digits(float(exact.values[2]) / balls.n)}"
    return text + "."


def _measured(m: int, rows: Sequence[Comparison], scores: Mapping[tuple[str, str], float]) -> str:
    """Accuracies here, and at which scale that of random Fourier features is close to a guess."""
    known = [one.scale for one in rows if one.method == "rff" and ("rff", one.scale) in scores]
    each = ", ".join(f"{scores['rff', scale]:.1f} % at {scale}" for scale in known)
    text = (
        f"Here, with m = {m}, Nyström reaches {scores[NYSTROEM, '']:.1f} %, and random Fourier features "
        f"{each} (1/σ is the scale that belongs to the kernel)"
    )
    if len(known) < sum(one.method == "rff" for one in rows):
        return f"{text}."
    chance = [scale for scale in known if scores["rff", scale] < NEAR_CHANCE]
    where = f"close to a guess at {_listed(chance)}" if chance else "at no scale close to a guess"
    return f"{text}: {where}."


def _spread(rows: Sequence[Comparison]) -> str:
    """At which scale the printed spread of the first eigenvector appears."""
    fourier = [one for one in rows if one.method == "rff"]
    printed = PRINTED_ENTRY * math.sqrt(figure1.N)
    reaches = "; ".join(f"{_from_to(one.reach)} at {one.scale}" for one in fourier)
    alike = [one.scale for one in fourier if 0.5 < np.ptp(one.reach) / (2.0 * printed) < 2.0]
    return (
        "In the printed panel of random Fourier features the first eigenvector reaches "
        f"{_from_to((-printed, printed))} in units of 1/√N; here, {reaches}. "
        + (
            f"The printed spread appears at {_listed(alike)}."
            if alike
            else "No scale has the printed spread."
        )
    )


def _from_to(ends: tuple[float, float]) -> str:
    return " … ".join(f"{end:.2f}".replace("-", "−") for end in ends)


def _listed(scales: Sequence[str]) -> str:
    *first, last = scales
    return f"scales {', '.join(first)} and {last}" if first else f"scale {last}"
