"""Which method for which rank? Rank-d approximations (Farahat, Ghodsi and Kamel 2011, figure 1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine, once
from nysviz.figures import compare as figures
from nysviz.figures.drawing import with_layout
from nysviz.figures.look import inert
from nysviz.figures.traces import Line, band_chart, extent
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.counts import from_one
from nysviz.numerics.memory import held_rows, matrix_bytes
from nysviz.papers.farahat2011 import figure1
from nysviz.refusal import Refusal
from nysviz.studies.choice import checked_choice, checked_methods
from nysviz.studies.compare import NO_NUMBERS, Verdict, checked_percent, explain_bands, repeats_of, verdict_of
from nysviz.studies.html import Label, NumberTable
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, scene_of
from nysviz.studies.study import Ink, Runs, Study, chart, complete, theme_of
from nysviz.sweep import Problem
from nysviz.sweep.ranking import Values, by_method
from nysviz.text import counted, grouped

# The paper's methods, and other methods that choose columns without weights.
OFFERED = (*figure1.METHODS, "icd", "rpcholesky", "kmeanspp", "kmeanspp_lloyd", "farthest")


def rows_of(scene: Scene) -> int:
    """Return the number of rows that are compared: at most the paper's, and at most those whose K is held."""
    return min(scene.data.n, figure1.ROWS, held_rows())


def ranks_of(scene: Scene) -> list[int]:
    """Return the ranks that can be compared."""
    return [d for d in figure1.RANKS if d < rows_of(scene)]


def few_rows_sentence(scene: Scene, d: int = figure1.RANKS[0]) -> str:
    """Say that the rows are too few for a rank."""
    return f"Rank {d} needs more than {counted(scene.data.n, 'row')}; choose larger data."


def first_truncated(methods: Sequence[str]) -> str:
    """Return the method whose truncations are drawn at first."""
    return "greedy" if "greedy" in methods else methods[0]


def _problem(scene: Scene) -> Problem:
    problem = figure1.problem_of(scene.data, scene.kernel, rows_of(scene))
    K = once(("K", problem.digest, problem.kernel), lambda: problem.kernel(problem.X))
    return Problem("", problem.X, problem.kernel, problem.digest, dense=K)


def accuracy_run(scene: Scene, methods: tuple[str, ...], counts: tuple[int, ...], repeats: int) -> Run:
    """Return the run of the accuracies at every d of ``RANKS``."""
    settings = (methods, counts, repeats, scene.seed)
    return engine().run(
        ("compare rank", *scene.key, *settings),
        lambda: figure1.jobs(_problem(scene), *settings),
        matrix_bytes(scene.data.n),
    )


def seconds_run(
    scene: Scene, methods: tuple[str, ...], counts: tuple[int, ...], d: int, at_hand: bool
) -> Run:
    """Return the run of the seconds of one rank-d approximation, one job at a time."""
    settings = (methods, counts, d, at_hand, scene.seed)
    return engine().run(
        ("compare rank seconds", *scene.key, *settings),
        lambda: figure1.seconds_jobs(_problem(scene), *settings),
        matrix_bytes(scene.data.n),
        alone=True,
    )


def percents(values: Values) -> Values:
    """Return accuracies in per cent."""
    return {m: {name: 100.0 * runs for name, runs in methods.items()} for m, methods in values.items()}


