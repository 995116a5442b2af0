"""What the page "Step by step" computes and says: how each method chooses, and why each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.steps import Film
from nysviz.landmarks import METHODS
from nysviz.matrix import KernelMatrix
from nysviz.projection import row_order
from nysviz.refusal import Refusal
from nysviz.steps import Step, Trace, trace
from nysviz.text import capital, counted, three_digits
from nysviz.ui.asking import shared
from nysviz.ui.computing import Options
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, script


@dataclass(frozen=True)
class Question:
    """Methods, each with its options; steps; landmarks of the methods that keep their number."""

    methods: tuple[tuple[str, Options], ...]
    steps: int
    landmarks: int
    axes: tuple[int, int] | None


# Rows that are traced at most.
ROWS = 500
# Methods that keep their number of landmarks: a step swaps one, or moves all.
FIXED = ("dpp", "kmeans")


def traced_rows(scene: Scene) -> IntArray:
    """Return the numbers of the rows that the page is about: all, or the same random ones each time."""
    n = scene.data.n
    return np.arange(n) if n <= ROWS else np.sort(np.random.default_rng(0).permutation(n)[:ROWS])


@shared()
def kernel_matrix(scene: Scene) -> FloatArray:
    """Return K of the traced rows."""
    return scene.kernel(scene.data.X[traced_rows(scene)])


@shared()
def order(scene: Scene, by: str) -> IntArray:
    """Return the order of the traced rows in the picture of the residual."""
    rows, data = traced_rows(scene), scene.data
    return row_order(data.X[rows], None if data.y is None else data.y[rows], scene.kernel, by)


@shared()
def traced(scene: Scene, method: str, steps: int, landmarks: int, options: Options) -> Trace:
    """Follow a method for so many steps; ``landmarks`` counts for those that keep their number."""
    K = KernelMatrix(scene.data.X[traced_rows(scene)], scene.kernel, dense=kernel_matrix(scene.unseeded))
    rng = np.random.default_rng(scene.seed)
    kept = landmarks if method in FIXED else None
    found = trace(K, method, steps, rng, landmarks=kept, **dict(options))
    if not len(found):
        raise Refusal(f"{METHODS[method].label}: {' '.join(found.notes[-1:]) or 'no steps.'}")
    return found


def rows(scene: Scene, traces: Sequence[Trace]) -> list[dict[str, object]]:
    """Return the error before the first step and after each; what each step chose, and by which value."""
    numbers, found = traced_rows(scene), []
    for one in traces:
        begin = head(scene, method=one.method, rows=len(numbers))
        for t, error in enumerate(one.errors):
            values: dict[str, object] = {"relative_frobenius": error, "trace": one.residuals[t].sum()}
            step = one.steps[t - 1] if t else None
            if step and step.pick is not None:
                values |= {"row": int(numbers[step.pick]), "criterion": step.value, "place": step.place}
            if step and step.leaving is not None:
                values |= {"leaving": int(numbers[step.leaving]), "accepted": int(step.accepted)}
            if step and step.moves is not None:
                values |= {"largest_move": step.moves.max(), "moving": int((step.moves > 0).sum())}
            found += measured({**begin, "step": t}, values)
    return found


def python(scene: Scene, methods: Sequence[tuple[str, Options]], steps: int, landmarks: int) -> str:
    """Write the script that prints these numbers."""
    sampled = f"np.sort(np.random.default_rng(0).permutation(data.n)[:{ROWS}])"
    rows = sampled if scene.data.n > ROWS else "np.arange(data.n)"
    settings = {
        method: ({"landmarks": landmarks} if method in FIXED else {}) | dict(options)
        for method, options in methods
    }
    return script(
        scene,
        "import numpy as np\nfrom nysviz.matrix import KernelMatrix\nfrom nysviz.steps import trace",
        f"""rows = {rows}
