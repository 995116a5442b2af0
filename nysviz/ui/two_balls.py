"""The page "Two balls", which makes its own data: its controls, computations, charts, words and script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray, IntArray
from nysviz.datasets import Dataset, two_balls
from nysviz.engine import Run
from nysviz.figures import two_balls as figures
from nysviz.figures.learning import score_line
from nysviz.kernels import Gaussian
from nysviz.learning.leading_subspace import LeadingPairs, principal_cosines, turned_towards
from nysviz.papers.yang2012 import figure1
from nysviz.papers.yang2012.figure1 import FREQUENCY_SCALES
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, grouped, three_digits
from nysviz.ui import downloads, page
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import number, segments, stops
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import keep_choices

Scores = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Balls:
    """The data of this page, their kernel and the seed."""

    data: Dataset
    distance: float
    sigma: float
    seed: int

    @property
    def redundant(self) -> int:
        """Number of features that say nothing."""
        return self.data.d - 2

    @property
    def content(self) -> tuple[str, float, int]:
        """All that a result of this page depends on."""
        return self.data.digest, self.sigma, self.seed

    @property
    def subtitle(self) -> str:
        """Size and kernel in one line, for charts."""
        return f"n = {grouped(self.data.n)}, r = {self.redundant} redundant, σ = {three_digits(self.sigma)}"


LABELS = {"rff": "RFF", "orf": "ORF", "uniform": "Nyström, uniform", "kmeans": "Nyström, k-means"}


@dataclass(frozen=True)
class Comparison:
    """How an approximation's two leading eigenvectors compare with those of K."""

    method: str
    scale: str
    pairs: LeadingPairs
    cosines: FloatArray

    @property
    def case(self) -> tuple[str, str]:
        """Method and frequency scale; landmarks have no scale."""
        return self.method, self.scale

    @property
    def smallest(self) -> float:
        """Cosine of the larger of the two angles; 0 where there is no second eigenvector."""
        return float(self.cosines[-1]) if len(self.cosines) == figure1.LEADING else 0.0


def cases(scale: str) -> list[tuple[str, str]]:
    """Methods with their frequency scales that the table compares."""
    return [("uniform", ""), ("kmeans", ""), *(("rff", each) for each in FREQUENCY_SCALES), ("orf", scale)]


@shared()
def exact(balls: Balls) -> LeadingPairs:
    """Leading eigenpairs of K, which is never held."""
    return figure1.exact_pairs(balls.data.X, balls.sigma)


@shared()
def comparisons(balls: Balls, m: int, scale: str) -> tuple[Comparison, ...]:
    """Compare the leading subspaces of K and of approximations from m landmarks or frequencies."""
    vectors, found = exact(balls).vectors, []
    for method, each in cases(scale):
        pairs = figure1.feature_pairs(balls.data.X, method, m, balls.sigma, balls.seed, each or "1/σ")
        found.append(Comparison(method, each, pairs, principal_cosines(vectors, pairs.vectors)))
    return tuple(found)


@shared()
def first_accuracy(balls: Balls, method: str, m: int, scale: str) -> float:
    """Test accuracy (%) in the first trial: one split, one draw."""
    problem = figure1.problem_of(balls.data, balls.sigma)
    return accuracy(figure1.accuracy_record(problem, (method, scale), m, 0, balls.seed)[0])


@shared()
def accuracies(balls: Balls, m: int, scale: str) -> dict[tuple[str, str], float]:
    """Test accuracies (%) of all methods of the table in the first trial."""
    return {(method, each): first_accuracy(balls, method, m, each) for method, each in cases(scale)}


def trials(balls: Balls, scale: str) -> Run:
    """Return the run of all methods at every m, trial by trial."""
    problem, scales = figure1.problem_of(balls.data, balls.sigma), dict.fromkeys(figure1.METHODS, scale)
    return running(
        ("two balls accuracy", *balls.content, scale, figure1.TRIALS),
        lambda: figure1.accuracy_jobs(problem, scales, figure1.MS, figure1.TRIALS, balls.seed),
        rows=balls.data.n,
    )


def accuracy(record: Record) -> float:
    """Test accuracy in per cent."""
    return 100.0 - record.values["test_error"]


def reach(found: LeadingPairs) -> tuple[float, float]:
    """Smallest and largest entry of the first eigenvector, times √n; 1 and 1 where all entries are alike."""
    if not found.vectors.size:
        return 0.0, 0.0
    first = found.vectors[:, 0] * math.copysign(math.sqrt(len(found.vectors)), found.vectors[:, 0].sum())
    return float(first.min()), float(first.max())


