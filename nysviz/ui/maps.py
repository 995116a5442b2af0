"""The map of a scene's points with the landmarks of an approximation."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.datasets import Dataset
from nysviz.figures.data_map import RESIDUAL, ROW_ERROR, Picture, data_map
from nysviz.figures.look import Sheet, inert
from nysviz.landmarks import METHODS
from nysviz.lowrank import LowRank
from nysviz.ui.sidebar.scene import Scene


def landmark_map(scene: Scene, a: LowRank, shown: Picture, errors: FloatArray, sheet: Sheet) -> go.Figure:
    """Return the map of the drawn points, coloured by these errors, with the landmarks."""
    top, key = scale_of(scene, a.method)
    names = [f"landmark {i + 1}" for i in range(0 if a.landmarks is None else len(a.landmarks))]
    if a.pivots is not None:
        names = [f"{name}, row {p}" for name, p in zip(names, a.pivots, strict=True)]
    labels, are_data = labels_of(scene.data, shown.rows), METHODS[a.method].landmarks_are_data
    return data_map(shown, errors, labels, a.landmarks, names, are_data, top, key, sheet)


def scale_of(scene: Scene, method: str) -> tuple[float, str]:
    """End of the map's colour scale, and what is coloured: the residual of the diagonal, or of the row."""
    if METHODS[method].data_dependent:
        return float(scene.kernel.diag(scene.data.X).max()) or 1.0, RESIDUAL
    return 1.0, ROW_ERROR


def labels_of(data: Dataset, rows: IntArray) -> Sequence[str]:
    """Text of each row's label for the hover, empty without labels."""
    if data.y is None:
        return [""] * len(rows)
    if data.task == "classification":
        codes = np.searchsorted(np.unique(data.y), data.y[rows])
        texts = [f", label {inert(name)}" for name in data.classes]
        return [texts[code] for code in codes]
    return [f", target {value:.3g}" for value in data.y[rows]]
