"""Bytes that a result holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.figures.drawing import Frames

# Most values are of the first of these.
NUMBERS = (str, int, float, type(None), bytes, complex, np.generic)


def size_of(value: Any) -> int:
    """Bytes of a result with all that it holds, its arrays first of all; each part counted once."""
    return _size(value, set())


def _size(value: Any, seen: set[int]) -> int:
    if isinstance(value, NUMBERS):
        return sys.getsizeof(value)
    if isinstance(value, np.ndarray):
        # A view keeps the whole array that it looks at alive.
        whole: Any = value
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        if id(whole) in seen:
            return 200
        seen.add(id(whole))
        return int(whole.nbytes) + 200
    if isinstance(value, Frames):
        return value.nbytes
    if id(value) in seen or isinstance(value, type) or callable(value):
        return 0
    seen.add(id(value))
    return sys.getsizeof(value) + sum(_size(part, seen) for part in _parts(value))


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if sparse.issparse(value):
        return [getattr(value, name) for name in ("data", "indices", "indptr") if hasattr(value, name)]
    held = getattr(value, "__dict__", None)
    named = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
    return [*(held.values() if held else ()), *named]
