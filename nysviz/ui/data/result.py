"""What the page "Data" computes and says."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from nysviz.advice.data import (
    Columns,
    Distances,
    Percentile,
    columns,
    pairwise_distances,
    repeated_rows,
    standard_bandwidths,
)
from nysviz.advice.question import MOST_LANDMARKS
from nysviz.advice.trial import TRIALS, WORTH, Landmarks, Trials, enough_landmarks, suggested, trials
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel, Radial, default_width
from nysviz.text import percent as in_percent
from nysviz.text import signed, three_digits
from nysviz.ui import page
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, script

# A bandwidth nearer than this to a standard one is the same to three digits.
SAME = 5e-3
# Of a million distances so many are kept for as long as the page shows them.
KEPT_PAIRS = 200_000


@dataclass(frozen=True)
class Facts:
    """What is known of the rows before a kernel is chosen."""

    columns: Columns
    repeated: int
    distances: Distances
    width: float

    def multiple(self, sigma: float) -> float:
        """Return 2σ² as a multiple of the default width, as the sidebar holds it."""
        return float(f"{2.0 * sigma * sigma / self.width:.6g}")


@dataclass(frozen=True)
class Candidate:
    """A bandwidth by its rule, the kernel with it, its trials, and the landmarks it needs."""

    rule: str
    kernel: Kernel
    trials: Trials
    needed: Landmarks

    @property
    def sigma(self) -> float | None:
        """σ of a kernel that has one."""
        return sigma_of(self.kernel)


@dataclass(frozen=True)
class Suggestion:
    """The candidates, and the suggested one of them, if any is."""

    candidates: tuple[Candidate, ...]
    best: Candidate | None


def sigma_of(kernel: Kernel) -> float | None:
    """Return σ of a radial kernel; None for the others."""
    return kernel.sigma if isinstance(kernel, Radial) else None


@shared()
def facts(data: Dataset) -> Facts:
    """Look at columns, repeated rows and distances."""
    X = data.X
    found = pairwise_distances(X)
    if (pairs := len(found.squares)) > KEPT_PAIRS:
        # Every so many of the ascending distances: a histogram of them is that of all, to 0.001 %.
        kept = np.linspace(0, pairs - 1, KEPT_PAIRS).round().astype(int)
        found = replace(found, squares=found.squares[kept])
    return Facts(columns(X), repeated_rows(X), found, default_width(X))


@shared()
def _trials(data: Dataset, kernel: Kernel, target: float, seed: int) -> Trials:
    return trials(data.X, kernel, seed=seed, least_error=target)


@shared()
def suggestion(scene: Scene, target: float) -> Suggestion:
    """Try the standard bandwidths for the sidebar's kernel, and the sidebar's own where it is another one.

    A kernel without a bandwidth is the only candidate.
    """
    kernel, known, kernels = scene.kernel, facts(scene.data), dict[str, Kernel]()
    if not isinstance(kernel, Radial):
        kernels = {"kernel": kernel}
    else:
        if known.width > 0 and len(known.distances.squares):
            standard = standard_bandwidths(scene.data.X, known.distances)
            kernels |= {one.rule: replace(kernel, sigma=one.sigma) for one in standard}
        if is_apart(kernel.sigma, [sigma_of(one) for one in kernels.values()]):
            kernels["sidebar"] = kernel
    found = []
    for rule, one in kernels.items():
        tried = _trials(scene.data, one, target, scene.seed)
        found.append(Candidate(rule, one, tried, enough_landmarks(tried, target)))
    offered = [one for one in found if one.rule != "sidebar"]
    best = suggested([one.needed for one in offered], scene.data.n) if offered else None
    return Suggestion(tuple(found), None if best is None else offered[best])


def is_apart(sigma: float, others: list[float | None]) -> bool:
    """Whether a bandwidth is none of these, to three digits."""
    return all(abs(math.log(sigma / max(other or 0.0, 1e-300))) > SAME for other in others)


def rows(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> list[dict[str, object]]:
    """Return the facts of rows and columns, the distances, and the landmarks that each bandwidth needs."""
    columns, distances = facts.columns, facts.distances
    values: dict[str, object] = {
        "repeated_rows": facts.repeated,
        "constant_columns": columns.constant,
        "lowest": columns.lowest,
        "highest": columns.highest,
        "smallest_spread": columns.spreads[0],
        "largest_spread": columns.spreads[1],
        "default_width": facts.width,
    }
    for percent, found in ((1, distances.near), (50, distances.median), (99, distances.far)):
        for name, square in (("", found.value), ("_low", found.low), ("_high", found.high)):
            values[f"distance_{percent}{name}"] = math.sqrt(square)
    records = measured({**head(scene), "kernel": None, "sigma": None}, values)
    for one in suggestion.candidates:
        of = {"rule": one.rule.replace(" ", "_"), "target": target}
        line = {**head(scene), **of, "kernel": str(one.kernel), "sigma": one.sigma}
        m, low, high = one.needed.m, one.needed.low, one.needed.high
        records += measured(line, {"needed_m": m, "needed_m_low": low, "needed_m_high": high})
    return records


def python(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Write the script."""
    kernels = "".join(f'    "{one.rule}": nv.{one.kernel!r},\n' for one in suggestion.candidates)
    return script(
        scene,
        """import math
from nysviz.advice.data import columns, pairwise_distances, repeated_rows
from nysviz.advice.trial import enough_landmarks, trials""",
        f"""print("repeated_rows", repeated_rows(data.X))
found = columns(data.X)
print("constant_columns", found.constant)
print("lowest", found.lowest)
print("highest", found.highest)
print("smallest_spread", found.spreads[0])
print("largest_spread", found.spreads[1])
print("default_width", nv.default_width(data.X))
distances = pairwise_distances(data.X)
for percent, one in ((1, distances.near), (50, distances.median), (99, distances.far)):
    for name, square in (("", one.value), ("_low", one.low), ("_high", one.high)):
        print(f"distance_{{percent}}{{name}}", math.sqrt(square))

# nysviz.advice.standard_bandwidths(data.X, distances) gives the standard ones.
kernels = {{
{kernels}}}
for rule, kernel in kernels.items():
    tried = trials(data.X, kernel, seed={scene.seed}, least_error={target!r})
    needed = enough_landmarks(tried, {target!r})
    for name, value in (("m", needed.m), ("m_low", needed.low), ("m_high", needed.high)):
        if value is not None:
            print(f"rule={{rule.replace(' ', '_')}} needed_{{name}}", value)""",
    )


