"""The numbers of the page "Step by step" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.figures.steps import Film
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code


def rows(scene: Scene, films: Sequence[Film]) -> list[dict[str, object]]:
    """The error before the first step and after each; what each step chose, and by which value."""
    found = []
    for film in films:
        trace = film.trace
        begin = head(scene, method=trace.method, rows=len(film.rows))
        for t, error in enumerate(trace.errors):
            values: dict[str, object] = {"relative_frobenius": error, "trace": trace.residuals[t].sum()}
            if t:
                step = trace.steps[t - 1]
                if step.pick is not None:
                    values |= {"row": int(film.rows[step.pick]), "criterion": step.value, "place": step.place}
                if step.leaving is not None:
                    values |= {"leaving": int(film.rows[step.leaving]), "accepted": int(step.accepted)}
                if step.moves is not None:
                    moves = np.asarray(step.moves)
                    values |= {"largest_move": float(moves.max()), "moving": int((moves > 0).sum())}
            found += measured({**begin, "step": t}, values)
    return found


def python(scene: Scene, calls: Sequence[tuple[str, str]], steps: int, sampled: int | None) -> str:
    """Write the script: ``calls`` are the methods with their settings, ``sampled`` the rows if not all."""
    rows = "np.arange(data.n)"
    if sampled is not None:
        rows = f"np.sort(np.random.default_rng(0).permutation(data.n)[:{sampled}])"
    methods = "".join(f"    {method!r}: dict({settings}),\n" for method, settings in calls)
    return f"""import numpy as np
import nysviz as nv
from nysviz.matrix import KernelMatrix
from nysviz.steps import trace

data = {loading_code(scene)}
rows = {rows}
kernel = nv.{scene.kernel!r}
K = KernelMatrix(data.X[rows], kernel, dense=kernel(data.X[rows]))
methods = {{
{methods}}}
for method, settings in methods.items():
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
            print(at, "largest_move", np.max(step.moves))
            print(at, "moving", np.sum(np.asarray(step.moves) > 0))"""
