"""Which method and how many landmarks for my data?"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.recommend import result, view
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """First all methods on parts of the rows, then the first ones on all rows, then other bandwidths."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    seconds, widths = st.columns(2, gap="medium")
    asked = None
    with right, page.sentences():
        asked = view.controls(scene)
    if asked is None:
        return
    table, links = right.container(), right.container()
    first, second, third = result.runs(scene, asked)
    rest = at_rest(second or first)
    known = third.records() if third is not None and third.done else None

    def draw(records: Sequence[Any], _: object = None) -> None:
        found = result.recommendation(asked, first.records(), records if second else (), known or ())
        answer.markdown(page.unbroken(result.answer(found)))
        table.html(result.table(found))
        view.draw_errors(scene, found)

    with left:
        follow(second or first, draw, "On all rows" if second else "Methods")
    found = result.recommendation(asked, first.records(), second.records() if second else (), known or ())
    if at_rest(first):
        with seconds:
            view.draw_seconds(found)
    if third is not None:
        with widths:
            follow(third, partial(view.draw_widths, scene, found), "Bandwidths")
    if (at_rest(second or first) and not rest) or (third is not None and third.done and known is None):
        # Something was over while it was drawn: what follows from it is next.
        st.rerun()
    if not rest:
        return
    with links:
        view.offer(scene, found)
    if code := result.pipeline(scene, found):
        st.caption("In scikit-learn:")
        st.code(code, language=None)  # the colours of Python here are too pale to be read
    cells = [result.cells(one, found.asked.n, found.asked.target) for one in found.candidates]
    with st.expander("All candidates"):
        st.table(cells, border="horizontal", hide_index=True)
    rows = partial(result.rows, scene, found, first.records())
    page.closing("recommend", result.python(scene, found), rows)


page.open_page("Which method and how many landmarks for my data?")
live(shared_sidebar())
