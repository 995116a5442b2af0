"""How a method chooses its landmarks, followed step by step (Farahat 2011, Oglic 2017)."""

import hashlib
import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.projection import row_order
from nysviz.analysis.steps import STEPWISE, Trace, gains_of
from nysviz.analysis.steps import trace as trace_method
from nysviz.datasets import Dataset
from nysviz.engine.shared import once, shared
from nysviz.figures.data_map import Picture
from nysviz.figures.drawing import PlainFigure, with_layout
from nysviz.figures.look import inert
from nysviz.figures.steps import StepsFilm, bars_film, error_film, map_film, residual_film
from nysviz.kernels import Kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS, Option
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import quoted
from nysviz.numerics.memory import matrix_bytes
from nysviz.nystroem.approximation import checked_method
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.choice import checked_choice
from nysviz.studies.matrices import ORDERS, Options
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Part, Study, chart, complete, theme_of
from nysviz.text import capital, counted, grouped, listed, of_all, three_digits

ROWS = 500  # rows that are traced at most
PICTURE_ROWS = 60  # rows of the picture of the residual
STEPS = 50
# What a criterion is, in the caption of its map.
MEANINGS = {
    "gain": "what its column would take off the sum of all residuals",
    "residual": "what the landmarks leave of its own entry of K",
    "probability": "of being drawn next",
}
# Parts of the largest gain of a step in which gains are sent.
GAIN_STEPS = 65_535
# Settings that steps take the place of, or that change how a pick is found and not which.
REPLACED = ("form", "steps", "iterations")


def offered_options(method: str) -> list[Option]:
    """Return the options of a method that change its choices."""
    return [option for option in METHODS[method].options if option.name not in REPLACED]


def traced_rows(scene: Scene) -> IntArray:
    """Return the numbers of the rows that are traced: all, or the same random ones each time."""
    n = scene.data.n
    return np.arange(n) if n <= ROWS else np.sort(np.random.default_rng(0).permutation(n)[:ROWS])


@shared()
def follow_method(scene: Scene, method: str, options: Options, steps: int, m: int | None) -> Trace:
    """Follow a method for ``steps`` steps; m is the number of landmarks of a method that keeps it."""
    X = scene.data.X[traced_rows(scene)]
    K = KernelMatrix(X, scene.kernel, dense=scene.kernel(X))
    rng = np.random.default_rng(scene.seed)
    followed = trace_method(K, method, steps, rng, landmarks=m, **dict(options))
    if not len(followed):
        raise Refusal(f"{METHODS[method].label}: {' '.join(followed.notes[-1:]) or 'no steps.'}")
    return followed


@shared(holds=lambda *_: matrix_bytes(ROWS))
def follow_methods(
    scene: Scene, choices: tuple[tuple[str, Options], ...], steps: int, m: int | None
) -> list[Trace]:
    """Follow each of the methods."""
    return [
        follow_method(scene, method, options, steps, m if STEPWISE[method].keeps_landmarks else None)
        for method, options in choices
    ]


@shared(holds=lambda *_: 2 * matrix_bytes(ROWS))
def measure_gains(
    scene: Scene, choices: tuple[tuple[str, Options], ...], steps: int, m: int | None
) -> list[FloatArray]:
    """Return what each row would take off the trace error at each step of each method, in parts of tr K."""
    K = scene.kernel(scene.data.X[traced_rows(scene)])
    return [gains_of(K, trace) for trace in follow_methods(scene, choices, steps, m)]


def explain_step(film: StepsFilm, t: int) -> str:
    """Say what was chosen in frame t (from 1), and why."""
    if t > len(film.trace):
        return f"Ended after step {len(film.trace)}: nothing is left to do."
    step, name = film.step(t), STEPWISE[film.trace.method].criterion
    if step.moves is not None:
        moving, largest_move = int((step.moves > 0).sum()), three_digits(float(step.moves.max()))
        if STEPWISE[film.trace.method].values == "descent":
            before, after = film.trace.residuals[t - 1 : t + 1].sum(axis=1)
            return (
                f"The landmarks moved, by at most {largest_move}: the trace error fell from "
                f"{three_digits(float(before))} to {three_digits(float(after))}."
            )
        return (
            f"{of_all(moving, len(step.moves), 'centre')} moved, by at most {largest_move}. Before, the "
            f"squared distances to the nearest centres summed to {three_digits(float(step.criterion.sum()))}."
        )
    row, value = f"Row {film.rows[step.pick]}", three_digits(step.value)
    if step.leaving is not None:
        outcome = "accepted" if step.accepted else "rejected"
        return (
            f"{row} for row {film.rows[step.leaving]}: the determinant changes {value} times, so the swap "
            f"has probability {three_digits(min(1.0, step.value))}: {outcome}."
        )
    rows = counted(step.candidates, "row")
    if name == "probability":
        text = f"{row} is drawn with probability {three_digits(100 * step.value)} %"
        if step.round_place is not None:
            text += ", in round {}, draw {} of {}".format(*step.round_place)
        if math.isclose(step.value * step.candidates, 1.0):
            return f"{text}, like each of {rows} that are left."
        return f"{text}; number {step.place} of {rows} by probability."
    return f"{row} has the largest {name} of {rows}: {value}."


