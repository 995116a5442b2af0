"""Run the grid of test_grid.py on a local cluster, kill one of its two workers, and print the records.

A program of its own: workers start by importing the program that started them.
"""

import os
import signal
import sys

import dask
import distributed

from nysviz.sweep import run_jobs, sweep_jobs, tidy
from tests.sweep.test_grid import ALL, METHODS, MS, made


def main():
    """Kill a worker with the first record, then print what all records are in the end."""
    settings = {"dashboard_address": None, "host": "127.0.0.1", "threads_per_worker": 1}
    patient = {"distributed.comm.timeouts.connect": "120s", "distributed.comm.timeouts.tcp": "120s"}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(n_workers=2, processes=True, silence_logs=50, **settings) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        workers = client.run(os.getpid)
        jobs = sweep_jobs(made(), dict.fromkeys(METHODS, ()), MS, 4, 7, ALL)
        records, killed = [], None
        for finished in run_jobs(jobs, executor):
            if killed is None:
                killed = next(iter(workers.values()))
                os.kill(killed, signal.SIGKILL)
            records += finished.records
        left = client.run(os.getpid).values()
    sys.stdout.write(f"{killed} {killed in left} {len(jobs)}\n")
    tidy(records).to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    main()
