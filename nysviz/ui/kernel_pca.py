"""The page "Kernel PCA": its controls, computations, charts, sentences and script."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.learning import kernel_pca as kpca
from nysviz.figures.data_map import labels_of
from nysviz.figures.kernel_pca import Points, embedding_chart, gram_chart, misalignment_chart
from nysviz.figures.traces import lines_of, quartiles
from nysviz.landmarks import METHODS
from nysviz.landmarks.selection import SQUARE_COPIES
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.memory import square_bytes
from nysviz.numerics.timing import Timed, timed
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.lowrank import LowRank
from nysviz.papers.output import published
from nysviz.papers.zhang2008 import table3
from nysviz.sweep import Record
from nysviz.text import counted, grouped, in_seconds, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask, engine, key_of, shared
from nysviz.ui.computing import Options
from nysviz.ui.controls import Choice, choose_method
from nysviz.ui.downloads import measured, with_runs
from nysviz.ui.inputs import segments, several
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, script
from nysviz.ui.warming import load_loops

VECTORS = 8  # eigenvectors whose products are shown in the third picture
PERCENTS, REPEATS = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0), 10  # of the curve
PAIRS = {"1 and 2": (0, 1), "1 and 3": (0, 2), "2 and 3": (1, 2)}
DRAWN = 400  # points on each side of the picture: together they appear in about a tenth of a second


@dataclass(frozen=True)
class Embedded:
    """One method's embedding beside the exact one, with the time of all of it, without K at hand."""

    approximation: LowRank
    time: Timed[object]
    aligned: FloatArray
    misalignment: float
    angles: FloatArray


def directions(scene: Scene) -> int:
    """Return how many directions are compared: three, fewer for a handful of rows."""
    return max(1, min(kpca.DIRECTIONS, scene.data.n - 1))


# K and a copy of it.
@shared(holds=lambda scene: square_bytes(scene.data.n, 2.0))
def exact(scene: Scene) -> Timed[kpca.Embedding]:
    """Exact kernel PCA, timed as a user would, without K at hand."""

    def work() -> tuple[kpca.Embedding, float]:
        found = kpca.exact_embedding(scene.data.X, scene.kernel, directions(scene))
        return found, found.seconds

    return timed(work)


def _bytes(scene: Scene, method: str, m: int, options: Options) -> float:
    own = computing.approximation_bytes(scene, method, m, options)
    # The exact embedding is computed with it where it is not there yet.
    return own if engine().has(key_of(exact, scene.unseeded)) else max(own, square_bytes(scene.data.n, 2.0))


@shared(holds=_bytes)
def embedded(scene: Scene, method: str, m: int, options: Options) -> Embedded:
    """Return the method's embedding and how far it is from the exact one."""
    U = exact(scene.unseeded).result.vectors
    X, kernel = scene.data.X, scene.kernel
    load_loops(method)

    def work() -> tuple[tuple[LowRank, FloatArray], float]:
        a = approximate(X, kernel, method, m, scene.seed, matrix=None, **dict(options))
        found = kpca.approximate_embedding(a, U.shape[1])
        return (a, found.vectors), a.seconds + found.seconds

    time = timed(work)
    a, V = time.result
    return Embedded(
        a,
        Timed(None, time.runs),
        kpca.aligned(U, V),
        kpca.misalignment(U, V),
        kpca.principal_angles(U, V),
    )


@shared()
def _leading_vectors(scene: Scene) -> FloatArray:
    """Leading eigenvectors of K."""
    return computing.matrix_of(scene).eigenpairs(min(VECTORS, scene.data.n))[1]


@shared(holds=lambda scene, method, m, options: square_bytes(m, SQUARE_COPIES))
def both_forms(scene: Scene, method: str, m: int, options: Options) -> kpca.Forms:
    """Both forms of the eigenvectors of K̃ beside those of K."""
    return kpca.two_forms(embedded(scene, method, m, options).approximation, _leading_vectors(scene.unseeded))


def counts(n: int) -> dict[int, float]:
    """Number of landmarks → m/n in per cent, each number once."""
    found: dict[int, float] = {}
    for percent in PERCENTS:
        found.setdefault(max(1, round(n * percent / 100)), percent)
    return found


def rows(scene: Scene, choice: Choice, run: Embedded, forms: kpca.Forms | None) -> list[dict[str, object]]:
    """Misalignment, angles and seconds of this method, and both forms."""
    begin = choice.head(scene, picture="embedding")
    found = measured(begin, {"misalignment": run.misalignment, "seconds": run.time.seconds})
    line = {**begin, "method": "exact", "options": None, "m": None}
    found += measured(line, {"seconds": exact(scene.unseeded).seconds})
    for i, angle in enumerate(run.angles, 1):
        found += measured({**begin, "angle": i}, {"degrees": float(angle)})
    if forms is not None:
        found += measured(begin, {"departure": kpca.departure(forms.extension)})
        found += measured(begin, {"departure_orthogonal": kpca.departure(forms.orthogonal)})
        for i, pair in enumerate(zip(forms.extension_angles, forms.orthogonal_angles, strict=False), 1):
            values = {"degrees_extension": float(pair[0]), "degrees_orthogonal": float(pair[1])}
            found += measured({**begin, "angle": i}, values)
    return found


