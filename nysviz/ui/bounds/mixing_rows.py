"""The numbers of the third view of the page "Bounds" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.sweep import Record
from nysviz.ui.bounds.mixing_words import COMPARED, Chains
from nysviz.ui.computing import is_exact
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, loading_code


def rows(scene: Scene, found: Chains | None, records: Sequence[Record]) -> list[dict[str, object]]:
    """Every chain at every checkpoint, and the medians of the table."""
    told = []
    for record in records:
        more = {"start": dict(record.options)["start"], "steps": int(record.values["steps"])}
        told += of_records([record], scene.data.name, **more)
    if found is None:
        return told
    for measure, values in (
        ("log_determinant", found.log_determinant),
        ("relative_frobenius", found.error),
        ("kept", found.kept),
    ):
        for start in values:
            for steps in (0, *COMPARED):
                begin = head(scene, method="dpp", m=found.m, start=start, steps=steps)
                told += measured(begin, {f"median_{measure}": found.median(values, start, steps)})
    return told


def python(scene: Scene, m: int, chains: int) -> str:
    """Write the script."""
    dense = ", dense=kernel(data.X)" if is_exact(scene) else ""
    return f"""from collections import defaultdict
from statistics import median
import nysviz as nv
from nysviz.papers.oglic2017.mixing import mixing_jobs
from nysviz.sweep import Problem, run_jobs

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
problem = Problem(data.name, data.X, kernel, data.digest{dense})
jobs = mixing_jobs(problem, m={m}, chains={chains}, seed={scene.seed})
medians = defaultdict(list)
for finished in run_jobs(jobs):
    for record in finished.records:
        start, steps = dict(record.options)["start"], int(record.values["steps"])
        for measure, value in record.values.items():
            print(f"repeat={{record.repeat}} start={{start}} steps={{steps}}", measure, value)
            medians[start, steps, measure].append(value)
for (start, steps, measure), values in medians.items():
    if steps in {(0, *COMPARED)!r} and measure in ("log_determinant", "relative_frobenius", "kept"):
        print(f"start={{start}} steps={{steps}} median_{{measure}}", median(values))"""
