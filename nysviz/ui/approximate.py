"""The page "Approximate": its charts, sentences, table, rows and script."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.analysis.spectrum import best_errors, factor_spectrum
from nysviz.figures.data_map import Picture, landmark_map, scale_of
from nysviz.figures.matrices import matrix_picture
from nysviz.figures.spectra import spectrum_chart
from nysviz.figures.strip import Strip, strip_chart
from nysviz.landmarks import METHODS, cost_seconds
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.curves import errors_of
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import Errors, SampledErrors, frobenius, residual, sampled_errors
from nysviz.nystroem.nested import nested
from nysviz.text import counted, in_bytes, in_seconds, percent, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask, shared
from nysviz.ui.computing import NORMS, Options, Outcome, is_exact
from nysviz.ui.controls import ORDERS, Choice, choose_axes, choose_method
from nysviz.ui.downloads import measured
from nysviz.ui.inputs import box
from nysviz.ui.sidebar.scene import Scene, script
from nysviz.ui.sidebar.uploads import chart_of

# Rows that no landmark stands for are not in it, so that it may be far too small.
LEFT_OUT = "guess from the m columns (leave-one-out)"


def rows(
    scene: Scene, choice: Choice, outcome: Outcome, eigenvalues: FloatArray | None
) -> list[dict[str, object]]:
    """Errors, the best possible ones, and what the approximation cost."""
    a, found = outcome.approximation, outcome.errors
    values: dict[str, object] = {}
    for k, norm in enumerate(NORMS):
        values[norm] = getattr(found, norm, None)
        values[f"relative_{norm}"] = getattr(found, f"relative_{norm}", None)
        if eigenvalues is not None and isinstance(found, Errors):
            values[f"best_{norm}"] = best_errors(eigenvalues, a.rank)[k]
    if not isinstance(found, Errors) and found.interval is not None:
        values["interval_low"], values["interval_high"] = found.interval
    values |= {"quantization": outcome.quantization, "rank": a.rank}
    values |= {"kernel_evaluations": a.kernel_evaluations, "seconds": a.seconds, "bytes": a.nbytes}
    return measured(choice.head(scene), values)


def python(scene: Scene, choice: Choice) -> str:
    """Write the script."""
    if is_exact(scene):
        imports, norms = "from nysviz.analysis.spectrum import best_errors", [*NORMS]
        errors = f"""# The tolerance is that of the spectral norm.
found = nv.errors(data.X, kernel, a, tolerance={computing.SHOWN_TOLERANCE!r})
for norm, best in zip({norms!r}, best_errors(nv.spectrum(data.X, kernel), a.rank)):
    print(f"best_{{norm}}", best)"""
    else:
        imports, norms = "from nysviz.nystroem.measures import sampled_errors", ["frobenius", "trace"]
        errors = """found = sampled_errors(data.X, kernel, a)
for end, value in zip(("low", "high"), found.interval or ()):
    print(f"interval_{end}", value)"""
    return script(
        scene,
        imports,
        f"""{choice.code(scene)}
{errors}
for norm in {norms!r}:
    print(norm, getattr(found, norm))
    print(f"relative_{{norm}}", getattr(found, f"relative_{{norm}}"))
if a.landmarks is not None:
    print("quantization", nv.quantization_error(data.X, a.landmarks))
print("rank", a.rank)
print("kernel_evaluations", a.kernel_evaluations)
print("bytes", a.nbytes)""",
    )


def numbers(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Return the table: errors with multiples of the best possible, and what the approximation cost."""
    a, errors, e, n = outcome.approximation, outcome.errors, outcome.quantization, scene.data.n
    rows = []
    for norm, name in NORMS.items():
        if (relative := getattr(errors, f"relative_{norm}", None)) is not None:
            times = multiple(outcome, eigenvalues, norm)
            rows.append((f"relative {name} error", three_digits(relative), times))
    if isinstance(errors, SampledErrors):
        rows.insert(1, ("95 % interval", page.interval(errors.interval, errors.no_interval), ""))
    if outcome.left_out is not None:
        rows.insert(2, (LEFT_OUT, three_digits(outcome.left_out), ""))
    rank = ("rank at most", str(a.rank))
    if METHODS[a.method].data_dependent:
        rank = ("rank", f"{a.rank} of {a.requested}")
    rows += [
        ("quantization error", "–" if e is None else three_digits(e), ""),
        (*rank, ""),
        ("kernel evaluations", f"{three_digits(a.kernel_evaluations / n**2)} n²", ""),
        ("time of this run", in_seconds(a.seconds), ""),
        ("memory", in_bytes(a.nbytes), f"of {in_bytes(8 * n * n)}"),
    ]
    return page.number_table(("", "", "× best"), rows)


