"""The results, controls and pictures of the page "Data"."""

from __future__ import annotations

import math
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from nysviz.advice import (
    MOST_LANDMARKS,
    TARGETS,
    TRIAL_ROWS,
    TRIALS,
    Bandwidth,
    Columns,
    Distances,
    Landmarks,
    Trials,
    columns,
    enough_landmarks,
    pairwise_distances,
    repeated_rows,
    standard_bandwidths,
    suggested,
    trials,
)
from nysviz.datasets import Dataset
from nysviz.figures.data_cards import montage
from nysviz.figures.distances import BEYOND_FAR, Mark, Trial, distance_chart, trace_chart
from nysviz.figures.look import inert, three_digits
from nysviz.kernels import Gaussian, InverseDistance, Kernel, Laplacian, default_width
from nysviz.ui import computing, page
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file import own_target
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import stop_of
from nysviz.ui.work.store import store
from nysviz.ui.work.tickets import current

FIRST_TARGET = 0.1
RULES = {
    "default width": "Zhang's default width",
    "median": "median distance",
    "far end": "99th percentile (Oglic)",
    "sidebar": "the sidebar's",
    "kernel": "the sidebar's kernel",
}
# Farahat, Ghodsi and Kamel 2011 use one σ for all of their images.
FARAHAT_SIGMA = 10.0
# A bandwidth nearer than this to a standard one is the same to three digits.
SAME = 5e-3
# Of a million distances so many are kept for as long as the page shows them.
KEPT_PAIRS = 200_000
SHOWN_ROWS, SHOWN_COLUMNS = 8, 40
SHOWN_PICTURES, PICTURES_ACROSS = 36, 12


@dataclass(frozen=True)
class Facts:
    """What is known of the rows before a kernel is chosen."""

    columns: Columns
    repeated: int
    distances: Distances
    width: float


@dataclass(frozen=True)
class Candidate:
    """A bandwidth by its rule, the kernel with it, and where its trials will be."""

    rule: str
    kernel: Kernel
    found: Future[Trials]

    @property
    def sigma(self) -> float | None:
        """σ of a kernel that has one."""
        return sigma_of(self.kernel)


@dataclass(frozen=True)
class Suggestion:
    """The candidates that are ready with the landmarks they need; ``best`` is the suggested one."""

    candidates: tuple[Candidate, ...]
    needed: tuple[Landmarks, ...]
    best: int | None


def sigma_of(kernel: Kernel) -> float | None:
    """σ of a radial kernel; None for the others."""
    return kernel.sigma if isinstance(kernel, (Gaussian, Laplacian, InverseDistance)) else None


def choose_target() -> float:
    """Draw this page's one control: the error that landmarks shall reach."""
    return float(
        st.select_slider(
            "Part of the trace of K that may be left",
            sorted(TARGETS),
            value=FIRST_TARGET,
            format_func=lambda value: f"{100 * value:g} %",
            key="data_target",
            bind="query-params",
        )
    )


def facts_later(scene: Scene) -> Future[Facts]:
    """Columns, repeated rows and distances, computed in another thread."""
    X = scene.data.X

    def compute() -> Facts:
        return Facts(columns(X), repeated_rows(X), _thinned(pairwise_distances(X)), default_width(X))

    return store().later(("facts of the rows", scene.data.digest), compute, urgent=True)


def _thinned(distances: Distances) -> Distances:
    """Keep every so many of the ascending distances: a histogram of them is that of all, to 0.001 %."""
    pairs = len(distances.squares)
    if pairs <= KEPT_PAIRS:
        return distances
    kept = np.linspace(0, pairs - 1, KEPT_PAIRS).round().astype(int)
    return replace(distances, squares=distances.squares[kept])


