"""What a link asks for and a page cannot show: one sentence at its top, until the visitor moves on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from nysviz.datasets import catalog
from nysviz.text import counted
from nysviz.ui import address
from nysviz.ui.address import Parameters, Refused
from nysviz.ui.bandwidth import multiple_of
from nysviz.ui.markdown import plain
from nysviz.ui.streamlit_private import fragment_here

# Names in the session's state: the link, what of it is not shown, and the place of the sentence.
LINK, UNKEPT, PLACE = "unkept_link", "unkept", "unkept_place"
LONGEST_TEXT = 60
# Numbers of landmarks when the rank was called K.
RULES = {"K": "k", "K ln K": "k ln k", "K ln n": "k ln n"}
# Names that a control had in links once, with what it holds for them.
FORMER = {
    "tournament_methods": {
        "k-means": "kmeans",
        "refined k-means++": "kmeanspp_lloyd",
        "exact leverage scores": "leverage",
        "recursive leverage scores": "rls",
        "k-DPP": "dpp",
    },
    # Once by multiples of the default width 2σ².
    "tournament_widths": {"1/16": "σ/4", "1/4": "σ/2", "1": "σ", "4": "2σ", "16": "4σ"},
    "bounds_view": {"Oglic, Li: against the best rank K": "Oglic, Li: against the best rank k"},
    "bounds_landmarks": RULES,
    "lift_landmarks": RULES,
}
# Parameters that no control ever holds: they are not waited for.
BARE = {"lesson", "step", "presentation"}
# So many settings are named; more of them are counted.
MOST_NAMED = 4


@dataclass
class _Link:
    """What a link asks for on a page, what is not drawn yet of it, and what the controls held last."""

    page: str
    parameters: Parameters
    pending: set[str]
    held: dict[str, object]


@dataclass(frozen=True)
class Unkept:
    """A setting of a link with why it is not shown, and what is; said while its control and the data stay."""

    asked: str
    shown: str
    held: object
    data: object


def begin(page: str, asked: Parameters, *, is_link: bool) -> None:
    """Take down what a link asks for, at the start of its page; forget it once the visitor has moved on."""
    link: _Link | None = st.session_state.get(LINK)
    if is_link:
        st.session_state[LINK] = _Link(page, asked, set(asked) - BARE, {})
        st.session_state[UNKEPT] = {}
    elif link is not None and link.page != page:
        del st.session_state[LINK]
        st.session_state[UNKEPT] = {}
    elif link is not None and any(st.session_state.get(name) != value for name, value in link.held.items()):
        # A control was moved: those that are drawn from now on are drawn for the visitor, not for the link.
        link.pending.clear()
    st.session_state[PLACE] = st.empty(), ""
    _draw()


def look() -> None:
    """Look at the controls that are drawn by now, and say which do not show what the link asks for."""
    link: _Link | None = st.session_state.get(LINK)
    if link is None:
        return
    if link.pending and not address.is_fragment_run():
        link.held = address.held()
        for name in [name for name in link.parameters if name in link.pending and name in link.held]:
            link.pending.remove(name)
            found = address.refused(name, link.parameters[name])
            if found is not None and not _is_shown(name, found):
                st.session_state[UNKEPT][name] = _unkept(name, found.asked, found.shown)
    _draw()


def _is_shown(name: str, found: Refused) -> bool:
    """Whether a control shows by another text what the link asks for: a former name, an m of the slider."""
    former = FORMER.get(name, {})
    if found.asked in former or set(found.asked.split(", ")) <= set(former):
        return True
    if name == "bandwidth":
        return multiple_of(found.asked) == st.session_state[name]
    if name != "ratio" or not found.asked.startswith("m = "):
        return False
    held: Any = st.session_state[name]
    n = st.session_state.get("rows")
    # Only the link's own m moves the slider away from its default here; at the default it may be either.
    return not found.is_default or (n is not None and found.asked == f"m = {round(n * held / 100)}")


def _unkept(name: str, asked: str, shown: str) -> Unkept:
    # All methods of the tournament take three lines.
    asked, shown = (
        text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…" for text in (asked, shown)
    )
    what, why = f"{name.replace('_', ' ')} = {asked}", "which is not offered here"
    if name == "data":
        what, why = f'the data set "{asked}"', _why_not(asked)
    elif name == "bandwidth":
        what = f'the bandwidth "{asked}"'
        why = "which is no multiple of the default σ that the kernel can have"
    elif name == "ratio":
        what, why = asked if asked.startswith("m = ") else f"m / n = {asked}", "which these data do not have"
    text = f"{plain(what)}, {why}"
    return Unkept(text, plain(shown), st.session_state[name], st.session_state.get("data"))


def _why_not(title: str) -> str:
    for card in catalog():
        if card.name == title != card.title:
            return f'which is called "{plain(card.title)}" here'
        if card.title == title and card.sparse:
            return "which is sparse and for Python and the command line alone"
        if card.title == title:
            return "which is too large for this server" if card.too_large else "whose files are not here"
    return "which is not here"


def _draw() -> None:
    """Write the sentence to its place, or take it away; from a part of the page by drawing all of it anew."""
    kept: dict[str, Unkept] = {
        name: one
        for name, one in st.session_state.get(UNKEPT, {}).items()
        if (st.session_state.get(name), st.session_state.get("data")) == (one.held, one.data)
    }
    place, before = st.session_state[PLACE]
    text = sentence(list(kept.values()))
    st.session_state[UNKEPT] = kept
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


def sentence(found: Sequence[Unkept]) -> str:
    """Say what a link asks for in vain and what is shown instead; empty where there is nothing."""
    if len(found) == 1:
        return f"The link asks for {found[0].asked}; shown: {found[0].shown}."
    named = [f"{one.asked} (shown: {one.shown})" for one in found[:MOST_NAMED]]
    if more := len(found) - len(named):
        named.append(f"{counted(more, 'more setting')} that cannot be had")
    return f"The link asks for {'; for '.join(named)}." if named else ""