def multiple(outcome: Outcome, eigenvalues: FloatArray | None, norm: str = "frobenius") -> str:
    """Return the error in multiples of the best possible; a dash where that is not known or rounding."""
    if eigenvalues is None or not isinstance(outcome.errors, Errors):
        return "–"
    best = best_errors(eigenvalues, outcome.approximation.rank)[list(NORMS).index(norm)]
    error = getattr(outcome.errors, norm)
    # Below this part of the error the best possible error is rounding.
    return three_digits(error / best) if best > max(1e-10 * error, 1e-9) else "–"


def answer(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Answer the page's question in one sentence."""
    a, errors, times = outcome.approximation, outcome.errors, multiple(outcome, eigenvalues)
    about = "about " if isinstance(errors, SampledErrors) else ""
    best = "" if times == "–" else f", {times} times the best possible at rank {a.rank}"
    return (
        f"Relative Frobenius error **{about}{three_digits(errors.relative_frobenius)}** with "
        f"{METHODS[a.method].in_words(a.requested)}{best}."
    )


# The best rank m is offered where K is held, and then all rows are taken.
@shared(holds=lambda scene, method, *_: computing.eigenpairs_bytes(scene) if method == "svd" else 0.0)
def strip(scene: Scene, method: str, options: Options, axes: tuple[int, int] | None) -> Strip:
    """Compute the steps; at large n from random rows among which are the drawn ones."""
    shown = computing.picture(scene, axes)
    rows, part = computing.sampled(scene)
    among = replace(shown, rows=np.searchsorted(rows, shown.rows))
    return replace(_strip(part, method, options, among), sampled=len(rows) if part is not scene else 0)


def _strip(scene: Scene, method: str, options: Options, shown: Picture) -> Strip:
    # Evenly spaced in log.
    ms = tuple(sorted({round(m) for m in np.geomspace(1, min(scene.data.n, 400), 24)}))
    if METHODS[method].nested and is_exact(scene):
        return _nested_strip(scene, method, options, shown, ms)
    X, kernel = scene.data.X, scene.kernel
    K = computing.kernel_matrix(scene)
    total = computing.norms_of(scene).frobenius or 1.0 if K is not None else 0.0
    relative, residuals, landmarks = [], [], []
    for m in ms:
        a = computing.approximation(scene, method, m, options)
        if K is None:
            relative.append(sampled_errors(X, kernel, a).relative_frobenius)
        else:
            relative.append(frobenius(residual(K, a.factor)) / total)
        residuals.append(computing.point_errors(scene, a, shown.rows))
        points = np.empty((0, X.shape[1])) if a.landmarks is None else a.landmarks
        landmarks.append(shown.place(points))
    return Strip(ms, np.array(relative), np.array(residuals), tuple(landmarks))


def _nested_strip(scene: Scene, method: str, options: Options, shown: Picture, ms: tuple[int, ...]) -> Strip:
    """All steps from one factorisation: residuals and errors fall column by column."""
    matrix = computing.matrix_of(scene)
    if method == "svd":
        matrix.eigen = computing.eigenpairs(scene.unseeded)
    rng = np.random.default_rng(scene.seed)
    selection = METHODS[method].select(matrix, ms[-1], rng, **dict(options))
    found = nested(matrix, selection)
    diagonal = scene.kernel.diag(scene.data.X)[shown.rows]
    ms = tuple(m for m in ms if m <= max(1, len(found.columns)))
    curve = np.array(list(errors_of(matrix.full(), found, ms))) / (computing.norms_of(scene).frobenius or 1.0)
    residuals = np.array([np.abs(diagonal - (found.at(m)[shown.rows] ** 2).sum(axis=1)) for m in ms])
    points = np.empty((0, 2))
    if selection.pivots is not None:
        points = shown.place(scene.data.X[selection.pivots])
    return Strip(ms, curve, residuals, tuple(points[:m] for m in ms))


def draw_matrices(scene: Scene, a: LowRank, by: str, columns: Sequence[DeltaGenerator]) -> None:
    """Draw K, K̃ and |K − K̃| on the same evenly spaced rows of one order."""
    order = computing.order(scene, by)
    count = min(scene.data.n, computing.PICTURE_ROWS)
    rows = order[np.linspace(0, len(order) - 1, count).astype(np.intp)]
    K, G = scene.kernel(scene.data.X[rows]), a.take(rows)
    gap = np.abs(K - G @ G.T)
    limits, most = (min(0.0, float(K.min())), float(K.max()) or 1.0), float(gap.max())
    pictures = (
        ("picture_K", "K", f"{counted(count, 'row')} by {ORDERS[by]}", K, limits),
        ("picture_approximation", "K̃", f"rank {a.rank}", G @ G.T, limits),
        ("picture_residual", "|K − K̃|", f"≤ {three_digits(most)}", gap, (0.0, most or 1.0)),
    )
    for column, (key, title, subtitle, entries, ends) in zip(columns, pictures, strict=True):
        figure = matrix_picture(entries, rows, ends, page.sheet(title, subtitle), magnitude=entries is gap)
        with column:
            page.show(figure, key, f"Picture of {title}, rows ordered by {ORDERS[by]}.")


def draw_spectrum(scene: Scene, choice: Choice, a: LowRank, eigenvalues: FloatArray | None) -> None:
    """Draw the eigenvalues of K with those of K̃ over them."""
    n = scene.data.n
    sampled = "" if is_exact(scene) else f"K from {computing.SPECTRUM_ROWS} sampled rows"
    if a.is_held:
        own = factor_spectrum(a.factor) / n
    else:
        # Those of the rows sampled for K, times n/s.
        sampled = f"K and K̃ from {computing.SPECTRUM_ROWS} sampled rows"
        rows = computing.drawn_rows(n, computing.SPECTRUM_ROWS)
        own = factor_spectrum(a.take(rows)) / len(rows)
    exact = None if eigenvalues is None else eigenvalues / n
    sheet = page.sheet("Eigenvalues of K and K̃", sampled)
    page.show(spectrum_chart(exact, {choice.method: own}, n, choice.m, sheet, height=320), "spectrum")


def draw_strip(
    scene: Scene, choice: Choice, axes: tuple[int, int] | None, shown: Picture, strip: Strip
) -> None:
    """Draw the strip on which m is dragged in the browser."""
    about = f"on {strip.sampled} random rows" if strip.sampled else ""
    sheet = page.sheet(f"Drag m: {choice.label} from m = 1 to {strip.ms[-1]}", about)
    top, key = scale_of(choice.method, scene.kernel, scene.data.X)
    # A link has the m of who copied it.
    linked = st.query_params.get("approximate_strip")
    start = next((k for k, m in enumerate(strip.ms) if str(m) == linked), len(strip.ms) // 2)
    make = partial(strip_chart, shown, strip, start, choice.method, top, key, sheet)
    # The chart does not depend on the m chosen above: it is built once for a method and drawn again as it is.
    what = scene.content, choice.method, choice.options, axes, shown.names
    name = ("strip chart", *what, sheet.theme.name, start)
    page.show(chart_of(scene.whole or scene.data, name, make), "strip")


@st.fragment
def live(scene: Scene) -> None:
    """Map first, then numbers and pictures; what needs an eigen-decomposition fills in when it is there."""
    place, left, right = page.places(0.66)
    with right:
        controls, table, notes = st.container(), st.empty(), st.container()
        options, axes_place = st.columns(2, gap="small")
        with controls:
            choice = choose_method(scene, options)
        with axes_place, st.popover("Axes, order", width="stretch"):
            axes = choose_axes(scene)
            offered = [by for by in ORDERS if by != "label" or scene.data.task == "classification"]
            by = box("Order of the rows", offered, "order", names=ORDERS)
    *pictures, curve = st.columns([0.19, 0.19, 0.19, 0.43], gap="small")
    question, what = (scene, choice.method, choice.m, choice.options), f"{choice.label}, m = {choice.m}"
    with left:
        spent = cost_seconds(choice.method, scene.data.n, scene.data.d, choice.m, dict(choice.options))
        a = ask(computing.approximation, *question, what=what, seconds=spent)
        if a is None:
            return
        shown = computing.picture(scene, axes)
        top, _ = scale_of(choice.method, scene.kernel, scene.data.X)
        errors = computing.point_errors(scene, a, shown.rows)
        title = f"Error at {counted(len(errors), 'point')}: at most {percent(float(errors.max()) / top)}"
        sheet = page.sheet(title, f"{what}; {scene.subtitle}")
        page.show(landmark_map(scene.data, a, shown, errors, sheet), "map")
    for note in a.notes:
        notes.caption(note)
    draw_matrices(scene, a, by, pictures)
    with curve:
        eigenvalues = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K", beside=True)
        draw_spectrum(scene, choice, a, eigenvalues)
    outcome = ask(computing.outcome, *question, what="Errors")
    asked = (scene, choice.method, choice.options, axes)
    steps = ask(strip, *asked, what="Steps of the strip", beside=True)
    if steps is not None:
        draw_strip(scene, choice, axes, shown, steps)
    if outcome is not None:
        table.html(numbers(scene, outcome, eigenvalues))
        place.markdown(page.unbroken(answer(scene, outcome, eigenvalues)))
        text = "approximate" if METHODS[choice.method].data_dependent else "approximate_random_features"
        written = rows(scene, choice, outcome, eigenvalues)
        page.closing(text, python(scene, choice), written, a.landmarks)
