"""The claims of Yang, Li, Mahdavi, Jin & Zhou 2012, each with the test that decides it."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from nysviz.analysis.learning.feature_trial import paired_test
from nysviz.analysis.spectrum.gaps import largest_gaps
from nysviz.analysis.spectrum.operators import smallest_sample
from nysviz.numerics.blocks import FloatArray
from nysviz.papers import statistics as stats
from nysviz.papers.claim import (
    ClaimChoice,
    ClaimOutcome,
    both,
    claim,
    fewer_trials,
    limits,
    make_outcome,
    tally,
    untried,
)
from nysviz.papers.labels import by_method, method_label
from nysviz.papers.records import Records
from nysviz.papers.yang2012.figure1 import LANDMARKS, MS, PRINTED_EIGENVALUES
from nysviz.papers.yang2012.figure3 import RIDGE, dimension_between
from nysviz.text import percent, signed, three_digits

SCALES = ("rff", "rff (scale 1)", "rff (scale σ)")
RIVALS = {"rff": "equal frequencies", "rff_columns": "equal columns"}
MOST_USED = 1_000  # the most landmarks in the paper's figure 2

_BANDWIDTH = untried("the bandwidth", "default", "cross-validated")
_SCALE = tuple(
    ClaimChoice("the frequency scale", "1/σ", scale, {"scale": f"rff (scale {scale})"})
    for scale in ("1", "σ")
)


@claim("y1")
def _printed_eigenvalues(records: Records) -> ClaimOutcome:
    """λ₁/N and λ₂/N are within 2 % and 8 % of 0.785 and 0.0067 in every sample of the balls."""
    values = records.by("m")
    hold = {
        rank: bool((np.abs(values[rank] / printed - 1.0) <= part).all())
        for rank, printed, part in zip((1, 2), PRINTED_EIGENVALUES, (0.02, 0.08), strict=True)
    }
    ranges = {f"λ{rank}/N": f"{samples.min():.4g} to {samples.max():.4g}" for rank, samples in values.items()}
    statistic = "; ".join(f"{name} {text}" for name, text in ranges.items())
    return make_outcome(hold, f"{statistic}; printed 0.785 and 0.0067", ranges)


def _at_most_used(records: Records, measure: str) -> tuple[dict[str, FloatArray], dict[str, float]]:
    """Return the values at m = 100 by method, and their means."""
    values = records.where(measure=measure, m=MS[-1]).by("method")
    return values, {method: float(samples.mean()) for method, samples in values.items()}


@claim("y2")
def _nystroem_perfect(records: Records) -> ClaimOutcome:
    """The mean test error is at most 0.5 %; partly where it is at most 5 %."""
    errors, means = _at_most_used(records, "test_error")
    return make_outcome(
        {m: means[m] <= 0.5 for m in LANDMARKS},
        f"accuracy at m = 100: {by_method({m: 100 - means[m] for m in LANDMARKS}, ' %')}",
        {f"lowest accuracy (%), {method_label(m)}": 100 - errors[m].max() for m in LANDMARKS},
        partly=all(means[m] <= 5.0 for m in LANDMARKS),
    )


@claim("y3", *_SCALE)
def _features_guess(records: Records, scale: str = SCALES[0]) -> ClaimOutcome:
    """The mean test error is at least 40 % at frequency scale 1/σ; partly from 25 % on."""
    _, means = _at_most_used(records, "test_error")
    return make_outcome(
        {scale: means[scale] >= 40.0},
        f"accuracy at m = 100: {100 - means[scale]:.1f} %",
        {f"accuracy (%), {method_label(m)}": 100 - means[m] for m in (*SCALES, "uniform") if m in means},
        partly=means[scale] >= 25.0,
    )


@claim("y4", *_SCALE)
def _leading_vectors(records: Records, scale: str = SCALES[0]) -> ClaimOutcome:
    """The larger angle is below 30° for Nyström and above 60° for random features; partly if only smaller."""
    cosines, means = _at_most_used(records, "cosine")
    near = all(means[method] >= math.cos(math.radians(30)) for method in LANDMARKS)
    of_each = by_method({method: means[method] for method in (*LANDMARKS, scale)})
    return make_outcome(
        {scale: near and means[scale] <= math.cos(math.radians(60))},
        f"cosine of the larger angle at m = {MS[-1]}: {of_each}",
        {
            method_label(m): f"mean {three_digits(means[m])}, lowest {three_digits(values.min())}"
            for m, values in sorted(cosines.items())
        },
        partly=near and means["uniform"] > means[scale],
    )


@claim("y5", fewer_trials(10, 5))
def _nystroem_ahead(records: Records) -> ClaimOutcome:
    """A paired t-test (95 %) has Nyström ahead at every m, at equal frequencies and columns, on every set."""
    hold, numbers, all_signs = {}, {}, []
    for name, mine in records.by_data().items():
        signs: dict[str, list[int]] = {rival: [] for rival in RIVALS}
        for rival in RIVALS:
            for ours, theirs in stats.both_runs(mine.cells(), "uniform", rival).values():
                # Both measures are errors, so the difference is positive where Nyström is ahead.
                test = paired_test(theirs.tolist(), ours.tolist())
                signs[rival].append(int(np.sign(test.difference)) if test.significant else 0)
        every = [sign for rival_signs in signs.values() for sign in rival_signs]
        hold[name] = bool(every) and min(every) > 0
        all_signs += every
        numbers[name] = "; ".join(
            f"{label}: ahead at {signs[rival].count(1)} of {len(signs[rival])} m"
            for rival, label in RIVALS.items()
        )
    ahead, tested = all_signs.count(1), len(all_signs)
    return make_outcome(
        hold,
        f"significantly better in {ahead}, worse in {all_signs.count(-1)} of {tested} tests; better at every "
        f"m on {tally(hold)}",
        numbers,
        partly=2 * ahead > tested,
    )


def _spectra(records: Records) -> dict[str, tuple[int, FloatArray]]:
    """Return the number of rows and the leading eigenvalues over N of each set."""
    return {
        name: (
            mine.series[0].n,
            np.concatenate([series.values for series in sorted(mine.series, key=lambda series: series.m)]),
        )
        for name, mine in records.by_data().items()
    }


@claim("y6", _BANDWIDTH)
def _quick_decay(records: Records) -> ClaimOutcome:
    """Gap at least 10 % of the trace, effective dimension at λ = 0.001 at most 5 % of N, on every set."""
    large, quick, numbers, gaps = {}, {}, {}, []
    for name, (n, values) in _spectra(records).items():
        gap, (low, high) = largest_gaps(values)[0], dimension_between(values, n)
        # Only leading eigenvalues are recorded, so the claim is judged by the upper end of the dimension.
        large[name], quick[name] = gap.size >= 0.1, high <= 0.05 * n
        gaps.append(gap.size)
        ends = " to ".join(dict.fromkeys((three_digits(low), three_digits(high))))
        dimension = f"effective dimension at λ = {RIDGE:g} {ends} of {n}"
        numbers[name] = f"gap/N {three_digits(gap.size)} after rank {gap.r}; {dimension}"
    hold = {name: large[name] and quick[name] for name in large}
    return make_outcome(
        hold,
        f"largest gap {stats.span(gaps)} of the trace; gap at least {percent(0.1)} and effective "
        f"dimension below {percent(0.05)} of N on {tally(hold)}",
        numbers,
        partly=all(quick.values()),
    )


def _by_gap(records: Records) -> list[tuple[float, Records]]:
    """Return the mean gap and the rows of each mixture, the smallest gap first."""
    mixtures = records.by_data().values()
    pairs = [(float(mine.where(measure="eigengap").values().mean()), mine) for mine in mixtures]
    return sorted(pairs, key=lambda pair: pair[0])


def _with_gap(values: Mapping[float, Sequence[float]]) -> float:
    """Return Spearman's correlation of the values with their gaps."""
    gaps = [gap for gap, each in values.items() for _ in each]
    return stats.spearman(gaps, [value for each in values.values() for value in each])


