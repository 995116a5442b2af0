"""What leaves a page about a hostile file: charts that run nothing under a plain name."""

import json
import re

import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from nysviz.figures.look import DARK, Sheet, frame, inert
from nysviz.figures.standalone import POLICY, standalone
from nysviz.ui import downloads
from tests.pages.driving import settle
from tests.security.hostile import MARK, SCRIPT, WORDS, csv_file
from tests.security.sent import tags
from tests.security.test_hostile_file import opened, send


@pytest.fixture(scope="module")
def page():
    at = opened("learning", learning_repeats="5")
    send(at, csv_file(), "mine.csv")
    at.button(key="own_use").click()
    return settle(at)


def test_the_name_of_the_file_has_nothing_of_a_path_or_a_tag(page):
    name = downloads.file_name(page.session_state[downloads.KEY], "../../x", SCRIPT)
    assert re.fullmatch(r"[a-z0-9_-]{1,200}", name)


def test_the_charts_of_the_page_are_inert_as_files(page):
    charts = page.session_state[downloads.KEY].charts
    assert charts
    for _, figure in charts.values():
        document = standalone(figure, "chart")
        _, _, after = document.partition("</head>")
        head = document[: document.index("</head>")]
        assert "default-src 'none'" in head and not [tag for tag in tags(head) if MARK in tag]
        # Behind the library stands the figure as JSON: no tag of the file's words may end the script.
        own = after[after.rindex("Plotly.newPlot") :] if "Plotly.newPlot" in after else after
        assert f"<script>alert('{MARK}" not in own and f"<img src=http://{MARK}" not in own


@pytest.mark.parametrize("word", WORDS)
def test_words_cannot_end_the_script_they_stand_in(word):
    hostile = f"</script>{word}"
    document = standalone(go.Figure(layout={"title": {"text": hostile}}), "chart")
    own = document[document.rindex("Plotly.newPlot") :]
    assert own.count("</script>") == 1
    title = re.search(r"<title>(.*?)</title>", document, re.S)[1]
    assert "<" not in title
    assert json.dumps(inert(hostile)) and MARK in document


def test_a_chart_file_holds_all_that_it_needs_and_fetches_nothing():
    figure = frame([go.Scatter(x=[1, 2], y=[3, 4])], Sheet(DARK, "What is seen", "of which data"), 300)
    text = standalone(figure, "nysviz-page-data")
    own = text.replace(get_plotlyjs(), "")
    assert len(own) < len(text) / 10 and get_plotlyjs() in text
    # The chart library's own text apart, no address is left; and the policy forbids what it might ask for.
    assert re.findall(r"(?:https?:)?//[\w.]+\.\w+", own) == []
    assert f'content="{POLICY}"' in own and "default-src 'none'" in POLICY and "http" not in POLICY
    assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=", own)
    assert "<title>What is seen</title>" in own and f"background: {DARK.ground}" in own
    assert '"format": "png"' in own and '"filename": "nysviz-page-data"' in own
