"""Honest files are read as an expert reads them; what an upload cannot know it leaves open, and says so.

The reading follows from the table that is written, never from what the package makes of the file.
"""

import csv
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from nysviz.datasets.upload import build, read, summarise
from tests.datasets.upload_samples import libsvm, mat, npy, npz

pytestmark = pytest.mark.usefixtures("warm_reader")
ROWS, RNG = 24, np.random.default_rng(20)


def drawn(scale=1.0, digits=3):
    return [float(f"{value:.{digits}f}") for value in RNG.normal(size=ROWS) * scale + 0.5]


def whole(low, high):
    return [low + int(k) for k in RNG.permutation(np.arange(ROWS) % (high - low))]


def one_of(*texts):
    return [texts[k] for k in whole(0, len(texts))]


A, B, KINDS, WORDS, LATE = drawn(), drawn(10), one_of("u", "v"), one_of("cat", "dog"), drawn(50)


def check(content, name, features, X, target=None, y=None, header=None, encoding=None):
    """Assert that the file is read so, and that a note says what was guessed."""
    reading = read(content, name, encoding=encoding)
    found, data = summarise(reading), build(reading, name)
    assert (found.table.header, found.target, data.feature_names) == (header, target, tuple(features))
    np.testing.assert_allclose(data.X, X, rtol=1e-12, atol=1e-12)
    notes = " ".join(data.notes)
    assert (found.target_reason if target else "No target was found") in notes
    if target:
        y = np.asarray(y).tolist()
        assert [data.classes[k] if isinstance(y[0], str) else k for k in data.y.tolist()] == y
        assert data.task == ("regression" if isinstance(y[0], float) else "classification")


@dataclass(frozen=True)
class Dialect:
    """How a table of text is written."""

    delimiter: str = ","
    decimal: str = "."
    missing: str = ""
    quoted: bool = False
    above: str = ""
    before_names: str = ""
    end: str = "\n"
    end_of_row: str = ""
    encoding: str = "utf-8"

    def write(self, columns, names=True):
        """The table as pandas writes it, with this delimiter in the place of a rare sign."""
        text = pd.DataFrame(columns).to_csv(
            index=False, header=names, sep="\a", lineterminator="\n",
            decimal=self.decimal, na_rep=self.missing,
            quoting=csv.QUOTE_ALL if self.quoted else csv.QUOTE_NONE,
        )  # fmt: skip
        lines = [line + self.end_of_row for line in text.splitlines()]
        if names:
            lines[0] = self.before_names + lines[0].removesuffix(self.end_of_row)
        text = self.above + self.end.join([*lines, ""])
        return text.replace("\a", self.delimiter).encode(self.encoding)


DIALECTS = {
    "comma": Dialect(),
    "semicolon and decimal comma": Dialect(";", ","),
    "tab": Dialect("\t", missing="NA"),
    "bar": Dialect("|", end="\r\n"),
    "blanks": Dialect(" ", missing="?"),
    "wide blanks": Dialect("    ", missing="nan"),
    "semicolon": Dialect(";", missing="NaN"),
    "quoted": Dialect(quoted=True, end="\r\n"),
    "quoted decimal comma": Dialect(",", ",", quoted=True),
    "tab and decimal comma": Dialect("\t", ",", end="\r\n"),
    "comments": Dialect(above="# made by hand\n# in two days\n"),
    "ends": Dialect(";", ",", end_of_row=";"),
    "utf-16": Dialect("\t", encoding="utf-16", end="\r\n"),
    "ends of lines of old": Dialect(end="\r"),
    "comma and blank": Dialect(", "),
    "semicolon between blanks": Dialect(" ; "),
    # These say that names come.
    "quoted separator": Dialect(";", ",", above='"sep=;"\n'),
    "another separator than there is": Dialect(";", above="SEP=,\n"),
    "remarks and an empty line": Dialect(";", above="# made by\n\n% a program\n"),
    "names behind a per cent sign": Dialect(before_names="% "),
    "names behind the last of the remarks": Dialect(above="# made by hand\n", before_names="# "),
    "two titles": Dialect(above="Weights\n\nby hand, twice\n"),
    "title": Dialect(above="Measured in the spring\n\n"),
    "names behind a sign": Dialect(before_names="#", delimiter="\t"),
    "spreadsheet": Dialect(";", ",", above="sep=;\n", encoding="utf-8-sig", end="\r\n"),
}


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_in_every_dialect(dialect, names):
    if not names and dialect in [*DIALECTS][-9:]:
        return
    gaps = [None if k in (3, 11) else x for k, x in enumerate(A)]
    kept = [k for k in range(ROWS) if k not in (3, 11)]
    for y in (KINDS, LATE) if names else (KINDS,):
        target = "class" if y is KINDS else "target"
        content = DIALECTS[dialect].write({"a": gaps, "b": B, target: y}, names)
        X, y = np.array([A, B]).T[kept], [y[k] for k in kept]
        features, target = (("a", "b"), target) if names else (("column 1", "column 2"), "column 3")
        check(content, "f.csv", features, X, target, y, names)


