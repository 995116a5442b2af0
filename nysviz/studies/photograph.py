"""What parts does a photograph fall into? Spectral clustering of its pixels, from a few of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.datasets.generators import checked_real, checked_whole
from nysviz.datasets.photographs import SAMPLES, Photograph, load_photograph
from nysviz.engine.shared import once
from nysviz.figures.clusters import LandmarkPoints, eigenvalue_chart, pixel_chart
from nysviz.figures.look import inert
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.studies.choice import Choice
from nysviz.studies.clusters import FEWEST, MOST, gap_of, group
from nysviz.studies.html import PLAIN, Label, NumberTable, Row
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, width_of
from nysviz.studies.study import Ink, Part, Study, chart, complete, theme_of
from nysviz.text import capital, grouped, in_seconds, percent

FIRST = next(iter(SAMPLES))
LANDMARKS, PARTS = 80, 6
POSITION, BANDWIDTH = 0.5, 0.5
# A bandwidth far from the default gives one part, or a part for each pixel.
BANDWIDTHS = (0.125, 8.0)


def photograph_scene(image: Photograph, position: float, bandwidth: float, seed: int) -> Scene:
    """Return the scene of the pixels; ``bandwidth`` is in multiples of the default one."""
    data = image.rows(position)
    kernel = Gaussian(bandwidth * np.sqrt((width_of(data) or 1.0) / 2.0))
    return Scene(data, kernel, seed, None)


def known_photograph(name: str) -> Photograph:
    """Return one of the built-in photographs, read once."""
    return once(("photograph", name), lambda: load_photograph(name))


def photograph(
    image: str = FIRST,
    method: str = "kmeans",
    m: int = LANDMARKS,
    options: Mapping[str, object] | None = None,
    *,
    parts: int = PARTS,
    position: float = POSITION,
    bandwidth: float = BANDWIDTH,
    seed: int = 0,
    theme: Ink = "light",
) -> "PhotographStudy":
    """Group the pixels of a photograph by spectral clustering with landmarks.

    Parameters
    ----------
    image : str
        "china" or "flower", photographs of scikit-learn, or the path of a PNG or JPEG file of at most 12
        million pixels; scaled down to about 17 000.
    method : str
    m : int
        Number of landmarks.
    options : mapping, optional
        Options of the method.
    parts : int
        From 2 to 20.
    position : float
        From 0 to 4. What a longer side of the picture weighs beside the colours, black to white being √3.
    bandwidth : float
        Of the Gaussian kernel, in multiples of the default of the pixels, from 0.125 to 8.
    seed : int
        Of the landmarks, and of k-means.
    theme : {"light", "dark"}

    Returns
    -------
    PhotographStudy
        With ``answer``, ``table``, ``figures``; ``labels`` (height, width) and ``colours`` of the parts.

    Raises
    ------
    ValueError
        For a file that is no picture or too large, an unknown method, or numbers out of range.

    Notes
    -----
    O(n m²) for n pixels; the n × n matrix of 17 000 pixels would take 2.3 GB.

    References
    ----------
    Fowlkes, Belongie, Chung and Malik 2004.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.photograph("flower", m=20, parts=2)
    >>> result.labels.shape
    (107, 160)
    """
    picture = known_photograph(image) if image in SAMPLES else load_photograph(image)
    scale = checked_real("position", position, 0.0, 4.0), checked_real("bandwidth", bandwidth, *BANDWIDTHS)
    scene = photograph_scene(picture, *scale, seed)
    study = PhotographStudy(
        scene=scene,
        image=picture,
        choice=Choice.from_arguments(scene, method, m, options),
        parts_count=checked_whole("parts", parts, FEWEST, MOST),
        position=scale[0],
        bandwidth=scale[1],
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class PhotographStudy(Study):
    """The parts of a photograph by spectral clustering of its pixels."""

    image: Photograph
    choice: Choice
    parts_count: int = PARTS
    position: float = POSITION
    bandwidth: float = BANDWIDTH

    name = "photograph"
    question = "What parts does a photograph fall into?"

    grouping = Part(
        group,
        "scene choice parts_count",
        "{study.parts_count} parts from {study.choice.label}, m = {study.choice.m}",
        needed=True,
    )

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments: the photograph by its name or file."""
        named = dict(super().arguments())
        named["image"], named["parts"] = self.image.name, named.pop("parts_count")
        return named

    @property
    def labels(self) -> Any:
        """The part of each pixel from 0, -1 for none, (height, width)."""
        return self.grouping.labels.reshape(self.image.pixels.shape[:2])

    @property
    def colours(self) -> FloatArray:
        """The mean colour of each part, from 0 to 1, (parts, 3)."""
        pixels, labels = self.image.pixels / 255.0, self.labels
        return np.array([pixels[labels == part].mean(axis=0) for part in range(int(labels.max()) + 1)])

    @property
    def in_mean_colours(self) -> FloatArray:
        """The picture with each pixel in its part's mean colour; pixels of no part keep theirs."""
        labels = self.labels[:, :, None]
        return np.where(labels < 0, self.image.pixels / 255.0, self.colours[self.labels])

    @property
    def explained(self) -> float:
        """The share of the colours' variance that the mean colours explain."""
        pixels = self.image.pixels / 255.0
        total = float(((pixels - pixels.mean(axis=(0, 1))) ** 2).sum())
        return 1.0 - float(((pixels - self.in_mean_colours) ** 2).sum()) / total if total > 0 else 1.0

    @property
    def answer(self) -> str:
        """State the share of the picture's colours that the mean colours of the parts explain."""
        if not self.has("grouping"):
            return ""
        parts, n = len(self.colours), grouped(self.scene.data.n)
        return (
            f"{capital(METHODS[self.choice.method].in_words(self.choice.m))} split {n} pixels into {parts} "
            f"parts, whose mean colours hold **{percent(self.explained)}** of the colours' variance."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """Size of the parts, gap and time."""
        if not self.has("grouping"):
            return None
        n, gap = self.scene.data.n, gap_of(self.grouping.values)
        sizes = np.sort(np.bincount(self.grouping.labels + 1)[1:])[::-1]
        rows: list[Row] = [
            (Label("largest part", "largest_part"), percent(sizes[0] / n), "of the pixels"),
            (Label("smallest part", "smallest_part"), percent(sizes[-1] / n), "of the pixels"),
            (Label("largest gap after rank", "group_gap"), "–" if gap is None else str(gap.r), ""),
            (Label("time", "grouping_seconds"), in_seconds(self.grouping.seconds), ""),
        ]
        return NumberTable((PLAIN,) * 3, rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say what fell short."""
        if not self.has("grouping"):
            return ()
        notes = [*self.grouping.notes]
        if self.marks is None:
            notes.append("These landmarks are no places in the picture.")
        return notes

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return size and colour of each part, the eigenvalues and the seconds."""
        more = {"parts": self.parts_count, "position": self.position, "bandwidth": self.bandwidth}
        begin = self.choice.head(self.scene, **more)
        rows = measured(begin, {"colours_explained": self.explained, "seconds": self.grouping.seconds})
        for rank, value in enumerate(self.grouping.values, 1):
            rows += measured({**begin, "rank": rank}, {"normalised_eigenvalue": float(value)})
        for part, colour in enumerate(self.colours, 1):
            values: dict[str, object] = dict(zip(("red", "green", "blue"), map(float, colour), strict=True))
            values |= {"pixels": int((self.grouping.labels == part - 1).sum())}
            rows += measured({**begin, "part": part}, values)
        return rows

    @property
    def landmarks(self) -> FloatArray | None:
        """The landmarks, (m, 5)."""
        return self.grouping.landmarks if self.has("grouping") else None

    @property
    def marks(self) -> LandmarkPoints | None:
        """The landmarks' positions in the picture, (m, 2): across and down; None if they have none."""
        grouping, width = self.grouping, self.image.pixels.shape[1]
        if grouping.pivots is not None:
            return LandmarkPoints(
                np.column_stack([grouping.pivots % width, grouping.pivots // width]).astype(float), True
            )
        if grouping.landmarks is None or not self.position > 0:
            return None
        scale = max(self.image.pixels.shape[:2]) / self.position
        return LandmarkPoints(scale * grouping.landmarks[:, [4, 3]], False)

    @chart(
        "grouping",
        caption=(
            "Each pixel has the mean colour of its part. A good grouping keeps things of the picture whole: "
            "sky, stone, petals; more landmarks or another bandwidth may part what is merged here."
        ),
    )
    def parts_picture(self) -> go.Figure:
        """Draw the parts in their mean colours."""
        pixels = np.round(255.0 * self.in_mean_colours).astype(np.uint8)
        return pixel_chart(pixels, None, self.sheet(f"{len(self.colours)} parts in their mean colours"))

    @chart(
        "grouping",
        caption=(
            "The photograph, scaled down. Each pixel is a row of the data: its colour and its place. "
            "Landmarks that have a place are drawn on it."
        ),
    )
    def picture(self) -> go.Figure:
        """Draw the photograph with the landmarks on it."""
        height, width, _ = self.image.pixels.shape
        title = f"{inert(self.image.title)}, {width} × {height} pixels"
        return pixel_chart(self.image.pixels, self.marks, self.sheet(title))

    @chart(
        "grouping",
        caption=(
            "Eigenvalues near 1 are parts that hardly touch: a large drop after rank r suggests r parts. In "
            "most pictures they fall slowly, and the number of parts is a matter of taste."
        ),
    )
    def eigenvalues(self) -> go.Figure:
        """Draw the leading eigenvalues of the normalised matrix, with the largest gap."""
        values = self.grouping.values
        sheet = self.sheet(
            "Eigenvalues of D<sup>−1/2</sup> K̃ D<sup>−1/2</sup>",
            "from the second on; D: the sums of the rows of K̃",
        )
        return eigenvalue_chart(None, values, self.choice.method, self.parts_count, gap_of(values), sheet)
