"""A method watched step by step: what it chose, out of what, and what that left."""

from nysviz.analysis.steps.gains import gains_of
from nysviz.analysis.steps.record import Step, Trace
from nysviz.analysis.steps.tracing import STEPWISE, trace
