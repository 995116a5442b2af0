"""How fast do the eigenvalues fall, and where is the gap?"""

from concurrent.futures import Future

import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.ui import computing, page
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.spectrum import computing as results
from nysviz.ui.spectrum import parts, words


@st.fragment
def live(scene: Scene) -> None:
    """The spectra first; what takes longer fills in when it is there."""
    answer = st.empty()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        choice = parts.choose(scene)
        table = st.empty()
    bandwidths, theorems = st.columns([0.5, 0.5], gap="medium")
    # It stays so where a sentence ends the drawing.
    reading: results.Reading | None = None
    with left, page.sentences():
        exact = results.eigenvalues_later(scene)
        asked = parts.ask_for(scene, choice)
        distances_later = results.distances_later(scene)
        frames = results.frames_later(scene)
        page.ready(exact, page.ANSWER_SECONDS)
        curves, missing = parts.found_of(scene, choice, asked)
        reading = results.read(scene, exact.result(), choice.ridge) if exact.done() else None
        parts.draw_main(scene, choice, reading, curves)
        if missing:
            parts.wait_for_missing(scene, choice, asked, missing)
        if reading is None:
            seconds = computing.decomposition_seconds(results.rows_behind(scene))
            page.wait_for(exact, "All eigenvalues of K", seconds)
    if reading is None:
        return
    answer.markdown(page.unbroken(words.answer(scene, reading)))
    if reading.gap is None:
        return
    distances = distances_later.result() if page.ready(distances_later) else None
    table.html(words.numbers(scene, choice, reading, distances))
    with bandwidths, page.sentences():
        draw_bandwidths(scene, choice, frames)
    with theorems, page.sentences():
        parts.draw_condition(scene, reading, distances)
        if distances is None:
            page.wait_for(distances_later, f"{results.DRAWS} samples", results.distances_seconds(scene))
        else:
            parts.draw_distances(scene, distances)
    words.close(scene, choice, reading, curves, distances)


def draw_bandwidths(scene: Scene, choice: parts.Choice, frames: list[Future[FloatArray]]) -> None:
    """The frames once all of them are there, before that how many are."""
    if not frames:
        st.caption("This kernel has no bandwidth to move.")
    elif all(frame.done() for frame in frames):
        parts.draw_frames(scene, choice, [frame.result() for frame in frames])
    else:
        rows = min(scene.data.n, results.FRAME_ROWS)
        seconds = len(frames) * computing.decomposition_seconds(rows)
        page.wait_for(frames[-1], f"Spectra at {len(frames)} bandwidths", seconds)


page.open_page("How fast do the eigenvalues fall, and where is the gap?")
live(shared_sidebar())
