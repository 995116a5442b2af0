"""The numbers of the view "Nyström against random features" as tidy records, and the script for them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.learning.trial_setting import EXACT
from nysviz.papers.yang2012.figure2 import Series
from nysviz.sweep import Record
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.learning.features_controls import Choice
from nysviz.ui.learning.features_seen import Seen, spread
from nysviz.ui.sidebar.scene import head, loading_code


def rows(seen: Seen, records: Sequence[Record]) -> list[dict[str, object]]:
    """Every trial, the means at each m, and the paired test of the two lines."""
    name = seen.setting.measure
    told = of_records(records, seen.scene.data.name)
    for line, counts in seen.found.items():
        for m, scores in counts.items():
            mean, deviation = spread(list(scores.values()))
            begin = head(seen.scene, line=line, m=m)
            told += measured(begin, {f"mean_{name}": mean, f"deviation_{name}": deviation})
    for m, test in seen.tests.items():
        values = {"difference": test.difference, "half_width": test.half_width, "p": test.p}
        told += measured(head(seen.scene, m=m), values)
    return told


def python(seen: Seen, choice: Choice) -> str:
    """Write the script."""
    lines = [(line.method, line.reading) for line in choice.lines]
    if choice.exact:
        lines.append((EXACT, Series(EXACT).reading))
    test = ""
    if seen.random is not None:
        pair = f'"{seen.nystroem.id}", "{seen.random.id}", larger_is_better={seen.percent}'
        test = f"""for m, test in compare(found, {pair}).items():
    print(f"m={{m}} difference", test.difference)
    print(f"m={{m}} half_width", test.half_width)
    print(f"m={{m}} p", test.p)
"""
    return f"""from statistics import fmean, stdev
import nysviz as nv
from nysviz.papers.yang2012.figure2 import Series, compare, jobs, scores
from nysviz.learning.trial_setting import Setting
from nysviz.sweep import Problem, run_jobs, tidy

data = {loading_code(seen.scene)}
kernel = nv.{seen.scene.kernel!r}
setting = Setting("{seen.setting.task}", "{seen.setting.machine}")
problem = Problem(data.name, data.X, kernel, data.digest, data.y)
lines = [Series(method, reading) for method, reading in {lines!r}]
asked = jobs(problem, setting, lines, {list(choice.ms)}, {choice.trials}, {seen.scene.seed})
records = [record for finished in run_jobs(asked) for record in finished.records]
found = scores(records, setting.measure)
for line, counts in found.items():
    for m, of_trials in counts.items():
        values = list(of_trials.values())
        print(f"line={{line}} m={{m}} mean_{{setting.measure}}", fmean(values))
        print(f"line={{line}} m={{m}} deviation_{{setting.measure}}", stdev(values) if values[1:] else 0.0)
{test}print(tidy(records).to_csv(index=False))"""
