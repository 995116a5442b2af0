"""The parts of the page "Approximate": map, numbers, matrices, spectrum, strip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from streamlit.delta_generator import DeltaGenerator

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.data_map import RESIDUAL, ROW_ERROR, data_map
from nysviz.figures.drawing import titles
from nysviz.figures.look import Theme, inert, three_digits
from nysviz.figures.matrices import matrix_picture
from nysviz.figures.spectra import spectrum_chart
from nysviz.figures.strip import strip_chart
from nysviz.landmarks import METHODS
from nysviz.lowrank import LowRank
from nysviz.measures import residual_diagonal
from nysviz.ui import computing, page, strips
from nysviz.ui.controls import ORDERS, Choice
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.sidebar.uploads import chart_of
from nysviz.ui.work.store import store

STRIP_PATIENCE_SECONDS = 0.3
# The relative error that the strip's title looks for.
GOOD = 0.1


def labels_of(scene: Scene, rows: IntArray) -> Sequence[str]:
    """Text of each row's label for the hover, empty without labels."""
    data = scene.data
    if data.y is None:
        return [""] * len(rows)
    if data.task == "classification":
        codes = np.searchsorted(np.unique(data.y), data.y[rows])
        return [f", label {inert(data.classes[code])}" for code in codes]
    return [f", target {value:.3g}" for value in data.y[rows]]


def draw_map(scene: Scene, choice: Choice, a: LowRank, axes: tuple[int, int] | None) -> None:
    """Draw the points coloured by their residual, with the landmarks."""
    shown = computing.picture(scene, axes)
    top, key = scale_of(scene, choice)
    if key == RESIDUAL and not a.is_held:
        residual = computing.point_errors(scene, a, shown.rows)
        title = _residual_title(scene, residual, top, "drawn points")
    elif key == RESIDUAL:
        residual = residual_diagonal(scene.data.X, scene.kernel, a)
        title = _residual_title(scene, residual, top)
        residual = residual[shown.rows]
    else:
        residual = computing.point_errors(scene, a, shown.rows)
        title = _row_title(residual, scene.data.n)
    landmarks, names = None, []
    if a.landmarks is not None:
        landmarks = (a.landmarks - shown.centre) @ shown.directions
        names = [f"landmark {i + 1}" for i in range(len(landmarks))]
        if a.pivots is not None:
            names = [f"{name}, row {p}" for name, p in zip(names, a.pivots, strict=True)]
    figure = data_map(
        shown.positions,
        residual,
        shown.rows,
        labels_of(scene, shown.rows),
        landmarks,
        names,
        METHODS[choice.method].landmarks_are_data,
        top,
        (inert(shown.names[0]), inert(shown.names[1])),
        shown.ranges,
        page.theme(),
        title,
        f"{choice.label}, m = {choice.m}; {scene.subtitle}",
        key=key,
    )
    page.show(
        figure, "map", f"Map of the data coloured by {'residual' if key == RESIDUAL else key}. {title}."
    )


def scale_of(scene: Scene, choice: Choice) -> tuple[float, str]:
    """End of the map's colour scale, and what is coloured: the residual of the diagonal, or of the row."""
    if METHODS[choice.method].data_dependent:
        return float(scene.kernel.diag(scene.data.X).max()) or 1.0, RESIDUAL
    return 1.0, ROW_ERROR


def _residual_title(scene: Scene, residual: FloatArray, top: float, points: str = "points") -> str:
    # The colours share one scale, that of the largest k(x, x), which differ with some kernels.
    of = "k(x, x)" if scene.kernel.diag(scene.data.X).min() == top else "the largest k(x, x)"
    bad = int((residual > 0.5 * top).sum())
    if bad:
        return f"{bad} of {len(residual)} {points} lose{'s' if bad == 1 else ''} more than half of {of}"
    point = "No point" if points == "points" else f"None of {len(residual)} {points}"
    return f"{point} loses more than half of {of}; the worst loses {_part(residual.max() / top)}"


