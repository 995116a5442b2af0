"""What the papers guarantee of an approximation, to be set beside what is measured."""

from nysviz.bounds.ladder import Step, ladder, left_and_worst
from nysviz.bounds.property_eight import (
    Quadruple,
    change_ratio,
    derived_constant,
    printed_constant,
    violating_quadruple,
)
from nysviz.bounds.zhang import Encoding, ErrorBound, encode, entry_errors, error_bound
