"""The controls and the charts of the page "Two balls", which makes its own data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from nysviz.blocks import IntArray
from nysviz.datasets import Dataset, two_balls
from nysviz.figures import two_balls as figures
from nysviz.figures.learning import score_line
from nysviz.learning.feature_comparison import FREQUENCY_SCALES
from nysviz.learning.leading_subspace import turned_towards
from nysviz.papers.yang2012 import figure1
from nysviz.sweep import Record
from nysviz.text import counted, three_digits
from nysviz.ui import downloads, page
from nysviz.ui.asking import shared
from nysviz.ui.inputs import number, segments, stops
from nysviz.ui.sidebar.scene import keep_choices
from nysviz.ui.two_balls.result import LABELS, Balls, Comparison, accuracy, exact, pair

SIZES = (500, 1_000, 2_000, 4_000, 7_000, 10_000)
COUNTS = (2, 5, 10, 20, 50, 100, 200)
SCALE_LABELS = {"1/σ": "1/σ, as defined", "1": "1", "σ": "σ"}


@shared()
def _made(n: int, redundant: int, seed: int, distance: float) -> Dataset:
    return two_balls(n, redundant, seed, distance)


def own_sidebar() -> Balls:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    keep_choices()
    with st.sidebar:
        st.caption("This page makes its own data.")
        n = stops("Points n", SIZES, "balls_n", 2_000)
        note = "Uniform on [0, 1], the same for both classes."
        label, ends = "Redundant features r", (0, 500, figure1.REDUNDANT)
        redundant = number(label, *ends, "balls_redundant", step=10, help=note)
        note = "Of the centres. The radius is 0.5: the balls overlap below 1 and touch at 1."
        label, key = "Distance of the balls", "balls_distance"
        distance = st.slider(label, 0.0, 3.0, 1.0, 0.1, key=key, help=note, bind="query-params")
        note = "Of the Gaussian kernel exp(-‖x - y‖² / 2σ²)."
        settings: dict[str, Any] = {"step": 0.5, "format": "%g", "help": note}
        sigma = number("Bandwidth σ", 0.05, 1_000.0, figure1.SIGMA, "balls_sigma", **settings)
        note = "Start of the random numbers: of the data, the landmarks, the frequencies and the trials."
        seed = number("Seed", 0, 999_999, 0, "seed", step=1, help=note)
    data = _made(n, redundant, seed, distance)
    downloads.about(data.title)
    return Balls(data, distance, sigma, seed)


def controls(balls: Balls) -> tuple[int, str]:
    """Choose m, as the training half allows, and the standard deviation of the frequencies."""
    offered = [m for m in COUNTS if 2 * m <= balls.data.n]
    m = stops("Landmarks, or frequencies, m", offered, "balls_m", figure1.MS[-1])
    note = "u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel."
    label = "Standard deviation s of the Fourier frequencies"
    return m, segments(label, FREQUENCY_SCALES, "balls_scale", names=SCALE_LABELS, help=note)


# Points drawn in each picture; a browser draws some 900 markers in 0.15 s. Numbers are those of all points.
DRAWN = 300


def _drawn_rows(balls: Balls) -> IntArray:
    """Rows whose points are drawn, the same in every picture."""
    rows: IntArray = np.sort(np.random.default_rng(0).permutation(balls.data.n)[:DRAWN])
    return rows


def draw_balls(balls: Balls) -> None:
    """Draw the first two dimensions."""
    rows, title = _drawn_rows(balls), "The two balls"
    subtitle = f"{len(rows)} of {balls.data.n} points; d = {balls.data.d}"
    figure = figures.balls_chart(balls.data.X[rows, :2], balls.y[rows], page.theme(), title, subtitle)
    page.show(figure, "balls_points", f"{title}, coloured by class.")


def draw_eigenvectors(balls: Balls, found: Sequence[Comparison], m: int, scale: str) -> None:
    """Draw the first two eigenvectors of K and of two approximations."""
    rows, vectors = _drawn_rows(balls), exact(balls).vectors
    # The first eigenvector of a positive kernel has one sign: positive, by choice.
    reference = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
    panels = [("K, exact", "reference", reference[rows])]
    ours, theirs = pair(found, scale)
    for name, one in (("Nyström", ours), (f"RFF, scale {scale}", theirs)):
        turned = turned_towards(reference, one.pairs.vectors)
        turned = np.pad(turned, ((0, 0), (0, figure1.LEADING - turned.shape[1])))
        panels.append((name, "cos " + ", ".join(f"{cosine:.3f}" for cosine in one.cosines), turned[rows]))
    title = f"Cosine of the leading planes: Nyström {ours.smallest:.3f}, RFF {theirs.smallest:.3f}"
    figure = figures.eigenvector_chart(
        panels, balls.y[rows], rows, page.theme(), title, f"{balls.subtitle}, m = {m}"
    )
    page.show(figure, "balls_eigenvectors", f"First two eigenvectors of three matrices. {title}.")


def draw_eigenvalues(balls: Balls, found: Sequence[Comparison], m: int, scale: str) -> None:
    """Draw the leading eigenvalues of K and of two approximations."""
    values, n = exact(balls).values / balls.data.n, balls.data.n
    title = f"λ₁/n = {three_digits(float(values[0]))}, λ₂/n = {three_digits(float(values[1]))}"
    others = {one.method: (LABELS[one.method], one.pairs.values / n) for one in pair(found, scale)}
    subtitle = f"m = {m}; frequencies of scale {scale}"
    figure = figures.eigenvalue_chart(values, others, page.theme(), title, subtitle)
    page.show(figure, "balls_eigenvalues", f"Eigenvalues of K and of its approximations. {title}.")


def draw_accuracy(records: Sequence[Record], scale: str) -> None:
    """Draw the mean test accuracy of every method at each m, with its spread over the trials so far."""
    lines = []
    for method in figure1.METHODS:
        by_m = {m: [accuracy(r) for r in records if (r.method, r.m) == (method, m)] for m in figure1.MS}
        by_m = {m: values for m, values in by_m.items() if values}
        if not by_m:
            continue
        hover = [
            f"{LABELS[method]}, m = {m}<br>{np.mean(of):.1f} ± {np.std(of, ddof=len(of) > 1):.1f} %"
            for m, of in by_m.items()
        ]
        lines.append(score_line(method, LABELS[method], list(by_m), list(by_m.values()), hover, 100.0))
    title = "Test accuracy of a linear classifier"
    trials = counted(len({record.repeat for record in records}), "trial")
    subtitle = f"Mean ± standard deviation of {trials}; frequencies of scale {scale}"
    figure = figures.accuracy_chart(lines, figure1.MS, page.theme(), title, subtitle)
    page.show(figure, "balls_accuracy", f"{title} against m.")
