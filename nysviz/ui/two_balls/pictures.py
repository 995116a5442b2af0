"""The pictures of the page "Two balls": points, eigenvectors, eigenvalues, accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nysviz.blocks import IntArray
from nysviz.figures import feature_comparison, two_balls
from nysviz.figures.look import three_digits
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.leading_subspace import LeadingPairs, turned_towards
from nysviz.papers.yang2012 import figure1
from nysviz.sweep import Record
from nysviz.ui import page
from nysviz.ui.two_balls.parts import NYSTROEM, Balls, Comparison, accuracy, label

# Points drawn in each picture; a browser draws some 900 markers in 0.15 s. Numbers are those of all points.
DRAWN = 300


def drawn_rows(balls: Balls) -> IntArray:
    """Rows whose points are drawn, the same in every picture."""
    order = np.random.default_rng(0).permutation(balls.n)[:DRAWN]
    rows: IntArray = np.sort(order)
    return rows


def draw_balls(balls: Balls) -> None:
    """Draw the first two dimensions."""
    rows = drawn_rows(balls)
    gap = balls.distance - 1.0
    apart = "touch" if abs(gap) < 1e-9 else f"overlap by {-gap:.1f}" if gap < 0 else f"lie {gap:.1f} apart"
    title = f"The balls {apart}"
    subtitle = f"{len(rows)} of {balls.n} points; d = {balls.data.d}"
    figure = two_balls.balls_chart(balls.data.X[rows, :2], balls.y[rows], page.theme(), title, subtitle)
    page.show(figure, "balls_points", f"{title}, coloured by class.")


def draw_eigenvectors(balls: Balls, exact: LeadingPairs, shown: Sequence[Comparison], m: int) -> None:
    """Draw the first two eigenvectors of K and of its approximations."""
    rows = drawn_rows(balls)
    # The first eigenvector of a positive kernel has one sign: positive, by choice.
    reference = exact.vectors * np.where(exact.vectors.sum(axis=0) < 0, -1.0, 1.0)
    panels = [two_balls.Panel("K, exact", "reference", reference[rows])]
    for one in shown:
        name = f"{label(one.method)}, scale {one.scale}" if one.method in RANDOM_FEATURES else "Nyström"
        remark = "cos " + ", ".join(f"{cosine:.3f}" for cosine in one.cosines)
        vectors = np.zeros((balls.n, figure1.LEADING))
        turned = turned_towards(reference, one.pairs.vectors)
        vectors[:, : turned.shape[1]] = turned
        panels.append(two_balls.Panel(name, remark, vectors[rows]))
    kept = {one.method: f"{one.smallest:.3f}" for one in shown}
    title = f"Nyström keeps the leading plane to a cosine of {kept[NYSTROEM]}, RFF to {kept['rff']}"
    figure = two_balls.eigenvector_chart(
        panels, balls.y[rows], rows, page.theme(), title, f"{balls.subtitle}, m = {m}"
    )
    page.show(figure, "balls_eigenvectors", f"First two eigenvectors of three matrices. {title}.")


def draw_eigenvalues(
    balls: Balls, exact: LeadingPairs | None, shown: Mapping[tuple[str, str], LeadingPairs], m: int
) -> None:
    """Draw the leading eigenvalues of K, once they are known, and of its approximations."""
    values, title = np.empty(0), "Approximations so far, K follows"
    if exact is not None:
        values = exact.values
        first, second = (float(value) / balls.n for value in values[:2])
        title = f"λ₁/N = {three_digits(first)}, λ₂/N = {three_digits(second)}"
    others = {method: (label(method), found.values) for (method, _), found in shown.items()}
    scale = next((scale for method, scale in shown if method in RANDOM_FEATURES), "")
    figure = feature_comparison.eigenvalue_chart(
        values, others, balls.n, page.theme(), title, f"m = {m}; frequencies of scale {scale}"
    )
    page.show(figure, "balls_eigenvalues", f"Eigenvalues of K and of its approximations. {title}.")


def draw_accuracy(balls: Balls, records: Sequence[Record], scale: str) -> None:
    """Draw the mean test accuracy of every method at each m, with its spread over the trials so far."""
    curves, ms = [], sorted({record.m for record in records}) or list(figure1.MS)
    for method in figure1.METHODS:
        found = {m: [accuracy(r) for r in records if r.method == method and r.m == m] for m in ms}
        found = {m: values for m, values in found.items() if values}
        if found:
            mean = [float(np.mean(values)) for values in found.values()]
            deviation = [float(np.std(values, ddof=min(1, len(values) - 1))) for values in found.values()]
            curves.append(feature_comparison.Curve(method, label(method), list(found), mean, deviation))
    trials = len({record.repeat for record in records})
    title = _lead(curves) or "Accuracy of a linear machine"
    counted = "1 trial" if trials == 1 else f"{trials} trials"
    subtitle = f"Mean ± standard deviation of {counted}; frequencies of scale {scale}"
    figure = feature_comparison.accuracy_chart(curves, list(figure1.MS), page.theme(), title, subtitle)
    page.show(figure, "balls_accuracy", f"Test accuracy against m. {title}.")


def _lead(curves: list[feature_comparison.Curve]) -> str:
    """Where the two methods of the paper stand to one another."""
    at = {curve.method: dict(zip(curve.ms, curve.mean, strict=True)) for curve in curves}
    shared = sorted(set(at.get(NYSTROEM, {})) & set(at.get("rff", {})))
    if not shared:
        return ""
    ahead = sum(at[NYSTROEM][m] > at["rff"][m] for m in shared)
    return f"Uniform Nyström is ahead of RFF at {ahead} of {len(shared)} m"
