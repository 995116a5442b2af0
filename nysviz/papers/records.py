"""Measured numbers as tidy rows: of a run, as text, recorded on disk, one file an experiment, and asked."""

import csv
import gzip
import io
import json
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property
from itertools import chain
from operator import attrgetter
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import numpy as np

from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.papers.output import mean_text, replace
from nysviz.refusal import Refusal
from nysviz.root import ROOT
from nysviz.sweep import Job, Record, run_jobs
from nysviz.text import counted


class Row(NamedTuple):
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


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV, sorted, so that the order in which runs finished leaves no trace."""
    import pandas as pd

    order = sorted(rows, key=lambda row: (row.data, row.method, row.m, row.repeat, row.measure))
    return pd.DataFrame(order).to_csv(index=False, na_rep="nan", lineterminator="\n")


def pivot(rows: Sequence[Row], measure: str, field: str = "value") -> str:
    """Return means ± deviations as text, a line for each data set and m; empty without the measure."""
    import pandas as pd

    frame = pd.DataFrame([row for row in rows if row.measure == measure])
    if frame.empty:
        return ""
    cells = frame.groupby(["data", "m", "method"])[field].agg(mean_text).unstack("method", "–")
    data = list(dict.fromkeys(row.data for row in rows))
    order = sorted(cells.index, key=lambda cell: (data.index(cell[0]), cell[1]))
    title = measure if field == "value" else field
    return f"{title}\n{cells.loc[order].reset_index().to_string(index=False)}\n"


FOLDER = ROOT / "datasets" / "reproduced"
# How the runs were made: version, date, seed, repeats and what was left out, by experiment.
ORIGIN = "origin.json"
# The name of the file says which experiment its rows are of, the origin what n and d its data sets have.
COLUMNS = tuple(name for name in Row._fields if name not in ("experiment", "n", "d"))
# What is kept of a value, and of the seconds, which no two runs have alike.
DIGITS, SECONDS_DIGITS = 5, 3
# Experiments whose file is compressed for its size, with fewer digits but of the measures named here,
# of which close values must stay apart.
PACKED = {
    "tournament": ("relative_frobenius",),
    "oglic-fig1": ("relative_frobenius",),
    "oglic-fig3": ("relative_frobenius",),
    "oglic-rows": ("relative_frobenius",),
    "newer-columns": (),
}

# Data set and m, then method.
Cell = tuple[str, int]
Cells = dict[Cell, dict[str, FloatArray]]
# Name, time of change and size of the recorded files: their content.
Stamp = tuple[tuple[str, int, int], ...]


class Series(NamedTuple):
    """The repeats of one measurement: what its rows have in common, and in arrays (r,) what they have not."""

    experiment: str
    data: str
    n: int
    d: int
    method: str
    m: int
    measure: str
    repeats: IntArray
    values: FloatArray
    seconds: FloatArray


def _series(rows: list[Row]) -> Series:
    rows.sort(key=attrgetter("repeat"))
    one, repeats = rows[0], np.array([row.repeat for row in rows])
    values, seconds = np.array([(row.value, row.seconds) for row in rows], dtype=np.float64).T
    return Series(*one[:6], one.measure, repeats, values, seconds)


class Records:
    """Rows of one or more experiments, as series: arrays to compute with, and far fewer of them."""

    def __init__(self, rows: Iterable[Row] = (), series: Iterable[Series] = ()) -> None:
        found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in rows:
            found[*row[:6], row.measure].append(row)
        self.series = (*series, *map(_series, found.values()))

    def __len__(self) -> int:
        return sum(len(one.values) for one in self.series)

    def __iter__(self) -> Iterator[Row]:
        for one in self.series:
            for repeat, value, seconds in zip(*(of.tolist() for of in one[7:]), strict=True):
                yield Row(*one[:6], repeat, one.measure, value, seconds)

    def of(self, *experiments: str) -> "Records":
        """Rows of these experiments."""
        named = [one for name in experiments for one in self.series if one.experiment == name]
        return Records(series=named)

    def kept(self, wanted: Callable[[Series], bool]) -> "Records":
        """Series that are wanted."""
        return Records(series=filter(wanted, self.series))

    def on(self, names: Collection[str]) -> "Records":
        """Rows on these data sets of the catalog."""
        there = {data for data in {one.data for one in self.series} if catalog_name(data) in names}
        return self.kept(lambda one: one.data in there)

    def where(self, **fields: object) -> "Records":
        """Rows whose fields, other than the repeat, have these values."""
        series: Sequence[Series] = self.series
        for name, value in fields.items():
            of = attrgetter(name)
            series = [one for one in series if of(one) == value]
        return Records(series=series)

    @property
    def data(self) -> tuple[str, ...]:
        """Data sets, each once, in the order of the rows; what follows a name's @ is left out."""
        return tuple(self.sizes)

    @property
    def repeats(self) -> int:
        """Repeats of the method that has most of them."""
        return 1 + max((int(one.repeats[-1]) for one in self.series), default=-1)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of rows n of each data set."""
        return {set_of(data): n for data, n in {one.data: one.n for one in self.series}.items()}

    def values(self) -> FloatArray:
        """All values, in the order of the rows."""
        return np.concatenate([np.empty(0), *(one.values for one in self.series)])

    def by(self, *fields: str, of: str = "values") -> dict[Any, FloatArray]:
        """Values, or seconds, by one field of the series, or by a tuple of several."""
        found: dict[Any, list[FloatArray]] = defaultdict(list)
        key, part = attrgetter(*fields), attrgetter(of)
        for one in self.series:
            found[key(one)].append(part(one))
        return {name: each[0] if len(each) == 1 else np.concatenate(each) for name, each in found.items()}

    def cells(self) -> Cells:
        """Values by (data, m), then by method, in the order of the repeats."""
        found: Cells = defaultdict(dict)
        for (data, m, method), values in self.by("data", "m", "method").items():
            found[data, m][method] = values
        return dict(found)

    def by_data(self) -> "dict[str, Records]":
        """Rows of each data set, with the setting that follows a name's @."""
        return {name: self.where(data=name) for name in dict.fromkeys(one.data for one in self.series)}


