"""The page "Quantization": its controls, runs, charts, sentences and script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from nysviz.engine import Run
from nysviz.engine.shared import once
from nysviz.figures.data_map import landmark_map
from nysviz.figures.encoding import deviation_chart, encoding_chart
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008.figure2 import METHODS as PUBLISHED
from nysviz.papers.zhang2008.figure2 import OFFERED, Cloud, Correlation, Interval, cloud, correlations, jobs
from nysviz.studies import html, landmark_counts, matrices
from nysviz.studies.matrices import is_exact
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head
from nysviz.sweep import Record
from nysviz.text import capital, counted, signed, three_digits
from nysviz.ui import page, state
from nysviz.ui.asking import ask, sentences
from nysviz.ui.controls import choose_count
from nysviz.ui.inputs import BOUND, several
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import script

FIRST_METHODS = (*PUBLISHED, "kmeanspp", "rpcholesky")


@dataclass(frozen=True)
class Question:
    """Which methods, how many landmarks, how many runs of each."""

    methods: tuple[str, ...]
    m: int
    repeats: int


def points_of(scene: Scene, question: Question, records: Sequence[Record]) -> Cloud:
    """Return the runs as points; an error that is rounding beside the scatter of the data, or ‖K‖, is 0."""
    X = scene.data.X
    scatter = len(X) * once(("default width", scene.data.digest), lambda: default_width(X))
    return cloud(records, question.methods).settled(scatter)


def rows(scene: Scene, question: Question, run: Run) -> list[dict[str, object]]:
    """Return both errors of every run, and the correlations with their intervals."""
    points = points_of(scene, question, run.records())
    records = []
    for group, seed, e, error in zip(
        points.groups, points.seeds, points.quantization, points.relative, strict=True
    ):
        begin = head(scene, method=points.methods[group], m=question.m, seed=int(seed))
        records += measured(begin, {"quantization": e, "relative_frobenius": error})
    for which, one in correlations(points).items():
        begin = head(scene, runs=which, m=question.m)
        for name in ("spearman", "pearson"):
            low, high = getattr(one, f"{name}_interval")
            values = {name: getattr(one, name), f"{name}_low": low, f"{name}_high": high}
            records += measured(begin, values)
    return records


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    return script(
        scene,
        """from nysviz.papers.zhang2008.figure2 import cloud, correlations, jobs
from nysviz.sweep import Problem, run_jobs""",
        f"""methods = {list(question.methods)!r}
{matrices.problem_code(scene)}
jobs = jobs(problem, methods, m={question.m}, repeats={question.repeats}, seed={scene.seed})
{matrices.RECORDS_CODE}
# Errors that are rounding beside ‖K‖ or the scatter of the data count as 0.
points = cloud(records, methods).settled(data.n * nv.default_width(data.X))
for group, seed, e, error in zip(points.groups, points.seeds, points.quantization, points.relative):
    print(f"method={{methods[group]}} seed={{seed}} quantization", e)
    print(f"method={{methods[group]}} seed={{seed}} relative_frobenius", error)

for runs, one in correlations(points).items():
    for name in ("spearman", "pearson"):
        low, high = getattr(one, f"{{name}}_interval")
        print(f"runs={{runs}} {{name}}", getattr(one, name))
        print(f"runs={{runs}} {{name}}_low", low)
        print(f"runs={{runs}} {{name}}_high", high)""",
    )


def answer(found: Mapping[str, Correlation]) -> str:
    """Answer the page's question in one sentence."""
    whole, within = found["all_runs"], found["methods_taken_out"]
    return (
        f"Rank correlation of both errors over {counted(whole.runs, 'run')}: **{signed(whole.spearman)}**. "
        f"Within the methods: **{signed(within.spearman)}**."
    )


def numbers(found: Mapping[str, Correlation]) -> str:
    """Return the table of all correlations."""
    names = {"all_runs": "all runs", "methods_taken_out": "within methods"}
    # Of a single method all three are one.
    shown = found if len(found) > 3 else {name: one for name, one in found.items() if name not in names}
    rows = []
    for name, one in shown.items():
        spearman, pearson = (one.spearman, one.spearman_interval), (one.pearson, one.pearson_interval)
        rows.append((names.get(name) or METHODS[name].brief, _cell(*spearman), _cell(*pearson)))
    return html.number_table(("95 % intervals", "Spearman", "Pearson"), rows)


def _cell(value: float, interval: Interval) -> str:
    low, high = map(signed, interval)
    return signed(value) if low == "–" else f"{signed(value)} <small>{low} … {high}</small>"


