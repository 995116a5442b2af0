"""Data that comes with scikit-learn, so that everything works without a network."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from nysviz.datasets.cards import Card
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.generators import MAX_SEED, whole

# Luminance weights of red, green and blue (ITU-R BT.601): grey as bright as the colour looks.
LUMINANCE = (0.299, 0.587, 0.114)
SMALLEST_PATCH, LARGEST_PATCH = 4, 16
FEWEST_PATCHES, MOST_PATCHES = 100, 20_000


def table(card: Card, *, raw: bool = False) -> Dataset:
    """One of scikit-learn's tables, prepared as its card says unless ``raw``."""
    bunch = getattr(_scikit(), f"load_{card.name}")()
    facts: dict[str, Any] = {"feature_names": [str(name) for name in bunch.feature_names]}
    if card.task == "classification":
        facts["classes"] = [str(name) for name in bunch.target_names]
    if raw and card.name == "diabetes":
        bunch = _scikit().load_diabetes(scaled=False)
        facts["notes"] = ["The values are raw, in the units of the original study."]
    return card.described(bunch.data, bunch.target, prepare=not raw, **facts)


def patches(
    card: Card, *, patch: SupportsIndex = 8, n: SupportsIndex = 2000, seed: SupportsIndex = 0
) -> Dataset:
    """Return n square pieces of a grey photograph, cut at random places, no place twice.

    The card has the photograph's name, as ``china_patches``; a piece has 4 to 16 pixels a side, and there are
    100 to 20 000 of them: X (n, patch²) in [0, 1], line by line, without y.
    """
    side = whole("patch", patch, SMALLEST_PATCH, LARGEST_PATCH)
    count = whole("n", n, FEWEST_PATCHES, MOST_PATCHES)
    rng = np.random.default_rng(whole("seed", seed, 0, MAX_SEED))
    photograph = _scikit().load_sample_image(card.name.removesuffix("_patches") + ".jpg")
    grey = np.clip(photograph @ np.array(LUMINANCE) / 255.0, 0.0, 1.0)
    windows = np.lib.stride_tricks.sliding_window_view(grey, (side, side))
    places = rng.choice(windows.shape[0] * windows.shape[1], count, replace=False)
    rows, columns = np.divmod(places, windows.shape[1])
    pieces = windows[rows, columns].reshape(count, side * side)
    names = [f"pixel {i}, {j}" for i in range(side) for j in range(side)]
    return card.described(pieces, image_shape=(side, side), feature_names=names)


def _scikit() -> Any:
    # Imported where it is needed: it takes most of a second.
    from sklearn import datasets

    return datasets
