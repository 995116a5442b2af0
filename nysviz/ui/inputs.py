"""Controls whose value is a setting, named by their key, and so stands in the address.

``options`` come with ``names``: a mapping, a function, or nothing for their own text. A link has the name of
an option, or the option itself, such as ``method=kmeans``; ``texts`` writes it otherwise. ``first`` is the
value before the control was moved, ``place`` the place where it is drawn; other arguments go to Streamlit's
control.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.ui import settings
from nysviz.ui.doors import script_of
from nysviz.ui.watching import acting

T = TypeVar("T")
Names = Mapping[Any, str] | Callable[[Any], str]


def method_label(method: str) -> str:
    """Name a method in words."""
    return METHODS[method].label


def _named(names: Names) -> Callable[[Any], str]:
    return names.__getitem__ if isinstance(names, Mapping) else names


def _options_by_text(options: Iterable[Any], write: Callable[[Any], str]) -> dict[str, Any]:
    return {str(option): option for option in options} | {write(option): option for option in options}


def _settled_option(
    key: str, options: list[Any], first: Any, write: Callable[[Any], str], also: Mapping[str, Any]
) -> Any:
    """Return the option that the setting names; the nearest one for a number that is no longer offered."""
    setting = settings.get(key)
    if setting is None:
        return first
    value = setting.value
    # A text of ``also`` stays what it says, whatever number it stood for on another page.
    if not setting.is_read or setting.texts[-1] in also:
        by_text = _options_by_text(options, write) | dict(also)
        if setting.texts[-1] not in by_text:
            settings.refuse(key, write(first))
            return first
        value = by_text[setting.texts[-1]]
    if value not in options:
        numbers = isinstance(value, int | float) and all(
            isinstance(option, int | float) for option in options
        )
        value = min(options, key=lambda option: abs(option - value)) if numbers else first
    settings.hold(key, value, (write(value),), first)
    return value


def _settled_options(
    key: str, options: list[Any], first: list[Any], write: Callable[[Any], str]
) -> list[Any]:
    """Return the offered options that the setting names."""
    setting = settings.get(key)
    if setting is None:
        return first
    values = setting.value
    if not setting.is_read:
        by_text, texts = _options_by_text(options, write), [text for text in setting.texts if text]
        values = [by_text[text] for text in texts if text in by_text]
        if len(values) < len(texts):
            values = values or first
            settings.refuse(key, ", ".join(map(write, values)) or "nothing")
    values = [value for value in values if value in options]
    settings.hold(key, values, _texts(values, write), first)
    return values


def _texts(values: Iterable[Any], write: Callable[[Any], str]) -> tuple[str, ...]:
    # An address has no empty list: none of them is one empty text.
    return tuple(map(write, values)) or ("",)


def _draw(
    control: Callable[..., Any],
    key: str,
    value: Any,
    texts: Callable[[Any], tuple[str, ...]],
    options: Collection[Any] | None = None,
) -> Any:
    """Draw a control that shows a value and records its moves as the setting.

    The value is its default as well: if the page is drawn again before the browser has shown the control,
    the browser takes the default. A move to what is not among the ``options``, if there are any, is not
    recorded: the page was drawn with others while the visitor still saw the former ones.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value

    @acting
    def move() -> None:
        moved = st.session_state[key]
        chosen = moved if isinstance(moved, list) else [moved]
        if options is None or all(choice in options for choice in chosen):
            settings.move(key, moved, texts(moved))

    return control(key=key, on_change=move)


def _single_text(write: Callable[[Any], str]) -> Callable[[Any], tuple[str, ...]]:
    return lambda value: (write(value),)


def box(
    label: str,
    offered: Iterable[T],
    key: str,
    first: Any = None,
    names: Names = str,
    place: Any = st,
    texts: Callable[[Any], str] | None = None,
    **more: Any,
) -> T:
    """Choose one option from a box."""
    options, name = list(offered), _named(names)
    write = texts or name
    value = _settled_option(key, options, first if first in options else options[0], write, {})
    control = partial(place.selectbox, label, options, options.index(value), format_func=name, **more)
    return _draw(control, key, value, _single_text(write), options)


def held_stop(
    offered: Iterable[T], key: str, first: T, names: Names = str, also: Mapping[str, T] | None = None
) -> T:
    """Return the option of a slider that the setting names, without drawing it; arguments as of ``stops``."""
    options: list[Any] = list(offered)
    nearest = first if first in options else min(options, key=lambda option: abs(option - first))
    value: T = _settled_option(key, options, nearest, _named(names), also or {})
    return value


