"""The living picture of the first page: a small kernel matrix rebuilt from more and more landmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray, IntArray
from nysviz.datasets import load
from nysviz.figures.drawing import has_frames
from nysviz.figures.home import film_error, film_map, film_matrix
from nysviz.figures.look import Theme, three_digits
from nysviz.kernels import Gaussian, default_width
from nysviz.landmarks import METHODS
from nysviz.measures import frobenius, residual, residual_diagonal
from nysviz.spectrum import best_errors, spectrum
from nysviz.ui import address, page
from nysviz.ui.asking import once
from nysviz.ui.components import component
from nysviz.ui.inputs import segments

# So many flowers of each species, small enough that every step of the film travels to the browser.
OF_EACH = 20
STEPS = 15
# Drawn first; a visitor whose system asks for less motion sees it until he moves on.
START = 4
# Half the default width: narrow enough that a block of K is more than one colour.
WIDTH_SHARE = 0.5
# The two features that the map shows; the kernel sees all four.
AXES = (2, 0)
CHOICES = {"greedy": "greedily", "uniform": "at random", "kmeans": "as k-means centres"}
GOOD = 0.1
# Milliseconds a step of the player.
PACE = 700

# Plays the charts whose ``layout.meta`` names its film, in the browser; it starts by itself once.
_player = component("home_player")


@dataclass(frozen=True)
class Film:
    """One method at m = 1 … ``STEPS`` landmarks on 60 flowers, ordered by species.

    ``positions`` (n, 2) and ``landmarks`` [(m, 2)] are places on the map, ``K`` (n, n) and ``restored``
    (steps, n, n) the matrices, ``residuals`` (steps, n) what is left of the diagonal, ``pivots`` [(m,)] the
    columns read, none for centres that are no data points; ``errors`` and ``floor`` (steps,) are relative
    Frobenius errors, the method's and the best possible.
    """

    method: str
    positions: FloatArray
    K: FloatArray
    restored: FloatArray
    residuals: FloatArray
    landmarks: tuple[FloatArray, ...]
    pivots: tuple[IntArray, ...]
    errors: FloatArray
    floor: FloatArray

    @property
    def n(self) -> int:
        """Rows of K."""
        return len(self.K)


def flowers() -> tuple[FloatArray, Gaussian]:
    """Return the first 20 of each species of Iris, (60, 4), and a Gaussian kernel for them.

    Within a species the rows are ordered by the length of the petals, so that the blocks of K shade evenly.
    """
    iris = load("iris")
    assert iris.y is not None
    rows = [np.flatnonzero(iris.y == species)[:OF_EACH] for species in np.unique(iris.y)]
    X = np.concatenate([iris.X[some][np.argsort(iris.X[some, AXES[0]], kind="stable")] for some in rows])
    return X, Gaussian.from_width(WIDTH_SHARE * default_width(X))


def _film(method: str) -> Film:
    X, kernel = flowers()
    K, eigenvalues = kernel(X, X), spectrum(X, kernel)
    total = float(np.linalg.norm(K))
    found = [approximate(X, kernel, method, m, seed=0) for m in range(1, STEPS + 1)]
    return Film(
        method,
        X[:, AXES],
        K,
        np.array([a.factor @ a.factor.T for a in found]),
        np.array([residual_diagonal(X, kernel, a) for a in found]),
        tuple(a.landmarks[:, AXES] for a in found if a.landmarks is not None),
        tuple(np.empty(0, dtype=np.int64) if a.pivots is None else a.pivots for a in found),
        np.array([frobenius(residual(K, a.factor)) / total for a in found]),
        np.array([best_errors(eigenvalues, m)[0] / total for m in range(1, STEPS + 1)]),
    )


def charts(film: Film, theme: Theme) -> dict[str, go.Figure]:
    """Return the four charts of a film by their keys, built once for each ground."""
    return once(("home charts", film.method, theme), lambda: _charts(film, theme))


def _charts(film: Film, theme: Theme) -> dict[str, go.Figure]:
    name, first = f"home {film.method} {theme.name}", START - 1
    are_data = METHODS[film.method].landmarks_are_data
    read = film.pivots if are_data else None
    columns = "lines: columns read" if are_data else f"all {film.n} columns"
    return {
        "home_map": film_map(
            film.positions,
            film.residuals,
            film.landmarks,
            first,
            are_data,
            ("petal length", "sepal length"),
            theme,
            f"{film.n} flowers",
            name,
        ),
        "home_K": film_matrix(film.K, theme, "K", columns, name, first, read),
        "home_restored": film_matrix(film.restored, theme, "K̃", "from m landmarks", name, first),
        "home_error": film_error(film.errors, film.floor, first, film.method, theme, name),
    }


def sentences(film: Film) -> list[str]:
    """Say what each step shows, in one line."""
    are_data, found = len(film.pivots[0]) > 0, []
    for m, error in enumerate(film.errors, start=1):
        kept = f"m = {m} centres in place of {film.n} points"
        if are_data:
            kept = f"m = {m}: {100 * m / film.n:.0f} % of the columns of K"
        found.append(f"{kept}, relative error {three_digits(float(error))}")
    return found


def answer(film: Film) -> str:
    """Answer the page's question: the landmarks that the film needs, or the error it ends with."""
    good, chosen = np.flatnonzero(film.errors < GOOD), CHOICES[film.method]
    m = int(good[0]) + 1 if len(good) else STEPS
    reached = f"below {GOOD}" if len(good) else f"to {three_digits(float(film.errors[-1]))}"
    return (
        f"For these {film.n} flowers **{m} landmarks**, chosen {chosen}, bring the relative error {reached}."
    )


ALTERNATIVES = {
    "home_map": "Sixty flowers in the plane of petal and sepal length, with the landmarks among them; a "
    "point fades as landmarks explain it.",
    "home_K": "The kernel matrix K: three bright blocks along the diagonal, one for each species, with the "
    "columns of the landmarks marked.",
    "home_restored": "K̃, rebuilt from the landmarks alone.",
}


@st.fragment
def living_picture() -> None:
    """Question, answer, the choice of landmarks, four charts and their player."""
    answer_place = st.container()
    with st.container(key="home_bar", horizontal=True, vertical_alignment="center", gap="medium"):
        chosen = segments("Landmarks are chosen", CHOICES, "home_landmarks", names=CHOICES)
        film = once(("home film", chosen), lambda: _film(chosen))
        place = st.container()
    answer_place.markdown(
        "A kernel matrix **K** compares every point with every other. The Nyström method compares them with "
        "*m* landmarks only and rebuilds the rest: **K̃ = E W⁺ Eᵀ**. " + answer(film)
    )
    drawn = charts(film, page.theme())
    with st.container(key="home_film"):
        for column, (key, figure) in zip(st.columns([0.31, 0.23, 0.23, 0.23]), drawn.items(), strict=True):
            with column:
                page.show(figure, key, ALTERNATIVES.get(key) or sentences(film)[-1])
    with place:
        moving = [figure for figure in drawn.values() if has_frames(figure)]
        film_name = drawn["home_map"].to_dict()["layout"]["meta"]["film"]
        settings = {"film": film_name, "charts": len(moving), "start": START, "pace": PACE}
        _player(key="home_player", data={**settings, "sentences": sentences(film)})
    if "playground" in address.page_names():
        label = "Place landmarks by hand"
        st.page_link("pages/playground.py", label=label, icon=":material/touch_app:")
