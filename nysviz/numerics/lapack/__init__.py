"""Dense linear algebra in place, during which Python's interpreter lock is free.

The wrappers of ``scipy.linalg`` for triangular systems, Cholesky factors, eigenpairs and singular values hold
the lock while they compute, and so stop every other thread of the process: in a server every other session,
and in block work the other blocks. numpy's release it, but make copies and solve no triangular systems. Here
the same routines of scipy's BLAS and LAPACK are called by their addresses.
"""
