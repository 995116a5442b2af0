"""Does the embedding of kernel PCA survive? The embedding by K̃ beside that by K (Zhang 2008, table 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.learning import kernel_pca as kpca
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine, key_of, shared
from nysviz.figures.data_map import labels_of
from nysviz.figures.kernel_pca import Points, embedding_chart, gram_chart, misalignment_chart
from nysviz.figures.traces import lines_of, quartiles
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.landmarks.selection import SQUARE_COPIES
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import quoted
from nysviz.numerics.memory import square_bytes
from nysviz.numerics.timing import Timed, timed
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.lowrank import LowRank
from nysviz.papers.output import published
from nysviz.papers.zhang2008 import table3
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.choice import Choice, checked_choice
from nysviz.studies.frames import M, counts_of
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, scene_of
from nysviz.studies.stops import Stops
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.text import counted, grouped, in_seconds, three_digits

VECTORS = 8  # eigenvectors whose products are shown in the third picture
PERCENTS, REPEATS = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0), 10  # of the curve
METHODS_OF_CURVE = (*table3.COMPARED, "rpcholesky")
DRAWN = 400  # points on each side of the picture: together they appear in about a tenth of a second


@dataclass(frozen=True)
class Embedded:
    """One method's embedding beside the exact one."""

    approximation: LowRank
    aligned: FloatArray
    misalignment: float
    angles: FloatArray


@dataclass(frozen=True)
class EmbeddingTimes:
    """The times of one method's embedding and of the exact one, each without K at hand."""

    approximate: Timed[None]
    exact: Timed[None]


# What the names in the curve of misalignment mean.
VARIANTS_IN_WORDS = {
    "kmeans_keep": " Where empty = keep, a cluster of k-means that loses all its rows keeps its centre.",
    "icd_first": " Where first = random, the first row of incomplete Cholesky is drawn at random.",
}


def directions(scene: Scene) -> int:
    """Return how many directions are compared: three, fewer for a handful of rows."""
    return max(1, min(kpca.DIRECTIONS, scene.data.n - 1))


# K and a copy of it.
@shared(holds=lambda scene: square_bytes(scene.data.n, 2.0))
def exact_embedding(scene: Scene) -> kpca.Embedding:
    """Exact kernel PCA."""
    return kpca.exact_embedding(scene.data.X, scene.kernel, directions(scene))


def _bytes(scene: Scene, choice: Choice) -> float:
    method_bytes = matrices.approximation_bytes(scene, choice.method, choice.m, choice.options)
    # The exact embedding is computed with it where it is not there yet.
    is_there = engine().has(key_of(exact_embedding, scene.unseeded))
    return method_bytes if is_there else max(method_bytes, square_bytes(scene.data.n, 2.0))


@shared(holds=_bytes)
def embed(scene: Scene, choice: Choice) -> Embedded:
    """Return the method's embedding and how far it is from the exact one."""
    U = exact_embedding(scene.unseeded).vectors
    matrices.load_loops(choice.method)
    a = _approximate(scene, choice)
    V = kpca.approximate_embedding(a, U.shape[1]).vectors
    return Embedded(a, kpca.aligned(U, V), kpca.misalignment(U, V), kpca.principal_angles(U, V))


def _approximate(scene: Scene, choice: Choice) -> LowRank:
    """Approximate without K at hand."""
    options = dict(choice.options)
    return approximate(
        scene.data.X, scene.kernel, choice.method, choice.m, scene.seed, matrix=None, **options
    )


@shared(holds=_bytes)
def times_of(scene: Scene, choice: Choice) -> EmbeddingTimes:
    """Measure the seconds of both embeddings, computed anew."""
    k = exact_embedding(scene.unseeded).vectors.shape[1]

    def approximately() -> tuple[None, float]:
        a = _approximate(scene, choice)
        return None, a.seconds + kpca.approximate_embedding(a, k).seconds

    def exactly() -> tuple[None, float]:
        return None, kpca.exact_embedding(scene.data.X, scene.kernel, k).seconds

    return EmbeddingTimes(timed(approximately), timed(exactly))


@shared()
def _leading_vectors(scene: Scene) -> FloatArray:
    """Leading eigenvectors of K."""
    return matrices.matrix_of(scene).eigenpairs(min(VECTORS, scene.data.n))[1]


