"""The numbers of landmarks of a study, and its methods when there are many rows."""

from collections.abc import Sequence

from nysviz.landmarks import METHODS
from nysviz.numerics import memory
from nysviz.studies import matrices
from nysviz.studies.scene import Scene
from nysviz.text import in_bytes

# Numbers of landmarks on a curve; fewer for many rows, where each run takes seconds.
STEPS, FEW_STEPS = 10, 5
# m/n in percent: evenly spaced in log, from one landmark in ten thousand rows to all of them.
SMALL_PERCENTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
PERCENTS = (*SMALL_PERCENTS, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
# The percentage that a page starts from, and the largest number of landmarks that it starts from.
FIRST_PERCENT, FIRST_LANDMARKS = 5, 500
# Fewest landmarks for which a percentage below 0.1 is offered.
LEAST_OF_MANY = 50


def offered_counts(n: int) -> dict[float, int]:
    """Return the number of landmarks for each m/n (in percent) that makes sense for n rows."""
    max_count = min(n, matrices.MOST_LANDMARKS)
    offered: dict[float, int] = {}
    for percent in PERCENTS:
        m = max(1, round(n * percent / 100))
        # All rows are 100 % of them, also where rounding gives all of two rows for 80 %.
        min_count = 1 if percent >= 1 else 5 if percent >= 0.1 else LEAST_OF_MANY
        sensible = m >= min_count and (m < n or percent == 100)
        if m <= max_count and m not in offered.values() and sensible:
            offered[percent] = m
    # A handful of rows: every m has its own percentage.
    return offered or {100: n}


def first_percent(n: int) -> float:
    """Return the m/n, in per cent, from which a page or a study of n rows starts."""
    wished = min(FIRST_PERCENT, 100 * FIRST_LANDMARKS / n)
    return min(offered_counts(n), key=lambda percent: abs(percent - wished))


def is_large(n: int) -> bool:
    """Whether n rows are too many to compare methods as the papers do."""
    return n > matrices.SAMPLED_FROM


def counts(n: int, percent: float) -> tuple[int, ...]:
    """Return numbers of landmarks up to a percentage of n, evenly spaced, each once; fewer for many rows."""
    last, max_count, steps = n * percent, matrices.MOST_LANDMARKS, STEPS
    if is_large(n):
        last, steps = min(last, 100 * matrices.LARGE_LANDMARKS), FEW_STEPS
    ms = (round(last * (i + 1) / steps / 100) for i in range(steps))
    return tuple(sorted({min(max_count, max(1, m)) for m in ms}))


def offered(scene: Scene, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split methods into those that can be compared on the scene and those left out for its many rows."""
    fitting, _ = matrices.offered(scene)
    suited = [name for name in names if METHODS[name].suits(scene.kernel)]
    if not is_large(scene.data.n):
        # Few enough rows to wait for; only the best rank m needs all of K to be held.
        return [name for name in suited if name != "svd" or matrices.is_exact(scene)], []
    compared_names = [name for name in suited if name in fitting and not _holds_too_much(name, scene.data.n)]
    return compared_names, [name for name in suited if name not in compared_names]


def _holds_too_much(name: str, n: int) -> bool:
    entry = METHODS[name]
    _, beside = entry.rows_beside(n, {})
    factor_columns = matrices.LARGE_LANDMARKS if entry.holding({}) == "factor" else 0
    return not (memory.is_held(n, factor_columns) and memory.is_held(n, beside))


def mixtures_sentence(names: Sequence[str], ms: Sequence[int]) -> str:
    """Say which methods have no run at some of these m, because they are mixtures with too large weights."""
    named = []
    for name in names:
        excluded_counts = [m for m in ms if not memory.square_fits(METHODS[name].all_landmarks(m, {}))]
        if excluded_counts:
            named.append(f"{METHODS[name].label} from m = {min(excluded_counts)}")
    if not named:
        return ""
    return f"Left out, since the weights of all experts' landmarks are too large here: {', '.join(named)}."


def left_out_sentence(left_out: Sequence[str]) -> str:
    """Say which methods are not offered and why."""
    names, limit = ", ".join(METHODS[name].label for name in left_out), in_bytes(memory.held_bytes())
    return f"Not offered, since they look at all of K or hold more than {limit}: {names}."


def few_landmarks_sentence(left_out: Sequence[str]) -> str:
    """Say how many landmarks are compared at most, and which methods are not offered and why."""
    limit = f"At most {matrices.LARGE_LANDMARKS} landmarks for this many rows."
    return f"{limit} {left_out_sentence(left_out)}"