@claim("y7")
def _faster_with_gap(records: Records) -> ClaimOutcome:
    """Slope of log excess in log m ≤ −1 at the largest gap, > −1 at the smallest, falling in between."""
    slopes = {}
    for gap, mine in _by_gap(records):
        excess = mine.where(measure="excess", method="uniform")
        ms = [series.m for series in excess.series]
        each = [stats.slope(ms, values) for values in zip(*excess.by("m").values(), strict=True)]
        slopes[gap] = [value for value in each if not math.isnan(value)]
    ends = {gap: stats.interval(each) for gap, each in slopes.items()}
    rho, smallest, largest = _with_gap(slopes), ends[min(ends)], ends[max(ends)]
    fast, faster = largest[0] <= -1.0, rho < 0 and largest[0] < smallest[0]
    return make_outcome(
        # The theory guarantees one rate for a large gap, and half of that without a gap.
        {"rates": fast and faster and smallest[0] > -1.0},
        f"slope {stats.with_interval(smallest)} at the smallest gap, {stats.with_interval(largest)} at the "
        f"largest; Spearman of slope and gap {signed(rho)}",
        {f"gap/N {three_digits(gap)}": f"slope {stats.with_interval(end)}" for gap, end in ends.items()},
        partly=fast or faster,
    )


