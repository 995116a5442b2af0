"""The page "Two balls", which makes its own data: its controls, computations, charts and script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.learning.leading_subspace import (
    LeadingPairs,
    pairs_bytes,
    principal_cosines,
    reach,
    turned_towards,
)
from nysviz.datasets import load
from nysviz.engine import Run
from nysviz.figures import two_balls as figures
from nysviz.figures.look import axis
from nysviz.figures.traces import against_m, deviation, lines_of
from nysviz.kernels import Gaussian
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers.yang2012 import figure1
from nysviz.papers.yang2012.figure1 import FREQUENCY_SCALES
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, of_all, three_digits
from nysviz.ui import downloads, page
from nysviz.ui.asking import ask, engine, once, shared
from nysviz.ui.computing import drawn_rows
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import number, segments, stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, head, keep_choices, script

# A method with its frequency scale; landmarks have no scale.
Case = tuple[str, str]
Scores = Mapping[Case, float]
NYSTROEM: Case = ("uniform", "")


DRAWN = 300  # points of every picture: a browser draws some 900 markers in 0.15 s
LABELS = {"rff": "RFF", "orf": "ORF", "uniform": "Nyström, uniform", "kmeans": "Nyström, k-means"}


@dataclass(frozen=True)
class Comparison:
    """How an approximation's two leading eigenvectors compare with those of K."""

    pairs: LeadingPairs
    cosines: FloatArray


Comparisons = Mapping[Case, Comparison]


def cases(scale: str) -> list[Case]:
    """Return what the table compares."""
    return [("uniform", ""), ("kmeans", ""), *(("rff", each) for each in FREQUENCY_SCALES), ("orf", scale)]


@shared()
def leading(scene: Scene) -> LeadingPairs:
    """The eigenpairs of K whose vectors are compared; K is never held."""
    return figure1.exact_pairs(scene.data.X, sigma_of(scene), figure1.LEADING)


@shared(holds=lambda scene: pairs_bytes(scene.data.n, figure1.EIGENVALUES))
def eigenvalues(scene: Scene) -> FloatArray:
    """Leading eigenvalues of K, as many as are drawn, which take longer than the vectors."""
    return figure1.exact_pairs(scene.data.X, sigma_of(scene)).values


@shared()
def comparison(scene: Scene, method: str, m: int, scale: str) -> Comparison:
    """Compare the leading subspaces of K and of an approximation from m landmarks or frequencies."""
    pairs = figure1.feature_pairs(scene.data.X, method, m, sigma_of(scene), scene.seed, scale or "1/σ")
    return Comparison(pairs, principal_cosines(leading(scene).vectors, pairs.vectors))


@shared()
def comparisons(scene: Scene, m: int, scale: str) -> Comparisons:
    """Compare all methods of the table with K."""
    return {(method, each): comparison(scene, method, m, each) for method, each in cases(scale)}


@shared()
def first_accuracy(scene: Scene, method: str, m: int, scale: str) -> float:
    """Return the test accuracy (%) in the first trial: one split, one draw."""
    problem = figure1.problem_of(scene.data, sigma_of(scene))
    (record,) = figure1.accuracy_record(problem, (method, scale), m, 0, scene.seed)
    return 100.0 - record.values["test_error"]


@shared()
def accuracies(scene: Scene, m: int, scale: str) -> Scores:
    """Return the test accuracies (%) of all methods of the table in the first trial."""
    return {(method, each): first_accuracy(scene, method, m, each) for method, each in cases(scale)}


def sigma_of(scene: Scene) -> float:
    """Return the bandwidth."""
    return float(scene.kernel.sigma)  # type: ignore[attr-defined]  # of a Gaussian kernel


