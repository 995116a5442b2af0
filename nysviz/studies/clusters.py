"""Does the grouping survive? Spectral clustering by K̃ beside that by K, and beside the classes."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from nysviz.analysis.spectrum.gaps import Gap, largest_gaps
from nysviz.datasets import Dataset
from nysviz.datasets.generators import checked_whole
from nysviz.engine import Run
from nysviz.engine.shared import shared
from nysviz.figures.clusters import LandmarkPoints, Side, eigenvalue_chart, groups_map
from nysviz.figures.look import axis
from nysviz.figures.traces import against_m, extent, lines_of
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.memory import square_bytes
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.spectral_clusters import embed_factor, embed_matrix, group_rows
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.choice import Choice, checked_methods
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.sweep import Job, Problem, Record, jobs_of
from nysviz.sweep.ranking import by_method
from nysviz.text import counted, grouped, in_seconds, of_all, signed, three_digits

EXACT_ROWS = 4_500  # exact spectral clustering takes all of K, and O(n³)
EIGENVALUES = 16  # of the normalised matrix, that are drawn
FEWEST, MOST = 2, 20  # groups
FIRST_GROUPS = 3  # of data without classes
METHODS_OF_CURVE = ("uniform", "kmeans", "rpcholesky")
COUNTS, REPEATS = (5, 10, 20, 40, 80, 160, 320), 5  # landmarks of the curve
# Labels of measures of agreement, by their names in the rows.
RAND, MUTUAL = "rand", "mutual"
TITLES = {RAND: "adjusted Rand index", MUTUAL: "mutual information"}
REFERENCES = {"exact": "exact groups", "classes": "classes"}


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of rows, the leading eigenvalues of the normalised matrix, and the seconds of all of it.

    ``labels`` (n,) are from 0, -1 for a row of no group. The landmarks are (m, d), their row numbers (m,).
    """

    values: FloatArray
    labels: IntArray
    seconds: float
    notes: tuple[str, ...]
    landmarks: FloatArray | None = None
    pivots: IntArray | None = None


def first_groups(data: Dataset) -> int:
    """Return the default number of groups: that of the classes."""
    wished = len(data.classes) if has_classes(data) else FIRST_GROUPS
    return max(FEWEST, min(wished, MOST, data.n))


def has_classes(data: Dataset) -> bool:
    """Whether the rows have two classes or more."""
    return data.y is not None and data.task == "classification" and len(data.classes) > 1


def why_not_grouped(data: Dataset) -> str:
    """Say why these rows cannot be grouped; return "" if they can."""
    few = f"The data have {counted(data.n, 'row')}, and two groups take two rows or more."
    return few if data.n < FEWEST else ""


def part_of(scene: Scene) -> Scene:
    """Return the scene, with a random sample of many rows: k-means of more rows takes too long."""
    return scene if scene.data.n <= matrices.SAMPLED_FROM else matrices.part_of(scene, matrices.SAMPLED_FROM)


def is_exact(scene: Scene) -> bool:
    """Whether K is small enough for exact spectral clustering."""
    return scene.data.n <= min(EXACT_ROWS, memory.held_rows())


@shared(
    holds=lambda scene, choice, k: matrices.approximation_bytes(
        scene, choice.method, choice.m, choice.options
    )
)
def group(scene: Scene, choice: Choice, groups: int) -> Grouping:
    """Group the rows by spectral clustering of the approximation, timed without the cached K."""
    matrices.load_loops(choice.method)
    options = dict(choice.options)
    a = approximate(scene.data.X, scene.kernel, choice.method, choice.m, scene.seed, matrix=None, **options)
    started = time.perf_counter()
    embedding = embed_factor(a.in_blocks(1), max(EIGENVALUES, groups + 1))
    result = group_rows(embedding, groups, scene.seed)
    seconds = a.seconds + time.perf_counter() - started
    notes = (*a.notes, *result.notes)
    return Grouping(embedding.values, result.labels, seconds, notes, a.landmarks, a.pivots)


# K and a copy that LAPACK overwrites.
@shared(holds=lambda scene, groups: square_bytes(scene.data.n, 2.0))
def group_exactly(scene: Scene, groups: int) -> Grouping:
    """Group the rows by spectral clustering of K itself."""
    started = time.perf_counter()
    embedding = embed_matrix(scene.kernel(scene.data.X), max(EIGENVALUES, groups + 1))
    result = group_rows(embedding, groups, seed=0)
    return Grouping(embedding.values, result.labels, time.perf_counter() - started, result.notes)


