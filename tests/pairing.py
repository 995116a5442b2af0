"""Methods with kernels, pairwise: not every one with every other."""

import itertools

import nysviz as nv

KERNELS = [nv.Gaussian(1.0), nv.Laplacian(2.0), nv.InverseDistance(1.0, 0.5), nv.Polynomial(2), nv.Linear()]


def pairs(methods):
    """Each method with one kernel in turn, and two methods with every kernel."""
    turn = itertools.cycle(KERNELS)
    each = ((m, kernel if nv.METHODS[m].suits(kernel := next(turn)) else KERNELS[0]) for m in methods)
    crosses = ((m, kernel) for m in ("uniform", "kmeans") if m in methods for kernel in KERNELS)
    return list({(m, repr(kernel)): (m, kernel) for m, kernel in (*each, *crosses)}.values())
