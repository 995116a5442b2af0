"""The address of the app as Streamlit keeps it: the page that runs, and the parameters of its controls.

Every control is bound to a parameter of its name. Streamlit seeds a control from the address when it is drawn
for the first time, and from then on what the session holds wins; only on the browser's own Back and Forward
does the address win again. :func:`travel` asks for a run of that kind. It rests on parts of Streamlit 1.67
that are not public; ``tests/ui/test_state.py`` fails when they change.
"""

import math
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.runtime_util import MESSAGE_FLUSH_INTERVAL_SECS
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.query_params import parse_url_param

from nysviz.ui.streamlit_private import run_again
from nysviz.ui.turns import aside

Value = str | tuple[str, ...]
Parameters = Mapping[str, Value]

# Characters that a parameter or its name can have.
LONGEST_TEXT = 200
# Pages whose own parameters start otherwise than with the page's name.
PREFIXES = {"two_balls": "balls_"}


def _context() -> ScriptRunContext:
    context = get_script_run_ctx()
    assert context is not None, "the address is known while a page runs"
    return context


def _pages() -> dict[str, tuple[str, str]]:
    """Return each page's hash and the path of its address, by the name of its file."""
    found = _context().pages_manager.get_pages()
    return {_stem(page["script_path"]): (of, page.get("url_pathname") or "") for of, page in found.items()}


@lru_cache(64)
def _stem(path: str) -> str:
    """Return the name of a page's file; asked for many times in each run."""
    return Path(path).stem


def page_names() -> list[str]:
    """Return the pages that there are, by the names of their files; the page alone where it runs alone."""
    return list(_pages())


def path_of(page: str) -> str:
    """Return the path of a page's address, empty for the first page."""
    return _pages()[page][1]


def page() -> str:
    """Return the page that runs."""
    context = _context()
    found = context.pages_manager.get_pages().get(context.page_script_hash)
    return _stem(context.main_script_path if found is None else found["script_path"])


def parameters() -> dict[str, Value]:
    """Return the parameters as the browser shows them.

    ``st.query_params`` loses that of a control whose default moves with its value; the browser keeps it.
    """
    return _without_embedding(from_query(_context().query_string))


def from_query(query: str) -> dict[str, Value]:
    """Read the parameters of an address."""
    read = parse_qs(query, keep_blank_values=True)
    return {name: values[0] if len(values) == 1 else tuple(values) for name, values in read.items()}


def _without_embedding(parameters: Parameters) -> dict[str, Value]:
    """Leave out how another site shows the app, which is Streamlit's own."""
    return {name: value for name, value in parameters.items() if not name.lower().startswith("embed")}


def is_fragment_run() -> bool:
    """Whether only a part of the page is drawn anew."""
    return bool(_context().fragment_ids_this_run)


def is_history_run() -> bool:
    """Whether the address decides over what the session holds."""
    return _context().is_history_navigation


def take_whole_link() -> None:
    """Read the browser's address in full after its Back or Forward came from another page.

    Streamlit drops the parameters that the other page had bound, also those of the sidebar, which both have.
    """
    context = _context()
    link = context.query_string
    if context.is_history_navigation and link:
        with context.session_state.query_params() as params:
            params.set_initial_query_params(link)
            params.populate_from_query_string(link)
            # The browser has heard of an address without them.
            params._send_query_param_msg()


def leave_out_unreadable() -> None:
    """Take texts that are too long, and numbers that are not finite, out of the address.

    Streamlit makes whole numbers of the latter, and does not catch the OverflowError.
    """

    def is_readable(text: str) -> bool:
        try:
            return len(text) <= LONGEST_TEXT and math.isfinite(float(text))
        except ValueError:
            return True

    with _context().session_state.query_params() as params:
        asked = params._initial_query_params
        unreadable = [name for name, texts in asked.items() if not all(map(is_readable, (name, *texts)))]
        for name in unreadable:
            del asked[name]
            params.discard_param_no_forward_msg(name)
        if unreadable:
            params._send_query_param_msg()


def translate(name: str, texts: Mapping[str, str]) -> None:
    """Read a parameter of a link with other texts, those that its control shows for these."""
    with _context().session_state.query_params() as params:
        if asked := params._initial_query_params.get(name):
            params._initial_query_params[name] = [texts.get(text, text) for text in asked]


def held() -> dict[str, object]:
    """Return what the controls hold that are drawn by now."""
    drawn = _context().shared.widget_user_keys_this_run
    return {name: st.session_state[name] for name in _bound() if name in drawn}


def refused(name: str, value: Value) -> tuple[str, str] | None:
    """Return a parameter that a control cannot take, and what it shows; None where it takes all of it.

    Streamlit takes what a control cannot hold out of the address without a word.
    """
    context = _context()
    state = context.session_state._state
    with context.session_state.query_params() as params:
        binding = params.get_binding_for_param(name)
        # As ``translate`` has left it.
        value = tuple(params._initial_query_params.get(name, [value] if isinstance(value, str) else value))
    metadata = None if binding is None else state._new_widget_state.widget_metadata.get(binding.widget_id)
    texts = [text for text in value if text]
    # An empty text asks for nothing.
    if metadata is None or not texts:
        return None
    written = metadata.serializer(st.session_state[name])
    # Texts that are no value of this control are not what it shows.
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        if parse_url_param(texts, metadata.value_type) == written:
            return None
    shown = ", ".join(
        f"{one:g}" if isinstance(one, float) else str(one)
        for one in (written if isinstance(written, list) else [written])
    )
    return ", ".join(texts), shown or "nothing"


def own_prefix(page: str) -> str:
    """Return what the names of a page's own parameters start with."""
    return PREFIXES.get(page, f"{page}_")


def _bound() -> set[str]:
    """Return the names of the controls that are bound to a parameter."""
    state = _context().session_state._state
    keys = state._key_id_mapper.id_key_mapping
    return {keys[widget] for widget in state._query_param_bound_widget_ids if widget in keys}


def travel(page: str, parameters: Parameters) -> NoReturn:
    """Draw a page with exactly these parameters, whatever its controls hold; others get their defaults."""
    context = _context()
    # Streamlit lets the address decide for the controls of the first run alone; a page may draw some of them
    # later, and some read what they hold before they are drawn: what this page's own and the shared ones hold
    # is forgotten.
    elsewhere = tuple(own_prefix(name) for name in _pages() if name != page)
    for key in _bound():
        if not key.startswith(elsewhere) and key in st.session_state:
            del st.session_state[key]
    with context.session_state.query_params() as params:
        for widget in list(params._bindings_by_widget):
            params.unbind_widget(widget)
        params.from_dict(_without_embedding(parameters))
    # The new run throws away what has not been sent yet, and the browser must hear of its new address.
    with aside():
        time.sleep(2 * MESSAGE_FLUSH_INTERVAL_SECS)
    run_again(_pages()[page][0], is_history_navigation=True)
