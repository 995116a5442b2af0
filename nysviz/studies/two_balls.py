"""Two balls: whether features of the data win over random ones, on data that the study makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.analysis.learning.leading_subspace import (
    LeadingPairs,
    pairs_bytes,
    principal_cosines,
    reach,
    turned_towards,
)
from nysviz.datasets import load
from nysviz.datasets.generators import checked_whole
from nysviz.engine import Run
from nysviz.engine.shared import engine, once, shared
from nysviz.figures.look import axis
from nysviz.figures.traces import against_m, deviation, lines_of
from nysviz.figures.two_balls import balls_chart, eigenvalue_chart, eigenvector_chart
from nysviz.kernels import Gaussian
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers.yang2012 import figure1
from nysviz.papers.yang2012.figure1 import FREQUENCY_SCALES
from nysviz.refusal import Refusal
from nysviz.studies.frames import M
from nysviz.studies.html import WAITING, Label, NumberTable, Row
from nysviz.studies.matrices import drawn_rows
from nysviz.studies.rows import measured, of_records
from nysviz.studies.scene import Scene, head
from nysviz.studies.stops import Stops
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, of_all, three_digits

# A method with its frequency scale; landmarks have no scale.
Case = tuple[str, str]
NYSTROEM: Case = ("uniform", "")
DRAWN = 300  # points of every picture: a browser draws some 900 markers in 0.15 s
LABELS = {"rff": "RFF", "orf": "ORF", "uniform": "Nyström, uniform", "kmeans": "Nyström, k-means"}
POINTS = 2_000
# What the slider moves, and its stops.
DISTANCE = "distance"
DISTANCES = tuple(round(0.2 * step, 1) for step in range(16))
COUNTS = (2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200)


@dataclass(frozen=True)
class Comparison:
    """How an approximation's two leading eigenvectors compare with those of K."""

    pairs: LeadingPairs
    cosines: FloatArray


@dataclass(frozen=True)
class Comparisons:
    """The leading eigenpairs of K, and those of all approximations of the table."""

    exact: LeadingPairs
    cases: Mapping[Case, Comparison]


def cases(scale: str) -> list[Case]:
    """Return what the table compares."""
    return [("uniform", ""), ("kmeans", ""), *(("rff", each) for each in FREQUENCY_SCALES), ("orf", scale)]


@shared()
def leading(scene: Scene) -> LeadingPairs:
    """Return the eigenpairs of K whose vectors are compared; K is never held."""
    return figure1.exact_pairs(scene.data.X, sigma_of(scene), figure1.LEADING)


@shared(holds=lambda scene: pairs_bytes(scene.data.n, figure1.EIGENVALUES))
def leading_eigenvalues(scene: Scene) -> FloatArray:
    """Return the leading eigenvalues of K, as many as are drawn, which take longer than the vectors."""
    return figure1.exact_pairs(scene.data.X, sigma_of(scene)).values


@shared()
def compare(scene: Scene, method: str, m: int, scale: str) -> Comparison:
    """Compare the leading subspaces of K and of an approximation from m landmarks or frequencies."""
    pairs = figure1.feature_pairs(scene.data.X, method, m, sigma_of(scene), scene.seed, scale or "1/σ")
    return Comparison(pairs, principal_cosines(leading(scene).vectors, pairs.vectors))


@shared()
def compare_all(scene: Scene, m: int, scale: str) -> Comparisons:
    """Compare all methods of the table with K."""
    comparisons = {(method, each): compare(scene, method, m, each) for method, each in cases(scale)}
    return Comparisons(leading(scene), comparisons)


@shared()
def first_accuracy(scene: Scene, method: str, m: int, scale: str) -> float:
    """Return the test accuracy (%) in the first trial: one split, one draw."""
    problem = figure1.problem_of(scene.data, sigma_of(scene))
    (record,) = figure1.accuracy_record(problem, (method, scale), m, 0, scene.seed)
    return accuracy_of(record)


@shared()
def first_accuracies(scene: Scene, m: int, scale: str) -> Mapping[Case, float]:
    """Return the test accuracies (%) of all methods of the table in the first trial."""
    return {(method, each): first_accuracy(scene, method, m, each) for method, each in cases(scale)}


def trial_run(scene: Scene, scale: str) -> Run:
    """Return the run of the test errors of every method at each m, with data drawn anew in each trial."""
    problem, scales = figure1.problem_of(scene.data, sigma_of(scene)), dict.fromkeys(figure1.METHODS, scale)
    return engine().run(
        ("two balls accuracy", *scene.content, scale, figure1.TRIALS),
        lambda: figure1.accuracy_jobs(problem, scales, figure1.MS, figure1.TRIALS, scene.seed),
        matrix_bytes(scene.data.n),
    )


