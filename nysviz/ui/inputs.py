"""Controls whose value stands in the address: each is bound to the parameter that its key names.

``options`` come with ``names``, what they are called: a mapping, a function, or nothing for their own text.
``first`` is the value before the control was moved, ``place`` where it is drawn, and what else is given goes
to Streamlit's control.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.ui import address

T = TypeVar("T")
Names = Mapping[Any, str] | Callable[[Any], str]

BOUND: dict[str, Any] = {"bind": "query-params"}


def method_label(method: str) -> str:
    """Name a method in words."""
    return METHODS[method].label


def _named(key: str, options: Iterable[Any], names: Names) -> Callable[[Any], str]:
    """Return what names the options; a link may have the options themselves, such as ``method=kmeans``."""
    name = names.__getitem__ if isinstance(names, Mapping) else names
    address.translate(key, {str(one): name(one) for one in options})
    return name


def keep_offered(key: str, offered: Iterable[Any]) -> list[Any]:
    """Let go of a held value that these options do not have; a number moves to the nearest."""
    options, held = list(offered), st.session_state.get(key)
    if held is None or held in options or (isinstance(held, list) and set(held) <= set(options)):
        return options
    if isinstance(held, list):
        st.session_state[key] = [one for one in held if one in options]
    elif isinstance(held, int | float):
        st.session_state[key] = min(options, key=lambda one: abs(one - held))
    else:
        del st.session_state[key]
    return options


def box(
    label: str,
    offered: Iterable[T],
    key: str,
    first: Any = None,
    names: Names = str,
    place: Any = st,
    **more: Any,
) -> T:
    """Choose one option from a box."""
    options = keep_offered(key, offered)
    index = options.index(first) if first in options else 0
    return place.selectbox(label, options, index, _named(key, options, names), key=key, **BOUND, **more)


def stops(
    label: str, offered: Iterable[T], key: str, first: T, names: Names = str, place: Any = st, **more: Any
) -> T:
    """Choose one option from a slider; a number ``first`` may lie between them."""
    options = keep_offered(key, offered)
    value: Any = first if first in options else min(options, key=lambda one: abs(one - first))
    if len(options) == 1:
        return value
    return place.select_slider(label, options, value, _named(key, options, names), key=key, **BOUND, **more)


def segments(label: str, offered: Iterable[T], key: str, names: Names = str, **more: Any) -> T:
    """Choose one option from buttons, of which one, at first the first, is always pressed."""
    options = list(offered)
    settings = {"format_func": _named(key, options, names), "required": True, "wrap": True, **BOUND, **more}
    chosen = st.segmented_control(label, options, default=options[0], key=key, **settings)
    return options[0] if chosen is None else chosen


def several(
    label: str, offered: Iterable[T], key: str, first: Iterable[T], names: Names = method_label, **more: Any
) -> tuple[T, ...]:
    """Choose any number of options from a box."""
    options = keep_offered(key, offered)
    default = [one for one in first if one in options]
    settings = {"format_func": _named(key, options, names), "wrap": False, **BOUND, **more}
    return tuple(st.multiselect(label, options, default, key=key, **settings))


def pills(label: str, offered: Iterable[T], key: str, names: Names = str, **more: Any) -> tuple[T, ...]:
    """Choose any number of options from buttons."""
    options = list(offered)
    settings = {"format_func": _named(key, options, names), "wrap": True, **BOUND, **more}
    return tuple(st.pills(label, options, selection_mode="multi", key=key, **settings) or ())


def number(label: str, low: Any, high: Any, first: Any, key: str, place: Any = st, **more: Any) -> Any:
    """Ask for a number."""
    return place.number_input(label, low, high, first, key=key, **BOUND, **more)


def drawer(kind: Callable[..., Any], label: str, key: str, draw: Callable[[], object], **more: Any) -> None:
    """Draw what stands behind a label, an expander's or a popover's, only while it is open.

    Inside a fragment the click that opens it draws that fragment alone.
    """
    place = kind(label, key=key, on_change="rerun", **more)
    if place.open:
        with place:
            draw()
