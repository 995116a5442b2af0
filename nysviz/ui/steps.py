"""The page "Step by step": its controls, its player and charts, how each method chooses, and why each row."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz.analysis.projection import row_order
from nysviz.analysis.steps import STEPWISE, Trace, trace
from nysviz.engine.shared import shared
from nysviz.figures.data_map import Picture
from nysviz.figures.drawing import titles, with_layout
from nysviz.figures.look import Sheet, Theme, inert
from nysviz.figures.steps import Film, bars_film, error_film, map_film, residual_film
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import IntArray
from nysviz.numerics.memory import matrix_bytes
from nysviz.refusal import Refusal
from nysviz.studies.matrices import Options, picture, ranges_of
from nysviz.studies.scene import Scene, head
from nysviz.text import capital, counted, grouped, listed, of_all, three_digits
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.components import component
from nysviz.ui.controls import ORDERS, choose_axes, choose_options
from nysviz.ui.inputs import box, keep_offered
from nysviz.ui.sidebar.scene import script
from nysviz.ui.sidebar.uploads import chart_of


@dataclass(frozen=True)
class Question:
    """Methods, each with its options; steps; landmarks of the methods that keep their number."""

    methods: tuple[tuple[str, Options], ...]
    steps: int
    landmarks: int
    axes: tuple[int, int] | None


ROWS = 500  # rows that are traced at most


def traced_rows(scene: Scene) -> IntArray:
    """Return the numbers of the rows that the page is about: all, or the same random ones each time."""
    n = scene.data.n
    return np.arange(n) if n <= ROWS else np.sort(np.random.default_rng(0).permutation(n)[:ROWS])


@shared()
def traced(scene: Scene, method: str, steps: int, landmarks: int, options: Options) -> Trace:
    """Follow a method for so many steps; ``landmarks`` counts for those that keep their number."""
    X = scene.data.X[traced_rows(scene)]
    K = KernelMatrix(X, scene.kernel, dense=scene.kernel(X))
    rng, kept = np.random.default_rng(scene.seed), landmarks if STEPWISE[method].keeps_landmarks else None
    found = trace(K, method, steps, rng, landmarks=kept, **dict(options))
    if not len(found):
        raise Refusal(f"{METHODS[method].label}: {' '.join(found.notes[-1:]) or 'no steps.'}")
    return found


@shared(holds=lambda *_: matrix_bytes(ROWS))
def all_traced(
    scene: Scene, methods: tuple[tuple[str, Options], ...], steps: int, landmarks: int
) -> list[Trace]:
    """Follow each of the methods."""
    return [traced(scene, method, steps, landmarks, options) for method, options in methods]


def rows(scene: Scene, traces: Sequence[Trace]) -> list[dict[str, object]]:
    """Return the rows of all traces."""
    numbers = traced_rows(scene)
    return [
        {**head(scene, method=one.method, rows=len(numbers)), **row}
        for one in traces
        for row in one.rows(numbers)
    ]


def python(scene: Scene, question: Question) -> str:
    """Write the script that prints these numbers."""
    sampled = f"np.sort(np.random.default_rng(0).permutation(data.n)[:{ROWS}])"
    rows = sampled if scene.data.n > ROWS else "np.arange(data.n)"
    landmarks = {"landmarks": question.landmarks}
    settings = {
        method: (landmarks if STEPWISE[method].keeps_landmarks else {}) | dict(options)
        for method, options in question.methods
    }
    return script(
        scene,
        "import numpy as np\n"
        "from nysviz.analysis.steps import trace\nfrom nysviz.kernels.matrix import KernelMatrix",
        f"""rows = {rows}
