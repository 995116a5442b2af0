"""Quantization: whether landmarks with a small quantization error give a small approximation error."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.datasets import Dataset
from nysviz.datasets.generators import checked_whole
from nysviz.engine import Run
from nysviz.engine.shared import once
from nysviz.figures.data_map import landmark_map
from nysviz.figures.encoding import deviation_chart, encoding_chart
from nysviz.kernels import Kernel, default_width
from nysviz.landmarks import METHODS
from nysviz.nystroem.approximation import checked_count, checked_kernel
from nysviz.papers.zhang2008 import figure2
from nysviz.papers.zhang2008.figure2 import OFFERED, Cloud, Interval
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.html import WAITING, Label, NumberTable, Row
from nysviz.studies.landmark_counts import first_percent, offered_counts
from nysviz.studies.matrices import Options, is_exact
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, derived, theme_of
from nysviz.text import capital, counted, signed, three_digits

FIRST_METHODS = (*figure2.METHODS, "kmeanspp", "rpcholesky")
REPEATS, MOST_REPEATS = 10, 10_000
BRIEF = {"all_runs": "all runs", "methods_taken_out": "within methods"}


def run_seeds(method: str, repeats: int, seed: int) -> range:
    """Return the seeds of a method's runs; a method without randomness runs once."""
    return range(seed, seed + (repeats if METHODS[method].random else 1))


def both_errors(scene: Scene, methods: tuple[str, ...], m: int, repeats: int) -> Run:
    """Return the run of the quantization and approximation errors of these methods."""
    jobs = partial(figure2.jobs, methods=methods, m=m, repeats=repeats, seed=scene.seed)
    return matrices.run_on(scene, "quantization", jobs, methods, m, repeats, methods=methods, m=m)


