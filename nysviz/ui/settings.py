"""The settings of a session, its only state: the values of controls, as texts in the address.

A control reads its setting when it is drawn and writes it when it is moved (``nysviz.ui.inputs``). ``begin``
takes over an address that the session has not written itself: that of a link, or of the browser's Back or
Forward. ``write`` puts the settings into the address, which is one step of the browser's history. A click in
the menu comes with an empty address and changes nothing: the browser completes it (``missing_address``), in
the same step. So ``data`` always stands in an address.

Settings never hold data of a user: files that were sent stay in the session.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st

from nysviz.datasets.cards import read_cards
from nysviz.landmarks import METHODS
from nysviz.ui.bandwidth import KERNEL_KEYS
from nysviz.ui.doors import script_of
from nysviz.ui.markdown import plain

Parameters = Mapping[str, str | Iterable[str]]

FIRST_DATA = "digits"
# Settings of the sidebar and of several pages; all others begin with the name of their page.
SIDEBAR = ("data", *KERNEL_KEYS, "seed")
# How a page is shown: a link keeps it where it does not say otherwise.
FRAME = ("presentation", "expert", "lesson", "step")
SHARED = frozenset((*SIDEBAR, *FRAME, "method", "ratio", "axes", "map_x", "map_y", "order"))
# Beginnings of a page's own settings other than the page's name.
PREFIXES = {"two_balls": "balls_"}
# State key of the place of the sidebar's controls in the presentation view.
SIDEBAR_PLACE = "settings_place"
# No value of any control has a longer text.
LONGEST_TEXT = 200
# Characters of a refused text, and refusals, that are shown of a link.
SHOWN_CHARACTERS, SHOWN_SENTENCES = 60, 3
_UNREAD = object()


@dataclass(frozen=True)
class Setting:
    """A setting: its texts in the address, and its value once a control has read them."""

    texts: tuple[str, ...]
    value: Any = _UNREAD

    @property
    def is_read(self) -> bool:
        """Whether a control has read the texts."""
        return self.value is not _UNREAD


def _state(name: str, default: Any) -> Any:
    return st.session_state.setdefault(f"settings_{name}", default)


def _set_state(name: str, value: Any) -> None:
    st.session_state[f"settings_{name}"] = value


def _settings() -> dict[str, Setting]:
    settings: dict[str, Setting] = _state("all", {})
    return settings


def page() -> str:
    """Return the page that runs, by the name of its file."""
    return str(_state("page", ""))


def path_of(name: str) -> str:
    """Return the path of a page's address, empty for the first page."""
    return "" if name == "home" else name


def prefix_of(name: str) -> str:
    """Return the beginning of the names of a page's own settings."""
    return PREFIXES.get(name, f"{name}_")


@cache
def knobs() -> frozenset[str]:
    """Return the settings of generated data sets."""
    return frozenset(f"{card.name}_{knob.name}" for card in read_cards() for knob in card.parameters)


@cache
def _options() -> frozenset[str]:
    return frozenset(f"{method}_{option.name}" for method in METHODS for option in METHODS[method].options)


def is_known(name: str, of_page: str) -> bool:
    """Whether a page, or the sidebar, can have a setting of this name."""
    return name in SHARED | knobs() | _options() or name.startswith(prefix_of(of_page))


def begin(name: str) -> None:
    """Begin the run of a page: take over a new address, and say which of its settings are refused."""
    is_first, is_moved = not page(), st.session_state.pop("settings_moved", False)
    address = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    is_other = page() != name
    if is_other:
        _state("refused", {}).clear()
    _set_state("page", name)
    # The browser may not have heard of the last address when a control is moved again.
    if not is_moved and address and (name, address) != _state("written", None):
        take(name, address)
        if is_other:
            # The browser has the address already, if in other words: written anew it would be one more step.
            _set_state("shown", None)
    _set_state("missing_address", "" if address else urlencode(parameters(), doseq=True))
    if not is_moved:
        if not address:
            address = parameters()
            _set_state("shown", address)
        _set_state("written", (name, address))
    if is_first:
        _set_state("first_data", text("data"))
    _set_state("first_run", is_first)
    _set_state("arrival", st.session_state.pop("settings_arriving", False))
    sentences = tuple(_state("refused", {}).values())
    _set_state("said", sentences)
    if sentences:
        st.warning(" ".join(sentences[:SHOWN_SENTENCES]))


def missing_address() -> str:
    """Return what the browser puts behind the path of an empty address: that of a click in the menu."""
    return str(_state("missing_address", ""))


def take(name: str, parameters: Parameters) -> None:
    """Set the settings of a page and the shared ones to these texts, and all others to their defaults."""
    settings = _settings()
    for key in [key for key in settings if is_known(key, name)]:
        del settings[key]
    for key, value in parameters.items():
        texts = tuple(text[:LONGEST_TEXT] for text in ((value,) if isinstance(value, str) else value))
        if is_known(key, name) and texts:
            settings[key] = Setting(texts)
    _state("refused", {}).clear()
    _set_state("touched", False)
    _set_state("arriving", True)


