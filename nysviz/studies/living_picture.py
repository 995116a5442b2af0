"""The first page's picture: a small kernel matrix rebuilt from more and more landmarks."""

import numpy as np

from nysviz.analysis.spectrum import best_errors, spectrum
from nysviz.datasets import load
from nysviz.engine.shared import shared
from nysviz.figures.home import ApproximationFilm
from nysviz.kernels import Gaussian, default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.measures import frobenius, residual, residual_diagonal
from nysviz.text import counted, three_digits

# Flowers of each species: few enough to send every step of the film to the browser.
OF_EACH, STEPS = 20, 15
# The two features that the map shows; the kernel sees all four.
AXES = (2, 0)
GOOD = 0.1


def flowers() -> tuple[FloatArray, Gaussian]:
    """Return the first 20 of each species of Iris, (60, 4), and a Gaussian kernel for them.

    Within a species the rows are ordered by the length of the petals, so that the blocks of K shade evenly.
    """
    iris = load("iris")
    assert iris.y is not None
    rows = [np.flatnonzero(iris.y == species)[:OF_EACH] for species in np.unique(iris.y)]
    X = np.concatenate([iris.X[some][np.argsort(iris.X[some, AXES[0]], kind="stable")] for some in rows])
    # Half the default width: narrow enough that a block of K is more than one colour.
    return X, Gaussian.from_width(0.5 * default_width(X))


@shared(holds=lambda method: 0.0)
def make_film(method: str) -> ApproximationFilm:
    """Return K̃, landmarks and errors for 1 to ``STEPS`` landmarks of a method."""
    X, kernel = flowers()
    K, eigenvalues = kernel(X, X), spectrum(X, kernel)
    total = float(np.linalg.norm(K))
    approximations = [approximate(X, kernel, method, m, seed=0) for m in range(1, STEPS + 1)]
    return ApproximationFilm(
        method,
        X[:, AXES],
        K,
        np.array([a.factor @ a.factor.T for a in approximations]),
        np.array([residual_diagonal(X, kernel, a) for a in approximations]),
        tuple(a.landmarks[:, AXES] for a in approximations if a.landmarks is not None),
        tuple(np.empty(0, dtype=np.int64) if a.pivots is None else a.pivots for a in approximations),
        np.array([frobenius(residual(K, a.factor)) / total for a in approximations]),
        np.array([best_errors(eigenvalues, m)[0] / total for m in range(1, STEPS + 1)]),
    )


def describe_steps(film: ApproximationFilm) -> list[str]:
    """Say what each step shows, in one line."""
    lines, n = [], len(film.K)
    for m, error in enumerate(film.errors, start=1):
        landmarks = f"m = {m}: {counted(m, 'centre')} in place of {n} points"
        if len(film.pivots[0]):
            landmarks = f"m = {m}: {100 * m / n:.0f} % of the columns of K"
        lines.append(f"{landmarks}, relative error {three_digits(float(error))}")
    return lines


def say_enough(film: ApproximationFilm) -> str:
    """Say with how many landmarks the error is small."""
    m = int(np.flatnonzero(film.errors < GOOD)[0]) + 1
    return f"Here **{m} landmarks** give a relative error below {GOOD}."