K = KernelMatrix(data.X[rows], kernel, dense=kernel(data.X[rows]))
for method, settings in {settings!r}.items():
    found = trace(K, method, {question.steps}, np.random.default_rng({scene.seed}), **settings)
    for row in found.rows(rows):
        print(f"method={{method}} step={{row['step']}}", row["measure"], row["value"])""",
    )


def why(film: Film, t: int) -> str:
    """Say what was chosen in frame t (from 1), and why."""
    if t > len(film.trace):
        return f"Ended after step {len(film.trace)}: nothing is left to do."
    step, name = film.step(t), STEPWISE[film.trace.method].criterion
    if step.moves is not None:
        moving, most = int((step.moves > 0).sum()), three_digits(float(step.moves.max()))
        return (
            f"{of_all(moving, len(step.moves), 'centre')} moved, by at most {most}. Before, the squared "
            f"distances to the nearest centres summed to {three_digits(float(step.criterion.sum()))}."
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
        return f"{text}; number {step.place} of {rows} by probability."
    return f"{row} has the largest {name} of {rows}: {value}."


def _landmarks(trace: Trace, t: int) -> int:
    """Count the landmarks after step t (from 1)."""
    step = trace.steps[t - 1]
    found = step.landmarks if step.points is None else step.points
    return 0 if found is None else len(found)


def answer(traces: Sequence[Trace]) -> str:
    """Say how each method chooses and which error that leaves, with as many landmarks as the other has."""
    m = min(_landmarks(one, len(one)) for one in traces)
    sentences = []
    for one in traces:
        rule = STEPWISE[one.method]
        # Of fewer landmarks than a method keeps it has no error.
        t = max((t for t in range(1, len(one) + 1) if _landmarks(one, t) <= m), default=len(one))
        error = three_digits(float(one.errors[t]))
        after = f" after {counted(t, 'step')}" if rule.keeps_landmarks else ""
        sentences.append(
            f"**{capital(METHODS[one.method].brief)}** {rule.sentence}: relative error **{error}** "
            f"at m = {_landmarks(one, t)}{after}."
        )
    return " ".join(sentences)


FIRST_LANDMARKS = 20  # landmarks of the methods that keep their number
# Settings that steps take the place of, or that change how a pick is found and not which.
OWN = ("form", "steps", "iterations")


def controls(scene: Scene) -> Question:
    """Draw the controls in one line."""
    n = min(scene.data.n, ROWS)
    one, two, three, four = st.columns([0.29, 0.29, 0.27, 0.15], gap="small", vertical_alignment="bottom")
    names = {"none": "none"} | {name: METHODS[name].label for name in STEPWISE}
    first = box("Method", STEPWISE, "steps_method", "greedy", names, one)
    second = box("Second method", ("none", *STEPWISE), "steps_second", "rpcholesky", names, two)
    shown = [first] if second in ("none", first) else [first, second]
    with three:
        steps = _slider("Steps", min(60, n), 50, "steps_count")
    landmarks = min(FIRST_LANDMARKS, n)
    with four, st.popover("Options", width="stretch"):
        if any(STEPWISE[name].keeps_landmarks for name in shown):
            label, most = "Landmarks that swap or move", min(60, n)
            landmarks = _slider(label, most, FIRST_LANDMARKS, "steps_landmarks")
        methods = []
        for name in shown:
            offered = [option for option in METHODS[name].options if option.name not in OWN]
            methods.append((name, choose_options(offered, f"steps_{name}", f"{METHODS[name].label}: ")))
        for name in shown:
            st.caption(f"{METHODS[name].label}: {METHODS[name].source}.")
        axes = choose_axes(scene)
    return Question(tuple(methods), steps, landmarks, axes)


def _slider(label: str, most: int, first: int, key: str) -> int:
    # Other data may have fewer rows than the steps asked for before.
    keep_offered(key, range(1, most + 1))
    first = min(first, most)
    return 1 if most == 1 else int(st.slider(label, 1, most, first, key=key, bind="query-params"))


# Plays, steps and jumps through the frames of the charts whose ``layout.meta`` has its token, in the browser.
_player = component("player")


def _film(scene: Scene, shown: Picture, one: Trace, length: int) -> Film:
    rows = traced_rows(scene)
    X = scene.data.X[rows]
    places = [shown.place(X[step.landmarks] if step.points is None else step.points) for step in one.steps]
    start = None if one.start is None else shown.place(one.start)
    label, criterion = METHODS[one.method].brief, STEPWISE[one.method].criterion
    return Film(one, label, criterion, rows, shown.place(X), tuple(places), length, start)


def draw(scene: Scene, question: Question, traces: Sequence[Trace]) -> None:
    """Draw the player and the charts that it plays."""
    theme, shown, length = page.theme(), picture(scene, question.axes), max(map(len, traces))
    films = [_film(scene, shown, one, length) for one in traces]
    # Late enough for landmarks to be there, early enough for something to be left, also by a short film.
    start = min(8, max(1, length // 2))
    key = ("steps charts", *scene.key, scene.seed, scene.subtitle, question, shown.names, theme.name)
    token = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    charts = chart_of(scene.data, key, lambda: _charts(scene, question, films, start, theme, token))
    played = [
        {"label": capital(film.label), "sentences": [why(film, t + 1) for t in range(length)]}
        for film in films
    ]
    # Milliseconds a step.
    speeds = {"slow": 2000, "normal": 900, "fast": 350, "very fast": 100}
    settings = {"token": token, "start": start, "count": length, "speeds": speeds, "pace": speeds["normal"]}
    _player(key="steps_player", data={**settings, "films": played})
    *sides, right = st.columns([0.36] * len(films) + [0.28] if len(films) > 1 else [0.6, 0.4], gap="small")
    for i, (film, column) in enumerate(zip(films, sides, strict=True)):
        with column:
            title = titles(charts[f"map_{i}"])[0]
            page.show(charts[f"map_{i}"], f"steps_map_{i}", f"The data by criterion, step by step. {title}.")
            page.show(charts[f"bars_{i}"], f"steps_bars_{i}", f"The largest criteria of {film.label}.")
    with right:
        page.show(charts["residual"], "steps_residual")
        page.show(charts["error"], "steps_error")


def _charts(
    scene: Scene, question: Question, films: Sequence[Film], start: int, theme: Theme, token: str
) -> dict[str, go.Figure]:
    # These maps are small.
    first, second = (inert(name).removeprefix("principal ") for name in picture(scene, question.axes).names)
    ranges = ranges_of(films[0].positions)
    charts: dict[str, go.Figure] = {}
    for i, film in enumerate(films):
        # True at every step, while the player moves on.
        title = capital(film.label)
        charts[f"map_{i}"] = map_film(film, start, (first, second), ranges, theme, title)
        charts[f"bars_{i}"] = bars_film(film, start, theme)
    rows, data = traced_rows(scene), scene.data
    by = "label" if data.task == "classification" else "cluster"
    K = scene.kernel(data.X[rows])
    shown = row_order(data.X[rows], None if data.y is None else data.y[rows], scene.kernel, by)
    shown = shown[np.linspace(0, len(K) - 1, min(60, len(K))).astype(np.intp)]
    left = Sheet(theme, "Residual |K − K̃|", f"{of_all(len(shown), len(K), 'row')}, by {ORDERS[by]}")
    charts["residual"] = residual_film(films, K, shown, start, left)
    error = Sheet(theme, "Error after each step", scene.kernel.describe())
    charts["error"] = error_film(films, start, error)
    for name, figure in charts.items():
        # Markers, lines and bars change in place; a heatmap has to be drawn again.
        meta = {"film": token, "redraw": name == "residual", "recolour": name.startswith("map")}
        with_layout(figure, meta=meta)
    return charts


@st.fragment
def live(scene: Scene) -> None:
    """Controls, the answer, the player with its charts, and the explanation."""
    place = page.answer_place()
    question = controls(scene)
    methods, settings = question.methods, (question.steps, question.landmarks)
    names = listed([METHODS[method].label for method, _ in methods])
    traces = ask(all_traced, scene, methods, *settings, what=f"Steps of {names}")
    if traces is None:
        return
    n = len(traced_rows(scene))
    if n < scene.data.n:
        st.caption(f"Steps on {grouped(n)} random rows of {grouped(scene.data.n)}.")
    place.markdown(page.unbroken(answer(traces)))
    draw(scene, question, traces)
    for one in traces:
        for note in one.notes:
            st.caption(f"{METHODS[one.method].label}: {note}")
    page.closing("steps", python(scene, question), rows(scene, traces))
