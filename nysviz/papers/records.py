"""Measured numbers as tidy rows: made from runs, written as text, recorded on disk, and queried."""

import csv
import gzip
import io
import json
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from itertools import chain
from operator import attrgetter
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import numpy as np

from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.papers.output import mean_text, write_atomically
from nysviz.refusal import Refusal
from nysviz.root import ROOT
from nysviz.sweep import Job, Record, run_jobs
from nysviz.text import counted


class Row(NamedTuple):
    """One measured value with its run and measure; seconds are NaN where they were not taken."""

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
    """Yield a row for each measure of one run; ``head`` has the row's fields up to the repeat."""
    for measure, value in values.items():
        yield Row(*(*head, measure, float(value), seconds))


def rows_of(
    experiment: str,
    jobs: Iterable[Job],
    *measures: str,
    name: Callable[[Record], str] = lambda record: record.method,
    executor: Executor | None = None,
) -> Iterator[Row]:
    """Run jobs and yield a row for each of these measures; ``name`` returns the rows' method name."""
    for finished in run_jobs(jobs, executor):
        for r in finished.records:
            values = {measure: r.values[measure] for measure in measures if measure in r.values}
            yield from rows((experiment, r.data, r.n, r.d, name(r), r.m, r.repeat), values, r.seconds)


def set_of(data: str) -> str:
    """Return a row's data name without the setting that follows an @."""
    return data.partition("@")[0]


def catalog_name(data: str) -> str:
    """Return the catalog's name of a row's data: "usps" for "usps 1-7" and for "usps@gamma=0.01"."""
    return set_of(data).partition(" ")[0]


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV, sorted, so that the order in which runs finished has no effect."""
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
# Origin of the runs by experiment: version, date, seed, repeats and absent data sets.
ORIGIN = "origin.json"
# The file name gives the experiment, the origin gives n and d of its data sets.
COLUMNS = tuple(name for name in Row._fields if name not in ("experiment", "n", "d"))
# Recorded digits of a value, and of the seconds, which vary between runs anyway.
DIGITS, SECONDS_DIGITS = 5, 3
# Experiments whose file is compressed for its size. It has fewer digits, except of the measures named here,
# whose close values must stay distinct.
PACKED = {
    "tournament": ("relative_frobenius",),
    "oglic-fig1": ("relative_frobenius",),
    "oglic-fig3": ("relative_frobenius",),
    "oglic-rows": ("relative_frobenius",),
    "newer-columns": (),
    "newer-preconditioner": ("condition", "condition_shift"),
    "many-rows": (),
    "learners": (),
}

# Data set and m, then method.
Cell = tuple[str, int]
Cells = dict[Cell, dict[str, FloatArray]]
# Name, modification time and size of the recorded files, which identify their content.
Stamp = tuple[tuple[str, int, int], ...]


class Series(NamedTuple):
    """The repeats of one measurement: the common fields of its rows, and arrays (r,) of the others."""

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
    first, repeats = rows[0], np.array([row.repeat for row in rows])
    values, seconds = np.array([(row.value, row.seconds) for row in rows], dtype=np.float64).T
    return Series(*first[:6], first.measure, repeats, values, seconds)


class Records:
    """Rows of one or more experiments, grouped into series, whose arrays are quicker to compute with."""

    def __init__(self, rows: Iterable[Row] = (), series: Iterable[Series] = ()) -> None:
        groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in rows:
            groups[*row[:6], row.measure].append(row)
        self.series = (*series, *map(_series, groups.values()))

    def __len__(self) -> int:
        return sum(len(series.values) for series in self.series)

    def __iter__(self) -> Iterator[Row]:
        for series in self.series:
            for repeat, value, seconds in zip(*(column.tolist() for column in series[7:]), strict=True):
                yield Row(*series[:6], repeat, series.measure, value, seconds)

    def of_experiments(self, *experiments: str) -> "Records":
        """Return the rows of these experiments."""
        named = [series for name in experiments for series in self.series if series.experiment == name]
        return Records(series=named)

    def select(self, condition: Callable[[Series], bool]) -> "Records":
        """Return the series that meet the condition."""
        return Records(series=filter(condition, self.series))

    def on(self, names: Collection[str]) -> "Records":
        """Return the rows on these data sets of the catalog."""
        data_names = {data for data in {series.data for series in self.series} if catalog_name(data) in names}
        return self.select(lambda series: series.data in data_names)

    def where(self, **fields: object) -> "Records":
        """Return the rows whose fields, other than the repeat, have these values."""
        series: Sequence[Series] = self.series
        for name, value in fields.items():
            read_field = attrgetter(name)
            series = [entry for entry in series if read_field(entry) == value]
        return Records(series=series)

    @property
    def data(self) -> tuple[str, ...]:
        """Names of the data sets, in the order of the rows, without the setting that follows an @."""
        return tuple(self.sizes)

    @property
    def repeats(self) -> int:
        """The largest number of repeats of any method."""
        return 1 + max((int(series.repeats[-1]) for series in self.series), default=-1)

    @lazy_property
    def sizes(self) -> dict[str, int]:
        """Number of rows n of each data set."""
        return {set_of(data): n for data, n in {series.data: series.n for series in self.series}.items()}

    def values(self) -> FloatArray:
        """Return all values, in the order of the rows."""
        return np.concatenate([np.empty(0), *(series.values for series in self.series)])

    def by(self, *fields: str, array: str = "values") -> dict[Any, FloatArray]:
        """Return the values, or seconds, by one field of the series, or by a tuple of several."""
        arrays: dict[Any, list[FloatArray]] = defaultdict(list)
        read_key, read_array = attrgetter(*fields), attrgetter(array)
        for series in self.series:
            arrays[read_key(series)].append(read_array(series))
        return {name: each[0] if len(each) == 1 else np.concatenate(each) for name, each in arrays.items()}

    def cells(self) -> Cells:
        """Return the values by (data, m), then by method, in the order of the repeats."""
        cells: Cells = defaultdict(dict)
        for (data, m, method), values in self.by("data", "m", "method").items():
            cells[data, m][method] = values
        return dict(cells)

    def by_data(self) -> "dict[str, Records]":
        """Return the rows of each data set, whose name includes the setting that follows an @."""
        return {name: self.where(data=name) for name in dict.fromkeys(series.data for series in self.series)}


def file_of(experiment: str, folder: Path = FOLDER) -> Path:
    """Return the path of an experiment's recorded rows."""
    return folder / (f"{experiment}.csv.gz" if experiment in PACKED else f"{experiment}.csv")