def stops(
    label: str,
    offered: Iterable[T],
    key: str,
    first: T,
    names: Names = str,
    place: Any = st,
    also: Mapping[str, T] | None = None,
    **more: Any,
) -> T:
    """Choose one option from a slider; a number ``first`` may lie between them.

    ``also`` has further texts of options in a link.
    """
    options, name = list(offered), _named(names)
    value = held_stop(options, key, first, names, also)
    if len(options) == 1:
        return value
    control = partial(place.select_slider, label, options, value, format_func=name, **more)
    return _draw(control, key, value, _single_text(name), options)


def segments(
    label: str, offered: Iterable[T], key: str, names: Names = str, first: Any = None, **more: Any
) -> T:
    """Choose one option from buttons, of which one is always pressed, by default the first."""
    options, name = list(offered), _named(names)
    default = first if first in options else options[0]
    value = _settled_option(key, options, default, name, {})
    look = {"default": value, "format_func": name, "required": True, "wrap": True, **more}
    control = partial(st.segmented_control, label, options, **look)
    chosen = _draw(control, key, value, _single_text(name), options)
    return default if chosen is None else chosen


def several(
    label: str, offered: Iterable[T], key: str, first: Iterable[T], names: Names = method_label, **more: Any
) -> tuple[T, ...]:
    """Choose any number of options from a box."""
    options, name = list(offered), _named(names)
    default = [option for option in first if option in options]
    values = _settled_options(key, options, default, name)
    look = {"format_func": name, "wrap": False, **more}
    control = partial(st.multiselect, label, options, values, **look)
    return tuple(_draw(control, key, values, partial(_texts, write=name), options))


def pills(label: str, offered: Iterable[T], key: str, names: Names = str, **more: Any) -> tuple[T, ...]:
    """Choose any number of options from buttons."""
    options, name = list(offered), _named(names)
    values = _settled_options(key, options, [], name)
    look = {"default": values, "format_func": name, "selection_mode": "multi", "wrap": True, **more}
    control = partial(st.pills, label, options, **look)
    return tuple(_draw(control, key, values, partial(_texts, write=name), options) or ())


def _number_text(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def _settled_number(key: str, low: Any, high: Any, first: Any) -> Any:
    """Return the number that the setting holds, within the limits."""
    setting = settings.get(key)
    if setting is None:
        return first
    value = setting.value
    low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
    if not setting.is_read:
        is_whole = isinstance(first if first is not None else low, int)
        try:
            value = float(setting.texts[-1])
            value = int(value) if is_whole and value.is_integer() else value
        except (ValueError, OverflowError):
            value = math.nan
        if not low <= value <= high or not math.isfinite(value) or is_whole is not isinstance(value, int):
            settings.refuse(key, _number_text(first) or "nothing")
            return first
    if value is not None:
        value = min(max(value, low), high)
    settings.hold(key, value, (_number_text(value),), first)
    return value


def number(label: str, low: Any, high: Any, first: Any, key: str, place: Any = st, **more: Any) -> Any:
    """Ask for a number."""
    value = _settled_number(key, low, high, first)
    control = partial(place.number_input, label, low, high, value, **more)
    return _draw(control, key, value, _single_text(_number_text))


def slider(label: str, low: T, high: T, first: T, key: str, **more: Any) -> T:
    """Choose a number from a slider."""
    value = _settled_number(key, low, high, first)
    return _draw(partial(st.slider, label, low, high, value, **more), key, value, _single_text(_number_text))


def switch(label: str, key: str, first: bool = False, control: Any = st.toggle, **more: Any) -> bool:
    """Choose yes or no."""
    value = _settled_option(key, [False, True], first, lambda on: str(on).lower(), {})
    return bool(
        _draw(partial(control, label, value, **more), key, value, _single_text(lambda on: str(on).lower()))
    )


def words(label: str, key: str, **more: Any) -> str:
    """Ask for a text."""
    value = settings.text(key)
    settings.hold(key, value, (value,), "")
    return str(_draw(partial(st.text_input, label, value, **more), key, value, lambda text: (text,)))


def page_link(label: str, page: str, parameters: settings.Parameters, **more: Any) -> None:
    """Draw a link to a page of the app in a state; other settings have their defaults."""
    st.page_link(script_of(page), label=label, query_params=settings.link_parameters(parameters), **more)


def drawer(kind: Callable[..., Any], label: str, key: str, draw: Callable[[], object], **more: Any) -> None:
    """Draw the content of an expander or a popover, only while it is open.

    Inside a fragment the click that opens it draws that fragment alone.
    """
    place = kind(label, key=key, on_change="rerun", **more)
    if place.open:
        with place:
            draw()
