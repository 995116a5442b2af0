"""The sentences, the table and the rows of the third view of the page "Bounds"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nysviz.blocks import FloatArray
from nysviz.learning.paired_test import paired_test
from nysviz.steps.mixing import STARTS, overlaps, quartiles
from nysviz.sweep import Record
from nysviz.text import grouped, ranged, three_digits
from nysviz.ui import page
from nysviz.ui.computing import is_exact
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, loading_code

MATHS = r"""
A k-DPP draws $m$ rows $S$ with $P(S) \propto \det K_{SS}$. The chain of Li, Jegelka and Sra (2016) proposes
to exchange a random landmark for a random other row and accepts with probability $\min(1, \det
W_{\text{new}}/\det W_{\text{old}})$, which leaves that distribution as it is: after enough steps the start
is forgotten. Oglic and Gärtner (2017, section 4.2) recall that the bound on the steps needed is linear in
$n$, and holds under a condition that is hard to verify.

Each line is one run of the method `dpp` with 10 000 steps, looked at on its way. Two sets of chains that
have forgotten their starts have the same distribution of $\ln\det W$, so their quartile ranges overlap. The
converse does not hold: ranges of a few chains can overlap before the chains have mixed. Nor do they overlap
at every checkpoint: with five chains each, two sets from one distribution are apart with probability
52/252. In $\ln\det W$ the
diagonal of $W$ is raised by $10^{-12}$ of the largest $k(x, x)$, as the chain itself takes it, which keeps
the logarithm finite where rows repeat.
"""
SOURCE = (
    "Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017: section 4.2 "
    "and the experiments of section 5; Li, Jegelka and Sra, Fast DPP sampling for Nyström, ICML 2016."
)
COMPARED = (1_000, 10_000)
# A relative error below this is rounding.
ROUNDING = 1e-10
# Of the (chains, t) values by start: part of the start's landmarks that are left, and eigenvalues of W that
# are rounding.
MEASURES = ("log_determinant", "relative_frobenius", "kept", "singular")


@dataclass(frozen=True, eq=False)
class Chains:
    """Chains from both starts at the same checkpoints: measure → start → (chains, t) values."""

    m: int
    n: int
    steps: tuple[int, ...]
    values: Mapping[str, Mapping[str, FloatArray]]

    def at(self, measure: str, start: str, steps: int) -> FloatArray:
        """Values of the chains after so many steps."""
        found: FloatArray = self.values[measure][start][:, self.steps.index(steps)]
        return found

    def median(self, measure: str, start: str, steps: int) -> float:
        """Median over the chains after so many steps."""
        return float(quartiles(self.values[measure][start])[1, self.steps.index(steps)])

    @property
    def count(self) -> str:
        """How many chains are there from a start."""
        return ranged((len(runs) for runs in self.values["kept"].values()), "chain")

    @property
    def meeting(self) -> int | None:
        """The first checkpoint at which the quartile ranges of ln det W overlap."""
        runs = self.values["log_determinant"]
        meet = overlaps(runs["uniform"], runs["kmeanspp"])
        return self.steps[int(meet.argmax())] if meet.any() else None


def _signed(value: float) -> str:
    return f"−{three_digits(-value)}" if value < 0 else three_digits(value)


def answer(found: Chains) -> str:
    """Answer in one line."""
    middle = [
        [_signed(found.median("log_determinant", start, steps)) for start in STARTS]
        for steps in (COMPARED[0], 0)
    ]
    return (
        f"After {COMPARED[0]} steps the median ln det W is **{middle[0][0]}** from uniform starts and "
        f"**{middle[0][1]}** from k-means++ starts; at the start it is {middle[1][0]} and {middle[1][1]}."
    )


def headline(found: Chains) -> str:
    """Say when the two starts cannot be told apart for the first time."""
    if found.meeting is None:
        return f"The two starts stay apart for {grouped(found.steps[-1])} steps"
    when = "at the start already" if found.meeting == 0 else f"after {grouped(found.meeting)} steps"
    return f"The two starts' quartile ranges first overlap {when}"


def error_headline(found: Chains) -> str:
    """Say what becomes of the error on the way, where the chains agree about it."""
    measure = "relative_frobenius"
    early, late = (found.at(measure, "uniform", steps) for steps in (0, COMPARED[1]))
    if max(float(runs.max()) for runs in found.values[measure].values()) <= ROUNDING:
        return "All errors are rounding"
    test = paired_test(late.tolist(), early.tolist())
    if not test.significant:
        return f"No clear difference of the uniform start's error after {grouped(COMPARED[1])} steps"
    verb = "falls" if test.difference < 0 else "rises"
    change = 100 * abs(test.difference) / float(early.mean())
    return f"In {grouped(COMPARED[1])} steps the uniform start's error {verb} by {change:.2g} % on average"


def kept_headline(found: Chains) -> str:
    """Say how far the chains are from where they began."""
    left = 100 * found.median("kept", "uniform", COMPARED[0])
    return f"After {COMPARED[0]} steps {left:.3g} % of a uniform start is left in the median"


def numbers(found: Chains) -> str:
    """Return medians at the start and after the compared numbers of steps as a table."""
    last, rows = grouped(COMPARED[1]), []
    for name, measure in (("ln det W", "log_determinant"), ("error", "relative_frobenius")):
        for steps in (0, *COMPARED):
            when = "start" if steps == 0 else f"{grouped(steps)} steps"
            one, other = (_signed(found.median(measure, start, steps)) for start in STARTS)
            rows.append((f"{name}, {when}", one, other))
    left = [f"{100 * found.median('kept', start, COMPARED[1]):.3g} %" for start in STARTS]
    lost = [f"{found.median('singular', start, COMPARED[1]):.0f}" for start in STARTS]
    rows.append((f"landmarks left, {last} steps", left[0], left[1]))
    rows.append((f"eigenvalues of W that are rounding, {last} steps", lost[0], lost[1]))
    return page.number_table(("median of the chains", "uniform", "k-means++"), rows)


def explanation(found: Chains) -> str:
    """Say what so few chains can show, and where longer and shorter chains are compared."""
    return (
        f"Oglic and Gärtner found that the chain moves slowly away from a uniform start; of a random set "
        f"{100 * found.m / found.n:.3g} % would be landmarks of the start by chance. {found.count} a start "
        "show about when the start is forgotten, but are too few to say whether 10 000 steps make a smaller "
        "error than 1000. That is tested on many data sets as claim o5 of the page Claims."
    )


def rows(scene: Scene, found: Chains | None, records: Sequence[Record]) -> list[dict[str, object]]:
    """Every chain at every checkpoint, and the medians of the table."""
    told = []
    for record in records:
        more = {"start": dict(record.options)["start"], "steps": int(record.values["steps"])}
        told += of_records([record], scene.data.name, **more)
    if found is None:
        return told
    for measure in MEASURES[:3]:
        for start in STARTS:
            for steps in (0, *COMPARED):
                begin = head(scene, method="dpp", m=found.m, start=start, steps=steps)
                told += measured(begin, {f"median_{measure}": found.median(measure, start, steps)})
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
