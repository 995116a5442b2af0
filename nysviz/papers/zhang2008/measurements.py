"""Zhang, Tsang & Kwok 2008: propositions 1 and 4, and property (8), as runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.linalg import eigh

from nysviz.approximation import approximate
from nysviz.blocks import one_blas_thread
from nysviz.bounds import change_ratio, derived_constant, entry_errors, printed_constant
from nysviz.datasets import load
from nysviz.kernels import Gaussian, InverseDistance, Kernel, Laplacian, Linear, Polynomial, default_width
from nysviz.learning.kernel_pca import departure, two_forms
from nysviz.papers.row import Row, rows


def kernels(sigma: float) -> tuple[Kernel, ...]:
    """One of each kernel, at the scale sigma of the data."""
    radial = Gaussian(sigma), Laplacian(sigma), InverseDistance(sigma, 0.5)
    return (*radial, Polynomial(2, 1.0), Linear())


def entries_between_landmarks(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield the largest |k − k̃| over pairs of 40 random rows that are landmarks, in parts of the largest |k|.

    The kernel is named as the method of the row. Proposition 1 says 0.
    """
    data = load(name)
    sigma = math.sqrt(default_width(data.X) / 2.0)
    for repeat in range(repeats):
        Z = data.X[np.random.default_rng(seed + repeat).permutation(data.n)[:40]]
        for kernel in kernels(sigma):
            size = float(np.abs(kernel(Z)).max()) or 1.0
            head = ("zhang-prop1", name, data.n, data.d, kernel.label, len(Z), repeat)
            yield from rows(head, {"entry_error": entry_errors(kernel, Z, Z).max() / size})


def changes_of_entries(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Search random quadruples on a line for the largest ratio of property (8), σ = 1.

    The ratio is (k(a, b) − k(c, d))² / ((a − c)² + (b − d)²); no C below it satisfies the property.
    """
    quadruples = 100_000
    for repeat in range(repeats):
        rng = np.random.default_rng(seed + repeat)
        a = np.zeros((quadruples, 1))
        b = rng.normal(scale=2.0, size=a.shape)
        # Moves of all sizes: the supremum is approached by small ones.
        moves = rng.normal(size=(2, *a.shape)) * 10.0 ** rng.uniform(-3.0, 0.5, (2, *a.shape))
        for kernel in kernels(1.0)[:3]:
            values = {
                "largest_ratio": change_ratio(kernel, a, b, a + moves[0], b + moves[1]).max(),
                "printed_constant": printed_constant(kernel),
                "derived_constant": derived_constant(kernel),
            }
            yield from rows(("zhang-property8", name, quadruples, 1, kernel.label, 4, repeat), values)


def orthogonality(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield ‖UᵀU − I‖ and the largest angle to five exact eigenvectors, of both forms, m = 0.05 n."""
    data, vectors = load(name), 5
    kernel = Gaussian.from_width(default_width(data.X))
    with one_blas_thread():
        exact = eigh(kernel(data.X), subset_by_index=(data.n - vectors, data.n - 1))[1][:, ::-1]
    m = max(vectors, data.n // 20)
    for method in ("uniform", "kmeans", "icd"):
        for repeat in range(1 if method == "icd" else repeats):
            forms = two_forms(approximate(data.X, kernel, method, m, seed + repeat), exact)
            values = {
                "departure_extension": departure(forms.extension),
                "departure_orthogonal": departure(forms.orthogonal),
                "angle_extension": forms.extension_angles[-1],
                "angle_orthogonal": forms.orthogonal_angles[-1],
            }
            yield from rows(("zhang-prop4", name, data.n, data.d, method, m, repeat), values)
