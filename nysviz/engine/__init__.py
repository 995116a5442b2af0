"""The engine behind the app: computes each result once, and shares its time fairly among sessions.

It knows tasks and not pages. Its back ends are this process's threads and, for long runs, a Dask cluster.
"""

from nysviz.engine.engine import Engine
from nysviz.engine.runs import Run
from nysviz.engine.task import NobodyWaits, Task, has_lapsed
