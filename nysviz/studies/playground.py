"""Where should a landmark go? The errors of landmarks that a hand has put down in the plane."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from nysviz.analysis.spectrum import best_errors, spectrum
from nysviz.datasets import Dataset
from nysviz.engine.shared import shared
from nysviz.kernels import Kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import Selection
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import factorise
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import Errors, errors, residual
from nysviz.playground.drawing import Drawing, first
from nysviz.refusal import Refusal
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene
from nysviz.studies.study import Part, Study, complete
from nysviz.text import counted, grouped, three_digits

MEASURES = ("relative_frobenius", "relative_spectral", "relative_trace")


@dataclass(frozen=True)
class Board:
    """Errors of landmarks and of the best; the smallest relative error after one data point is added.

    ``best`` and ``relative_best`` are Frobenius errors of the best rank m.
    ``condition`` is that of W.
    """

    m: int
    rank: int
    errors: Errors
    best: float
    relative_best: float
    next_error: float
    condition: float


def approximation(points: FloatArray, kernel: Kernel, landmarks: FloatArray) -> LowRank:
    """Return K̃ from landmarks anywhere."""
    return factorise(KernelMatrix(points, kernel), Selection(points=landmarks), "playground", len(landmarks))


def entries_sentence(drawing: Drawing) -> str:
    """Say how many entries the kernel matrix of a drawing's points has."""
    n, sigma = len(drawing.points), three_digits(drawing.sigma)
    return f"K of {counted(n, 'point')} has {n} × {n} = {grouped(n * n)} entries; here σ = **{sigma}**."


def next_point(R: FloatArray) -> int:
    """Return the row whose column, as a further landmark, makes the residual R (n, n) smallest; O(n³)."""
    diagonal, squares = np.diag(R), np.einsum("ij,ij->i", R, R)
    # ‖R − R_i R_iᵀ / R_ii‖² = ‖R‖² − 2 R_iᵀ R R_i / R_ii + ‖R_i‖⁴ / R_ii².
    products = np.einsum("ij,ij->i", R @ R, R)
    # A residual below this part of k(x, x) = 1 is rounding.
    rows = diagonal > 1e-12
    gains = np.zeros(len(R))
    gains[rows] = 2 * products[rows] / diagonal[rows] - (squares[rows] / diagonal[rows]) ** 2
    return int(gains.argmax())


@shared()
def measure_boards(text: str) -> tuple[Board, ...]:
    """Return the numbers of each canvas of a drawing with points."""
    drawing = Drawing.from_text(text)
    X, kernel, boards = drawing.points, drawing.kernel, []
    eigenvalues = spectrum(X, kernel)
    for landmarks in drawing.boards:
        m, a = len(landmarks), approximation(X, kernel, landmarks)
        place = X[next_point(residual(kernel(X), a.factor))]
        more = errors(X, kernel, approximation(X, kernel, np.vstack([landmarks, place])))
        best = best_errors(eigenvalues, m)[0]
        relative = best / float(np.linalg.norm(eigenvalues))
        condition = float(np.linalg.cond(kernel(landmarks))) if m else 1.0
        numbers = (errors(X, kernel, a), best, relative, more.relative_frobenius, condition)
        boards.append(Board(m, a.rank, *numbers))
    return tuple(boards)


def disagreements(boards: Sequence[Board], sent: object) -> list[str]:
    """Return a sentence for each error on which the browser and the core disagree."""
    sentences = []
    for board, numbers in zip(boards, sent if isinstance(sent, list) else [], strict=False):
        # Two programs agree on an error, relative to ‖K‖, up to this and a multiple of the condition of W.
        allowed = 1e-6 + 1e-15 * min(board.condition, 1e12)
        for measure in MEASURES if isinstance(numbers, Mapping) else ():
            core, browser = getattr(board.errors, measure), numbers.get(measure)
            if not isinstance(browser, int | float) or not math.isfinite(browser):
                browser = math.inf
            if abs(core - browser) > allowed:
                name = measure.replace("_", " ")
                sentences.append(f"{name}: {browser:.9g} in the browser, {core:.9g} in the core")
    return sentences


def playground(text: str | None = None) -> "Playground":
    """Measure the errors of landmarks that were put down by hand.

    Parameters
    ----------
    text : str, optional
        A drawing of the page Playground, as its link has it: points, one or two sets of landmarks and the
        kernel. By default the drawing that the page begins with.

    Returns
    -------
    Playground
        With ``answer`` and ``table``; ``boards`` has ``errors``, ``best`` and ``next_error`` of each set of
        landmarks.

    Raises
    ------
    ValueError
        A damaged text, or a drawing without points.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.studies.playground().boards[0].m
    5
    """
    return complete(Playground.of_drawing(first() if text is None else Drawing.from_text(text)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Playground(Study):
    """Landmarks anywhere in the plane, and their errors."""

    text: str

    name = "playground"
    question = "Where should a landmark go?"

    boards = Part(measure_boards, "text", "Errors of the drawing", needed=True)

    @classmethod
    def of_drawing(cls, drawing: Drawing) -> "Playground":
        """Return the study of a drawing; raise Refusal if it has no points."""
        if not len(drawing.points):
            raise Refusal("The drawing has no points; at least one is needed.")
        data = Dataset.from_arrays("playground", drawing.points)
        return cls(scene=Scene(data, drawing.kernel, 0, None), text=drawing.text)

    @property
    def answer(self) -> str:
        """Say how large the error of the first landmarks is, and what one more would make of it."""
        if not self.has("boards"):
            return ""
        board, times = self.boards[0], ""
        # Below this part of ‖K‖ the best possible error is rounding.
        if board.relative_best > 1e-10:
            times = f", {three_digits(board.errors.frobenius / board.best)} times the best possible"
        return (
            f"Relative Frobenius error **{three_digits(board.errors.relative_frobenius)}** with "
            f"{counted(board.m, 'landmark')}{times}. One more at the best point makes it "
            f"**{three_digits(board.next_error)}**."
        )

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the errors of each canvas."""
        data, kernel = self.scene.data, self.scene.kernel
        begin = {"data": data.name, "n": data.n, "d": data.d, "kernel": repr(kernel)}
        begin["sigma"] = Drawing.from_text(self.text).sigma
        rows = []
        for name, board in zip("AB", self.boards, strict=False):
            values = {**asdict(board.errors), "best_frobenius": board.best, "rank": board.rank}
            rows += measured({**begin, "canvas": name, "m": board.m}, values)
        return rows

    def arguments(self) -> dict[str, object]:
        """Return the drawing, which has data and kernel in it."""
        return {"text": self.text}