def steps(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    methods: Sequence[str] = ("greedy", "rpcholesky"),
    steps: int | None = None,
    m: int | None = None,
    options: Mapping[str, Mapping[str, object]] | None = None,
    *,
    axes: tuple[int, int] | None = None,
    seed: int = 0,
    theme: Ink = "light",
) -> "Steps":
    """Follow one method or two step by step: what each chooses, out of what, and what that leaves of K.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of more than 500 rows, 500 random ones are followed.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of one or two str
        Of ``nysviz.analysis.steps.STEPWISE``.
    steps : int, optional
        Landmarks to choose, swaps to propose (``dpp``) or iterations (``kmeans``, ``gradient``), by default
        50, or as many as there are rows.
    m : int, optional
        Number of landmarks of the methods that keep it, ``dpp``, ``kmeans`` and ``gradient``, by default 20.
    options : mapping, optional
        Method → its options.
    axes : pair of int, optional
        The numbers of two features that are the axes of the map, by default the two leading principal
        components.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    Steps
        With ``answer``, ``table``, ``figures``, whose frames are the steps; ``traces``, a ``Trace`` for each
        method (``steps``, ``picks``, ``errors``), and ``sentences``, why each step was made. O(n² T) for T
        steps, beyond the methods.

    Raises
    ------
    ValueError
        No method or more than two, one that cannot be followed, an unknown option, or steps, m or axes out of
        range.

    References
    ----------
    Farahat, Ghodsi and Kamel 2011, sections 2 and 3; Oglic and Gärtner 2017, section 3.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.steps(nv.load("iris"), methods=["greedy"], steps=5)
    >>> result.traces[0].picks
    array([126,   7, 112,  69,  48])
    >>> list(result.figures)
    ['map_0', 'bars_0', 'residual', 'error']
    """
    scene = scene_of(data, kernel, seed)
    if not 1 <= len(set(methods)) == len(methods) <= 2:
        raise Refusal(f"methods = {quoted(methods)}; one method or two are needed.")
    options = options or {}
    if unused := set(options) - set(methods):
        raise Refusal(f"options = {quoted(options)}; {min(unused)!r} is none of the methods.")
    for method in methods:
        checked_method(method, dict(options.get(method, {})))
        checked_choice("methods", method, STEPWISE)
    study = Steps(
        scene=scene,
        methods=tuple(methods),
        steps=min(STEPS, len(traced_rows(scene))) if steps is None else steps,
        m=m,
        options=options,
        axes=matrices.checked_axes(scene.data, axes),
        theme=theme_of(theme),
    )
    return complete(study)


def _landmarks(trace: Trace, t: int) -> int:
    """Count the landmarks after step t (from 1)."""
    step = trace.steps[t - 1]
    landmarks = step.landmarks if step.points is None else step.points
    return 0 if landmarks is None else len(landmarks)


