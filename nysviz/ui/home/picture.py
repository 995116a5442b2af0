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
from nysviz.ui.home import player
from nysviz.ui.work.store import store

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


def film_of(method: str) -> Film:
    """Return the film of a method, computed once for all visitors."""
    return store().get(("home film", method), lambda: _compute(method))


def _compute(method: str) -> Film:
    X, kernel = flowers()
    K = kernel(X, X)
    total = float(np.linalg.norm(K))
    eigenvalues = spectrum(X, kernel)
    landmarks, pivots, restored, residuals, errors = [], [], [], [], []
    for m in range(1, STEPS + 1):
        a = approximate(X, kernel, method, m, seed=0)
        assert a.landmarks is not None
        landmarks.append(a.landmarks[:, AXES])
        pivots.append(np.empty(0, dtype=np.int64) if a.pivots is None else a.pivots)
        restored.append(a.factor @ a.factor.T)
        residuals.append(residual_diagonal(X, kernel, a))
        errors.append(frobenius(residual(K, a.factor)) / total)
    floor = [best_errors(eigenvalues, m)[0] / total for m in range(1, STEPS + 1)]
    return Film(
        method,
        X[:, AXES],
        K,
        np.array(restored),
        np.array(residuals),
        tuple(landmarks),
        tuple(pivots),
        np.array(errors),
        np.array(floor),
    )


def charts(film: Film, theme: Theme) -> dict[str, go.Figure]:
    """Return the four charts of a film by their keys, built once for each ground."""
    return store().get(("home charts", film.method, theme), lambda: _charts(film, theme))


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
    told = []
    for m, error in enumerate(film.errors, start=1):
        kept = 100 * m / film.n
        told.append(
            f"m = {m}: {kept:.0f} % of the columns of K, relative error {three_digits(float(error))}"
            if len(film.pivots[0])
            else f"m = {m} centres in place of {film.n} points, relative error {three_digits(float(error))}"
        )
    return told


def answer(film: Film) -> str:
    """Answer the page's question with the number of landmarks that the film needs."""
    good = np.flatnonzero(film.errors < GOOD)
    chosen = CHOICES[film.method]
    if not len(good):
        left = three_digits(float(film.errors[-1]))
        return (
            f"Chosen {chosen}, {STEPS} landmarks for {film.n} flowers leave a relative error of **{left}**."
        )
    m, n = int(good[0]) + 1, film.n
    return f"For these {n} flowers **{m} landmarks**, chosen {chosen}, bring the relative error below {GOOD}."


# On a phone the film is two by two, so that all of it is seen at once.
STYLE = """<style>
@media (max-width: 640px) {
  .st-key-home_film > [data-testid="stHorizontalBlock"],
  .st-key-home_film > div > [data-testid="stHorizontalBlock"] {flex-wrap: wrap; gap: 0.25rem;}
  .st-key-home_film [data-testid="stColumn"] {min-width: calc(50% - 0.25rem); flex: 1 1 calc(50% - 0.25rem);}
}
</style>"""
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
    st.html(STYLE)
    told = st.container()
    with st.container(key="home_bar", horizontal=True, vertical_alignment="center", gap="medium"):
        chosen = st.segmented_control(
            "Landmarks are chosen",
            list(CHOICES),
            default="greedy",
            required=True,
            format_func=CHOICES.__getitem__,
            key="home_landmarks",
            bind="query-params",
            wrap=True,
        )
        place = st.container()
    film = film_of(chosen or "greedy")
    told.markdown(
        "A kernel matrix **K** compares every point with every other. The Nyström method compares each point "
        "with *m* landmarks only (**E**, and **W** among the landmarks), and rebuilds the rest: "
        "**K̃ = E W⁺ Eᵀ**. " + answer(film)
    )
    drawn = charts(film, page.theme())
    with st.container(key="home_film"):
        for column, (key, figure) in zip(st.columns([0.31, 0.23, 0.23, 0.23]), drawn.items(), strict=True):
            with column:
                page.show(figure, key, ALTERNATIVES.get(key) or sentences(film)[-1])
    with place:
        moving = [figure for figure in drawn.values() if has_frames(figure)]
        film_name = drawn["home_map"].to_dict()["layout"]["meta"]["film"]
        player.play(film_name, len(moving), START, sentences(film))
    if "playground" in address.page_names():
        label = "Put landmarks down by hand"
        st.page_link("pages/playground.py", label=label, icon=":material/touch_app:")
