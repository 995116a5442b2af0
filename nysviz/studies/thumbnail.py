"""What a small picture of a data set shows: its plane of principal components, and its eigenvalues."""

import numpy as np

from nysviz.analysis.projection import principal_directions
from nysviz.analysis.spectrum import spectrum
from nysviz.datasets import load
from nysviz.engine.shared import shared
from nysviz.figures.data_cards import Thumbnail
from nysviz.kernels import Gaussian, default_width

# The name of a set, and when its files were written.
Mark = tuple[str, tuple[int, ...]]
ROWS, POINTS = 1_000, 220


@shared()
def thumbnail(mark: Mark) -> Thumbnail:
    """Take principal components, and the eigenvalues of the default Gaussian, of at most ``ROWS`` rows."""
    data = load(mark[0])
    rows = np.sort(np.random.default_rng(0).permutation(data.n)[:ROWS])
    X = data.X[rows]
    width = default_width(X)
    centre, directions, _ = principal_directions(X)
    codes = None
    if data.task == "classification" and data.y is not None:
        codes = np.searchsorted(np.unique(data.y), data.y[rows])[:POINTS]
    eigenvalues = spectrum(X, Gaussian.from_width(width if width > 0 else 1.0))
    return Thumbnail(((X - centre) @ directions)[:POINTS], codes, eigenvalues, len(rows))
