"""Recommendation of a method, a number of landmarks and a bandwidth, from measurements in two stages.

Every method first runs on parts of the rows (all of them where they are few), from few landmarks to as many
as the target needs; ``curve.py`` extrapolates these errors to all rows, ``candidates.py`` the seconds. The
first one or two then run on all rows, with a number of landmarks that is corrected until it is the smallest
that meets the target.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nysviz.advice.bandwidths import Width, sigma_of, task_of, width_jobs
from nysviz.advice.candidates import Budget, MethodCandidate, rank_candidates
from nysviz.advice.curve import Floor, floor_job
from nysviz.advice.predicting import Prediction, advised, can_predict, extension_jobs, losses_jobs
from nysviz.advice.request import DEFAULT_METHODS, AdviceRequest
from nysviz.advice.screening import screen_jobs
from nysviz.advice.verifying import second_stage_job
from nysviz.datasets import Dataset
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
    """Methods in order, the recommended one first, with their measurements; widths ascend.

    Methods that cannot meet target or budget come last, with the reason. ``request`` has the arguments,
    ``floor`` the errors of the best rank, ``prediction`` the bandwidth and the landmarks that predict ``y``
    best.
    """

    request: AdviceRequest
    budget: Budget
    candidates: tuple[MethodCandidate, ...]
    floor: Floor | None = None
    widths: tuple[Width, ...] = ()
    prediction: Prediction | None = None

    @property
    def best(self) -> MethodCandidate | None:
        """The recommended method; None where none meets the target within the budget."""
        first = self.candidates[0] if self.candidates else None
        return first if first is not None and first.meets else None

    @property
    def is_out_of_reach(self) -> bool:
        """Whether even the best rank needs more than the most landmarks that are tried."""
        return self.floor is not None and self.floor.at(self.request.most_landmarks()) > self.request.target

    def wider(self) -> Width | None:
        """Return the narrowest bandwidth, wider than the requested one, that surely meets the target."""
        sigma = sigma_of(self.request.kernel) or math.inf
        fitting = [width for width in self.widths if width.sigma > sigma and width.high is not None]
        return min(fitting, key=lambda width: width.sigma, default=None)

    def __repr__(self) -> str:
        """Return the sentence and a table of the candidates."""
        rows = [("", "method", "m", "error", "90 % of runs", "seconds", "memory", "why")]
        for place, candidate in enumerate(self.candidates, 1):
            number = str(place) if candidate.meets else "–"
            first = number, candidate.method + (" *" if candidate.verified else ""), str(candidate.m)
            errors = three_digits(candidate.error.value), _interval(candidate)
            costs = three_digits(candidate.seconds), in_bytes(candidate.bytes)
            rows.append((*first, *errors, *costs, candidate.reason))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        note = "* measured on all rows at this m; the others are expected from the curves of the runs."
        return "\n".join([sentence(self), *self._say_prediction(), "", *lines, note])

    def _say_prediction(self) -> list[str]:
        if (prediction := self.prediction) is None:
            return []
        loss, error = prediction.losses.at(prediction.m)
        settings = f"σ = {three_digits(prediction.sigma)} and m = {prediction.m}"
        return [f"To predict y, take {settings}: loss {three_digits(loss)} ± {error:.2g}."]


def sentence(result: Recommendation) -> str:
    """Return the recommendation in plain words, or why there is none and what would help."""
    request, best = result.request, result.best
    if best is not None:
        return (
            f"Take {best.label} with m = {best.m}: relative {NORM_NAMES[request.norm]} "
            f"error {three_digits(best.error.value)}."
        )
    if result.floor is not None and result.is_out_of_reach:
        rank = request.most_landmarks()
        text = (
            f"No approximation of rank {rank} or less leaves {request.target:g}: the best one leaves "
            f"{three_digits(result.floor.at(rank))}, since the eigenvalues of K fall too slowly."
        )
    else:
        nearest = result.candidates[0]
        text = (
            f"No method leaves {request.target:g} within what was asked; {nearest.label} comes nearest, with "
            f"m = {nearest.m} and error {three_digits(nearest.error.value)} ({_interval(nearest)})."
        )
    wider, sigma = result.wider(), sigma_of(request.kernel)
    if wider is not None and sigma is not None:
        times = three_digits(wider.sigma / sigma)
        text += (
            f" With σ = {three_digits(wider.sigma)}, {times} times the present σ, "
            f"m = {wider.m} is enough in the mean (randomly pivoted Cholesky)."
        )
    return text


def _interval(candidate: MethodCandidate) -> str:
    return f"{three_digits(candidate.error.low)} to {three_digits(candidate.error.high)}"


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
        Without one, a Gaussian. Its bandwidth is then the one that the page Recommend advises to predict
        ``y``: of those around Zhang's default width the widest within one standard error of the smallest
        cross-validated loss, with equally many landmarks for all. Without ``y`` it is the default width,
        since an error of approximation cannot choose a bandwidth: a wider one is always easier.
    target : float
        Relative error ‖K − K̃‖ / ‖K‖ that may be left, between 0 and 1.
    norm : "trace" or "frobenius"
    seconds, memory : float, optional
        What one approximation of all rows may take, in seconds and in bytes beside X.
    y : (n,) array, optional
        Classes or values. The ``prediction`` of the result has the bandwidth and the landmarks that predict
        them; a copy of K may need more landmarks than that, or fewer.
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
    request = AdviceRequest(X, chosen, target, norm, names, seed)
    prediction = None if y is None else _predict(X, chosen, y, task, seed, progress)
    if prediction is not None and kernel is None:
        request = AdviceRequest(X, Gaussian(prediction.sigma), target, norm, names, seed)
    widths = _run(width_jobs(request), progress)
    records = _run(screen_jobs(request), progress)
    measured = _run([second_stage_job(request, budget, records)], progress)
    verified = {record.method: record for record in measured}
    (floor,) = _run([floor_job(request)], None)
    ordered = tuple(sorted(widths, key=lambda width: width.sigma))
    candidates = rank_candidates(request, budget, records, verified)
    return Recommendation(request, budget, candidates, floor, ordered, prediction)


def _predict(
    X: FloatArray,
    kernel: Kernel,
    y: NDArray[Any],
    task: str | None,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Prediction | None:
    """Return the bandwidth and the landmarks that predict y; None where nothing can be learned."""
    task = task_of(y) if task is None else task
    values = np.unique(y, return_inverse=True)[1] if task == "classification" else y.astype(np.float64)
    data = Dataset.from_arrays("", X, values, task=task)  # type: ignore[arg-type]
    if sigma_of(kernel) is None or not can_predict(data):
        return None
    losses = _run(losses_jobs(data, kernel, seed), progress)
    losses += _run(extension_jobs(data, kernel, seed, losses), progress)
    return advised(losses)


def _run(jobs: Sequence[Job], progress: Callable[[int, int], None] | None) -> list[Any]:
    """Return all records; one job at a time, so that seconds are those of one run alone."""
    records: list[Any] = []
    with ThreadPoolExecutor(1) as alone:
        for finished in run_jobs(jobs, alone):
            records.extend(finished.records)
            if progress is not None:
                progress(finished.progress.done, finished.progress.total)
    return records
