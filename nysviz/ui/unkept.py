"""What a link asks for and a page cannot show: one sentence at its top, until the visitor moves on."""

from dataclasses import dataclass, field

import streamlit as st

from nysviz.datasets import catalog
from nysviz.ui import address
from nysviz.ui.address import Parameters
from nysviz.ui.markdown import plain
from nysviz.ui.streamlit_private import fragment_here

# Names in the session's state: the link, and the place of what is said of it.
LINK, PLACE = "unkept_link", "unkept_place"
MOST_CHARACTERS = 60
# Parameters that no control ever holds: they are not waited for.
BARE = {"lesson", "step", "presentation"}
# So many settings are named.
MOST_NAMED = 3


@dataclass
class _Link:
    """What a link asks for on a page, what is not drawn yet of it, what controls hold, and what is said."""

    page: str
    parameters: Parameters
    pending: set[str]
    held: dict[str, object] = field(default_factory=dict)
    unkept: list[str] = field(default_factory=list)

    def is_left(self, page: str) -> bool:
        """Whether the visitor has moved on: a control, or to another page."""
        return page != self.page or any(
            st.session_state.get(name) != value for name, value in self.held.items()
        )


def begin(page: str, asked: Parameters, *, is_link: bool) -> None:
    """Take down what a link asks for, at the start of its page; forget it once the visitor has moved on."""
    link: _Link | None = st.session_state.get(LINK)
    if is_link:
        link = _Link(page, asked, set(asked) - BARE)
    elif link is not None and link.is_left(page):
        link = None
    st.session_state[LINK], st.session_state[PLACE] = link, (st.empty(), "")
    _draw(link)


def look() -> None:
    """Look at the controls that are drawn by now, and say which do not show what the link asks for."""
    link: _Link | None = st.session_state.get(LINK)
    if link is None:
        return
    if link.is_left(link.page):
        link = st.session_state[LINK] = None
    elif link.pending and not address.is_fragment_run():
        link.held = address.held()
        for name in [name for name in link.parameters if name in link.pending and name in link.held]:
            link.pending.remove(name)
            found = address.refused(name, link.parameters[name])
            if found is not None:
                link.unkept.append(_sentence(name, *found))
    _draw(link)


def _sentence(name: str, asked: str, shown: str) -> str:
    if name == "data":
        asked = {card.name: card.title for card in catalog()}.get(asked, asked)
    # All methods of the tournament take three lines.
    cut = [text[:MOST_CHARACTERS] + "…" * (len(text) > MOST_CHARACTERS) for text in (asked, shown)]
    asked, shown = map(plain, cut)
    what = f'{plain(name.replace("_", " "))} "{asked}"'
    return f"The link asks for {what}, which is not offered here; shown: {shown}."


def _draw(link: _Link | None) -> None:
    """Write what is not shown to its place, or take it away; a part of the page draws all of it anew."""
    place, before = st.session_state[PLACE]
    text = "" if link is None else " ".join(link.unkept[:MOST_NAMED])
    if text == before:
        return
    if fragment_here() is not None:
        # What a fragment writes outside of itself fails, or is gone when it is drawn the next time.
        st.rerun()
    st.session_state[PLACE] = place, text
    if text:
        place.warning(text)
    else:
        place.empty()
