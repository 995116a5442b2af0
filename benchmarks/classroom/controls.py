"""A control moved at random, as a hand moves it: what the browser then sends."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.classroom.screen import Content

# A slider is more often nudged than thrown.
NUDGE = 0.6
# A number field is moved by its buttons, so many presses at most.
PRESSES = 5
# The choice of data in the sidebar, and its option that needs a file.
DATA_KEY = "data"
NEEDS_FILE = "Your own file"


@dataclass(frozen=True)
class Move:
    """One change of one control."""

    label: str
    state: WidgetState
    fragment: str


def value_of(control: Content, held: WidgetState | None) -> Any:
    """Return what the control shows: the value that was set last, or its default."""
    if held is None:
        return _default(control.kind, control.message)
    found = getattr(held, held.WhichOneof("value") or "")
    return list(found.data) if hasattr(found, "data") else found


def set_by_server(control: Content) -> WidgetState | None:
    """Return the state that the server puts a control into, None for an empty one."""
    kind, message = control.kind, control.message
    value: Any
    if kind == "slider":
        value = list(message.raw_value if message.options else message.value)
    elif kind in ("selectbox", "radio"):
        value = message.raw_value if message.HasField("raw_value") else None
    elif kind in ("button_group", "multiselect"):
        value = list(message.raw_values)
    elif kind == "number_input":
        value = message.value if message.HasField("value") else None
    else:
        value = message.value
    return None if value is None else moved(control, value).state


def _default(kind: str, message: Any) -> Any:
    if kind == "slider":
        if message.options:
            return [message.options[int(place)] for place in message.default]
        return list(message.default)
    if kind in ("selectbox", "radio"):
        there = message.HasField("default") and message.options
        return message.options[message.default] if there else None
    if kind in ("button_group", "multiselect"):
        names = option_names(kind, message)
        return [names[place] for place in message.default]
    if kind == "number_input":
        return message.default if message.HasField("default") else None
    return message.default


def option_names(kind: str, message: Any) -> list[str]:
    """Return the options as they are sent."""
    if kind == "button_group":
        return [option.content for option in message.options]
    return list(message.options)


def move(control: Content, held: WidgetState | None, rng: random.Random) -> Move | None:
    """Move a control to another value within its range, or return None where there is none."""
    now = value_of(control, held)
    new: Any
    if control.kind == "slider":
        new = _slide(control.message, now, rng)
    elif control.kind == "number_input":
        new = _step(control.message, now, rng)
    elif control.kind == "checkbox":
        new = not now
    else:
        new = _pick(control, now, rng)
    return None if new is None or new == now else moved(control, new)


def moved(control: Content, value: Any) -> Move:
    """Write the change of a control to `value`."""
    message, state = control.message, WidgetState(id=control.message.id)
    if control.kind == "checkbox":
        state.bool_value = value
    elif control.kind == "number_input":
        state.double_value = value
    elif control.kind in ("selectbox", "radio"):
        state.string_value = value
    elif control.kind == "slider" and not message.options:
        state.double_array_value.data.extend(value)
    else:
        state.string_array_value.data.extend(value)
    return Move(message.label, state, control.fragment)


def _slide(message: Slider, now: Sequence[Any], rng: random.Random) -> list[Any] | None:
    if len(now) != 1 or message.data_type not in (Slider.INT, Slider.FLOAT):
        return None
    if message.options:
        place, stops = list(message.options).index(now[0]), len(message.options)
    else:
        stops = round((message.max - message.min) / message.step) + 1
        place = round((now[0] - message.min) / message.step)
    if stops < 2:
        return None
    near = [k for k in (place - 2, place - 1, place + 1, place + 2) if 0 <= k < stops]
    new = rng.choice(near) if rng.random() < NUDGE else rng.randrange(stops)
    return [message.options[new]] if message.options else [min(message.min + new * message.step, message.max)]


def _step(message: Any, now: float | None, rng: random.Random) -> float | None:
    if now is None or not message.step:
        return None
    new = now + rng.choice((-1, 1)) * rng.randint(1, PRESSES) * message.step
    if message.has_min:
        new = max(new, message.min)
    if message.has_max:
        new = min(new, message.max)
    return float(f"{new:.12g}")


def _pick(control: Content, now: Any, rng: random.Random) -> Any:
    message = control.message
    names = [name for name in option_names(control.kind, message) if name != NEEDS_FILE]
    if not names:
        return None
    name = rng.choice(names)
    if control.kind in ("selectbox", "radio"):
        return name
    if control.kind == "button_group" and message.click_mode == message.SINGLE_SELECT:
        return [name]
    # Several may be chosen: one is put in or taken out, the last one stays.
    others = [other for other in now if other != name]
    new = others if name in now else [*now, name]
    most = getattr(message, "max_selections", 0)
    return new if new and not (most and len(new) > most) else None
