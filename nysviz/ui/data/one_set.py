"""The chosen data set on the page "Data": its rows, distances and bandwidths, in charts, text and script."""

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from nysviz.advice import data as advice
from nysviz.advice.bandwidths import sigma_of
from nysviz.advice.question import MOST_LANDMARKS
from nysviz.advice.trial import TARGETS, TRIALS, WORTH, Landmarks, Trials, enough_landmarks, suggested, trials
from nysviz.datasets import Dataset
from nysviz.engine.shared import shared
from nysviz.figures.data_cards import montage
from nysviz.figures.distances import BEYOND_FAR, distance_chart, trace_chart
from nysviz.figures.look import inert
from nysviz.kernels import Kernel, Radial, default_width
from nysviz.studies import html
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head
from nysviz.text import counted, grouped, of_all, signed, three_digits
from nysviz.text import percent as in_percent
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.controls import stop_for
from nysviz.ui.doors import script_of
from nysviz.ui.inputs import stops
from nysviz.ui.sidebar.own_file import own_target
from nysviz.ui.sidebar.scene import script


@dataclass(frozen=True)
class Facts:
    """What is known of the rows before a kernel is chosen."""

    columns: advice.Columns
    repeated: int
    distances: advice.Distances
    width: float


@dataclass(frozen=True)
class Candidate:
    """A bandwidth by its rule, the kernel with it, its trials, and the landmarks it needs."""

    rule: str
    kernel: Kernel
    trials: Trials
    needed: Landmarks

    @property
    def sigma(self) -> float | None:
        """σ of a kernel that has one."""
        return sigma_of(self.kernel)


@dataclass(frozen=True)
class Suggestion:
    """The candidates, and the suggested one of them, if any is."""

    candidates: list[Candidate]
    best: Candidate | None


@shared()
def facts(data: Dataset) -> Facts:
    """Look at columns, repeated rows and distances."""
    X = data.X
    found = advice.pairwise_distances(X)
    if (pairs := len(found.squares)) > 200_000:
        # Kept as long as the page shows them. Every so many of the ascending distances: a histogram of them
        # is that of all, to 0.001 %.
        kept = np.linspace(0, pairs - 1, 200_000).round().astype(int)
        found = replace(found, squares=found.squares[kept])
    return Facts(advice.columns(X), advice.repeated_rows(X), found, default_width(X))


@shared()
def _trials(data: Dataset, kernel: Kernel, target: float, seed: int) -> Trials:
    return trials(data.X, kernel, seed=seed, least_error=target)


@shared()
def suggestion(scene: Scene, target: float) -> Suggestion:
    """Try the standard bandwidths for the sidebar's kernel, and the sidebar's own where it is another one.

    A kernel without a bandwidth is the only candidate.
    """
    kernel, known, kernels = scene.kernel, facts(scene.data), dict[str, Kernel]()
    if not isinstance(kernel, Radial):
        kernels = {"kernel": kernel}
    else:
        if known.width > 0 and len(known.distances.squares):
            standard = advice.standard_bandwidths(scene.data.X, known.distances)
            kernels |= {one.rule: replace(kernel, sigma=one.sigma) for one in standard}
        if is_apart(kernel.sigma, [sigma_of(one) for one in kernels.values()]):
            kernels["sidebar"] = kernel
    found = []
    for rule, one in kernels.items():
        tried = _trials(scene.data, one, target, scene.seed)
        found.append(Candidate(rule, one, tried, enough_landmarks(tried, target)))
    offered = [one for one in found if one.rule != "sidebar"]
    best = suggested([one.needed for one in offered], scene.data.n) if offered else None
    return Suggestion(found, None if best is None else offered[best])


def is_apart(sigma: float, others: list[float | None]) -> bool:
    """Whether a bandwidth is none of these, to three digits."""
    return all(abs(math.log(sigma / max(other or 0.0, 1e-300))) > 5e-3 for other in others)