def candidates_of(scene: Scene, facts: Facts, target: float) -> tuple[Candidate, ...]:
    """The standard bandwidths for the sidebar's kernel, the sidebar's own last where it is another one.

    A kernel without a bandwidth is the only candidate.
    """
    kernel = scene.kernel
    if not isinstance(kernel, (Gaussian, Laplacian, InverseDistance)):
        return (Candidate("kernel", kernel, trials_later(scene, kernel, target)),)
    standard: tuple[Bandwidth, ...] = ()
    if facts.width > 0 and len(facts.distances.squares):
        standard = standard_bandwidths(scene.data.X, facts.distances)
    kernels: list[tuple[str, Kernel]] = [(one.rule, replace(kernel, sigma=one.sigma)) for one in standard]
    if all(abs(math.log(kernel.sigma / one.sigma)) > SAME for one in standard):
        kernels.append(("sidebar", kernel))
    return tuple(Candidate(rule, one, trials_later(scene, one, target)) for rule, one in kernels)


def trials_later(scene: Scene, kernel: Kernel, target: float) -> Future[Trials]:
    """Errors of landmark after landmark, computed in another thread."""
    key = ("landmark trials", scene.data.digest, kernel, target, scene.seed)
    X, seed, stop = scene.data.X, scene.seed, stop_of(trials_key(scene, target))

    def compute() -> Trials:
        ticket = current()

        def checkpoint() -> None:
            # The event is that of the session that asked first: others who wait for the same go on.
            if stop.is_set() and not (ticket is not None and ticket.is_seen()):
                raise ValueError("Stopped.")

        return trials(X, kernel, seed=seed, least_error=target, checkpoint=checkpoint)

    return store().later(key, compute, urgent=True)


def trials_key(scene: Scene, target: float) -> tuple[object, ...]:
    """Name the trials of these settings, which are stopped together."""
    return "landmark trials", *scene.key, scene.seed, target


def trial_seconds(scene: Scene) -> float:
    """Estimate of the trials of one bandwidth, if they go half the way."""
    rows, m = min(scene.data.n, TRIAL_ROWS), min(scene.data.n, MOST_LANDMARKS) // 2
    speed = computing.decomposition_seconds(1) / 10.0
    return 4.0 * speed * TRIALS * rows * m * (10 * scene.data.d + m)


def suggestion_of(scene: Scene, candidates: tuple[Candidate, ...], target: float) -> Suggestion:
    """Read the trials, which are all there, and choose among the papers' bandwidths."""
    needed = tuple(enough_landmarks(one.found.result(), target) for one in candidates)
    offered = [index for index, one in enumerate(candidates) if one.rule != "sidebar"]
    best = suggested([needed[index] for index in offered], scene.data.n) if offered else None
    return Suggestion(candidates, needed, best)


def marks_of(facts: Facts, scene: Scene, best: Candidate | None) -> list[Mark]:
    """Return the papers' bandwidths, and the sidebar's where it is another one."""
    distances = facts.distances
    named = [
        ("Zhang, default width", math.sqrt(facts.width / 2.0)),
        ("Oglic, 1st percentile", math.sqrt(distances.near.value)),
        ("median", math.sqrt(distances.median.value)),
        ("Oglic, 99th percentile", math.sqrt(distances.far.value)),
        ("Farahat", FARAHAT_SIGMA),
    ]
    mine = sigma_of(scene.kernel)
    if mine is not None and all(abs(math.log(mine / max(other, 1e-300))) > SAME for _, other in named):
        named.append(("the sidebar", mine))
    chosen = best.sigma if best is not None else None
    return [
        Mark(name, sigma, chosen is not None and abs(sigma - chosen) <= 1e-9 * chosen)
        for name, sigma in named
    ]


