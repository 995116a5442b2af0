"""Small pictures of data sets: two principal components and the decay of the spectrum, as PNG.

Dozens of charts would keep a browser busy for seconds; a picture of two kilobytes costs nothing.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.class_marks import class_hue
from nysviz.figures.look import Theme

# Size on the page; twice as many points are in the picture, for screens that are twice as fine, and it is
# drawn twice as large again, since lines are smooth only after shrinking.
WIDTH, HEIGHT = 216, 76
FINE, SHRUNK = 2, 2
# Width of a picture of a montage, and what is left between two.
SIDE, GAP = 44, 4
# Decades of eigenvalues that are drawn.
DECADES = 8.0


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """What a small picture shows of a data set."""

    # Of some rows, along the two leading principal components, (q, 2), and their classes.
    positions: FloatArray
    codes: IntArray | None
    # Of K over so many sampled rows, descending.
    eigenvalues: FloatArray
    rows: int


def paint(thumbnail: Thumbnail, theme: Theme) -> bytes:
    """Return the picture as PNG on a transparent ground: points at the left, eigenvalues at the right."""
    scale = FINE * SHRUNK
    picture = Image.new("RGBA", (WIDTH * scale, HEIGHT * scale), (0, 0, 0, 0))
    brush = ImageDraw.Draw(picture)
    half = WIDTH / 2
    _points(brush, thumbnail, theme, (4, 4, half - 6, HEIGHT - 4), scale)
    _decay(brush, thumbnail, theme, (half + 8, 6, WIDTH - 4, HEIGHT - 6), scale)
    small = picture.resize((WIDTH * FINE, HEIGHT * FINE), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return file.getvalue()


Box = tuple[float, float, float, float]


def _points(brush: ImageDraw.ImageDraw, shown: Thumbnail, theme: Theme, box: Box, scale: int) -> None:
    if not len(shown.positions):
        return
    low, high = shown.positions.min(axis=0), shown.positions.max(axis=0)
    # One scale for both axes: the shape is what is seen.
    size = max(float((high - low).max()), 1e-300)
    room = min(box[2] - box[0], box[3] - box[1])
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    moved = (shown.positions - (low + high) / 2) / size * room
    places = (middle + moved * np.array([1.0, -1.0])) * scale
    radius = 1.3 * scale
    for index, (x, y) in enumerate(places):
        hue = theme.accent if shown.codes is None else class_hue(int(shown.codes[index]), theme)
        brush.ellipse((x - radius, y - radius, x + radius, y + radius), fill=hue)


def _decay(brush: ImageDraw.ImageDraw, shown: Thumbnail, theme: Theme, box: Box, scale: int) -> None:
    """A line over log rank and log eigenvalue, in a corner of two thin axes."""
    corner = [(box[0], box[1]), (box[0], box[3]), (box[2], box[3])]
    brush.line([(x * scale, y * scale) for x, y in corner], fill=theme.faint, width=scale)
    values = shown.eigenvalues
    if len(values) < 2 or not values[0] > 0:
        return
    seen = values[values > values[0] * 10.0**-DECADES]
    across = np.log(np.arange(1, len(seen) + 1)) / np.log(len(values))
    down = np.log10(values[0] / seen) / DECADES
    x = (box[0] + across * (box[2] - box[0])) * scale
    y = (box[1] + down * (box[3] - box[1])) * scale
    line = list(zip(x.tolist(), y.tolist(), strict=True))
    if len(line) > 1:
        brush.line(line, fill=theme.ink, width=int(1.5 * scale), joint="curve")


def montage(pictures: list[NDArray[np.float64]], across: int) -> bytes:
    """Return pictures (height, width), each with its own greys, side by side as one PNG.

    Parameters
    ----------
    pictures : list of (h, w) arrays
    across : int
        Pictures in a line.
    """
    wide, apart = SIDE * FINE, GAP * FINE
    h, w = pictures[0].shape
    high = max(1, round(wide * h / w))
    lines = -(-len(pictures) // across)
    whole = Image.new("RGBA", (across * (wide + apart), lines * (high + apart)), (0, 0, 0, 0))
    for index, pixels in enumerate(pictures):
        low, top = float(pixels.min()), float(pixels.max())
        grey = 255.0 * (pixels - low) / (top - low if top > low else 1.0)
        tile = Image.fromarray(grey.astype(np.uint8)).resize((wide, high), Image.Resampling.NEAREST)
        line, column = divmod(index, across)
        whole.paste(tile, (column * (wide + apart), line * (high + apart)))
    file = io.BytesIO()
    whole.save(file, "PNG", optimize=True)
    return file.getvalue()
