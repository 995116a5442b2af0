"""The third view of the page "Bounds": chains of the k-DPP from two starts, watched as they swap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.figures.bounds import chain_chart
from nysviz.papers.oglic2017.figures import mixing_jobs
from nysviz.refusal import Refusal
from nysviz.steps.mixing import STARTS, checkpoints
from nysviz.sweep import Record
from nysviz.text import grouped, ranged, signed
from nysviz.ui import computing, page
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import stops
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import Scene, head, script

COUNTS = (2, 5, 10, 20, 50, 100, 200)
CHAINS = 5
# Of the rows, so that there are others to swap in.
LARGEST_SHARE = 0.5
COMPARED = (1_000, 10_000)
# Each measure that is drawn, with the key, the quantity and the title of its chart.
CHARTS = {
    "log_determinant": ("mixing", "ln det W", "When do the two starts meet?"),
    "relative_frobenius": (
        "mixing_error",
        "‖K − K̃‖<sub>F</sub> / ‖K‖<sub>F</sub>",
        "What becomes of the error?",
    ),
    "kept": ("mixing_kept", "part of the start's landmarks left", "How much of the start is left?"),
}
# And the number of eigenvalues of W that are rounding.
MEASURES = (*CHARTS, "singular")


@dataclass(frozen=True, eq=False)
class Chains:
    """Chains among n rows from both starts at the same checkpoints: measure → start → (chains, t) values."""

    n: int
    m: int
    steps: tuple[int, ...]
    values: Mapping[str, Mapping[str, FloatArray]]

    def median(self, measure: str, start: str, steps: int) -> float:
        """Median over the chains after so many steps."""
        return float(np.median(self.values[measure][start][:, self.steps.index(steps)]))


def show(scene: Scene) -> None:
    """Draw the whole view."""
    whole = scene.data.n
    _, scene = computing.sampled(scene)
    n = scene.data.n
    counts = [m for m in COUNTS if m <= LARGEST_SHARE * n]
    if not counts:
        raise Refusal(f"n = {n}; a chain of swaps needs at least {2 * COUNTS[0]} rows.")
    answer = page.answer_place()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        m = stops("Landmarks", counts, "bounds_chain", 50)
        table = st.container()
        if n < whole:
            st.caption(f"The chains run on {n} random rows of {whole}.")
    below = st.container()
    run = computing.run_on(
        scene, "bounds mixing", lambda problem: mixing_jobs(problem, m, CHAINS, scene.seed), m
    )

    def draw(records: Sequence[Record]) -> None:
        found = chains_of(records, n, m)
        if found is None:
            answer.empty()
            table.empty()
            st.caption("The first two chains are on their way.")
            return
        answer.markdown(page.unbroken(_answer(found)))
        table.html(_numbers(found))
        count = ranged((len(runs) for runs in found.values["kept"].values()), "chain")
        subtitle = f"{scene.subtitle}; m = {m}; {count} a start, medians and quartiles"
        _draw_chart(found, "log_determinant", subtitle, 430)

    with left:
        follow(run, draw, what=f"{2 * CHAINS} chains")
    with below:
        found = chains_of(run.records(), n, m) if at_rest(run) else None
        if found is not None:
            first, second = st.columns(2, gap="medium")
            same = f"the same chains, m = {m}"
            sampled = "" if computing.is_exact(scene) else "estimated from sampled rows; "
            with first:
                _draw_chart(found, "relative_frobenius", f"{sampled}{same}")
            with second:
                _draw_chart(found, "kept", same)
        numbers = partial(_rows, scene, found, run.records())
        page.closing("bounds_mixing", _python(scene, m), numbers)


def chains_of(records: Sequence[Record], n: int, m: int) -> Chains | None:
    """Return the chains that are there by start; None before there is one from either start."""
    runs: dict[str, dict[int, list[Record]]] = {start: {} for start in STARTS}
    for record in records:
        runs[str(dict(record.options)["start"])].setdefault(record.repeat, []).append(record)
    if not all(runs.values()):
        return None

    def values_of(measure: str, start: str) -> FloatArray:
        chains = [chain for _, chain in sorted(runs[start].items())]
        return np.array([[moment.values[measure] for moment in chain] for chain in chains])

    values = {measure: {start: values_of(measure, start) for start in STARTS} for measure in MEASURES}
    return Chains(n, m, checkpoints(n), values)


def _draw_chart(found: Chains, measure: str, subtitle: str, height: int = 340) -> None:
    key, quantity, title = CHARTS[measure]
    sheet = page.sheet(title, subtitle)
    figure = chain_chart(found.steps, found.values[measure], quantity, found.n, sheet, height)
    page.show(figure, key, f"{quantity} against swap steps. {title}.")


def _answer(found: Chains) -> str:
    after, before = (
        [signed(found.median("log_determinant", start, steps)) for start in STARTS]
        for steps in (COMPARED[0], 0)
    )
    return (
        f"Median ln det W after {COMPARED[0]} steps: **{after[0]}** from uniform starts, **{after[1]}** from "
        f"k-means++ starts; before, {before[0]} and {before[1]}."
    )


def _numbers(found: Chains) -> str:
    """Return medians at the start and after the compared numbers of steps as a table."""
    last, rows = grouped(COMPARED[1]), []
    for name, measure in (("ln det W", "log_determinant"), ("error", "relative_frobenius")):
        for steps in (0, *COMPARED):
            when = "start" if steps == 0 else f"{grouped(steps)} steps"
            one, other = (signed(found.median(measure, start, steps)) for start in STARTS)
            rows.append((f"{name}, {when}", one, other))
    left = [f"{100 * found.median('kept', start, COMPARED[1]):.3g} %" for start in STARTS]
    lost = [f"{found.median('singular', start, COMPARED[1]):.0f}" for start in STARTS]
    rows.append((f"landmarks left, {last} steps", left[0], left[1]))
    rows.append((f"eigenvalues of W that are rounding, {last} steps", lost[0], lost[1]))
    return page.number_table(("median of the chains", "uniform", "k-means++"), rows)


def _rows(scene: Scene, found: Chains | None, records: Sequence[Record]) -> list[dict[str, object]]:
    """Every chain at every checkpoint, and the medians of the table."""
    rows = []
    for record in records:
        more = {"start": dict(record.options)["start"], "steps": int(record.values["steps"])}
        rows += of_records([record], scene.data.name, **more)
    if found is None:
        return rows
    for measure in CHARTS:
        for start in STARTS:
            for steps in (0, *COMPARED):
                begin = head(scene, method="dpp", m=found.m, start=start, steps=steps)
                rows += measured(begin, {f"median_{measure}": found.median(measure, start, steps)})
    return rows


def _python(scene: Scene, m: int) -> str:
    return script(
        scene,
        """from collections import defaultdict
from statistics import median
from nysviz.papers.oglic2017.figures import mixing_jobs
from nysviz.sweep import Problem, run_jobs""",
        f"""{computing.problem_code(scene)}
jobs = mixing_jobs(problem, m={m}, chains={CHAINS}, seed={scene.seed})
medians = defaultdict(list)
for finished in run_jobs(jobs):
    for record in finished.records:
        start, steps = dict(record.options)["start"], int(record.values["steps"])
        for measure, value in record.values.items():
            print(f"repeat={{record.repeat}} start={{start}} steps={{steps}}", measure, value)
            medians[start, steps, measure].append(value)
for (start, steps, measure), values in medians.items():
    if steps in {(0, *COMPARED)!r} and measure in {(*CHARTS,)!r}:
        print(f"start={{start}} steps={{steps}} median_{{measure}}", median(values))""",
    )