def rows(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> list[dict[str, object]]:
    """Return the facts of rows and columns, the distances, and the landmarks that each bandwidth needs."""
    columns, distances = facts.columns, facts.distances
    values: dict[str, object] = {
        "repeated_rows": facts.repeated,
        "constant_columns": columns.constant,
        "lowest": columns.lowest,
        "highest": columns.highest,
        "smallest_spread": columns.spreads[0],
        "largest_spread": columns.spreads[1],
        "default_width": facts.width,
    }
    for percent, found in ((1, distances.near), (50, distances.median), (99, distances.far)):
        for name, square in (("", found.value), ("_low", found.low), ("_high", found.high)):
            values[f"distance_{percent}{name}"] = math.sqrt(square)
    records = measured({**head(scene), "kernel": None, "sigma": None}, values)
    for one in suggestion.candidates:
        of = {"rule": one.rule.replace(" ", "_"), "target": target}
        line = {**head(scene), **of, "kernel": str(one.kernel), "sigma": one.sigma}
        values = {"needed_m": one.needed.m, "needed_m_low": one.needed.low, "needed_m_high": one.needed.high}
        records += measured(line, values)
    return records


def python(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Write the script."""
    kernels = "".join(f'    "{one.rule}": nv.{one.kernel!r},\n' for one in suggestion.candidates)
    return script(
        scene,
        """import math
from nysviz.advice.data import columns, pairwise_distances, repeated_rows
from nysviz.advice.trial import enough_landmarks, trials""",
        f"""print("repeated_rows", repeated_rows(data.X))
found = columns(data.X)
print("constant_columns", found.constant)
print("lowest", found.lowest)
print("highest", found.highest)
print("smallest_spread", found.spreads[0])
print("largest_spread", found.spreads[1])
print("default_width", nv.default_width(data.X))
distances = pairwise_distances(data.X)
for percent, one in ((1, distances.near), (50, distances.median), (99, distances.far)):
    for name, square in (("", one.value), ("_low", one.low), ("_high", one.high)):
        print(f"distance_{{percent}}{{name}}", math.sqrt(square))

# nysviz.advice.standard_bandwidths(data.X, distances) gives the standard ones.
kernels = {{
{kernels}}}
for rule, kernel in kernels.items():
    tried = trials(data.X, kernel, seed={scene.seed}, least_error={target!r})
    needed = enough_landmarks(tried, {target!r})
    for name, value in (("m", needed.m), ("m_low", needed.low), ("m_high", needed.high)):
        if value is not None:
            print(f"rule={{rule.replace(' ', '_')}} needed_{{name}}", value)""",
    )


RULES = {
    "default width": "Zhang, default width",
    "median": "median distance",
    "far end": "Oglic, 99th percentile",
    "sidebar": "the sidebar's",
    "kernel": "the sidebar's kernel",
}
REASON = (
    f"The narrowest standard bandwidth that needs at most {in_percent(WORTH)} of the rows, or else the one "
    f"that needs fewest. m is the median of up to {TRIALS} draws (least–most)."
)


def answer(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> str:
    """Answer the page's question in one sentence."""
    n, best, left = scene.data.n, suggestion.best, f"at most {100 * target:g} % of the trace of K"
    if best is not None:
        m = best.needed.m or 0
        sigma = "" if best.sigma is None else f"**σ = {three_digits(best.sigma)}** ({RULES[best.rule]}) and "
        verb = "leave" if sigma or m > 1 else "leaves"
        return (
            f"{sigma}**{counted(m, 'landmark')}** ({three_digits(100 * m / n)} % of the rows) {verb} {left}."
        )
    if not len(facts.distances.squares):
        needed = suggestion.candidates[-1].needed.m
        return f"No two rows differ, so the data suggest no bandwidth; m = {needed} leaves {left}."
    return f"m = {min(MOST_LANDMARKS, n)} does not yet leave {left}: accept a larger error."


def suggestions(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Return the table of the landmarks that each bandwidth needs; the suggested one is bold."""
    rows = []
    for one in suggestion.candidates:
        needed, sigma = one.needed, "–" if one.sigma is None else three_digits(one.sigma)
        if needed.m is not None:
            count = f"{needed.m}" + (f" ({needed.low}–{needed.high})" if needed.low != needed.high else "")
        else:
            count = (
                f"above {min(MOST_LANDMARKS, scene.data.n)}" if needed.low is None else f"from {needed.low}"
            )
        cells = [RULES[one.rule], sigma, count]
        rows.append([f"<b>{cell}</b>" for cell in cells] if one is suggestion.best else cells)
    return html.number_table(("bandwidth", "σ", f"m for {100 * target:g} %"), rows)


def facts_table(scene: Scene, facts: Facts) -> str:
    """Return the table of what is known of rows, columns and distances."""
    found, distances, n = facts.columns, facts.distances, scene.data.n
    low, high = found.spreads
    rows = [
        ("repeated rows", grouped(facts.repeated), f"rank of K ≤ {grouped(n - facts.repeated)}"),
        ("constant columns", grouped(found.constant), f"of {grouped(scene.data.d)}"),
        ("values", signed(found.lowest), f"to {signed(found.highest)}"),
        ("column sd", three_digits(low), f"to {three_digits(high)}"),
    ]
    for name, one in (
        ("median distance", distances.median),
        ("1st percentile", distances.near),
        ("99th percentile", distances.far),
    ):
        # All distances have no interval.
        ends = [three_digits(math.sqrt(end)) for end in (one.low, one.high) if distances.rows < distances.n]
        rows.append((name, three_digits(math.sqrt(one.value)), " … ".join(ends)))
    return html.number_table(("rows", "", ""), rows)


def offer(n: int, facts: Facts, best: Candidate) -> None:
    """Offer to take over the suggested settings, and to go to the pages that use them."""
    m = best.needed.m or 1
    settings: dict[str, object] = {"ratio": stop_for(n, m)[0], "method": "rpcholesky"}
    if best.sigma is not None:
        settings["bandwidth"] = float(f"{2.0 * best.sigma * best.sigma / facts.width:.6g}")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # A link alone does not do: controls that have a value keep it, whatever a link says.
        st.button(
            "Take these",
            key="data_take",
            icon=":material/check:",
            on_click=st.session_state.update,
            args=(settings,),
        )
        # A page that runs alone has no other page to go to.
        with suppress(StreamlitPageNotFoundError):
            st.page_link(script_of("approximate"), label="Approximate")
            st.page_link(script_of("recommend"), label="Recommend")


def draw_distances(scene: Scene, facts: Facts, best: Candidate | None) -> None:
    """Draw the distribution of the distances with the papers' bandwidths, and the sidebar's if apart."""
    distances = facts.distances
    named = {
        "Zhang, default width": math.sqrt(facts.width / 2.0),
        "Oglic, 1st percentile": math.sqrt(distances.near.value),
        "median": math.sqrt(distances.median.value),
        "Oglic, 99th percentile": math.sqrt(distances.far.value),
        # Farahat, Ghodsi and Kamel 2011 use one σ for all of their images.
        "Farahat": 10.0,
    }
    mine = sigma_of(scene.kernel)
    if mine is not None and is_apart(mine, list(named.values())):
        named["the sidebar"] = mine
    end = BEYOND_FAR * math.sqrt(distances.far.value) or 1.0
    rows = counted(distances.rows, "sampled row" if distances.rows < distances.n else "row")
    size = f"n = {grouped(scene.data.n)}, d = {grouped(scene.data.d)}"
    subtitle = f"{inert(scene.data.title)}, {size}; pairs of {rows}"
    if distances.equal:
        subtitle += f", equal pairs left out: {grouped(distances.equal)}"
    beyond = 100.0 * float((distances.squares > end * end).sum()) / max(1, len(distances.squares))
    if beyond > 0:
        subtitle += f", {three_digits(beyond)} % farther"
    title = f"Distances between rows: median {three_digits(math.sqrt(distances.median.value))}"
    chosen, kernel = None, None
    if best is not None and best.sigma is not None:
        chosen, kernel = best.sigma, best.kernel
    sheet = page.sheet(title, subtitle)
    figure = distance_chart(distances.squares, end, named, chosen, kernel, sheet)
    page.show(figure, "data_distances")


def draw_trials(scene: Scene, suggestion: Suggestion, target: float) -> None:
    """Draw how the error falls with the landmarks, a line a bandwidth."""
    found, suggested = {}, ""
    for one in suggestion.candidates:
        name = RULES[one.rule] + (f", σ {three_digits(one.sigma)}" if one.sigma is not None else "")
        found[name] = one.trials.errors
        suggested = name if one is suggestion.best else suggested
    n, rows = scene.data.n, suggestion.candidates[0].trials.rows
    part = f" on {of_all(rows, n, 'row')}" if rows < n else ""
    subtitle = f"randomly pivoted Cholesky, {scene.kernel.label}; up to {TRIALS} draws{part}"
    figure = trace_chart(found, suggested, target, page.sheet("Trace left by m landmarks", subtitle))
    page.show(figure, "data_trials")


def draw_rows(scene: Scene) -> None:
    """Show the first rows: pictures where they are pictures, else a table."""
    data = scene.data
    if data.image_shape is not None:
        count = min(36, data.n)
        st.markdown(f"**First {counted(count, 'row')}**")
        pictures = montage([data.picture(row) for row in range(count)], across=12)
        st.image(pictures, width="stretch", alt=f"The first {counted(count, 'row')} as pictures")
        return
    count, wide = min(8, data.n), min(40, data.d)
    names = data.feature_names[:wide]
    # A table needs names that differ; those of a user's file may not.
    unique = [name if names.index(name) == j else f"{name} ({j + 1})" for j, name in enumerate(names)]
    table = pd.DataFrame(data.X[:count, :wide], columns=unique)
    if data.y is not None:
        own = own_target(data)
        name = "target" if own is None else f"{own} (target)"
        while name in unique:
            name += " (y)"
        labels = [f"{value:.4g}" for value in data.y[:count]]
        if data.task == "classification" and data.classes:
            labels = [data.classes[code] for code in np.searchsorted(np.unique(data.y), data.y[:count])]
        table.insert(0, name, labels)
    cut = f", the first {of_all(wide, data.d, 'column')}" if wide < data.d else ""
    st.markdown(f"**First {counted(count, 'row')}{cut}**")
    st.dataframe(table, height="content", hide_index=False)


def show(scene: Scene) -> None:
    """Show the chosen set: its distances first, then what they suggest, then its rows."""
    place, left, right = page.places(0.62)
    with right:
        names = {value: f"{100 * value:g} %" for value in sorted(TARGETS)}
        target = stops("Trace of K left", names, "data_target", 0.1, names)
        bandwidths, link, table = st.empty(), st.container(), st.empty()
    first_rows, curve = st.columns([0.5, 0.5], gap="medium")
    below = st.container()
    with left:
        distances = st.container()
        known = ask(facts, scene.data, what="Distances between rows")
        if known is None:
            return
        table.html(facts_table(scene, known))
        found = ask(suggestion, scene, target, what="Landmarks for each bandwidth")
    best = None if found is None else found.best
    with distances:
        draw_distances(scene, known, best)
    with first_rows:
        draw_rows(scene)
    if found is None:
        return
    place.markdown(page.unbroken(answer(scene, known, found, target)))
    bandwidths.html(suggestions(scene, found, target))
    with link:
        st.caption("Why this bandwidth", help=REASON)
        if best is not None:
            offer(scene.data.n, known, best)
    with curve:
        draw_trials(scene, found, target)
    with below:
        page.closing("data", python(scene, found, target), partial(rows, scene, known, found, target))
