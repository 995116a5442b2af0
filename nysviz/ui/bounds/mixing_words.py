"""The words and numbers of the third view of the page "Bounds": what the chains did, and what was stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nysviz.blocks import FloatArray
from nysviz.figures.look import grouped, three_digits
from nysviz.steps.mixing import overlaps, quartiles
from nysviz.ui import page

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


@dataclass(frozen=True, eq=False)
class Chains:
    """Chains from both starts at the same checkpoints; each mapping has (chains, t) arrays by start.

    ``kept`` is the part of the start's landmarks that are still there, ``error`` relative in Frobenius norm,
    ``singular`` how many eigenvalues of W are rounding.
    """

    m: int
    n: int
    steps: tuple[int, ...]
    log_determinant: Mapping[str, FloatArray]
    error: Mapping[str, FloatArray]
    kept: Mapping[str, FloatArray]
    singular: Mapping[str, FloatArray]

    def median(self, values: Mapping[str, FloatArray], start: str, steps: int) -> float:
        """Median over the chains after so many steps."""
        return float(quartiles(values[start])[1, self.steps.index(steps)])

    @property
    def is_rounding(self) -> bool:
        """Whether the chains' errors are those of float64 alone."""
        return all(float(runs.max()) <= ROUNDING for runs in self.error.values())

    def lead(self, steps: int) -> float:
        """How far the median ln det W of the k-means++ starts is above that of the uniform ones."""
        middles = [self.median(self.log_determinant, start, steps) for start in ("kmeanspp", "uniform")]
        return middles[0] - middles[1]

    @property
    def meeting(self) -> int | None:
        """The first checkpoint at which the quartile ranges of ln det W overlap."""
        meet = overlaps(self.log_determinant["uniform"], self.log_determinant["kmeanspp"])
        return self.steps[int(meet.argmax())] if meet.any() else None

    @property
    def apart_later(self) -> list[int]:
        """Checkpoints after that first one at which the ranges do not overlap."""
        meet = overlaps(self.log_determinant["uniform"], self.log_determinant["kmeanspp"])
        first = int(meet.argmax()) if meet.any() else len(meet)
        return [step for step, yes in zip(self.steps[first:], meet[first:], strict=True) if not yes]


def told(found: Chains) -> str:
    """How many chains are there."""
    counts = {len(runs) for runs in found.kept.values()}
    return f"{min(counts)} chains a start" if len(counts) == 1 else "chains that are done"


def _when(found: Chains) -> str:
    if found.meeting is None:
        return f"not within {grouped(found.steps[-1])} steps"
    return "at the start already" if found.meeting == 0 else f"after {grouped(found.meeting)} steps"


def headline(found: Chains) -> str:
    """What the main picture shows."""
    if found.meeting is None:
        return f"The two starts stay apart for {grouped(found.steps[-1])} steps"
    return f"The two starts' quartile ranges first overlap {_when(found)}"


def answer(found: Chains) -> str:
    """Answer in one line."""
    lead = found.lead(COMPARED[0])
    side = "below" if lead >= 0 else "above"
    text = (
        f"After {grouped(COMPARED[0])} steps the median ln det W of chains from uniform starts is "
        f"**{three_digits(abs(lead))} {side}** that from k-means++ starts (at the start: "
        f"{beside(found.lead(0))}). "
    )
    if found.meeting is None:
        return text + f"Their quartile ranges do **not** overlap within {grouped(found.steps[-1])} steps."
    return text + f"Their quartile ranges first overlap **{_when(found)}**."


def beside(lead: float) -> str:
    """Say on which side of the k-means++ starts the uniform ones are, and how far."""
    return f"{three_digits(abs(lead))} {'below' if lead >= 0 else 'above'}"


def numbers(found: Chains) -> str:
    """Medians at the start and after the compared numbers of steps."""
    rows = []
    for name, values in (("ln det W", found.log_determinant), ("error", found.error)):
        for step in (0, *COMPARED):
            pair = [three_digits_signed(found.median(values, start, step)) for start in values]
            rows.append(
                (f"{name}, {'start' if step == 0 else f'{grouped(step)} steps'}", pair[0], pair[1]),
            )
    pair = [f"{100 * found.median(found.kept, start, COMPARED[-1]):.3g} %" for start in found.kept]
    rows.append((f"landmarks left, {grouped(COMPARED[-1])} steps", pair[0], pair[1]))
    return page.number_table(("median of the chains", "uniform", "k-means++"), rows)


def three_digits_signed(value: float) -> str:
    """Write a number that may be below 0."""
    return f"−{three_digits(-value)}" if value < 0 else three_digits(value)


def error_headline(found: Chains) -> str:
    """What becomes of the error on the way: a larger determinant need not be a smaller error."""
    if found.is_rounding:
        return "All errors are rounding"
    early, late = (found.median(found.error, "uniform", step) for step in (0, COMPARED[-1]))
    change = 100 * (late / early - 1) if early > 0 else 0.0
    verb = "falls" if change < 0 else "rises"
    return f"In 10 000 steps the uniform start's error {verb} by {abs(change):.2g} %"


def kept_headline(found: Chains) -> str:
    """How far the chains are from where they began."""
    left = 100 * found.median(found.kept, "uniform", COMPARED[0])
    return f"After 1000 steps {left:.3g} % of a uniform start is left"
