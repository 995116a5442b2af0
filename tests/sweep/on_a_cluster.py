"""Run the grid of test_grid.py on a local cluster of two workers, and print its records as CSV.

A program of its own: workers start by importing the program that started them.
"""

import os
import sys

import dask
import distributed

from nysviz.sweep import run_jobs, sweep_jobs, tidy
from tests.sweep.test_grid import ALL, METHODS, MS, made


def main():
    """Print the process ids of the workers, then the records."""
    settings = {"dashboard_address": None, "host": "127.0.0.1", "threads_per_worker": 1}
    # A busy machine takes its time to start two more processes.
    patient = {"distributed.comm.timeouts.connect": "120s", "distributed.comm.timeouts.tcp": "120s"}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(n_workers=2, processes=True, **settings) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        jobs = sweep_jobs(made(), dict.fromkeys(METHODS, ()), MS, 2, 7, ALL)
        records = [record for finished in run_jobs(jobs, executor) for record in finished.records]
        workers = client.run(os.getpid).values()
    sys.stdout.write(" ".join(map(str, [os.getpid(), *workers])) + "\n")
    tidy(records).to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    main()
