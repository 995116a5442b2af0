"""What the core says of a drawing: errors of each set of landmarks, and whether the browser has the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

import nysviz as nv
from nysviz.approximation import factorise
from nysviz.blocks import FloatArray
from nysviz.kernels import Kernel
from nysviz.landmarks import Selection
from nysviz.lowrank import LowRank
from nysviz.matrix import KernelMatrix
from nysviz.measures import residual
from nysviz.playground.drawing import Drawing
from nysviz.spectrum import best_errors
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured

MEASURES = ("relative_frobenius", "relative_spectral", "relative_trace")
# Two programs agree on an error, as a part of ‖K‖, to so much, and to so much of the condition of W.
AGREEMENT, ROUNDING = 1e-6, 1e-15
# What is left of a point's k(x, x) = 1 below this is rounding.
RESIDUAL_FLOOR = 1e-12


@dataclass(frozen=True)
class Board:
    """Errors of one set of landmarks, of the best approximation of that rank, and with one landmark more.

    ``best`` and ``relative_best`` are Frobenius errors; ``next_error`` is the least relative one with a
    point, ``next_place``, as a further landmark. ``condition`` is that of W.
    """

    m: int
    rank: int
    errors: nv.Errors
    best: float
    relative_best: float
    next_place: tuple[float, float]
    next_error: float
    condition: float


def approximation(points: FloatArray, kernel: Kernel, landmarks: FloatArray) -> LowRank:
    """Return K̃ from landmarks anywhere."""
    return factorise(KernelMatrix(points, kernel), Selection(points=landmarks), "playground", len(landmarks))


def next_point(R: FloatArray) -> int:
    """Return the row whose column, as a further landmark, makes the residual R (n, n) smallest; O(n³)."""
    diagonal, squares = np.diag(R), np.einsum("ij,ij->i", R, R)
    # ‖R − R_i R_iᵀ / R_ii‖² = ‖R‖² − 2 R_iᵀ R R_i / R_ii + ‖R_i‖⁴ / R_ii².
    products = np.einsum("ij,ij->i", R @ R, R)
    left = diagonal > RESIDUAL_FLOOR
    gains = np.zeros(len(R))
    gains[left] = 2 * products[left] / diagonal[left] - (squares[left] / diagonal[left]) ** 2
    return int(gains.argmax())


@shared()
def boards(text: str) -> tuple[Board, ...]:
    """Return the numbers of each canvas of a drawing with points."""
    drawing = Drawing.from_text(text)
    X, kernel = drawing.points, drawing.kernel
    eigenvalues = nv.spectrum(X, kernel)
    return tuple(_board(X, kernel, landmarks, eigenvalues) for landmarks in drawing.boards)


def _board(X: FloatArray, kernel: Kernel, landmarks: FloatArray, eigenvalues: FloatArray) -> Board:
    a = approximation(X, kernel, landmarks)
    place = X[next_point(residual(kernel(X), a.factor))]
    more = approximation(X, kernel, np.vstack([landmarks, place]))
    best = best_errors(eigenvalues, len(landmarks))[0]
    whole = float(np.linalg.norm(eigenvalues))
    condition = float(np.linalg.cond(kernel(landmarks))) if len(landmarks) else 1.0
    return Board(
        len(landmarks),
        a.rank,
        nv.errors(X, kernel, a),
        best,
        best / whole,
        (float(place[0]), float(place[1])),
        nv.errors(X, kernel, more).relative_frobenius,
        condition,
    )


def disagreements(found: Sequence[Board], sent: object) -> list[str]:
    """Return a sentence for each error that the browser has otherwise than the core."""
    wrong = []
    for board, numbers in zip(found, sent if isinstance(sent, list) else [], strict=False):
        allowed = AGREEMENT + ROUNDING * min(board.condition, 1e12)
        for measure in MEASURES if isinstance(numbers, Mapping) else ():
            core, browser = getattr(board.errors, measure), numbers.get(measure)
            if not isinstance(browser, int | float) or not math.isfinite(browser):
                browser = math.inf
            if abs(core - browser) > allowed:
                wrong.append(
                    f"{measure.replace('_', ' ')}: {browser:.9g} in the browser, {core:.9g} in the core"
                )
    return wrong


def rows(drawing: Drawing, found: Sequence[Board]) -> list[dict[str, object]]:
    """Return the errors of each canvas as tidy records."""
    begin = {"data": "playground", "n": len(drawing.points), "d": 2, "kernel": repr(drawing.kernel)}
    records = []
    for name, board in zip("AB", found, strict=False):
        values = {**asdict(board.errors), "best_frobenius": board.best, "rank": board.rank}
        head = {**begin, "sigma": drawing.sigma, "canvas": name, "m": board.m}
        records += measured(head, values)
    return records


def python(drawing: Drawing) -> str:
    """Write the script that prints the same numbers."""
    counts = [len(drawing.points), *map(len, drawing.boards)]
    return f'''import numpy as np

import nysviz as nv
from nysviz.approximation import factorise
from nysviz.landmarks import Selection
from nysviz.matrix import KernelMatrix
from nysviz.spectrum import best_errors
from nysviz.playground.drawing import Drawing

drawing = Drawing.from_text(
    "{drawing.text}"
)
X, kernel = drawing.points, nv.{drawing.kernel!r}  # {", ".join(map(str, counts))}
for canvas, landmarks in zip("AB", drawing.boards):
    a = factorise(KernelMatrix(X, kernel), Selection(points=landmarks), "playground", len(landmarks))
    for measure, value in vars(nv.errors(X, kernel, a)).items():
        print(f"canvas={{canvas}} {{measure}}", value)
    print(f"canvas={{canvas}} best_frobenius", best_errors(nv.spectrum(X, kernel), len(landmarks))[0])
    print(f"canvas={{canvas}} rank", a.rank)'''
