"""The routines of scipy's BLAS and LAPACK by address, as ``scipy.linalg.cython_blas`` exports them."""

import ctypes
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_blas, cython_lapack

from nysviz.numerics.blocks import FloatArray

Argument = FloatArray | NDArray[np.intc] | bytes | float
Routine = Callable[..., None]

# Argument types of each routine, all by address: c a letter, i a C int, d a C double.
TAKES = {
    "dtrsm": "cccciiddidi",
    "dgemm": "cciiiddididdi",
    "dsymv": "ciddididdi",
    "dpotrf": "cidii",
    "dpotri": "cidii",
    "dsyevd": "ccididdiiii",
    "dsyevr": "cccididdiididdiidiiii",
}
SPELLED = {"c": "char *", "i": "int *", "d": "double *"}


@cache
def routine(name: str) -> Routine | None:
    """Return a routine of ``TAKES`` that releases the interpreter lock.

    It takes bytes, int, float and contiguous arrays in LAPACK's order; arrays are read and written where they
    stand, so what is passed must be of the right type and size. None where the library counts with other
    integers than of 32 bits, or the routine is not exported.
    """
    module = cython_blas if name in {"dtrsm", "dgemm", "dsymv"} else cython_lapack
    capsule = getattr(module, "__pyx_capi__", {}).get(name)
    if capsule is None or ctypes.sizeof(ctypes.c_int) != 4:
        return None
    # Prototypes of our own: those of ctypes.pythonapi belong to the whole process.
    name_of: Any = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
        ("PyCapsule_GetName", ctypes.pythonapi)
    )
    address_in: Any = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    signature: bytes = name_of(capsule)
    if not is_as_expected(signature.decode(), TAKES[name]):
        return None
    # CFUNCTYPE, other than PYFUNCTYPE, releases the interpreter lock during the call.
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(TAKES[name]))(address_in(capsule, signature))

    def call(*arguments: Argument) -> None:
        # ``arguments`` keeps the arrays alive until the routine returns.
        function(*[_address(argument) for argument in arguments])

    return call


def is_as_expected(signature: str, takes: str) -> bool:
    """Whether a signature as Cython writes it has these arguments."""
    # Cython's name of the type that cython_blas calls d.
    plain = re.sub(r"\b__pyx_t_\w+_d\b|(?<=[(, ])d(?= \*)", "double", signature)
    return plain == f"void ({', '.join(SPELLED[kind] for kind in takes)})"


def _address(argument: Argument) -> Any:
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data
    if isinstance(argument, bytes):
        return argument
    return ctypes.byref(ctypes.c_int(argument) if isinstance(argument, int) else ctypes.c_double(argument))


def column_major(array: FloatArray) -> tuple[FloatArray, bool] | None:
    """Return the array, or its transpose, as BLAS reads it, and whether it is the transpose.

    The columns of the view are contiguous, one a ``leading(view)`` apart from the next; None where neither
    the array nor its transpose is one, or where it is no aligned float64.
    """
    if array.dtype != np.float64 or not array.dtype.isnative or not array.flags.aligned:
        return None
    for view, turned in ((array, False), (array.T, True)):
        step, apart = view.strides
        # The stride of a single row or column is arbitrary.
        rows_fit = view.shape[0] == 1 or step == 8
        columns_fit = view.shape[1] == 1 or (apart % 8 == 0 and apart >= 8 * view.shape[0])
        if rows_fit and columns_fit:
            return view, turned
    return None


def leading(view: FloatArray) -> int:
    """Return the distance between two columns of such a view, in entries."""
    rows, columns = view.shape
    return int(view.strides[1]) // 8 if columns > 1 else max(1, rows)