def is_arrival() -> bool:
    """Whether the page was given its state: by a link, by the browser's Back, or by a button."""
    return bool(_state("arrival", False))


def is_first_run() -> bool:
    """Whether the page is the first that the session draws: that of the link which somebody followed."""
    return bool(_state("first_run", False))


def first_data() -> str:
    """Return the data set that the session's first address named."""
    return str(_state("first_data", ""))


def write() -> None:
    """Write the settings into the address once the controls are drawn; redraw for new refusals."""
    st.session_state.pop("settings_moved", None)
    if tuple(_state("refused", {}).values()) != _state("said", ()):
        # They stand at the top of the page, which a part of it cannot draw.
        redraw()
    state, (_, address) = parameters(), st.session_state["settings_written"]
    last_state = _state("shown", None)
    is_complete = "data" in address and all(is_known(name, page()) for name in address)
    if state != last_state and not (last_state is None and is_complete):
        st.query_params.from_dict(state)
        _set_state("written", (page(), state))
    _set_state("shown", state)


def redraw() -> NoReturn:
    """Draw all of the page anew, with the settings as they are."""
    stay()
    st.rerun()


def stay() -> None:
    """Let the next drawing keep the settings: its address may be the one before the last."""
    st.session_state["settings_moved"] = True


def parameters() -> dict[str, tuple[str, ...]]:
    """Return the parameters of this page's address: the data set, and the settings that are not defaults."""
    texts = {name: setting.texts for name, setting in _settings().items() if is_known(name, page())}
    return {"data": (title_of(FIRST_DATA),), **texts}


def sidebar_parameters() -> dict[str, tuple[str, ...]]:
    """Return the parameters of the sidebar's settings."""
    return {name: texts for name, texts in parameters().items() if name in SIDEBAR or name in knobs()}


def title_of(data: str) -> str:
    """Return the title of a data set, by which the address names it; other names as they are."""
    return next((card.title for card in read_cards() if card.name == data), data)


def link_parameters(settings: Parameters) -> dict[str, Any]:
    """Return the parameters of a link to a page in a state: the view and the lesson stay as they are."""
    frame = {name: texts for name, texts in parameters().items() if name in FRAME}
    linked: dict[str, Any] = {"data": title_of(FIRST_DATA), **frame, **settings}
    linked["data"] = title_of(linked["data"]) if isinstance(linked["data"], str) else linked["data"]
    return {name: texts for name, texts in linked.items() if texts}


def go(name: str, settings: Parameters) -> NoReturn:
    """Show a page with these settings and the defaults of all others; end the run."""
    st.switch_page(script_of(name), query_params=link_parameters(settings))
    raise AssertionError("a page was switched to")


def get(name: str) -> Setting | None:
    """Return a setting that differs from its default, None for all others."""
    return _settings().get(name)


def text(name: str) -> str:
    """Return the text of a setting that has a single one, empty for the default."""
    setting = get(name)
    return setting.texts[-1] if setting is not None else ""


def put(name: str, value: str) -> None:
    """Give a setting a text, in a callback or while a page is drawn; an empty one is its default."""
    if text(name) == value:
        return
    _note_move()
    if value:
        _settings()[name] = Setting((value,))
    else:
        _settings().pop(name, None)


def hold(name: str, value: Any, texts: tuple[str, ...], default: Any) -> None:
    """Store the value that a control shows; a default, which may depend on the data, is not stored."""
    if value == default:
        _settings().pop(name, None)
    else:
        _settings()[name] = Setting(texts, value)


def move(name: str, value: Any, texts: tuple[str, ...]) -> None:
    """Record, in a callback, that a control was moved."""
    _note_move()
    _settings()[name] = Setting(texts, value)


def _note_move() -> None:
    st.session_state["settings_moved"] = True
    _set_state("touched", True)
    _set_state("shown", _state("shown", None) or {})
    _state("refused", {}).clear()


def refuse(name: str, used_text: str) -> None:
    """Drop a setting that its control cannot have, and say so with the text of the value used instead."""
    linked_text = ", ".join(_settings().pop(name).texts)
    # An empty text asks for nothing; after a move, a refusal is no answer to the link.
    if not linked_text or _state("touched", False):
        return
    if name == "data":
        linked_text = title_of(linked_text)
    linked_text, used_text = (
        plain(text[:SHOWN_CHARACTERS] + "…" * (len(text) > SHOWN_CHARACTERS))
        for text in (linked_text, used_text)
    )
    sentence = (
        f'The link asks for {plain(name.replace("_", " "))} "{linked_text}", which is not offered here; '
        f'"{used_text}" is shown.'
    )
    _state("refused", {})[name] = sentence


def is_presentation() -> bool:
    """Whether the page is shown in the presentation view."""
    return text("presentation") == "on"


def is_expert() -> bool:
    """Whether captions and experiments are folded away."""
    return text("expert") == "true"


def present(is_on: bool) -> None:
    """Enter or leave the presentation view."""
    put("presentation", "on" if is_on else "")
