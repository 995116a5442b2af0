"""What is compared: the methods, and the chain of swaps with its steps and starts."""

from __future__ import annotations

from dataclasses import dataclass

from nysviz.landmarks import METHODS
from nysviz.sweep import Record
from nysviz.sweep.record import Options
from nysviz.text import grouped

REFERENCE = "uniform"
BEST = "svd"


@dataclass(frozen=True)
class Scheme:
    """A method with its options, under a name of its own."""

    name: str
    label: str
    method: str
    options: Options = ()

    @property
    def random(self) -> bool:
        """Whether two seeds give two results."""
        return METHODS[self.method].random


def _chain(name: str, steps: int, start: str) -> Scheme:
    told = "uniform start" if start == "uniform" else "k-means++ start"
    return Scheme(name, f"k-DPP, {grouped(steps)} steps, {told}", "dpp", (("start", start), ("steps", steps)))


_CHAINS = (
    _chain("dpp", 1_000, "uniform"),
    _chain("dpp_10000", 10_000, "uniform"),
    _chain("dpp_kmeanspp", 1_000, "kmeanspp"),
    _chain("dpp_kmeanspp_10000", 10_000, "kmeanspp"),
)
SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        *(Scheme(name, entry.label, name) for name, entry in METHODS.items() if name != "dpp"),
        Scheme(
            "leverage_approx_10m",
            f"{METHODS['leverage_approx'].label}, sketch 10 m",
            "leverage_approx",
            (("oversampling", 10.0),),
        ),
        *_CHAINS,
    )
}
# Those of the paper, those that it does not have, and the most that any method could gain.
PUBLISHED = ("kmeanspp", "leverage_approx", "dpp", "dpp_10000")
REFINED = ("kmeanspp_lloyd", "dpp_kmeanspp", "dpp_kmeanspp_10000")
NEWCOMERS = ("rpcholesky", "greedy", "icd")
_BY_SETTING = {(scheme.method, scheme.options): scheme.name for scheme in SCHEMES.values()}


def scheme_of(record: Record) -> str:
    """Name of the scheme that a run belongs to."""
    return _BY_SETTING[record.method, record.options]


def checked_scheme(name: str) -> Scheme:
    """Return the scheme, or raise one sentence that names what exists."""
    if name not in SCHEMES:
        raise ValueError(f"Scheme {name!r} is not known; choose from {', '.join(SCHEMES)}.")
    return SCHEMES[name]
