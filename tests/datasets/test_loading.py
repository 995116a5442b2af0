import dataclasses
import gzip

import numpy as np
import pytest
from sklearn import datasets as scikit
from sklearn.preprocessing import StandardScaler

from nysviz.datasets import catalog, default_data_folder, load, scale_to_unit_box, standardise
from nysviz.datasets.cards import find_card
from nysviz.datasets.loading import read_checked

SCALED = ("german", "splice", "segment")


@pytest.mark.parametrize("name", SCALED)
def test_the_papers_scaled_sets_fill_the_unit_box(name, needs):
    needs(name)
    data, raw = load(name), load(name, raw=True)
    moves = np.ptp(raw.X, axis=0) > 0
    assert (data.X[:, moves].min(axis=0) == -1).all() and (data.X[:, moves].max(axis=0) == 1).all()
    assert (data.X[:, ~moves] == 0).all() and (~moves).sum() == (name == "segment")
    assert data.digest != raw.digest and "[-1, 1]" in data.sentence and "[-1, 1]" not in raw.sentence


@pytest.mark.parametrize("name, separator", [("cpu", ","), ("cal_housing", ","), ("delta_ailerons", None)])
def test_arff_rows_are_the_lines_of_the_file(name, separator, needs):
    needs(name)
    (known,) = (c for c in catalog() if c.name == name)
    text = (default_data_folder() / known.files[0]).read_text(encoding="latin-1").lower()
    lines = text.split("@data")[1].split("\n")
    rows = np.array([line.split(separator) for line in lines if line.strip()], dtype=float)
    data = load(name, raw=True)
    assert np.array_equal(data.X, rows[:, :-1]) and np.array_equal(data.y, rows[:, -1])
    assert known.layout["target"] not in data.feature_names


def test_mnist_is_the_idx_files_and_its_pictures_are_upright(needs):
    needs("mnist")
    with gzip.open(default_data_folder() / "t10k-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), dtype=np.uint8, offset=16)
    with gzip.open(default_data_folder() / "t10k-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    raw, data = load("mnist", raw=True), load("mnist")
    assert np.array_equal(raw.X.ravel(), pixels) and np.array_equal(raw.y, labels)
    assert data.X.max() == 1.0 and np.allclose(data.X * 255, raw.X)
    assert any("255" in note for note in data.notes)
    # A one is taller than wide; lying on its side it would not be.
    one = np.mean([data.picture(row) for row in np.flatnonzero(labels == 1)[:50]], axis=0)
    assert (one.sum(axis=1) > 0.5).sum() > (one.sum(axis=0) > 0.5).sum()


def test_faces_of_a_mat_file_are_upright(needs):
    needs("yaleb")
    # Upright, a face is more alike its left-right mirror than its up-down mirror.
    faces = load("yaleb", raw=True)
    mean = np.mean([faces.picture(row) for row in range(0, 2414, 5)], axis=0)
    assert np.abs(mean - mean[:, ::-1]).sum() < np.abs(mean - mean[::-1]).sum()


def numbers(d, labels, n=60):
    X = np.random.default_rng(d).integers(0, 5, size=(n, d)) / 4
    return X, np.resize(labels, n)


def write_csv(path, names, rows):
    np.savetxt(path, rows, delimiter=",", fmt="%.17g", header=",".join(names), comments="")


def test_parkinsons_load_without_the_patient_and_the_second_score(tmp_path):
    known, (X, y) = find_card("parkinsons", tmp_path), numbers(19, [7.5, 54.25])
    names = ["subject#", "age", "sex", "test_time", "motor_UPDRS", "total_UPDRS"]
    names += [f"v{j}" for j in range(16)]
    rows = np.column_stack([np.arange(60), X[:, :3], y - 1.0, y, X[:, 3:]])
    write_csv(tmp_path / known.files[0], names, rows)
    parsed = read_checked(dataclasses.replace(known, n=60), tmp_path)
    assert np.array_equal(parsed.X, X) and np.array_equal(parsed.y, y)


def test_ujil_is_two_files_and_its_features_are_the_strengths(tmp_path):
    known, (X, floor) = find_card("ujil", tmp_path), numbers(520, [0, 1, 2, 3, 4])
    others = ["LONGITUDE", "LATITUDE", "FLOOR", "BUILDINGID", "SPACEID", "RELATIVEPOSITION"]
    names = [f"WAP{j:03}" for j in range(1, 521)] + [*others, "USERID", "PHONEID", "TIMESTAMP"]
    rest = np.tile([-7541.2643, 4864920.7782, 0, 1, 106, 2, 2, 23, 1371713733], (60, 1))
    rest[:, 2] = floor
    rows = np.column_stack([np.where(X == 0, 100, -100 * X), rest])
    write_csv(tmp_path / "trainingData.csv", names, rows[:40])
    write_csv(tmp_path / "validationData.csv", names, rows[40:])
    small = dataclasses.replace(known, n=60)
    parsed = read_checked(small, tmp_path)
    assert np.array_equal(parsed.X, rows[:, :520]) and np.array_equal(parsed.y, floor)
    write_csv(tmp_path / "validationData.csv", names[::-1], rows[40:])
    with pytest.raises(ValueError, match="could not be read as csv") as refusal:
        read_checked(small, tmp_path)
    assert "different headers" in str(refusal.value.__cause__)


def test_an_absent_file_is_told_with_the_folder_and_a_way_out(tmp_path):
    with pytest.raises(ValueError, match="NYSVIZ_DATA") as refusal:
        load("usps", data_folder=tmp_path)
    sentence = str(refusal.value)
    assert "usps and usps.t" in sentence and str(tmp_path) in sentence and "digits" in sentence
    assert "`python -m nysviz fetch usps`" in sentence
    with pytest.raises(ValueError, match="diabetes"):
        load("elevators", data_folder=tmp_path)
    with pytest.raises(ValueError, match="no archive offers it for download, so put it there by hand"):
        load("reviews", data_folder=tmp_path)


BROKEN = [b"", b"\x00\xff\x01", b"not data at all\n", b"1 1:a\n", b"@data\n1,2\n", b"\x1f\x8b\x08\x00cut off"]


@pytest.mark.parametrize("name", [known.name for known in catalog() if known.kind == "file"])
@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_damaged_files_give_one_sentence(tmp_path, name, content):
    (known,) = (c for c in catalog() if c.name == name)
    for file in known.files:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(ValueError, match=known.files[0]) as refusal:
        load(name, data_folder=tmp_path)
    assert "\n" not in str(refusal.value) and str(refusal.value).endswith(".")


def test_constant_features_become_zero():
    # 0.1 has no exact binary form: the mean of many copies differs from it, and the deviation is not 0.
    constant = np.column_stack([np.full(1001, 0.1), np.arange(1001.0)])
    for scale in (scale_to_unit_box, standardise):
        assert (scale(constant)[:, 0] == 0.0).all() and np.ptp(scale(constant)[:, 1]) > 1.0
        assert (scale(constant[:1]) == 0.0).all()


def test_an_idx_header_that_promises_too_much_is_not_believed(tmp_path):
    header = bytes([0, 0, 8, 3]) + b"".join(size.to_bytes(4, "big") for size in (2**31, 28, 28))
    for file in ("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"):
        (tmp_path / file).write_bytes(gzip.compress(header))
    with pytest.raises(ValueError, match="could not be read"):
        load("mnist", data_folder=tmp_path)


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