def python(scene: Scene, choice: Choice, methods: Sequence[str], with_forms: bool) -> str:
    """Write the script."""
    lines = f"""exact = exact_embedding(data.X, kernel, {directions(scene)})
{choice.code(scene)}
found = approximate_embedding(a, exact.vectors.shape[1])
print("picture=embedding misalignment", misalignment(exact.vectors, found.vectors))
for i, angle in enumerate(principal_angles(exact.vectors, found.vectors), 1):
    print(f"angle={{i}} degrees", angle)
"""
    if with_forms:
        matrix, count = "KernelMatrix(data.X, kernel, dense=kernel(data.X))", min(VECTORS, scene.data.n)
        lines += f"""
forms = two_forms(a, {matrix}.eigenpairs({count})[1])
print("departure", departure(forms.extension))
print("departure_orthogonal", departure(forms.orthogonal))
for i, (plain, right) in enumerate(zip(forms.extension_angles, forms.orthogonal_angles), 1):
    print(f"angle={{i}} degrees_extension", plain)
    print(f"angle={{i}} degrees_orthogonal", right)
"""
    if methods:
        asked = f"{list(methods)!r}, {list(counts(scene.data.n))}, {REPEATS}, {scene.seed}"
        lines += f"""
{computing.problem_code(scene)}
jobs = misalignment_jobs(problem, exact.vectors, {asked})
{computing.RECORDS_CODE}
{computing.TABLE_CODE}"""
    imports = """from nysviz.papers.zhang2008.table3 import misalignment_jobs
from nysviz.analysis.learning.kernel_pca import (
    approximate_embedding, departure, exact_embedding, misalignment, principal_angles, two_forms
)
from nysviz.kernels.matrix import KernelMatrix
from nysviz.sweep import Problem, run_jobs, tidy"""
    return script(scene, imports, lines)


def answer(choice: Choice, exact: kpca.Embedding, run: Embedded) -> str:
    """Answer the page's question in one sentence."""
    k = exact.vectors.shape[1]
    return (
        f"Misalignment **{three_digits(run.misalignment)}** of {counted(k, 'leading direction')} with "
        f"{METHODS[choice.method].in_words(choice.m)}, between 0 (exact) and {three_digits(np.sqrt(k))}."
    )


def numbers(exact: Timed[kpca.Embedding], run: Embedded) -> str:
    """Return the table: angles and times."""
    rows = []
    # A method whose K̃ has fewer directions loses the others altogether.
    for j in range(exact.result.vectors.shape[1]):
        is_found = j < len(run.angles)
        angle = three_digits(float(run.angles[j])) if is_found else "90"
        rows.append((f"angle θ<sub>{j + 1}</sub>", f"{angle}°", "" if is_found else "not found"))
    rows.append(("time", in_seconds(run.time.seconds), run.time.remark))
    rows.append(("time, exact", in_seconds(exact.seconds), exact.remark))
    if run.time.seconds > 0:
        rows.append(("time, exact / this", f"{three_digits(exact.seconds / run.time.seconds)} ×", ""))
    return page.number_table(("", "", ""), rows)


def choose_methods(scene: Scene) -> tuple[str, ...]:
    """Choose the methods of the curve."""
    # The best rank m is no choice of landmarks, and needs all of the spectrum for each m.
    every = [name for name in (*METHODS, *table3.VARIANTS) if name != "svd"]
    offered = [name for name in every if METHODS[table3.asked(name)[0]].suits(scene.kernel)]
    label, first, names = "Methods in the curve", (*table3.COMPARED, "rpcholesky"), table3.label_of
    with st.popover(label):
        return several(label, offered, "kernel_pca_methods", first, names, label_visibility="collapsed")


