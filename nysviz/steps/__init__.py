"""A method watched step by step: what it chose, out of what, and what that left."""

from nysviz.steps.record import Step, Trace
from nysviz.steps.tracing import STEPWISE, trace
