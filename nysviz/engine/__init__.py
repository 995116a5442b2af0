"""The engine behind the app: each result computed once, in turns of the sessions that wait for it.

It knows tasks and not pages. Its back ends are this process's threads and, for long runs, a Dask cluster.
"""

from nysviz.engine.engine import Engine
from nysviz.engine.runs import Run
from nysviz.engine.task import NobodyWaits, Task, has_lapsed