RULES = {
    "default width": "Zhang's default width",
    "median": "median distance",
    "far end": "99th percentile (Oglic)",
    "sidebar": "the sidebar's",
    "kernel": "the sidebar's kernel",
}
REASON = (
    f"The narrowest standard bandwidth that needs at most {in_percent(WORTH)} of the rows, or else the one "
    f"that needs fewest. m is the median of up to {TRIALS} draws (least–most)."
)


def answer(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> str:
    """Answer the page's question in one sentence."""
    n, best, left = scene.data.n, suggestion.best, f"at most {100 * target:g} % of the trace of K"
    if best is not None:
        share = three_digits(100.0 * (best.needed.m or 0) / n)
        sigma = "" if best.sigma is None else f"**σ = {three_digits(best.sigma)}** ({RULES[best.rule]}) and "
        return f"With {sigma}**m = {best.needed.m}** landmarks ({share} % of the rows), {left} is left."
    if not len(facts.distances.squares):
        m = suggestion.candidates[-1].needed.m
        return f"No two rows differ, so the data suggest no bandwidth; m = {m} leaves {left}."
    return f"m = {most_tried(scene)} does not yet leave {left}: accept a larger error."


def most_tried(scene: Scene) -> int:
    """Return the landmarks that the trials go to."""
    return min(MOST_LANDMARKS, scene.data.n)


def suggestions(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Return the table of the landmarks that each bandwidth needs; the suggested one is bold."""
    rows = []
    for one in suggestion.candidates:
        sigma = "–" if one.sigma is None else three_digits(one.sigma)
        cells = (RULES[one.rule], sigma, _count(scene, one))
        if one is suggestion.best:
            cells = (f"<b>{cells[0]}</b>", f"<b>{cells[1]}</b>", f"<b>{cells[2]}</b>")
        rows.append(cells)
    return page.number_table(("bandwidth", "σ", f"m for {100 * target:g} %"), rows)


def _count(scene: Scene, one: Candidate) -> str:
    needed = one.needed
    if needed.m is None:
        return f"above {most_tried(scene)}" if needed.low is None else f"from {needed.low}"
    spread = "" if needed.low == needed.high else f" ({needed.low}–{needed.high})"
    return f"{needed.m}{spread}"


def facts_table(scene: Scene, facts: Facts) -> str:
    """Return the table of what is known of rows, columns and distances."""
    found, distances, n = facts.columns, facts.distances, scene.data.n
    low, high = found.spreads
    rows = [
        ("rows equal to an earlier one", str(facts.repeated), f"rank of K ≤ {n - facts.repeated}"),
        ("columns with one value", str(found.constant), f"of {scene.data.d}"),
        ("values", signed(found.lowest), f"to {signed(found.highest)}"),
        ("spread of a column, sd", three_digits(low), f"to {three_digits(high)}"),
    ]
    for name, one in (
        ("median distance", distances.median),
        ("1 % of the pairs below", distances.near),
        ("99 % of the pairs below", distances.far),
    ):
        rows.append((name, three_digits(math.sqrt(one.value)), _interval(one, facts)))
    return page.number_table(("the rows", "", ""), rows)


def _interval(found: Percentile, facts: Facts) -> str:
    if facts.distances.rows == facts.distances.n:
        return "exact"
    return f"{three_digits(math.sqrt(found.low))} … {three_digits(math.sqrt(found.high))}"