@shared(holds=lambda scene, choice: square_bytes(choice.m, SQUARE_COPIES))
def compare_forms(scene: Scene, choice: Choice) -> kpca.Forms:
    """Both forms of the eigenvectors of K̃ beside those of K."""
    return kpca.two_forms(embed(scene, choice).approximation, _leading_vectors(scene.unseeded))


def curve_counts(n: int) -> dict[int, float]:
    """Number of landmarks → m/n in per cent, each number once."""
    counts: dict[int, float] = {}
    for percent in PERCENTS:
        counts.setdefault(max(1, round(n * percent / 100)), percent)
    return counts


def curve_run(scene: Scene, methods: tuple[str, ...]) -> Run:
    """Return the run of the misalignments against m of these methods."""
    U, ms = exact_embedding(scene.unseeded).vectors, tuple(curve_counts(scene.data.n))
    settings = (U, methods, ms, REPEATS, scene.seed)
    return matrices.run_on(
        scene,
        "kernel pca curve",
        lambda problem: table3.misalignment_jobs(problem, *settings),
        methods,
        ms,
    )


def offered_methods(kernel: Kernel) -> list[str]:
    """Return the methods that the curve can have."""
    # The best rank m is no choice of landmarks, and needs all of the spectrum for each m.
    every = [name for name in (*METHODS, *table3.VARIANTS) if name != "svd"]
    return [name for name in every if METHODS[table3.method_and_options(name)[0]].suits(kernel)]


