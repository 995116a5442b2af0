"""What the view "Linear system" of the page "Solve" computes and says."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray
from nysviz.landmarks import METHODS
from nysviz.learning.conjugate_gradients import condition_bound, solve, solve_exactly
from nysviz.learning.feature_trial import single_target
from nysviz.sweep import Job, Problem
from nysviz.text import counted, grouped, in_seconds, three_digits
from nysviz.ui import computing, page
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, script
from nysviz.ui.work.runs import Run

# The two ends: no preconditioner, and a factorisation of all of K.
NONE, EXACT = "none", "exact"
LABELS = {NONE: "no preconditioner", EXACT: "exact (Cholesky)"}
# Where K is not held an iteration takes a second or so, for 20 000 rows.
MOST_ITERATIONS, MOST_IN_BLOCKS = 1_000, 200
WARM_ROWS = 60


@dataclass(frozen=True)
class Question:
    """Methods at several m, one of which is shown, and μ / tr K."""

    methods: tuple[str, ...]
    m: int
    ms: tuple[int, ...]
    share: float


@dataclass(frozen=True, eq=False)
class Solved:
    """One way to solve the system: what ``Solution`` has but for x, and the seconds of the landmarks."""

    method: str
    m: int
    residuals: FloatArray
    converged: bool
    condition: float
    bound: float
    seconds: float

    @property
    def iterations(self) -> int:
        """Products with K."""
        return len(self.residuals) - 1

    @property
    def written(self) -> str:
        """Iterations as a table has them."""
        return str(self.iterations) if self.converged else f"> {self.iterations}"


def label(method: str) -> str:
    """Name a method or an end."""
    return LABELS.get(method) or METHODS[method].label


def run_of(scene: Scene, question: Question) -> Run:
    """Return the run of all ways to solve it."""
    share, methods, ms = question.share, question.methods, question.ms
    return computing.run_on(
        scene,
        "linear system",
        partial(_jobs, scene, question),
        share,
        methods,
        ms,
        methods=methods,
        m=max(ms),
        alone=True,
    )


def _jobs(scene: Scene, question: Question, problem: Problem) -> list[Job]:
    first, *others = question.ms
    asked = [(method, first) for method in question.methods] + [(NONE, 0)]
    asked += [(EXACT, 0)] if computing.is_exact(scene) else []
    asked += [(method, m) for m in others for method in question.methods]
    b, shift = right_side(scene), shift_of(scene, question)
    found = []
    for method, m in asked:
        key = ("linear system", problem.digest, problem.kernel, method, m, question.share, scene.seed)
        work = partial(_solved, problem, b, shift, method, m, scene.seed)
        found.append(Job(key, ("linear system", method == NONE), 1.0 + m / 100.0, work))
    return found


def shift_of(scene: Scene, question: Question) -> float:
    """Return μ."""
    return question.share * float(scene.kernel.diag(scene.data.X).sum())


def right_side(scene: Scene) -> FloatArray:
    """Return the target of the data, or random numbers where there is none."""
    if scene.data.y is None or scene.data.task is None:
        return np.random.default_rng(scene.seed).standard_normal(scene.data.n)
    return single_target(scene.data)


def _solved(
    problem: Problem, b: FloatArray, shift: float, method: str, m: int, seed: int
) -> tuple[Solved, ...]:
    K = problem.matrix()
    if m:
        # Loops are loaded before time is taken.
        approximate(problem.X[:WARM_ROWS], problem.kernel, method, 1)
    started = time.perf_counter()
    if method == EXACT:
        solve_exactly(K, b, shift)
        spent = time.perf_counter() - started
        return (Solved(method, m, np.ones(1), True, math.nan, math.nan, spent),)
    a = None if method == NONE else approximate(problem.X, problem.kernel, method, m, seed)
    found = solve(K, b, shift, a, most=_most(problem.is_exact))
    bound = math.nan if a is None else condition_bound(K, a, shift)
    spent = found.seconds + (0.0 if a is None else a.seconds)
    return (Solved(method, m, found.residuals, found.converged, found.condition, bound, spent),)


def _most(is_exact: bool) -> int:
    return MOST_ITERATIONS if is_exact else MOST_IN_BLOCKS


def at(records: Sequence[Solved], m: int) -> list[Solved]:
    """Return what is there of the chosen m, and the ends."""
    return [one for one in records if one.m in (m, 0)]


def best_of(records: Sequence[Solved]) -> Solved | None:
    """Return the preconditioner with the fewest iterations."""
    ours = [one for one in records if one.m]
    return min(ours, key=lambda one: (not one.converged, one.iterations), default=None)


def answer(question: Question, records: Sequence[Solved]) -> str:
    """Answer the page's question in one sentence."""
    here = at(records, question.m)
    best, plain = best_of(here), next((one for one in here if one.method == NONE), None)
    if best is None:
        return f"No preconditioner with m = {question.m} is there yet."
    without = "" if plain is None else f"; without a preconditioner it takes **{plain.written}**"
    spent = ("" if best.converged else "more than ") + counted(best.iterations, "iteration")
    of = f"{question.m} landmarks ({label(best.method)})"
    return f"(K + μI) x = b is solved in **{spent}** with {of}{without}."


