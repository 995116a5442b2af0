"""The starting point of every study: a data set, a kernel and a seed."""

from dataclasses import dataclass, replace
from typing import Self

from numpy.typing import ArrayLike

from nysviz.advice.data import SMALLEST_WIDTH
from nysviz.datasets import Dataset
from nysviz.engine.shared import once
from nysviz.figures.look import inert
from nysviz.kernels import Gaussian, Kernel, KernelFunction, PerFeature, as_kernel, default_width
from nysviz.numerics.rows import checked_rows
from nysviz.text import grouped


@dataclass(frozen=True)
class File:
    """A visitor's own file: its name, and the options that it was read with."""

    name: str
    options: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Scene:
    """Data (with the settings of their generator), kernel and seed; ``key`` names them in caches.

    ``whole`` is the set of which the data are a random sample; ``file`` is the visitor's file of the data.
    """

    data: Dataset
    kernel: Kernel
    seed: int
    multiple: float | None
    settings: tuple[tuple[str, object], ...] = ()
    whole: Dataset | None = None
    file: File | None = None

    @property
    def key(self) -> tuple[str, Kernel]:
        """Digest of the data and the kernel, on which a kernel matrix depends."""
        return self.data.digest, self.kernel

    @property
    def content(self) -> tuple[object, ...]:
        """All that a result for this scene can depend on."""
        return *self.key, self.data.task, self.seed, self.multiple

    @property
    def unseeded(self) -> Self:
        """The scene without its seed, for results that depend on data and kernel alone."""
        return replace(self, seed=0, multiple=None, settings=())

    @property
    def subtitle(self) -> str:
        """Data, size and kernel in one line, for charts."""
        size = f"n = {grouped(self.data.n)}, d = {grouped(self.data.d)}"
        return f"{inert(self.data.title)}, {size}; {self.kernel.describe()}"


def scene_of(
    data: Dataset | ArrayLike, kernel: Kernel | KernelFunction | None = None, seed: int = 0
) -> Scene:
    """Return the scene of a study's arguments; without a kernel, the Gaussian of the data's default width."""
    if not isinstance(data, Dataset):
        data = Dataset.from_arrays("data", checked_rows(data))
    kernel = default_kernel(data) if kernel is None else as_kernel(kernel)
    multiple = None
    if getattr(kernel, "has_bandwidth", False) and not isinstance(kernel, PerFeature):
        # With the digits of the slider's multiples, so that the default is 1.
        multiple = float(f"{2.0 * kernel.sigma**2 / (width_of(data) or 1.0):.12g}")  # type: ignore[attr-defined]
    return Scene(data, kernel, seed, multiple)


def default_kernel(data: Dataset) -> Gaussian:
    """Return the Gaussian kernel of the data's default width."""
    return Gaussian.from_width(width_of(data) or 1.0)


def width_of(data: Dataset) -> float | None:
    """Return the default width; None where the rows suggest none."""
    width = once(("default width", data.digest), lambda: default_width(data.X))
    return width if width > SMALLEST_WIDTH else None


def head(scene: Scene, **more: object) -> dict[str, object]:
    """Begin a row of a tidy table with data, size, kernel and seed."""
    data, kernel = scene.data, scene.kernel
    row = {"data": data.name, "n": data.n, "d": data.d, "kernel": str(kernel)}
    return {**row, "sigma": getattr(kernel, "sigma", None), "seed": scene.seed, **more}
