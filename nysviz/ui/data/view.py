"""The control and the charts of the page "Data", and its first rows."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from nysviz.advice.trial import TARGETS, TRIALS
from nysviz.datasets import Dataset
from nysviz.figures.data_cards import montage
from nysviz.figures.distances import BEYOND_FAR, Mark, Trial, distance_chart, trace_chart
from nysviz.figures.look import inert
from nysviz.text import counted, three_digits
from nysviz.ui import page
from nysviz.ui.controls import stop_for
from nysviz.ui.data.result import RULES, Candidate, Facts, Suggestion, is_apart, sigma_of
from nysviz.ui.inputs import stops
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file import own_target
from nysviz.ui.sidebar.scene import Scene

FIRST_TARGET = 0.1


def choose_target() -> float:
    """Draw this page's one control: the error that landmarks shall reach."""
    label, key = "Trace of K that may be left", "data_target"
    return stops(label, sorted(TARGETS), key, FIRST_TARGET, lambda value: f"{100 * value:g} %")


def offer(n: int, facts: Facts, best: Candidate) -> None:
    """Offer to take over the suggested settings, and to go to the pages that use them."""
    m = best.needed.m or 1
    settings: dict[str, object] = {"ratio": stop_for(n, m)[0], "method": "rpcholesky"}
    if best.sigma is not None:
        settings["bandwidth"] = facts.multiple(best.sigma)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # A link alone does not do: controls that have a value keep it, whatever a link says.
        st.button(
            f"Take these, m = {m}",
            key="data_take",
            icon=":material/check:",
            on_click=st.session_state.update,
            args=(settings,),
        )
        # A page that runs alone has no other page to go to.
        with suppress(StreamlitPageNotFoundError):
            st.page_link("pages/approximate.py", label="Open Approximate", icon=":material/grid_on:")
            st.page_link("pages/recommend.py", label="Open Recommend", icon=":material/recommend:")


# Farahat, Ghodsi and Kamel 2011 use one σ for all of their images.
FARAHAT_SIGMA = 10.0
SHOWN_ROWS, SHOWN_COLUMNS = 8, 40
SHOWN_PICTURES, PICTURES_ACROSS = 36, 12


def _marks(facts: Facts, scene: Scene, best: Candidate | None) -> list[Mark]:
    """Return the papers' bandwidths, and the sidebar's where it is another one."""
    distances = facts.distances
    named = {
        "Zhang, default width": math.sqrt(facts.width / 2.0),
        "Oglic, 1st percentile": math.sqrt(distances.near.value),
        "median": math.sqrt(distances.median.value),
        "Oglic, 99th percentile": math.sqrt(distances.far.value),
        "Farahat": FARAHAT_SIGMA,
    }
    mine = sigma_of(scene.kernel)
    if mine is not None and is_apart(mine, list(named.values())):
        named["the sidebar"] = mine
    chosen = None if best is None else best.sigma
    return [
        Mark(name, sigma, chosen is not None and abs(sigma - chosen) <= 1e-9 * chosen)
        for name, sigma in named.items()
    ]


def draw_distances(scene: Scene, facts: Facts, best: Candidate | None) -> None:
    """Draw the distribution of the distances with the bandwidths."""
    distances = facts.distances
    far = math.sqrt(distances.far.value)
    end = BEYOND_FAR * far if far > 0 else 1.0
    rows = counted(distances.rows, "sampled row" if distances.rows < distances.n else "row")
    subtitle = f"{inert(scene.data.title)}, n = {scene.data.n}, d = {scene.data.d}; pairs of {rows}"
    if distances.equal:
        subtitle += f", equal pairs left out: {distances.equal}"
    beyond = 100.0 * float((distances.squares > end * end).sum()) / max(1, len(distances.squares))
    if beyond > 0:
        subtitle += f", {three_digits(beyond)} % farther"
    median = three_digits(math.sqrt(distances.median.value))
    title = f"Distances between rows: median {median}"
    figure = distance_chart(
        distances.squares,
        end,
        _marks(facts, scene, best),
        best.kernel if best is not None and best.sigma is not None else None,
        page.theme(),
        title,
        subtitle,
    )
    page.show(figure, "data_distances", f"Histogram of the distances between rows. {title}.")


def draw_trials(scene: Scene, suggestion: Suggestion, target: float) -> None:
    """Draw how the error falls with the landmarks, a line a bandwidth."""
    found = []
    for one in suggestion.candidates:
        name = RULES[one.rule] + (f", σ {three_digits(one.sigma)}" if one.sigma is not None else "")
        found.append(Trial(name, one.trials.errors, one is suggestion.best))
    rows = suggestion.candidates[0].trials.rows
    title = f"Landmarks until {100 * target:g} % of the trace is left"
    figure = trace_chart(
        found,
        target,
        page.theme(),
        title,
        f"randomly pivoted Cholesky, {scene.kernel.label} kernel; up to {TRIALS} draws on "
        f"{counted(rows, 'row')} of {scene.data.n}",
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
    st.markdown(f"**The first {counted(count, 'row')}{cut}**")
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