def numbers(question: Question, records: Sequence[Solved]) -> str:
    """Return the table: iterations, seconds and condition number, with its bound."""
    rows = []
    for one in sorted(at(records, question.m), key=lambda one: one.seconds):
        shown = "–" if one.method == EXACT else one.written
        condition = "–" if math.isnan(one.condition) else _short(one.condition)
        bound = "–" if math.isnan(one.bound) else _short(one.bound)
        name = METHODS[one.method].brief if one.m else label(one.method)
        rows.append((name, shown, in_seconds(one.seconds), condition, bound))
    return page.number_table(("", "iterations", "time", "κ", "κ ≤"), rows)


def _short(value: float) -> str:
    return three_digits(value) if value < 1000 or value >= 1e6 else grouped(round(float(f"{value:.2e}")))


def rows(scene: Scene, question: Question, records: Sequence[Solved]) -> list[dict[str, object]]:
    """Return iterations, condition numbers and seconds of all runs, and the residuals of those shown."""
    found = []
    for one in sorted(records, key=lambda one: (one.method, one.m)):
        begin = head(scene, method=one.method, m=one.m, mu=shift_of(scene, question))
        found += measured(begin, {"seconds": one.seconds})
        if one.method == EXACT:
            continue
        bound = None if math.isnan(one.bound) else one.bound
        values = {"iterations": one.iterations, "condition": one.condition, "condition_bound": bound}
        found += measured(begin, values)
        if one.m in (question.m, 0):
            for i, value in enumerate(one.residuals):
                found += measured({**begin, "iteration": i}, {"residual": float(value)})
    return found


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    dense = ", dense=kernel(data.X)" if computing.is_exact(scene) else ""
    b = f"np.random.default_rng({scene.seed}).standard_normal(data.n)"
    if scene.data.y is not None and scene.data.task is not None:
        b = "single_target(data)"
    return script(
        scene,
        """import numpy as np
from nysviz.learning.conjugate_gradients import condition_bound, solve
from nysviz.learning.feature_trial import single_target
from nysviz.matrix import KernelMatrix""",
        f"""K = KernelMatrix(data.X, kernel{dense})
b, shift = {b}, {question.share!r} * float(kernel.diag(data.X).sum())
for method, m in [("{NONE}", 0), *((method, m) for method in {list(question.methods)!r} for m in \
{sorted(question.ms)})]:
    a = None if m == 0 else nv.approximate(data.X, kernel, method, m, {scene.seed})
    found = solve(K, b, shift, a, most={_most(computing.is_exact(scene))})
    print(f"method={{method}} m={{m}} iterations", found.iterations)
    print(f"method={{method}} m={{m}} condition", found.condition)
    if a is not None and not np.isnan(bound := condition_bound(K, a, shift)):
        print(f"method={{method}} m={{m}} condition_bound", bound)
    if m in (0, {question.m}):
        for i, residual in enumerate(found.residuals):
            print(f"method={{method}} m={{m}} iteration={{i}} residual", residual)""",
    )
