"""From runs on parts of the rows to the error on all of them, with how far it may be off."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nysviz.advice.question import Question
from nysviz.advice.screening import Tried
from nysviz.analysis.spectrum import spectrum
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.sweep import Job

QUANTILE = 1.645  # standard deviations from the mean to the 95 % quantile of the normal law
ROUNDING = 1e-12  # errors below this are rounding
# Runs on parts of the rows do not tell how many outliers all rows have (on the 16 599 rows of elevators,
# incomplete Cholesky leaves 2.5 times the error that 2 000 rows showed).
EXTREME = frozenset(name for name, entry in METHODS.items() if entry.extreme)
WINDOW = 2  # half-steps of two to either side over which the spread of runs is pooled
FLOOR_ROWS = 2_000  # their full decomposition takes about a second


@dataclass(frozen=True)
class Estimate:
    """A number and the ends of the interval that it may lie in."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """The relative error of one method on all n rows against the number of landmarks, (p,) arrays.

    ``value``, ``low`` and ``high`` are the expected error and the 5 % and 95 % quantiles of that of a single
    run, as far as ``runs`` at each of the ascending ``ms`` on parts of ``size`` rows tell; ``spread`` the 95
    % quantile over the expected error, as runs differ. ``most`` landmarks are tried at most. ``carries`` says
    whether what parts of the rows tell holds for all rows.
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
    most: int
    carries: bool = True

    def at(self, m: float) -> Estimate:
        """The error with m landmarks, between the tried numbers in log-log; beyond them that of the last."""
        lines = np.log(np.maximum([self.value, self.low, self.high], ROUNDING))
        return Estimate(*(math.exp(np.interp(math.log(m), np.log(self.ms), line)) for line in lines))

    def slope(self, m: float) -> float:
        """−d log error / d log m near m, at least a tenth."""
        a, b = max(float(self.ms[0]), m / 1.5), min(float(self.ms[-1]), m * 1.5)
        if not b > a:
            return 1.0
        fall = math.log(self.at(a).value / self.at(b).value) / math.log(b / a)
        return max(0.1, fall)

    def deviation(self, m: float) -> float:
        """Standard deviation of the log error of single runs near m, as runs on parts of the rows differ."""
        return float(np.interp(math.log(m), np.log(self.ms), np.log(self.spread))) / QUANTILE

    def needed(self, target: float, line: str = "sure") -> int | None:
        """Return the smallest m whose error is at most the target; None where the most tried are not enough.

        ``line`` is "value", "low", "high", or "sure": the value times the spread of single runs. A curve that
        ends below the target, but not by as much as the line asks for, goes on along its slope.
        """
        errors = self.value * self.spread if line == "sure" else getattr(self, line)
        found, last = crossing(self.ms, errors, target), float(self.ms[-1])
        if found is None and self.value[-1] <= target and last < self.most:
            beyond = math.ceil(last * (errors[-1] / target) ** (1.0 / self.slope(last)))
            return beyond if beyond <= self.most else None
        return found


def crossing(ms: FloatArray, errors: FloatArray, target: float) -> int | None:
    """Smallest whole m at which errors, joined by straight lines in log-log, fall to the target."""
    below = np.flatnonzero(errors <= target)
    if not len(below):
        return None
    k = int(below[0])
    if k == 0:
        return int(ms[0])
    x, y = np.log(ms[k - 1 : k + 1]), np.log(np.maximum(errors[k - 1 : k + 1], ROUNDING))
    part = (y[0] - math.log(target)) / (y[0] - y[1])
    return min(int(ms[k]), math.ceil(math.exp(x[0] + part * (x[1] - x[0])) - 1e-9))


