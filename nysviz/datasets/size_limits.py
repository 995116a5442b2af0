"""The largest data set on this machine; a larger one is refused before it is made or read."""

from nysviz.numerics import machine
from nysviz.refusal import Refusal
from nysviz.text import counted, grouped, in_bytes

# A million points of 50 features with their labels, 408 MB: more is a typing error on any machine.
MAX_VALUES = 51_000_000
# One set takes at most this part of the memory: less than the part of the app's shared results that is for
# large ones, which have to hold it, and reading it from a file with its copies takes half of the memory.
DATA_SHARE = 1 / 8
# Allowed on any machine, without a look at the free memory.
SMALL_BYTES = 2**24
# Memory in use at the same time, in sizes of the set: a generator's array and parts of it; the table as read
# from a file, the array, and the scaled array with what scaling takes.
MAKING, READING = 1.5, 4.0


def most_bytes() -> int:
    """Return the largest number of bytes of one set's points here, with their labels."""
    return max(SMALL_BYTES, min(8 * MAX_VALUES, int(DATA_SHARE * machine.limit_bytes())))


def is_held(n: int, d: int) -> bool:
    """Whether a dense set of n points and d features may be held here."""
    return _bytes(n, d) <= most_bytes()


def check_fits(n: int, d: int) -> None:
    """Refuse to make a set that is too large, with one sentence that says how many points fit."""
    points = f"{counted(n, 'point')} of {counted(d, 'feature')}"
    if not is_held(n, d):
        raise Refusal(
            f"{points} take {in_bytes(_bytes(n, d))} with their labels, and one data set may take at most "
            f"{in_bytes(most_bytes())} here, enough for {grouped(most_bytes() // _bytes(1, d))} such points; "
            "choose fewer points or features."
        )
    _check_free(f"make {points}", MAKING * _bytes(n, d))


def too_large(title: str, n: int, d: int) -> str:
    """Say in one sentence why a set of the catalog is too large for this machine; return "" if it is not."""
    if is_held(n, d):
        return ""
    return (
        f"{title} has {grouped(n)} × {grouped(d)} values, {in_bytes(_bytes(n, d))} with the labels, and one "
        f"data set may take at most {in_bytes(most_bytes())} here; a machine with "
        f"{in_bytes(_bytes(n, d) / DATA_SHARE)} of memory holds it."
    )


def check_readable(title: str, n: int, d: int) -> None:
    """Refuse to read a set of the catalog that is too large, with one sentence."""
    if problem := too_large(title, n, d):
        raise Refusal(problem)
    _check_free(f"read {title}", READING * _bytes(n, d))


def _check_free(action: str, size: float) -> None:
    if size > SMALL_BYTES and size > (free := machine.free_bytes()):
        raise Refusal(
            f"To {action} takes {in_bytes(size)} of memory, and {in_bytes(free)} are free at the moment; "
            "choose smaller data, or try again later."
        )


def _bytes(n: int, d: int) -> int:
    return 8 * n * (d + 1)
