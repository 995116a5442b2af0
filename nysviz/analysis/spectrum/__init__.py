"""Eigenvalues of the kernel matrix, what they say, and what theory makes of their gap."""

from nysviz.analysis.spectrum.values import best_errors, factor_spectrum, gram_spectrum, spectrum
