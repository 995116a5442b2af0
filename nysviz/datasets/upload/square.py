"""A table with as many columns as rows: similarities or distances of all pairs of rows, and their points."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from nysviz.datasets.upload.cleaning import check_magnitude
from nysviz.datasets.upload.table import is_there
from nysviz.kernels.similarities import (
    ASYMMETRY,
    checked_similarities,
    completed,
    from_distances,
    looks_like_distances,
    points_of,
    symmetric,
)
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal
from nysviz.text import counted, three_digits

Similarities: TypeAlias = Literal["given", "clip", "shift", "gaussian", "centred"] | None
# Largest matrix of similarities; it takes up to twenty seconds to become points.
MOST_SIMILARITIES = 3_000
SIMILARITIES = (
    "The table is symmetric, and no entry is above √(S_ii S_jj): these look like similarities of all pairs "
    "of rows; take them as similarities, 'given'."
)
DISTANCES = (
    "The diagonal has the smallest number of each row: these look like distances of all pairs of rows; take "
    "them as distances, 'gaussian' or 'centred'."
)


def points_of_pairs(
    used: pd.DataFrame, features: Sequence[str], target: str | None, how: Similarities, notes: list[str]
) -> tuple[FloatArray, pd.DataFrame]:
    """Return points whose inner products, or distances, are those in the features, and the rows used.

    ``how`` is "given", "clip", "shift", "gaussian" or "centred", as of ``nv.parse``. A row without its target
    is left out, and its column too.
    """
    K, names = used[features].to_numpy(dtype=np.float64, copy=True), list(features)
    if target is not None and not (has_target := is_there(used[target])).all():
        if len(K) == len(names):
            K, names = K[:, has_target], [names[j] for j in np.flatnonzero(has_target)]
        used, K = used[has_target], K[has_target]
        left_out = int((~has_target).sum())
        notes.append(f"{counted(left_out, 'row')} without a target left out, with their columns.")
    if len(K) > MOST_SIMILARITIES:
        raise Refusal(
            f"The matrix of similarities has {len(K)} rows; at most {MOST_SIMILARITIES} are taken, so "
            "send those of fewer rows."
        )
    if len(K) == len(names):
        if how in ("gaussian", "centred") and np.isnan(K.diagonal()).all():
            np.fill_diagonal(K, 0.0)
        K, done = completed(K, names)
        notes += done
        check_magnitude(K, names)
    if how == "gaussian" or how == "centred":
        K, formula = from_distances(K, how)
        notes.append(f"The distances of all pairs of rows became similarities, {formula}.")
    elif looks_like_distances(K := symmetric(K)):
        if how == "given":
            raise Refusal(DISTANCES)
        notes.append(DISTANCES)
    kernel = checked_similarities(K, None if how == "given" else "shift" if how == "shift" else "clip")
    change = float(np.linalg.norm(kernel - K) / (np.linalg.norm(K) or 1.0))
    if change > ASYMMETRY:
        repair = "Negative eigenvalues became 0"
        if how == "shift":
            repair = f"{three_digits(float(kernel[0, 0] - K[0, 0]))} was added to the diagonal"
        notes.append(
            f"{repair}, which changed the matrix of similarities by {three_digits(100 * change)} % (Frobenius"
            " norm); the linear kernel of the points is the changed matrix."
        )
    else:
        notes.append("The rows became points: their linear kernel is the matrix of similarities.")
    return points_of(kernel), used


def holds_distances(D: FloatArray) -> bool:
    """Whether a table of numbers is square, symmetric, and looks like distances."""
    pairs = _symmetric_part(D)
    return pairs is not None and looks_like_distances(pairs)


def holds_similarities(S: FloatArray) -> bool:
    """Whether a table of numbers is square, symmetric, and no entry is above √(S_ii S_jj)."""
    pairs = _symmetric_part(S)
    if pairs is None or not (np.diagonal(pairs) > 0).all():
        return False
    roots = np.sqrt(np.diagonal(pairs))
    return bool((np.abs(pairs) <= (1.0 + ASYMMETRY) * np.outer(roots, roots)).all())


def _symmetric_part(table: FloatArray) -> FloatArray | None:
    """Return the rows without gaps and their columns, if most rows are such and the part is symmetric."""
    n = len(table)
    if table.shape != (n, n) or not 3 <= n <= MOST_SIMILARITIES:
        return None
    complete = np.isfinite(table).all(axis=1)
    if 2 * complete.sum() <= n or complete.sum() < 3:
        return None
    part = table if complete.all() else table[np.ix_(complete, complete)]
    return part if np.allclose(part, part.T, rtol=ASYMMETRY) else None
