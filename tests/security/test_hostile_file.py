"""A file whose name, columns, labels and texts are hostile, sent as a visitor sends it, on every page."""

import pytest
from streamlit.testing.v1 import AppTest

from nysviz.papers.yang2012 import figure1
from tests.pages.driving import PAGES, VIEWS, settle, settled, unopened
from tests.pairing import quickly
from tests.security import hostile
from tests.security.sent import ActingError, check

PAGES = sorted(file.stem for file in PAGES.glob("*.py"))
# Pages that show no data of the visitor's.
WITHOUT_DATA = ("home", "lessons", "claims", "findings", "playground", "two_balls")
ALL_VIEWS = {page: (page, {}) for page in PAGES} | VIEWS | {"two_balls": ("two_balls", {"balls_n": "500"})}


# A page of two classes shows the first two: those that most would go wrong with.
LABELS = (hostile.SCRIPT, hostile.TEX, hostile.IMAGE, hostile.LINK, hostile.PICTURE, hostile.COLOUR)


@pytest.mark.parametrize("view", quickly(("data", "approximate"), ALL_VIEWS))
def test_nothing_of_the_file_acts_on_any_page(view, monkeypatch):
    # The trials of two balls, which has no file, are no part of this.
    monkeypatch.setattr(figure1, "TRIALS", 2)
    page, link = ALL_VIEWS[view]
    at = settle(unopened(page, {"data": "Your own file", **link}))
    if page in WITHOUT_DATA:
        assert all(uploader.key != "own_upload" for uploader in at.get("file_uploader"))
        return
    # The texts of the last column but one are kept as features: their words become names of columns.
    content = hostile.csv_file(labels=LABELS)
    at.file_uploader(key="own_upload").set_value((hostile.FILE_NAME, content, "text/csv"))
    settled(at)
    seen = check(at, hostile.MARK, hostile.ACTS)
    at.multiselect(key="own_choice_encode").set_value([hostile.WORDS[-2]])
    settle(at)
    seen += check(at, hostile.MARK, hostile.ACTS)
    at.button(key="own_use").click()
    settled(at)
    assert at.session_state["own_data"].name
    seen += check(at, hostile.MARK, hostile.ACTS)
    assert "Markdown.body" in seen and len(set(seen)) > 2


def shown(word, how):
    import plotly.graph_objects as go
    import streamlit as st

    if how == "chart":
        st.plotly_chart(go.Figure(layout={"title": {"text": word}}))
    elif how == "html":
        st.html(f"<p>{word}</p>")
    else:
        st.markdown(f"The column {word} is constant.")


@pytest.mark.parametrize(
    "word, how",
    [
        *((word, "markdown") for word in hostile.WORDS[:-1]),
        *((word, "chart") for word in (hostile.SCRIPT, hostile.IMAGE, hostile.TEX)),
        *((word, "html") for word in (hostile.SCRIPT, hostile.IMAGE)),
    ],
)
def test_the_check_notices_words_that_are_not_escaped(word, how):
    with pytest.raises(ActingError):
        check(AppTest.from_function(shown, args=(word, how)).run(), hostile.MARK, hostile.ACTS)
