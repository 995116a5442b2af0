"""An approximation of the kernel matrix: how good is it, and where is it bad (Zhang 2008, figure 1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.spectrum import best_errors, factor_spectrum
from nysviz.datasets import Dataset
from nysviz.figures.data_map import Picture, landmark_map
from nysviz.figures.matrices import matrix_picture
from nysviz.figures.spectra import spectrum_chart
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS, cost_seconds
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import quoted
from nysviz.nystroem.measures import Errors, SampledErrors
from nysviz.refusal import Refusal
from nysviz.studies import html, matrices
from nysviz.studies.choice import Choice, checked_choice
from nysviz.studies.frames import SIGMA, Drag, Frame, M, drag_of, frames_run
from nysviz.studies.hand import (
    Hand,
    Measured,
    answer_text,
    in_multiples,
    map_subtitle,
    map_title,
    rank_name,
    rank_text,
)
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.matrices import NORMS, ORDERS, is_exact
from nysviz.studies.rows import measured
from nysviz.studies.scene import scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.text import counted, in_bytes, in_seconds, three_digits

# Rows that no landmark stands for are not in it, so that it may be far too small.
LEFT_OUT = Label("guess from the m columns", "left_out")


def approximate(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    method: str = "kmeans",
    m: int | None = None,
    options: Mapping[str, object] | None = None,
    *,
    axes: tuple[int, int] | None = None,
    order: str = "label",
    drag: str = M,
    seed: int = 0,
    theme: Ink = "light",
) -> "Approximate":
    """Measure an approximation of the kernel matrix, and show where it is bad.

    Parameters
    ----------
    data : Dataset or (n, d) array
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    method : str
    m : int, optional
        Number of landmarks, by default about 5 % of the rows.
    options : mapping, optional
        Options of the method.
    axes : pair of int, optional
        The numbers of two features that are the axes of the map, by default the two leading principal
        components.
    order : {"label", "cluster", "eigenvector", "file"}
        Order of the rows in the pictures of the matrices. Data without classes have no labels: "label" is
        "cluster" then.
    drag : {"m", "σ"}
        What the frames of the strip are for: 24 values of m, or 16 bandwidths at this m. A kernel without a
        bandwidth has those of m.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    Approximate
        With ``answer``, ``table``, ``figures``, ``landmarks``; ``approximation`` (LowRank), ``errors``
        (``frobenius``, ``spectral``, ``trace``, and each relative to K), ``eigenvalues`` of K, (n,), and
        ``frames``, one for each m or bandwidth. Where K is too large to be held, errors are estimates from
        sampled rows, eigenvalues those of K on sampled rows, and frames are made from 4 000 random rows.
        Beside the approximation O(n³) for the eigenvalues, and another 24 approximations of 400 landmarks
        at most, or more of few rows.

    Raises
    ------
    ValueError
        An unknown method, option or order, a kernel that the method is not made for, m or axes out of range,
        or an approximation that is too large for the memory.

    References
    ----------
    Zhang, Tsang and Kwok 2008, figure 1.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.approximate(nv.load("iris"), method="rpcholesky", m=8)
    >>> result.landmarks.shape
    (8, 4)
    >>> list(result.figures)
    ['map', 'picture_K', 'picture_approximation', 'picture_residual', 'spectrum', 'curve', 'strip']
    """
    scene = scene_of(data, kernel, seed)
    if order not in ORDERS:
        raise Refusal(f"order = {quoted(order)}; one of {', '.join(ORDERS)} is needed.")
    checked_choice("drag", drag, (M, SIGMA))
    study = Approximate(
        scene=scene,
        choice=Choice.from_arguments(scene, method, m, options),
        axes=matrices.checked_axes(scene.data, axes),
        order=order,
        drag=drag,
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class Approximate(Study):
    """One approximation, its errors, and what it would be at other m or other bandwidths."""

    choice: Choice
    axes: tuple[int, int] | None = None
    order: str = "label"
    drag: str = M

    name = "approximate"
    question = "How good is this approximation, and where?"

    approximation = Part(
        matrices.approximation,
        "scene choice.method choice.m choice.options",
        "{study.choice.label}, m = {study.choice.m}",
        needed=True,
        seconds=lambda study: study.expected_seconds,
    )
    point_errors = Part(
        matrices.map_errors, "scene choice.method choice.m choice.options", "Errors at the points"
    )
    eigenvalues = Part(matrices.eigenvalues, "scene.unseeded", "All eigenvalues of K", beside=True)
    outcome = Part(matrices.outcome, "scene choice.method choice.m choice.options", "Errors")
    records = Runs(frames_run, "dragged choice.m scene.multiple", "Frames for the slider", beside=True)

    @property
    def expected_seconds(self) -> float:
        """What the approximation is expected to take."""
        data, choice = self.scene.data, self.choice
        return cost_seconds(choice.method, data.n, data.d, choice.m, dict(choice.options))

    @property
    def errors(self) -> Errors | SampledErrors:
        """The errors: exact where K is held, else estimates from sampled rows."""
        return self.outcome.errors

    @property
    def best(self) -> Mapping[str, float] | None:
        """The errors of the best approximation of the same rank, by norm; None where they are not known."""
        if not self.has("eigenvalues") or not isinstance(self.errors, Errors):
            return None
        return dict(zip(NORMS, best_errors(self.eigenvalues, self.approximation.rank), strict=True))

    def times_best(self, norm: str) -> str:
        """Return the error in multiples of the best possible; a dash where that is not known or rounding."""
        return "–" if self.best is None else in_multiples(getattr(self.errors, norm), self.best[norm])

    @property
    def landmarks(self) -> FloatArray | None:
        """The landmarks, (m, d); None where the method has none."""
        return self.approximation.landmarks if self.has("approximation") else None

    @property
    def answer(self) -> str:
        """Say the error, beside the best possible one."""
        if not self.has("outcome"):
            return ""
        about = "about " if isinstance(self.errors, SampledErrors) else ""
        error, a = self.errors.relative_frobenius, self.approximation
        times = self.times_best("frobenius")
        return answer_text(self.choice.method, about, error, a.requested, a.rank, times)

    @property
    def numbers(self) -> NumberTable | None:
        """Errors with multiples of the best possible, and what the approximation cost."""
        if not self.has("outcome"):
            return None
        a, errors, n = self.approximation, self.errors, self.scene.data.n
        e, left_out = self.outcome.quantization, self.outcome.left_out
        rows: list[Row] = []
        for norm, name in NORMS.items():
            if (relative := getattr(errors, f"relative_{norm}", None)) is not None:
                label = Label(f"relative {name} error", f"relative_{norm}")
                rows.append((label, three_digits(relative), self.times_best(norm)))
        if isinstance(errors, SampledErrors):
            label = Label("95 % interval", "error_interval")
            rows.insert(1, (label, html.interval(errors.interval, errors.no_interval), ""))
        if left_out is not None:
            rows.insert(2, (LEFT_OUT, three_digits(left_out), ""))
        rank = rank_name(self.choice.method)
        rows += [
            (Label("quantization error", "quantization"), "–" if e is None else three_digits(e), ""),
            (Label(rank, rank.replace(" ", "_")), rank_text(self.choice.method, a.requested, a.rank), ""),
            (
                Label("kernel evaluations", "evaluations"),
                f"{three_digits(a.kernel_evaluations / n**2)} n²",
                "",
            ),
            (Label("time of this run", "seconds"), in_seconds(a.seconds), ""),
            (Label("memory", "memory"), in_bytes(a.nbytes), f"of {in_bytes(8 * n * n)}"),
        ]
        return NumberTable((PLAIN, PLAIN, Label("× best", "times_best")), rows)

    @property
    def notes(self) -> Sequence[str]:
        """What the method says of its approximation."""
        return self.approximation.notes if self.has("approximation") else ()

    def run_rows(self) -> list[dict[str, object]]:
        """Return no rows: frames are for the eye."""
        return []

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return errors, the best possible ones, and what the approximation cost."""
        if not self.has("outcome"):
            return []
        a, errors, best = self.approximation, self.errors, self.best
        values: dict[str, object] = {}
        for norm in NORMS:
            values[norm] = getattr(errors, norm, None)
            values[f"relative_{norm}"] = getattr(errors, f"relative_{norm}", None)
            if best is not None:
                values[f"best_{norm}"] = best[norm]
        if isinstance(errors, SampledErrors) and errors.interval is not None:
            values["interval_low"], values["interval_high"] = errors.interval
        values |= {"quantization": self.outcome.quantization, "rank": a.rank}
        values |= {"kernel_evaluations": a.kernel_evaluations, "seconds": a.seconds, "bytes": a.nbytes}
        return measured(self.choice.head(self.scene), values)

    @property
    def picture(self) -> Picture:
        """Where the map and the strip have their points."""
        return matrices.picture(self.scene, self.axes)

    def _explain_map(self) -> str:
        method, part = METHODS[self.choice.method], " of these errors, as a part of the largest entry of K"
        colour = "the error of its diagonal entry, Kᵢᵢ − K̃ᵢᵢ"
        if not method.data_dependent:
            colour, part = "the relative error of its row of K", ""
        marks = ""
        if self.landmarks is not None:
            marks = "Rings are" if method.landmarks_are_data else "Plus signs are"
            marks += " landmarks: where the error is large, none of them stands for the points."
        text = f"Each point is a row i of the data. Its colour is {colour}: 0 is exact."
        return f"{text} The title has the largest{part}. {marks}".strip()

    @chart(
        "approximation",
        "point_errors",
        caption=_explain_map,
    )
    def map(self) -> go.Figure:
        """Draw the data by their errors, with the landmarks."""
        errors, choice = self.point_errors, self.choice
        title = map_title(len(errors.values), float(errors.values.max()) / errors.top)
        sheet = self.sheet(title, map_subtitle(choice, self.scene, choice.m))
        # Low enough for the slider below it, and what follows it, to be seen at once.
        figure = landmark_map(self.scene.data, self.approximation, self.picture, errors, sheet, 430)
        return self.hand.marked(figure)

    @property
    def row_order(self) -> str:
        """The order of the rows: data without classes have no labels to order them by."""
        has_labels = self.scene.data.task == "classification"
        return "cluster" if self.order == "label" and not has_labels else self.order

    @lazy_property
    def pictured(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Evenly spaced rows of one order, with K and K̃ on them."""
        rows = matrices.pictured_rows(self.scene, self.row_order)
        G = self.approximation.take(rows)
        return rows, self.scene.kernel(self.scene.data.X[rows]), G @ G.T

    @property
    def entry_range(self) -> tuple[float, float]:
        """The ends of the colour scale of K and of K̃."""
        _, K, _ = self.pictured
        return min(0.0, float(K.min())), float(K.max()) or 1.0

    def _describe(self, title: str) -> str:
        return f"Picture of {title}, rows ordered by {ORDERS[self.row_order]}."

    @chart(
        "approximation",
        alt=lambda study: study._describe("K"),
        caption=("A cell says how alike two rows are. Blocks along the diagonal are groups of alike rows."),
    )
    def picture_K(self) -> go.Figure:
        """Draw K."""
        rows, K, _ = self.pictured
        sheet = self.sheet("K", f"{counted(len(rows), 'row')} by {ORDERS[self.row_order]}")
        return self.hand.marked(matrix_picture(K, rows, self.entry_range, sheet))

    @chart(
        "approximation",
        alt=lambda study: study._describe("K̃"),
        caption=(
            "The same entries rebuilt by the approximation, in the same colours: it should look like K."
        ),
    )
    def picture_approximation(self) -> go.Figure:
        """Draw K̃ in the colours of K."""
        rows, _, product = self.pictured
        sheet = self.sheet("K̃", f"rank {self.approximation.rank}")
        return self.hand.marked(matrix_picture(product, rows, self.entry_range, sheet))

    @chart(
        "approximation",
        alt=lambda study: study._describe("|K − K̃|"),
        caption=(
            "The error of each entry of these rows: 0 is exact, and the largest is written above. Rows that "
            "stand out are badly reproduced."
        ),
    )
    def picture_residual(self) -> go.Figure:
        """Draw what K̃ leaves of K."""
        rows, K, product = self.pictured
        gap = np.abs(K - product)
        largest = float(gap.max())
        sheet = self.sheet("|K − K̃|", f"≤ {three_digits(largest)}")
        return self.hand.marked(matrix_picture(gap, rows, (0.0, largest or 1.0), sheet, magnitude=True))

    @chart(
        "approximation",
        uses=("eigenvalues",),
        caption=(
            "Each line has the eigenvalues of one matrix over n, the largest first. A good K̃ follows K "
            "from the left; what K has beyond the end of its line is lost."
        ),
    )
    def spectrum(self) -> go.Figure:
        """Draw the eigenvalues of K, where they are known by now, with those of K̃ over them."""
        a, n = self.approximation, self.scene.data.n
        sampled = "" if is_exact(self.scene) else f"K from {matrices.SPECTRUM_ROWS} sampled rows"
        if a.is_held:
            values = factor_spectrum(a.factor) / n
        else:
            # Those of the rows sampled for K, times n/s.
            sampled = f"K and K̃ from {matrices.SPECTRUM_ROWS} sampled rows"
            rows = matrices.drawn_rows(n, matrices.SPECTRUM_ROWS)
            values = factor_spectrum(a.take(rows)) / len(rows)
        exact = self.eigenvalues / n if self.has("eigenvalues") else None
        sheet = self.sheet("Eigenvalues of K and K̃", sampled)
        figure = spectrum_chart(exact, {a.method: values}, n, self.choice.m, sheet, height=320)
        return self.hand.marked(figure)

    @property
    def hand(self) -> Hand:
        """The slider, and what it moves."""
        choice = self.choice
        settings = choice.method, choice.m, choice.options, self.drag, self.axes, self.row_order
        return Hand(self.scene, choice, drag_of(self.scene, *settings), self.theme)

    @property
    def dragged(self) -> Drag:
        """What the slider moves, at which settings of the others."""
        return self.hand.drag

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames that are there by now, by the names of their stops, in the order of the slider."""
        return self.hand.in_order(self.records)

    @property
    def measured_here(self) -> Measured:
        """What the slider's words and curve need of the study's own approximation."""
        error, times = self.errors.relative_frobenius, self.times_best("frobenius")
        return Measured(error, times, self.approximation.rank, self.eigenvalues)

    @chart("outcome", "records", caption=lambda study: study.hand.curve_caption)
    def curve(self) -> go.Figure:
        """Draw the relative error over what is dragged, with a spot where the study is."""
        return self.hand.curve(self.frames, self.errors.relative_frobenius)

    @chart(
        "records",
        caption=lambda study: (
            f"Drag {study.dragged.along}: above are the points with their errors there, below is the "
            "relative error of all of K, of which smaller is better. Watch which points keep a large error "
            "longest."
        ),
        when=lambda study: bool(study.records),
    )
    def strip(self) -> go.Figure:
        """Draw the map and the curve in one, on which m or σ is dragged without a server."""
        return self.hand.strip(self.frames)
