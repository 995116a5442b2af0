"""Which method, how many landmarks and which bandwidth suit given data: measured, not guessed.

In two stages. Every method is first run on parts of the rows (all of them where they are few), from few
landmarks to as many as the target needs; ``curve.py`` says how these errors carry over to all rows, and
``timing.py`` how time does. The first one or two are then run on all rows, and their number of
landmarks is mended until it is the smallest that meets the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.advice.bandwidths import (
    Width,
    best_loss,
    chosen_width,
    default_kernel,
    is_enough,
    learned,
    sigma_of,
    task_of,
    width_jobs,
)
from nysviz.advice.candidates import Budget, Candidate, beyond, candidates
from nysviz.advice.columns import Columns, columns, repeated_rows
from nysviz.advice.curve import curve_of, curves_of
from nysviz.advice.distances import (
    DISTANCE_ROWS,
    PERCENTILES,
    REPEATED,
    Distances,
    Percentile,
    pairwise_distances,
)
from nysviz.advice.floor import Floor, floor_job
from nysviz.advice.question import DEFAULT_METHODS, NORMS, Question
from nysviz.advice.screening import Tried, screen_jobs
from nysviz.advice.second_stage import second_stage_job
from nysviz.advice.standard_bandwidths import WORTH, Bandwidth, standard_bandwidths, suggested
from nysviz.advice.trial import (
    FIRST_LANDMARKS,
    MOST_LANDMARKS,
    TARGETS,
    TRIAL_ROWS,
    TRIALS,
    Landmarks,
    Trials,
    enough_landmarks,
    trials,
)
from nysviz.advice.verifying import Verified
from nysviz.blocks import FloatArray
from nysviz.counts import checked_sequence, seen
from nysviz.kernels import Gaussian, Kernel
from nysviz.landmarks import METHODS
from nysviz.memory import in_words
from nysviz.rows import checked_rows
from nysviz.sweep import Job, run_jobs
from nysviz.text import grouped, in_seconds, three_digits


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Methods in order, with what was measured of them.

    Attributes
    ----------
    asked : Question
    budget : Budget
    candidates : tuple of Candidate
        The recommended one first; those that cannot meet target or budget last, with the reason.
    floor : Floor or None
        Errors of the best rank.
    widths : tuple of Width
        By bandwidth, narrowest first.
    """

    asked: Question
    budget: Budget
    candidates: tuple[Candidate, ...]
    floor: Floor | None = None
    widths: tuple[Width, ...] = ()

    @property
    def best(self) -> Candidate | None:
        """The recommended one; None where none meets the target within the budget."""
        first = self.candidates[0] if self.candidates else None
        return first if first is not None and first.meets else None

    @property
    def is_out_of_reach(self) -> bool:
        """Whether even the best rank needs more than the most landmarks that are tried."""
        return self.floor is not None and self.floor.at(self.asked.most()) > self.asked.target

    def wider(self) -> Width | None:
        """The narrowest bandwidth, wider than the one asked about, that surely meets the target."""
        own = sigma_of(self.asked.kernel) or math.inf
        fitting = [one for one in self.widths if one.sigma > own and one.high is not None]
        return min(fitting, key=lambda one: one.sigma, default=None)

    def __str__(self) -> str:
        """Return the sentence, and the candidates as a table."""
        head = ("", "method", "m", "error", "90 % of runs", "seconds", "memory", "why")
        rows = [head]
        for place, one in enumerate(self.candidates, 1):
            rows.append(
                (
                    str(place) if one.meets else "–",
                    one.method + (" *" if one.verified else ""),
                    str(one.m),
                    three_digits(one.error.value),
                    f"{three_digits(one.error.low)} to {three_digits(one.error.high)}",
                    three_digits(one.seconds.value),
                    in_words(one.bytes),
                    one.reason,
                )
            )
        widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
        lines = [
            "  ".join(f"{cell:{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        note = "* measured on all rows; the others are predicted from parts of them."
        if self.asked.uses_all_rows:
            note = "* measured at this very m; the others are read off their curves, measured on all rows."
        return "\n".join([sentence(self), "", *lines, note])


def sentence(found: Recommendation) -> str:
    """Return the recommendation in plain words, or why there is none and what would help."""
    asked, best = found.asked, found.best
    norm = "trace" if asked.norm == "trace" else "Frobenius"
    if best is not None:
        how = _how(asked, best)
        return (
            f"Take {best.label} with m = {best.m}: relative {norm} error {three_digits(best.error.value)} "
            f"({_interval(best)}{how}), {in_seconds(best.seconds.value)}, "
            f"{in_words(best.bytes)}."
        )
    if found.is_out_of_reach and found.floor is not None:
        most = asked.most()
        return (
            f"No approximation of rank {most} or less leaves {asked.target:g}: the best one leaves "
            f"{three_digits(found.floor.at(most))}, since the eigenvalues of K fall too slowly."
            f"{_offer(found)}"
        )
    if not found.candidates:
        return "Nothing was measured."
    nearest = found.candidates[0]
    text = (
        f"No method leaves {asked.target:g} within what was asked; {nearest.label} comes nearest, with "
        f"m = {nearest.m} and error {three_digits(nearest.error.value)}{beyond(asked, nearest)}."
    )
    if found.floor is not None and nearest.m:
        text += f" The best possible of that rank leaves {three_digits(found.floor.at(nearest.m))}."
    return text + _offer(found)


def _offer(found: Recommendation) -> str:
    """Offer a wider bandwidth, where one was tried that needs fewer landmarks."""
    wider, own = found.wider(), sigma_of(found.asked.kernel)
    if wider is None or own is None:
        return ""
    # Not ``wider.multiple``, which counts from the default width where the labels chose another one.
    return (
        f" With σ = {three_digits(wider.sigma)}, {three_digits(wider.sigma / own)} times the present σ, "
        f"m = {wider.m} is enough in the mean (randomly pivoted Cholesky)."
    )


def _interval(best: Candidate) -> str:
    # A single run of a random method tells nothing of the next one.
    if best.verified is None and best.curve.runs == 1 and METHODS[best.method].random:
        return "a single run, "
    return f"{three_digits(best.error.low)} to {three_digits(best.error.high)}, "


def _how(asked: Question, best: Candidate) -> str:
    if best.verified is None:
        part = f"{grouped(best.curve.size)} of {grouped(asked.n)} rows"
        return "on all rows" if asked.uses_all_rows else f"predicted from {part}"
    rows = best.verified.rows
    return (
        f"measured on all {grouped(asked.n)} rows"
        if rows == asked.n
        else f"measured on {grouped(rows)} of {grouped(asked.n)} rows"
    )


def recommend(
    X: FloatArray,
    kernel: Kernel | None = None,
    target: float = 0.05,
    norm: str = "trace",
    *,
    seconds: float | None = None,
    memory: float | None = None,
    y: Any = None,
    task: str | None = None,
    seed: int = 0,
    methods: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Recommendation:
    """Recommend a method and a number of landmarks for a target error, from measurements on these data.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel, optional
        Without one, a Gaussian. Its bandwidth is then the widest of seven around Zhang's default width that
        predicts ``y`` as well as the best, by cross-validation, also with the landmarks that the target
        needs; without labels it is the default width, since an error of approximation cannot choose a
        bandwidth: a wider one is always easier.
    target : float
        Relative error ‖K − K̃‖ / ‖K‖ that may be left, between 0 and 1.
    norm : "trace" or "frobenius"
    seconds, memory : float, optional
        What one approximation of all rows may take, in seconds and in bytes beside X.
    y : (n,) array, optional
        Classes or values, for the choice of the bandwidth alone.
    task : "classification" or "regression", optional
        What ``y`` holds; without it, words and few whole numbers are classes.
    seed : int
    methods : sequence of str, optional
        Ids of ``METHODS`` to choose among; by default ``DEFAULT_METHODS``.
    progress : callable, optional
        ``progress(done, total)`` after each run of a stage.

    Returns
    -------
    Recommendation
        Print it, or read its ``candidates``. Up to 3 000 rows all runs see all rows; above, parts of
        at most 2 000 rows, and O(n) for each method that is run on all of them at the end.

    Raises
    ------
    ValueError
        X empty or not finite, a target outside (0, 1), an unknown norm or method, a budget of 0 or less.

    Examples
    --------
    >>> import nysviz as nv
    >>> found = nv.recommend(nv.load("iris").X, target=0.1, methods=["uniform", "icd"])
    >>> found.best.meets and found.best.error.high <= 0.1
    True
    """
    budget = Budget(seconds, memory)
    X = checked_rows(X)
    chosen = default_kernel(X) if kernel is None else kernel
    if y is not None:
        y = np.asarray(y)
        if y.shape != (X.shape[0],):
            raise ValueError(f"y has the shape {y.shape} and X {X.shape[0]} rows; one value a row is needed.")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("y holds NaN or infinity; remove or fill them first.")
    if task not in (None, "classification", "regression"):
        raise ValueError(f"task = {seen(task)}; 'classification', 'regression' or None is needed.")
    names = (
        tuple(m for m in DEFAULT_METHODS if METHODS[m].suits(chosen))
        if methods is None
        else tuple(checked_sequence("methods", methods))
    )
    asked = Question.of(X, chosen, target, norm, names, seed)
    widths = _run(width_jobs(asked, y, task), progress)
    best = chosen_width(list(widths)) if kernel is None else None
    if best is not None and best.multiple != 1.0:
        asked = Question.of(X, Gaussian(best.sigma), target, norm, names, seed)
    tried = _run(screen_jobs(asked), progress)
    measured = _run([second_stage_job(asked, budget, tried)], progress)
    verified = {one.method: one for one in measured}
    (floor,) = _run([floor_job(asked)], None)
    return Recommendation(
        asked,
        budget,
        candidates(asked, budget, tried, verified),
        floor,
        tuple(sorted(widths, key=lambda one: one.sigma)),
    )


def _run(jobs: Sequence[Job], progress: Callable[[int, int], None] | None) -> list[Any]:
    """All records, one job at a time, so that seconds are those of one run alone."""
    records: list[Any] = []
    with ThreadPoolExecutor(1) as alone:
        for finished in run_jobs(jobs, alone):
            records.extend(finished.records)
            if progress is not None:
                progress(finished.progress.done, finished.progress.total)
    return records


__all__ = [
    "DEFAULT_METHODS",
    "DISTANCE_ROWS",
    "FIRST_LANDMARKS",
    "MOST_LANDMARKS",
    "NORMS",
    "PERCENTILES",
    "REPEATED",
    "TARGETS",
    "TRIALS",
    "TRIAL_ROWS",
    "WORTH",
    "Bandwidth",
    "Budget",
    "Candidate",
    "Columns",
    "Distances",
    "Floor",
    "Landmarks",
    "Percentile",
    "Question",
    "Recommendation",
    "Trials",
    "Tried",
    "Verified",
    "Width",
    "best_loss",
    "candidates",
    "chosen_width",
    "columns",
    "curve_of",
    "curves_of",
    "enough_landmarks",
    "floor_job",
    "is_enough",
    "learned",
    "pairwise_distances",
    "recommend",
    "repeated_rows",
    "screen_jobs",
    "second_stage_job",
    "sentence",
    "sigma_of",
    "standard_bandwidths",
    "suggested",
    "task_of",
    "trials",
    "width_jobs",
]