def draw_embeddings(scene: Scene, exact: kpca.Embedding, run: Embedded, pair: tuple[int, int]) -> None:
    """Draw two directions of the exact embedding and the method's."""
    (n, k), data = exact.vectors.shape, scene.data
    # Always the same rows of the same data, with what colours them.
    rows = computing.drawn_rows(n, DRAWN)
    texts = [f"row {row}{label}" for row, label in zip(rows, labels_of(data, rows), strict=True)]
    points = Points(texts)
    if data.y is not None and data.task == "classification":
        points = Points(texts, np.searchsorted(np.unique(data.y), data.y[rows]), data.classes)
    elif data.y is not None:
        points = Points(texts, values=data.y[rows])
    # Unit vectors times √n: coordinates of size 1, whatever n is. Missing directions are drawn as 0.
    missing = ((0, 0), (0, kpca.DIRECTIONS - k))
    sides = [np.pad(side, missing)[:, pair] * np.sqrt(n) for side in (exact.vectors, run.aligned)]
    part = f"; {counted(len(rows), 'point')} drawn" if len(rows) < n else ""
    figure = embedding_chart(
        sides[0][rows],
        sides[1][rows],
        points,
        np.transpose(computing.ranges_of(sides[0])),
        ("by K", "by K̃, aligned"),
        (f"direction {pair[0] + 1}", f"direction {pair[1] + 1}"),
        page.sheet("The embedding by K and by K̃", f"{scene.subtitle}{part}"),
    )
    page.show(figure, "embedding")


def show_forms(scene: Scene, choice: Choice, run: Embedded) -> kpca.Forms | None:
    """Draw the products of the eigenvectors in both forms once they are there."""
    a = run.approximation
    # One matrix of landmarks to extend from.
    if a.landmarks is None or a.shares is not None:
        st.caption("The plain extension needs landmarks.")
        return None
    asked = (scene, choice.method, choice.m, choice.options)
    forms = ask(both_forms, *asked, what="Two forms of the eigenvectors")
    if forms is not None:
        sheet = page.sheet("Products of the eigenvectors of K̃")
        plain, orthogonal = (U.T @ U for U in (forms.extension, forms.orthogonal))
        page.show(gram_chart(plain, orthogonal, sheet), "forms")
    return forms


def draw_curve(scene: Scene, k: int, methods: Sequence[str], records: Sequence[Record]) -> None:
    """Draw the misalignment against m/n of the runs so far."""
    percents = counts(scene.data.n)
    values: dict[int, dict[str, list[float]]] = {m: {} for m in percents}
    for record in records:
        values[record.m].setdefault(table3.name_of(record), []).append(record.values["misalignment"])
    labels = {name: table3.label_of(name) for name in methods}
    lines = lines_of(values, labels, quartiles, percents.__getitem__)
    # The paper's values for this data set, at 5 %, where the kernel is the one that it used.
    gaussian = scene.kernel.label == "Gaussian" and scene.multiple == 1.0
    is_whole = scene.data.from_catalog and not scene.whole
    printed = [
        (METHODS[row["method"]].label, 5.0, float(row["mean"]), float(row["std"] or 0.0))
        for row in published("zhang2008_table3_error")
        if gaussian and is_whole and row["data"] == scene.data.name
    ]
    title = "Misalignment against m / n"
    sheet, most = page.sheet(title, f"median and quartiles of {REPEATS} runs"), float(np.sqrt(k))
    figure = misalignment_chart(lines, list(percents.values()), most, printed, sheet)
    page.show(figure, "misalignment")


@st.fragment
def live(whole: Scene) -> None:
    """Embeddings first, then numbers; the curve over m and the two forms fill in when they are there."""
    place, left, right = page.places(0.66)
    with right:
        controls, options = st.container(), st.container()
        with controls:
            scene = computing.exact_part(whole)
            if scene is not whole:
                rows_of = f"{grouped(scene.data.n)} random rows of {grouped(whole.data.n)}"
                st.caption(f"The page shows {rows_of}: exact eigenvectors need all of K.")
            choice = choose_method(scene, options)
            pair = PAIRS[segments("Directions", PAIRS, "kernel_pca_pair")]
        table, notes = st.empty(), st.container()
    below_left, below_right = st.columns([0.56, 0.44], gap="medium")
    question = (scene, choice.method, choice.m, choice.options)
    with left:
        run = ask(embedded, *question, what=f"{choice.label}, m = {choice.m}, beside exact kernel PCA")
        if run is None:
            return
        reference = exact(scene.unseeded)
        draw_embeddings(scene, reference.result, run, pair)
    place.markdown(page.unbroken(answer(choice, reference.result, run)))
    table.html(numbers(reference, run))
    for note in run.approximation.notes:
        notes.caption(note)
    with below_right:
        forms = show_forms(scene, choice, run)
    with below_left:
        chart, runs = st.container(), None
        methods = choose_methods(scene)
    if methods:
        U, ms = reference.result.vectors, tuple(counts(scene.data.n))
        settings, name = (U, methods, ms, REPEATS, scene.seed), "kernel pca curve"
        runs = computing.run_on(
            scene, name, lambda problem: table3.misalignment_jobs(problem, *settings), methods, ms
        )
        with chart:
            follow(runs, partial(draw_curve, scene, U.shape[1], methods), "Runs", beside=True)
    written = with_runs(rows(scene, choice, run, forms), runs, scene.data.name)
    page.closing("kernel_pca", python(scene, choice, methods, forms is not None), written)
