"""The papers' guarantees for an approximation, to be compared with measured errors."""

from nysviz.analysis.bounds.property_eight import (
    Quadruple,
    change_ratio,
    derived_constant,
    printed_constant,
    violating_quadruple,
)
from nysviz.analysis.bounds.zhang import (
    Encoding,
    ErrorBound,
    ProofStep,
    encode,
    entry_errors,
    error_and_worst_entry,
    error_bound,
    ladder,
    why_no_guarantee,
)
