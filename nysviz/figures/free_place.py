"""Where words beside a point of a chart cover no line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.blocks import FloatArray

# Pixels: the fineness of the search, how far from the point words may stand, and the least gap between them.
CELL, REACH, GAP = 4, (360, 240), 10
# What a line costs on the way to the label, in pixels; and at how many places of the way lines are sought.
CROSSING, WAY = 20.0, 40
# A box on the sheet: left, right, lower and upper end as parts of the width and of the height.
Box = tuple[float, float, float, float]


def free_place(
    lines: Sequence[tuple[FloatArray, FloatArray]],
    point: tuple[float, float],
    words: tuple[float, float],
    sheets: Sequence[tuple[float, float]],
    taken: Sequence[Box] = (),
) -> tuple[float, float, str]:
    """Find the nearest place for a label that covers as little as can be on each of several sheets.

    Parameters
    ----------
    lines : sequence of ((q,), (q,) arrays)
        Their vertices as parts of the width (from the left) and of the height (from below).
    point : (float, float)
        What the label belongs to, in the same units.
    words : (float, float)
        Width and height of the label in pixels.
    sheets : sequence of (float, float)
        Width and height of the plot in pixels on up to three screens, the most important one first.
    taken : sequence of boxes
        Places of other words.

    Returns
    -------
    (float, float, str)
        The shift in pixels, to the right and down, of the middle of the label's nearer side from the point,
        and which side of the label that is: "left", "right", or "center" straight above or below.
    """
    wide, high = words
    steps = np.arange(GAP, REACH[0] + 1, CELL)
    heights = np.arange(-REACH[1], REACH[1] + 1, CELL)
    right, up = map(np.ravel, np.meshgrid(np.r_[steps, -steps, 0], heights, indexing="ij"))
    # Straight above or below, the words keep off the point itself.
    apart = (right != 0) | (np.abs(up) >= high / 2 + GAP)
    right, up = right[apart], up[apart]
    before = wide * np.select([right > 0, right < 0], [0.0, 1.0], 0.5)
    # Of places that are equally free the nearest one, rather to the right.
    costs = np.hypot(right, 1.5 * up) + np.select([right > 0, right < 0], [0.0, 20.0], 40.0)
    for weight, (width, height) in zip((1e6, 1e3, 1e3), sheets, strict=False):
        left = point[0] * width + right - before
        low = point[1] * height + up - high / 2
        outside = (left < 0) | (left + wide > width) | (low < 0) | (low + high > height)
        cells = _covered(lines, width, height, taken)
        covered = np.pad(np.cumsum(np.cumsum(cells, axis=0), axis=1), ((1, 0), (1, 0)))
        costs += weight * (_within(covered, left, left + wide, low, low + high) + wide * high * outside)
        costs += CROSSING * _crossed(cells, (point[0] * width, point[1] * height), right, up)
    best = int(np.argmin(costs))
    side = "left" if right[best] > 0 else "right" if right[best] < 0 else "center"
    return float(right[best]), -float(up[best]), side


def _covered(
    lines: Sequence[tuple[FloatArray, FloatArray]], width: float, height: float, taken: Sequence[Box]
) -> FloatArray:
    """Cells with a line or other words, which are 1."""
    cells = np.zeros((int(width // CELL) + 1, int(height // CELL) + 1))
    for x, y in lines:
        across, up = np.asarray(x) * width / CELL, np.asarray(y) * height / CELL
        if len(across) > 1:
            # Twice as fine as the cells, so that a steep line leaves none out.
            lengths = np.ceil(2 * np.maximum(np.abs(np.diff(across)), np.abs(np.diff(up)))).astype(int)
            steps = np.r_[0, np.cumsum(np.maximum(lengths, 1))]
            fine = np.arange(steps[-1] + 1)
            across, up = np.interp(fine, steps, across), np.interp(fine, steps, up)
        i, j = np.floor(across).astype(int), np.floor(up).astype(int)
        inside = (i >= 0) & (i < cells.shape[0]) & (j >= 0) & (j < cells.shape[1])
        cells[i[inside], j[inside]] = 1.0
    for left, right, low, top in taken:
        columns = slice(int(left * width // CELL), int(right * width // CELL) + 1)
        cells[columns, int(low * height // CELL) : int(top * height // CELL) + 1] = 1.0
    return cells


def _crossed(cells: FloatArray, point: tuple[float, float], right: FloatArray, up: FloatArray) -> FloatArray:
    """How many cells on the way from the point to each label lie on a line, about."""
    # The first steps leave the point's own line.
    part = np.linspace(0.15, 1.0, WAY)[:, None]
    i = np.clip((point[0] + part * right) // CELL, 0, cells.shape[0] - 1).astype(int)
    j = np.clip((point[1] + part * up) // CELL, 0, cells.shape[1] - 1).astype(int)
    crossed: FloatArray = cells[i, j].sum(axis=0) * np.hypot(right, up) / (WAY * CELL)
    return crossed


def _within(
    covered: FloatArray, left: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray
) -> FloatArray:
    """How many covered cells each of several boxes in pixels touches."""
    i0, i1 = (np.clip(x // CELL, 0, covered.shape[0] - 1).astype(int) for x in (left, right + CELL))
    j0, j1 = (np.clip(y // CELL, 0, covered.shape[1] - 1).astype(int) for y in (low, high + CELL))
    cells: FloatArray = covered[i1, j1] - covered[i0, j1] - covered[i1, j0] + covered[i0, j0]
    return cells
