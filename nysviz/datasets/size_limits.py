"""How large a data set may be on this machine: a larger one is refused before it is made or read."""

from __future__ import annotations

from nysviz import machine
from nysviz.text import grouped

# A million points of 50 features with their labels, 408 MB: more is a slip of the keyboard on any machine.
MAX_VALUES = 51_000_000
# One set takes at most this part of the memory: less than the part of the app's shared results that is for
# large ones, which have to hold it, and reading it from a file with its copies takes half of the memory.
DATA_SHARE = 1 / 8
# However small the machine, so much is allowed, and the free memory is not asked for it.
SMALL_BYTES = 2**24
# What is held at the same time, in sizes of the set: a generator's array and parts of it; the table as it was
# read from a file, the array, and the scaled array with what scaling takes.
MAKING, READING = 1.5, 4.0


def most_bytes() -> int:
    """Return the bytes that the points of one set may take here, with their labels."""
    return max(SMALL_BYTES, min(8 * MAX_VALUES, int(DATA_SHARE * machine.limit_bytes())))


def is_held(n: int, d: int) -> bool:
    """Whether a dense set of n points and d features may be held here."""
    return _bytes(n, d) <= most_bytes()


def fits(n: int, d: int) -> None:
    """Refuse to make a set for which there is no room.

    Raises
    ------
    ValueError
        One sentence, which says how many points or features there is room for.
    """
    if not is_held(n, d):
        points, features = most_bytes() // _bytes(1, d), most_bytes() // (8 * n) - 1
        enough = " or ".join(
            [f"{grouped(points)} points of {grouped(d)} {_features(d)}"] * (points > 0)
            + [f"{grouped(n)} points of {grouped(features)} {_features(features)}"] * (features > 0)
        )
        raise ValueError(
            f"{grouped(n)} points of {grouped(d)} {_features(d)} take {_megabytes(_bytes(n, d))} with "
            f"their labels, and one data set may take at most {_megabytes(most_bytes())} here, enough for "
            f"{enough}; choose fewer points or features."
        )
    _ask_for(f"make {grouped(n)} points of {grouped(d)} {_features(d)}", MAKING * _bytes(n, d))


def too_large(title: str, n: int, d: int) -> str:
    """Say in one sentence why a set of the catalog is too large for this machine; empty where it is not."""
    if is_held(n, d):
        return ""
    return (
        f"{title} has {grouped(n)} × {grouped(d)} values, {_megabytes(_bytes(n, d))} with the labels, "
        f"and one data set may take at most {_megabytes(most_bytes())} here; a machine with "
        f"{_gigabytes(_bytes(n, d) / DATA_SHARE)} of memory holds it."
    )


def readable(title: str, n: int, d: int) -> None:
    """Refuse to read a set of the catalog for which there is no room.

    Raises
    ------
    ValueError
        One sentence.
    """
    if problem := too_large(title, n, d):
        raise ValueError(problem)
    _ask_for(f"read {title}", READING * _bytes(n, d))


def _ask_for(what: str, needed: float) -> None:
    """Refuse what takes more than the memory that is free at the moment."""
    if needed > SMALL_BYTES and needed > (free := machine.free_bytes()):
        raise ValueError(
            f"To {what} takes {_megabytes(needed)} of memory, and {_megabytes(free)} are free at the moment; "
            "choose smaller data, or try again later."
        )


def _bytes(n: int, d: int) -> int:
    return 8 * n * (d + 1)


def _features(d: int) -> str:
    return "feature" if d == 1 else "features"


def _megabytes(count: float) -> str:
    return f"{grouped(round(count / 1e6))} MB"


def _gigabytes(count: float) -> str:
    # Upwards: what is said to be enough is enough.
    return f"{-(-count // 1e8) / 10:g} GB"
