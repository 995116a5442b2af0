"""The part of the shared sidebar that chooses the data, with the knobs of generated sets."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from nysviz.datasets import Card, Dataset, catalog, load
from nysviz.datasets.cards import Parameter
from nysviz.datasets.eigengap import gaps_within_reach
from nysviz.digits import grouped
from nysviz.ui import address
from nysviz.ui.markdown import plain
from nysviz.ui.own_file import own_file
from nysviz.ui.store import store

OWN_FILE = "Your own file"
FIRST = "digits"
SPARSE = ("la1",)
# What a link asked for and what is shown instead, in the session's state.
UNKNOWN = "data_unknown"
LONGEST_TITLE = 60
# Digits to which a gap is shown: four after the point.
GAP_STEPS = 10_000


def choose_data() -> tuple[Dataset, tuple[tuple[str, object], ...]]:
    """Draw the choice of data; with the last usable ones where this choice cannot be used."""
    # Documents are sparse and only the linear kernel suits them: they are not offered here.
    cards = {card.name: card for card in catalog() if card.on_disk and card.name not in SPARSE}
    _note_unknown([card.title for card in cards.values()])
    name = st.selectbox(
        "Data set",
        [*cards, OWN_FILE],
        format_func=lambda name: cards[name].title if name in cards else name,
        key="data",
        bind="query-params",
    )
    if (unknown := st.session_state.get(UNKNOWN)) and unknown[1] in (None, name):
        # Until the visitor chooses.
        st.session_state[UNKNOWN] = unknown[0], name
        st.warning(f'The link names the data set "{plain(unknown[0])}", which is not here.')
    if (last := st.session_state.get("last_data")) and any(
        card.name == last[0].name and not card.on_disk for card in catalog()
    ):
        st.warning(
            f"The files of {plain(last[0].title)} are not in the data folder any more; fetch them again."
        )
    data: Dataset | None = None
    settings: dict[str, Any] = {}
    try:
        if name == OWN_FILE:
            data = own_file()
        else:
            settings = _knobs(cards[name])
            data = _load(cards[name], settings)
    except ValueError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    if data is None:
        data, settings = st.session_state.get("last_data") or (_load(cards[FIRST], {}), {})
        st.caption(f"Until then the page shows: {plain(data.title or data.name)}.")
    st.session_state["last_data"] = data, settings
    st.caption(_about(data))
    for note in data.notes:
        if note not in data.sentence:
            st.caption(plain(note))
    return data, tuple(settings.items())


def _note_unknown(titles: list[str]) -> None:
    """Take down what a link asks for where there is no such set; Streamlit takes the first one instead."""
    asked = str(address.parameters().get("data", OWN_FILE))
    last = st.session_state.get("last_data")
    taken_away = last is not None and asked == last[0].title
    if asked not in (*titles, OWN_FILE) and not taken_away:
        st.session_state[UNKNOWN] = asked[:LONGEST_TITLE], None


def _about(data: Dataset) -> str:
    size = f"**{grouped(data.n)} × {grouped(data.d)}**"
    parts = [size, plain(data.sentence)]
    if data.source:
        parts.append(f"Source: {plain(data.source)}.")
    return " ".join(part for part in parts if part)


def _load(card: Card, settings: dict[str, Any]) -> Dataset:
    key = ("data", card.name, tuple(sorted(settings.items())))
    return store().get(key, lambda: load(card.name, **settings))


def _knobs(card: Card) -> dict[str, Any]:
    """Draw the controls of a data set with knobs."""
    settings: dict[str, Any] = {}
    for knob in card.parameters:
        if knob.name == "seed":
            continue
        if card.name == "eigengap_mixture" and knob.name == "gap":
            settings[knob.name] = _gap(knob, settings["r"])
            continue
        settings[knob.name] = st.number_input(
            knob.name,
            min_value=knob.low,
            max_value=knob.high,
            value=min(knob.default, 2_000) if card.name == "two_balls" and knob.name == "n" else knob.default,
            step=1 if isinstance(knob.default, int) else 0.1,
            key=f"{card.name}_{knob.name}",
            bind="query-params",
            help=knob.sentence,
        )
    return settings


def _gap(knob: Parameter, r: int) -> float:
    """Draw the control of the eigengap: what r clusters can have lies elsewhere for each r."""
    low, high = gaps_within_reach(r)
    # Inwards, to the digits that are shown.
    low, high = math.ceil(low * GAP_STEPS) / GAP_STEPS, math.floor(high * GAP_STEPS) / GAP_STEPS
    asked = st.number_input(
        knob.name,
        value=knob.default,
        step=0.01,
        format="%g",
        key=f"eigengap_mixture_{knob.name}",
        bind="query-params",
        help=f"{knob.sentence.split(';')[0]}; {low:g} to {high:g} for r = {r}.",
    )
    held = min(max(float(asked), low), high)
    if held != asked:
        st.caption(
            f"With r = {r} the gap reaches from {low:g} to {high:g}: {held:g} is shown, not {asked:g}."
        )
    return held
