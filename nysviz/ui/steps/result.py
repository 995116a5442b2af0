"""The traces behind the page "Step by step", its numbers as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.landmarks import METHODS
from nysviz.matrix import KernelMatrix
from nysviz.projection import row_order
from nysviz.refusal import Refusal
from nysviz.steps import Trace, trace
from nysviz.ui.asking import shared
from nysviz.ui.computing import Options
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code

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
    number = f"np.sort(np.random.default_rng(0).permutation(data.n)[:{ROWS}])"
    rows = number if scene.data.n > ROWS else "np.arange(data.n)"
    settings = {
        method: ({"landmarks": landmarks} if method in FIXED else {}) | dict(options)
        for method, options in methods
    }
    return f"""import numpy as np
import nysviz as nv
from nysviz.matrix import KernelMatrix
from nysviz.steps import trace

data = {loading_code(scene)}
rows = {rows}
kernel = nv.{scene.kernel!r}
K = KernelMatrix(data.X[rows], kernel, dense=kernel(data.X[rows]))
for method, settings in {settings!r}.items():
    found = trace(K, method, {steps}, np.random.default_rng({scene.seed}), **settings)
    for t, error in enumerate(found.errors):
        at = f"method={{method}} step={{t}}"
        print(at, "relative_frobenius", error)
        print(at, "trace", found.residuals[t].sum())
        step = found.steps[t - 1] if t else None
        if step and step.pick is not None:
            print(at, "row", rows[step.pick])
            print(at, "criterion", step.value)
            print(at, "place", step.place)
        if step and step.leaving is not None:
            print(at, "leaving", rows[step.leaving])
            print(at, "accepted", int(step.accepted))
        if step and step.moves is not None:
            print(at, "largest_move", step.moves.max())
            print(at, "moving", (step.moves > 0).sum())"""
