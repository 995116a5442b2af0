"""The engine behind the app: each result computed once, in turns of the sessions that wait for it.

It knows tasks and not pages. Its back ends are the threads of this process and, for runs of many jobs, a Dask
cluster.
"""

from nysviz.engine.engine import Engine as Engine
from nysviz.engine.runs import Run as Run
from nysviz.engine.runs import Runs as Runs
from nysviz.engine.task import NobodyWaits as NobodyWaits
from nysviz.engine.task import Task as Task
from nysviz.engine.task import has_lapsed as has_lapsed
