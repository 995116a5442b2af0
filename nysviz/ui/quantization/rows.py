"""The numbers of the page "Quantization" as tidy records, and the script that prints them."""

from __future__ import annotations

from nysviz.papers.zhang2008.figure2 import Cloud
from nysviz.ui.computing import is_exact
from nysviz.ui.downloads import measured
from nysviz.ui.quantization.parts import Choice
from nysviz.ui.quantization.seen import Findings
from nysviz.ui.sidebar.scene import Scene, head, loading_code

ALL, POOLED = "all_runs", "methods_taken_out"


def rows(scene: Scene, choice: Choice, points: Cloud, found: Findings) -> list[dict[str, object]]:
    """Both errors of every run, and the correlations with their intervals."""
    told = []
    for group, seed, e, error in zip(
        points.groups, points.seeds, points.quantization, points.relative, strict=True
    ):
        begin = head(scene, method=points.methods[group], m=choice.m, seed=int(seed))
        told += measured(begin, {"quantization": e, "relative_frobenius": error})
    for which, one in {ALL: found.overall, POOLED: found.pooled, **found.by_method}.items():
        begin = head(scene, runs=which, m=choice.m)
        for name in ("spearman", "pearson"):
            low, high = getattr(one, f"{name}_interval")
            values = {name: getattr(one, name), f"{name}_low": low, f"{name}_high": high}
            told += measured(begin, values)
    return told


def python(scene: Scene, choice: Choice) -> str:
    """Write the script."""
    dense = ", dense=kernel(data.X)" if is_exact(scene) else ""
    return f"""import nysviz as nv
from nysviz.papers.zhang2008.figure2 import cloud, jobs
from nysviz.sweep import Problem, run_jobs

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
methods = {list(choice.methods)!r}
problem = Problem(data.name, data.X, kernel, data.digest{dense})
asked = jobs(problem, methods, m={choice.m}, repeats={choice.repeats}, seed={scene.seed})
records = [record for finished in run_jobs(asked) for record in finished.records]
# Errors that are rounding beside ‖K‖ or the scatter of the data count as 0.
points = cloud(records, methods).settled(data.n * nv.default_width(data.X))
for group, seed, e, error in zip(points.groups, points.seeds, points.quantization, points.relative):
    print(f"method={{methods[group]}} seed={{seed}} quantization", e)
    print(f"method={{methods[group]}} seed={{seed}} relative_frobenius", error)

found = {{"{ALL}": points.overall(), "{POOLED}": points.pooled()}}
found |= {{method: points.of_method(method) for method in methods}}
for runs, one in found.items():
    for name in ("spearman", "pearson"):
        low, high = getattr(one, f"{{name}}_interval")
        print(f"runs={{runs}} {{name}}", getattr(one, name))
        print(f"runs={{runs}} {{name}}_low", low)
        print(f"runs={{runs}} {{name}}_high", high)"""
