"""What one run measured, and many of them as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from nysviz.kernels import Kernel

if TYPE_CHECKING:
    import pandas as pd

Options: TypeAlias = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Record:
    """One run: what was asked for, and what was measured.

    Attributes
    ----------
    data : str
        Name of the data set.
    n, d : int
    kernel : Kernel
    method : str
    options : tuple of (name, value)
        Of the method.
    m : int
        Landmarks asked for.
    repeat : int
        From 0; a method without randomness has only that one.
    seed : int
        Of the run itself, so that it can be had again by ``approximate``.
    values : dict
        Measure → value; a measure that the run does not have is absent.
    seconds : float
        Wall time of the run; of the whole factorisation where one serves many m.
    """

    data: str
    n: int
    d: int
    kernel: Kernel
    method: str
    options: Options
    m: int
    repeat: int
    seed: int
    values: dict[str, float] = field(hash=False)
    seconds: float


def tidy(records: Iterable[Record]) -> pd.DataFrame:
    """One line a run and measure, sorted, so that the order in which runs finished leaves no trace.

    Returns
    -------
    DataFrame with the columns data, n, d, kernel, method, options, m, repeat, seed, measure, value, seconds.
    """
    import pandas as pd

    columns = ["data", "n", "d", "kernel", "method", "options", "m", "repeat", "seed"]
    rows = [(*_head(r), measure, value, r.seconds) for r in records for measure, value in r.values.items()]
    table = pd.DataFrame(rows, columns=[*columns, "measure", "value", "seconds"])
    order = ["data", "kernel", "method", "options", "m", "repeat", "measure"]
    return table.sort_values(order, kind="stable", ignore_index=True)


def _head(r: Record) -> tuple[object, ...]:
    return r.data, r.n, r.d, repr(r.kernel), r.method, repr(dict(r.options)), r.m, r.repeat, r.seed
