"""A method watched step by step: what it chose, out of what, and what that left.

The method itself chooses: ``trace`` runs the registry's own ``select`` and works out, from its picks and from
the random numbers that it drew, the criterion that each choice was made by.
"""

from nysviz.steps.record import Step, Trace
from nysviz.steps.tracing import STEPWISE, trace
