"""Similarities and distances of all pairs of rows: what is amiss in the matrix, and what became of it."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import nysviz as nv
from nysviz.datasets import parse, upload
from nysviz.datasets.upload import summarise
from tests.datasets.upload_samples import notes, refusal

N = 14
X = np.random.default_rng(5).standard_normal((N, 3))
D = cdist(X, X)
K = np.exp(-(D**2))
NAMES = [f"r{j}" for j in range(N)]


def written(K, digits=17, **columns):
    """The matrix with names of rows and columns, NaN as an empty cell, further columns behind."""
    rows = [["" if np.isnan(x) else f"{x:.{digits}g}" for x in row] for row in np.asarray(K, dtype=float)]
    more = zip(*columns.values(), strict=True) if columns else [()] * len(rows)
    lines = [[name, *row, *cells] for name, row, cells in zip(NAMES, rows, more, strict=True)]
    return "\n".join(map(",".join, [["", *NAMES, *columns], *lines])).encode()


def read(K, how="given", target=False, **more):
    return parse(written(K, **more), "f.csv", target, similarities=how)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("digits", [17, 3])
@pytest.mark.parametrize("equal", [False, True])
def test_distances_are_told_from_similarities(metric, digits, equal):
    points = X.copy()
    if equal and metric in ("euclidean", "cityblock"):  # squares of distances are no distances
        points[5] = points[2]
    distances = cdist(points, points, metric)
    content = written(distances, digits)
    said = "these look like distances"
    assert summarise(upload.read(content, "f.csv")).distances
    assert said in notes(parse(content, "f.csv", False)) and said in refusal(content, similarities="given")
    for how in ("clip", "shift"):
        assert said in notes(read(distances, how, digits=digits))
    with pytest.raises(ValueError, match="as distances D have"):
        nv.Precomputed(distances)


LINKS = (np.random.default_rng(1).random((N, N)) < 0.2).astype(float)
LINKS = np.maximum(LINKS, LINKS.T) * (1 - np.eye(N))


@pytest.mark.parametrize("other", [K, K + 0.5, X @ X.T, LINKS, np.ones((N, N)), X @ X.T + 9, np.eye(N)])
def test_no_other_matrix_is_taken_for_distances(other):
    assert not summarise(upload.read(written(other), "f.csv")).distances
    for how in (None, "clip", "shift"):
        assert "distances" not in notes(parse(written(other), "f.csv", False, similarities=how))


def with_gaps(rows):
    """K without the entries of these rows beside one other row, in both places."""
    gaps = K.copy()
    gaps[rows, 7] = gaps[7, rows] = np.nan
    return gaps


SUGGESTED = {
    "kernel": (K, True),
    "inner products": (X @ X.T, True),
    "identity": (np.eye(N), True),
    "a gap": (with_gaps([2]), True),
    "gaps in most rows": (with_gaps(range(8, N)), False),
    "distances": (D, False),
    "a small diagonal": (K + 0.5 - 0.9 * np.eye(N), False),
    "not symmetric": (X @ X.T + X[:, :1], False),
}


@pytest.mark.parametrize("matrix, is_said", SUGGESTED.values(), ids=SUGGESTED)
def test_similarities_are_suggested(matrix, is_said):
    assert summarise(upload.read(written(matrix), "f.csv")).similarities == is_said
    assert ("these look like similarities" in notes(parse(written(matrix), "f.csv", False))) == is_said


def test_the_two_ways_of_distances():
    centred = read(D, "centred")
    np.testing.assert_allclose(cdist(centred.X, centred.X), D, atol=1e-7)  # classical scaling
    assert centred.d == 3
    gaussian = read(D, "gaussian")
    # The default width of the points, from their distances alone.
    known = nv.Gaussian.from_width(nv.default_width(X))
    np.testing.assert_allclose(gaussian.X @ gaussian.X.T, known(X), atol=1e-12)
    assert f"exp(−d²/2σ²) with σ = {known.sigma:.3g}." in notes(gaussian)
    for data in (centred, gaussian):
        assert "their linear kernel is the matrix of similarities" in notes(data) and "changed" not in notes(
            data
        )
    assert "the smallest distance is -1" in refusal(written(D - 1), similarities="centred").lower()
    without = D.copy()
    np.fill_diagonal(without, np.nan)
    assert read(without, "centred").digest == centred.digest


def test_how_far_a_repair_changes_the_matrix_is_said_and_it_is_not_called_the_same():
    bad = cdist(X, X, "cityblock") @ cdist(X, X, "cityblock") / 50 - 2 * D
    values = np.linalg.eigvalsh(bad)
    changes = {
        "clip": np.linalg.norm(np.minimum(values, 0)) / np.linalg.norm(values),
        "shift": -values[0] * np.sqrt(N) / np.linalg.norm(values),
    }
    for how, change in changes.items():
        data = read(bad, how)
        assert f"which changed the matrix of similarities by {100 * change:.3g} % (Frobenius norm)" in notes(
            data
        )
        assert "linear kernel is the matrix" not in notes(data)
        assert np.linalg.norm(data.X @ data.X.T - bad) / np.linalg.norm(bad) == pytest.approx(change)
    # Of the distances on a circle no points in any space have all.
    angles = np.arange(N) * 2 * np.pi / N
    arcs = np.abs(angles[:, None] - angles)
    arcs = np.minimum(arcs, 2 * np.pi - arcs) ** 2
    assert "Negative eigenvalues became 0, which changed" in notes(read(arcs, "centred"))
    assert "changed" not in notes(read(K, "clip"))


@pytest.mark.parametrize("how", ["given", "centred"])
@pytest.mark.parametrize("empty", [np.nan, 0.0])
@pytest.mark.parametrize("upper", [True, False])
def test_a_triangle_is_mirrored_with_a_word(how, empty, upper):
    whole = K if how == "given" else D
    gone = np.tril(np.ones((N, N), dtype=bool), -1)
    triangle = np.where(gone if upper else gone.T, empty, whole)
    data = read(triangle, how)
    np.testing.assert_allclose(data.X, read(whole, how).X, atol=1e-12)
    side = "below" if upper else "above"
    assert f"The triangle {side} the diagonal is empty and was mirrored from the other one." in data.notes


@pytest.mark.parametrize("pairs", [[(3, 4)], [(12, 2)], [(0, 13), (5, 7), (9, 3)]])
def test_a_missing_pair_is_named_and_taken_from_its_other_place(pairs):
    once, twice = K.copy(), K.copy()
    for i, j in pairs:
        once[i, j] = twice[i, j] = twice[j, i] = np.nan
    first = min(pairs)
    more = f" (and {len(pairs) - 1} more)" if len(pairs) > 1 else ""
    data = read(once)
    np.testing.assert_array_equal(data.X, read(K).X)
    assert (
        f"The pair 'r{first[0]}', 'r{first[1]}'{more} stood once and was taken for both places." in data.notes
    )
    i, j = min(tuple(sorted(pair)) for pair in pairs)
    said = (
        f"The pair 'r{i}', 'r{j}'{more} has no finite value; fill it in, or take out the row and the column"
    )
    for how in ("given", "clip", "gaussian"):
        assert said in refusal(written(twice), similarities=how)


def test_a_row_without_its_target_goes_with_its_column():
    kinds = ["u", "v"] * (N // 2)
    kinds[3] = kinds[8] = ""
    data, stay = read(K, "given", "kind", kind=kinds), [k for k in range(N) if k not in (3, 8)]
    np.testing.assert_allclose(data.X @ data.X.T, K[np.ix_(stay, stay)], atol=1e-12)
    assert (
        data.classes == ("u", "v") and "2 rows without a target left out, with their columns." in data.notes
    )