def kernel_pca(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    method: str = "kmeans",
    m: int | None = None,
    options: Mapping[str, object] | None = None,
    *,
    directions: tuple[int, int] = (1, 2),
    methods: Sequence[str] = METHODS_OF_CURVE,
    seed: int = 0,
    theme: Ink = "light",
) -> "KernelPCA":
    """Compare kernel PCA by an approximation with exact kernel PCA.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of many rows a random sample is taken: exact eigenvectors need all of K.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    method : str
    m : int, optional
        Number of landmarks, by default about 5 % of the rows.
    options : mapping, optional
        Options of the method.
    directions : pair of int
        The two principal directions that are drawn, of 1, 2 and 3.
    methods : sequence of str
        Methods of the curve of misalignment against m; empty for no curve.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    KernelPCA
        With ``answer``, ``table``, ``figures``; ``embedded.misalignment`` and ``embedded.angles`` (degrees).

    Raises
    ------
    ValueError
        An unknown method, one that does not support the kernel, or m or directions out of range.

    References
    ----------
    Zhang, Tsang and Kwok 2008, table 3.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.kernel_pca(nv.load("iris"), method="kmeans", m=8, methods=["uniform"])
    >>> sorted(result.figures)
    ['embedding', 'forms', 'misalignment']
    """
    scene = scene_of(data, kernel, seed)
    if len(set(directions)) != 2 or not set(directions) <= set(range(1, kpca.DIRECTIONS + 1)):
        needed = f"two different numbers from 1 to {kpca.DIRECTIONS} are needed"
        raise Refusal(f"directions = {quoted(directions)}; {needed}.")
    for name in methods:
        checked_choice("methods", name, offered_methods(scene.kernel))
    choice = Choice.from_arguments(matrices.exact_part(scene), method, m, options)
    study = KernelPCA(
        scene=scene,
        choice=choice,
        directions=directions,
        methods=tuple(methods),
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelPCA(Study):
    """Kernel PCA by an approximation, beside that by K."""

    choice: Choice
    directions: tuple[int, int] = (1, 2)
    methods: tuple[str, ...] = METHODS_OF_CURVE

    name = "kernel_pca"
    question = "Does the embedding survive?"

    embedded = Part(
        embed,
        "part choice",
        "{study.choice.label}, m = {study.choice.m}, beside exact kernel PCA",
        needed=True,
    )
    both_forms = Part(
        compare_forms, "part choice", "Two forms of the eigenvectors", when=lambda study: study.has_landmarks
    )
    times = Part(times_of, "part choice", "Time of both embeddings")
    misalignments = Runs(
        curve_run, "part methods", "Runs", beside=True, when=lambda study: bool(study.methods)
    )

    @property
    def part(self) -> Scene:
        """The rows whose exact eigenvectors are computed: all, or a random sample of many."""
        return matrices.exact_part(self.scene)

    @property
    def stops(self) -> Stops:
        """The slider over m."""
        choice, n = self.choice, self.part.data.n
        counts = counts_of(n)
        return Stops(
            replace(self, computed={}),
            M,
            f"the number of {METHODS[choice.method].counted}",
            choice.m,
            counts,
            lambda m: replace(self, choice=replace(choice, m=int(m)), computed={}),
            lambda m: f"m = {int(m)}",
            ("embedding",),
            ("embedded",),
            matrices.run_bytes(n, [choice.method], counts[-1], matrix=True),
            cursors={"misalignment": lambda m: 100.0 * m / n},
        )

    @property
    def exact(self) -> kpca.Embedding:
        """Exact kernel PCA, which comes with the method's embedding."""
        return exact_embedding(self.part.unseeded)

    @property
    def has_landmarks(self) -> bool:
        """Whether there is one matrix of landmarks to extend the eigenvectors from."""
        a = self.embedded.approximation
        return a.landmarks is not None and a.shares is None

    @property
    def answer(self) -> str:
        """Say how far the leading directions are from the exact ones."""
        if not self.has("embedded"):
            return ""
        k, choice = self.exact.vectors.shape[1], self.choice
        return (
            f"Misalignment of {counted(k, 'leading direction')} with "
            f"{METHODS[choice.method].in_words(choice.m)}: "
            f"**{three_digits(self.embedded.misalignment)}**, where 0 is exact and "
            f"{three_digits(np.sqrt(k))} is nothing in common."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """Angles and times."""
        if not self.has("embedded"):
            return None
        angles = self.embedded.angles
        rows: list[Row] = []
        # A method whose K̃ has fewer directions loses the others altogether.
        for j in range(self.exact.vectors.shape[1]):
            is_there = j < len(angles)
            angle = three_digits(float(angles[j])) if is_there else "90"
            label = Label(f"angle θ<sub>{j + 1}</sub>", "angle")
            rows.append((label, f"{angle}°", "" if is_there else "not found"))
        if self.has("times"):
            time, exact = self.times.approximate, self.times.exact
            rows.append((Label("time", "embedding_seconds"), in_seconds(time.seconds), time.remark))
            rows.append(
                (Label("time, exact", "exact_embedding_seconds"), in_seconds(exact.seconds), exact.remark)
            )
            if time.seconds > 0:
                ratio = f"{three_digits(exact.seconds / time.seconds)} ×"
                rows.append((Label("time, exact / this", "speedup"), ratio, ""))
        return NumberTable((PLAIN,) * 3, rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say what is not computed, and what the method says of its approximation."""
        notes = []
        if (n := self.part.data.n) < self.scene.data.n:
            rows = f"{grouped(n)} random rows of {grouped(self.scene.data.n)}"
            notes.append(f"{rows} are shown: exact eigenvectors need all of K.")
        if self.has("embedded"):
            notes += self.embedded.approximation.notes
            if not self.has_landmarks:
                notes.append("The plain extension needs landmarks.")
        return notes

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return misalignment, angles and seconds of this method, and both forms."""
        begin, embedded = self.choice.head(self.part, picture="embedding"), self.embedded
        rows = measured(begin, {"misalignment": embedded.misalignment})
        if self.has("times"):
            exact = {**begin, "method": "exact", "options": None, "m": None}
            rows += measured(begin, {"seconds": self.times.approximate.seconds})
            rows += measured(exact, {"seconds": self.times.exact.seconds})
        for i, angle in enumerate(embedded.angles, 1):
            rows += measured({**begin, "angle": i}, {"degrees": float(angle)})
        if self.has("both_forms"):
            forms = self.both_forms
            rows += measured(begin, {"departure": kpca.departure(forms.extension)})
            rows += measured(begin, {"departure_orthogonal": kpca.departure(forms.orthogonal)})
            for i, pair in enumerate(zip(forms.extension_angles, forms.orthogonal_angles, strict=False), 1):
                values = {"degrees_extension": float(pair[0]), "degrees_orthogonal": float(pair[1])}
                rows += measured({**begin, "angle": i}, values)
        return rows

    @chart(
        "embedded",
        caption=(
            "Each point is a row of the data in two principal directions of the kernel matrix: left by K, "
            "right by K̃, turned and scaled to lie as near as possible. Colours are classes, where there are "
            "any. The more alike the two pictures, the less is lost."
        ),
    )
    def embedding(self) -> go.Figure:
        """Draw two directions of the exact embedding and the method's."""
        data, exact = self.part.data, self.exact.vectors
        n, k = exact.shape
        # Always the same rows of the same data, with what colours them.
        rows = matrices.drawn_rows(n, DRAWN)
        texts = [f"row {row}{label}" for row, label in zip(rows, labels_of(data, rows), strict=True)]
        points = Points(texts)
        if data.y is not None and data.task == "classification":
            points = Points(texts, np.searchsorted(np.unique(data.y), data.y[rows]), data.classes)
        elif data.y is not None:
            points = Points(texts, values=data.y[rows])
        # Unit vectors times √n: coordinates of size 1, whatever n is. Missing directions are drawn as 0.
        missing, pair = ((0, 0), (0, kpca.DIRECTIONS - k)), [number - 1 for number in self.directions]
        sides = [np.pad(side, missing)[:, pair] * np.sqrt(n) for side in (exact, self.embedded.aligned)]
        part = f"; {counted(len(rows), 'point')} drawn" if len(rows) < n else ""
        first, second = (f"direction {number}" for number in self.directions)
        return embedding_chart(
            sides[0][rows],
            sides[1][rows],
            points,
            np.transpose(matrices.ranges_of(sides[0])),
            ("by K", "by K̃, aligned"),
            (first, second),
            self.sheet("The embedding by K and by K̃", f"{self.part.subtitle}{part}"),
        )

    @chart(
        "both_forms",
        caption=(
            "A cell is the scalar product of two eigenvectors of K̃. Orthonormal eigenvectors have ones "
            "on the diagonal and zeros elsewhere; the departure from that is written above, and smaller "
            "is better."
        ),
    )
    def forms(self) -> go.Figure:
        """Draw the products of the eigenvectors of K̃ in both forms."""
        forms = self.both_forms
        plain, orthogonal = (U.T @ U for U in (forms.extension, forms.orthogonal))
        return gram_chart(plain, orthogonal, self.sheet("Products of the eigenvectors of K̃"))

    def _explain_misalignment(self) -> str:
        rest = "".join(text for name, text in VARIANTS_IN_WORDS.items() if name in self.methods)
        rest += " Diamonds are values printed in the paper." if self._printed else ""
        return (
            "Each line is a method, and lower is better: at 0 all leading directions would be those of K. A "
            f"band has the middle half of the runs.{rest}"
        )

    @property
    def _printed(self) -> list[tuple[str, float, float, float]]:
        """The paper's values for this data set, at 5 %, where the kernel is the one that it used."""
        scene = self.part
        is_papers = scene.kernel.label == "Gaussian" and scene.multiple == 1.0
        is_papers &= scene.data.from_catalog and not scene.whole
        return [
            (METHODS[row["method"]].label, 5.0, float(row["mean"]), float(row["std"] or 0.0))
            for row in published("zhang2008_table3_error")
            if is_papers and row["data"] == scene.data.name
        ]

    @chart("misalignments", caption=_explain_misalignment)
    def misalignment(self) -> go.Figure:
        """Draw the misalignment against m/n of the runs so far."""
        percents = curve_counts(self.part.data.n)
        values: dict[int, dict[str, list[float]]] = {m: {} for m in percents}
        for record in self.misalignments:
            values[record.m].setdefault(table3.name_of(record), []).append(record.values["misalignment"])
        labels = {name: table3.label_of(name) for name in self.methods}
        lines = lines_of(values, labels, quartiles, percents.__getitem__)
        sheet = self.sheet("Misalignment against m / n", f"median and quartiles of {REPEATS} runs")
        largest = float(np.sqrt(self.exact.vectors.shape[1]))
        return misalignment_chart(lines, list(percents.values()), largest, self._printed, sheet)