def curves_of(found: Iterable[Tried], n: int, most: int) -> dict[str, Curve]:
    """Curves of all methods that have runs, from the largest part that each has been tried on."""
    found, curves = list(found), {}
    for method in dict.fromkeys(one.method for one in found):
        tried = [one for one in found if one.method == method]
        size = max(one.size for one in tried)
        curve = curve_of(method, [one for one in tried if one.size == size], n, most)
        if method in EXTREME and size < n:
            curve = replace(curve, high=np.ones(len(curve.ms)), carries=False)
        curves[method] = curve
    return curves


def curve_of(method: str, tried: Sequence[Tried], n: int, most: int) -> Curve:
    """Carry runs of one size, on parts of s rows, over to n rows.

    Landmarks that were chosen to suit s rows suit them better than others: the error on these rows
    themselves, e_in, is too small, and the error on rows that were not among the candidates, e_out, too large
    an estimate for n ≥ s candidates, as training and test error are. Both gaps shrink as 1/s, one from below
    and one from above, so that (e_in + e_out)/2 − (s/n)(e_out − e_in)/2 stands for n: at n = s it is e_in,
    and for many rows the middle. The distance to either end, (1 − s/n)(e_out − e_in)/2, stands for what this
    leaves open.
    """
    ms = sorted({one.m for one in tried})
    size = tried[0].size
    share = min(1.0, size / n)
    logs: list[FloatArray] = []
    value, open_ = np.empty(len(ms)), np.empty(len(ms))
    for i, m in enumerate(ms):
        inner, outer = np.array([(one.inner, one.outer) for one in tried if one.m == m]).T
        outer = np.where(np.isfinite(outer), outer, inner)
        # A mean over runs: the gap of a single one is mostly noise where the gap is small.
        half = max(0.0, float((outer - inner).mean()) / 2.0)
        middle = (inner + outer) / 2.0 - share * half
        value[i] = max(float(middle.mean()), ROUNDING)
        open_[i] = half * (1.0 - share)
        logs.append(np.log(np.maximum(middle, ROUNDING)))
    # Pooled over the places nearest to half-steps of two: between them a run's errors hardly vary.
    x, steps = np.log(ms), 0.5 * math.log(2.0) * np.arange(-WINDOW, WINDOW + 1)
    near = [sorted({int(np.argmin(np.abs(x - at))) for at in own + steps}) for own in x]
    spread = np.array([spread_of([logs[k] for k in places]) for places in near])
    value = np.minimum.accumulate(value)
    low, high = np.maximum(value - open_, ROUNDING) / spread, (value + open_) * spread
    runs = max(one.repeat for one in tried) + 1
    return Curve(method, np.array(ms, dtype=float), value, low, high, spread, runs, size, n, most)


def spread_of(logs: Sequence[FloatArray]) -> float:
    """Factor from the mean error to its 95 % quantile, for normal log errors of pooled variance."""
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
        """Error of the best rank m."""
        return float(self.errors[min(m, len(self.errors)) - 1])

    def needed(self, target: float) -> int | None:
        """Smallest rank that meets the target."""
        return crossing(np.arange(1.0, len(self.errors) + 1), self.errors, target)


def floor_job(asked: Question) -> Job:
    """Return the job of the floor; O(s³) of at most ``FLOOR_ROWS`` random rows."""
    key = ("floor", asked.digest, asked.kernel, asked.norm, asked.seed)
    return Job(key, "floor", 1.0, lambda: (_floor(asked),))


def _floor(asked: Question) -> Floor:
    rows = asked.X
    if asked.n > FLOOR_ROWS:
        rows = rows[np.random.default_rng([asked.seed, 5]).permutation(asked.n)[:FLOOR_ROWS]]
    values = spectrum(rows, asked.kernel)
    powers = values if asked.norm == "trace" else values**2
    # From the smallest on, so that small sums are not lost beside large ones.
    tails = np.concatenate([np.cumsum(powers[::-1])[::-1], [0.0]])
    share = tails[1:] / tails[0] if tails[0] > 0 else np.zeros(len(values))
    return Floor(share if asked.norm == "trace" else np.sqrt(share), len(values), asked.n)
