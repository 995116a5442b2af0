"""The numbers of the page "Lift" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.papers.oglic2017.lift import BEST, gains, lifts, scheme_of
from nysviz.sweep import Record
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.lift.parts import COST_REPEATS, MOST_ROWS, Question
from nysviz.ui.sidebar.scene import Scene, loading_code


def rows(scene: Scene, question: Question, records: Sequence[Record]) -> list[dict[str, object]]:
    """Every run, then the lift of each scheme with its spread and its p at each bandwidth and rank."""
    found = []
    for record in records:
        # More ranks than one may have the same number of landmarks, and a method more than one setting.
        more = {"scheme": scheme_of(record), "rank": int(record.values["rank"])}
        found += [r for r in of_records([record], scene.data.name, **more) if r["measure"] != "rank"]
    cells = lifts(records)
    for scheme in _schemes(question):
        for cell, one in gains(cells, scheme).items():
            begin = {"data": scene.data.name, "n": question.n, "d": scene.data.d, "scheme": scheme}
            begin |= {"bandwidth": cell.bandwidth, "rank": cell.rank, "m": cell.landmarks}
            values = {"lift": one.mean, "lift_low": one.low, "lift_high": one.high, "lift_p": one.p}
            found += measured(begin, values)
    return found


def _schemes(question: Question) -> list[str]:
    return [name for name in question.schemes if question.view != "seconds" or name != BEST]


def python(scene: Scene, question: Question) -> str:
    """Write the script."""
    costs = question.view == "seconds"
    values = "[found.standard]" if question.view == "rank" else "sorted({*found.values, found.standard})"
    repeats = min(question.repeats, COST_REPEATS) if costs else question.repeats
    more = f'repeats={repeats}, seed={question.seed}, rule="{question.rule}"'
    more += ", at_hand=False" if costs else ""
    return f"""import nysviz as nv
from nysviz.papers.oglic2017.bandwidths import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import Matrices, gains, lift_jobs, lifts, sampled, scheme_of
from nysviz.sweep import run_jobs

data = {loading_code(scene)}
X, digest = sampled(data, {MOST_ROWS}, 0)
found = bandwidths(X)
kernels = [kernel_at(value) for value in {values}]
schemes = {_schemes(question)!r}
matrices = Matrices(data.name, X, digest)
jobs = lift_jobs(matrices, kernels, schemes, {list(question.ranks)}, {more})
records = [record for finished in run_jobs(jobs) for record in finished.records]
for scheme in schemes:
    for cell, one in gains(lifts(records), scheme).items():
        at = f"scheme={{scheme}} bandwidth={{cell.bandwidth}} rank={{cell.rank}} m={{cell.landmarks}}"
        print(at, "lift", one.mean)
        print(at, "lift_low", one.low)
        print(at, "lift_high", one.high)
        print(at, "lift_p", one.p)
for record in records:
    at = f"scheme={{scheme_of(record)}} kernel={{record.kernel!r}} rank={{record.values.pop('rank'):.0f}}"
    for measure, value in record.values.items():
        print(f"{{at}} repeat={{record.repeat}}", measure, value)"""
