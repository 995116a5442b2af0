"""Zhang, Tsang & Kwok 2008: propositions 1 and 4, and property (8), as runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.linalg import eigh

from nysviz.approximation import approximate
from nysviz.blocks import one_blas_thread
from nysviz.bounds import change_ratio, derived_constant, entry_errors, printed_constant
from nysviz.datasets import load
from nysviz.kernels import Gaussian, InverseDistance, Kernel, Laplacian, Linear, Polynomial, default_width
from nysviz.learning.kernel_pca import departure, two_forms
from nysviz.papers.row import Row, rows

# Landmarks of proposition 1: the entries between all pairs of them are looked at.
LANDMARKS = 40
# Random quadruples that are tried against property (8).
QUADRUPLES = 100_000
EPSILON = 0.5
# Eigenvectors of proposition 4, from m = ⌊0.05 n⌋ landmarks.
VECTORS = 5
ROWS_A_LANDMARK = 20
SCHEMES = ("uniform", "kmeans", "icd")


def kernels(sigma: float) -> tuple[Kernel, ...]:
    """One of each kernel, at the scale sigma of the data."""
    return (
        Gaussian(sigma),
        Laplacian(sigma),
        InverseDistance(sigma, EPSILON),
        Polynomial(2, 1.0),
        Linear(),
    )


def entries_between_landmarks(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield the largest |k − k̃| over pairs of random rows that are landmarks, in parts of the largest |k|.

    The kernel is named as the method of the row. Proposition 1 says 0.
    """
    for name in names:
        data = load(name)
        sigma = math.sqrt(default_width(data.X) / 2.0)
        for repeat in range(repeats):
            Z = data.X[np.random.default_rng(seed + repeat).permutation(data.n)[:LANDMARKS]]
            for kernel in kernels(sigma):
                size = float(np.abs(kernel(Z)).max()) or 1.0
                head = ("zhang-prop1", name, data.n, data.d, kernel.label, len(Z), repeat)
                yield from rows(head, {"entry_error": entry_errors(kernel, Z, Z).max() / size})


def changes_of_entries(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Search random quadruples on a line for the largest ratio of property (8), σ = 1.

    The ratio is (k(a, b) − k(c, d))² / ((a − c)² + (b − d)²); no C below it satisfies the property.
    """
    for name in names:
        for repeat in range(repeats):
            rng = np.random.default_rng(seed + repeat)
            a = np.zeros((QUADRUPLES, 1))
            b = rng.normal(scale=2.0, size=a.shape)
            # Moves of all sizes: the supremum is approached by small ones.
            moves = rng.normal(size=(2, *a.shape)) * 10.0 ** rng.uniform(-3.0, 0.5, (2, *a.shape))
            for kernel in kernels(1.0)[:3]:
                values = {
                    "largest_ratio": change_ratio(kernel, a, b, a + moves[0], b + moves[1]).max(),
                    "printed_constant": printed_constant(kernel),
                    "derived_constant": derived_constant(kernel),
                }
                yield from rows(("zhang-property8", name, QUADRUPLES, 1, kernel.label, 4, repeat), values)


def orthogonality(names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield ‖UᵀU − I‖ and the largest principal angle to the exact eigenvectors, of both forms."""
    for name in names:
        data = load(name)
        kernel = Gaussian.from_width(default_width(data.X))
        with one_blas_thread():
            exact = eigh(kernel(data.X), subset_by_index=(data.n - VECTORS, data.n - 1))[1][:, ::-1]
        m = max(VECTORS, data.n // ROWS_A_LANDMARK)
        for method in SCHEMES:
            for repeat in range(1 if method == "icd" else repeats):
                a = approximate(data.X, kernel, method, m, seed + repeat)
                forms = two_forms(a, exact)
                values = {
                    "departure_extension": departure(forms.extension),
                    "departure_orthogonal": departure(forms.orthogonal),
                    "angle_extension": forms.extension_angles[-1],
                    "angle_orthogonal": forms.orthogonal_angles[-1],
                }
                yield from rows(("zhang-prop4", name, data.n, data.d, method, m, repeat), values)