def rows(scene: Scene, m: int, found: Comparisons, scores: Scores, run: Run) -> list[dict[str, object]]:
    """Eigenvalues, cosines, reach and accuracy of each row of the table; every trial of the curves."""
    begin, line = head(scene, picture="table"), head(scene, picture="table", method="exact")
    (low, high), written = reach(leading(scene).vectors), []
    for i, value in enumerate(eigenvalues(scene), 1):
        written += measured({**line, "rank": i}, {"eigenvalue_over_n": float(value) / scene.data.n})
    written += measured(line, {"reach_low": low, "reach_high": high})
    for (method, scale), one in found.items():
        line, (low, high) = {**begin, "method": method, "scale": scale, "m": m}, reach(one.pairs.vectors)
        values = {"reach_low": low, "reach_high": high, "accuracy": scores[method, scale]}
        written += measured(line, values)
        for i, cosine in enumerate(one.cosines, 1):
            written += measured({**line, "angle": i}, {"cosine": float(cosine)})
    trials = [
        replace(record, values={"accuracy": 100.0 - record.values["test_error"]}) for record in run.records()
    ]
    return written + of_records(trials, scene.data.name, lambda record: {"picture": "trials"})


def python(scene: Scene, m: int, scale: str) -> str:
    """Write the script."""
    scales = dict.fromkeys(figure1.METHODS, scale)
    return script(
        scene,
        """from nysviz.papers.yang2012 import figure1
from nysviz.analysis.learning.leading_subspace import principal_cosines, reach
from nysviz.sweep import run_jobs""",
        f"""sigma, m, seed = {sigma_of(scene)!r}, {m}, {scene.seed}
for i, value in enumerate(figure1.exact_pairs(data.X, sigma).values, 1):
    print(f"picture=table method=exact rank={{i}} eigenvalue_over_n", value / data.n)
exact = figure1.exact_pairs(data.X, sigma, figure1.LEADING)
low, high = reach(exact.vectors)
print("picture=table method=exact reach_low", low)
print("picture=table method=exact reach_high", high)
problem = figure1.problem_of(data, sigma)
for method, scale in {cases(scale)!r}:
    at = f"picture=table method={{method}} scale={{scale}}"
    pairs = figure1.feature_pairs(data.X, method, m, sigma, seed, scale or "1/σ")
    low, high = reach(pairs.vectors)
    print(at, "reach_low", low)
    print(at, "reach_high", high)
    for i, cosine in enumerate(principal_cosines(exact.vectors, pairs.vectors), 1):
        print(at, f"angle={{i}} cosine", cosine)
    record, = figure1.accuracy_record(problem, (method, scale), m, 0, seed)
    print(at, "accuracy", 100.0 - record.values["test_error"])

# The curves: trials.
for finished in run_jobs(figure1.accuracy_jobs(problem, {scales!r}, seed=seed)):
    for record in finished.records:
        at = f"picture=trials method={{record.method}} m={{record.m}} repeat={{record.repeat}}"
        print(at, "accuracy", 100.0 - record.values["test_error"])""",
    )


ABOUT = (
    "RFF: random Fourier features. ORF: the same with orthogonal frequencies. Accuracy: on the test half of "
    "one split. Cosine: of the larger angle between the planes of the two leading eigenvectors. Last column: "
    "entries of the first eigenvector, times √n."
)


def answer(m: int, scale: str, scores: Scores) -> str:
    """Answer the page's question, with the accuracies once they are known."""
    ours, theirs = (f" **{scores[case]:.1f} %**" if scores else "" for case in (NYSTROEM, ("rff", scale)))
    of_scale = "" if scale == "1/σ" else f" of scale {scale}"
    return f"Test accuracy at m = {m}: Nyström{ours}, random Fourier features{of_scale}{theirs}."