def write(rows: Sequence[Row], path: Path) -> None:
    """Write the rows of one experiment, sorted, so that the order in which runs finished has no effect."""
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
    # Without the time of writing, so that the same rows give the same file.
    write_atomically(path, gzip.compress(content, 9, mtime=0) if packed else content)


def _experiment(path: Path) -> str:
    return path.name.partition(".csv")[0]


def _text(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def sizes_of(rows: Iterable[Row]) -> dict[str, list[int]]:
    """Return n and d of each data set, by its name without the setting that follows an @."""
    return {set_of(row.data): [row.n, row.d] for row in rows}


def read(path: Path, sizes: Mapping[str, Sequence[int]]) -> list[Row]:
    """Read the rows of one experiment, whose name is the file's; ``sizes`` are those of ``sizes_of``."""
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
    # Thousands of rows share a name, so each name is stored once.
    head = experiment, intern(data), n, d, intern(method), int(m), int(repeat), intern(measure)
    return Row(*head, float(value or math.nan), float(seconds or math.nan))


def recorded(folder: Path = FOLDER, left_out: Collection[str] = ()) -> Records:
    """Return the recorded runs of a folder, except the experiments left out; none without a folder."""
    experiments = sorted(set(origins(folder)) - set(left_out))
    rows = (row for experiment in experiments for row in recorded_of(experiment, folder))
    return Records(chain(rows, costs(folder)))


def recorded_of(experiment: str, folder: Path = FOLDER) -> list[Row]:
    """Return the recorded runs of one experiment, if there are any."""
    path, origin = file_of(experiment, folder), origins(folder).get(experiment)
    return read(path, origin["sizes"]) if origin and path.exists() else []


def origins(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Return the origin of the recorded runs, by experiment."""
    path = folder / ORIGIN
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def stamp(folder: Path = FOLDER) -> Stamp:
    """Return a value that identifies the content of the recorded files."""
    files = sorted(folder.glob("*")) if folder.exists() else []
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


def describe_origin(origin: Mapping[str, Any]) -> str:
    """Describe in one line how recorded runs were made."""
    *fewer, largest = sorted({part["repeats"] for part in origin["parts"]})
    repeats = " or ".join([*map(str, fewer), counted(largest, "repeat")])
    return (
        f"recorded {origin['date']} with nysviz {origin['nysviz']} ({origin['commit'] or 'no commit'}), seed "
        f"{origin['seed']}, {repeats}, {origin['seconds']} s on {origin['machine']}."
    )


def costs(folder: Path = FOLDER) -> list[Row]:
    """Read the processor seconds of basis selection, which a benchmark measures, as rows of zhang-table1."""
    path, rows = folder / "costs.csv", []
    for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines() if path.exists() else ()):
        head = ("zhang-table1", f"random points@{line['varied']} varied", int(line["n"]), 0, line["method"])
        seconds = float(line["processor_seconds"]), float(line["seconds"])
        rows.append(Row(*head, int(line["m"]), 0, "seconds", *seconds))
    return rows