def choose(scene: Scene) -> Question:
    """Draw the page's own controls."""
    offered, left_out = landmark_counts.offered(scene, OFFERED)
    # More colours at once than a reader can tell apart help nobody.
    chosen = several("Methods", offered, "quantization_methods", FIRST_METHODS, max_selections=8)
    m = choose_count(scene.data.n)
    runs, key = (10, 100, 10, 10), "quantization_runs"
    if landmark_counts.is_large(scene.data.n):
        # A run takes seconds; few points still say which way the cloud lies.
        runs, key = (3, 20, 5, 1), "quantization_few_runs"
    note = "Each with a seed of its own. A method without randomness runs once."
    repeats = st.slider("Runs per method", *runs, key=key, help=note, **BOUND)
    if left_out:
        st.caption(landmark_counts.left_out_sentence(left_out))
    if left_out_mixtures := landmark_counts.mixtures_sentence(chosen, (m,)):
        st.caption(left_out_mixtures)
    # One order, however they were clicked: the same choice is the same run.
    return Question(tuple(name for name in OFFERED if name in chosen), m, int(repeats))


CHART = "quantization_runs_chart"
PICKED = "quantization_run"  # the run that was clicked, in the address


def _run_name(points: Cloud, row: int, m: int) -> str:
    return f"{points.methods[points.groups[row]]}-{points.seeds[row]}-{m}"


def picked(points: Cloud, m: int) -> int:
    """Return the number of the run that was clicked, if it is among these, else of the most accurate one."""
    names = [_run_name(points, row, m) for row in range(len(points))]
    asked = st.query_params.get(PICKED)
    return names.index(asked) if asked in names else int(points.relative.argmin())


def draw_runs(question: Question, points: Cloud, subtitle: str) -> None:
    """Draw the runs as points that can be clicked."""

    def keep() -> None:
        clicked = st.session_state[CHART]["selection"]["points"]
        rows = [int(point["customdata"][0]) for point in clicked if point.get("customdata")]
        # Emptied whenever the chart is drawn anew: what was clicked stays until something else is.
        if rows and rows[0] < len(points):
            state.put(PICKED, _run_name(points, rows[0], question.m))

    sheet = page.sheet("Error against quantization error", subtitle)
    page.show(encoding_chart(points, picked(points, question.m), sheet), CHART, on_click=keep)


def draw_landmarks(scene: Scene, question: Question, points: Cloud, which: int) -> None:
    """Draw the landmarks of one run on the data, coloured by its error."""
    method, seed = points.methods[points.groups[which]], int(points.seeds[which])
    scene, what = replace(scene, seed=seed), f"Landmarks of {METHODS[method].label}"
    a = ask(matrices.approximation, scene, method, question.m, (), what=what)
    if a is None or a.landmarks is None:
        return
    error, encoding = (three_digits(float(of[which])) for of in (points.relative, points.quantization))
    title = f"{capital(METHODS[method].label)}, seed {seed}: relative error {error}"
    subtitle = f"quantization error {encoding}"
    shown = matrices.picture(scene, None)
    errors = matrices.point_errors(scene, a, shown.rows)
    figure = landmark_map(scene.data, a, shown, errors, page.sheet(title, subtitle))
    page.show(figure, "quantization_map")


@st.fragment
def live(scene: Scene) -> None:
    """Points come in as runs finish; then the run that was clicked, or the best one, is shown on the data."""
    place, left, right = page.places(0.6)
    with right:
        question = choose(scene)
        table = st.container()
    below = st.columns(2, gap="medium")
    if not question.methods:
        left.info("Choose a method to see its runs.", icon=":material/scatter_plot:")
        return
    methods, m = question.methods, question.m
    # A method without randomness has one run.
    count = sum(question.repeats if METHODS[name].random else 1 for name in methods)
    make = partial(jobs, methods=methods, m=m, repeats=question.repeats, seed=scene.seed)
    run = matrices.run_on(scene, "quantization", make, question, methods=methods, m=m)

    def draw(records: Sequence[Record]) -> None:
        points = points_of(scene, question, records)
        if not len(points):
            place.markdown(html.WAITING)
            table.html(html.number_table((), ()))
            return
        found = correlations(points)
        place.markdown(page.unbroken(answer(found)))
        table.html(numbers(found))
        sampled = "" if is_exact(scene) else "; errors from 500 sampled rows"
        runs = f"{counted(len(points), 'run')}, m = {m}{sampled}"
        draw_runs(question, points, f"{runs}; {scene.subtitle}")

    with left, sentences():
        follow(run, draw, what=counted(count, "run"))
    points = points_of(scene, question, run.records())
    if at_rest(run) and len(points):
        with below[0], sentences():
            draw_landmarks(scene, question, points, picked(points, m))
        with below[1]:
            sheet = page.sheet("Deviations from each method's mean")
            page.show(deviation_chart(points, sheet), "quantization_deviations")
    page.closing("quantization", python(scene, question), partial(rows, scene, question, run))