def numbers(exact: LeadingPairs, found: Comparisons, scores: Scores) -> str:
    """Return the table: accuracy, cosine and reach of every method and of RFF at every frequency scale."""
    rows = [("K, exact", "", "1", _from_to(reach(exact.vectors)))]
    for (method, scale), one in found.items():
        name = LABELS[method] + (f", s = {scale}" if scale else "")
        score = f"{scores[method, scale]:.1f}" if scores else "…"
        # Of the larger of the two angles; 0 where there is no second eigenvector.
        cosine = float(one.cosines[-1]) if len(one.cosines) == figure1.LEADING else 0.0
        rows.append((name, score, f"{cosine:.3f}", _from_to(reach(one.pairs.vectors))))
    return page.number_table(("", "accuracy, %", "cosine", "√n u<sub>1</sub>"), rows)


def _from_to(ends: tuple[float, float]) -> str:
    return " … ".join(f"{end:.2f}".replace("-", "−") for end in ends)


def shortfall(exact: LeadingPairs, values: FloatArray) -> str:
    """Say so where K has no plane of two leading eigenvectors; empty where it has one."""
    first, second, *rest = values
    if rest and rest[0] > 0.98 * second:
        # The second eigenvector is as good as any other.
        return f"λ₃ is {rest[0] / second:.3f} of λ₂: K has no leading plane, and the cosines say little."
    # Vectors with a smaller residual are right to more digits than a picture shows.
    if exact.residual > 1e-3 * second / first:
        return f"The eigenvectors of K did not settle in {exact.passes} passes: the cosines are rough."
    return ""


def own_sidebar() -> Scene:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    keep_choices()
    with st.sidebar:
        n = stops("Points n", (500, 1_000, 2_000, 4_000, 7_000, 10_000), "balls_n", 2_000)
        note = "Uniform on [0, 1], the same for both classes."
        label, ends = "Redundant features r", (0, 500, figure1.REDUNDANT)
        redundant = number(label, *ends, "balls_redundant", step=10, help=note)
        note = "Of the centres. The radius is 0.5: the balls overlap below 1 and touch at 1."
        label, key = "Distance", "balls_distance"
        distance = st.slider(label, 0.0, 3.0, 1.0, 0.1, key=key, help=note, bind="query-params")
        note = "Of the Gaussian kernel exp(-‖x - y‖² / 2σ²)."
        look = {"step": 0.5, "format": "%g", "help": note}
        sigma = number("Bandwidth σ", 0.05, 1_000.0, figure1.SIGMA, "balls_sigma", **look)
        note = "Start of the random numbers: of the data, the landmarks, the frequencies and the trials."
        seed = number("Seed", 0, 999_999, 0, "seed", step=1, help=note)
    settings = {"n": n, "redundant": redundant, "seed": seed, "distance": distance}
    data = once(("data", "two_balls", *settings.values()), lambda: load("two_balls", **settings))
    downloads.kept().data = data.title
    return Scene(data, Gaussian(sigma), seed, None, tuple(settings.items()))


def controls(scene: Scene) -> tuple[int, str]:
    """Choose m, as the training half allows, and the standard deviation of the frequencies."""
    offered = [m for m in (2, 5, 10, 20, 50, 100, 200) if 2 * m <= scene.data.n]
    m = stops("Landmarks m", offered, "balls_m", figure1.MS[-1])
    note = "Frequencies u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel."
    return m, segments("Frequency scale s", FREQUENCY_SCALES, "balls_scale", help=note)


def draw_eigenvectors(scene: Scene, found: Comparisons, m: int, scale: str) -> None:
    """Draw the first two eigenvectors of K and of two approximations."""
    rows, vectors = drawn_rows(scene.data.n, DRAWN), leading(scene).vectors
    # The first eigenvector of a positive kernel has one sign: positive, by choice.
    reference = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
    panels = [("K, exact", "", reference[rows])]
    ours, theirs = found[NYSTROEM], found["rff", scale]
    for name, one in (("Nyström", ours), (f"RFF, s = {scale}", theirs)):
        turned = turned_towards(reference, one.pairs.vectors)
        turned = np.pad(turned, ((0, 0), (0, figure1.LEADING - turned.shape[1])))
        panels.append((name, "cos " + ", ".join(f"{cosine:.3f}" for cosine in one.cosines), turned[rows]))
    sheet = page.sheet("The two leading eigenvectors", f"{scene.subtitle}, m = {m}")
    figure = figures.eigenvector_chart(panels, np.asarray(scene.data.y)[rows], rows, sheet)
    page.show(figure, "balls_eigenvectors")


