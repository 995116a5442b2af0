"""The chosen data set on the page "Data": controls, the places of its study, and its first rows."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.advice.trial import TARGETS
from nysviz.datasets import Dataset
from nysviz.figures.data_cards import montage
from nysviz.studies.data import REASON, TARGET, DataStudy, first_rows
from nysviz.studies.scene import Scene
from nysviz.text import counted
from nysviz.ui import page, settings
from nysviz.ui.bandwidth import bandwidth_text
from nysviz.ui.controls import stop_text
from nysviz.ui.glossary import explanation
from nysviz.ui.inputs import method_label, page_link, stops
from nysviz.ui.sidebar.own_file import own_target
from nysviz.ui.unfolding import Places, unfold

PICTURES = 36


def show(scene: Scene) -> None:
    """Show the chosen set: its distances, the settings that they suggest, and its rows."""
    answer, left, right = page.places(0.62)
    with right:
        names = {value: f"{100 * value:g} %" for value in sorted(TARGETS)}
        target = stops("Allowed error: part of the trace of K", names, "data_target", TARGET, names)
        numbers, offer, table = st.container(), st.container(), st.container()
    rows, curve = st.columns([0.5, 0.5], gap="medium")
    with rows:
        _draw_rows(scene.data)
    study = DataStudy(scene=scene, target=target, theme=page.theme())
    then: dict[str, Callable[[], object]] = {
        "facts": lambda: table.html(study.facts_table.as_html(explanation)),
        "suggestion": lambda: _offer(study, offer),
    }
    # The progress of the suggestion is shown where its chart will be.
    charts = {"trials": curve, "distances": left}
    unfold(study, Places(answer, numbers, offer, charts, then=then), "data")


def _offer(study: DataStudy, place: DeltaGenerator) -> None:
    """Offer to take over the suggested settings, and to go to the pages that use them."""
    if study.has_bandwidth:
        place.caption("Why this bandwidth", help=REASON)
    if study.best is None:
        return
    stop = stop_text(study.scene.data.n, study.best.counts.m or 1)
    parameters = {**settings.parameters(), "ratio": stop, "method": method_label("rpcholesky")}
    if study.best_multiple is not None:
        parameters["bandwidth"] = bandwidth_text(study.best_multiple)
    with place.container(horizontal=True, gap="small", vertical_alignment="center", key="nysviz_go"):
        page_link("Take these", "data", parameters, icon=":material/check:")
        page_link("Approximate", "approximate", settings.parameters())
        page_link("Recommend", "recommend", settings.parameters())


def _draw_rows(data: Dataset) -> None:
    """Show the first rows: pictures where they are pictures, else a table."""
    if data.image_shape is None:
        table, title = first_rows(data, own_target(data))
        st.markdown(f"**{title}**")
        st.dataframe(table, height="content", hide_index=False)
        return
    rows = counted(min(PICTURES, data.n), "row")
    st.markdown(f"**First {rows}**")
    pictures = montage([data.picture(row) for row in range(min(PICTURES, data.n))], across=12)
    st.image(pictures, width="stretch", alt=f"The first {rows} as pictures")
