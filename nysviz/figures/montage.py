"""Rows of a data set that are pictures, side by side."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

# Twice as many points as on the page, for screens that are twice as fine.
FINE = 2


def montage(pictures: list[NDArray[np.float64]], across: int) -> bytes:
    """Return pictures (height, width), each with its own greys, so many side by side as one PNG."""
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
    file = io.BytesIO()
    whole.save(file, "PNG", optimize=True)
    return file.getvalue()
