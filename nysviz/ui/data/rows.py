"""The numbers of the page "Data" as tidy records, and the script that prints them."""

from __future__ import annotations

import math

from nysviz.ui.data.parts import Facts, Suggestion
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code


def rows(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> list[dict[str, object]]:
    """What is known of rows and columns, the distances, and the landmarks that each bandwidth needs."""
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
    told = measured(begin, values)
    for one, needed in zip(suggestion.candidates, suggestion.needed, strict=True):
        line = head(
            scene, rule=one.rule.replace(" ", "_"), target=target, kernel=repr(one.kernel), sigma=one.sigma
        )
        told += measured(
            line, {"needed_m": needed.m, "needed_m_low": needed.low, "needed_m_high": needed.high}
        )
    return told


def python(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Write the script."""
    kernels = "".join(f'    "{one.rule}": nv.{one.kernel!r},\n' for one in suggestion.candidates)
    return f"""import math
import nysviz as nv
from nysviz.advice import columns, enough_landmarks, pairwise_distances, repeated_rows, trials

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
