"""All data sets as cards: filter, small pictures, a button to use one, and how to get the others."""

import base64
import html
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.datasets import Card, catalog, default_data_folder, fetch
from nysviz.engine.shared import shared
from nysviz.figures.data_cards import DECADES, HEIGHT, WIDTH, paint
from nysviz.figures.look import Theme
from nysviz.refusal import Refusal
from nysviz.studies.scene import Scene
from nysviz.studies.thumbnail import ROWS, Mark, thumbnail
from nysviz.text import counted, grouped, in_bytes
from nysviz.ui import page, settings
from nysviz.ui.asking import POLL_SECONDS, ask
from nysviz.ui.inputs import pills, segments, words
from nysviz.ui.markdown import plain

NO_PAPER = "none of them"
EVERYWHERE, HERE, AWAY = "all", "at hand", "to be fetched"
ABOUT = (
    "Left: two principal components. Right: eigenvalues against rank, both logarithmic, over "
    f"{DECADES:g} decades, for the Gaussian kernel of the default width. At most {ROWS} rows each."
)


def draw_all(scene: Scene) -> None:
    """Draw the filter and the cards; the pictures come in as they are ready."""
    cards = catalog()
    st.subheader("All data sets", anchor=False)
    chosen, where = _choose_cards(cards)
    if not chosen:
        st.caption("No set is like that; choose other papers, or all places.")
        return
    st.caption("What the pictures show", help=ABOUT)
    current = scene.data.name if scene.data.from_catalog else ""
    places = _draw_grid([card for card in chosen if card.on_disk], current)
    if away := [card for card in chosen if not card.on_disk]:
        with st.expander(f"{counted(len(away), 'set')} to be fetched", expanded=where == AWAY):
            _draw_grid(away, current)
    marks = tuple(mark(card) for card in cards if card.on_disk and not card.too_large and not card.sparse)
    pictures = ask(pictures_of, marks, page.theme(), label="Small pictures", beside=True)
    for name, place in places.items():
        if pictures is not None and name in pictures:
            place.html(f'<div class="nysviz-thumb">{pictures[name]}</div>')


def _draw_grid(cards: Sequence[Card], current: str) -> dict[str, DeltaGenerator]:
    """Draw cards in lines, and return the places of their pictures."""
    places = {}
    for start in range(0, len(cards), 4):
        line = st.columns(4, gap="small")
        for column, card in zip(line, cards[start : start + 4], strict=False):
            with column, st.container(border=True, height="stretch"):
                places[card.name] = _draw_card(card, current=card.name == current)
    return places


def _choose_cards(cards: Sequence[Card]) -> tuple[list[Card], str]:
    papers = sorted({paper for card in cards for paper in card.papers}, key=lambda paper: (paper[-4:], paper))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        search = words("Search", "data_search", placeholder="name, size or paper")
        chosen_papers = pills("Used by", [*papers, NO_PAPER], "data_papers")
        where = segments("Where", [EVERYWHERE, HERE, AWAY], "data_where")
    chosen = [
        card
        for card in cards
        if search.lower() in f"{card.title} {card.n} × {card.d} {card.paper}".lower()
        and (not chosen_papers or set(card.papers or (NO_PAPER,)) & set(chosen_papers))
        and (where == EVERYWHERE or card.on_disk == (where == HERE))
    ]
    return chosen, where


def _draw_card(card: Card, *, current: bool) -> DeltaGenerator:
    """Draw one card and return the place of its picture."""
    text, used = html.escape, html.escape(card.paper) if card.papers else ""
    size = f"{grouped(card.n)} × {grouped(card.d)}, {card.task or 'no labels'}"
    about = f"<b>{text(card.title)}</b><br>{size}<br><small>{used}</small>"
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
            on_click=settings.put,
            args=("data", card.title),
            width="stretch",
        )
    return place


# Archives from which the whole process fetches at the same time.
AT_ONCE = 2
ASKED = "data_fetch_asked"


class Fetching:
    """A fetch that has begun: the bytes received of the present file, and the result."""

    def __init__(self, name: str) -> None:
        self.received: int = 0
        self.announced: int | None = None
        self.future = _pool.submit(fetch, name, progress=self.report)

    def report(self, file: str, received: int, announced: int | None) -> None:
        """Record the bytes received."""
        self.received, self.announced = received, announced


# The fetches of this process by the set's name, shared by all sessions.
_fetches: dict[str, Fetching] = {}
_lock, _pool = threading.Lock(), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="nysviz-fetch")


def offer_fetch(card: Card) -> None:
    """Draw the button of a fetch, its progress, or why it failed."""
    if not card.addresses:
        files = plain(", ".join(card.files))
        st.caption(f"The catalog has no address that is safe to ask: get {files} by hand.")
        return
    fetching = _fetches.get(card.name)
    if fetching is not None and not fetching.future.done():
        _draw_progress(fetching)
        return
    is_own = card.name in st.session_state.get(ASKED, ())
    if fetching is not None and is_own and (problem := fetching.future.exception()):
        text = str(problem) if isinstance(problem, Refusal) else "The fetch failed; try again later."
        st.error(plain(text), icon=":material/error:")
    st.button(
        "Fetch it",
        key=f"data_fetch_{card.name}",
        icon=":material/download:",
        on_click=_begin,
        args=(card.name,),
        width="stretch",
    )


def _begin(name: str) -> None:
    st.session_state[ASKED] = [*st.session_state.get(ASKED, ()), name]
    with _lock:
        if name not in _fetches or _fetches[name].future.done():
            _fetches[name] = Fetching(name)


@st.fragment(run_every=POLL_SECONDS)
def _draw_progress(fetching: Fetching) -> None:
    if fetching.future.done():
        st.rerun()
    whole = f" of {in_bytes(fetching.announced)}" if fetching.announced else ""
    text = f"{in_bytes(fetching.received)}{whole}" if fetching.received else "asking the archive"
    st.progress(min(1.0, fetching.received / (fetching.announced or 1e99)), text=text)


@shared()
def pictures_of(marks: tuple[Mark, ...], theme: Theme) -> dict[str, str]:
    """Return the picture of each data set as HTML, or why there is none."""
    return {mark[0]: _as_html(mark, theme) for mark in marks}


def mark(card: Card) -> Mark:
    """Return the values on which a picture depends: the set's name, and the times of its files."""
    folder = default_data_folder()
    paths = [folder / file for file in card.files] if card.kind == "file" else []
    return card.name, tuple(path.stat().st_mtime_ns for path in paths if path.is_file())


def _as_html(mark: Mark, theme: Theme) -> str:
    try:
        picture = thumbnail(mark)
    except ValueError as problem:
        return html.escape(str(problem) if isinstance(problem, Refusal) else "Cannot be read.")
    png = base64.b64encode(paint(picture, theme)).decode()
    alt = html.escape(f"Principal components and eigenvalues of {picture.rows} rows of {mark[0]}")
    size = f'width="{WIDTH}" height="{HEIGHT}" style="max-width:100%;height:auto"'
    return f'<img src="data:image/png;base64,{png}" {size} alt="{alt}">'
