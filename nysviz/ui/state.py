"""The whole state of the app, a page and its parameters: read it, go to it, step back, start again.

>>> state.go(State("compare", {"data": "iris", "compare_repeats": "10"}))

A state names settings, never data of a user: files that were sent stay in the session. The presentation view
is how a state is shown and no part of it: it stays as it is unless a state names it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, Self
from urllib.parse import urlencode, urlsplit

import streamlit as st

from nysviz.datasets import catalog
from nysviz.landmarks import METHODS
from nysviz.refusal import Refusal
from nysviz.ui import address, unkept
from nysviz.ui.address import Value
from nysviz.ui.bandwidth import KERNEL_KEYS

# So many steps back are kept in a session.
MOST_STEPS = 50
PRESENTATION = "presentation"
# Where the controls of the sidebar stand in that view.
SETTINGS = "settings_place"
# Controls of the sidebar and of several pages; all others start with the name of their page.
SIDEBAR = frozenset(("data", *KERNEL_KEYS, "seed"))
SHARED = SIDEBAR | {"method", "ratio", "axes", "map_x", "map_y", "order"}
# What no control is bound to: parameters that a page sets itself.
UNBOUND = (
    *("map_x", "map_y", "learning_first_number", "learning_second_number"),
    *("quantization_run", "claims_open", "approximate_strip"),
)


@dataclass(frozen=True)
class State:
    """A page, by the name of its file without ``.py``, and the parameters of its address.

    A parameter has the name of its control and the text, or tuple of texts, that the address shows for it.
    What is not named has its default. ``data`` may be a data set's short name.
    """

    page: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    @classmethod
    def from_link(cls, link: str) -> Self:
        """Read a state from an address, the last part of whose path names the page; ValueError for none."""
        url = urlsplit(link)
        name = url.path.rstrip("/").rsplit("/", 1)[-1]
        paths = {address.path_of(page): page for page in address.page_names()}
        paths |= {page: page for page in address.page_names()}
        if name not in paths:
            raise Refusal(f'The link names the page "{name[:40]}", and there is none of that name.')
        return cls(paths[name], address.from_query(url.query))


def is_known(name: str, pages: list[str]) -> bool:
    """Whether a control of one of these pages, or of the sidebar, can have this name."""
    own = tuple(address.own_prefix(page) for page in pages)
    options = {f"{method}_{option.name}" for method in METHODS for option in METHODS[method].options}
    return name in SHARED | knobs() | options or name.startswith(own)


def knobs() -> set[str]:
    """Return the names of the controls of generated data sets."""
    return {f"{card.name}_{knob.name}" for card in catalog() for knob in card.parameters}


def current() -> State:
    """Return the page that runs and all that differs from the defaults, once its controls are drawn."""
    parameters = address.parameters()
    parameters.pop(PRESENTATION, None)
    return State(address.page(), parameters)


def go(state: State) -> NoReturn:
    """Put the app into a state, whatever its controls hold now; ends the run, and can be undone.

    It may be called by a page, in a fragment and in a callback. ValueError for a page that there is not.
    """
    if state.page not in address.page_names():
        raise Refusal(f'There is no page "{state.page}" here.')
    _remember(current())
    _travel(state)


def put(name: str, value: str) -> None:
    """Write a parameter that no control is bound to; an empty text takes it out of the address."""
    if value:
        st.query_params[name] = value
    elif name in st.query_params:
        del st.query_params[name]


def is_presentation() -> bool:
    """Whether the page is shown in the presentation view."""
    return bool(st.session_state.get(PRESENTATION, False))


def present(shown: bool) -> None:
    """Enter or leave the presentation view: of the session, not of a page."""
    st.session_state[PRESENTATION] = shown
    put(PRESENTATION, "on" if shown else "")


def reset() -> NoReturn:
    """Give this page's controls, kernel, bandwidth and seed their defaults; the data set stays as it is."""
    now = current()
    go(State(now.page, {n: value for n, value in now.parameters.items() if n == "data" or n in knobs()}))


def undo() -> None:
    """Take back the last change on this page; says so where there is none."""
    none = "There is no earlier change on this page. The browser's Back leads to the page before."
    _step("state_past", "state_future", none)


def redo() -> None:
    """Take back an undo."""
    _step("state_future", "state_past", "There is no undone change on this page.")


