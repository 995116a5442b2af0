"""A grid of runs on any executor: records come as they finish; what was stopped goes on where it stopped."""

from nysviz.sweep.grid import cost_jobs, jobs_of, sweep, sweep_jobs
from nysviz.sweep.jobs import Finished, Job, Progress, run_jobs
from nysviz.sweep.problem import Problem, Record, tidy
