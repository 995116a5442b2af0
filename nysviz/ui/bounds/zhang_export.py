"""The numbers of the first view of the page "Bounds" as tidy records, and the script that prints them."""

from __future__ import annotations

from nysviz.bounds.zhang import needs_ball
from nysviz.landmarks import METHODS
from nysviz.measures import SAMPLED_ROWS
from nysviz.ui.bounds.zhang_result import Entry, Report, curve_counts, repeats_of
from nysviz.ui.computing import is_exact
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code

# What tells the numbers of the one approximation from those of the curve's runs.
HERE = {"picture": "one_approximation"}
PARTS = ("total", "encoding_term", "inverse_term", "largest_cluster", "quantization", "inverse_norm")


def rows(scene: Scene, choice: Choice, report: Report, entry: Entry) -> list[dict[str, object]]:
    """The bound with its parts and steps, the error, and one entry of K."""
    begin = head(scene, method=choice.method, options=repr(dict(choice.options)), m=choice.m, **HERE)
    values: dict[str, object] = {part: getattr(report.bound, part) for part in PARTS}
    values |= {
        "constant": report.bound.constant,
        "printed_constant": report.printed,
        "frobenius": report.error,
    }
    values |= {"most_of_pairs": float(report.ratios.max(initial=0.0))}
    if report.interval is not None:
        values["frobenius_low"], values["frobenius_high"] = report.interval
    told = measured(begin, values)
    for step in report.steps:
        told += measured({**begin, "step": step.name}, {"ladder": step.value})
    i, j = entry.rows
    values = {"entry": entry.exact, "entry_error": entry.before, "entry_error_as_landmarks": entry.after}
    return told + measured({**begin, "row": i, "column": j}, values)


def python(scene: Scene, choice: Choice, entry: Entry) -> str:
    """Write the script."""
    options = "".join(f", {name}={value!r}" for name, value in choice.options)
    exact = is_exact(scene)
    radius = "radius_of(X, a.landmarks)" if needs_ball(scene.kernel) else "None"
    repeats = repeats_of(scene) if METHODS[choice.method].random else 1
    asked = f"{{{choice.method!r}: {choice.options!r}}}, {list(curve_counts(scene))}, {repeats}, {scene.seed}"
    return f"""import numpy as np
import nysviz as nv
from nysviz.bounds import (
    change_ratio, derived_constant, encode, entry_errors, error_bound, ladder, printed_constant
)
from nysviz.bounds.zhang import radius_of
from nysviz.papers.zhang2008.bound import bound_jobs
from nysviz.measures import sampled_errors, sampled_rows
from nysviz.sweep import Problem, run_jobs, tidy

data = {loading_code(scene)}
X = data.X
kernel = nv.{scene.kernel!r}
a = nv.approximate(X, kernel, method="{choice.method}", m={choice.m}, seed={scene.seed}{options})
here = "picture={HERE["picture"]}"
bound = error_bound(X, kernel, a)
for part in {PARTS!r}:
    print(here, part, getattr(bound, part))
radius = {radius}
print(here, "constant", derived_constant(kernel, radius))
print(here, "printed_constant", printed_constant(kernel, radius))
{_STEPS[exact]}for step in steps:
    print(here, f"step={{step.name}} ladder", step.value)

# Property (8) for random pairs of points against their landmarks.
found = encode(X, a.landmarks)
i, j = np.random.default_rng(0).integers(len(X), size=(2, 300))
nearest = found.landmarks[found.labels]
print(here, "most_of_pairs", change_ratio(kernel, X[i], X[j], nearest[i], nearest[j]).max())

# One entry of K, with the landmarks as they are and with both of its points among them.
points = X[[{entry.rows[0]}, {entry.rows[1]}]]
more = np.concatenate([a.landmarks, points])
print(here, "entry", kernel(points)[0, 1])
print(here, "entry_error", entry_errors(kernel, a.landmarks, points)[0, 1])
print(here, "entry_error_as_landmarks", entry_errors(kernel, more, points)[0, 1])

problem = Problem(data.name, X, kernel, data.digest{", dense=kernel(X)" if exact else ""})
jobs = bound_jobs(problem, {asked})
records = [record for finished in run_jobs(jobs) for record in finished.records]
print(tidy(records).to_csv(index=False))"""


_STEPS = {
    True: """steps = ladder(X, kernel, a)
print(here, "frobenius", steps[-1].value)
""",
    False: f"""error = sampled_errors(X, kernel, a)
print(here, "frobenius", error.frobenius)
whole = error.frobenius / error.relative_frobenius if error.relative_frobenius > 0 else 0.0
print(here, "frobenius_low", error.interval[0] * whole)
print(here, "frobenius_high", error.interval[1] * whole)
steps = ladder(X, kernel, a, rows=sampled_rows(len(X), {SAMPLED_ROWS}), measured=error.frobenius)
""",
}
