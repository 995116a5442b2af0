"""Code that a fresh server loads before it is needed, or before time is taken."""

import threading
import time

from nysviz.engine.queue import give_way
from nysviz.faults import failure
from nysviz.studies.matrices import load_loops

# Pages of a fresh server are drawn before it loads code that only later pages need.
WARM_SECONDS = 3.0


def warm() -> None:
    """Load the jitted loops, or compile them, once the first visitor has a page to look at."""
    time.sleep(WARM_SECONDS)
    give_way(threading.get_native_id())
    # The page Data needs it, and it takes a second.
    import sklearn.metrics  # noqa: F401

    try:
        for method in ("kmeans", "rpcholesky", "greedy", "partition_greedy", "sgma", "dpp"):
            load_loops(method)
    except ValueError as error:
        # No visitor waits for this; one who asks for the same sees the reason.
        failure("the loops were not loaded in advance", error)
