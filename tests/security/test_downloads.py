"""What leaves a page about a hostile file: charts that run nothing, under a plain name."""

import re

import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from nysviz.figures.look import DARK, Sheet, frame
from nysviz.figures.standalone import POLICY, standalone
from nysviz.ui import downloads
from tests.security.hostile import FILE_NAME, MARK, SCRIPT, WORDS


def test_the_name_of_a_file_has_nothing_of_a_path_or_a_tag():
    name = downloads.file_name(downloads.PageContent("learning", FILE_NAME), "../../x", SCRIPT)
    assert re.fullmatch(r"[a-z0-9_-]{1,200}", name)


@pytest.mark.parametrize("word", WORDS)
def test_words_cannot_end_the_script_they_stand_in(word):
    hostile = f"</script>{word}"
    document = standalone(go.Figure(layout={"title": {"text": hostile}}), "chart")
    own = document[document.rindex("Plotly.newPlot") :]
    assert own.count("</script>") == 1
    assert "<" not in re.search(r"<title>(.*?)</title>", document, re.S)[1] and MARK in document


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
