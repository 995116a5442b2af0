"""What the survival of a classifier depends on, measured for the machines on the page."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from nysviz.measures import frobenius, residual
from nysviz.ui import computing
from nysviz.ui.learning.ls_svm_computing import Asked, Trained, matrix
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.store import store

# Above so many rows the spectrum beside the ridge is not worth its O(n³).
SPECTRUM_ROWS = 1_200


@dataclass(frozen=True)
class Why:
    """What the survival of a classifier depends on.

    Attributes
    ----------
    relative_error : float
        ‖K − K̃‖_F / ‖K‖_F of the training rows.
    change, margin : float
        Medians over the test rows of |f̃ − f| and of the exact machine's |f|.
    flipped : float
        Median of the exact machine's |f| over the rows whose sign differs; NaN without any.
    above_ridge : int or None
        Eigenvalues of K above 1/C; None where the spectrum was not computed.
    rank : int
        Of K̃.
    """

    relative_error: float
    change: float
    margin: float
    flipped: float
    above_ridge: int | None
    rank: int


def reasons_later(scene: Scene, exact: Trained, ours: Trained, asked: Asked) -> Future[Why]:
    """Measure it for the machines on the page."""

    def compute() -> Why:
        K = matrix(scene)
        size = computing.norms_of(scene).frobenius
        a = computing.approximation(scene, asked.method, asked.m, asked.options)
        values = ours.decisions(asked.restricted)
        flips = (values >= 0) != (exact.values >= 0)
        above = None
        if scene.data.n <= SPECTRUM_ROWS:
            above = int((computing.eigenvalues(scene.unseeded) > 1.0 / asked.C).sum())
        return Why(
            relative_error=frobenius(residual(K, a.factor)) / size if size > 0 else 0.0,
            change=float(np.median(np.abs(values - exact.values))),
            margin=float(np.median(np.abs(exact.values))),
            flipped=float(np.median(np.abs(exact.values[flips]))) if flips.any() else float("nan"),
            above_ridge=above,
            rank=a.rank,
        )

    # The test rows belong to the key: the same training rows may be tested on others.
    key = ("why", len(exact.values), *scene.key, scene.seed, asked)
    return store().later(key, compute)
