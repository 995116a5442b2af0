"""Charts of results: each function takes results of the library and returns a Plotly figure."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.projection import principal_directions, row_order
from nysviz.analysis.spectrum import factor_spectrum
from nysviz.analysis.steps import Trace
from nysviz.datasets import Dataset
from nysviz.figures.data_map import RESIDUAL, ROW_ERROR, Picture, data_map
from nysviz.figures.lift import lift_chart
from nysviz.figures.look import THEMES, Sheet, axis, inert
from nysviz.figures.matrices import matrix_picture
from nysviz.figures.spectra import spectrum_chart
from nysviz.figures.traces import Line, band_chart, deviation, lines_of, log_axis
from nysviz.landmarks import METHODS, Method
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import residual_diagonal, row_errors
from nysviz.refusal import Refusal
from nysviz.text import counted, grouped, three_digits

Ink = Literal["light", "dark"]
MAP_ROWS, MATRIX_ROWS = 3000, 300  # of more rows, evenly spaced ones are drawn


def error_curves(ms: ArrayLike, errors: Mapping[str, ArrayLike], theme: Ink = "light") -> go.Figure:
    """Draw errors against the number of landmarks, a line a method.

    Parameters
    ----------
    ms : (k,) numbers of landmarks
    errors : mapping or pandas.DataFrame
        Method → (k,) errors, or (repeats, k), of which mean and standard deviation are drawn.
    theme : {"light", "dark"}

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    >>> curves = {name: nv.error_curve(data.X, kernel, name, [5, 10, 20]) for name in ("kmeans", "icd")}
    >>> figure = nv.plot.error_curves([5, 10, 20], curves)
    """
    x, ink = np.asarray(ms, dtype=float), THEMES[theme]
    lines = _lines(x, errors)
    positive = np.concatenate([line.y[line.y > 0] for line in lines] or [np.empty(0)])
    low, high = (np.log10(positive.min()), np.log10(positive.max())) if len(positive) else (-1.0, 0.0)
    sheet = Sheet(ink, "Error against the number of landmarks", _spread(errors))
    xaxis = axis("landmarks m", ink, range=[0, 1.04 * x.max()])
    return band_chart(lines, sheet, xaxis, log_axis("Frobenius error ‖K − K̃‖", ink, low - 0.1, high + 0.1))


def landmarks(data: Dataset, a: LowRank, theme: Ink = "light") -> go.Figure:
    """Draw the data on their two principal components, coloured by their error, with the landmarks.

    Parameters
    ----------
    data : Dataset
        That of the approximation; not sparse.
    a : LowRank
    theme : {"light", "dark"}

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> a = nv.approximate(data.X, nv.Gaussian(1.0), method="kmeans", m=10)
    >>> figure = nv.plot.landmarks(data, a)
    """
    method, rows = METHODS[a.method], _spaced(np.arange(data.n), MAP_ROWS)
    _check_same(data, a)
    if method.data_dependent:
        errors, top, key = residual_diagonal(data.X, a.kernel, a)[rows], a.kernel.diag(data.X).max(), RESIDUAL
    else:
        errors, top, key = row_errors(data.X, a.kernel, a, rows), 1.0, ROW_ERROR
    names = [f"landmark {i + 1}" for i in range(0 if a.landmarks is None else len(a.landmarks))]
    subject = f"{method.label}, m = {a.requested}"
    return _map(data, rows, errors, float(top), key, a.landmarks, names, method, subject, theme)


def steps(data: Dataset, method_trace: Trace, theme: Ink = "light") -> go.Figure:
    """Draw the rows that a method chose, numbered in order, on the residual that they leave.

    Parameters
    ----------
    data : Dataset
        That of the trace; not sparse.
    method_trace : Trace
        As ``nysviz.analysis.steps.trace`` returns it, of a method that adds one row a step.
    theme : {"light", "dark"}

    Examples
    --------
    >>> import numpy as np
    >>> import nysviz as nv
    >>> from nysviz.analysis.steps import trace
    >>> from nysviz.kernels.matrix import KernelMatrix
    >>> data = nv.load("iris")
    >>> K = KernelMatrix(data.X, nv.Gaussian(1.0))
    >>> figure = nv.plot.steps(data, trace(K, "greedy", 8, np.random.default_rng(0)))
    """
    method, residuals = METHODS[method_trace.method], method_trace.residuals
    if residuals.shape[1] != data.n:
        raise Refusal(f"{data.name} has {data.n} rows, but the trace is of {residuals.shape[1]}.")
    rows, chosen = _spaced(np.arange(data.n), MAP_ROWS), data.X[method_trace.picks]
    numbered = [(str(t), step) for t, step in enumerate(method_trace.steps, start=1)]
    names = [f"step {t}: row {step.pick}, {three_digits(step.value)}" for t, step in numbered]
    subject, top = f"{method.label}, {counted(len(method_trace), 'step')}", float(residuals[0].max())
    figure = _map(data, rows, residuals[-1][rows], top, RESIDUAL, chosen, names, method, subject, theme)
    places, font = figure.data[-1], {"color": THEMES[theme].ink}
    numbers = [t for t, _ in numbered]
    label = {"mode": "text", "text": numbers, "textposition": "top right", "textfont": font}
    return figure.add_scatter(x=places.x, y=places.y, hoverinfo="skip", showlegend=False, **label)


def _map(
    data: Dataset,
    rows: IntArray,
    errors: FloatArray,
    top: float,
    key: str,
    landmarks: FloatArray | None,
    names: list[str],
    method: Method,
    subject: str,
    theme: Ink,
) -> go.Figure:
    """Draw some rows on the two principal components of all, coloured by their errors, with landmarks."""
    centre, directions, shares = principal_directions(data.X)
    positions = (data.X[rows] - centre) @ directions
    ends = positions if landmarks is None else np.r_[positions, (landmarks - centre) @ directions]
    low, high = ends.min(axis=0), ends.max(axis=0)
    pad = 0.05 * np.maximum(high - low, 1e-9)
    left, right = (low - pad).tolist(), (high + pad).tolist()
    axes = f"component 1 ({shares[0]:.0%})", f"component 2 ({shares[1]:.0%})"
    ranges = (left[0], right[0]), (left[1], right[1])
    picture = Picture(rows, centre, directions, positions, axes, ranges)
    about = f"{subject}; {inert(data.title)}, n = {grouped(data.n)}"
    sheet, are_data = Sheet(THEMES[theme], "Error of each point", about), method.landmarks_are_data
    return data_map(picture, errors, [""] * len(rows), landmarks, names, are_data, top or 1.0, key, sheet)


def matrices(data: Dataset, a: LowRank, theme: Ink = "light") -> go.Figure:
    """Draw K beside K̃, similar rows together: at most 300 rows and columns, evenly spaced.

    Parameters
    ----------
    data : Dataset
        That of the approximation; not sparse.
    a : LowRank
    theme : {"light", "dark"}

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> a = nv.approximate(data.X, nv.Gaussian(1.0), method="kmeans", m=10)
    >>> figure = nv.plot.matrices(data, a)
    """
    _check_same(data, a)
    by = "label" if data.task == "classification" else "cluster"
    rows = _spaced(row_order(data.X, data.y, a.kernel, by), MATRIX_ROWS)
    K, G = a.kernel(data.X[rows]), a.take(rows)
    limits = min(0.0, float(K.min())), float(K.max()) or 1.0
    which = "all rows" if len(rows) == data.n else f"{len(rows)} of {grouped(data.n)} rows"
    sheet = Sheet(THEMES[theme], f"K and K̃ of rank {a.rank}", f"{inert(data.title)}, {which} by {by}")
    figure, beside = (matrix_picture(each, rows, limits, sheet, height=440) for each in (K, G @ G.T))
    figure.add_trace(beside.data[0].update(xaxis="x2", yaxis="y2"))
    figure.update_layout(xaxis2=beside.layout.xaxis, yaxis2=beside.layout.yaxis, margin_t=66)
    figure.update_layout(xaxis_domain=[0, 0.49], xaxis2={"domain": [0.51, 1], "anchor": "y2"})
    figure.update_layout(yaxis2={"scaleanchor": "x2", "anchor": "x2"})
    return figure


def spectrum(values: FloatArray, a: LowRank, theme: Ink = "light") -> go.Figure:
    """Draw the eigenvalues of K, and over them those of K̃.

    Parameters
    ----------
    values : (k,) array
        As ``nysviz.spectrum`` returns them.
    a : LowRank
    theme : {"light", "dark"}

    Examples
    --------
    >>> import nysviz as nv
    >>> data, kernel = nv.load("iris"), nv.Gaussian(1.0)
    >>> a = nv.approximate(data.X, kernel, method="kmeans", m=10)
    >>> figure = nv.plot.spectrum(nv.spectrum(data.X, kernel), a)
    """
    spectra = {a.method: factor_spectrum(a.factor) / a.n}
    sheet = Sheet(THEMES[theme], f"Eigenvalues of K, and of K̃ with {a.requested} landmarks")
    return spectrum_chart(np.asarray(values) / a.n, spectra, a.n, a.requested, sheet)


def lift(
    x: ArrayLike, errors: Mapping[str, ArrayLike], x_title: str = "bandwidth σ", theme: Ink = "light"
) -> go.Figure:
    """Draw the lift: the mean error of uniform sampling over the error of each method.

    Parameters
    ----------
    x : (k,) numbers above 0
        Bandwidths, ranks or numbers of landmarks, on a logarithmic axis.
    errors : mapping or pandas.DataFrame
        Method → (k,) errors, or (repeats, k); ``"uniform"`` among them.
    x_title : str
    theme : {"light", "dark"}

    Raises
    ------
    ValueError
        No errors of ``"uniform"``.

    Examples
    --------
    >>> import nysviz as nv
    >>> data, ms = nv.load("iris"), [5, 10, 20]
    >>> kernel = nv.Gaussian(1.0)
    >>> curves = {name: nv.error_curve(data.X, kernel, name, ms) for name in ("uniform", "kmeans")}
    >>> figure = nv.plot.lift(ms, curves, "landmarks m")
    """
    if "uniform" not in errors:
        raise Refusal(f"Lift needs the errors of 'uniform' as well; {', '.join(errors)} came alone.")
    runs = {name: np.atleast_2d(np.asarray(values, dtype=float)) for name, values in errors.items()}
    base, places = runs.pop("uniform").mean(axis=0), np.asarray(x, dtype=float)
    gains = {name: base / values for name, values in runs.items()}
    ends = float(places.min()), float(places.max())
    sheet = Sheet(THEMES[theme], "What is gained over uniform sampling", _spread(errors))
    return lift_chart(_lines(places, gains), sheet, 460, x_title, ends)


def _lines(x: FloatArray, values: Mapping[str, ArrayLike]) -> list[Line]:
    """Return mean and standard deviation over the repeats, a line a method."""
    lines: list[Line] = []
    for name, series in values.items():
        runs = np.atleast_2d(np.asarray(series, dtype=float))
        if name not in METHODS:
            raise Refusal(f"{name!r} is no method; nysviz.METHODS lists them.")
        if runs.shape[1] != len(x):
            raise Refusal(f"{name!r} has {runs.shape[1]} values for an axis of {len(x)}; give one for each.")
        at, labels = (
            {place: {name: column} for place, column in enumerate(runs.T)},
            {name: METHODS[name].label},
        )
        lines += lines_of(at, labels, deviation, x.__getitem__, lambda k: f"{x[k]:g}", ends=(0.0, np.inf))
    return lines


def _spread(values: Mapping[str, ArrayLike]) -> str:
    repeats = max((np.atleast_2d(np.asarray(series)).shape[0] for _, series in values.items()), default=1)
    return f"mean ± standard deviation of {repeats} runs" if repeats > 1 else ""


def _spaced(rows: IntArray, limit: int) -> IntArray:
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), limit)).astype(np.intp)]


def _check_same(data: Dataset, a: LowRank) -> None:
    if (data.n, data.d) != (a.n, a.d) and a.frequencies is None:
        raise Refusal(f"{data.name} is {data.n} × {data.d}, but the approximation is of {a.n} × {a.d} data.")
