"""Analysis of an approximation: eigenvalues, theorems, learners, traces, projections."""
