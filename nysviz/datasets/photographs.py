"""Photographs whose pixels are rows of data: the two of scikit-learn, and a user's own."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nysviz.datasets.dataset import Dataset
from nysviz.numerics.counts import quoted
from nysviz.refusal import Refusal
from nysviz.text import grouped

SAMPLES = {"china": "Temple in China", "flower": "Flower"}
# Pixels that a larger photograph is scaled down to: scikit-learn's, 427 × 640, to a quarter of each side.
PIXELS, LEAST_PIXELS = 107 * 160, 64
MOST_PIXELS = 12_000_000  # of a file, which is held for a moment
FORMATS = ("PNG", "JPEG")


@dataclass(frozen=True, eq=False)
class Photograph:
    """A photograph as (height, width, 3) array of bytes, with its name, or that of its file, and a title."""

    name: str
    title: str
    pixels: NDArray[np.uint8]

    def rows(self, position: float) -> Dataset:
        """Return a row for each pixel: red, green and blue from 0 to 1, then its place, (n, 5).

        The place is ``position`` times its distance from the top and from the left, in longer sides.
        """
        height, width, _ = self.pixels.shape
        down, across = np.mgrid[:height, :width] / max(height, width)
        colours = self.pixels.reshape(-1, 3) / 255.0
        X = np.column_stack([colours, position * down.ravel(), position * across.ravel()])
        names = ("red", "green", "blue", "down", "across")
        return Dataset.from_arrays(self.name, X, feature_names=names, title=self.title)


def load_photograph(name: str) -> Photograph:
    """Return "china" or "flower", photographs of scikit-learn, or that of a file; Refusal for others."""
    if name in SAMPLES:
        image = _pillow()
        from sklearn.datasets import load_sample_image

        pixels = np.asarray(_scaled(image.fromarray(load_sample_image(f"{name}.jpg"))))
        return Photograph(name, SAMPLES[name], pixels)
    try:
        content = Path(name).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        samples = " or ".join(map(repr, SAMPLES))
        raise Refusal(
            f"image = {quoted(name)}; {samples}, or the path of a PNG or JPEG file, is needed."
        ) from error
    return read_photograph(content, name)


def read_photograph(content: bytes, name: str) -> Photograph:
    """Return the photograph of a PNG or JPEG file, upright, on white and scaled down to some 17 000 pixels.

    Refusal for other files, broken ones, and those of more than 12 million pixels, before they are unpacked.
    """
    Image = _pillow()
    from PIL import ImageOps

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            width, height = image.size
            _check_size(width, height)
            # In draft mode a JPEG is decoded at a smaller size.
            if width * height > 16 * PIXELS:
                image.draft("RGB", (width // 4, height // 4))
            ImageOps.exif_transpose(image, in_place=True)
            small = _scaled(image.convert("RGBA"))
        ground = Image.new("RGBA", small.size, "white")
        pixels = np.asarray(Image.alpha_composite(ground, small).convert("RGB"))
    except Refusal:
        raise
    # Pillow's own limit is met before the size is known here.
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise Refusal("The picture has more than 12 million pixels; send it scaled down.") from error
    # Pillow raises errors of many kinds for broken files.
    except Exception as error:
        raise Refusal(
            "The file cannot be read as a PNG or JPEG picture; save the picture as one of them and send that."
        ) from error
    return Photograph(name, Path(name).name, pixels)


def _check_size(width: int, height: int) -> None:
    shape = f"The picture has {grouped(width)} × {grouped(height)} pixels"
    if width * height > MOST_PIXELS:
        raise Refusal(f"{shape}, and 12 million are the most; send it scaled down.")
    if width * height < LEAST_PIXELS:
        raise Refusal(f"{shape}, and {LEAST_PIXELS} are the least; send a larger one.")


def _scaled(image: Any) -> Any:
    """Return an image, scaled down to about ``PIXELS`` where it has more."""
    scale = (PIXELS / (image.width * image.height)) ** 0.5
    if scale < 1:
        size = [max(1, round(scale * side)) for side in image.size]
        image = image.resize(size, _pillow().Resampling.BOX)
    return image


def _pillow() -> Any:
    """Return Pillow's module of images, which comes with Streamlit and not with the library."""
    try:
        from PIL import Image
    except ImportError as error:
        raise Refusal("Photographs need Pillow; install it with pip install pillow.") from error
    return Image
