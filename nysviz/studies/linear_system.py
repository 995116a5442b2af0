"""How fast is (K + μI) x = b solved? Conjugate gradients with K̃ + μI as preconditioner."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.learning.conjugate_gradients import (
    TOLERANCE,
    Solution,
    condition_bound,
    solve,
    solve_exactly,
)
from nysviz.analysis.learning.feature_trial import single_target
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.figures.drawing import with_layout
from nysviz.figures.solve import PLAIN, by_landmarks, residual_chart
from nysviz.figures.traces import Line
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.timing import RULE, timed
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.lowrank import LowRank
from nysviz.refusal import Refusal
from nysviz.studies import html, matrices
from nysviz.studies.html import Label
from nysviz.studies.matrices import load_loops
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.solving import (
    EXACT,
    FIRST_METHODS,
    NONE,
    SystemStudy,
    checked_choice,
    end_of,
    part_of,
    system_jobs,
)
from nysviz.studies.study import Ink, Runs, chart, complete, theme_of
from nysviz.sweep import Job, Problem
from nysviz.text import counted, grouped, in_seconds, three_digits

LABELS = {NONE: PLAIN, EXACT: "exact (Cholesky)"}
DASHES = {NONE: "dash", EXACT: "dot"}
SHIFTS = {1e-8: "10⁻⁸", 1e-7: "10⁻⁷", 1e-6: "10⁻⁶", 1e-5: "10⁻⁵", 1e-4: "10⁻⁴", 1e-3: "10⁻³", 1e-2: "10⁻²"}
# With this regularisation, iterations pay on the default data.
FIRST_SHIFT = 1e-4
# If K is not held, an iteration takes about half a second for 20 000 rows.
MOST_ITERATIONS, MOST_ITERATIONS_UNHELD = 1_000, 200


@dataclass(frozen=True, eq=False)
class SolvedSystem:
    """One way to solve the system: ``Solution`` without x, with the seconds of the landmarks."""

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
    def iterations_cell(self) -> str:
        """The iterations as a cell of a table."""
        return str(self.iterations) if self.converged else f"> {self.iterations}"


def shift_of(scene: Scene, relative_shift: float) -> float:
    """Return μ."""
    return relative_shift * float(scene.kernel.diag(scene.data.X).sum())


def right_side(scene: Scene) -> FloatArray:
    """Return the target of the data, or random numbers where there is none."""
    if scene.data.y is None or scene.data.task is None:
        return np.random.default_rng(scene.seed).standard_normal(scene.data.n)
    return single_target(scene.data)


def solve_system(
    problem: Problem, b: FloatArray, shift: float, seed: int, method: str, m: int
) -> tuple[SolvedSystem, ...]:
    """Solve the system with the landmarks of a method, or at one of the ends, where m is 0."""
    K = problem.matrix()
    if m:
        load_loops(method)

    def exactly() -> tuple[None, float]:
        started = time.perf_counter()
        solve_exactly(K, b, shift)
        return None, time.perf_counter() - started

    if method == EXACT:
        return (SolvedSystem(method, m, np.ones(1), True, math.nan, math.nan, timed(exactly).seconds),)

    def iterate() -> tuple[tuple[LowRank | None, Solution], float]:
        a = None if method == NONE else approximate(problem.X, problem.kernel, method, m, seed)
        max_iterations = MOST_ITERATIONS if problem.is_exact else MOST_ITERATIONS_UNHELD
        solution = solve(K, b, shift, a, max_iterations=max_iterations)
        return (a, solution), solution.seconds + (0.0 if a is None else a.seconds)

    system = timed(iterate)
    a, solution = system.result
    bound = math.nan if a is None else condition_bound(K, a, shift)
    numbers = (solution.residuals, solution.converged, solution.condition, bound, system.seconds)
    return (SolvedSystem(method, m, *numbers),)


def system_run(scene: Scene, methods: tuple[str, ...], counts: tuple[int, ...], relative_shift: float) -> Run:
    """Return the run of the systems, each with a method at an m, and of the ends."""

    def jobs(problem: Problem) -> list[Job]:
        shift = shift_of(scene, relative_shift)
        work = partial(solve_system, problem, right_side(scene), shift, scene.seed)
        ends = (NONE, EXACT) if matrices.is_exact(scene) else (NONE,)
        key = ("linear system", problem.digest, problem.kernel, scene.data.task, scene.seed, relative_shift)
        return system_jobs(key, methods, counts, ends, work)

    key = scene.data.task, relative_shift, methods, counts
    return matrices.run_on(scene, "linear system", jobs, *key, methods=methods, m=max(counts), alone=True)


def linear_system(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    *,
    methods: Sequence[str] = FIRST_METHODS,
    m: int | None = None,
    relative_shift: float = FIRST_SHIFT,
    seed: int = 0,
    theme: Ink = "light",
) -> "LinearSystem":
    """Solve (K + μI) x = b by conjugate gradients with each method's approximation as preconditioner.

    b are the targets of the data (values standardised; of classes the first against the others), or random
    numbers where there are none.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of more than 50 000 rows a random sample is taken.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of str
    m : int, optional
        Number of landmarks whose residuals are shown, by default 200 or what the rows allow. Where K is held,
        the systems are solved at 10, 20, 50 … 500 landmarks too.
    relative_shift : float
        μ / tr K.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    LinearSystem
        With ``answer``, ``table``, ``figures``; ``systems`` has a record for each method and m:
        ``residuals``, ``iterations``, ``condition``, ``bound`` (of the condition number) and ``seconds``.

    Raises
    ------
    ValueError
        An unknown method, one that is not made for the kernel, m out of range, a shift that is not above 0.

    Notes
    -----
    n² kernel evaluations an iteration where K is not held, which takes half a second for 20 000 rows.

    References
    ----------
    Díaz, Epperly, Frangella, Tropp and Webber 2023; Frangella, Tropp and Udell 2023.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.linear_system(nv.load("iris"), methods=["uniform"], m=50)
    >>> sorted(result.figures)
    ['iterations', 'residuals', 'seconds']
    """
    if not (is_finite(relative_shift) and relative_shift > 0):
        raise Refusal(f"relative_shift = {quoted(relative_shift)}; a number above 0 is needed, such as 1e-6.")
    scene = scene_of(data, kernel, seed)
    names, m = checked_choice(scene, methods, m, part_of(scene).data.n)
    study = LinearSystem(
        scene=scene, methods=names, m=m, relative_shift=float(relative_shift), theme=theme_of(theme)
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearSystem(SystemStudy):
    """The system by conjugate gradients, with each method's approximation as preconditioner."""

    relative_shift: float = FIRST_SHIFT

    name = "linear_system"
    question = "How fast is a linear system with K solved?"

    systems = Runs(system_run, "part methods counts relative_shift", "Systems solved")

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of landmarks that are measured."""
        # If K is not held, each iteration evaluates all of it.
        return self.counts_of(self.part.data.n) if self.is_exact else (self.m,)

    @property
    def shift(self) -> float:
        """The μ of the system."""
        return shift_of(self.part, self.relative_shift)

    @property
    def answer(self) -> str:
        """State the iterations with the best preconditioner and without one."""
        if not self.has("systems"):
            return ""
        records, plain = self.at_count(self.systems), end_of(self.systems, NONE)
        if not records:
            if plain is None:
                return html.WAITING
            return f"(K + μI) x = b takes **{plain.iterations_cell} iterations**."
        best = min(records, key=lambda record: (not record.converged, record.iterations))
        without = "" if plain is None else f", **{plain.iterations_cell}** without a preconditioner"
        spent = ("" if best.converged else "more than ") + counted(best.iterations, "iteration")
        landmarks = f"{counted(self.m, 'landmark')} ({METHODS[best.method].label})"
        text = f"(K + μI) x = b takes **{spent}** with {landmarks}{without}."
        if (exact := end_of(self.systems, EXACT)) is None:
            return text
        text, rows = (
            f"{text} Direct elimination (Cholesky) takes {in_seconds(exact.seconds)}",
            self.paying_rows,
        )
        if rows is None or self.fastest is None:
            return f"{text}."
        name, seconds = METHODS[self.fastest.method].label, in_seconds(self.fastest.seconds)
        text += f", the fastest with landmarks ({name}) {seconds}"
        if plain is not None and plain.converged and plain.seconds <= self.fastest.seconds:
            without = f"iterations without landmarks {in_seconds(plain.seconds)}"
            return f"{text}, and {without}, so landmarks do not pay here."
        if rows <= self.part.data.n:
            return f"{text}, so landmarks pay here."
        return f"{text}; landmarks should pay from about **n = {grouped(rows)}** on."

    @property
    def paying_rows(self) -> int | None:
        """The n at which direct elimination takes as long as the fastest with landmarks, to two digits.

        From the seconds at this n: those of elimination grow as n³, those of the iterations as n², as long as
        K is held and takes as many of them. None where elimination was not timed, or no run converged.
        """
        exact, fastest = end_of(self.systems, EXACT), self.fastest
        if exact is None or fastest is None:
            return None
        return int(float(f"{self.part.data.n * fastest.seconds / exact.seconds:.1e}"))

    @property
    def fastest(self) -> "SolvedSystem | None":
        """The run with landmarks that converged in the fewest seconds."""
        converged = (record for record in self.at_count(self.systems) if record.converged)
        return min(converged, key=lambda record: record.seconds, default=None)

    @property
    def numbers(self) -> html.NumberTable | None:
        """Iterations, milliseconds and condition number, with its bound."""
        if not self.has("systems"):
            return None
        records = [record for record in self.systems if record.m in (self.m, 0)]
        rows: list[html.Row] = []
        for record in sorted(records, key=lambda record: record.seconds):
            iterations = "–" if record.method == EXACT else record.iterations_cell
            label = Label(LABELS.get(record.method, ""), f"{record.method}_system")
            if record.m:
                label = Label.of_method(record.method)
            condition, bound = _short(record.condition), _short(record.bound)
            rows.append((label, iterations, three_digits(1e3 * record.seconds), condition, bound))
        heads = {
            "iterations": "iterations",
            "ms": "solving_ms",
            "condition number κ": "condition",
            "bound on κ": "condition_bound",
        }
        return html.NumberTable([html.PLAIN, *(Label(text, term) for text, term in heads.items())], rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say which rows and times are measured, and what the advice for other n is based on."""
        notes = [*super().notes, f"Times: {RULE}."]
        if self.is_exact:
            notes.append(
                "For larger n the time of elimination grows as n³, that of a fixed number of iterations "
                "as n²."
            )
        return notes

    def run_rows(self) -> list[dict[str, object]]:
        """Return iterations, condition numbers and seconds of all runs, and the residuals of those shown."""
        rows, part, mu = [], self.part, self.shift
        for record in sorted(self.systems, key=lambda record: (record.method, record.m)):
            begin = head(part, method=record.method, m=record.m, mu=mu)
            rows += measured(begin, {"seconds": record.seconds})
            if record.method == EXACT:
                continue
            bound = None if math.isnan(record.bound) else record.bound
            values = {"iterations": record.iterations, "condition": record.condition}
            rows += measured(begin, {**values, "condition_bound": bound})
            if record.m in (self.m, 0):
                for i, value in enumerate(record.residuals):
                    rows += measured({**begin, "iteration": i}, {"residual": float(value)})
        return rows

    @chart(
        "systems",
        caption=(
            "Each line is a preconditioner, or none: how far the solution is off after each iteration. "
            "Steeper is better; a run ends at the dotted level."
        ),
    )
    def residuals(self) -> go.Figure:
        """Draw the residuals by iteration at the chosen m, and without a preconditioner."""
        plain, lines = end_of(self.systems, NONE), []
        for record in self.at_count(self.systems):
            y, label = record.residuals, METHODS[record.method].brief
            hover = [
                f"{label}, m = {record.m}<br>iteration {i}, residual {three_digits(float(value))}"
                for i, value in enumerate(y)
            ]
            lines.append(Line(record.method, label, np.arange(len(y), dtype=np.float64), y, y, y, hover))
        subtitle = f"{self.part.subtitle}; μ = {three_digits(self.shift)}"
        sheet = self.sheet("Residual by iteration", subtitle)
        return residual_chart(lines, plain and plain.residuals, TOLERANCE, sheet)

    @chart(
        "systems",
        when=lambda study: study.is_exact,
        caption=(
            "Each line is a method: how many iterations its preconditioner needs with m landmarks. Lower "
            "is better; the level line is without a preconditioner."
        ),
    )
    def iterations(self) -> go.Figure:
        """Draw the iterations against m."""
        plain = end_of(self.systems, NONE)
        levels = [] if plain is None else [(float(plain.iterations), PLAIN, DASHES[NONE])]
        lines = self.curves(self.systems, lambda record: record.iterations, "{:.0f}".format)
        sheet = self.sheet(f"Iterations to a residual of {SHIFTS[TOLERANCE]}")
        figure = by_landmarks(lines, levels, self.counts, self.m, "iterations", sheet)
        return with_layout(figure, showlegend=False)

    @chart(
        "systems",
        when=lambda study: study.is_exact,
        caption=(
            "Each line is a method: the time until the system is solved on this server, choice of "
            "landmarks included. Lower is better; landmarks pay where a line lies below both level lines."
        ),
    )
    def seconds(self) -> go.Figure:
        """Draw the seconds against m."""
        ends = [record for record in self.systems if not record.m]
        levels = [(record.seconds, LABELS[record.method], DASHES[record.method]) for record in ends]
        lines = self.curves(self.systems, lambda record: record.seconds, in_seconds)
        sheet = self.sheet("Time, choice of landmarks included")
        return by_landmarks(lines, levels, self.counts, self.m, "seconds", sheet)


def _short(value: float) -> str:
    return grouped(round(float(f"{value:.2e}"))) if 1000 <= value < 1e6 else three_digits(value)