def rows(
    balls: Balls, m: int, found: Sequence[Comparison], scores: Scores, run: Run
) -> list[dict[str, object]]:
    """Eigenvalues, cosines, reach and accuracy of each row of the table; every trial of the curves."""
    data = balls.data
    begin = {"data": data.name, "n": data.n, "d": data.d, "kernel": repr(Gaussian(balls.sigma))}
    begin |= {"sigma": balls.sigma, "seed": balls.seed, "picture": "table"}
    written = []
    for i, value in enumerate(exact(balls).values, 1):
        values = {"eigenvalue_over_n": float(value) / data.n}
        written += measured({**begin, "method": "exact", "rank": i}, values)
    low, high = reach(exact(balls))
    written += measured({**begin, "method": "exact"}, {"reach_low": low, "reach_high": high})
    for one in found:
        line = {**begin, "method": one.method, "scale": one.scale, "m": m}
        low, high = reach(one.pairs)
        values = {"reach_low": low, "reach_high": high, "accuracy": scores[one.case]}
        written += measured(line, values)
        for i, cosine in enumerate(one.cosines, 1):
            written += measured({**line, "angle": i}, {"cosine": float(cosine)})
    for record in run.records():
        (row, *_) = of_records([record], data.name, picture="trials")
        written.append({**row, "measure": "accuracy", "value": accuracy(record)})
    return written


def python(balls: Balls, m: int, scale: str) -> str:
    """Write the script."""
    scales = dict.fromkeys(figure1.METHODS, scale)
    made = f"{balls.data.n}, redundant={balls.redundant}, seed={balls.seed}, distance={balls.distance!r}"
    return f"""import math
import nysviz as nv
from nysviz.papers.yang2012 import figure1
from nysviz.learning.leading_subspace import principal_cosines
from nysviz.sweep import run_jobs

data = nv.two_balls({made})
sigma, m, seed = {balls.sigma!r}, {m}, {balls.seed}
exact = figure1.exact_pairs(data.X, sigma)
for i, value in enumerate(exact.values, 1):
    print(f"picture=table method=exact rank={{i}} eigenvalue_over_n", value / data.n)

def reach(at, vectors):  # of the first eigenvector
    first = vectors[:, 0] * math.copysign(math.sqrt(data.n), vectors[:, 0].sum())
    print(at, "reach_low", first.min())
    print(at, "reach_high", first.max())

reach("picture=table method=exact", exact.vectors)
problem = figure1.problem_of(data, sigma)
for method, scale in {cases(scale)!r}:
    at = f"picture=table method={{method}} scale={{scale}}"
    pairs = figure1.feature_pairs(data.X, method, m, sigma, seed, scale or "1/σ")
    reach(at, pairs.vectors)
    for i, cosine in enumerate(principal_cosines(exact.vectors, pairs.vectors), 1):
        print(at, f"angle={{i}} cosine", cosine)
    record, = figure1.accuracy_record(problem, (method, scale), m, 0, seed)
    print(at, "accuracy", 100.0 - record.values["test_error"])

# The curves: trials.
for finished in run_jobs(figure1.accuracy_jobs(problem, {scales!r}, seed=seed)):
    for record in finished.records:
        at = f"picture=trials method={{record.method}} m={{record.m}} repeat={{record.repeat}}"
        print(at, "accuracy", 100.0 - record.values["test_error"])"""


ABOUT = (
    "RFF: random Fourier features. ORF: the same with orthogonal frequencies. Accuracy: on the test half of "
    "one split. Cosine: of the larger angle between the planes of the two leading eigenvectors. Last column: "
    "entries of the first eigenvector, times √n."
)


def pair(found: Sequence[Comparison], scale: str) -> tuple[Comparison, Comparison]:
    """Return the two methods of the paper: Nyström and random Fourier features of the chosen scale."""
    by_case = {one.case: one for one in found}
    return by_case["uniform", ""], by_case["rff", scale]


def answer(m: int, scale: str, found: Sequence[Comparison], scores: Scores) -> str:
    """Answer the page's question, with the accuracies once they are known."""
    ours, theirs = pair(found, scale)
    reached = [f" **{scores[one.case]:.1f} %**" if scores else "" for one in (ours, theirs)]
    of_scale = "" if scale == "1/σ" else f" of scale {scale}"
    return f"Test accuracy at m = {m}: Nyström{reached[0]}, random Fourier features{of_scale}{reached[1]}."


