"""A chart as a file: it holds all that it needs and fetches nothing."""

import re

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from nysviz.figures.look import DARK, frame
from nysviz.figures.standalone import POLICY, standalone


def test_a_chart_file_holds_all_that_it_needs_and_fetches_nothing():
    figure = frame([go.Scatter(x=[1, 2], y=[3, 4])], DARK, "What is seen", "of which data", 300)
    text = standalone(figure, "nysviz-page-data")
    own = text.replace(get_plotlyjs(), "")
    assert len(own) < len(text) / 10 and get_plotlyjs() in text
    # The chart library's own text apart, no address is left; and the policy forbids what it might ask for.
    assert re.findall(r"(?:https?:)?//[\w.]+\.\w+", own) == []
    assert f'content="{POLICY}"' in own and "default-src 'none'" in POLICY and "http" not in POLICY
    assert not re.search(r"<(?:script|link|img)[^>]*(?:src|href)=", own)
    assert "<title>What is seen</title>" in own and f"background: {DARK.ground}" in own
    assert '"format": "png"' in own and '"filename": "nysviz-page-data"' in own
