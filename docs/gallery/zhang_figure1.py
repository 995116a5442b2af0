"""Error against the number of landmarks: Zhang, Tsang and Kwok 2008, figure 1, on german"""

import pandas as pd

import nysviz as nv
from nysviz.papers.records import file_of

rows = pd.read_csv(file_of("zhang-fig1")).query("data == 'german' and method != 'svd'")
runs = rows.pivot_table(index=["method", "repeat"], columns="m", values="value")
errors = {method: part.to_numpy() for method, part in runs.groupby(level="method")}
figure = nv.plot.error_curves(runs.columns, errors)