def draw_distances(scene: Scene, facts: Facts, best: Candidate | None) -> None:
    """Draw the distribution of the distances with the bandwidths."""
    distances = facts.distances
    far = math.sqrt(distances.far.value)
    end = BEYOND_FAR * far if far > 0 else 1.0
    beyond = 100.0 * float(np.mean(distances.squares > end * end)) if len(distances.squares) else 0.0
    whole = f"all {distances.n} rows" if distances.n > 1 else "one row"
    sampled = f"{distances.rows} sampled rows" if distances.rows < distances.n else whole
    notes = [f"pairs of {sampled}"]
    if distances.equal:
        notes.append(f"equal pairs left out: {distances.equal}")
    if beyond > 0:
        notes.append(f"{three_digits(beyond)} % farther")
    median = three_digits(math.sqrt(distances.median.value))
    title = f"Half of the pairs lie farther apart than {median}" if far > 0 else "No two rows lie apart"
    kernel = best.kernel if best is not None and best.sigma is not None else None
    figure = distance_chart(
        distances.squares,
        end,
        marks_of(facts, scene, best),
        kernel,
        page.theme(),
        title,
        f"{inert(scene.data.title)}, n = {scene.data.n}, d = {scene.data.d}; {', '.join(notes)}",
    )
    page.show(figure, "data_distances", f"Histogram of the distances between rows. {title}.")


def draw_trials(scene: Scene, suggestion: Suggestion, target: float) -> None:
    """Draw how the error falls with the landmarks, a line a bandwidth."""
    found = []
    for index, one in enumerate(suggestion.candidates):
        name = RULES[one.rule] + (f", σ {three_digits(one.sigma)}" if one.sigma is not None else "")
        found.append(Trial(name, one.found.result().errors, index == suggestion.best))
    rows = suggestion.candidates[0].found.result().rows
    some = "on 1 row" if rows == 1 else f"on {rows} rows"
    measured = "on all rows" if rows == scene.data.n > 1 else some
    title = f"Landmarks until {100 * target:g} % of the trace is left"
    figure = trace_chart(
        found,
        target,
        scene.data.n,
        page.theme(),
        title,
        f"randomly pivoted Cholesky, {scene.kernel.label} kernel; up to {TRIALS} draws {measured}",
    )
    page.show(figure, "data_trials", f"{title}, by bandwidth.")


def draw_rows(scene: Scene) -> None:
    """Show the first rows: pictures where they are pictures, else a table."""
    data = scene.data
    if data.image_shape is not None:
        count = min(SHOWN_PICTURES, data.n)
        pictures = [data.picture(row) for row in range(count)]
        st.markdown(f"**The first {count} rows, as pictures**")
        st.image(
            montage(pictures, PICTURES_ACROSS), width="stretch", alt=f"The first {count} rows as pictures"
        )
        if data.y is not None:
            st.caption("Labels, line by line: " + ", ".join(plain(text) for text in _labels(scene, count)))
        return
    count, wide = min(SHOWN_ROWS, data.n), min(SHOWN_COLUMNS, data.d)
    names = data.feature_names[:wide] or tuple(f"x{j + 1}" for j in range(wide))
    # A table needs names that differ; those of a user's file may not.
    unique = [name if names.index(name) == j else f"{name} ({j + 1})" for j, name in enumerate(names)]
    table = pd.DataFrame(data.X[:count, :wide], columns=unique)
    if data.y is not None:
        table.insert(0, _target_name(data, unique), _labels(scene, count))
    cut = f", the first {wide} of {data.d} columns" if wide < data.d else ""
    first = "The only row" if data.n == 1 else "The first row" if count == 1 else f"The first {count} rows"
    st.markdown(f"**{first}{cut}**")
    st.dataframe(table, height="content", hide_index=False)


def _target_name(data: Dataset, taken: list[str]) -> str:
    own = own_target(data)
    name = "target" if own is None else f"{own} (target)"
    while name in taken:
        name += " (y)"
    return name


def _labels(scene: Scene, count: int) -> list[str]:
    data = scene.data
    if data.y is None:
        return []
    if data.task == "classification" and data.classes:
        codes = np.searchsorted(np.unique(data.y), data.y[:count])
        return [data.classes[code] for code in codes]
    return [f"{value:.4g}" for value in data.y[:count]]


def multiple_of(facts: Facts, sigma: float) -> float:
    """σ as a multiple of the default width, as the sidebar writes it."""
    return float(f"{2.0 * sigma * sigma / facts.width:.6g}")
