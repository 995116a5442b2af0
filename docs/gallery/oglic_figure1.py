"""Lift by bandwidth: Oglic and Gärtner 2017, figure 1, on breast_cancer at rank 100"""

import pandas as pd

import nysviz as nv
from nysviz.papers.records import file_of

rows = pd.read_csv(file_of("oglic-fig1"))
rows = rows[rows.data.str.startswith("breast_cancer@") & rows.method.isin(nv.METHODS)]
gamma = rows.data.str.extract(r"gamma=([\d.e-]+)$").astype(float)
runs = rows.assign(gamma=gamma)
runs = runs.pivot_table(index=["method", "repeat"], columns="gamma", values="value")
errors = {method: part.to_numpy() for method, part in runs.groupby(level="method")}
figure = nv.plot.lift(runs.columns, errors, "gamma")
