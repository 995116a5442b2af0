import numpy as np
import pytest
from sklearn import datasets as scikit
from sklearn.preprocessing import StandardScaler

from nysviz.datasets import catalog, load

LOADERS = {
    "digits": scikit.load_digits, "breast_cancer": scikit.load_breast_cancer, "wine": scikit.load_wine,
    "diabetes": scikit.load_diabetes, "iris": scikit.load_iris,
}  # fmt: skip


@pytest.mark.parametrize("name", LOADERS)
def test_tables_are_scikit_learns(name):
    bunch, data = LOADERS[name](), load(name)
    standard = name in ("breast_cancer", "wine")
    np.testing.assert_allclose(data.X, StandardScaler().fit_transform(bunch.data) if standard else bunch.data)
    assert np.array_equal(data.y, bunch.target) and data.feature_names == tuple(map(str, bunch.feature_names))
    if data.task == "classification":
        assert data.classes == tuple(map(str, bunch.target_names))
    assert ("standardised" in data.sentence) == standard

    raw, original = load(name, raw=True), scikit.load_diabetes(scaled=False) if name == "diabetes" else bunch
    assert np.array_equal(raw.X, original.data) and "standardised" not in raw.sentence
    assert (raw.digest != data.digest) == (standard or name == "diabetes")


@pytest.mark.parametrize("known", [c for c in catalog() if c.kind != "file"], ids=lambda known: known.name)
def test_n_d_task_are_those_of_the_card(known):
    data = load(known.name)
    assert (data.n, data.d, data.task) == (known.n, known.d, known.task)
    assert data.name == known.name and data.image_shape == known.image_shape
    assert (data.y is None) == (known.task is None) and len(data.feature_names) == data.d
    if known.task == "classification":
        assert len(data.classes) == np.unique(data.y).size


@pytest.mark.parametrize("name", ["china_patches", "flower_patches"])
@pytest.mark.parametrize("patch", [4, 7, 16])
def test_patches_are_pieces_of_the_photograph_from_different_places(name, patch):
    photo = scikit.load_sample_image(name.removesuffix("_patches") + ".jpg").astype(float) / 255.0
    grey = 0.299 * photo[..., 0] + 0.587 * photo[..., 1] + 0.114 * photo[..., 2]
    data = load(name, patch=patch, n=150, seed=3)
    assert data.X.shape == (150, patch * patch) and data.image_shape == (patch, patch)
    assert data.X.min() >= 0.0 and data.X.max() <= 1.0
    windows = np.lib.stride_tricks.sliding_window_view(grey, (patch, patch))
    corners = windows[:, :, 0, 0]
    for row in range(0, 150, 30):
        piece = data.picture(row)
        places = np.argwhere(np.abs(corners - piece[0, 0]) < 1e-12)
        assert any(np.allclose(windows[i, j], piece, atol=1e-12) for i, j in places)


def test_patches_never_come_twice_from_one_place(monkeypatch):
    ramp = np.arange(40 * 50, dtype=float).reshape(40, 50, 1).repeat(3, axis=2) / 2000.0 * 255.0
    monkeypatch.setattr(scikit, "load_sample_image", lambda name: ramp)
    data = load("china_patches", patch=4, n=37 * 47, seed=0)  # as many pieces as places
    assert np.unique(data.X[:, 0]).size == 37 * 47
