"""The parts of the page "Kernel PCA": its rows, the embeddings side by side, the two forms of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset
from nysviz.figures.class_marks import Points
from nysviz.figures.embedding import PAIRS, embedding_chart, space_chart
from nysviz.figures.look import grouped, inert, three_digits
from nysviz.figures.misalignment import gram_chart
from nysviz.learning.kernel_pca import DIRECTIONS, Embedding, Forms, departure
from nysviz.ui import computing, page
from nysviz.ui.controls import Choice
from nysviz.ui.kernel_pca.computing import (
    PRODUCTS,
    Run,
    exact_seconds,
    forms_later,
    forms_seconds,
    sample,
)
from nysviz.ui.sidebar.scene import Scene

VIEWS = ("plane", "pairs", "space")
VIEW_LABELS = {"plane": "two directions", "pairs": "three pairs", "space": "in space"}
# Points drawn on each side: together they appear in about a tenth of a second.
DRAWN = {"plane": 400, "pairs": 200, "space": 300}
# Room around the exact points, as a part of their extent.
MARGIN = 0.06


def choose_rows(scene: Scene) -> Scene:
    """Say what a large data set costs here, and offer all its rows; without them, take a random sample."""
    n, most = scene.data.n, computing.exact_rows(scene)
    if n <= most:
        return scene
    seconds = exact_seconds(scene)
    if n > computing.READ_ROWS:
        st.caption(
            f"The page shows {most} of {grouped(n)} rows, drawn at random with the seed {scene.seed}: the "
            f"exact eigenvectors of all would take some {_long(seconds)}."
        )
        return replace(scene, data=sample(scene.data, most, scene.seed))
    everything = st.toggle(
        f"All {grouped(n)} rows",
        key="kernel_pca_all_rows",
        bind="query-params",
        help=f"Exact eigenvectors then evaluate K some {PRODUCTS} times, about {seconds:.0f} s here.",
    )
    if everything:
        st.caption(
            f"K of {grouped(n)} rows is not held: each of some {PRODUCTS} Lanczos steps evaluates it again, "
            f"about {seconds:.0f} s in all."
        )
        return scene
    st.caption(f"The page shows {most} of {grouped(n)} rows, drawn at random with the seed {scene.seed}.")
    return replace(scene, data=sample(scene.data, most, scene.seed))


def _long(seconds: float) -> str:
    """Write a long time in minutes or hours."""
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"


def choose_view() -> str:
    """Choose how the embeddings are drawn."""
    chosen = st.segmented_control(
        "Picture",
        VIEWS,
        default=VIEWS[0],
        required=True,
        format_func=VIEW_LABELS.__getitem__,
        key="kernel_pca_view",
        bind="query-params",
        wrap=True,
        label_visibility="collapsed",
    )
    return chosen or VIEWS[0]


def drawn_points(data: Dataset, most: int) -> Points:
    """Choose rows to draw, always the same ones of the same data, with what colours them."""
    rows = np.arange(data.n)
    if data.n > most:
        rows = np.sort(np.random.default_rng(0).permutation(data.n)[:most])
    if data.y is None:
        return Points(rows)
    if data.task == "classification":
        return Points(rows, np.searchsorted(np.unique(data.y), data.y[rows]), data.classes)
    return Points(rows, values=data.y[rows])


def draw_embeddings(scene: Scene, choice: Choice, exact: Embedding, run: Run, view: str) -> str:
    """Draw the exact embedding and the method's; return what the picture leaves out."""
    n = scene.data.n
    points = drawn_points(scene.data, DRAWN[view])
    # Unit vectors times √n: coordinates of size 1, whatever n is. Missing directions are drawn as 0.
    missing = ((0, 0), (0, max(0, DIRECTIONS - exact.vectors.shape[1])))
    sides = [np.pad(side, missing) * np.sqrt(n) for side in (exact.vectors, run.aligned)]
    limits = _limits(sides[0])
    error, most = three_digits(run.misalignment), three_digits(np.sqrt(exact.vectors.shape[1]))
    title = f"Misalignment {error} of at most {most}, {choice.label}"
    # Two lines above a side, one where the sides lie one above the other.
    apart = ", " if view == "pairs" else "<br>"
    draw = space_chart
    if view != "space":
        draw = partial(embedding_chart, pairs=PAIRS if view == "pairs" else PAIRS[:1])
    figure = draw(
        sides[0][points.rows],
        sides[1][points.rows],
        points,
        limits,
        (f"exact{apart}kernel PCA", f"{inert(choice.label)}{apart}m = {choice.m}, aligned"),
        page.theme(),
        title,
        f"{scene.subtitle}; seed {scene.seed}",
    )
    page.show(figure, f"embedding_{view}", f"Two embeddings side by side. {title}.")
    return (
        ""
        if len(points.rows) == n
        else f"The picture draws {len(points.rows)} random points of {grouped(n)}."
    )


def _limits(exact: FloatArray) -> FloatArray:
    """Ends of each direction: those of the exact embedding, which do not move with m."""
    low, high = exact.min(axis=0), exact.max(axis=0)
    room = np.where(high > low, MARGIN * (high - low), 1.0)
    limits: FloatArray = np.stack([low - room, high + room])
    return limits


def show_forms(scene: Scene, choice: Choice, run: Run) -> Forms | None:
    """Draw the two forms of the eigenvectors once they are there; say why where there is only one."""
    a = run.approximation
    reason = ""
    if not computing.is_exact(scene):
        reason = f"above {computing.exact_rows(scene)} rows the eigenvectors of K itself are not computed"
    elif a.landmarks is None:
        reason = "this approximation has no landmarks, so there is nothing to extend from"
    elif a.shares is not None:
        reason = "a mixture of approximations has no single matrix of landmarks to extend from"
    if reason:
        st.caption(f"No comparison of the plain extension with the orthogonal form: {reason}.")
        return None
    forms: Forms | None = None
    with page.sentences():
        future = forms_later(scene, choice, a)
        if page.ready(future, page.ANSWER_SECONDS):
            forms = future.result()
            draw_forms(choice, forms)
        else:
            page.wait_for(future, "Two forms of the eigenvectors", forms_seconds(scene, choice.m))
    return forms


def draw_forms(choice: Choice, forms: Forms) -> None:
    """Draw the products of the eigenvectors in both forms."""
    plain, right = departure(forms.extension), departure(forms.orthogonal)
    count = forms.orthogonal.shape[1]
    vectors = "orthonormal vectors" if count > 1 else "a vector of length 1"
    title = f"Only the orthogonal form has {vectors}"
    if not plain > 1e3 * max(right, 1e-13):
        title = f"Both forms have {vectors} here"
    figure = gram_chart(
        forms.extension.T @ forms.extension,
        forms.orthogonal.T @ forms.orthogonal,
        page.theme(),
        title,
        f"UᵀU of {count} eigenvector{'s' if count > 1 else ''} of K̃; {inert(choice.label)}, m = {choice.m}",
    )
    page.show(figure, "forms", f"Products of the leading eigenvectors with one another. {title}.")


def degrees(angles: Sequence[float] | FloatArray) -> str:
    """Angles as a list in words' order."""
    return ", ".join(f"{three_digits(float(angle))}°" for angle in angles)