# Encoding by words that it can write: names of columns, and classes.
WRITTEN = {
    "cp1252": ("Länge", "Höhe", "Größe", "Köln", "Fürth"),
    "cp1251": ("длина", "ширина", "класс", "роза", "ромашка"),
    "gb18030": ("长度", "宽度", "类别", "玫瑰", "菊花"),
    "utf-8": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-8-sig": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-16": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-16-le": ("Länge", "Höhe", "Größe", "Köln", "Fürth"),
    "utf-16-be": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-32": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-32-be": ("длина", "ширина", "класс", "роза", "ромашка"),
}


@pytest.mark.parametrize("dialect", [Dialect(), Dialect(";", ",", end="\r\n"), Dialect("\t")], ids=repr)
@pytest.mark.parametrize("encoding", WRITTEN)  # those that are not found out are named
def test_words_in_every_encoding(encoding, dialect):
    first, second, kind, one, two = WRITTEN[encoding]
    y = [{"u": one, "v": two}[text] for text in KINDS]
    columns, dialect = {first: A, second: B, kind: y}, replace(dialect, encoding=encoding)
    named = None if encoding == "cp1252" or encoding.startswith("utf") else encoding
    check(dialect.write(columns), "f.csv", (first, second), np.array([A, B]).T, kind, y, True, named)
    names = ("column 1", "column 2")
    check(dialect.write(columns, False), "f.csv", names, np.array([A, B]).T, "column 3", y, False, named)


FEW, MANY, DAYS = whole(1, 4), whole(100, 124), [f"2023-04-{k + 1:02d}" for k in range(ROWS)]


