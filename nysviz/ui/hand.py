"""The slider below a page's picture, which is dragged in the browser: its frames, and its release."""

import json
from collections.abc import Callable, Collection, Mapping
from functools import partial

import streamlit as st

from nysviz.studies.frames import multiples_of
from nysviz.studies.matrices import MOST_LANDMARKS
from nysviz.studies.scene import Scene
from nysviz.studies.stops import Stops, StudyFrame
from nysviz.ui import settings
from nysviz.ui.asking import sentences
from nysviz.ui.bandwidth import bandwidth_text
from nysviz.ui.components import component, source
from nysviz.ui.controls import stop_text
from nysviz.ui.running import show_progress, watch
from nysviz.ui.watching import acting, part, touch_page

LABEL = "Frames for the slider"
# Frames that are there within this time are sent at once.
PATIENCE_SECONDS = 0.6
# It draws frames over the charts whose ``layout.meta`` has its token.
_slider = component("hand", "canvas", "traces", "approximate")
# Requests missing frames and receives them; the session keys of the request.
_asking = st.components.v2.component("nysviz_wanted", js=source("canvas.js") + source("wanted.js"))
WANTED, ASKED, LACKED = "hand_wanted", "hand_asked", "hand_lacked"

# What is done where the slider is let go: given what it moves and the value, of which a browser may send any.
Release = Callable[[object, object], None]
# Returns the frames of stops by their names, as the browser reads them.
FramesOf = Callable[[Collection[str]], list[Mapping[str, object]]]


def draw_slider(page: str, data: Mapping[str, object], release: Release) -> None:
    """Draw the slider of a page from what ``Hand.slider`` or ``Stops.slider`` says of it."""
    key = f"{page}_hand"
    _slider(key=key, data=data, on_released_change=acting(partial(_let_go, key, release)))


def _let_go(key: str, release: Release) -> None:
    match st.session_state.get(key, {}).get("released"):
        case {"along": along, "value": value}:
            release(along, value)


def is_asked(token: str) -> bool:
    """Whether the browser has asked for the frames of this token.

    It asks once the pointer is near the slider and the page has been still for a moment. Frames cost many
    times the work of the page, so pages whose slider nobody drags compute none; and frames after each of many
    keystrokes would put the browser 500 messages behind, where Streamlit cuts it off.
    """
    return bool(st.session_state.get(ASKED) == token)


def send(token: str, stops: Collection[str], words: Mapping[str, object], frames: FramesOf) -> None:
    """Send what the page says at these stops, and of their frames those that the browser has asked for."""
    match st.session_state.pop(LACKED, None):
        case str(asked), list(known) if asked == token:
            sent = frames([stop for stop in stops if stop not in known])
        case _:
            sent = []
    data = {"token": token, "asked": is_asked(token), "count": len(stops), "words": words, "frames": sent}
    # As bytes: an object is written as JSON twice, once for its name alone.
    _asking(key=WANTED, data=json.dumps(data).encode(), on_wanted_change=acting(_ask))


def _ask() -> None:
    # It may come from a page that has been left.
    match st.session_state.get(WANTED, {}).get("wanted"):
        case {"token": str(token), "has": list(known)}:
            st.session_state[ASKED], st.session_state[LACKED] = token, (token, known)


def release_bandwidth(scene: Scene, along: object, value: object) -> None:
    """Take over the multiple of the default width at which a slider over σ was let go."""
    match along, value:
        case "σ", int(multiple) | float(multiple) if multiple in multiples_of(scene):
            settings.move("bandwidth", float(multiple), (bandwidth_text(float(multiple)),))
            touch_page()  # the sidebar has its control


def release_count(n: int, along: object, value: object) -> None:
    """Take over the m of n rows at which a slider over m was let go."""
    match along, value:
        case "m", int(m) if 1 <= m <= min(n, MOST_LANDMARKS):
            settings.put("ratio", stop_text(n, m))


@part
def follow(stops: Stops) -> None:
    """Send the frames of a study that there are, in a part that draws no chart again for them."""
    frames: Mapping[str, StudyFrame] = {}
    if is_asked(stops.token):
        with sentences():
            run = stops.begin()
            watched = watch(run, beside=True, patience=PATIENCE_SECONDS)
            frames = stops.by_stop(run.records())
            show_progress(run, LABEL, watched)
    send(stops.token, frames, stops.words(frames), partial(stops.sent_frames, frames))