def accuracy(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    methods: Sequence[str] = figure1.METHODS,
    *,
    d: int = figure1.D,
    up_to: float = 10,
    repeats: int = 5,
    truncated: str | None = None,
    at_hand: bool = True,
    seed: int = 0,
    theme: Ink = "light",
) -> "RankAccuracy":
    """Compare rank-d approximations from the columns that methods choose with the best rank d.

    The relative accuracy is ‖K − K_d‖_F / ‖K − K̃_d‖_F: 1 where the columns give the best rank d of all.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of more than 4 000 rows, 4 000 are drawn at random: all of K is held.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of str
        Methods that choose columns without weights.
    d : {5, 10, 15, 20, 30, 40, 50, 75, 100}
        The rank, smaller than the number of rows.
    up_to : float
        The largest m/n, in per cent; m goes up to 3 d where that is more.
    repeats : int
        Runs of each method that draws at random.
    truncated : str, optional
        The method whose two rank-d approximations are drawn, the best and the classical one; by default
        ``greedy``, or the first method if ``greedy`` is not compared.
    at_hand : bool
        Whether the seconds exclude the kernel evaluations, because K is held.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    RankAccuracy
        With ``answer``, ``table``, ``figures``; ``best`` and ``classical`` have the accuracies of all runs
        in per cent, by m and method.

    Raises
    ------
    ValueError
        An unknown method, or one that is not made for the kernel; a rank that is not measured or needs more
        rows.

    References
    ----------
    Farahat, Ghodsi and Kamel 2011, figure 1.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.accuracy(nv.load("iris"), methods=["greedy", "uniform"], d=5, repeats=3)
    >>> sorted(result.figures)
    ['accuracy', 'seconds', 'truncations']
    """
    scene = scene_of(data, kernel, seed)
    names = checked_methods(methods, scene.kernel)
    checked_choice("d", d, figure1.RANKS)
    if d not in ranks_of(scene):
        raise Refusal(few_rows_sentence(scene, d))
    for name in names:
        checked_choice("method", name, OFFERED)
    truncated = first_truncated(names) if truncated is None else truncated
    checked_choice("truncated", truncated, names)
    checked_percent("up_to", up_to)
    study = RankAccuracy(
        scene=scene,
        methods=names,
        d=d,
        up_to=up_to,
        repeats=from_one("repeats", repeats),
        truncated=truncated,
        at_hand=at_hand,
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class RankAccuracy(Study):
    """Rank-d approximations beside the best rank d, and their cost."""

    methods: tuple[str, ...] = figure1.METHODS
    d: int = figure1.D
    up_to: float = 10
    repeats: int = 5
    truncated: str = "greedy"
    at_hand: bool = True

    name = "accuracy"
    question = "Which method for which rank?"

    records = Runs(accuracy_run, "scene methods counts repeats", "Runs")
    # Seconds are measured one run at a time, after the other runs.
    times = Runs(
        seconds_run,
        "scene methods seconds_counts d at_hand",
        "Seconds, one run at a time",
        beside=True,
        when=lambda study: study.is_done("records"),
    )

    @property
    def n(self) -> int:
        """Rows of the matrix."""
        return rows_of(self.scene)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of columns, each once."""
        return tuple(figure1.counts_of(self.n, self.d, self.up_to))

    @property
    def seconds_counts(self) -> tuple[int, ...]:
        """Numbers of columns at which seconds are taken."""
        counts = figure1.counts_of(self.n, self.d, self.up_to, figure1.SECONDS_STEPS)
        return tuple(m for m in counts if m >= self.d)

    @property
    def best(self) -> Values:
        """Accuracies of the best rank d of K̃ in per cent: m → method → runs."""
        return percents(by_method(self.records, f"relative_accuracy_{self.d}"))

    @property
    def classical(self) -> Values:
        """Accuracies of the classical rank d, from the eigenpairs of W, in per cent."""
        return percents(by_method(self.records, f"classical_accuracy_{self.d}"))

    @property
    def verdict(self) -> Verdict:
        """The best methods, and the numbers of all."""
        best = self.best
        if self.records and not best:
            text = f"Up to rounding K has rank {self.d} or less; choose a smaller d to compare methods."
            return Verdict(text, NO_NUMBERS)
        quantity, mean = f"relative accuracy at rank {self.d}", Label("accuracy", "relative_accuracy")
        return verdict_of(quantity, best, self.n, mean, largest=True, unit=" %")

    @property
    def answer(self) -> str:
        """Name the best methods."""
        return self.verdict.answer

    @property
    def numbers(self) -> NumberTable:
        """The accuracies of all methods where they are compared."""
        return self.verdict.numbers

    @property
    def notes(self) -> list[str]:
        """The meaning of the sign in the table."""
        return list(filter(None, [self.verdict.note]))

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments, without ``truncated`` where it is the default."""
        is_first = self.truncated == first_truncated(self.methods)
        return {**super().arguments(), "truncated": None if is_first else self.truncated}

    def run_rows(self) -> list[dict[str, object]]:
        """Return all that was measured, then the means of both accuracies over the repeats at the rank."""
        data, rows = self.scene.data, super().run_rows()
        for measure in (f"relative_accuracy_{self.d}", f"classical_accuracy_{self.d}"):
            for m, methods in by_method(self.records, measure).items():
                for method, runs in sorted(methods.items()):
                    line = {"data": data.name, "n": self.n, "d": data.d, "method": method, "m": m}
                    rows += measured(line, {f"mean_{measure}": float(runs.mean())})
        return rows

    def _explain_accuracy(self) -> str:
        return (
            "Each line is a method: the smallest possible error of rank d over that of its rank d. Higher is "
            f"better, and 100 % cannot be beaten.{explain_bands(self.records)}"
        )

    @chart("records", caption=_explain_accuracy)
    def accuracy(self) -> go.Figure:
        """Draw the accuracy of each method against m/n, with a band of one standard deviation."""
        data, rows = self.scene.data, f"n = {grouped(self.n)}"
        if self.n < data.n:
            rows += f" of {grouped(data.n)} (sample, seed {figure1.SAMPLE_SEED})"
        about = f"{inert(data.title)}, {rows}; {self.scene.kernel.describe()}"
        subtitle = f"{about}; mean ± sd of {counted(repeats_of(self.records), 'run')}"
        lines, sheet = self._lines(self.methods, self.best), self.sheet(self._title(), subtitle)
        return band_chart(lines, sheet, self._xaxis(), figures.accuracy_axis(lines, self.theme), 560)

    @chart(
        "records",
        caption=(
            "Both lines rest on the same columns, and higher is better. The classical rank d comes from "
            "the eigenvectors of W alone; where it lies below the best rank d of K̃, it wastes what the "
            "columns know."
        ),
    )
    def truncations(self) -> go.Figure:
        """Draw both rank-d approximations from the columns of one method."""
        best, classical = (self._lines([self.truncated], values) for values in (self.best, self.classical))
        sheet = self.sheet(f"Rank {self.d} from the columns of {METHODS[self.truncated].label}")
        return figures.truncation_chart(self.truncated, best, classical, self._xaxis(), sheet)

    @chart(
        "times",
        caption=(
            "Each line is a method: the time of one approximation of rank d on this server, choice of "
            "columns included. Lower is better."
        ),
    )
    def seconds(self) -> go.Figure:
        """Draw the median seconds of one rank-d approximation against m/n, with the range of the runs."""
        lines = figures.method_lines(self.methods, by_method(self.times, "seconds"), self.n, extent)
        subtitle = f"median and range of {figure1.SECONDS_REPEATS} runs on this server"
        sheet = self.sheet("Seconds of one approximation", subtitle)
        yaxis = figures.value_axis(lines, "seconds", self.theme)
        return with_layout(band_chart(lines, sheet, self._xaxis(), yaxis, 400), showlegend=False)

    def _title(self) -> str:
        return f"Relative accuracy at rank {self.d}"

    def _lines(self, methods: Sequence[str], values: Values) -> list[Line]:
        return figures.method_lines(methods, values, self.n, figures.up_to_all)

    def _xaxis(self) -> dict[str, object]:
        return figures.share_axis("columns m / n (%)", self.counts, self.n, self.theme)
