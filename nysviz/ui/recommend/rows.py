"""The numbers of the page "Recommend" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.advice import Recommendation, Tried
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code


def rows(scene: Scene, found: Recommendation, tried: Sequence[Tried]) -> list[dict[str, object]]:
    """Every run on a part of the rows, each curve, and what was measured on all rows."""
    written: list[dict[str, object]] = []
    norm = found.asked.norm
    for one in sorted(tried, key=lambda one: (one.method, one.size, one.repeat, one.m)):
        begin = head(scene, method=one.method, m=one.m, repeat=one.repeat, part=one.size)
        outer = None if one.outer != one.outer else one.outer
        written += measured(begin, {f"inner_{norm}": one.inner, f"outer_{norm}": outer})
    for candidate in found.candidates:
        curve = candidate.curve
        for k, m in enumerate(curve.ms):
            begin = head(scene, method=curve.method, m=int(m))
            ends = {"expected": curve.value[k], "expected_low": curve.low[k], "expected_high": curve.high[k]}
            written += measured(begin, {name: float(value) for name, value in ends.items()})
    for candidate in found.candidates:
        if candidate.verified is not None:
            begin = head(scene, method=candidate.method, m=candidate.m)
            written += measured(begin, {f"relative_{norm}": candidate.verified.error.value})
    return written


def python(scene: Scene, found: Recommendation) -> str:
    """Write the script: the runs, the curves, and the approximations that were measured on all rows."""
    asked = found.asked
    measured_on_all = [(one.method, one.m) for one in found.candidates if one.verified is not None]
    limits = "".join(
        f", {name}={value!r}"
        for name, value in (("seconds", found.budget.seconds), ("memory", found.budget.memory))
        if value is not None
    )
    error = (
        "1.0 - np.square(a.factor).sum() / kernel.diag(data.X).sum()"
        if asked.norm == "trace"
        else f"sampled_errors(data.X, kernel, a, {asked.n if asked.uses_all_rows else 500}, {asked.seed})"
        ".relative_frobenius"
    )
    more = "import numpy as np\n" if asked.norm == "trace" else ""
    also = "" if asked.norm == "trace" else "from nysviz.measures import sampled_errors\n"
    return f"""{more}import nysviz as nv
{also}from nysviz.advice import Question, curves_of, screen_jobs
from nysviz.sweep import run_jobs

data = {loading_code(scene)}
kernel = nv.{asked.kernel!r}
# All in one call, with the times of your machine:
# print(nv.recommend(data.X, kernel, {asked.target!r}, {asked.norm!r}, seed={asked.seed}{limits}))
asked = Question.of(data.X, kernel, {asked.target!r}, {asked.norm!r}, {asked.methods!r}, {asked.seed})
tried = [one for finished in run_jobs(screen_jobs(asked)) for one in finished.records]
for one in sorted(tried, key=lambda one: (one.method, one.size, one.repeat, one.m)):
    at = f"method={{one.method}} m={{one.m}} repeat={{one.repeat}} part={{one.size}}"
    print(at, "inner_{asked.norm}", one.inner)
    print(at, "outer_{asked.norm}", one.outer)
for method, curve in curves_of(tried, asked.n, asked.most(asked.sizes[-1])).items():
    for m, value, low, high in zip(curve.ms, curve.value, curve.low, curve.high):
        print(f"method={{method}} m={{m:.0f}} expected", value)
        print(f"method={{method}} m={{m:.0f}} expected_low", low)
        print(f"method={{method}} m={{m:.0f}} expected_high", high)
for method, m in {measured_on_all!r}:
    a = nv.approximate(data.X, kernel, method, m, {asked.seed})
    print(f"method={{method}} m={{m}} relative_{asked.norm}", {error})"""