def file_of(experiment: str, folder: Path = FOLDER) -> Path:
    """Where the rows of an experiment are kept."""
    return folder / (f"{experiment}.csv.gz" if experiment in PACKED else f"{experiment}.csv")


def write(rows: Sequence[Row], path: Path) -> None:
    """Write the rows of one experiment, sorted, so that the order in which runs finished leaves no trace."""
    packed = path.suffix == ".gz"
    exact = PACKED.get(_experiment(path))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in sorted(rows, key=lambda r: (r.measure * packed, r.data, r.method, r.m, r.repeat, r.measure)):
        digits = DIGITS if exact is None or row.measure in exact else 4
        numbers = _text(row.value, digits), _text(row.seconds, SECONDS_DIGITS)
        writer.writerow([row.data, row.method, row.m, row.repeat, row.measure, *numbers])
    content = text.getvalue().encode()
    # Without the time of writing: the same rows give the same file.
    replace(path, gzip.compress(content, 9, mtime=0) if packed else content)


def _experiment(path: Path) -> str:
    return path.name.partition(".csv")[0]


def _text(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def sizes_of(rows: Iterable[Row]) -> dict[str, list[int]]:
    """Both sizes, n and d, of each data set, by its name without the setting that follows an @."""
    return {set_of(row.data): [row.n, row.d] for row in rows}


def read(path: Path, sizes: Mapping[str, Sequence[int]]) -> list[Row]:
    """Read the rows of one experiment, which is named by the file; ``sizes`` are those of ``sizes_of``."""
    opened = gzip.open if path.suffix == ".gz" else open
    experiment = _experiment(path)
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            if tuple(next(lines, ())) != COLUMNS:
                raise ValueError(f"the columns are not {', '.join(COLUMNS)}")
            return [_row(experiment, line, sizes) for line in lines]
    except (EOFError, gzip.BadGzipFile, KeyError, TypeError, ValueError) as problem:
        raise Refusal(f"{path.name} cannot be read: {problem}.") from problem


def _row(experiment: str, line: Sequence[str], sizes: Mapping[str, Sequence[int]]) -> Row:
    data, method, m, repeat, measure, value, seconds = line
    n, d = sizes[set_of(data)]
    # Names stand in thousands of rows: each is kept once.
    head = experiment, intern(data), n, d, intern(method), int(m), int(repeat), intern(measure)
    return Row(*head, float(value or math.nan), float(seconds or math.nan))


def recorded(folder: Path = FOLDER, left_out: Collection[str] = ()) -> Records:
    """Recorded runs of a folder, but for the experiments left out; none where there is no folder."""
    experiments = sorted(set(origins(folder)) - set(left_out))
    rows = (row for experiment in experiments for row in recorded_of(experiment, folder))
    return Records(chain(rows, costs(folder)))


def recorded_of(experiment: str, folder: Path = FOLDER) -> list[Row]:
    """Recorded runs of one experiment, none where there are none."""
    path, origin = file_of(experiment, folder), origins(folder).get(experiment)
    return read(path, origin["sizes"]) if origin and path.exists() else []


def origins(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """How the runs of each experiment were made, by its id."""
    path = folder / ORIGIN
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def stamp(folder: Path = FOLDER) -> Stamp:
    """Name the content of the recorded files."""
    files = sorted(folder.glob("*")) if folder.exists() else []
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


def made(origin: Mapping[str, Any]) -> str:
    """How recorded runs were made, in one line."""
    *fewer, most = sorted({part["repeats"] for part in origin["parts"]})
    repeats = " or ".join([*map(str, fewer), counted(most, "repeat")])
    return (
        f"recorded {origin['date']} with nysviz {origin['nysviz']} ({origin['commit'] or 'no commit'}), seed "
        f"{origin['seed']}, {repeats}, {origin['seconds']} s on {origin['machine']}."
    )


def costs(folder: Path = FOLDER) -> list[Row]:
    """Processor seconds of basis selection from their own benchmark, as rows of zhang-table1."""
    path, rows = folder / "costs.csv", []
    for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines() if path.exists() else ()):
        head = ("zhang-table1", f"random points@{line['varied']} varied", int(line["n"]), 0, line["method"])
        seconds = float(line["processor_seconds"]), float(line["seconds"])
        rows.append(Row(*head, int(line["m"]), 0, "seconds", *seconds))
    return rows