def agreement(labels: IntArray, reference: IntArray) -> dict[str, float]:
    """Return adjusted Rand index and normalised mutual information, 1 for the same groups."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    return {
        RAND: float(adjusted_rand_score(reference, labels)),
        MUTUAL: float(normalized_mutual_info_score(reference, labels)),
    }


def gap_of(values: FloatArray) -> Gap | None:
    """Return the largest gap from the second eigenvalue on; the first is 1 for any data."""
    gaps = largest_gaps(values[1:]) if len(values) > 2 else []
    return Gap(gaps[0].r + 1, gaps[0].size, gaps[0].ratio) if gaps else None


def matched(labels: IntArray, reference: IntArray) -> IntArray:
    """Return the labels renamed to those of the reference's groups with which they share most rows."""
    is_grouped = labels >= 0
    count = int(max(labels.max(), reference.max())) + 1
    shares = np.zeros((count, count))
    np.add.at(shares, (labels[is_grouped], reference[is_grouped]), 1.0)
    names = np.asarray(linear_sum_assignment(-shares)[1])
    return np.where(is_grouped, names[labels], -1)


def curve_counts(n: int, groups: int) -> tuple[int, ...]:
    """Return the numbers of landmarks of the curve: from the groups to half of the rows."""
    return tuple(m for m in COUNTS if groups <= m <= max(groups, n // 2)) or (min(n, groups),)


def curve_run(scene: Scene, methods: tuple[str, ...], groups: int) -> Run:
    """Return the run of the agreement of these methods' groups with the exact ones and the classes."""
    exact = group_exactly(scene.unseeded, groups).labels if is_exact(scene) else None
    y = scene.data.y if has_classes(scene.data) else None
    ms = curve_counts(scene.data.n, groups)
    series = {method: METHODS[method].random for method in methods}
    work = partial(_one_run, groups, exact, y)
    # The same numbers as values to predict have no classes to compare with.
    kind = f"clusters, {groups}, {'without' if y is None else 'with'} classes"

    def jobs(problem: Problem) -> Sequence[Job]:
        return jobs_of(kind, problem, series, ms, REPEATS, scene.seed, work)

    key_parts = methods, ms, groups, y is not None
    return matrices.run_on(scene, "clusters", jobs, *key_parts, methods=methods, m=ms[-1])


def _one_run(
    groups: int,
    exact: IntArray | None,
    y: IntArray | None,
    problem: Problem,
    method: str,
    m: int,
    repeat: int,
    seed: int,
) -> tuple[Record, ...]:
    a = approximate(problem.X, problem.kernel, method, m, seed, matrix=problem.matrix())
    started = time.perf_counter()
    labels = group_rows(embed_factor(a.in_blocks(1), groups), groups, seed).labels
    seconds = a.seconds + time.perf_counter() - started
    values: dict[str, float] = {}
    for name, reference in (("exact", exact), ("classes", y)):
        if reference is not None:
            values |= {f"{measure}_{name}": value for measure, value in agreement(labels, reference).items()}
    return (problem.record(method, (), m, repeat, seed, values, seconds),)


def clusters(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    method: str = "kmeans",
    m: int | None = None,
    options: Mapping[str, object] | None = None,
    *,
    groups: int | None = None,
    methods: Sequence[str] = METHODS_OF_CURVE,
    seed: int = 0,
    theme: Ink = "light",
) -> "Clusters":
    """Compare spectral clustering with landmarks with the exact one, and with the classes of the data.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of more than 20 000 rows a random sample is taken. Up to 4 500 rows exact spectral clustering is
        computed as well, from all of K; O(n³).
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    method : str
    m : int, optional
        Number of landmarks, by default about 5 % of the rows.
    options : mapping, optional
        Options of the method.
    groups : int, optional
        From 2 to 20; by default as many as there are classes, or 3.
    methods : sequence of str
        Methods of the curve of agreement against m; empty for no curve.
    seed : int
        Of the landmarks, and of k-means.
    theme : {"light", "dark"}

    Returns
    -------
    Clusters
        With ``answer``, ``table``, ``figures``; ``grouping.labels`` and ``exact.labels`` (n,), and
        ``grouping.values``, eigenvalues of the normalised matrix.

    Raises
    ------
    ValueError
        For an unknown method, m or groups out of range, or a kernel whose degrees are not positive.

    References
    ----------
    Fowlkes, Belongie, Chung and Malik 2004; Ng, Jordan and Weiss 2001.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.clusters(nv.load("iris"), m=10, methods=["uniform"])
    >>> sorted(result.figures)
    ['agreement', 'eigenvalues', 'map']
    """
    scene = scene_of(data, kernel, seed)
    part = part_of(scene)
    if problem := why_not_grouped(part.data):
        raise Refusal(problem)
    choice = Choice.from_arguments(part, method, m, options)
    count = first_groups(part.data) if groups is None else groups
    study = Clusters(
        scene=scene,
        choice=choice,
        groups=checked_whole("groups", count, FEWEST, min(MOST, part.data.n)),
        methods=checked_methods(methods, scene.kernel) if len(methods) else (),
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class Clusters(Study):
    """Spectral clustering by an approximation, beside that by K and the classes."""

    choice: Choice
    groups: int
    methods: tuple[str, ...] = METHODS_OF_CURVE

    name = "clusters"
    question = "Does the grouping survive?"

    grouping = Part(
        group,
        "part choice groups",
        "{study.groups} groups from {study.choice.label}, m = {study.choice.m}",
        needed=True,
    )
    exact = Part(
        group_exactly,
        "part.unseeded groups",
        "Exact spectral clustering",
        beside=True,
        when=lambda study: is_exact(study.part),
    )
    runs = Runs(
        curve_run,
        "part methods groups",
        "Runs",
        beside=True,
        when=lambda study: bool(study.methods and (is_exact(study.part) or has_classes(study.part.data))),
    )

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments, without the number of groups if it is the default."""
        groups = None if self.groups == first_groups(self.part.data) else self.groups
        return {**super().arguments(), "groups": groups}

    @property
    def part(self) -> Scene:
        """The rows that are grouped: all, or a random sample of many."""
        return part_of(self.scene)

    @property
    def references(self) -> dict[str, IntArray]:
        """The exact groups and the classes, (n,) each, as far as they are known."""
        references = {"exact": self.exact.labels} if self.has("exact") else {}
        data = self.part.data
        if has_classes(data) and data.y is not None:
            references["classes"] = np.searchsorted(np.unique(data.y), data.y)
        return references

    @property
    def agreements(self) -> dict[str, dict[str, float]]:
        """The agreement of the groups with each reference, and of the exact groups with the classes."""
        references = self.references
        agreements = {name: agreement(self.grouping.labels, labels) for name, labels in references.items()}
        if len(references) == 2:
            agreements["exact and classes"] = agreement(references["exact"], references["classes"])
        return agreements

    @property
    def answer(self) -> str:
        """Say how far the groups agree with the exact ones and the classes."""
        if not self.has("grouping"):
            return ""
        rand_indices = {name: signed(values[RAND]) for name, values in self.agreements.items()}
        begin = f"{self.groups} groups from {METHODS[self.choice.method].in_words(self.choice.m)}"
        beside = f" (the groups by K: {rand_indices['exact and classes']})" if len(rand_indices) == 3 else ""
        if "exact" in rand_indices:
            classes = f", **{rand_indices['classes']}** with the classes{beside}" if beside else ""
            return f"{begin}: adjusted Rand index **{rand_indices['exact']}** with the exact groups{classes}."
        if "classes" in rand_indices:
            return f"{begin}: adjusted Rand index **{rand_indices['classes']}** with the classes."
        gap = gap_of(self.grouping.values)
        gap_text = f"**{three_digits(gap.size)}** after rank {gap.r}" if gap is not None else "**none**"
        return f"{begin}; largest gap of the eigenvalues: {gap_text}."

    @property
    def numbers(self) -> NumberTable | None:
        """Agreement, gaps and times of both."""
        if not self.has("grouping"):
            return None
        agreements = self.agreements
        rows: list[Row] = []
        for name, reference in REFERENCES.items():
            if name in agreements:
                of_exact = (
                    agreements.get("exact and classes", {}) if name == "classes" else {RAND: 1.0, MUTUAL: 1.0}
                )
                for measure, title in TITLES.items():
                    last = signed(of_exact[measure]) if measure in of_exact else ""
                    row = Label(f"{title}, {reference}", f"{measure}_{name}")
                    rows.append((row, signed(agreements[name][measure]), last))
        groupings = [self.grouping, *([self.exact] if self.has("exact") else [])]
        gaps = [gap_of(grouping.values) for grouping in groupings]
        ranks = ["–" if gap is None else str(gap.r) for gap in gaps]
        seconds = [in_seconds(grouping.seconds) for grouping in groupings]
        for label, cells in (
            (Label("largest gap after rank", "group_gap"), ranks),
            (Label("time", "grouping_seconds"), seconds),
        ):
            rows.append((label, cells[0], cells[1] if len(cells) > 1 else ""))
        head = PLAIN, Label("K̃", "groups_of_approximation"), Label("K", "exact_groups")
        return NumberTable(head, rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say what is not computed, and report shortfalls."""
        notes, n = [], self.part.data.n
        if n < self.scene.data.n:
            notes.append(f"{grouped(n)} random rows of {grouped(self.scene.data.n)} are grouped.")
        if not is_exact(self.part):
            row_limit = grouped(min(EXACT_ROWS, memory.held_rows()))
            notes.append(f"Exact spectral clustering is computed up to {row_limit} rows.")
        if self.has("grouping"):
            notes += self.grouping.notes
        return notes

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return agreement, eigenvalues and seconds of both, and the sizes of the groups."""
        rows, begin = [], self.choice.head(self.part, groups=self.groups)
        exact = {**head(self.part, groups=self.groups), "method": "exact"}
        for name, values in self.agreements.items():
            line, suffix = (exact, "classes") if name == "exact and classes" else (begin, name)
            rows += measured(line, {f"{measure}_{suffix}": value for measure, value in values.items()})
        groupings = [(begin, self.grouping), *([(exact, self.exact)] if self.has("exact") else [])]
        for line, grouping in groupings:
            rows += measured(line, {"seconds": grouping.seconds})
            for rank, value in enumerate(grouping.values, 1):
                rows += measured({**line, "rank": rank}, {"normalised_eigenvalue": float(value)})
            for label, count in zip(*np.unique(grouping.labels, return_counts=True), strict=True):
                rows += measured({**line, "group": int(label)}, {"rows": int(count)})
        return rows

    def _explain_map(self) -> str:
        beside = {"exact": "the group that K gives", "classes": "its class"}
        sides = [beside[name] for name in list(self.references)[:1]] + ["the group that K̃ gives"]
        text = "Each point is a row of the data, coloured by "
        if len(sides) == 1:
            return f"{text}{sides[0]}; colours only tell groups apart."
        return (
            f"{text}{sides[0]} on the left and by {sides[1]} on the right. The more alike the colours, the "
            "better the grouping survives; colours only tell groups apart."
        )

    @property
    def landmarks(self) -> FloatArray | None:
        """The landmarks, (m, d)."""
        return self.grouping.landmarks if self.has("grouping") else None

    @chart(
        "grouping",
        uses=["exact"],
        caption=_explain_map,
    )
    def map(self) -> go.Figure:
        """Draw the data by exact group, or by class where K is too large for these, and by group."""
        scene, references = self.part, self.references
        picture, labels = matrices.picture(scene, None), self.grouping.labels
        sides = []
        if references:
            name, reference = next(iter(references.items()))
            labels = matched(labels, reference)
            names = (
                scene.data.classes if name == "classes" else [f"group {i + 1}" for i in range(self.groups)]
            )
            heading = "by class" if name == "classes" else "groups by K (exact)"
            sides.append(Side(heading, reference[picture.rows], names))
        names = [f"group {i + 1}" for i in range(int(labels.max()) + 1)]
        sides.append(Side("groups by K̃", labels[picture.rows], names))
        points = self.landmarks
        are_data = METHODS[self.choice.method].landmarks_are_data
        marks = None if points is None else LandmarkPoints(points, are_data)
        point_count = of_all(len(picture.rows), scene.data.n, "point")
        return groups_map(picture, sides, marks, self.sheet("The groups", f"{scene.subtitle}; {point_count}"))

    @chart(
        "grouping",
        uses=["exact"],
        caption=(
            "Eigenvalues near 1 are groups that hardly touch: a large drop after rank r suggests r groups. "
            "Where the points of K̃ and of K differ, the groups may differ."
        ),
    )
    def eigenvalues(self) -> go.Figure:
        """Draw the leading eigenvalues of the normalised matrices, with the largest gap."""
        values, exact = self.grouping.values, self.exact.values if self.has("exact") else None
        sheet = self.sheet(
            "Eigenvalues of D<sup>−1/2</sup> K D<sup>−1/2</sup>",
            "from the second on; D: the sums of the rows of K",
        )
        return eigenvalue_chart(exact, values, self.choice.method, self.groups, gap_of(values), sheet)

    @chart(
        "runs",
        uses=["exact"],
        caption=(
            "Each line is a way of choosing landmarks, and higher is better: 1 is the same grouping, 0 what "
            "chance would give. Look for the number of landmarks from which the line stays flat."
        ),
    )
    def agreement(self) -> go.Figure:
        """Draw the Rand index against m, with the exact groups where they are known, else the classes."""
        name = "exact" if self.has("exact") else "classes"
        labels = {method: METHODS[method].label for method in self.methods}
        lines = lines_of(by_method(self.runs, f"{RAND}_{name}"), labels, extent, float)
        title = f"Agreement with the {REFERENCES[name]} against m"
        sheet = self.sheet(title, f"median and range of {counted(REPEATS, 'run')}")
        yaxis = axis("adjusted Rand index", sheet.theme, range=[-0.05, 1.05], dtick=0.2)
        ms = curve_counts(self.part.data.n, self.groups)
        ends = min(*ms, self.choice.m), max(*ms, self.choice.m)
        return against_m(lines, [], ms, self.choice.m, "landmarks m", yaxis, sheet, 400, ends=ends)
