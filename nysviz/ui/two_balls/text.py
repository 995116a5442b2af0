"""The sentences and the table of the page "Two balls"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nysviz.learning.leading_subspace import LeadingPairs
from nysviz.papers.yang2012 import figure1
from nysviz.text import grouped, three_digits
from nysviz.ui.two_balls.result import LABELS, NYSTROEM, Comparison, reach

# The paper's panel f, at n = 10 000, shows the first eigenvector of random features from -0.037 to 0.037.
PRINTED_REACH = 0.037 * math.sqrt(figure1.N)
# Vectors whose residual is below this part of λ₂ are right to more digits than a picture shows.
SETTLED = 1e-3
# Above this ratio of λ₃ to λ₂ the second eigenvector is as good as any other.
NO_GAP = 0.98

ABOUT = (
    "RFF: random Fourier features; ORF: the same with orthogonal frequencies. Accuracy on the test half of "
    "one split. Cosine of the larger angle between the planes of the two leading eigenvectors. Last column: "
    "entries of the first one, times √n."
)
EXPLANATION = (
    "Landmarks are points of the data; frequencies are drawn without looking at them. Frequencies of scale "
    "1/σ estimate this kernel, those of scale 1 and σ kernels of other bandwidths. The paper states that 100 "
    "landmarks predict perfectly and 100 frequencies are close to a guess; it prints "
    f"λ₁/n = {figure1.PRINTED_EIGENVALUES[0]:g} and λ₂/n = {figure1.PRINTED_EIGENVALUES[1]:g} at "
    f"n = {grouped(figure1.N)}, and entries of √n u₁ up to ±{PRINTED_REACH:.1f} for random features."
)
MATHS = r"""
Two discs of radius $1/2$ in the first two of $d = 2 + r$ dimensions, the other $r$ uniform on $[0, 1]$. The
kernel is $k(x, y) = \exp(-\|x-y\|^2 / 2\sigma^2)$. Nyström features of landmarks $z_1, \dots, z_m$ are
$\Lambda^{-1/2} V^\top k(Z, x)$ with $k(Z, Z) = V \Lambda V^\top$; random Fourier features are

$$\varphi(x) = \tfrac{1}{\sqrt m}\,\big(\sin u_i^\top x,\ \cos u_i^\top x\big)_{i=1}^m, \qquad
u_i \sim \mathcal N(0, s^2 I), \qquad
\mathbb E\, \varphi(x)^\top \varphi(y) = \exp\!\big(-\tfrac{s^2}{2}\|x-y\|^2\big).$$

So $s = 1/\sigma$ estimates $k$; $s = 1$ and $s = \sigma$ estimate the kernels of bandwidth 1 and $1/\sigma$.
In each case $\tilde K = G G^\top$ with the features in the rows of $G$; its eigenpairs come from $G^\top G$.
The two leading eigenvectors $U$ of $K$ and $\tilde U$ of $\tilde K$ are compared by the cosines of the
principal angles, the singular values of $U^\top \tilde U$: both are $1$ when the planes are the same. The
eigenpairs of $K$ come from the block Lanczos method (Golub and Underwood 1977), with blocks of the rows of
$K$ made one after the other; $K$ is never held.
"""
SOURCE = (
    "Yang, Li, Mahdavi, Jin and Zhou, Nyström method vs random Fourier features: a theoretical and empirical "
    "comparison, NIPS 2012, figure 1; it writes N for n. Orthogonal random features: Yu et al. 2016. k-means "
    "landmarks: Zhang, Tsang and Kwok 2008. The paper does not say how these points were split: here half "
    "are the test. The classifier is a linear support vector machine with squared hinge loss, its C chosen "
    "by 5-fold cross-validation on at most 2000 rows of the other half."
)

Scores = Mapping[tuple[str, str], float]


def pair(found: Sequence[Comparison], scale: str) -> tuple[Comparison, Comparison]:
    """Return the two methods of the paper: Nyström and random Fourier features of the chosen scale."""
    by_case = {one.case: one for one in found}
    return by_case[NYSTROEM, ""], by_case["rff", scale]


def answer(m: int, scale: str, found: Sequence[Comparison], scores: Scores) -> str:
    """Answer the page's question, with the accuracies once they are known."""
    ours, theirs = pair(found, scale)
    reached = [f" **{scores[one.case]:.1f} %**" if scores else "" for one in (ours, theirs)]
    of_scale = "" if scale == "1/σ" else f" of scale {scale}"
    return (
        f"With m = {m}: Nyström{reached[0]}, random Fourier features{of_scale}{reached[1]}; cosine of the "
        f"leading planes **{ours.smallest:.3f}** against **{theirs.smallest:.3f}**."
    )


def numbers(exact: LeadingPairs, found: Sequence[Comparison], scores: Scores) -> str:
    """Return the table: accuracy, cosine and reach of every method and of RFF at every frequency scale."""
    cells = [("K, exact", "", "1", _from_to(reach(exact)))]
    for one in found:
        name = LABELS[one.method] + (f", scale {one.scale}" if one.scale else "")
        score = f"{scores[one.case]:.1f}" if scores else "…"
        cells.append((name, score, f"{one.smallest:.3f}", _from_to(reach(one.pairs))))
    head = "".join(f"<th>{title}</th>" for title in ("", "accuracy, %", "cosine", "√n u<sub>1</sub>"))
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
    return f'<table class="nysviz-numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _from_to(ends: tuple[float, float]) -> str:
    return " … ".join(f"{end:.2f}".replace("-", "−") for end in ends)


def shortfall(exact: LeadingPairs) -> str:
    """Say so where K has no plane of two leading eigenvectors; empty where it has one."""
    first, second, *rest = exact.values
    if rest and rest[0] > NO_GAP * second:
        return f"λ₃ is {rest[0] / second:.3f} of λ₂: K has no leading plane, and the cosines say little."
    if exact.residual > SETTLED * second / first:
        return (
            f"The leading eigenvectors of K did not settle in {exact.passes} passes (residual "
            f"{three_digits(exact.residual)} of λ₁): the cosines are rough."
        )
    return ""
