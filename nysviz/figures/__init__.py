"""Charts: results in, plotly figures out; nothing is computed here, and no page is known."""
