"""Which method and how many landmarks for my data?"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from nysviz.advice import Recommendation
from nysviz.sweep import Progress
from nysviz.ui import page
from nysviz.ui.recommend import onward, parts, pictures, words
from nysviz.ui.recommend import rows as recommend_rows
from nysviz.ui.recommend.reasons import reasons
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import at_rest


@st.fragment
def live(scene: Scene) -> None:
    """First all methods on parts of the rows, then the first ones on all rows, then other bandwidths."""
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    seconds, widths = st.columns(2, gap="medium")
    below = st.container()
    with right, page.sentences():
        asked = parts.ask(scene)
        table, links = st.container(), st.container()
        if asked is None:
            left.info("Choose a method on the right.", icon=":material/touch_app:")
            return
        first = parts.screening(scene, asked)
        second = parts.verifying(scene, asked, first.records()) if first.done and first.records() else None

        def draw(tried: Sequence[Any], more: Sequence[Any]) -> None:
            found = parts.recommendation(asked, tried, more)
            answer.markdown(page.unbroken(words.answer(found)))
            table.html(words.table(found))
            pictures.draw_errors(scene, found)

        def draw_first(records: Sequence[Any], progress: Progress) -> None:
            draw(records, ())

        def draw_second(records: Sequence[Any], progress: Progress) -> None:
            draw(first.records(), records)

        with left:
            if second is None:
                follow(first, draw_first, "Methods")
                if first.done and first.records():
                    # It was over while it was drawn: the runs on all rows are next.
                    st.rerun()
            else:
                follow(second, draw_second, "On all rows")
        found = parts.recommendation(asked, first.records(), second.records() if second else ())
        if at_rest(first):
            with seconds:
                pictures.draw_seconds(found)
        if not at_rest(second or first):
            return
        if first.done:
            # Who has stopped the first runs does not wait for these.
            with widths:
                found = other_bandwidths(scene, asked, found)
        with links:
            onward.offer(scene, found)
        with below:
            end(scene, found, first.records())


def other_bandwidths(scene: Scene, asked: parts.Asked, found: Recommendation) -> Recommendation:
    """Follow the run of the bandwidths, for a kernel that has one; return the answer with what it found."""
    run = parts.widening(scene, asked)

    def draw(records: Sequence[Any], progress: Progress) -> None:
        pictures.draw_widths(scene, parts.with_widths(found, records))

    follow(run, draw, "Bandwidths")
    return parts.with_widths(found, run.records())


def end(scene: Scene, found: Recommendation, tried: Sequence[Any]) -> None:
    """All candidates with their reasons, what was seen, the maths, the script, the source."""
    st.html(reasons(found))
    seen = words.seen(scene, found, list(tried))
    rows = partial(recommend_rows.rows, scene, found, tried)
    page.closing(seen, words.MATHS, recommend_rows.python(scene, found), words.SOURCE, rows)


page.open_page("Which method and how many landmarks for my data?")
live(shared_sidebar())
