"""All data sets in a table on the page "Data", and how to get those that are not here."""

import time

import pandas as pd
import streamlit as st

from nysviz.datasets import Card, catalog, fetch
from nysviz.datasets.download import Fetched
from nysviz.text import counted
from nysviz.ui.asking import ask, shared
from nysviz.ui.inputs import box
from nysviz.ui.markdown import plain


def draw() -> None:
    """Draw the table, and the choice of a set to be fetched."""
    st.subheader("All data sets", anchor=False)
    cards = catalog()
    rows = [
        {
            "name": card.title,
            "rows": card.n,
            "features": card.d,
            "task": card.task or "no labels",
            "used by": card.paper if card.papers else "",
            "here": _where(card),
            "source": card.source,
        }
        for card in cards
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="data_sets")
    away = {card.name: card for card in cards if not card.on_disk and not card.too_large}
    if not away:
        return
    with st.expander(f"{counted(len(away), 'set')} to be fetched"):
        titles = {name: card.title for name, card in away.items()}
        _offer_fetch(away[box("Set", titles, "data_away", names=titles)])


def _where(card: Card) -> str:
    if card.too_large:
        return f"not offered here: {card.too_large}"
    if card.on_disk:
        return "from Python only, sparse" if card.sparse else "yes"
    return "to be fetched" if card.addresses else "to be brought by hand"


def _offer_fetch(card: Card) -> None:
    """Draw the source, the button, the progress of a fetch that is under way, or why it failed."""
    st.caption(f"Source: {plain(card.source)}")
    if not card.addresses:
        files = plain(", ".join(card.files))
        st.caption(f"The catalog has no address that is safe to ask: get {files} by hand.")
        return
    # When this session asked for each: a fetch, also one that failed, is of one time.
    asked: dict[str, float] = st.session_state.setdefault("data_fetch_asked", {})
    if card.name in asked and ask(_fetched, card.name, asked[card.name], what="Fetching") is not None:
        del asked[card.name]
        st.rerun()

    def begin() -> None:
        asked[card.name] = time.time()

    st.button("Fetch it", key="data_fetch", icon=":material/download:", on_click=begin)
    st.caption(f"From the command line: `python -m nysviz fetch {card.name}`")


@shared(holds=lambda name, asked: 0.0)
def _fetched(name: str, asked: float) -> Fetched:
    return fetch(name)
