"""The small pictures of the data sets, computed from a part of the rows."""

from __future__ import annotations

import base64
import html

import numpy as np

from nysviz.datasets import Card, default_data_folder, load
from nysviz.figures.data_cards import HEIGHT, WIDTH, Thumbnail, paint
from nysviz.figures.look import Theme
from nysviz.kernels import Gaussian, default_width
from nysviz.projection import principal_directions
from nysviz.refusal import Refusal
from nysviz.spectrum import spectrum
from nysviz.ui.asking import shared

# The name of a set, and when its files were written.
Mark = tuple[str, tuple[int, ...]]
# Rows behind a picture, and points drawn in it.
ROWS = 1_000
POINTS = 220


@shared()
def pictures(marks: tuple[Mark, ...], theme: Theme) -> dict[str, str]:
    """Return the picture of each data set as HTML, or why there is none."""
    return {mark[0]: _as_html(mark, theme) for mark in marks}


def mark(card: Card) -> Mark:
    """Name what a picture depends on: the set, and when its files were written."""
    folder = default_data_folder()
    paths = [folder / file for file in card.files] if card.kind == "file" else []
    return card.name, tuple(path.stat().st_mtime_ns for path in paths if path.is_file())


def _as_html(one: Mark, theme: Theme) -> str:
    try:
        found = thumbnail(one)
    except ValueError as problem:
        return html.escape(str(problem) if isinstance(problem, Refusal) else "Cannot be read.")
    png = base64.b64encode(paint(found, theme)).decode()
    alt = html.escape(f"Principal components and eigenvalues of {found.rows} rows of {one[0]}")
    size = f'width="{WIDTH}" height="{HEIGHT}" style="max-width:100%;height:auto"'
    return f'<img src="data:image/png;base64,{png}" {size} alt="{alt}">'


@shared()
def thumbnail(one: Mark) -> Thumbnail:
    """Take two principal components and the eigenvalues of K, over at most ``ROWS`` rows.

    The kernel is the Gaussian of the default width.

    Raises
    ------
    ValueError
        The set cannot be loaded.
    """
    data = load(one[0])
    chosen = np.sort(np.random.default_rng(0).permutation(data.n)[:ROWS])
    X = data.X[chosen]
    width = default_width(X)
    centre, directions, _ = principal_directions(X)
    codes = None
    if data.task == "classification" and data.y is not None:
        codes = np.searchsorted(np.unique(data.y), data.y[chosen])[:POINTS]
    eigenvalues = spectrum(X, Gaussian.from_width(width if width > 0 else 1.0))
    return Thumbnail(((X - centre) @ directions)[:POINTS], codes, eigenvalues, len(chosen))
