"""A grid of runs on any executor: records come as they finish."""

from nysviz.sweep.grid import cost_jobs, jobs_of, sweep, sweep_jobs
from nysviz.sweep.jobs import Clock, Finished, Job, Progress, finish_jobs, run_jobs
from nysviz.sweep.problem import Problem, Record, tidy
