"""Which method, how many landmarks and which bandwidth suit given data: measured, not guessed.

In two stages. Every method is first run on parts of the rows (all of them where they are few), from few
landmarks to as many as the target needs; ``curve.py`` says how these errors carry over to all rows, and
``candidates.py`` how time does. The first one or two are then run on all rows, and their number of
landmarks is mended until it is the smallest that meets the target.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.advice.bandwidths import Width, chosen_width, sigma_of, width_jobs
from nysviz.advice.candidates import Budget, Candidate, candidates
from nysviz.advice.curve import Floor, floor_job
from nysviz.advice.question import DEFAULT_METHODS, Question
from nysviz.advice.screening import screen_jobs
from nysviz.advice.verifying import second_stage_job
from nysviz.kernels import Gaussian, Kernel, KernelFunction, as_kernel, default_width
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import checked_sequence, quoted
from nysviz.numerics.rows import checked_rows
from nysviz.refusal import Refusal
from nysviz.sweep import Job, run_jobs
from nysviz.text import in_bytes, three_digits

NORM_NAMES = {"trace": "trace", "frobenius": "Frobenius"}


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Methods in order, the recommended first, with what was measured of them; widths ascend.

    Methods that cannot meet target or budget come last, with the reason. ``floor`` has the errors of the best
    rank.
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

    def __repr__(self) -> str:
        """Return the sentence, and the candidates as a table."""
        rows = [("", "method", "m", "error", "90 % of runs", "seconds", "memory", "why")]
        for place, one in enumerate(self.candidates, 1):
            first = str(place) if one.meets else "–", one.method + (" *" if one.verified else ""), str(one.m)
            errors = three_digits(one.error.value), _interval(one)
            rows.append((*first, *errors, three_digits(one.seconds), in_bytes(one.bytes), one.reason))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        note = "* measured on all rows at this m; the others are expected from the curves of the runs."
        return "\n".join([sentence(self), "", *lines, note])


def sentence(found: Recommendation) -> str:
    """Return the recommendation in plain words, or why there is none and what would help."""
    asked, best = found.asked, found.best
    if best is not None:
        return (
            f"Take {best.label} with m = {best.m}: relative {NORM_NAMES[asked.norm]} "
            f"error {three_digits(best.error.value)}."
        )
    if found.floor is not None and found.is_out_of_reach:
        text = (
            f"No approximation of rank {asked.most()} or less leaves {asked.target:g}: the best one leaves "
            f"{three_digits(found.floor.at(asked.most()))}, since the eigenvalues of K fall too slowly."
        )
    else:
        nearest = found.candidates[0]
        text = (
            f"No method leaves {asked.target:g} within what was asked; {nearest.label} comes nearest, with "
            f"m = {nearest.m} and error {three_digits(nearest.error.value)} ({_interval(nearest)})."
        )
    wider, own = found.wider(), sigma_of(asked.kernel)
    if wider is not None and own is not None:
        # Not ``wider.multiple``, which counts from the default width where the labels chose another one.
        text += (
            f" With σ = {three_digits(wider.sigma)}, {three_digits(wider.sigma / own)} times the present σ, "
            f"m = {wider.m} is enough in the mean (randomly pivoted Cholesky)."
        )
    return text


def _interval(one: Candidate) -> str:
    return f"{three_digits(one.error.low)} to {three_digits(one.error.high)}"


def recommend(
    X: FloatArray,
    kernel: Kernel | KernelFunction | None = None,
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
    if kernel is None and not default_width(X) > 0:
        raise Refusal("All rows are equal, so the data suggest no bandwidth; name a kernel.")
    chosen = Gaussian.from_width(default_width(X)) if kernel is None else as_kernel(kernel)
    if y is not None:
        y = np.asarray(y)
        if y.shape != (X.shape[0],):
            raise Refusal(f"y has the shape {y.shape} and X {X.shape[0]} rows; one value a row is needed.")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise Refusal("y holds NaN or infinity; remove or fill them first.")
    if task not in (None, "classification", "regression"):
        raise Refusal(f"task = {quoted(task)}; 'classification', 'regression' or None is needed.")
    if methods is None:
        methods = [m for m in DEFAULT_METHODS if METHODS[m].suits(chosen)]
    names = tuple(checked_sequence("methods", methods))
    asked = Question(X, chosen, target, norm, names, seed)
    widths = _run(width_jobs(asked, y, task), progress)
    best = chosen_width(list(widths)) if kernel is None else None
    if best is not None and best.multiple != 1.0:
        asked = Question(X, Gaussian(best.sigma), target, norm, names, seed)
    tried = _run(screen_jobs(asked), progress)
    measured = _run([second_stage_job(asked, budget, tried)], progress)
    verified = {one.method: one for one in measured}
    (floor,) = _run([floor_job(asked)], None)
    ordered = tuple(sorted(widths, key=lambda one: one.sigma))
    return Recommendation(asked, budget, candidates(asked, budget, tried, verified), floor, ordered)


def _run(jobs: Sequence[Job], progress: Callable[[int, int], None] | None) -> list[Any]:
    """All records, one job at a time, so that seconds are those of one run alone."""
    records: list[Any] = []
    with ThreadPoolExecutor(1) as alone:
        for finished in run_jobs(jobs, alone):
            records.extend(finished.records)
            if progress is not None:
                progress(finished.progress.done, finished.progress.total)
    return records