def numbers(exact: LeadingPairs, found: Sequence[Comparison], scores: Scores) -> str:
    """Return the table: accuracy, cosine and reach of every method and of RFF at every frequency scale."""
    rows = [("K, exact", "", "1", _from_to(reach(exact)))]
    for one in found:
        name = LABELS[one.method] + (f", scale {one.scale}" if one.scale else "")
        score = f"{scores[one.case]:.1f}" if scores else "…"
        rows.append((name, score, f"{one.smallest:.3f}", _from_to(reach(one.pairs))))
    return page.number_table(("", "accuracy, %", "cosine", "√n u<sub>1</sub>"), rows)


def _from_to(ends: tuple[float, float]) -> str:
    return " … ".join(f"{end:.2f}".replace("-", "−") for end in ends)


def shortfall(exact: LeadingPairs) -> str:
    """Say so where K has no plane of two leading eigenvectors; empty where it has one."""
    first, second, *rest = exact.values
    if rest and rest[0] > 0.98 * second:
        # The second eigenvector is as good as any other.
        return f"λ₃ is {rest[0] / second:.3f} of λ₂: K has no leading plane, and the cosines say little."
    # Vectors with a smaller residual are right to more digits than a picture shows.
    if exact.residual > 1e-3 * second / first:
        return f"The eigenvectors of K did not settle in {exact.passes} passes: the cosines are rough."
    return ""


@shared()
def _made(n: int, redundant: int, seed: int, distance: float) -> Dataset:
    return two_balls(n, redundant, seed, distance)


def own_sidebar() -> Balls:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    keep_choices()
    with st.sidebar:
        st.caption("This page makes its own data.")
        n = stops("Points n", (500, 1_000, 2_000, 4_000, 7_000, 10_000), "balls_n", 2_000)
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
    offered = [m for m in (2, 5, 10, 20, 50, 100, 200) if 2 * m <= balls.data.n]
    m = stops("Landmarks, or frequencies, m", offered, "balls_m", figure1.MS[-1])
    note = "u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel."
    label, names = (
        "Standard deviation s of the Fourier frequencies",
        {"1/σ": "1/σ, as defined", "1": "1", "σ": "σ"},
    )
    return m, segments(label, FREQUENCY_SCALES, "balls_scale", names=names, help=note)


def _drawn_rows(balls: Balls) -> IntArray:
    """Rows whose points are drawn in every picture: a browser draws some 900 markers in 0.15 s."""
    return np.sort(np.random.default_rng(0).permutation(balls.data.n)[:300])


def draw_balls(balls: Balls) -> None:
    """Draw the first two dimensions."""
    rows, title = _drawn_rows(balls), "The two balls"
    sheet = page.sheet(title, f"{len(rows)} of {balls.data.n} points; d = {balls.data.d}")
    figure = figures.balls_chart(balls.data.X[rows, :2], np.asarray(balls.data.y)[rows], sheet)
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
    sheet = page.sheet(title, f"{balls.subtitle}, m = {m}")
    figure = figures.eigenvector_chart(panels, np.asarray(balls.data.y)[rows], rows, sheet)
    page.show(figure, "balls_eigenvectors", f"First two eigenvectors of three matrices. {title}.")


def draw_eigenvalues(balls: Balls, found: Sequence[Comparison], m: int, scale: str) -> None:
    """Draw the leading eigenvalues of K and of two approximations."""
    values, n = exact(balls).values / balls.data.n, balls.data.n
    title = f"λ₁/n = {three_digits(float(values[0]))}, λ₂/n = {three_digits(float(values[1]))}"
    others = {one.method: (LABELS[one.method], one.pairs.values / n) for one in pair(found, scale)}
    sheet = page.sheet(title, f"m = {m}; frequencies of scale {scale}")
    figure = figures.eigenvalue_chart(values, others, sheet)
    page.show(figure, "balls_eigenvalues", f"Eigenvalues of K and of its approximations. {title}.")


def draw_accuracy(records: Sequence[Record], scale: str) -> None:
    """Draw the mean test accuracy of every method at each m, with its spread over the trials so far."""
    lines, errors = [], by_method(records, "test_error")
    for method, label in LABELS.items():
        by_m = {m: 100.0 - of[method] for m, of in errors.items() if method in of}
        hover = [
            f"{label}, m = {m}<br>{of.mean():.1f} ± {of.std(ddof=len(of) > 1):.1f} %"
            for m, of in by_m.items()
        ]
        if by_m:
            lines.append(score_line(method, label, list(by_m), list(by_m.values()), hover, 100.0))
    title = "Test accuracy of a linear classifier"
    trials = counted(len({record.repeat for record in records}), "trial")
    sheet = page.sheet(title, f"Mean ± standard deviation of {trials}; frequencies of scale {scale}")
    page.show(figures.accuracy_chart(lines, figure1.MS, sheet), "balls_accuracy", f"{title} against m.")
