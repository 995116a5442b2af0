"""What the pages that compare methods do where there are many rows: fewer landmarks, and not every method."""

from collections.abc import Sequence

from nysviz.landmarks import METHODS
from nysviz.numerics import memory
from nysviz.text import in_bytes
from nysviz.ui import computing
from nysviz.ui.sidebar.scene import Scene

# Numbers of landmarks of a curve, and of many rows, where a run at each of them takes seconds.
STEPS, FEW_STEPS = 10, 5


def is_large(n: int) -> bool:
    """Whether so many rows are too many to compare methods as the papers do."""
    return n > computing.SAMPLED_FROM


def counts(n: int, percent: float) -> tuple[int, ...]:
    """Numbers of landmarks up to so many per cent of the rows, evenly spaced, each once; few of many rows."""
    last, most, steps = n * percent, computing.MOST_LANDMARKS, STEPS
    if is_large(n):
        last, steps = min(last, 100 * computing.LARGE_LANDMARKS), FEW_STEPS
    ms = (round(last * (i + 1) / steps / 100) for i in range(steps))
    return tuple(sorted({min(most, max(1, m)) for m in ms}))


def offered(scene: Scene, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split these methods: those that can be compared on the scene, and those left out for its many rows."""
    fitting, _ = computing.offered(scene)
    suited = [name for name in names if METHODS[name].suits(scene.kernel)]
    if not is_large(scene.data.n):
        # Few enough to wait for; only the best rank m needs all of K at hand.
        return [name for name in suited if name != "svd" or computing.is_exact(scene)], []
    kept = [name for name in suited if name in fitting and not _holds_too_much(name, scene.data.n)]
    return kept, [name for name in suited if name not in kept]


def _holds_too_much(name: str, n: int) -> bool:
    entry = METHODS[name]
    options: dict[str, object] = {option.name: option.default for option in entry.options}
    _, beside = entry.rows_beside(n, options)
    held = computing.LARGE_LANDMARKS if entry.holds_factor(options) else 0
    return not (memory.is_held(n, held) and memory.is_held(n, beside))


def mixtures_sentence(names: Sequence[str], ms: Sequence[int]) -> str:
    """Say which of these methods have no run at some of these m, being mixtures with too large weights."""
    named = []
    for name in names:
        left = [m for m in ms if not memory.square_fits(METHODS[name].all_landmarks(m, {}))]
        if left:
            named.append(f"{METHODS[name].label} from m = {min(left)}")
    if not named:
        return ""
    return f"Left out, since the weights of all experts' landmarks are too large here: {', '.join(named)}."


def left_out_sentence(left_out: Sequence[str]) -> str:
    """Say which methods are not offered and why."""
    names, most = ", ".join(METHODS[name].label for name in left_out), in_bytes(memory.held_bytes())
    return f"Not offered, since they look at all of K or hold more than {most}: {names}."
