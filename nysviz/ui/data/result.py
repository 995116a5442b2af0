"""What the page "Data" computes, its numbers as tidy records, and the script that prints them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from nysviz.advice.data import (
    Columns,
    Distances,
    columns,
    pairwise_distances,
    repeated_rows,
    standard_bandwidths,
)
from nysviz.advice.trial import Landmarks, Trials, enough_landmarks, suggested, trials
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel, Radial, default_width
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code

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
    begin = {**head(scene), "kernel": None, "sigma": None}
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
        values[f"distance_{percent}"] = math.sqrt(found.value)
        values[f"distance_{percent}_low"] = math.sqrt(found.low)
        values[f"distance_{percent}_high"] = math.sqrt(found.high)
    records = measured(begin, values)
    for one in suggestion.candidates:
        needed = one.needed
        line = head(
            scene, rule=one.rule.replace(" ", "_"), target=target, kernel=repr(one.kernel), sigma=one.sigma
        )
        records += measured(
            line, {"needed_m": needed.m, "needed_m_low": needed.low, "needed_m_high": needed.high}
        )
    return records


def python(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Write the script."""
    kernels = "".join(f'    "{one.rule}": nv.{one.kernel!r},\n' for one in suggestion.candidates)
    return f"""import math
import nysviz as nv
from nysviz.advice.data import columns, pairwise_distances, repeated_rows
from nysviz.advice.trial import enough_landmarks, trials

data = {loading_code(scene)}
print("repeated_rows", repeated_rows(data.X))
found = columns(data.X)
print("constant_columns", found.constant)
print("lowest", found.lowest)
print("highest", found.highest)
print("smallest_spread", found.spreads[0])
print("largest_spread", found.spreads[1])
print("default_width", nv.default_width(data.X))
distances = pairwise_distances(data.X)
for percent, one in ((1, distances.near), (50, distances.median), (99, distances.far)):
    print(f"distance_{{percent}}", math.sqrt(one.value))
    print(f"distance_{{percent}}_low", math.sqrt(one.low))
    print(f"distance_{{percent}}_high", math.sqrt(one.high))

# nysviz.advice.standard_bandwidths(data.X, distances) gives the standard ones.
kernels = {{
{kernels}}}
for rule, kernel in kernels.items():
    of_rule = f"rule={{rule.replace(' ', '_')}}"
    tried = trials(data.X, kernel, seed={scene.seed}, least_error={target!r})
    needed = enough_landmarks(tried, {target!r})
    for name, value in (("m", needed.m), ("m_low", needed.low), ("m_high", needed.high)):
        if value is not None:
            print(of_rule, f"needed_{{name}}", value)"""