K = KernelMatrix(data.X[rows], kernel, dense=kernel(data.X[rows]))
for method, settings in {settings!r}.items():
    found = trace(K, method, {steps}, np.random.default_rng({scene.seed}), **settings)
    for t, error in enumerate(found.errors):
        values = {{"relative_frobenius": error, "trace": found.residuals[t].sum()}}
        step = found.steps[t - 1] if t else None
        if step and step.pick is not None:
            values |= {{"row": rows[step.pick], "criterion": step.value, "place": step.place}}
        if step and step.leaving is not None:
            values |= {{"leaving": rows[step.leaving], "accepted": int(step.accepted)}}
        if step and step.moves is not None:
            values |= {{"largest_move": step.moves.max(), "moving": (step.moves > 0).sum()}}
        for name, value in values.items():
            print(f"method={{method}} step={{t}}", name, value)""",
    )


# For each method how it chooses, and the name of its criterion.
RULES = {
    "icd": ("always takes the row with the largest residual", "residual"),
    "rpcholesky": ("draws each row in proportion to its residual", "probability"),
    "greedy": ("always takes the row whose column explains most of the residual", "gain"),
    "sgma": ("takes the best of a few random candidates", "gain"),
    "partition_greedy": ("takes the row that explains most of the sums over random groups", "grouped gain"),
    "kmeanspp": ("draws each row in proportion to its squared distance from the landmarks", "probability"),
    "farthest": ("always takes the row farthest from its landmarks, in feature space", "squared distance"),
    "adaptive_full": ("draws rounds of rows, each in proportion to its column's residual", "probability"),
    "adaptive_partial": ("draws rounds of rows by an error estimated from its columns", "probability"),
    "arp": ("draws each row in proportion to what is left of its leading eigenvectors", "probability"),
    "uniform": ("draws any row that is left, all with the same probability", "probability"),
    "dpp": ("proposes random swaps, and favours those that enlarge the determinant", "determinant ratio"),
    "kmeans": ("moves every centre to the mean of its cluster", "squared distance to the centre"),
}


def why(film: Film, t: int) -> str:
    """Say what was chosen in frame t (from 1), and why."""
    if t > len(film.trace):
        return f"Ended after step {len(film.trace)}: nothing is left to do."
    step = film.step(t)
    if step.moves is not None:
        moving = int((step.moves > 0).sum())
        return (
            f"{moving} of {counted(len(step.moves), 'centre')} moved, by at most "
            f"{three_digits(float(step.moves.max()))}. Before, the squared distances to the nearest centres "
            f"summed to {three_digits(float(step.criterion.sum()))}."
        )
    if step.leaving is not None:
        outcome = "accepted" if step.accepted else "rejected"
        return (
            f"Row {film.rows[step.pick]} for row {film.rows[step.leaving]}: the determinant changes "
            f"{three_digits(step.value)} times, so the swap has probability "
            f"{three_digits(min(1.0, step.value))}: {outcome}."
        )
    return _picked(film, step)


def _picked(film: Film, step: Step) -> str:
    name, row = RULES[film.trace.method][1], f"Row {film.rows[step.pick]}"
    if name == "probability":
        text = f"{row} is drawn with probability {three_digits(100 * step.value)} %"
        if step.round_place is not None:
            text += ", in round {}, draw {} of {}".format(*step.round_place)
        return f"{text}; number {step.place} of {counted(step.candidates, 'row')} by probability."
    equals = int(np.isclose(step.criterion, step.value, rtol=1e-9).sum())
    text = f"{row} has the largest {name} of {counted(step.candidates, 'row')}: {three_digits(step.value)}"
    return f"{text}, as {equals - 1} more have." if equals > 1 else f"{text}."


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
        # Of fewer landmarks than a method keeps it has no error.
        t = max((t for t in range(1, len(one) + 1) if _landmarks(one, t) <= m), default=len(one))
        error, count = three_digits(float(one.errors[t])), counted(_landmarks(one, t), "landmark")
        after = f" after {counted(t, 'step')}" if one.method in FIXED else ""
        sentences.append(
            f"**{capital(METHODS[one.method].label)}** {RULES[one.method][0]}; relative error **{error}** "
            f"with {count}{after}."
        )
    return " ".join(sentences)
