"""A bare page that shows ready-made charts, of two sets in turn: what Streamlit and the browser take."""

import json
import os
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st


@st.cache_resource
def figures() -> list[list[go.Figure]]:
    """Return both sets of charts."""
    read = json.loads(Path(os.environ["NYSVIZ_FIGURES"]).read_text())
    return [[go.Figure(one, skip_invalid=True) for one in charts] for charts in read]


st.set_page_config(layout="wide")
which = st.slider("Which", 0, 100, 0, key="which")
for i, figure in enumerate(figures()[which % 2]):
    st.plotly_chart(figure, key=f"chart_{i}", theme=None)
