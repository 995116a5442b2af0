"""A method step by step: its choices, its candidates, and the residual after each."""

from nysviz.analysis.steps.gains import gains_of
from nysviz.analysis.steps.record import Trace, TracedStep
from nysviz.analysis.steps.tracing import STEPWISE, trace