def quantization(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    methods: Sequence[str] = FIRST_METHODS,
    m: int | None = None,
    repeats: int = REPEATS,
    *,
    shown_run: tuple[str, int] | None = None,
    seed: int = 0,
    theme: Ink = "light",
) -> "Quantization":
    """Compare quantization and approximation error over many runs of many methods.

    Parameters
    ----------
    data : Dataset or (n, d) array
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of str
        Methods whose landmarks are chosen by looking at the data.
    m : int, optional
        Number of landmarks, by default about 5 % of the rows.
    repeats : int
        Runs per method, with the seeds ``seed``, ``seed + 1``, …; a method without randomness runs once.
    shown_run : (method, seed), optional
        The run whose landmarks are drawn, by default the most accurate one.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    Quantization
        With ``answer``, ``table``, ``figures``; ``points`` has both errors of each run and ``correlations``
        Spearman's and Pearson's correlation with their intervals.

    Raises
    ------
    ValueError
        For a method without landmarks of the data, m out of range, or a shown run that is not among the runs.

    Notes
    -----
    A run takes one approximation and, where K is too large to be held, errors of sampled rows.

    References
    ----------
    Zhang, Tsang and Kwok 2008, figure 2 and proposition 3.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.quantization(nv.load("iris"), methods=["kmeans", "uniform"], m=8)
    >>> len(result.points), sorted(result.figures)
    (20, ['deviations', 'map', 'runs'])
    """
    scene = scene_of(data, kernel, seed)
    n, repeats = scene.data.n, checked_whole("repeats", repeats, 1, MOST_REPEATS)
    if not methods or not set(methods) <= set(OFFERED):
        raise Refusal(f"Methods {[*methods]!r}: choose one or more of {', '.join(OFFERED)}.")
    for method in methods:
        checked_kernel(method, scene.kernel)
    if shown_run is not None:
        shown_run = method, number = (shown_run[0], int(shown_run[1]))
        if method not in methods or number not in run_seeds(method, repeats, seed):
            raise Refusal(f"There is no run of {method} with seed {number} among these runs; choose another.")
    study = Quantization(
        scene=scene,
        methods=tuple(methods),
        m=offered_counts(n)[first_percent(n)] if m is None else checked_count(m, n),
        repeats=repeats,
        shown_run=shown_run,
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantization(Study):
    """Quantization error beside approximation error, a point a run."""

    methods: tuple[str, ...]
    m: int
    repeats: int = REPEATS
    shown_run: tuple[str, int] | None = None

    name = "quantization"
    question = "Does a good encoding make a good approximation?"

    records = Runs(both_errors, "scene compared_methods m repeats", "{study.run_count}")
    shown_approximation = Part(
        matrices.approximation,
        "shown_scene shown_method m options",
        "Landmarks of {study.shown_label}",
        when=lambda study: study.has_points_at_rest,
    )
    options: ClassVar[Options] = ()  # those of the methods: their defaults

    @property
    def compared_methods(self) -> tuple[str, ...]:
        """The methods in one order, however they were chosen: the same choice is the same run."""
        return tuple(name for name in OFFERED if name in self.methods)

    @property
    def run_count(self) -> str:
        """How many runs there will be, in words."""
        seeds = (run_seeds(method, self.repeats, self.scene.seed) for method in self.compared_methods)
        return counted(sum(map(len, seeds)), "run")

    @derived
    def points(self) -> Cloud:
        """The runs so far; an error that is rounding beside ‖K‖ or the scatter of the data is 0."""
        data = self.scene.data
        scatter = data.n * once(("default width", data.digest), lambda: default_width(data.X))
        return figure2.cloud(self.records, self.compared_methods).settled(scatter)

    @property
    def has_points_at_rest(self) -> bool:
        """Whether there are runs, and no more are waited for."""
        return self.is_at_rest("records") and len(self.points) > 0

    @derived
    def correlations(self) -> dict[str, figure2.Correlation]:
        """Correlations of both errors: over all runs, within the methods, and of each method."""
        return figure2.correlations(self.points)

    def shown_point(self, points: Cloud) -> int:
        """Return the number of the shown run: the chosen one where it is there, or the most accurate."""
        methods = [points.methods[group] for group in points.groups]
        runs = list(zip(methods, points.seeds, strict=True))
        return runs.index(self.shown_run) if self.shown_run in runs else int(points.relative.argmin())

    @property
    def shown_method(self) -> str:
        """The method of the run that is shown."""
        points = self.points
        return points.methods[points.groups[self.shown_point(points)]]

    @property
    def shown_label(self) -> str:
        """The method of the run that is shown, in words."""
        return METHODS[self.shown_method].label

    @property
    def shown_scene(self) -> Scene:
        """The scene with the seed of the run that is shown."""
        points = self.points
        return replace(self.scene, seed=int(points.seeds[self.shown_point(points)]))

    @property
    def answer(self) -> str:
        """Say how both errors go together, over all runs and within the methods."""
        if not len(self.points):
            return WAITING if self.has("records") else ""
        correlations = self.correlations
        whole, within = correlations["all_runs"], correlations["methods_taken_out"]
        return (
            f"Rank correlation of both errors over {counted(whole.runs, 'run')}: "
            f"**{signed(whole.spearman)}**. Within the methods: **{signed(within.spearman)}**."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """All correlations with their intervals."""
        if not len(self.points):
            return NumberTable((), ()) if self.has("records") else None
        correlations = self.correlations
        if len(correlations) == 3:
            # Of a single method all three are one.
            correlations = {name: each for name, each in correlations.items() if name not in BRIEF}
        rows: list[Row] = [
            (
                Label(BRIEF[name], name) if name in BRIEF else Label.of_method(name),
                _cell(each.spearman, each.spearman_interval),
                _cell(each.pearson, each.pearson_interval),
            )
            for name, each in correlations.items()
        ]
        heads = (
            Label("correlations", "correlations"),
            Label("rank (Spearman)", "spearman"),
            Label("linear (Pearson)", "pearson"),
        )
        return NumberTable(heads, rows)

    def run_rows(self) -> list[dict[str, object]]:
        """Return both errors of every run, and the correlations with their intervals."""
        points, rows = self.points, []
        for group, seed, e, error in zip(
            points.groups, points.seeds, points.quantization, points.relative, strict=True
        ):
            begin = head(self.scene, method=points.methods[group], m=self.m, seed=int(seed))
            rows += measured(begin, {"quantization": e, "relative_frobenius": error})
        for runs, each in figure2.correlations(points).items():
            begin = head(self.scene, runs=runs, m=self.m)
            for name in ("spearman", "pearson"):
                low, high = getattr(each, f"{name}_interval")
                rows += measured(begin, {name: getattr(each, name), f"{name}_low": low, f"{name}_high": high})
        return rows

    @chart(
        "records",
        when=lambda study: len(study.points) > 0,
        caption=(
            "Each point is one run. To the right: how badly its landmarks stand for the data, the sum of "
            "squared distances to the nearest; up: the error of K̃. Low and left is better; where a good "
            "encoding makes a good approximation, the points rise to the right."
        ),
    )
    def runs(self) -> go.Figure:
        """Draw the error of each run against its quantization error."""
        points = self.points
        sampled = "" if is_exact(self.scene) else "; errors from 500 sampled rows"
        subtitle = f"{counted(len(points), 'run')}, m = {self.m}{sampled}; {self.scene.subtitle}"
        sheet = self.sheet("Error against quantization error", subtitle)
        return encoding_chart(points, self.shown_point(points), sheet)

    @chart(
        "shown_approximation",
        caption=(
            "The run with the ring above. Each point is a row i of the data, and its colour is the error "
            "of its diagonal entry, Kᵢᵢ − K̃ᵢᵢ: 0 is exact."
        ),
    )
    def map(self) -> go.Figure:
        """Draw the landmarks of one run on the data, coloured by its error."""
        points, a = self.points, self.shown_approximation
        point = self.shown_point(points)
        error, encoding = (
            three_digits(float(values[point])) for values in (points.relative, points.quantization)
        )
        label = capital(self.shown_label)
        sheet = self.sheet(
            f"{label}, seed {points.seeds[point]}: relative error {error}", f"quantization error {encoding}"
        )
        picture = matrices.picture(self.scene, None)
        errors = matrices.point_errors(self.scene, a, picture.rows)
        return landmark_map(self.scene.data, a, picture, errors, sheet)

    @chart(
        "records",
        when=lambda study: study.has_points_at_rest,
        caption=(
            "The same runs, less the mean of their method: points right of 0 or above 0 are worse than "
            "usual for their method. If the points rise to the right, the better encoding has the "
            "smaller error within one method too."
        ),
    )
    def deviations(self) -> go.Figure:
        """Draw both errors of each run less the mean of its method."""
        return deviation_chart(self.points, self.sheet("Deviations from each method's mean"))


def _cell(value: float, interval: Interval) -> str:
    low, high = map(signed, interval)
    return signed(value) if low == "–" else f"{signed(value)} <small>{low} … {high}</small>"
