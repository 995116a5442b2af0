"""Studies of groups: a data set's beside the exact ones and the classes, and a photograph's parts."""

from importlib import import_module

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import nysviz as nv
from nysviz.studies import matrices
from nysviz.studies.clusters import gap_of, matched
from tests import naive

WINE = nv.load("wine")


def values_of(study, measure, **where):
    table = study.table[study.table.measure == measure]
    for name, value in where.items():
        table = table[table[name] == value]
    return table.value.to_numpy(dtype=float)


def test_numbers_are_those_of_the_estimator_and_of_the_definition():
    kernel = nv.Laplacian(3.0)
    study = nv.studies.clusters(WINE, kernel, "rpcholesky", 12, groups=4, methods=["uniform"], seed=5)
    own = nv.SpectralClusters(kernel, "rpcholesky", 12, 4, random_state=5).fit(WINE.X)
    np.testing.assert_array_equal(study.grouping.labels, own.labels_)
    exact, _ = naive.spectral_embedding(kernel(WINE.X), 16)
    np.testing.assert_allclose(study.exact.values, exact, atol=1e-10)
    index = adjusted_rand_score(WINE.y, own.labels_)
    assert values_of(study, "rand_classes", m=12) == pytest.approx([index])
    shared = normalized_mutual_info_score(study.exact.labels, own.labels_)
    assert values_of(study, "mutual_exact", m=12) == pytest.approx([shared])
    assert study.answer.startswith("4 groups from 12 landmarks: adjusted Rand index **")
    gaps = exact[1:-1] - exact[2:]
    assert gap_of(study.exact.values).r == 2 + int(gaps.argmax())
    # The curve has the runs that its seeds give.
    run = nv.SpectralClusters(kernel, "uniform", 20, 4, random_state=7).fit_predict(WINE.X)
    index = adjusted_rand_score(study.exact.labels, run)
    assert values_of(study, "rand_exact", m=20, method="uniform", seed=7) == pytest.approx([index])


def test_all_rows_as_landmarks_make_the_exact_groups():
    study = nv.studies.clusters(WINE, method="rpcholesky", m=WINE.n, methods=[])
    assert study.agreements["exact"]["rand"] == 1.0 and sorted(study.figures) == ["eigenvalues", "map"]
    np.testing.assert_allclose(study.grouping.values, study.exact.values, atol=1e-8)


def test_groups_are_named_after_those_with_which_they_share_most():
    reference = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    labels = np.array([2, 2, 2, 0, 0, 1, 1, -1])
    assert matched(labels, reference).tolist() == [0, 0, 0, 1, 1, 2, 2, -1]
    more = np.array([3, 3, 0, 1, 1, 2, 2, 2])
    assert matched(more, reference).tolist() == [0, 0, 3, 1, 1, 2, 2, 2]


def test_many_rows_have_no_exact_groups_and_rows_without_classes_no_classes(monkeypatch):
    X = np.random.default_rng(0).standard_normal((90, 2))
    study = nv.studies.clusters(X, m=12, groups=3, methods=["kmeans"], theme="dark")
    assert list(study.agreements) == ["exact"] and sorted(study.figures) == [
        "agreement",
        "eigenvalues",
        "map",
    ]
    # The name of a study in its package is that of the function.
    monkeypatch.setattr(import_module("nysviz.studies.clusters"), "EXACT_ROWS", 80)
    study = nv.studies.clusters(X, m=12, groups=3)
    assert study.agreements == {} and "largest gap of the eigenvalues" in study.answer
    assert any("computed up to 80 rows" in note for note in study.notes)
    study = nv.studies.clusters(WINE, m=12, methods=["kmeans"])
    assert list(study.agreements) == ["classes"] and "agreement" in study.figures
    monkeypatch.setattr(matrices, "SAMPLED_FROM", 60)
    study = nv.studies.clusters(X, m=12, groups=3)
    assert len(study.grouping.labels) == 60 and "60 random rows of 90 are grouped." in study.notes


@pytest.mark.parametrize(
    "data, settings, match",
    [
        (WINE, {"groups": 1}, "groups is 1; it must be a whole number from 2 to 20"),
        (WINE, {"groups": 21}, "groups is 21"),
        (WINE, {"method": "kmean"}, "kmean"),
        (WINE, {"methods": ["none"]}, "none"),
        (WINE, {"m": 0}, "m = 0"),
        ([[1.0, 2.0]], {}, "1 row, and two groups take two rows"),
        ([[1.0], [-1.0]], {"kernel": nv.Linear()}, "No row has a positive degree"),
    ],
)
def test_refusals(data, settings, match):
    with pytest.raises(ValueError, match=match):
        nv.studies.clusters(data, **settings)


def test_the_parts_of_a_photograph_are_groups_of_its_pixels():
    study = nv.studies.photograph("flower", "uniform", 30, parts=3, position=1.0, bandwidth=0.7, seed=2)
    data = study.image.rows(1.0)
    kernel = nv.Gaussian(0.7 * np.sqrt(nv.default_width(data.X) / 2.0))
    own = nv.SpectralClusters(kernel, "uniform", 30, 3, random_state=2).fit(data.X)
    np.testing.assert_array_equal(study.labels.ravel(), own.labels_)
    pixels = study.image.pixels.reshape(-1, 3) / 255.0
    left = 0.0
    for part in range(3):
        np.testing.assert_allclose(study.colours[part], pixels[own.labels_ == part].mean(axis=0))
        left += ((pixels[own.labels_ == part] - study.colours[part]) ** 2).sum()
    assert study.explained == pytest.approx(1.0 - left / ((pixels - pixels.mean(axis=0)) ** 2).sum())
    # A landmark is where its pixel is.
    across, down = study.marks.points[0].astype(int)
    np.testing.assert_allclose(data.X[down * 160 + across], study.landmarks[0])
    assert sorted(study.figures) == ["eigenvalues", "parts_picture", "picture"]


def test_centres_are_places_in_the_picture_only_where_position_counts():
    study = nv.studies.photograph("china", m=10, parts=2)
    assert (study.marks.points > 0).all() and (study.marks.points < (160, 107)).all()
    study = nv.studies.photograph("china", m=10, parts=2, position=0.0, theme="dark")
    assert study.marks is None and "These landmarks are no places in the picture." in study.notes
    assert "picture" in study.figures


@pytest.mark.parametrize(
    "settings, match",
    [
        ({"image": "none.png"}, "'china' or 'flower'"),
        ({"parts": 1}, "parts is 1"),
        ({"position": -1.0}, "position is -1.0"),
        ({"bandwidth": 0.0}, "bandwidth is 0.0"),
        ({"method": "svdd"}, "svdd"),
    ],
)
def test_refusals_of_a_photograph(settings, match):
    with pytest.raises(ValueError, match=match):
        nv.studies.photograph(**settings)
