"""Which cases are tried: methods with kernels pairwise, and of long lists a few in ``make test``."""

import itertools

import pytest

import nysviz as nv

KERNELS = [nv.Gaussian(1.0), nv.Laplacian(2.0), nv.InverseDistance(1.0, 0.5), nv.Polynomial(2), nv.Linear()]


def pairs(methods):
    """Each method with one kernel in turn, and two methods with every kernel."""
    turn = itertools.cycle(KERNELS)
    each = ((m, kernel if nv.METHODS[m].suits(kernel := next(turn)) else KERNELS[0]) for m in methods)
    crosses = ((m, kernel) for m in ("uniform", "kmeans") if m in methods for kernel in KERNELS)
    return list({(m, repr(kernel)): (m, kernel) for m, kernel in (*each, *crosses)}.values())


def quickly(few, names, ids=lambda name: str(name)[:40]):
    """All of these as parameters, those that are not among the few for make test-slow."""
    marks = {name: () if name in few else pytest.mark.slow for name in names}
    return [pytest.param(name, id=ids(name), marks=mark) for name, mark in marks.items()]
