"""What the options of an upload change, and what a description says before anything is changed."""

import numpy as np
import pytest

from nysviz.datasets import parse, upload
from nysviz.datasets.upload import summarise

CSV = b"a,tint,b,same,class\n1,red,10,5,0\n2,blue,,5,1\n4,,inf,5,1\n1,red,10,5,0\n,red,40,5,\n"


def test_missing_values_are_filled_and_counted():
    mean = parse(CSV, "f.csv", missing="mean")
    assert mean.n == 4 and mean.y.tolist() == [0, 1, 1, 0]  # a row without its target is left out in any case
    assert mean.X.tolist() == [[1, 10, 5], [2, 20, 5], [4, 20, 5], [1, 10, 5]]
    assert any("3 missing or infinite values filled with the column's mean in" in note for note in mean.notes)
    median = parse(CSV, "f.csv", missing="median")
    assert median.X[:, 1].tolist() == [10, 10, 10, 10]


def test_text_becomes_columns_of_0_and_1():
    data = parse(CSV, "f.csv", encode=["tint"], missing="mean")
    assert data.feature_names == ("a", "b", "same", "tint = blue", "tint = red")
    assert data.X[:, 3:].tolist() == [[0, 1], [1, 0], [0.25, 0.75], [0, 1]]  # the gap gets shares
    assert any("Constant: 'same'." in note for note in data.notes)
    every = parse(CSV, "f.csv", encode=True, missing="mean")
    assert every.digest == data.digest
    dropped = parse(CSV, "f.csv", encode=True)
    assert dropped.n == 2 and not any("left out" in note and "tint" in note for note in dropped.notes)


@pytest.mark.parametrize("scale", ["standardise", "unit box"])
@pytest.mark.parametrize("unit", [1.0, 1e90])
def test_scaling(scale, unit):
    X = np.random.default_rng(0).standard_normal((20, 3)) * unit
    text = "\n".join(",".join(map(repr, row)) for row in X.tolist()).encode()
    scaled = parse(text, "f.csv", False, scale=scale).X
    if scale == "standardise":
        X = X / unit
        np.testing.assert_allclose(scaled, (X - X.mean(axis=0)) / X.std(axis=0), atol=1e-12)
    else:
        assert scaled.min(axis=0).tolist() == [-1] * 3 and scaled.max(axis=0).tolist() == [1] * 3


