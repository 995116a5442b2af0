"""All data sets as cards: filter, small pictures, a button that takes one, and how to get the others."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.datasets import Card, catalog
from nysviz.figures.data_cards import DECADES
from nysviz.text import counted, grouped
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.data import thumbnails
from nysviz.ui.data.fetching import offer_fetch
from nysviz.ui.data.thumbnails import mark
from nysviz.ui.inputs import BOUND, pills, segments
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.scene import Scene

ACROSS = 4
NO_PAPER = "none of them"
EVERYWHERE, HERE, AWAY = "all", "at hand", "to be fetched"
ABOUT = (
    "Left: two principal components. Right: eigenvalues against rank, both logarithmic, over "
    f"{DECADES:g} decades, for the Gaussian kernel of the default width. At most {thumbnails.ROWS} rows each."
)


def draw_all(scene: Scene) -> None:
    """Draw the filter and the cards; the pictures come in as they are ready."""
    cards = catalog()
    st.subheader("All data sets", anchor=False)
    chosen, where = _filtered(cards)
    if not chosen:
        st.caption("No set is like that; choose other papers, or all places.")
        return
    st.caption("What the pictures show", help=ABOUT)
    current = scene.data.name if scene.data.from_catalog else ""
    places = _grid([card for card in chosen if card.on_disk], current)
    if away := [card for card in chosen if not card.on_disk]:
        with st.expander(f"{counted(len(away), 'set')} to be fetched", expanded=where == AWAY):
            _grid(away, current)
    marks = tuple(mark(card) for card in cards if card.on_disk and not card.too_large and not card.sparse)
    pictures = ask(thumbnails.pictures, marks, page.theme(), what="Small pictures", beside=True)
    for name, place in places.items():
        if pictures is not None and name in pictures:
            place.html(f'<div class="nysviz-thumb">{pictures[name]}</div>')


def _grid(cards: Sequence[Card], current: str) -> dict[str, DeltaGenerator]:
    """Draw cards in lines, and return the places of their pictures."""
    places = {}
    for start in range(0, len(cards), ACROSS):
        line = st.columns(ACROSS, gap="small")
        for column, card in zip(line, cards[start : start + ACROSS], strict=False):
            with column, st.container(border=True, height="stretch"):
                places[card.name] = _draw(card, current=card.name == current)
    return places


def _filtered(cards: Sequence[Card]) -> tuple[list[Card], str]:
    papers = sorted({paper for card in cards for paper in card.papers}, key=lambda paper: (paper[-4:], paper))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        search = st.text_input("Search", placeholder="name, size or paper", key="data_search", **BOUND)
        wanted = pills("Used by", [*papers, NO_PAPER], "data_papers")
        where = segments("Where", [EVERYWHERE, HERE, AWAY], "data_where")
    chosen = [
        card
        for card in cards
        if search.lower() in f"{card.title} {card.n} × {card.d} {card.paper}".lower()
        and (not wanted or set(card.papers or (NO_PAPER,)) & set(wanted))
        and (where == EVERYWHERE or card.on_disk == (where == HERE))
    ]
    return chosen, where


def _draw(card: Card, *, current: bool) -> DeltaGenerator:
    """Draw one card and return the place of its picture."""
    text = html.escape
    size = f"{grouped(card.n)} × {grouped(card.d)}"
    task = card.task or "no labels"
    used = text(card.paper) if card.papers else ""
    about = f"<b>{text(card.title)}</b><br>{size}, {task}<br><small>{used}</small>"
    if not card.on_disk:
        about += f"<details><summary>Source</summary><small>{text(card.source)}</small>"
        if card.addresses and not card.too_large:
            about += f"<br><code>python -m nysviz fetch {text(card.name)}</code>"
        about += "</details>"
    st.html(f'<div class="nysviz-card">{about}</div>')
    place = st.empty()
    if card.too_large:
        st.caption(f"Not offered here: {plain(card.too_large)}")
    elif not card.on_disk:
        offer_fetch(card)
    elif card.sparse:
        st.caption("Sparse: from Python only.")
    else:
        st.button(
            "Shown above" if current else "Use",
            key=f"data_use_{card.name}",
            disabled=current,
            on_click=st.session_state.__setitem__,
            args=("data", card.name),
            width="stretch",
        )
    return place
