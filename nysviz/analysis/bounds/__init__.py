"""What the papers guarantee of an approximation, to be set beside what is measured."""

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
    Step,
    encode,
    entry_errors,
    error_bound,
    ladder,
    left_and_worst,
    why_no_guarantee,
)