@claim("y8", _BANDWIDTH)
def _gap_condition(records: Records) -> ClaimOutcome:
    """The smallest m that satisfies it is at most 1000, the most in use, and at most N, on every set."""
    spectra = _spectra(records)
    smallest_ms = {
        name: float(smallest_sample(n, largest_gaps(values)[0].size) or math.inf)
        for name, (n, values) in spectra.items()
    }
    hold = {name: m <= min(spectra[name][0], MOST_USED) for name, m in smallest_ms.items()}
    statistic = f"needs m of at least {min(smallest_ms.values()):.4g}, at most {MOST_USED} in use; holds on "
    numbers = {name: f"m from {m:.0f} on; N = {spectra[name][0]}" for name, m in smallest_ms.items()}
    return make_outcome(hold, statistic + tally(hold), numbers)


@claim("y9")
def _operators_within(records: Records) -> ClaimOutcome:
    """Every draw is within 2 ln(2N³)/m + √(2 ln(2N³)/m), on every set."""
    hold, loose, numbers = {}, [], {}
    for name, mine in records.by_data().items():
        bounds = mine.where(measure="bound").by("m")
        draws = mine.where(measure="frobenius").by("m")
        ratios = np.concatenate([bounds[m][0] / values for m, values in draws.items()])
        hold[name] = bool((ratios >= 1.0).all())
        loose.append(float(np.median(ratios)))
        numbers[name] = (
            f"{(ratios >= 1.0).sum()} of {len(ratios)} draws; bound / distance {three_digits(loose[-1])}"
        )
    statistic = f"holds in every draw on {tally(hold)}; bound / distance {stats.span(loose)} (median)"
    return make_outcome(hold, statistic, numbers)


@claim("y10", *limits(1.05, 1.1))
def _advantage_by_gap(records: Records, limit: float = 1.05) -> ClaimOutcome:
    """Error at most 1.05 times Nyström's at the smallest gap (95 % interval), and growing with the gap."""
    logs: dict[float, list[float]] = {}
    for gap, mine in _by_gap(records):
        pairs = stats.both_runs(mine.where(measure="mse").cells(), "uniform", "rff").values()
        logs[gap] = [float(log) for a, b in pairs for log in np.log10(b / a)]
    ends = {gap: stats.interval(each) for gap, each in logs.items()}
    rho, small, large = _with_gap(logs), ends[min(ends)], ends[max(ends)]
    ratio = (10.0 ** small[0], 10.0 ** small[1], 10.0 ** small[2])
    return make_outcome(
        both(ratio[2] <= limit, rho > 0 and large[1] > small[2]),
        f"error over that of Nyström {stats.with_interval(ratio)} at the smallest gap, "
        f"{three_digits(10.0 ** large[0])} at the largest; Spearman {signed(rho)}",
        {f"gap/N {three_digits(gap)}": f"{three_digits(10.0 ** end[0])} times" for gap, end in ends.items()},
    )
