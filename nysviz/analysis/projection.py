"""Two dimensions to draw the data in, and one order of the rows for pictures of matrices."""

import numpy as np

from nysviz.kernels import Kernel
from nysviz.landmarks.lloyd import lloyd
from nysviz.landmarks.nearest import nearest
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.lapack.symmetric import eigh
from nysviz.nystroem.approximation import approximate
from nysviz.refusal import Refusal

# Directions whose variance is below this part of the largest are rounding.
FLAT = 1e-14
# Numbers of landmarks for the leading eigenvector, and of clusters, by which rows are ordered.
ORDER_LANDMARKS = 100
ORDER_CLUSTERS = 10
# Most rows for the principal directions; more would not move them visibly.
DIRECTION_ROWS = 20_000


def principal_directions(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the two leading principal components of X (n, d): centre (d,), directions and shares.

    Directions (d, 2) are orthonormal, each with its largest coordinate positive; zero columns where the data
    have fewer than two dimensions. Shares (2,) are parts of the variance along each.
    """
    rows = X[:: max(1, -(-len(X) // DIRECTION_ROWS))]
    centre = rows.mean(axis=0)
    moved = rows - centre
    d = X.shape[1]
    directions, shares = np.zeros((d, 2)), np.zeros(2)
    # The smaller of the two Gram matrices has the same nonzero eigenvalues.
    wide = d > len(rows)
    gram = moved @ moved.T if wide else moved.T @ moved
    total = float(np.trace(gram))
    count = min(2, len(gram))
    if not total > 0:
        return centre, directions, shares
    values, vectors = eigh(gram, largest=count, overwrite=True)
    for k in range(count):
        value, vector = values[count - 1 - k], vectors[:, count - 1 - k]
        if value <= FLAT * total:
            continue
        direction = moved.T @ vector / np.sqrt(value) if wide else vector
        sign = np.sign(direction[np.abs(direction).argmax()])
        directions[:, k], shares[k] = sign * direction, value / total
    return centre, directions, shares


def row_order(X: FloatArray, y: FloatArray | None, kernel: Kernel, by: str) -> IntArray:
    """Return an order of the rows of X (n, d) that puts similar ones together, (n,).

    By "label" it sorts by y, by "cluster" by k-means clusters, both along the first principal component
    within a group; by "eigenvector" by the leading one of a rank-100 approximation of K; by "file" rows stay
    as they came.
    """
    n = len(X)
    if by == "file":
        return np.arange(n)
    if by == "eigenvector":
        a = approximate(X, kernel, "rpcholesky", min(n, ORDER_LANDMARKS))
        vector = a.eigh(1)[1].sum(axis=1)  # of no columns where K is 0
        return np.argsort(vector * np.sign(vector[np.abs(vector).argmax()]), kind="stable")
    centre, directions, _ = principal_directions(X)
    along = (X - centre) @ directions[:, 0]
    if by == "label" and y is not None:
        return np.lexsort((along, y))
    if by == "cluster":
        k = min(n, ORDER_CLUSTERS)
        seeds = X[np.argsort(along, kind="stable")[np.linspace(0, n - 1, k).astype(np.intp)]]
        centres = lloyd(X, seeds, 20)[0]
        groups = nearest(X, centres)[0]
        rank = np.argsort(np.argsort((centres - centre) @ directions[:, 0]))
        return np.lexsort((along, rank[groups]))
    raise Refusal(f"by = {by!r}; 'label' (with labels), 'cluster', 'eigenvector' or 'file' is needed.")
