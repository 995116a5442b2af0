"""What bandwidth and m suit the data? Distances between the rows, and the landmarks that bandwidths need."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.advice import data as advice
from nysviz.advice.bandwidths import sigma_of
from nysviz.advice.trial import (
    MOST_LANDMARKS,
    TRIALS,
    WORTH,
    LandmarkCounts,
    Trials,
    enough_landmarks,
    suggest_index,
)
from nysviz.advice.trial import trials as try_landmarks
from nysviz.datasets import Dataset
from nysviz.engine.shared import shared
from nysviz.figures.distances import BEYOND_FAR, distance_chart, trace_chart
from nysviz.figures.look import inert
from nysviz.kernels import Gaussian, Kernel, Radial, default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Part, Study, chart, complete, theme_of
from nysviz.text import counted, grouped, of_all, percent, signed, three_digits

if TYPE_CHECKING:
    import pandas as pd

TARGET = 0.1
# Number of distances kept: an even sample of the sorted distances has the histogram of all to 0.001 %.
KEPT_DISTANCES = 200_000
CHOSEN = "chosen"  # the rule of the bandwidth that was asked for
RULES = {
    "default width": "Zhang, default width",
    "median": "median distance",
    "far end": "Oglic, 99th percentile",
    CHOSEN: "chosen bandwidth",
    "kernel": "the chosen kernel",
}
REASON = (
    f"The narrowest standard bandwidth that needs at most {percent(WORTH)} of the rows, or else the one "
    f"that needs fewest. m is the median of up to {TRIALS} draws (least–most)."
)
FIRST_ROWS, FIRST_COLUMNS = 8, 40


@dataclass(frozen=True)
class Facts:
    """Facts about the rows before a kernel is chosen."""

    columns: advice.Columns
    repeated: int
    distances: advice.PairwiseDistances
    width: float


@dataclass(frozen=True)
class Candidate:
    """A bandwidth by its rule, the kernel with it, its trials, and the landmarks it needs."""

    rule: str
    kernel: Kernel
    trials: Trials
    counts: LandmarkCounts

    @property
    def sigma(self) -> float | None:
        """σ of a kernel that has one."""
        return sigma_of(self.kernel)


@dataclass(frozen=True)
class Suggestion:
    """The candidates, and the suggested one, if any."""

    candidates: Sequence[Candidate]
    best: Candidate | None


@shared()
def facts_of(data: Dataset) -> Facts:
    """Look at columns, repeated rows and distances."""
    X = data.X
    distances = advice.pairwise_distances(X)
    if (pairs := len(distances.squares)) > KEPT_DISTANCES:
        places = np.linspace(0, pairs - 1, KEPT_DISTANCES).round().astype(int)
        distances = replace(distances, squares=distances.squares[places])
    return Facts(advice.columns(X), advice.repeated_rows(X), distances, default_width(X))


@shared()
def _trials(data: Dataset, kernel: Kernel, target: float, seed: int) -> Trials:
    return try_landmarks(data.X, kernel, seed=seed, least_error=target)


@shared()
def suggest(scene: Scene, target: float) -> Suggestion:
    """Try the standard bandwidths for the scene's kernel, and the kernel's own if it is none of these.

    A kernel without a bandwidth is the only candidate.
    """
    kernel, facts, kernels = scene.kernel, facts_of(scene.data), dict[str, Kernel]()
    if not isinstance(kernel, Radial):
        kernels = {"kernel": kernel}
    else:
        if facts.width > 0 and len(facts.distances.squares):
            standard = advice.standard_bandwidths(scene.data.X, facts.distances)
            kernels |= {bandwidth.rule: replace(kernel, sigma=bandwidth.sigma) for bandwidth in standard}
        if is_apart(kernel.sigma, [sigma_of(candidate) for candidate in kernels.values()]):
            kernels[CHOSEN] = kernel
    candidates = []
    for rule, candidate in kernels.items():
        trials = _trials(scene.data, candidate, target, scene.seed)
        candidates.append(Candidate(rule, candidate, trials, enough_landmarks(trials, target)))
    offered = [candidate for candidate in candidates if candidate.rule != CHOSEN]
    index = suggest_index([candidate.counts for candidate in offered], scene.data.n)
    return Suggestion(candidates, None if index is None else offered[index])


def is_apart(sigma: float, other_sigmas: Sequence[float | None]) -> bool:
    """Whether a bandwidth differs from all others in its first three digits."""
    return all(abs(math.log(sigma / max(other_sigma or 0.0, 1e-300))) > 5e-3 for other_sigma in other_sigmas)


def first_rows(data: Dataset, target: str | None) -> "tuple[pd.DataFrame, str]":
    """Return the first rows and columns with their labels as a table, and its title.

    ``target`` is the name of the labels' column, where they have one.
    """
    import pandas as pd

    count, wide = min(FIRST_ROWS, data.n), min(FIRST_COLUMNS, data.d)
    names = data.feature_names[:wide]
    # A table needs names that differ; those of a user's file may not.
    unique = [name if names.index(name) == j else f"{name} ({j + 1})" for j, name in enumerate(names)]
    table = pd.DataFrame(data.X[:count, :wide], columns=unique)
    if data.y is not None:
        name = "target" if target is None else f"{target} (target)"
        while name in unique:
            name += " (y)"
        labels = [f"{value:.4g}" for value in data.y[:count]]
        if data.task == "classification" and data.classes:
            labels = [data.classes[code] for code in np.searchsorted(np.unique(data.y), data.y[:count])]
        table.insert(0, name, labels)
    cut = f", the first {of_all(wide, data.d, 'column')}" if wide < data.d else ""
    return table, f"First {counted(count, 'row')}{cut}"


def data(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    *,
    target: float = TARGET,
    seed: int = 0,
    theme: Ink = "light",
) -> "DataStudy":
    """Suggest a bandwidth for these data, and how many landmarks it needs.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Distances are those of 1 500 random rows of more, and landmarks are tried on 2 000.
    kernel : Kernel, optional
        Its standard bandwidths are tried, and its own; a kernel without a bandwidth is tried as it is. By
        default the Gaussian.
    target : float
        Part of the trace of K that the landmarks may leave, between 0 and 1.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    DataStudy
        With ``answer``, ``table``, ``figures``; ``suggestion.best.sigma`` and ``suggestion.best.counts.m``;
        ``facts.distances``.

    Raises
    ------
    ValueError
        For a target outside of (0, 1), and sparse data.

    References
    ----------
    The standard bandwidths: Zhang, Tsang and Kwok 2008, section 4; Oglic and Gärtner 2017, section 5. The
    landmarks are those of randomly pivoted Cholesky: Chen, Epperly, Tropp and Webber 2022.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.data(nv.load("iris"), target=0.05)
    >>> result.suggestion.best.rule
    'default width'
    """
    if not 0.0 < target < 1.0:
        raise Refusal(f"The target is {target:g}; a part of the trace of K between 0 and 1 is needed.")
    return complete(DataStudy(scene=scene_of(data, kernel, seed), target=target, theme=theme_of(theme)))


@dataclass(frozen=True, eq=False, kw_only=True)
class DataStudy(Study):
    """The bandwidths that the rows suggest, and the landmarks that each needs."""

    target: float = TARGET

    name = "data"
    question = "What bandwidth and m suit my data?"

    facts = Part(facts_of, "rows", "Distances between rows", needed=True)
    suggestion = Part(suggest, "scene target", "Landmarks for each bandwidth")

    @property
    def rows(self) -> Dataset:
        """The data."""
        return self.scene.data

    @property
    def best(self) -> Candidate | None:
        """The suggested candidate; None without one, or before it."""
        return self.suggestion.best if self.has("suggestion") else None

    @property
    def has_bandwidth(self) -> bool:
        """Whether the kernel has a bandwidth that one can choose."""
        return sigma_of(self.scene.kernel) is not None

    @property
    def best_multiple(self) -> float | None:
        """The suggested 2σ² in multiples of the default width; None without a bandwidth."""
        if self.best is None or self.best.sigma is None:
            return None
        return float(f"{2.0 * self.best.sigma * self.best.sigma / self.facts.width:.6g}")

    @property
    def answer(self) -> str:
        """Say which bandwidth to take, and how many landmarks it needs."""
        if not self.has("suggestion"):
            return ""
        n, best, remainder = self.rows.n, self.best, f"at most {100 * self.target:g} % of the trace of K"
        if best is not None:
            m, sigma = best.counts.m or 0, ""
            if best.sigma is not None:
                sigma = f"**σ = {three_digits(best.sigma)}** ({RULES[best.rule]}) and "
            verb = "leave" if sigma or m > 1 else "leaves"
            share = f"{three_digits(100 * m / n)} % of the rows"
            return f"To copy K: {sigma}**{counted(m, 'landmark')}** ({share}) {verb} {remainder}."
        if not len(self.facts.distances.squares):
            m = self.suggestion.candidates[-1].counts.m or 0
            return f"No two rows differ, so the data suggest no bandwidth; m = {m} leaves {remainder}."
        return f"m = {min(MOST_LANDMARKS, n)} does not yet leave {remainder}: accept a larger error."

    @property
    def numbers(self) -> NumberTable | None:
        """The landmarks that each bandwidth needs; the suggested one is bold."""
        if not self.has("suggestion"):
            return None
        rows: list[Row] = []
        for candidate in self.suggestion.candidates:
            counts, sigma = candidate.counts, candidate.sigma
            if counts.m is not None:
                count = f"{counts.m}" + (
                    f" ({counts.low}–{counts.high})" if counts.low != counts.high else ""
                )
            elif counts.low is not None:
                count = f"from {counts.low}"
            else:
                count = f"above {min(MOST_LANDMARKS, self.rows.n)}"
            cells = [RULES[candidate.rule], "–" if sigma is None else three_digits(sigma), count]
            if candidate is self.best:
                cells = [f"<b>{cell}</b>" for cell in cells]
            rows.append((Label(cells[0], f"rule_{candidate.rule.replace(' ', '_')}"), *cells[1:]))
        first = "bandwidth" if self.has_bandwidth else "kernel"
        needed_m = Label(f"m for {100 * self.target:g} %", "needed_m")
        return NumberTable((Label(first, "rule"), Label("σ", "sigma"), needed_m), rows)

    @property
    def facts_table(self) -> NumberTable:
        """The facts about rows, columns and distances."""
        columns, distances, n = self.facts.columns, self.facts.distances, self.rows.n
        repeated, (low, high) = self.facts.repeated, columns.spreads
        rows: list[Row] = [
            (
                Label("repeated rows", "repeated_rows"),
                grouped(repeated),
                f"rank of K ≤ {grouped(n - repeated)}",
            ),
            (
                Label("constant columns", "constant_columns"),
                grouped(columns.constant),
                f"of {grouped(self.rows.d)}",
            ),
            (Label("smallest and largest value", "values"), signed(columns.lowest), signed(columns.highest)),
            (
                Label("standard deviation of the columns, from", "column_sd"),
                three_digits(low),
                f"to {three_digits(high)}",
            ),
        ]
        for name, square in (
            ("median distance", distances.median),
            ("distance, 1st percentile", distances.near),
            ("distance, 99th percentile", distances.far),
        ):
            # Percentiles of all distances have no interval.
            ends = (square.low, square.high) if distances.rows < distances.n else ()
            written = " … ".join(three_digits(math.sqrt(end)) for end in ends)
            rows.append((Label(name, "distances"), three_digits(math.sqrt(square.value)), written))
        return NumberTable((PLAIN,) * 3, rows)

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the facts of rows and columns, the distances, and the landmarks of each bandwidth."""
        scene, columns, distances = self.scene, self.facts.columns, self.facts.distances
        values: dict[str, object] = {
            "repeated_rows": self.facts.repeated,
            "constant_columns": columns.constant,
            "lowest": columns.lowest,
            "highest": columns.highest,
            "smallest_spread": columns.spreads[0],
            "largest_spread": columns.spreads[1],
            "default_width": self.facts.width,
        }
        for number, square in ((1, distances.near), (50, distances.median), (99, distances.far)):
            for end, value in (("", square.value), ("_low", square.low), ("_high", square.high)):
                values[f"distance_{number}{end}"] = math.sqrt(value)
        rows = measured({**head(scene), "kernel": None, "sigma": None}, values)
        for candidate in self.suggestion.candidates if self.has("suggestion") else ():
            begin = head(scene, rule=candidate.rule.replace(" ", "_"), target=self.target)
            begin |= {"kernel": str(candidate.kernel), "sigma": candidate.sigma}
            counts = candidate.counts
            values = {"needed_m": counts.m, "needed_m_low": counts.low, "needed_m_high": counts.high}
            rows += measured(begin, values)
        return rows

    def _explain_trials(self) -> str:
        line = "a bandwidth" if self.has_bandwidth else "a kernel"
        return (
            f"Each line is {line}: what m landmarks leave of the trace of K, and lower is better. Where a "
            "line crosses the dashed level, that many landmarks meet the target. A band spans the draws."
        )

    def _explain_distances(self) -> str:
        text = "Bars: how far apart two rows of the data are, over all pairs."
        if not self.has_bandwidth:
            return text
        text += " Vertical lines: the σ that the rules of some papers give."
        if self.best is None or self.best.sigma is None:
            return text
        text += " Bold is the suggested one, and the curve says how alike it makes two rows at a distance"
        return text + (": 0.61 at σ, 0.14 at 2σ." if isinstance(self.best.kernel, Gaussian) else ".")

    @chart(
        "facts",
        uses=["suggestion"],
        caption=_explain_distances,
    )
    def distances(self) -> go.Figure:
        """Draw the distribution of the distances with the papers' bandwidths, and the kernel's if apart."""
        rows, distances = self.rows, self.facts.distances
        rules = {
            "Zhang, default width": math.sqrt(self.facts.width / 2.0),
            "Oglic, 1st percentile": math.sqrt(distances.near.value),
            "median": math.sqrt(distances.median.value),
            "Oglic, 99th percentile": math.sqrt(distances.far.value),
            # Farahat, Ghodsi and Kamel 2011 use one σ for all of their images.
            "Farahat": 10.0,
        }
        sigma = sigma_of(self.scene.kernel)
        sigmas = rules if self.has_bandwidth else {}
        if sigma is not None and is_apart(sigma, list(sigmas.values())):
            sigmas[CHOSEN] = sigma
        end = BEYOND_FAR * math.sqrt(distances.far.value) or 1.0
        pairs = counted(distances.rows, "sampled row" if distances.rows < distances.n else "row")
        size = f"n = {grouped(rows.n)}, d = {grouped(rows.d)}"
        subtitle = f"{inert(rows.title)}, {size}; pairs of {pairs}"
        if distances.equal:
            subtitle += f", equal pairs left out: {grouped(distances.equal)}"
        beyond = 100.0 * float((distances.squares > end * end).sum()) / max(1, len(distances.squares))
        if beyond > 0:
            subtitle += f", {three_digits(beyond)} % farther"
        title = f"Distances between rows: median {three_digits(math.sqrt(distances.median.value))}"
        suggestion: tuple[float | None, Kernel | None] = (None, None)
        if self.best is not None and self.best.sigma is not None:
            suggestion = self.best.sigma, self.best.kernel
        return distance_chart(distances.squares, end, sigmas, *suggestion, self.sheet(title, subtitle))

    @chart("suggestion", caption=_explain_trials)
    def trials(self) -> go.Figure:
        """Draw how the error falls with the landmarks, a line a bandwidth."""
        errors: dict[str, FloatArray] = {}
        bold, candidates = "", self.suggestion.candidates
        for candidate in candidates:
            sigma = "" if candidate.sigma is None else f", σ {three_digits(candidate.sigma)}"
            name = RULES[candidate.rule] + sigma
            errors[name] = candidate.trials.errors
            bold = name if candidate is self.best else bold
        n, rows = self.rows.n, candidates[0].trials.rows
        part = f" on {of_all(rows, n, 'row')}" if rows < n else ""
        subtitle = f"randomly pivoted Cholesky, {self.scene.kernel.label}; up to {TRIALS} draws{part}"
        return trace_chart(errors, bold, self.target, self.sheet("Trace left by m landmarks", subtitle))