def _step(source: str, target: str, none: str) -> None:
    states, now = st.session_state.get(source, []), current()
    # What was changed on other pages meanwhile stays for them.
    for i in reversed(range(len(states))):
        if states[i].page == now.page and states[i] != now:
            wanted = states.pop(i)
            st.session_state.setdefault(target, []).append(now)
            _travel(wanted)
    st.toast(none, icon=":material/undo:")


def _travel(state: State) -> NoReturn:
    parameters = dict(state.parameters)
    # The address has a data set's title; of one that is not here the page says so.
    if title := {card.name: card.title for card in catalog()}.get(str(parameters.get("data"))):
        parameters["data"] = title
    if shown := address.parameters().get(PRESENTATION):
        parameters.setdefault(PRESENTATION, shown)
    st.session_state["state_arriving"] = True
    address.travel(state.page, parameters)


def _remember(state: State) -> None:
    past: list[State] = st.session_state.setdefault("state_past", [])
    if not past or past[-1] != state:
        past.append(state)
        del past[:-MOST_STEPS]
    st.session_state["state_future"] = []


def begin() -> None:
    """Notice, at the start of a page, how the address has changed since the page was drawn last."""
    address.take_whole_link()
    linked = st.query_params.get(PRESENTATION) == "on"
    # A link, or the browser's Back, decides over the view; another page keeps it.
    if address.is_history_run() or PRESENTATION not in st.session_state:
        st.session_state[PRESENTATION] = linked
    elif is_presentation() != linked:
        present(not linked)
    asked = address.parameters()
    address.leave_out_unreadable()
    now, last = current(), st.session_state.get("state_last")
    st.session_state.setdefault("state_first", now)
    arriving = st.session_state.pop("state_arriving", False)
    if last is not None and last != now and not arriving:
        _remember(last)
        if last.page != now.page and address.is_history_run():
            # The browser's Back leads to a step that names nothing of the sidebar, which Streamlit leaves
            # behind: a click in its menu puts the bare path of the page into the history.
            held = sidebar_of(last)
            if held and SIDEBAR.isdisjoint(now.parameters):
                _travel(State(now.page, {**held, **now.parameters}))
    if last is not None and last.page != now.page and not address.is_history_run():
        # The menu leads to a page without the parameters that no control holds; those of the sidebar, whose
        # controls go on, the browser puts back into the address (components/frame.js).
        kept = st.session_state.get("state_unbound", {}).get(now.page, {})
        st.query_params.update({name: value for name, value in kept.items() if name not in now.parameters})
        if not arriving:
            # To Streamlit the sidebar's controls are others on each page, and what a link named for those of
            # the first is known to it as used up.
            for key in SIDEBAR | knobs():
                if key in st.session_state:
                    st.session_state[key] = st.session_state[key]
        # A link says all of its state itself.
        held = {} if arriving else sidebar_of(last)
        count = st.session_state.get("state_moved", (0, "", ""))[0] + 1
        st.session_state["state_moved"] = count, now.page, urlencode(held, doseq=True)
    unkept.begin(now.page, asked, is_link=last is None or address.is_history_run())
    note()


def first() -> State:
    """Return what the session began with: a link that somebody followed, or the bare address."""
    state: State = st.session_state.get("state_first", current())
    return state


def sidebar_of(state: State) -> dict[str, Value]:
    """Return what a state says of the sidebar."""
    return {name: value for name, value in state.parameters.items() if name in SIDEBAR | knobs()}


def moved() -> tuple[int, str]:
    """Return which change of the page this is, and the parameters that came along; nothing on other pages."""
    count, page, query = st.session_state.get("state_moved", (0, "", ""))
    return (count, query) if page == address.page() else (0, "")


def carry_on() -> None:
    """Give the sidebar what a link named on a page without these controls; may draw the page anew.

    Where the whole sidebar has been drawn in this session, its controls hold their values themselves.
    """
    now, held = address.parameters(), address.from_query(moved()[1])
    missing = {
        name: value for name, value in held.items() if name not in now and name not in st.session_state
    }
    if missing and "kernel" not in st.session_state:
        st.session_state["state_arriving"] = True
        address.travel(address.page(), {**missing, **now})


def note() -> None:
    """Take down the state; in a run of a fragment, a change is one that its controls have made."""
    unkept.look()
    now, last = current(), st.session_state.get("state_last")
    if now == last:
        return
    if last is not None and last.page == now.page and address.is_fragment_run():
        _remember(last)
    st.session_state["state_last"] = now
    unbound = {name: value for name, value in now.parameters.items() if name in UNBOUND}
    st.session_state.setdefault("state_unbound", {})[now.page] = unbound
