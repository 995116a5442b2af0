"""Extrapolation from runs on parts of the rows to the error on all rows, with an interval."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nysviz.advice.request import AdviceRequest
from nysviz.advice.screening import ScreeningRecord
from nysviz.analysis.spectrum import spectrum
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.sweep import Job

QUANTILE = 1.645  # standard deviations from the mean to the 95 % quantile of the normal law
ROUNDING = 1e-12  # errors below this are rounding
# For these methods parts of the rows say too little about the outliers of all rows (on the 16 599 rows of
# elevators, incomplete Cholesky leaves 2.5 times the error that 2 000 rows showed).
EXTREME = frozenset(name for name, entry in METHODS.items() if entry.extreme)
WINDOW = 2  # half-steps of two to either side over which the spread of runs is pooled
FLOOR_ROWS = 2_000  # their full decomposition takes about a second


@dataclass(frozen=True)
class Estimate:
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """The relative error of one method on all n rows against the number of landmarks, (p,) arrays.

    ``value`` is the expected error, ``low`` and ``high`` the 5 % and 95 % quantiles of that of a single run,
    estimated from ``runs`` at each of the ascending ``ms`` on parts of ``size`` rows; ``spread`` is the 95 %
    quantile over the expected error of repeated runs. At most ``most_landmarks`` are tried. ``carries`` says
    whether the estimate from parts of the rows holds for all rows.
    """

    method: str
    ms: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    spread: FloatArray
    runs: int
    size: int
    n: int
    most_landmarks: int
    carries: bool = True

    def at(self, m: float) -> Estimate:
        """Return the error with m landmarks, interpolated in log-log; beyond the last m that of the last."""
        log_errors = np.log(np.maximum([self.value, self.low, self.high], ROUNDING))
        return Estimate(*(math.exp(np.interp(math.log(m), np.log(self.ms), errors)) for errors in log_errors))

    def slope(self, m: float) -> float:
        """Return −d log error / d log m near m, at least 0.1; 1 on a curve with a single m."""
        a, b = max(float(self.ms[0]), m / 1.5), min(float(self.ms[-1]), m * 1.5)
        if not b > a:
            return 1.0
        fall = math.log(self.at(a).value / self.at(b).value) / math.log(b / a)
        return max(0.1, fall)

    def deviation(self, m: float) -> float:
        """Return the standard deviation of the log error of single runs near m, from parts of the rows."""
        return float(np.interp(math.log(m), np.log(self.ms), np.log(self.spread))) / QUANTILE

    def landmarks_for(self, target: float, name: str = "sure") -> int | None:
        """Return the smallest m whose error is at most the target; None where ``most_landmarks`` are too few.

        ``name`` is "value", "low", "high", or "sure": the value times the spread of single runs. A curve
        whose value ends below the target while this error does not is continued along its slope.
        """
        errors = self.value * self.spread if name == "sure" else getattr(self, name)
        crossing_m, last = crossing(self.ms, errors, target), float(self.ms[-1])
        if crossing_m is None and self.value[-1] <= target and last < self.most_landmarks:
            beyond = math.ceil(last * (errors[-1] / target) ** (1.0 / self.slope(last)))
            return beyond if beyond <= self.most_landmarks else None
        return crossing_m


def crossing(ms: FloatArray, errors: FloatArray, target: float) -> int | None:
    """Return the smallest whole m at which errors, interpolated in log-log, fall to the target."""
    below = np.flatnonzero(errors <= target)
    if not len(below):
        return None
    k = int(below[0])
    if k == 0:
        return int(ms[0])
    x, y = np.log(ms[k - 1 : k + 1]), np.log(np.maximum(errors[k - 1 : k + 1], ROUNDING))
    part = (y[0] - math.log(target)) / (y[0] - y[1])
    return min(int(ms[k]), math.ceil(math.exp(x[0] + part * (x[1] - x[0])) - 1e-9))


def curves_of(records: Iterable[ScreeningRecord], n: int, most_landmarks: int) -> dict[str, Curve]:
    """Return the curves of all methods that have runs, each from the largest part that it ran on."""
    records, curves = list(records), {}
    for method in dict.fromkeys(record.method for record in records):
        method_records = [record for record in records if record.method == method]
        size = max(record.size for record in method_records)
        curve = curve_of(
            method, [record for record in method_records if record.size == size], n, most_landmarks
        )
        if method in EXTREME and size < n:
            curve = replace(curve, high=np.ones(len(curve.ms)), carries=False)
        curves[method] = curve
    return curves


def curve_of(method: str, records: Sequence[ScreeningRecord], n: int, most_landmarks: int) -> Curve:
    """Extrapolate runs of one size, on parts of s rows, to n rows.

    Landmarks chosen among s rows suit these rows better than others: as an estimate for n ≥ s rows, the error
    on these rows, e_in, is too small, and the error on rows that were not candidates, e_out, too large, like
    training and test error. Both gaps shrink as 1/s, one from below and one from above, so the estimate for n
    is (e_in + e_out)/2 − (s/n)(e_out − e_in)/2: at n = s it is e_in, and for many rows the middle. Its
    uncertainty to either side is (1 − s/n)(e_out − e_in)/2.
    """
    ms = sorted({record.m for record in records})
    size = records[0].size
    share = min(1.0, size / n)
    logs: list[FloatArray] = []
    value, gap_left = np.empty(len(ms)), np.empty(len(ms))
    for i, m in enumerate(ms):
        inner, outer = np.array([(record.inner, record.outer) for record in records if record.m == m]).T
        outer = np.where(np.isfinite(outer), outer, inner)
        # The mean over runs, since the gap of a single run is mostly noise where it is small.
        half = max(0.0, float((outer - inner).mean()) / 2.0)
        middle = (inner + outer) / 2.0 - share * half
        value[i] = max(float(middle.mean()), ROUNDING)
        gap_left[i] = half * (1.0 - share)
        logs.append(np.log(np.maximum(middle, ROUNDING)))
    # Pooled over the m nearest to half-steps of two: between them a run's errors hardly vary.
    x, steps = np.log(ms), 0.5 * math.log(2.0) * np.arange(-WINDOW, WINDOW + 1)
    near = [sorted({int(np.argmin(np.abs(x - place))) for place in log_m + steps}) for log_m in x]
    spread = np.array([spread_of([logs[k] for k in places]) for places in near])
    value = np.minimum.accumulate(value)
    low, high = np.maximum(value - gap_left, ROUNDING) / spread, (value + gap_left) * spread
    runs = max(record.repeat for record in records) + 1
    return Curve(method, np.array(ms, dtype=float), value, low, high, spread, runs, size, n, most_landmarks)


def spread_of(logs: Sequence[FloatArray]) -> float:
    """Return the 95 % quantile over the mean error, for normal log errors of pooled variance."""
    several = [x for x in logs if len(x) > 1 and x.max() > math.log(ROUNDING)]
    freedom = sum(len(x) - 1 for x in several)
    if not freedom:
        return 1.0
    squares = sum(float(np.square(x - x.mean()).sum()) for x in several)
    return math.exp(min(QUANTILE * math.sqrt(squares / freedom), 5.0))


@dataclass(frozen=True, eq=False)
class Floor:
    """Relative errors of the best rank 1, …, s on s rows (Eckart and Young 1936); too small for more rows."""

    errors: FloatArray
    rows: int
    n: int

    def at(self, m: int) -> float:
        """Return the error of the best rank m."""
        return float(self.errors[min(m, len(self.errors)) - 1])

    def landmarks_for(self, target: float) -> int | None:
        """Return the smallest rank that meets the target."""
        return crossing(np.arange(1.0, len(self.errors) + 1), self.errors, target)


def floor_job(request: AdviceRequest) -> Job:
    """Return the job of the floor; O(s³) of at most ``FLOOR_ROWS`` random rows."""
    key = ("floor", request.digest, request.kernel, request.norm, request.seed)
    return Job(key, "floor", 1.0, lambda: (_floor(request),))


def _floor(request: AdviceRequest) -> Floor:
    rows = request.X
    if request.n > FLOOR_ROWS:
        rows = rows[np.random.default_rng([request.seed, 5]).permutation(request.n)[:FLOOR_ROWS]]
    values = spectrum(rows, request.kernel)
    powers = values if request.norm == "trace" else values**2
    # From the smallest on, so that small sums are not lost beside large ones.
    tails = np.concatenate([np.cumsum(powers[::-1])[::-1], [0.0]])
    share = tails[1:] / tails[0] if tails[0] > 0 else np.zeros(len(values))
    return Floor(share if request.norm == "trace" else np.sqrt(share), len(values), request.n)
