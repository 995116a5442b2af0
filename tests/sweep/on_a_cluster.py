"""Run the grid of test_grid.py on a local cluster of two workers, and print its records as CSV.

A program of its own: workers start by importing the program that started them. Called with "kill" it kills
one of them with the first record.
"""

import os
import signal
import sys

import dask
import distributed

from nysviz.sweep import run_jobs, tidy
from tests.sweep.test_grid import grid


def main(kill):
    """Print the process ids of the workers before, then after the run, and the records."""
    settings = {"dashboard_address": None, "host": "127.0.0.1", "threads_per_worker": 1, "silence_logs": 50}
    # A busy machine takes its time to start two more processes.
    patient = {"distributed.comm.timeouts.connect": "120s", "distributed.comm.timeouts.tcp": "120s"}
    records = []
    with (
        dask.config.set(patient),
        distributed.LocalCluster(n_workers=2, processes=True, **settings) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        before = list(client.run(os.getpid).values())
        for finished in run_jobs(grid(), executor):
            if kill and not records:
                os.kill(before[0], signal.SIGKILL)
            records += finished.records
        after = client.run(os.getpid).values()
    for workers in (before, after):
        sys.stdout.write(" ".join(map(str, workers)) + "\n")
    tidy(records).to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    main("kill" in sys.argv)
