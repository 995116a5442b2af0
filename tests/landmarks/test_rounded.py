"""Given matrices whose entries have fewer digits than double precision: no error rises with m."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.kernels.similarities import ROUNDING_SIZES
from nysviz.landmarks import METHODS
from nysviz.nystroem.nested import nested

X = nv.load("iris").X
SINGLE = X.astype(np.float32)
LENGTHS = np.random.default_rng(0).permutation(np.geomspace(0.3, 25.0, 150))


def single(K):
    return K.astype(np.float32).astype(np.float64)


GIVEN = {
    "single precision": nv.Precomputed(single(nv.Gaussian(2.0)(X))),
    "six decimals": nv.Precomputed(np.round(nv.Gaussian(2.0)(X), 6)),
    "one direction, five decimals": nv.Precomputed(np.round(np.outer(LENGTHS, LENGTHS), 5)),
    "products in single precision": nv.Precomputed(SINGLE @ SINGLE.T),
}
SUITED = [name for name, entry in METHODS.items() if entry.suits(GIVEN["six decimals"])]


def relative(K, factor):
    return np.linalg.norm(K - factor @ factor.T) / np.linalg.norm(K)


def nystroem_error(K, pivots, rounding):
    """Relative error of E W⁺ Eᵀ, eigenvalues of W below the rounding taken as 0."""
    values, vectors = np.linalg.eigh(K[np.ix_(pivots, pivots)])
    kept = values > rounding
    return relative(K, K[:, pivots] @ vectors[:, kept] / np.sqrt(values[kept]))


def never_rises(errors, rounding):
    """Whether no error is above half as much again as the least before it, W⁺ amplifying what is rounding."""
    return bool((errors[1:] <= 1.5 * np.minimum.accumulate(errors)[:-1] + rounding).all())


@pytest.mark.parametrize("case", GIVEN)
@pytest.mark.parametrize("method", SUITED)
def test_no_error_rises_with_the_number_of_landmarks(method, case):
    """More landmarks leave less of a positive semidefinite matrix, which rounding of the entries is not."""
    kernel = GIVEN[case]
    K, entry = kernel.K, METHODS[method]
    # That of all eigenvalues, a few times, as W⁺ amplifies it.
    rounding = 3 * np.sqrt(150) * kernel.rounding / np.linalg.norm(K)
    for seed in range(2 if entry.random else 1):
        if entry.nested:
            curve = nv.error_curve(kernel.indices, kernel, method, range(1, 151, 3), seed) / np.linalg.norm(K)
            assert never_rises(curve, rounding)
            full = KernelMatrix(kernel.indices, kernel)
            in_order = nested(full, entry.select(full, 150, np.random.default_rng(seed)))
            errors = [relative(K, in_order.factor[:, :t]) for t in in_order.columns[::3]]
            assert never_rises(np.array(errors), rounding)
        for m in (40, 100, 150):
            a = nv.approximate(kernel.indices, kernel, method, m, seed)
            if a.pivots is not None and a.shares is None:
                half = np.unique(a.pivots[: (len(a.pivots) + 1) // 2])
                assert relative(K, a.factor) <= 1.5 * nystroem_error(K, half, kernel.rounding) + rounding
            if m == 150 and a.weights is None:
                assert relative(K, a.factor) < rounding
            short = [note for note in a.notes if "rounding" in note and not note.startswith("At ")]
            assert a.weights is not None or a.shares is not None or bool(short) == (a.rank < m)


@pytest.mark.parametrize("case", GIVEN)
def test_pivots_end_where_the_rounding_of_the_entries_begins(case):
    kernel = GIVEN[case]
    least = -np.linalg.eigvalsh(kernel.K)[0]
    assert ROUNDING_SIZES * least < kernel.rounding < 2 * ROUNDING_SIZES * least
    a = nv.approximate(kernel.indices, kernel, "greedy", 120)
    assert a.notes == (
        f"After {a.rank} of 120 pivots no residual diagonal is above {kernel.rounding:.1g}, the rounding of "
        "the entries of K; it stops there.",
    )


@pytest.mark.parametrize("kernel", [nv.Laplacian(2.0), nv.Gaussian(2.0), nv.Linear(), nv.Polynomial(3)])
def test_matrices_with_all_digits_and_definite_ones_show_no_rounding(kernel):
    K = kernel(X)
    assert nv.Precomputed(K).rounding == 0.0
    definite = K + 1e-3 * np.trace(K) * np.eye(150)
    assert nv.Precomputed(single(definite)).rounding == 0.0
