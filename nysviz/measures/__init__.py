"""How far K̃ is from K: Frobenius, spectral and trace errors, exact or sampled, and the quantization error."""

from __future__ import annotations

from nysviz.measures.exact import Errors, errors
from nysviz.measures.matrix_norms import (
    SPECTRAL_TOLERANCE,
    Norms,
    frobenius,
    norms,
    residual,
    spectral_norm,
)
from nysviz.measures.quantization import quantization_error
from nysviz.measures.rows import (
    nuclear_norm_of_diagonals,
    residual_diagonal,
    row_errors,
    row_sums,
    sampled_rows,
)
from nysviz.measures.sampled import SAMPLED_ROWS, SampledErrors, sampled_errors

__all__ = [
    "SAMPLED_ROWS",
    "SPECTRAL_TOLERANCE",
    "Errors",
    "Norms",
    "SampledErrors",
    "errors",
    "frobenius",
    "norms",
    "nuclear_norm_of_diagonals",
    "quantization_error",
    "residual",
    "residual_diagonal",
    "row_errors",
    "row_sums",
    "sampled_errors",
    "sampled_rows",
    "spectral_norm",
]
