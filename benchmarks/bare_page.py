"""The smallest page that answers a slider with a chart: the floor for the times of the real pages."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

POINTS = 1_000

frequency = st.slider("Frequency", 1, 100, 1, key="frequency")
x = np.linspace(0.0, 1.0, POINTS)
line = go.Scatter(x=x, y=np.sin(2.0 * np.pi * frequency * x), name=f"frequency {frequency}")
st.plotly_chart(go.Figure(line), key="line")