def _part(share: float) -> str:
    """Write a part in per cent; what is not nothing is not told as 0 %."""
    return f"{100 * share:.0f} %" if share >= 0.01 or share <= 0 else "less than 1 %"


def _row_title(errors: FloatArray, n: int) -> str:
    drawn = f"{len(errors)} rows of K" if len(errors) == n else f"the {len(errors)} drawn rows of K"
    bad = int((errors > 0.5).sum())
    if bad:
        is_off = (
            "is off by more than half of its norm" if bad == 1 else "are off by more than half of their norm"
        )
        return f"{bad} of {drawn} {is_off}"
    worst = f"the worst is off by {_part(errors.max())}"
    return f"None of {drawn} is off by more than half of its norm; {worst}"


def draw_matrices(scene: Scene, a: LowRank, by: str, columns: Sequence[DeltaGenerator]) -> str:
    """Draw K, K̃ and |K − K̃| on the same evenly spaced rows of one order; return what they leave out."""
    n = scene.data.n
    order = computing.order(scene, by)
    count = min(n, computing.PICTURE_ROWS)
    rows = order[np.linspace(0, len(order) - 1, count).astype(np.intp)]
    K = store().get(("pictured", *scene.key, by), lambda: scene.kernel(scene.data.X[rows]))
    G = a.take(rows)
    approximate = G @ G.T
    gap = np.abs(K - approximate)
    limits = (min(0.0, float(K.min())), float(K.max()) or 1.0)
    which = "all rows" if count == n else f"{count} of {n} rows, evenly spaced"
    if len(order) < n:
        which = f"{count} rows, evenly spaced in the order of {len(order)} random rows of {n}"
    theme = page.theme()
    exact = store().get(
        ("picture of K", *scene.key, by, theme.name),
        lambda: matrix_picture(K, rows, limits, theme, "K", f"by {ORDERS[by]}"),
    )
    pictures = (
        ("picture_K", exact),
        ("picture_approximation", matrix_picture(approximate, rows, limits, theme, "K̃", f"rank {a.rank}")),
        (
            "picture_residual",
            matrix_picture(
                gap,
                rows,
                (0.0, float(gap.max()) or 1.0),
                theme,
                "|K − K̃|",
                f"up to {three_digits(float(gap.max()))}",
                magnitude=True,
            ),
        ),
    )
    for column, (key, figure) in zip(columns, pictures, strict=True):
        with column:
            page.show(figure, key, f"Picture of {titles(figure)[0]}, rows ordered by {ORDERS[by]}.")
    drawn = len(computing.picture(scene, None).rows)
    points = "all points" if drawn == n else f"{drawn} random points of {n}"
    return f"The map draws {points}. The matrices show the entries of {which}; nothing is averaged."


def draw_spectrum(scene: Scene, choice: Choice, a: LowRank, eigenvalues: FloatArray | None) -> None:
    """Draw the eigenvalues of K with those of K̃ over them."""
    ours = _own_eigenvalues(a)
    title = f"K̃ has {a.rank} eigenvalue{'' if a.rank == 1 else 's'}"
    if eigenvalues is not None and eigenvalues.sum() > 0:
        held = 100 * eigenvalues[: choice.m].sum() / eigenvalues.sum()
        part = f"{held:.3g}" if held < 99.95 else "more than 99.9"
        first = "first eigenvalue holds" if choice.m == 1 else f"first {choice.m} eigenvalues hold"
        title = f"The {first} {part} % of the trace"
    sampled = "" if computing.is_exact(scene) else f"K from {computing.SPECTRUM_ROWS} sampled rows"
    if not a.is_held:
        sampled = f"K and K̃ from {computing.SPECTRUM_ROWS} sampled rows"
    figure = spectrum_chart(
        eigenvalues, ours, scene.data.n, choice.m, choice.method, choice.label, page.theme(), title, sampled
    )
    page.show(figure, "spectrum", title)


