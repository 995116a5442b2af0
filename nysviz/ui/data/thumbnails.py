"""What the small pictures of the data sets show, computed in the background from a part of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray
from nysviz.datasets import Card, Dataset, default_data_folder, load
from nysviz.figures.data_cards import Thumbnail
from nysviz.kernels import Gaussian, Kernel, Linear, default_width
from nysviz.projection import principal_directions
from nysviz.spectrum import spectrum
from nysviz.sweep import Job

# Rows behind a picture, and points drawn in it.
ROWS = 1_000
POINTS = 220


def thumbnail(name: str) -> tuple[Thumbnail, ...]:
    """Compute the small picture of a data set; what cannot be loaded has a sentence instead."""
    try:
        return (picture_of(name, load(name)),)
    except ValueError as problem:
        return (Thumbnail(name, np.zeros((0, 2)), None, np.zeros(0), 0, "", str(problem)),)


def picture_of(name: str, data: Dataset) -> Thumbnail:
    """Two principal components and the eigenvalues of K, over at most ``ROWS`` rows.

    The kernel is the Gaussian of the default width, the linear one for documents.
    """
    chosen = np.sort(np.random.default_rng(0).permutation(data.n)[:ROWS])
    X = data.X[chosen]
    kernel: Kernel
    if sparse.issparse(X):
        kernel, positions = Linear(), _sparse_positions(X)
    else:
        width = default_width(X)
        kernel = Gaussian.from_width(width if width > 0 else 1.0)
        centre, directions, _ = principal_directions(X)
        positions = (X - centre) @ directions
    codes = None
    if data.task == "classification" and data.y is not None:
        codes = np.searchsorted(np.unique(data.y), data.y[chosen])[:POINTS]
    return Thumbnail(name, positions[:POINTS], codes, spectrum(X, kernel), len(chosen), kernel.label)


def _sparse_positions(X: sparse.csr_array) -> FloatArray:
    """Principal components from inner products of the centred rows, none of which is made dense."""
    gram = (X @ X.T).toarray()
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh((gram + gram.T) / 2.0)
    positions: FloatArray = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0.0))
    return positions


def jobs(cards: Sequence[Card]) -> list[Job]:
    """Return one job a set, small sets first."""
    return [
        Job((*mark(card), "thumbnail"), "thumbnail", card.n * card.d + 3e6, partial(thumbnail, card.name))
        for card in sorted(cards, key=lambda card: card.n * card.d)
    ]


def mark(card: Card) -> tuple[object, ...]:
    """Name what a picture depends on: the set, and when its files were written."""
    folder = default_data_folder()
    paths = [folder / file for file in card.files] if card.kind == "file" else []
    return (card.name, *(path.stat().st_mtime_ns for path in paths if path.is_file()))
