"""What follows from an approximation: eigenvalues, theorems, learners, traces, projections."""