def _own_eigenvalues(a: LowRank) -> FloatArray:
    """Eigenvalues of K̃, or of the rows sampled for K, times n/s, where the factor is not held."""
    if not a.rank:
        return np.empty(0)
    scale = 1.0
    if a.is_held:
        G = a.factor
    else:
        rows = computing.drawn_rows(a.n, computing.SPECTRUM_ROWS)
        G, scale = a.take(rows), a.n / len(rows)
    # The smaller of the two Gram matrices: random features may have more columns than there are rows.
    inner = G.T @ G if G.shape[0] >= G.shape[1] else G @ G.T
    values: FloatArray = scale * np.maximum(np.linalg.eigvalsh(inner)[::-1], 0.0)
    return values


def draw_strip(scene: Scene, choice: Choice, axes: tuple[int, int] | None) -> None:
    """Draw the strip on which m is dragged in the browser, once its steps are computed."""
    shown = computing.picture(scene, axes)
    future = strips.strip_later(scene, choice.method, choice.options, shown, axes)
    # Everything else is drawn by now: waiting a little costs less than drawing the page again.
    if not page.ready(future, STRIP_PATIENCE_SECONDS):
        page.wait_for(future, f"Steps of the strip, {choice.label}", _strip_seconds(scene, choice))
        return
    strip = future.result()
    theme = page.theme()
    # The chart does not depend on the m chosen above: it is built once for a method and drawn again as it is.
    key = (
        "strip chart",
        *scene.key,
        choice.method,
        scene.seed,
        choice.options,
        axes,
        shown.names,
        theme.name,
        scene.subtitle,
    )
    whole = scene.whole or scene.data
    figure = chart_of(whole, key, lambda: _strip_figure(scene, choice, shown, strip, theme))
    page.show(figure, "strip", titles(figure)[0])


def _strip_seconds(scene: Scene, choice: Choice) -> float:
    """Estimate the time of the strip's steps: of one run, or of a run with its error at each of them."""
    _, part = computing.sampled(scene)
    ms = strips.strip_counts(part.data.n)
    nested = METHODS[choice.method].nested and computing.is_exact(part)
    return sum(
        computing.approximation_seconds(part, m, choice.method, choice.options)
        + computing.error_seconds(part, m)
        for m in (ms[-1:] if nested else ms)
    )


def _below(strip: strips.Strip) -> str:
    """Say from where on the error is good, as far as the strip's steps tell."""
    place = next((i for i, error in enumerate(strip.errors) if error < GOOD), None)
    if place is None:
        return f"stays above {GOOD} up to m = {strip.ms[-1]}"
    reached, before = strip.ms[place], strip.ms[max(0, place - 1)]
    if reached - before <= 1:
        return f"falls below {GOOD} at m = {reached}"
    return f"falls below {GOOD} between m = {before} and m = {reached}"


def _strip_figure(
    scene: Scene, choice: Choice, shown: computing.Picture, strip: strips.Strip, theme: Theme
) -> go.Figure:
    name = choice.label[:1].upper() + choice.label[1:]
    title = f"{name}: the relative error {_below(strip)}"
    if strip.sampled:
        title += f", for {strip.sampled} random rows"
    top, key = scale_of(scene, choice)
    # The map of the strip is low, and that above it has the names in full.
    first, second = (inert(name.replace(" of the variance)", ")")) for name in shown.names)
    return strip_chart(
        shown.positions,
        strip.residuals,
        strip.landmarks,
        strip.ms,
        strip.errors,
        len(strip.ms) // 2,
        METHODS[choice.method].landmarks_are_data,
        top,
        choice.method,
        (first, second),
        shown.ranges,
        theme,
        title,
        f"Drag m: the steps play in your browser; {scene.subtitle}",
        key=key,
        counted=METHODS[choice.method].counted,
    )
