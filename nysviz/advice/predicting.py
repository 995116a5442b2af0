"""Which bandwidth and how many landmarks predict a target: cross-validated losses, compared at equal m."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nysviz.advice.bandwidths import (
    FOLDS,
    LEARNING_LANDMARKS,
    LEARNING_ROWS,
    LEARNING_RUNS,
    MULTIPLES,
    cross_validate,
    sigma_of,
)
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel, default_width
from nysviz.sweep import Job

# Fewer landmarks are not tried; those that are tried differ by factors of two.
FEWEST = 5
# A smallest loss at the end of the bandwidths asks for more of them, by steps of 2, this often.
EXTENSIONS = 2
# Bandwidths that differ by less are one: an address has six digits of them.
SAME = 1e-4


@dataclass(frozen=True)
class Losses:
    """Cross-validated losses at one bandwidth, with standard errors, for ascending numbers of landmarks.

    The largest number of landmarks is the same for all bandwidths. ``sigma`` is NaN for a kernel without a
    bandwidth; ``offered`` is False for a bandwidth that is measured for comparison alone.
    """

    sigma: float
    ms: tuple[int, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    offered: bool = True

    def enough(self, limit: float) -> int | None:
        """Return the fewest landmarks from which on all losses are at most this, or None."""
        enough = None
        for m, value in zip(reversed(self.ms), reversed(self.values), strict=True):
            if not value <= limit:
                break
            enough = m
        return enough

    def at(self, m: int) -> tuple[float, float]:
        """Return the loss with m landmarks, and its standard error."""
        place = self.ms.index(m)
        return self.values[place], self.errors[place]


@dataclass(frozen=True)
class Prediction:
    """The advised bandwidth and landmarks; ``limit`` is the smallest loss plus one standard error of it.

    ``end`` says at which end of the bandwidths the smallest loss lies, "narrowest", "widest" or neither.
    """

    losses: Losses
    m: int
    limit: float
    end: str

    @property
    def sigma(self) -> float:
        """The bandwidth."""
        return self.losses.sigma


def can_predict(data: Dataset) -> bool:
    """Whether there is a target from which something can be learned."""
    if data.y is None or data.task is None:
        return False
    return data.n >= 2 * FOLDS and len(np.unique(data.y)) > 1


def is_same(first: float | None, second: float | None) -> bool:
    """Whether two bandwidths are equal up to ``SAME`` of themselves."""
    return math.isclose(first or math.nan, second or math.nan, rel_tol=SAME)


def counts(n: int) -> tuple[int, ...]:
    """Return the numbers of landmarks that are tried, ascending."""
    m, ms = min(LEARNING_LANDMARKS, min(n, LEARNING_ROWS) // 2), list[int]()
    while m >= FEWEST or not ms:
        ms.append(m)
        m = -(-m // 2)
    return tuple(reversed(ms))


def prediction_sigmas(data: Dataset, kernel: Kernel) -> tuple[float, ...]:
    """Return the bandwidths that are compared, around the default one, not the kernel's."""
    if (kernel_sigma := sigma_of(kernel)) is None:
        return ()
    width = default_width(data.X)
    middle = math.sqrt(width / 2.0) if width > 0 else kernel_sigma
    return tuple(multiple * middle for multiple in MULTIPLES)


def losses_jobs(data: Dataset, kernel: Kernel, seed: int) -> list[Job]:
    """Return a job for each bandwidth, the default first, and for the kernel's, for comparison."""
    kernel_sigma, sigmas = sigma_of(kernel), prediction_sigmas(data, kernel)
    if kernel_sigma is None:
        return [_job(data, kernel, seed, math.nan)]
    middle = sigmas[len(sigmas) // 2]
    jobs = [
        _job(data, kernel, seed, sigma)
        for sigma in sorted(sigmas, key=lambda sigma: abs(math.log(sigma / middle)))
    ]
    is_other = not any(is_same(kernel_sigma, sigma) for sigma in sigmas)
    return jobs + [_job(data, kernel, seed, kernel_sigma, False)] * is_other


def _job(data: Dataset, kernel: Kernel, seed: int, sigma: float, offered: bool = True) -> Job:
    tried: Kernel = kernel if math.isnan(sigma) else replace(kernel, sigma=sigma)  # type: ignore[call-arg]
    key: Hashable = ("losses", data.digest, tried, seed, data.task, offered)
    return Job(key, "losses", 1.0, partial(_losses, data, tried, seed, offered))


def _losses(data: Dataset, kernel: Kernel, seed: int, offered: bool) -> tuple[Losses]:
    ms = counts(data.n)
    pairs = [
        cross_validate(data.X, kernel, data.y, data.task, seed, m, 1 if m == ms[-1] else LEARNING_RUNS)
        for m in ms
    ]
    values, errors = zip(*pairs, strict=True)
    return (Losses(sigma_of(kernel) or math.nan, ms, values, errors, offered),)


def extension_jobs(data: Dataset, kernel: Kernel, seed: int, all_losses: Sequence[Losses]) -> list[Job]:
    """Return the job of bandwidths beyond the end if the smallest loss lies there, else none."""
    prediction = advised(all_losses)
    if prediction is None or not prediction.end:
        return []
    content = ("losses beyond", data.digest, prediction.sigma, prediction.end, seed, data.task)
    return [Job((*content, kernel), "losses", 1.0, partial(_extended, data, kernel, seed, tuple(all_losses)))]


def _extended(data: Dataset, kernel: Kernel, seed: int, all_losses: tuple[Losses, ...]) -> tuple[Losses, ...]:
    more, first = list[Losses](), advised(all_losses)
    while first is not None and len(more) < EXTENSIONS:
        now = advised([*all_losses, *more])
        if now is None or now.end != first.end:
            break
        sigmas = [losses.sigma for losses in (*all_losses, *more) if losses.offered]
        sigma = 2.0 * max(sigmas) if now.end == "widest" else min(sigmas) / 2.0
        more += _job(data, kernel, seed, sigma).work()
    return tuple(more)


def advised(all_losses: Sequence[Losses]) -> Prediction | None:
    """Return the widest bandwidth within one standard error of the smallest loss, and its fewest landmarks.

    Losses of bandwidths are compared with equally many landmarks, the most that were tried; the landmarks are
    the fewest with which the loss is still within that standard error. None where nothing was learned.
    """
    finite_losses = sorted(
        (losses for losses in all_losses if losses.offered and math.isfinite(losses.values[-1])),
        key=lambda losses: losses.sigma,
    )
    if not finite_losses:
        return None
    best = min(finite_losses, key=lambda losses: losses.values[-1])
    limit = best.values[-1] + best.errors[-1]
    chosen = [losses for losses in finite_losses if losses.values[-1] <= limit][-1]
    end = ""
    if len(finite_losses) > 1:
        end = "narrowest" if best is finite_losses[0] else "widest" if best is finite_losses[-1] else ""
    return Prediction(chosen, chosen.enough(limit) or chosen.ms[-1], limit, end)