@pytest.mark.parametrize(
    "columns, target",
    [
        *(({name: KINDS, "a": A, "b": B}, name) for name in ("species", "category", "diagnosis", "outcome")),
        *(({"a": A, name: FEW, "b": B}, name) for name in ("quality", "Outcome", "labels", "gnd", "Class")),
        ({"age": MANY, "dose": FEW, "response": A}, "response"),
        ({"x1": A, "x2": B, "y": LATE}, "y"),
        ({"x": A, "y": B, "class": FEW}, "class"),
        ({"X": A, "Y": B, "Z": LATE, "label": WORDS}, "label"),
        ({"time": [f"{k:02d}:15" for k in range(ROWS)], "a": A, "label": WORDS}, "label"),
        ({"0": A, "1": B, "2": WORDS}, "2"),
        ({"label": FEW, **{f"pixel{j}": whole(0, 17) for j in range(9)}}, "label"),
        # There is none.
        ({"x": A, "y": B}, None),
        ({"x": A, "y": B, "z": LATE}, None),
        ({"age": MANY, "income": B, "visits": FEW}, None),
        ({"price": B, "area": A, "bedrooms": FEW}, None),
        ({f"pixel{j}": whole(0, 17) for j in range(9)}, None),
        ({f"q{j}": whole(1, 6) for j in range(6)}, None),
        ({str(2001 + j): drawn(10) for j in range(6)}, None),
        ({"date": DAYS, "open": A, "close": B}, None),
        ({"flow": A, "level": B, "date": [DAYS[k // 4] for k in range(ROWS)]}, None),
        ({"a": A, "b": B, "remark": [f"note {k * k}" for k in range(ROWS)]}, None),
        ({"hour": list(range(ROWS)), "load": A}, None),
        ({"station": WORDS, "heat": A, "wind": FEW}, None),
        ({"temperature": A}, None),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, dict) else "",
)
def test_the_target_that_an_expert_sees(columns, target):
    features = [name for name, cells in columns.items() if name != target and not isinstance(cells[0], str)]
    X = np.array([columns[name] for name in features], dtype=float).T
    check(Dialect().write(columns), "f.csv", features, X, target, columns.get(target), True)


@pytest.mark.parametrize("sign, quote", [(";", ""), ("\t", ""), (",", '"'), (";", '"')])
def test_three_digits_behind_a_decimal_comma_beside_columns_that_leave_no_doubt(sign, quote):
    levels = [float(f"{315 + k}.{829 - 7 * k}") for k in range(ROWS)]
    columns = {"x": [round(x, 2) for x in A], "level": levels}
    X, rows = np.array([*columns.values()]).T, zip(*columns.values(), KINDS, strict=True)
    lines = [f"{quote}{x:.2f}{quote};{quote}{y:.3f}{quote};{kind}" for x, y, kind in rows]
    lines = [line.replace(".", ",").replace(";", sign) for line in lines]
    named = "\n".join([sign.join([*columns, "class"]), *lines]).encode()
    check(named, "f.csv", columns, X, "class", KINDS, True)
    check("\n".join(lines).encode(), "f.csv", ("column 1", "column 2"), X, "column 3", KINDS, False)


def test_times_and_titles():
    times = "\n".join(f"23.{k} 10:{k + 10} {x}" for k, x in enumerate(A)).encode()
    degrees = [float(f"23.{k}") for k in range(ROWS)]
    check(times, "f.txt", ("column 1", "column 3"), np.array([degrees, A]).T, header=False)
    rows, X = Dialect().write({"a": A, "b": B, "kind": KINDS}, False), np.array([A, B]).T
    check(b"Station 7,,\nflow,level,kind\n" + rows, "f.csv", ("flow", "level"), X, "kind", KINDS, True)
    check(b"-,-,-\n" + rows, "f.csv", ("column 1", "column 2"), X, "column 3", KINDS, False)


NUMBERS = np.array([drawn() for _ in range(5)]).T
IMAGES = RNG.integers(0, 5, (ROWS, 4, 4)).astype("u1")
TALL = RNG.integers(0, 5, (40, 3, ROWS)).astype("u1")
CODES = np.array(FEW)


@pytest.mark.parametrize("points, labels", [("X", "y"), ("data", "target"), ("features", "labels")])
@pytest.mark.parametrize("y", [CODES, np.array(LATE), np.array(WORDS)], ids=lambda y: str(y.dtype))
def test_arrays_by_the_names_of_points_and_labels(points, labels, y):
    names = [f"x{j + 1}" for j in range(5)]
    check(npz(**{points: NUMBERS, labels: y}), "f.npz", names, NUMBERS, labels, y)
    if y.dtype.kind != "U":
        check(mat(**{points: NUMBERS, labels: y}), "f.mat", names, NUMBERS, labels, y)
        for zero_based in (False, True):
            shifted = [f"x{j + (not zero_based)}" for j in range(5)]
            check(libsvm(NUMBERS, y, zero_based=zero_based), "f.txt", shifted, NUMBERS, "target", y)


FLAT = IMAGES.reshape(ROWS, -1)


@pytest.mark.parametrize(
    "name, content, X, target",
    [
        ("f.npy", npy(np.column_stack([NUMBERS, CODES])), np.column_stack([NUMBERS, CODES]), None),
        ("f.npy", npy(IMAGES), FLAT, None),
        ("f.npz", npz(X=NUMBERS), NUMBERS, None),
        ("f.npz", npz(images=IMAGES), FLAT, None),
        ("f.npz", npz(images=IMAGES, labels=CODES), FLAT, "labels"),
        ("f.npz", npz(x_train=NUMBERS, y_train=CODES), NUMBERS, "y_train"),
        ("f.mat", mat(X=NUMBERS), NUMBERS, None),
        ("f.mat", mat(fea=NUMBERS, gnd=CODES), NUMBERS, "gnd"),
        ("f.mat", mat(images=np.moveaxis(IMAGES, 0, -1)), FLAT, None),
        ("f.mat", mat(images=np.moveaxis(IMAGES, 0, -1), y=CODES[:, None]), FLAT, "y"),
        ("f.mat", mat(faces=TALL), np.moveaxis(TALL, -1, 0).reshape(ROWS, -1), None),
    ],
)
def test_points_and_images_alone_or_with_labels(name, content, X, target):
    check(content, name, [f"x{j + 1}" for j in range(X.shape[1])], X, target, CODES)