def accuracy_of(record: Record) -> float:
    """Return the test accuracy (%)."""
    return 100.0 - record.values["test_error"]


def sigma_of(scene: Scene) -> float:
    """Return the bandwidth."""
    return float(scene.kernel.sigma)  # type: ignore[attr-defined]  # of a Gaussian kernel


def balls_scene(n: int, redundant: int, distance: float, sigma: float, seed: int) -> Scene:
    """Return the scene of these balls and the Gaussian kernel; the data are made once."""
    settings: dict[str, Any] = {"n": n, "redundant": redundant, "seed": seed, "distance": distance}
    data = once(("data", "two_balls", *settings.values()), lambda: load("two_balls", **settings))
    return Scene(data, Gaussian(sigma), seed, None, tuple(settings.items()))


def two_balls(
    n: int = POINTS,
    redundant: int = figure1.REDUNDANT,
    distance: float = 1.0,
    sigma: float = figure1.SIGMA,
    m: int = figure1.MS[-1],
    scale: str = FREQUENCY_SCALES[0],
    *,
    seed: int = 0,
    theme: Ink = "light",
) -> "TwoBalls":
    """Compare Nyström features with random Fourier features on two balls and features that say nothing.

    Parameters
    ----------
    n : int
        Points, half in each ball of radius 0.5; 10 000 in the paper.
    redundant : int
        Features uniform on [0, 1], the same for both classes.
    distance : float
        Of the centres: the balls overlap below 1 and touch at 1.
    sigma : float
        Bandwidth of the Gaussian kernel exp(-‖x - y‖² / 2σ²).
    m : int
        Landmarks or frequencies, at most half of the points.
    scale : {"1/σ", "1", "σ"}
        Standard deviation of the frequencies; only 1/σ makes the features estimate the kernel.
    seed : int
        Start of the random numbers: of the data, the landmarks, the frequencies and the trials.
    theme : {"light", "dark"}

    Returns
    -------
    TwoBalls
        With ``answer``, ``table``, ``figures``; ``accuracies`` (%) and ``comparisons.cases`` have a value for
        each method with its scale, ``spectrum`` the leading eigenvalues of K.

    Raises
    ------
    ValueError
        For impossible data, m out of range, or an unknown scale.

    Notes
    -----
    K is never held; a linear classifier for every method, m and trial takes most of the time.

    References
    ----------
    Yang, Li, Mahdavi, Jin and Zhou 2012, figure 1.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.two_balls(n=100, redundant=3, m=20)
    >>> sorted(result.figures)
    ['accuracy', 'eigenvalues', 'eigenvectors', 'points']
    """
    if scale not in FREQUENCY_SCALES:
        raise Refusal(f"The scale is {str(scale)[:40]!r}; it must be one of {', '.join(FREQUENCY_SCALES)}.")
    scene = balls_scene(n, redundant, distance, sigma, seed)
    m = checked_whole("m", m, 1, scene.data.n // 2)
    return complete(TwoBalls(scene=scene, m=m, scale=scale, theme=theme_of(theme)))


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoBalls(Study):
    """Eigenvectors and classifiers of Nyström and random Fourier features on two balls."""

    m: int = figure1.MS[-1]
    scale: str = FREQUENCY_SCALES[0]
    drag: str = DISTANCE

    name = "two_balls"
    question = "When do data-dependent bases win?"

    comparisons = Part(compare_all, "scene m scale", "Leading eigenvectors, m = {study.m}", needed=True)
    accuracies = Part(first_accuracies, "scene m scale", "Linear classifiers, m = {study.m}", beside=True)
    spectrum = Part(leading_eigenvalues, "scene", "Eigenvalues", beside=True)
    trials = Runs(
        trial_run,
        "scene scale",
        "Linear classifiers",
        beside=True,
        when=lambda study: study.has("accuracies") and study.has("spectrum"),
    )

    @property
    def stops(self) -> Stops:
        """The slider over the distance of the balls, or over m."""
        settings: dict[str, Any] = dict(self.scene.settings)
        n, redundant, distance, seed = (settings[name] for name in ("n", "redundant", "distance", "seed"))
        rows = min(n, POINTS)

        def at(distance: float, m: int) -> "TwoBalls":
            scene = balls_scene(rows, redundant, distance, sigma_of(self.scene), seed)
            return replace(self, scene=scene, m=min(m, rows // 2), computed={})

        def slider(label: str, value: float, values: Sequence[float], **more: Any) -> Stops:
            return Stops(
                study=replace(self, computed={}),
                along=self.drag,
                label=label,
                value=value,
                values=tuple(values),
                parts=("comparisons", "accuracies"),
                holds=pairs_bytes(rows, figure1.EIGENVALUES),
                about="" if rows == n else f"with {counted(rows, 'point')}",
                **more,
            )

        if self.drag == M:
            return slider(
                "landmarks or frequencies",
                self.m,
                [m for m in COUNTS if 2 * m <= rows],
                at=lambda m: at(distance, int(m)),
                name_of=lambda m: f"m = {int(m)}",
                charts=("eigenvectors",),
                cursors={"accuracy": lambda m: m},
            )
        return slider(
            "that of the balls' centres",
            distance,
            DISTANCES,
            at=lambda value: at(value, self.m),
            name_of=lambda value: f"distance {value:g}",
            charts=("eigenvectors", "points"),
        )

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments: those of the data are settings of the scene."""
        return {**dict(self.scene.settings), "sigma": sigma_of(self.scene), "m": self.m, "scale": self.scale}

    @property
    def answer(self) -> str:
        """Say the accuracies of Nyström and random Fourier features, once they are known."""
        if not self.has("accuracies"):
            return WAITING if self.has("comparisons") else ""
        nystroem, fourier = (
            f" **{self.accuracies[case]:.1f} %**" for case in (NYSTROEM, ("rff", self.scale))
        )
        scale = "" if self.scale == "1/σ" else f" of scale {self.scale}"
        return (
            f"Test accuracy at m = {self.m}: Nyström with uniform sampling{nystroem}, random Fourier "
            f"features{scale}{fourier}."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """Accuracy, cosine and reach of every method, and of RFF at every frequency scale."""
        if not self.has("comparisons"):
            return None
        exact = Label("K, exact", "exact_matrix")
        rows: list[Row] = [(exact, "", "1", _from_to(reach(self.comparisons.exact.vectors)))]
        for (method, scale), comparison in self.comparisons.cases.items():
            name = LABELS[method] + (f", s = {scale}" if scale else "")
            accuracy = f"{self.accuracies[method, scale]:.1f}" if self.has("accuracies") else "…"
            # Of the larger of the two angles; 0 where there is no second eigenvector.
            cosines = comparison.cosines
            cosine = float(cosines[-1]) if len(cosines) == figure1.LEADING else 0.0
            rows.append(
                (Label(name, method), accuracy, f"{cosine:.3f}", _from_to(reach(comparison.pairs.vectors)))
            )
        heads = Label("accuracy, %", "first_accuracy"), Label("cosine", "cosine")
        last = Label("√n u<sub>1</sub>", "first_eigenvector")
        return NumberTable((Label("features", "features"), *heads, last), rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say so where K has no plane of two leading eigenvectors."""
        if not self.has("spectrum"):
            return ()
        exact, (first, second, *later) = self.comparisons.exact, self.spectrum
        if later and later[0] > 0.98 * second:
            # The second eigenvector is as good as any other.
            ratio = f"λ₃ is {later[0] / second:.3f} of λ₂"
            return (f"{ratio}: K has no leading plane, and the cosines say little.",)
        # Vectors with a smaller residual are right to more digits than a picture shows.
        if exact.residual > 1e-3 * second / first:
            return (f"The eigenvectors of K did not settle in {exact.passes} passes: the cosines are rough.",)
        return ()

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return eigenvalues, cosines, reach and accuracy of each row of the table."""
        begin, rows = head(self.scene, picture="table"), []
        exact = {**begin, "method": "exact"}
        for i, value in enumerate(self.spectrum if self.has("spectrum") else (), 1):
            rows += measured({**exact, "rank": i}, {"eigenvalue_over_n": float(value) / self.scene.data.n})
        rows += measured(exact, _reach_values(self.comparisons.exact))
        for (method, scale), comparison in self.comparisons.cases.items():
            line = {**begin, "method": method, "scale": scale, "m": self.m}
            accuracy = self.accuracies[method, scale] if self.has("accuracies") else None
            rows += measured(line, {**_reach_values(comparison.pairs), "accuracy": accuracy})
            for i, cosine in enumerate(comparison.cosines, 1):
                rows += measured({**line, "angle": i}, {"cosine": float(cosine)})
        return rows

    def run_rows(self) -> list[dict[str, object]]:
        """Return the accuracy of every trial by now."""
        trials = [replace(record, values={"accuracy": accuracy_of(record)}) for record in self.trials]
        return of_records(trials, self.scene.data.name, lambda record: {"picture": "trials"})

    @chart(
        "comparisons",
        caption=(
            "Each point is a row of the data at its entries in the two leading eigenvectors; its colour "
            "is its class. The more a picture looks like that of K, the better: cos has the cosines of the "
            "angles between its plane and that of K, and 1 is the same plane. Two classes that lie apart can "
            "be told apart."
        ),
    )
    def eigenvectors(self) -> go.Figure:
        """Draw the first two eigenvectors of K and of two approximations."""
        scene, vectors = self.scene, self.comparisons.exact.vectors
        rows = drawn_rows(scene.data.n, DRAWN)
        # The first eigenvector of a positive kernel has one sign: positive, by choice.
        reference = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
        panels = [("K, exact", "", reference[rows])]
        for name, case in (("Nyström", NYSTROEM), (f"RFF, s = {self.scale}", ("rff", self.scale))):
            comparison = self.comparisons.cases[case]
            turned = turned_towards(reference, comparison.pairs.vectors)
            turned = np.pad(turned, ((0, 0), (0, figure1.LEADING - turned.shape[1])))
            cosines = ", ".join(f"{cosine:.3f}" for cosine in comparison.cosines)
            panels.append((name, f"cos {cosines}", turned[rows]))
        sheet = self.sheet("The two leading eigenvectors", f"{scene.subtitle}, m = {self.m}")
        return eigenvector_chart(panels, np.asarray(scene.data.y)[rows], rows, sheet)

    def _explain_accuracy(self) -> str:
        bands = ""
        if len({record.repeat for record in self.trials}) > 1:
            bands = " A band is one standard deviation over trials with other data and random numbers."
        text = "Each line is a method: how many of the test points a linear classifier gets right on its"
        return f"{text} features. Higher is better.{bands}"

    @chart("trials", caption=_explain_accuracy)
    def accuracy(self) -> go.Figure:
        """Draw the mean test accuracy of every method at each m, with its spread over the trials so far."""
        errors = by_method(self.trials, "test_error")
        values = {m: {name: 100.0 - runs for name, runs in methods.items()} for m, methods in errors.items()}
        lines = lines_of(values, LABELS, deviation, float, ends=(0.0, 100.0), unit=" %")
        trials = counted(len({record.repeat for record in self.trials}), "trial")
        sheet = self.sheet("Test accuracy against m", f"mean ± sd of {trials}")
        yaxis = axis("test accuracy (%)", sheet.theme, range=[40, 102], dtick=10)
        return against_m(lines, [], figure1.MS, self.m, "landmarks or frequencies m", yaxis, sheet, 330)

    @chart(
        "comparisons",
        "spectrum",
        caption=(
            "Eigenvalues over n, the largest first; a good approximation follows K. A steep fall after "
            "the second sets two directions apart from all others."
        ),
    )
    def eigenvalues(self) -> go.Figure:
        """Draw the leading eigenvalues of K and of two approximations."""
        n = self.scene.data.n
        values = self.spectrum / n
        title = f"λ₁/n = {three_digits(float(values[0]))}, λ₂/n = {three_digits(float(values[1]))}"
        approximations = {
            case[0]: (LABELS[case[0]], self.comparisons.cases[case].pairs.values / n)
            for case in (NYSTROEM, ("rff", self.scale))
        }
        return eigenvalue_chart(values, approximations, self.sheet(title))

    @chart(
        caption=(
            "The two features that tell the classes apart. Any other feature is noise, the same for both "
            "classes."
        ),
    )
    def points(self) -> go.Figure:
        """Draw some points in the two dimensions of the balls."""
        data = self.scene.data
        rows = drawn_rows(data.n, DRAWN)
        sheet = self.sheet("The two balls", of_all(len(rows), data.n, "point"))
        return balls_chart(data.X[rows, :2], np.asarray(data.y)[rows], sheet)


def _reach_values(pairs: LeadingPairs) -> dict[str, float]:
    low, high = reach(pairs.vectors)
    return {"reach_low": low, "reach_high": high}


def _from_to(ends: tuple[float, float]) -> str:
    return " … ".join(f"{end:.2f}".replace("-", "−") for end in ends)
