"""A drawing of the playground: points, landmarks and kernel, and the text that holds them in a link."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.kernels import Gaussian, InverseDistance, Kernel, Laplacian, Matern
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal

# As in js/state.js: the plane is 4 × 3, coordinates are multiples of 1/1024 and have two digits to base 64.
SIZE, GRID = np.array([4, 3]), 1024
MOST_POINTS, MOST_LANDMARKS = 400, 40
SIGMAS, SIGMA_UNITS = (0.02, 8.0), 10_000
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
TEXT = re.compile(r"([a-z0-9_]+)\.(\d{1,5})\.(\d{1,3})\.(\d{1,2})\.(\d{1,2})\.([\w-]*)", re.ASCII)
# Kernels by their names in js/kernels.js.
KERNELS: dict[str, Callable[..., Kernel]] = {
    "gaussian": Gaussian,
    "laplacian": Laplacian,
    "matern32": partial(Matern, 1.5),
    "inverse_distance": InverseDistance,
}
# The part of the plane that points of a data set fill.
MARGIN = 0.06


@dataclass(frozen=True)
class Drawing:
    """Points (n, 2), one or two sets of landmarks (m, 2), and the kernel by its name there and σ."""

    points: FloatArray
    boards: tuple[FloatArray, ...]
    name: str = "gaussian"
    sigma: float = 0.35

    @property
    def kernel(self) -> Kernel:
        """The kernel in the core."""
        return KERNELS[self.name](sigma=self.sigma)

    @property
    def text(self) -> str:
        """The drawing in at most 2 kB of letters and digits that an address can hold."""
        second = self.boards[1] if len(self.boards) > 1 else self.points[:0]
        counts = (len(self.points), len(self.boards[0]), len(second))
        whole = np.rint(np.concatenate([self.points, self.boards[0], second]) * GRID).astype(int)
        letters = "".join(DIGITS[value >> 6] + DIGITS[value & 63] for value in whole.ravel())
        return ".".join(map(str, (self.name, round(SIGMA_UNITS * self.sigma), *counts, letters)))

    @classmethod
    def from_text(cls, text: str) -> "Drawing":
        """Read a drawing; ValueError where the text is damaged."""
        damaged = Refusal("The text of the drawing is damaged; copy the whole link.")
        match = TEXT.fullmatch(text)
        if match is None or match[1] not in KERNELS:
            raise damaged
        units, n, m, second = (int(match[k]) for k in range(2, 6))
        sigma, values = units / SIGMA_UNITS, [DIGITS.index(letter) for letter in match[6]]
        fits = n <= MOST_POINTS and max(m, second) <= MOST_LANDMARKS and SIGMAS[0] <= sigma <= SIGMAS[1]
        if not fits or len(values) != 4 * (n + m + second):
            raise damaged
        pairs = (np.reshape(values, (-1, 2)) @ [64.0, 1.0]).reshape(-1, 2) / GRID
        if (pairs >= SIZE).any():
            raise damaged
        boards = (pairs[n : n + m],) if not second else (pairs[n : n + m], pairs[n + m :])
        return cls(pairs[:n], boards, match[1], sigma)

    @property
    def csv(self) -> bytes:
        """The points as a table with the columns x and y."""
        return "".join(["x,y\n", *(f"{x},{y}\n" for x, y in self.points)]).encode()


def first() -> Drawing:
    """Return the drawing to begin with: three clusters of unequal size, and five landmarks."""
    rng = np.random.default_rng(3)
    parts = ((120, (1.2, 1.8), 0.3), (40, (2.75, 0.85), 0.2), (10, (3.35, 2.35), 0.08))
    points = np.concatenate([rng.normal(centre, spread, (n, 2)) for n, centre, spread in parts])
    landmarks = np.array([points[0], points[7], points[21], (1.75, 1.35), points[125]])
    return Drawing(on_grid(points), (on_grid(landmarks),))


def on_grid(places: FloatArray) -> FloatArray:
    """Return the nearest places of the grid, (n, 2)."""
    whole: FloatArray = np.clip(np.rint(places * GRID), 0, SIZE * GRID - 1)
    return whole / GRID


def of_positions(positions: FloatArray) -> Drawing:
    """Return points from anywhere, (n, 2), n ≤ 400, scaled to the plane, both axes alike; no landmarks."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = (1 - 2 * MARGIN) * SIZE
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = extent / (high - low)
    scale = float(np.min(ratios[np.isfinite(ratios)], initial=np.inf))
    # All points in one place, or so far apart that no number holds their distance.
    scale = scale if np.isfinite(scale) else 0.0
    places = SIZE / 2 + (positions - (low / 2 + high / 2)) * scale
    return Drawing(on_grid(places), (places[:0],))
