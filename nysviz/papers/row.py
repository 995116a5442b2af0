"""One measured number of an experiment, as ``reproduce`` writes it."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from nysviz.sweep import Job, Record, run_jobs


@dataclass(frozen=True, slots=True)
class Row:
    """A tidy row: which run, which measure, its value; seconds are NaN where they were not taken."""

    experiment: str
    data: str
    n: int
    d: int
    method: str
    m: int
    repeat: int
    measure: str
    value: float
    seconds: float = math.nan


def rows(head: tuple[Any, ...], values: Mapping[str, float], seconds: float = math.nan) -> Iterator[Row]:
    """Yield a row for each measure of one run; ``head`` are a row's fields up to the repeat."""
    for measure, value in values.items():
        yield Row(*(*head, measure, float(value), seconds))


def rows_of(
    experiment: str,
    jobs: Iterable[Job],
    *measures: str,
    name: Callable[[Record], str] = lambda record: record.method,
    executor: Executor | None = None,
) -> Iterator[Row]:
    """Run jobs and yield a row for each of these measures; ``name`` says what the rows call the method."""
    for finished in run_jobs(jobs, executor):
        for r in finished.records:
            found = {measure: r.values[measure] for measure in measures if measure in r.values}
            yield from rows((experiment, r.data, r.n, r.d, name(r), r.m, r.repeat), found, r.seconds)


def set_of(data: str) -> str:
    """What a row calls its data without the setting that follows an @."""
    return data.partition("@")[0]


def catalog_name(data: str) -> str:
    """Name in the catalog of a row's data: "usps 1-7" and "elevators@gamma=0.01" have one."""
    return set_of(data).partition(" ")[0]
