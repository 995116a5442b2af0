"""The charts of the page "Two balls": points, eigenvectors, eigenvalues, accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.blocks import IntArray
from nysviz.figures import two_balls
from nysviz.figures.traces import Line
from nysviz.learning.leading_subspace import turned_towards
from nysviz.papers.yang2012 import figure1
from nysviz.sweep import Record
from nysviz.text import counted, three_digits
from nysviz.ui import page
from nysviz.ui.two_balls.controls import Balls
from nysviz.ui.two_balls.result import LABELS, Comparison, accuracy, exact
from nysviz.ui.two_balls.text import pair

# Points drawn in each picture; a browser draws some 900 markers in 0.15 s. Numbers are those of all points.
DRAWN = 300


def _drawn_rows(balls: Balls) -> IntArray:
    """Rows whose points are drawn, the same in every picture."""
    rows: IntArray = np.sort(np.random.default_rng(0).permutation(balls.data.n)[:DRAWN])
    return rows


def draw_balls(balls: Balls) -> None:
    """Draw the first two dimensions."""
    rows, gap = _drawn_rows(balls), balls.distance - 1.0
    apart = "touch" if abs(gap) < 1e-9 else f"overlap by {-gap:.1f}" if gap < 0 else f"lie {gap:.1f} apart"
    title = f"The balls {apart}"
    subtitle = f"{len(rows)} of {balls.data.n} points; d = {balls.data.d}"
    figure = two_balls.balls_chart(balls.data.X[rows, :2], balls.y[rows], page.theme(), title, subtitle)
    page.show(figure, "balls_points", f"{title}, coloured by class.")


def draw_eigenvectors(balls: Balls, found: Sequence[Comparison], m: int, scale: str) -> None:
    """Draw the first two eigenvectors of K and of two approximations."""
    rows, vectors = _drawn_rows(balls), exact(balls).vectors
    # The first eigenvector of a positive kernel has one sign: positive, by choice.
    reference = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
    panels = [("K, exact", "reference", reference[rows])]
    ours, theirs = pair(found, scale)
    for name, one in (("Nyström", ours), (f"RFF, scale {scale}", theirs)):
        turned = turned_towards(reference, one.pairs.vectors)
        turned = np.pad(turned, ((0, 0), (0, figure1.LEADING - turned.shape[1])))
        panels.append((name, "cos " + ", ".join(f"{cosine:.3f}" for cosine in one.cosines), turned[rows]))
    title = f"Cosine of the leading planes: Nyström {ours.smallest:.3f}, RFF {theirs.smallest:.3f}"
    figure = two_balls.eigenvector_chart(
        panels, balls.y[rows], rows, page.theme(), title, f"{balls.subtitle}, m = {m}"
    )
    page.show(figure, "balls_eigenvectors", f"First two eigenvectors of three matrices. {title}.")


def draw_eigenvalues(balls: Balls, found: Sequence[Comparison], m: int, scale: str) -> None:
    """Draw the leading eigenvalues of K and of two approximations."""
    values, n = exact(balls).values / balls.data.n, balls.data.n
    title = f"λ₁/n = {three_digits(float(values[0]))}, λ₂/n = {three_digits(float(values[1]))}"
    others = {one.method: (LABELS[one.method], one.pairs.values / n) for one in pair(found, scale)}
    subtitle = f"m = {m}; frequencies of scale {scale}"
    figure = two_balls.eigenvalue_chart(values, others, page.theme(), title, subtitle)
    page.show(figure, "balls_eigenvalues", f"Eigenvalues of K and of its approximations. {title}.")


def draw_accuracy(records: Sequence[Record], scale: str) -> None:
    """Draw the mean test accuracy of every method at each m, with its spread over the trials so far."""
    lines = []
    for method in figure1.METHODS:
        by_m = {m: [accuracy(r) for r in records if (r.method, r.m) == (method, m)] for m in figure1.MS}
        by_m = {m: values for m, values in by_m.items() if values}
        if not by_m:
            continue
        mean = np.array([np.mean(values) for values in by_m.values()])
        spread = np.array([np.std(values, ddof=min(1, len(values) - 1)) for values in by_m.values()])
        hover = [
            f"{LABELS[method]}, m = {m}<br>{mean[i]:.1f} ± {spread[i]:.1f} %" for i, m in enumerate(by_m)
        ]
        high = np.minimum(mean + spread, 100.0)
        lines.append(Line(method, LABELS[method], np.array(list(by_m)), mean, mean - spread, high, hover))
    title = "Test accuracy of a linear classifier"
    trials = counted(len({record.repeat for record in records}), "trial")
    subtitle = f"Mean ± standard deviation of {trials}; frequencies of scale {scale}"
    figure = two_balls.accuracy_chart(lines, figure1.MS, page.theme(), title, subtitle)
    page.show(figure, "balls_accuracy", f"{title} against m.")
