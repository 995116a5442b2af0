"""The part of the shared sidebar that chooses the data, with the knobs of generated sets."""

from typing import Any

import streamlit as st

from nysviz.datasets import Card, Dataset, catalog, load
from nysviz.engine.shared import once
from nysviz.refusal import Refusal
from nysviz.text import grouped
from nysviz.ui import settings
from nysviz.ui.inputs import box, number
from nysviz.ui.markdown import plain
from nysviz.ui.settings import FIRST_DATA
from nysviz.ui.sidebar.own_file import own_file
from nysviz.ui.watching import acting

OWN_FILE = "Your own file"
# Name and knobs of the data that were shown last: a session holds no data but those of its own file.
LAST = "last_data"


def choose_data() -> tuple[Dataset, tuple[tuple[str, object], ...]]:
    """Draw the choice of data; return the data and knobs, the last usable ones if the choice is refused."""
    all_cards = {card.name: card for card in catalog()}
    cards = {name: card for name, card in all_cards.items() if is_offered(card)}
    titles = {name: card.title for name, card in cards.items()} | {OWN_FILE: OWN_FILE}
    name = box("Data", titles, "data", names=titles)
    if name != OWN_FILE:
        look: Any = {"icon": ":material/upload_file:", "help": "Your own CSV, Excel, …", "width": "stretch"}
        st.button("Upload", key="own_choose", on_click=acting(settings.put), args=("data", OWN_FILE), **look)
    last, last_knobs = st.session_state.get(LAST, (FIRST_DATA, {}))
    if last in all_cards and not all_cards[last].on_disk:
        title = plain(all_cards[last].title)
        st.warning(f"The files of {title} are not in the data folder any more; fetch them again.")
    data: Dataset | None = None
    knobs: dict[str, Any] = {}
    try:
        if name == OWN_FILE:
            data = own_file()
        else:
            knobs = _choose_knobs(cards[name])
            data = _load(cards[name], knobs)
    except Refusal as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    if data is None:
        name, data, knobs = _last_data(cards, last, last_knobs)
        st.caption(f"Until then the page shows: {plain(data.title or data.name)}.")
    st.session_state[LAST] = name, knobs
    st.caption(f"**{grouped(data.n)} × {grouped(data.d)}**", help=describe_data(data))
    for note in () if data.from_catalog else data.notes:
        st.caption(plain(note))
    return data, tuple(knobs.items())


def is_offered(card: Card) -> bool:
    """Whether the sidebar offers a set: documents are sparse, and only the linear kernel suits them."""
    return card.on_disk and not card.sparse and not card.too_large


def _last_data(
    cards: dict[str, Card], name: str, knobs: dict[str, Any]
) -> tuple[str, Dataset, dict[str, Any]]:
    """Return the data that were shown last, or the first of the catalog if there is no room for these."""
    own_data: Dataset | None = st.session_state.get("own_data")
    if name == OWN_FILE and own_data is not None:
        return name, own_data, {}
    if name in cards:
        try:
            return name, _load(cards[name], knobs), knobs
        except Refusal:
            pass
    return FIRST_DATA, _load(cards[FIRST_DATA], {}), {}


def describe_data(data: Dataset) -> str:
    """Return what a data set is, its notes and its source, as one text."""
    about = [data.sentence, *(note for note in data.notes if note not in data.sentence)]
    source = f"Source: {data.source}." if data.source else ""
    return " ".join(plain(part) for part in ("Rows × features.", *about, source) if part)


def _load(card: Card, knobs: dict[str, Any]) -> Dataset:
    key = ("data", card.name, tuple(sorted(knobs.items())))
    return once(key, lambda: load(card.name, **knobs))


def _choose_knobs(card: Card) -> dict[str, Any]:
    """Draw the controls of a data set with knobs, and return their values."""
    chosen: dict[str, Any] = {}
    for knob in card.parameters:
        if knob.name == "seed":
            continue
        key = f"{card.name}_{knob.name}"
        if isinstance(knob.default, str):
            chosen[knob.name] = box(knob.name, knob.choices, key, knob.default, help=knob.sentence)
            continue
        first = min(knob.default, 2_000) if card.name == "two_balls" and knob.name == "n" else knob.default
        # The possible gaps of r clusters differ for each r: the generator refuses others.
        low, high = (None, None) if knob.name == "gap" else (knob.low, knob.high)
        step = 1 if isinstance(knob.default, int) else 0.01 if knob.name == "gap" else 0.1
        chosen[knob.name] = number(knob.name, low, high, first, key, step=step, help=knob.sentence)
    return chosen