@dataclass(frozen=True, eq=False, kw_only=True)
class Steps(Study):
    """One method or two, step by step."""

    methods: tuple[str, ...] = ("greedy", "rpcholesky")
    steps: int
    m: int | None = None
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    axes: tuple[int, int] | None = None

    name = "steps"
    question = "How does the algorithm choose?"

    traces = Part(follow_methods, "scene choices steps m", "Steps of {study.labels}", needed=True)

    @property
    def labels(self) -> str:
        """The names of the methods in words."""
        return listed([METHODS[method].label for method in self.methods])

    @property
    def choices(self) -> tuple[tuple[str, Options], ...]:
        """Each method with all its options that change its choices."""
        return tuple(
            (method, tuple({**_defaults(method), **self.options.get(method, {})}.items()))
            for method in self.methods
        )

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments, without the options that are the methods' defaults."""
        changed = {
            method: {name: value for name, value in options if value != _defaults(method).get(name)}
            for method, options in self.choices
        }
        options = {method: values for method, values in changed.items() if values}
        return {**super().arguments(), "options": options or None}

    @property
    def answer(self) -> str:
        """Say how each method chooses, and the error with as many landmarks as the other method has."""
        if not self.has("traces"):
            return ""
        m = min(_landmarks(trace, len(trace)) for trace in self.traces)
        sentences = []
        for trace in self.traces:
            rule = STEPWISE[trace.method]
            # Of fewer landmarks than a method keeps it has no error.
            t = max((t for t in range(1, len(trace) + 1) if _landmarks(trace, t) <= m), default=len(trace))
            error = three_digits(float(trace.errors[t]))
            after = f" after {counted(t, 'step')}" if rule.keeps_landmarks else ""
            sentences.append(
                f"**{capital(METHODS[trace.method].brief)}** {rule.sentence}: relative error **{error}** "
                f"at m = {_landmarks(trace, t)}{after}."
            )
        return " ".join(sentences)

    @property
    def sample(self) -> str:
        """Say which rows are followed; empty where all are."""
        n, rows = self.scene.data.n, len(traced_rows(self.scene))
        return f"Steps on {grouped(rows)} random rows of {grouped(n)}." if rows < n else ""

    @property
    def notes(self) -> Sequence[str]:
        """Why a method ended before, and other shortfalls."""
        traces = self.traces if self.has("traces") else []
        return [f"{METHODS[trace.method].label}: {note}" for trace in traces for note in trace.notes]

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the rows of all traces."""
        numbers = traced_rows(self.scene)
        return [
            {**head(self.scene, method=trace.method, rows=len(numbers)), **row}
            for trace in self.traces
            for row in trace.rows(numbers)
        ]

    @property
    def picture(self) -> Picture:
        """Where the maps have their points."""
        return matrices.picture(self.scene, self.axes)

    @property
    def length(self) -> int:
        """Number of frames: the steps of the method that takes more of them."""
        return max(map(len, self.traces))

    @property
    def start(self) -> int:
        """The frame that is shown first."""
        # Late enough for landmarks to be there, early enough for something to be left, also by a short film.
        return min(8, max(1, self.length // 2))

    @lazy_property
    def token(self) -> str:
        """The name by which the browser's player finds the charts."""
        content = self.scene.content, self.scene.subtitle, self.choices, self.steps, self.m
        key = repr((*content, self.picture.names, self.theme.name))
        return hashlib.sha256(key.encode()).hexdigest()[:16]

    @lazy_property
    def films(self) -> list[StepsFilm]:
        """The traces with what the charts need."""
        picture, rows = self.picture, traced_rows(self.scene)
        X = self.scene.data.X[rows]
        films = []
        for trace in self.traces:
            points = [X[step.landmarks] if step.points is None else step.points for step in trace.steps]
            start = None if trace.start is None else picture.place(trace.start)
            label, rule = METHODS[trace.method].brief, STEPWISE[trace.method]
            places = tuple(map(picture.place, points))
            positions = picture.place(X)
            words = label, rule.criterion, rule.landmark
            films.append(StepsFilm(trace, *words, rows, positions, places, self.length, start))
        return films

    @property
    def sentences(self) -> dict[str, list[str]]:
        """What each method chose in each frame, and why, by the method's id."""
        frames = range(1, self.length + 1)
        return {film.trace.method: [explain_step(film, t) for t in frames] for film in self.films}

    @property
    def can_predict(self) -> bool:
        """Whether each step takes a row that one can expect."""
        return not any(STEPWISE[method].keeps_landmarks for method in self.methods)

    @property
    def guesses(self) -> list[dict[str, object]]:
        """The data for predicting each pick in the player.

        The rows' numbers, and for each step the pick and each row's reduction of the trace error.
        """
        gains_by_method = measure_gains(self.scene, self.choices, self.steps, self.m)
        rows = traced_rows(self.scene).tolist()
        guesses: list[dict[str, object]] = []
        for trace, gains in zip(self.traces, gains_by_method, strict=True):
            tops = gains.max(axis=1, initial=0.0)
            parts = np.round(GAIN_STEPS * gains / np.where(tops > 0, tops, 1.0)[:, None]).astype(np.uint16)
            texts = [b64encode(line.tobytes()).decode("ascii") for line in parts]
            picks = [step.pick for step in trace.steps]
            tops = tops / GAIN_STEPS
            guesses.append({"rows": rows, "picks": picks, "gains": texts, "tops": tops.tolist()})
        return guesses

    def _chart(self, name: str, make: Callable[[], go.Figure]) -> go.Figure:
        """Return a chart, shared by all who follow the same methods on the same data.

        The chart of a visitor's own file is made anew: it has the names of its columns.
        """
        key = ("steps chart", name, self.token, self.theme)
        return make() if self.scene.file is not None else once(key, make)

    def _with_player(self, figure: PlainFigure, *, redraw: bool = False, recolour: bool = False) -> go.Figure:
        """Return a chart as the player finds it.

        Markers, lines and bars change in place; a heatmap has to be drawn again.
        """
        return with_layout(figure, meta={"film": self.token, "redraw": redraw, "recolour": recolour})

    def _draw_map(self, k: int) -> go.Figure:
        film = self.films[k]
        # These maps are small.
        first, second = (inert(name).removeprefix("principal ") for name in self.picture.names)
        ranges = matrices.ranges_of(film.positions)
        # True at every step, while the player moves on.
        title = capital(film.label)
        figure = map_film(film, self.start, (first, second), ranges, self.theme, title)
        return self._with_player(figure, recolour=True)

    def _draw_bars(self, k: int) -> go.Figure:
        return self._with_player(bars_film(self.films[k], self.start, self.theme))

    def _describe_map(self, k: int) -> str:
        return f"The data by criterion, step by step. {capital(self.films[k].label)}."

    def _describe_bars(self, k: int) -> str:
        return f"The largest criteria of {self.films[k].label}."

    @property
    def has_two(self) -> bool:
        """Whether two methods are followed."""
        return len(self.methods) > 1

    def _explain_map(self, k: int) -> str:
        method = self.methods[k]
        rule = STEPWISE[method]
        criterion = rule.criterion
        meaning = f" ({MEANINGS[criterion]})" if criterion in MEANINGS else ""
        if rule.moves_landmarks:
            marks = (
                f"Plus signs are the {rule.landmark}s, and lines the ways that they have gone in this step."
            )
        elif method == "dpp":
            marks = "The filled mark would come in, pale where it is refused, and the cross go out."
        else:
            marks = "The filled mark is the row that is taken now; rings are the landmarks so far."
        if k and not any(STEPWISE[name].keeps_landmarks for name in self.methods):
            return f"The same for {METHODS[method].label}, coloured by {criterion}{meaning}."
        return f"Each point is a row, coloured by its {criterion}{meaning} before this step. {marks}"

    def _explain_bars(self, k: int) -> str:
        rule = STEPWISE[self.methods[k]]
        if rule.moves_landmarks:
            return f"The {rule.landmark}s that go farthest in this step, as parts of the farthest way."
        word = "proposed" if self.methods[k] == "dpp" else "taken"
        text = "The largest values on the map above, as parts of the largest. In colour: the row "
        return f"{text}{word}, at the right end if it is not among them."

    @chart(
        "traces",
        alt=lambda study: study._describe_map(0),
        caption=lambda study: study._explain_map(0),
    )
    def map_0(self) -> go.Figure:
        """Draw the data by the first method's criterion, with its landmarks."""
        return self._chart("map 0", lambda: self._draw_map(0))

    @chart(
        "traces",
        alt=lambda study: study._describe_bars(0),
        caption=lambda study: study._explain_bars(0),
    )
    def bars_0(self) -> go.Figure:
        """Draw the largest values of the first method's criterion."""
        return self._chart("bars 0", lambda: self._draw_bars(0))

    @chart(
        "traces",
        alt=lambda study: study._describe_map(1),
        when=lambda study: study.has_two,
        caption=lambda study: study._explain_map(1),
    )
    def map_1(self) -> go.Figure:
        """Draw the data by the second method's criterion, with its landmarks."""
        return self._chart("map 1", lambda: self._draw_map(1))

    @chart(
        "traces",
        alt=lambda study: study._describe_bars(1),
        when=lambda study: study.has_two,
        caption=lambda study: study._explain_bars(1),
    )
    def bars_1(self) -> go.Figure:
        """Draw the largest values of the second method's criterion."""
        return self._chart("bars 1", lambda: self._draw_bars(1))

    @chart(
        "traces",
        caption=(
            "The error of each entry of K after this step. It fades to the background as K̃ comes near to K."
        ),
    )
    def residual(self) -> go.Figure:
        """Draw |K − K̃| on some rows after each step."""
        return self._chart("residual", self._draw_residual)

    def _draw_residual(self) -> go.Figure:
        rows, data, kernel = traced_rows(self.scene), self.scene.data, self.scene.kernel
        by = "label" if data.task == "classification" else "cluster"
        X, y = data.X[rows], None if data.y is None else data.y[rows]
        order = row_order(X, y, kernel, by)
        order = order[np.linspace(0, len(X) - 1, min(PICTURE_ROWS, len(X))).astype(np.intp)]
        sheet = self.sheet("Residual |K − K̃|", f"{of_all(len(order), len(X), 'row')}, by {ORDERS[by]}")
        return self._with_player(residual_film(self.films, kernel(X), order, self.start, sheet), redraw=True)

    @chart(
        "traces",
        caption=("Relative error of K̃ after each step: lower is better. The mark is the step that is shown."),
    )
    def error(self) -> go.Figure:
        """Draw the error after each step."""
        sheet = self.sheet("Error after each step", self.scene.kernel.describe())
        return self._with_player(error_film(self.films, self.start, sheet))


def _defaults(method: str) -> dict[str, object]:
    return {option.name: option.default for option in offered_options(method)}
