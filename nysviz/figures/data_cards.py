"""Small pictures of data sets: two principal components and the decay of the spectrum, as PNG.

Dozens of charts would keep a browser busy for seconds; a picture of two kilobytes costs nothing.
"""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from nysviz.figures.look import Theme, class_mark
from nysviz.numerics.blocks import FloatArray, IntArray

WIDTH, HEIGHT = 216, 76  # size on the page
# Twice as many points are in the picture, for screens that are twice as fine, and it is drawn twice as large
# again, since lines are smooth only after shrinking.
FINE, SCALE = 2, 4
DECADES = 8.0  # decades of eigenvalues that are drawn


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """Two principal components of some rows with their classes, and the eigenvalues of K over ``rows``."""

    positions: FloatArray
    codes: IntArray | None
    eigenvalues: FloatArray
    rows: int


def paint(thumbnail: Thumbnail, theme: Theme) -> bytes:
    """Return the picture as PNG on a transparent ground: points at the left, eigenvalues at the right."""
    picture = Image.new("RGBA", (WIDTH * SCALE, HEIGHT * SCALE), (0, 0, 0, 0))
    brush = ImageDraw.Draw(picture)
    if len(thumbnail.positions):
        _points(brush, thumbnail, theme)
    _decay(brush, thumbnail.eigenvalues, theme)
    return _png(picture.resize((WIDTH * FINE, HEIGHT * FINE), Image.Resampling.LANCZOS))


def _png(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


def _points(brush: ImageDraw.ImageDraw, thumbnail: Thumbnail, theme: Theme) -> None:
    """Draw points in the left half, with one scale for both axes, which keeps their shape."""
    low, high = thumbnail.positions.min(axis=0), thumbnail.positions.max(axis=0)
    size = max(float((high - low).max()), 1e-300)
    moved = (thumbnail.positions - (low + high) / 2) / size * (HEIGHT - 8)
    places = (np.array([WIDTH / 4 - 1, HEIGHT / 2]) + moved * np.array([1.0, -1.0])) * SCALE
    radius = 1.3 * SCALE
    for index, (x, y) in enumerate(places):
        hue = theme.accent if thumbnail.codes is None else class_mark(int(thumbnail.codes[index]), theme)[0]
        brush.ellipse((x - radius, y - radius, x + radius, y + radius), fill=hue)


def _decay(brush: ImageDraw.ImageDraw, values: FloatArray, theme: Theme) -> None:
    """Draw a line over log rank and log eigenvalue, in a corner of two thin axes in the right half."""
    left, top, right, bottom = WIDTH / 2 + 8, 6, WIDTH - 4, HEIGHT - 6
    corner = [(left, top), (left, bottom), (right, bottom)]
    brush.line([(x * SCALE, y * SCALE) for x, y in corner], fill=theme.faint, width=SCALE)
    if len(values) < 2 or not values[0] > 0:
        return
    visible = values[values > values[0] * 10.0**-DECADES]
    across = np.log(np.arange(1, len(visible) + 1)) / np.log(len(values))
    down = np.log10(values[0] / visible) / DECADES
    places = SCALE * np.c_[left + across * (right - left), top + down * (bottom - top)]
    if len(visible) > 1:
        line = [(float(x), float(y)) for x, y in places]
        brush.line(line, fill=theme.ink, width=int(1.5 * SCALE), joint="curve")


def montage(pictures: list[NDArray[np.float64]], across: int) -> bytes:
    """Return pictures (height, width), each with its own greys, as one PNG with ``across`` in a row."""
    # Each is 44 wide, with 4 between two.
    wide, apart = 44 * FINE, 4 * FINE
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
    return _png(whole)