def table_of(names, columns):
    lines = [",".join(names), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    return "\n".join(lines).encode()


DRAWN = np.random.default_rng(1).standard_normal(12).round(3).tolist()
SHUFFLED = np.random.default_rng(2).permutation(np.arange(900, 924, 2)).tolist()


@pytest.mark.parametrize(
    "name, values, numbers_rows",
    [
        ("id", range(12), True),
        ("sample_id", SHUFFLED, True),
        ("PassengerId", SHUFFLED, True),
        ("customerID", SHUFFLED, True),
        ("Sample No.", range(5, 17), True),
        ("Index", range(1, 13), True),
        ("", range(12), True),  # as pandas writes the numbers of the rows
        ("Unnamed: 0", range(1, 13), True),
        ("hour", range(12), False),  # may mean something
        ("id", [0, 0, *range(10)], False),
        ("id", DRAWN, False),
        ("id", [*range(11), ""], False),
        ("idle", SHUFFLED, False),
        ("casein", SHUFFLED, False),
        ("", SHUFFLED, False),
    ],
)
def test_a_column_that_numbers_the_rows_is_left_out_and_named_unless_it_is_kept(name, values, numbers_rows):
    content, name = table_of([name, "a", "b"], [values, DRAWN, DRAWN[::-1]]), name or "column 1"
    assert list(summarise(upload.read(content, "f.csv")).left_out) == ([name] if numbers_rows else [])
    left = parse(content, "f.csv", False)
    assert left.feature_names == (("a", "b") if numbers_rows else (name, "a", "b"))
    assert (f"Left out because they number the rows: '{name}'." in left.notes) == numbers_rows
    assert parse(content, "f.csv", False, leave_out=()).d == 3
    # As the target it is no feature, and nothing is to be left out.
    assert not any("the rows" in note for note in parse(content, "f.csv", name).notes)


def grades(count, fraction=0.0):
    rows = [f"{i},{i * i % 11},{i % count + fraction}" for i in range(4 * count)]
    return "\n".join(["a,b,grade", *rows]).encode()


@pytest.mark.parametrize("count, usual", [(5, "classification"), (26, "regression")])
@pytest.mark.parametrize("task", [None, "classification", "regression"])
def test_numbers_of_the_target_are_classes_or_values(count, usual, task):
    data = parse(grades(count), "x.csv", "grade", task=task)
    assert data.task == (task or usual)
    what = "classes" if data.task == "classification" else "values to predict"
    assert f"The numbers of the target are taken as {what}." in data.notes


MANY = "\n".join(f"t{k},{k}.5" for k in range(60)).encode()
PAIRS = b"1 1:2\n-1 1:3\n"


@pytest.mark.parametrize(
    "content, options, said",
    [
        (CSV, {"encode": ["nothing"]}, "'nothing' cannot become"),
        (CSV, {"encode": ["a"]}, "'a' cannot become"),
        (MANY, {"target": False, "encode": ["column 1"]}, "60 different texts"),
        (CSV, {"leave_out": ["nothing"]}, "'nothing' cannot be left out"),
        (CSV, {"leave_out": ["class"]}, "'class' cannot be left out"),
        (CSV, {"leave_out": ["a", "b", "same"]}, "None of the 5 columns is left"),
        (CSV, {"missing": "guess"}, "'drop', 'mean' or 'median'"),
        (CSV, {"scale": "huge"}, "'standardise', 'unit box' or None"),
        (CSV, {"similarities": "huge"}, "'given', 'clip', 'shift', 'gaussian', 'centred' or None"),
        (CSV, {"similarities": "given", "scale": "unit box"}, "scale is 'unit box'"),
        (CSV, {"similarities": "given", "missing": "mean"}, r"K has the shape \(4, 3\)"),
        (grades(120), {"target": "grade", "task": "classification"}, "120 different numbers"),
        (grades(5, 0.5), {"target": "grade", "task": "classification"}, "at most 100 whole numbers"),
        (b"a,b\n1,x\n2,y\n3,x\n4,y\n", {"target": "b", "task": "regression"}, "'b' holds text"),
        (CSV, {"task": "both"}, "task is 'both'"),
        (PAIRS, {"header": True}, "leaves no choice"),
        (PAIRS, {"encoding": "latin-1"}, "leaves no choice"),
        (PAIRS, {"sheet": "first"}, "leaves no choice"),
    ],
)
def test_what_cannot_be_asked_is_refused(content, options, said):
    with pytest.raises(ValueError, match=rf"{said}.*\.$"):
        parse(content, "f.txt", **options)


MUSHROOMS = b"class,cap-shape,odor\np,x,p\ne,x,a\ne,b,l\np,x,p\n"


@pytest.mark.parametrize(
    "content, columns",
    [
        (MUSHROOMS, ["class", "cap-shape", "odor"]),
        (MUSHROOMS.partition(b"\n")[2], ["column 1", "column 2", "column 3"]),
        (b"p,x,a\ne,x,l\ne,b,p\np,x,a\n", ["column 1", "column 2", "column 3"]),
        (b"a,b\nx,y1\nz,y2\n", ["column 1", "column 2"]),  # no text repeats: nothing tells names from texts
        (b"a,a\nx,u\nx,u\n", ["column 1", "column 2"]),
    ],
)
def test_a_table_of_texts_has_a_header_that_is_none_of_its_texts(content, columns):
    assert list(upload.read(content, "x.csv").frame) == columns


def test_similarities_become_points_with_these_inner_products():
    X = np.random.default_rng(0).standard_normal((12, 3))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    K[:, [2, 5]] = K[:, [5, 2]]
    K[[2, 5]] = K[[5, 2]]

    def sent(K, **options):
        rows = [",".join([*map(repr, row), "ab"[i % 2]]) for i, row in enumerate(K.tolist())]
        names = ",".join([*(f"r{j}" for j in range(12)), "class"])
        return parse("\n".join([names, *rows]).encode(), "f.csv", **options)

    data = sent(K, similarities="given")
    np.testing.assert_allclose(data.X @ data.X.T, K, atol=1e-14)
    assert data.classes == ("a", "b") and len(data.feature_names) == data.d
    assert data.sentence == "Similarities of 12 rows from your file."
    least = np.linalg.eigvalsh(K)[0]
    bad = K - (least + 0.25) * np.eye(12)
    with pytest.raises(ValueError, match=r"eigenvalues reach from -0\.25 to .* 'clip' .* 'shift' adds 0\.25"):
        sent(bad, similarities="given")
    shifted = sent(bad, similarities="shift")
    np.testing.assert_allclose(shifted.X @ shifted.X.T, K - least * np.eye(12), atol=1e-13)
    # As near to it as a matrix without negative eigenvalues can be.
    clipped = sent(bad, similarities="clip")
    below = np.minimum(np.linalg.eigvalsh(bad), 0.0)
    assert np.linalg.norm(clipped.X @ clipped.X.T - bad) == pytest.approx(np.linalg.norm(below))
