"""Errors of K̃: Frobenius, spectral and trace norm, exact or estimated; and the quantization error."""

from nysviz.nystroem.measures.exact import Errors, errors
from nysviz.nystroem.measures.leave_one_out import LeaveOneOut, leave_one_out
from nysviz.nystroem.measures.matrix_norms import Norms, frobenius, norms, residual, spectral_norm
from nysviz.nystroem.measures.rows import (
    nuclear_norm_of_diagonals,
    quantization_error,
    residual_diagonal,
    row_errors,
    row_sums,
    sampled_rows,
)
from nysviz.nystroem.measures.sampled import SAMPLED_ROWS, SampledErrors, sampled_errors
