"""Two visitors who ask for too much: one holds an arrow key, the other starts the largest sweep."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from benchmarks.classroom.controls import moved, option_names, value_of
from benchmarks.classroom.screen import Content
from benchmarks.classroom.session import Session
from benchmarks.classroom.student import PATIENCE_SECONDS, until_over

# As a held key repeats.
KEY_SECONDS = 0.05
# The page whose controls ask for most, on the most rows of which it still computes every entry of K.
DATA = {"data": "Pieces of a photograph: a temple in China", "china_patches_n": "5000"}
KEY_PAGE, KEY_CONTROL = "approximate", "bandwidth"
# Every method, the most repeats, the most landmarks.
SWEEP_PAGE, SWEEP_METHODS = "compare", "compare_methods"
SWEEP = {"compare_up_to": "50 %", "compare_repeats": "50"}
SEED = "seed"
# The sweep begins anew with another seed.
SWEEP_SECONDS = 60.0


def control_of(session: Session, key: str) -> Content | None:
    """Return the control with this name in the URL, None while it is not on the page."""
    found = (one for one in session.screen.controls() if one.key == key)
    return next(found, None)


async def _ready(session: Session, key: str) -> None:
    while control_of(session, key) is None:
        if session.gone:
            raise RuntimeError(f"The control {key!r} does not come: the session has ended.")
        await session.news(PATIENCE_SECONDS)


async def hold_a_key(session: Session) -> None:
    """Move a slider one stop every 50 milliseconds, up and down, whatever comes back."""
    try:
        await session.open(KEY_PAGE, urlencode(DATA))
        await _ready(session, KEY_CONTROL)
        way = 1
        while not session.gone:
            await asyncio.sleep(KEY_SECONDS)
            control = control_of(session, KEY_CONTROL)
            if control is None:
                continue
            stops = option_names("slider", control.message)
            place = stops.index(value_of(control, session.held.get(control.message.id))[0])
            way = way if 0 <= place + way < len(stops) else -way
            await session.turn(moved(control, [stops[place + way]]))
    finally:
        await session.close()


async def sweep_on_and_on(session: Session) -> None:
    """Compare all methods with the most runs, again and again with another seed."""
    try:
        await session.open(SWEEP_PAGE, urlencode({**DATA, **SWEEP}))
        await _ready(session, SWEEP_METHODS)
        seed = 0
        while not session.gone:
            methods = control_of(session, SWEEP_METHODS)
            if methods is not None:
                all_of_them = option_names("multiselect", methods.message)
                request = await session.turn(moved(methods, all_of_them))
                await until_over(session, request, SWEEP_SECONDS)
            await _ready(session, SEED)
            seed, field = seed + 1, control_of(session, SEED)
            if field is not None:
                await session.turn(moved(field, float(seed)))
    finally:
        await session.close()
