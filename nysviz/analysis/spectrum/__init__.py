"""Eigenvalues of the kernel matrix, their gaps and decay, and theorem 1's condition on the gap."""

from nysviz.analysis.spectrum.values import best_errors, factor_spectrum, gram_spectrum, spectrum