def draw_eigenvalues(scene: Scene, exact: FloatArray, found: Comparisons, scale: str) -> None:
    """Draw the leading eigenvalues of K and of two approximations."""
    values, n = exact / scene.data.n, scene.data.n
    title = f"λ₁/n = {three_digits(float(values[0]))}, λ₂/n = {three_digits(float(values[1]))}"
    shown = NYSTROEM, ("rff", scale)
    others = {case[0]: (LABELS[case[0]], found[case].pairs.values / n) for case in shown}
    page.show(figures.eigenvalue_chart(values, others, page.sheet(title)), "balls_eigenvalues")


def draw_accuracy(m: int, records: Sequence[Record]) -> None:
    """Draw the mean test accuracy of every method at each m, with its spread over the trials so far."""
    errors = by_method(records, "test_error")
    right = {m: {name: 100.0 - runs for name, runs in of.items()} for m, of in errors.items()}
    lines = lines_of(right, LABELS, deviation, float, ends=(0.0, 100.0), unit=" %")
    trials = counted(len({record.repeat for record in records}), "trial")
    sheet = page.sheet("Test accuracy against m", f"mean ± sd of {trials}")
    yaxis = axis("test accuracy (%)", sheet.theme, range=[40, 102], dtick=10)
    figure = against_m(lines, [], figure1.MS, m, "landmarks or frequencies m", yaxis, sheet, 330)
    page.show(figure, "balls_accuracy")


@st.fragment
def live(scene: Scene) -> None:
    """The points and eigenvectors first, then the accuracies of the table, the eigenvalues and the trials."""
    place, left, right = page.places(0.66)
    with right:
        m, scale = controls(scene)
        table, notes = st.empty(), st.container()
    curves, eigenvalue_place, points = st.columns([0.4, 0.32, 0.28], gap="small")
    question = (scene, m, scale)
    with points:
        drawn = drawn_rows(scene.data.n, DRAWN)
        sheet = page.sheet("The two balls", of_all(len(drawn), scene.data.n, "point"))
        figure = figures.balls_chart(scene.data.X[drawn, :2], np.asarray(scene.data.y)[drawn], sheet)
        page.show(figure, "balls_points")
    with left:
        found = ask(comparisons, *question, what=f"Leading eigenvectors, m = {m}")
        if found is None:
            return
        draw_eigenvectors(scene, found, m, scale)
    notes.caption("Columns", help=ABOUT)
    with notes:
        scores = ask(accuracies, *question, what=f"Linear classifiers, m = {m}", beside=True)
    place.markdown(page.unbroken(answer(m, scale, scores or {})))
    table.html(numbers(leading(scene), found, scores or {}))
    with eigenvalue_place:
        values = ask(eigenvalues, scene, what="Eigenvalues", beside=True)
        if values is None:
            return
        draw_eigenvalues(scene, values, found, scale)
    if note := shortfall(leading(scene), values):
        notes.caption(note)
    if scores is None:
        return
    problem, scales = figure1.problem_of(scene.data, sigma_of(scene)), dict.fromkeys(figure1.METHODS, scale)
    run = engine().run(
        ("two balls accuracy", *scene.content, scale, figure1.TRIALS),
        lambda: figure1.accuracy_jobs(problem, scales, figure1.MS, figure1.TRIALS, scene.seed),
        matrix_bytes(scene.data.n),
    )
    with curves:
        follow(run, partial(draw_accuracy, m), what="Linear classifiers", beside=True)
    page.closing("two_balls", python(*question), partial(rows, scene, m, found, scores, run))
