"""Small files as people have them, in many formats, each with what an expert reads in it.

The reading follows from the table that is written, never from what the package makes of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from tests.datasets.upload_samples import idx, libsvm, mat, npy, npz, parquet

ROWS = 24


@dataclass(frozen=True)
class Honest:
    """A file and its reading; a header of None is no question, a target of None is one to ask for."""

    name: str
    content: bytes
    header: bool | None
    features: tuple[str, ...]
    target: str | None
    X: np.ndarray
    y: tuple[Any, ...] | None = None
    task: str | None = None


@dataclass(frozen=True)
class Content:
    """Columns with their meaning: all numbers but the target and those of ``leave_out`` are features.

    ``by_looks`` says whether an expert knows the target also where the columns have no names.
    """

    columns: Mapping[str, Sequence[Any]]
    target: str | None = None
    task: str | None = None
    leave_out: tuple[str, ...] = ()
    by_looks: bool = False
    leave_out_by_looks: tuple[str, ...] = ()

    @property
    def numeric(self) -> list[str]:
        return [
            name
            for name, cells in self.columns.items()
            if all(cell is None or isinstance(cell, (int, float)) for cell in cells)
        ]

    def honest(self, name: str, content: bytes, header: bool | None, names: bool = True) -> Honest:
        """Return the reading of a file of this table, with names of columns or without."""
        target = self.target if names or self.by_looks else None
        away = self.leave_out if names else self.leave_out_by_looks
        features = [column for column in self.numeric if column != target and column not in away]
        used = [*features, *([target] if target else [])]
        whole = [k for k in range(ROWS) if all(self.columns[column][k] is not None for column in used)]
        shown = {c: c if names else f"column {j + 1}" for j, c in enumerate(self.columns)}
        return Honest(
            name,
            content,
            header,
            tuple(shown[column] for column in features),
            shown[target] if target else None,
            np.array([[self.columns[column][k] for column in features] for k in whole], dtype=float),
            tuple(self.columns[target][k] for k in whole) if target else None,
            self.task if target else None,
        )


RNG = np.random.default_rng(20)


def drawn(scale: float = 1.0, digits: int = 3) -> list[float]:
    return [float(f"{value:.{digits}f}") for value in RNG.normal(size=ROWS) * scale + 0.5]


def positive(scale: float = 1.0, digits: int = 2) -> list[float]:
    return [float(f"{value:.{digits}f}") for value in RNG.uniform(0.1, 9, ROWS) * scale]


def whole(low: int, high: int) -> list[int]:
    return [low + int(k) for k in RNG.permutation(np.arange(ROWS) % (high - low))]


def one_of(*texts: str) -> list[str]:
    return [texts[k] for k in whole(0, len(texts))]


def some_missing(cells: Sequence[Any]) -> list[Any]:
    return [None if k in (3, 11) else cell for k, cell in enumerate(cells)]


DAYS = [f"2023-04-{k + 1:02d}" for k in range(ROWS)]
KINDS = ("setosa", "versicolor", "virginica")


def columns(count: int, name: Any, cells: Any) -> dict[str, Any]:
    return {name(j): cells(j) for j in range(count)}


def classified(columns: Mapping[str, Sequence[Any]], target: str, **options: Any) -> Content:
    return Content(columns, target, "classification", **options)


def contents() -> dict[str, Content]:
    # fmt: off
    flower = {"sepal length": positive(), "sepal width": positive(), "petal length": positive()}
    ab = {"a": drawn(), "b": drawn(10)}
    numbers = [101 + 3 * k for k in range(ROWS)]
    pixels = columns(9, "pixel{}".format, lambda j: whole(0, 17 if j % 3 else 4))
    spectrum = columns(12, lambda j: str(900 + 10 * j), lambda j: positive(0.1, 4))
    return {
        # The target has a name of targets.
        "class first": classified({"species": one_of(*KINDS), **flower}, "species"),
        "label": classified({**ab, "label": whole(0, 2)}, "label"),
        "class of numbers": classified({**ab, "c": drawn(), "class": whole(1, 4)}, "class"),
        "target first": classified({"target": whole(0, 2), **ab}, "target"),
        "regression": Content({**ab, "c": positive(), "target": drawn(100)}, "target", "regression"),
        "x1 x2 y": Content({"x1": drawn(), "x2": drawn(), "y": drawn()}, "y", "regression"),
        "moons": classified({"x1": drawn(), "x2": drawn(), "y": whole(0, 2)}, "y"),
        "digits": classified({"label": whole(0, 10), **pixels}, "label"),
        "plane with classes": classified({"x": drawn(), "y": drawn(), "class": whole(0, 2)}, "class"),
        "wine": classified({"alcohol": positive(), "pH": positive(), "quality": whole(3, 9)}, "quality"),
        "tumour": classified({"id": numbers, "diagnosis": one_of("M", "B"), "radius": positive(),
            "area": positive(99)},
                             "diagnosis", leave_out=("id",)),
        "penguins": classified({"species": one_of("Adelie", "Gentoo"), "island": one_of("Dream", "Biscoe"),
                                "bill": positive(9), "mass": whole(3000, 3024), "sex": one_of("male",
            "female")}, "species"),
        "outcome": classified({"glucose": whole(80, 104), "BMI": positive(5), "Outcome": whole(0, 2)},
            "Outcome"),
        "letters": classified({"label": one_of("spam", "ham"), "words": whole(90, 114), "links": whole(0,
            6)}, "label"),
        "sensors": classified({"time": [k / 4 for k in range(ROWS)], **ab, "az": drawn(), "label": whole(0,
            3)}, "label"),
        "ages": Content({"age": whole(20, 44), "dose": whole(1, 5), "response": drawn()}, "response",
            "regression"),
        # Classes of text stand last.
        "iris": classified({**flower, "species": one_of(*KINDS)}, "species", by_looks=True),
        "variety": classified({**flower, "variety": one_of(*KINDS)}, "variety", by_looks=True),
        "numbered": classified({"id": numbers, **ab, "class": one_of("good", "bad")}, "class",
            leave_out=("id",), by_looks=True),
        "gaps": classified({"a": some_missing(drawn()), "b": drawn(), "class": one_of("yes", "no")},
            "class", by_looks=True),
        "0 1 2 and text": classified({**columns(3, str, lambda j: drawn()), "3": one_of("u", "v")}, "3",
            by_looks=True),
        "signs": classified({"a": [-1e-7 * k for k in range(ROWS)], "b": [-0.5 * k for k in range(ROWS)],
                             "class": one_of("p", "q")}, "class", by_looks=True),
        "time and class": classified({"time": [f"{k:02d}:15" for k in range(ROWS)], **ab,
            "label": one_of("walk", "run")},
                                     "label", by_looks=True),
        "cloud with labels": classified({"X": drawn(), "Y": drawn(), "Z": drawn(), "label": one_of("tree",
            "roof")},
                                        "label", by_looks=True),
        "spectra": classified({**spectrum, "class": one_of("wheat", "oat")}, "class", by_looks=True),
        # There is none, or an expert asks for it.
        "houses": Content({"crime": positive(), "rooms": positive(), "value": positive(9)}),
        "pixels alone": Content(pixels),
        "cloud": Content({"x": drawn(), "y": drawn(), "z": drawn()}),
        "plane": Content({"x": drawn(), "y": drawn()}),
        "series": Content({"date": DAYS, "open": positive(30), "close": positive(30)}),
        "repeated dates": Content({"flow": positive(), "level": positive(),
            "date": [DAYS[k // 4] for k in range(ROWS)]}),
        "counts": Content({"area": positive(20), "price": positive(900), "bedrooms": whole(1, 5)}),
        "visits": Content({"age": whole(20, 44), "income": positive(1000), "visits": whole(0, 7)}),
        "one column": Content({"temperature": drawn(20)}),
        "wavelengths": Content(spectrum),
        "years": Content(columns(6, lambda j: str(2001 + j), lambda j: positive(10))),
        "0 1 2": Content(columns(5, str, lambda j: drawn())),
        "remarks": Content({**ab, "remark": [f"note {k * k}" for k in range(ROWS)]}),
        "houses by city": Content({"price": positive(900), "area": positive(20), "rooms": whole(1, 6),
                                   "city": one_of("Rome", "Oslo", "Bern")}),
        "hours": Content({"hour": list(range(ROWS)), "load": positive(40), "heat": drawn(9)}),
        "weather": Content({"station": one_of("north", "south"), "heat": drawn(9), "rain": positive(),
            "wind": whole(0, 12)}),
        "marks": Content({"student": [f"S. {k}" for k in range(ROWS)], "algebra": whole(1, 7),
            "physics": whole(1, 7)}),
        "answers": Content(columns(6, "q{}".format, lambda j: whole(1, 6))),
        "genes": Content({"gene": [f"g{k}" for k in range(ROWS)], **columns(5, "patient {}".format,
            lambda j: positive(40))}),
        "places": Content({"latitude": drawn(9), "longitude": drawn(20), "depth": positive(9)}),
        "cars": Content({"weight": positive(500), "power": positive(40), "origin": whole(1, 4),
                         "name": [f"car {k}" for k in range(ROWS)]}),
        "shop": Content({"month": [f"month {k}" for k in range(ROWS)], "sold": whole(100, 124),
            "profit": drawn(300)}),
        "concrete": Content({"cement (kg/m³)": positive(40), "water [l]": positive(20), "days": whole(3, 9),
                             "strength": positive(9)}),
    }
    # fmt: on


@dataclass(frozen=True)
class Dialect:
    delimiter: str = ","
    decimal: str = "."
    missing: str = ""
    quoted: bool = False
    above: str = ""
    before_names: str = ""
    end: str = "\n"
    end_of_row: str = ""
    wide: bool = False
    encoding: str = "utf-8"

    def cell(self, value: Any) -> str:
        if value is None:
            return self.missing
        text = str(value).replace(".", self.decimal) if isinstance(value, float) else str(value)
        if isinstance(value, float) and "e" in text:
            text = f"{value:.9f}".replace(".", self.decimal)
        if self.quoted or self.delimiter in text:
            return f'"{text}"'
        return text.rjust(9) if self.wide else text

    def write(self, rows: list[list[Any]], names: Sequence[str] | None) -> bytes:
        lines = [self.delimiter.join(map(self.cell, row)) + self.end_of_row for row in rows]
        if names is not None:
            lines.insert(0, self.before_names + self.delimiter.join(map(self.cell, names)))
        return (self.above + self.end.join(lines) + self.end).encode(self.encoding)


DIALECTS = {
    "comma": Dialect(),
    "semicolon and decimal comma": Dialect(";", ","),
    "tab": Dialect("\t", missing="NA"),
    "bar": Dialect("|", end="\r\n"),
    "blanks": Dialect(" ", missing="?"),
    "wide blanks": Dialect(" ", missing="nan", wide=True),
    "semicolon": Dialect(";", missing="NaN"),
    "quoted": Dialect(quoted=True, end="\r\n"),
    "quoted decimal comma": Dialect(",", ",", quoted=True),
    "tab and decimal comma": Dialect("\t", ",", end="\r\n"),
    "title": Dialect(above="Measured in the spring\n\n"),
    "comments": Dialect(above="# made by hand\n# in two days\n"),
    "names behind a sign": Dialect(before_names="#", delimiter="\t"),
    "ends": Dialect(";", ",", end_of_row=";"),
    "spreadsheet": Dialect(";", ",", above="sep=;\n", encoding="utf-8-sig", end="\r\n"),
    "utf-16": Dialect("\t", encoding="utf-16", end="\r\n"),
}
ONE_COLUMN = [dialect for dialect in DIALECTS.values() if dialect.delimiter == "," and dialect.decimal == "."]
WITH_NAMES_ALONE = {"title", "names behind a sign", "spreadsheet"}
WITHOUT_NAMES = {
    "iris", "class first", "label", "class of numbers", "regression", "pixels alone", "cloud", "counts",
    "gaps", "one column", "cloud with labels", "repeated dates", "target first", "visits",
}  # fmt: skip


def texts() -> Iterator[Honest]:
    for k, (title, content) in enumerate(contents().items()):
        spaced = " " in "".join(map(str, [*content.columns, *chain(*content.columns.values())]))
        chosen = [name for j, name in enumerate(DIALECTS) if (j + k) % 4 == 0 or j == 0]
        for name in chosen:
            dialect = DIALECTS[name]
            # Blanks cannot stand between cells that hold some, nor a comma between numbers that do.
            if (spaced and dialect.delimiter == " ") or (
                len(content.columns) == 1 and dialect not in ONE_COLUMN
            ):
                continue
            rows = [list(row) for row in zip(*content.columns.values(), strict=True)]
            yield content.honest(f"{title}, {name}.csv", dialect.write(rows, list(content.columns)), True)
            if title in WITHOUT_NAMES and name not in WITH_NAMES_ALONE:
                yield content.honest(
                    f"{title}, {name}, no names.csv", dialect.write(rows, None), False, names=False
                )


# Encoding by words that it can write: names of columns, and classes.
WORDS = {
    "cp1252": ("Länge", "Höhe", "Größe", "Köln", "Fürth"),
    "iso-8859-15": ("tempête", "œuvre", "espèce", "chêne", "hêtre"),
    "mac-roman": ("Länge", "Höhe", "Größe", "Köln", "Fürth"),
    "cp850": ("Länge", "Höhe", "Größe", "Köln", "Fürth"),
    "cp1250": ("délka", "šířka", "třída", "růže", "žluťák"),
    "cp1251": ("длина", "ширина", "класс", "роза", "ромашка"),
    "koi8-r": ("длина", "ширина", "класс", "роза", "ромашка"),
    "gb18030": ("长度", "宽度", "类别", "玫瑰", "菊花"),
    "shift-jis": ("長さ", "はば", "種類", "バラ", "きく"),
    "cp1253": ("μήκος", "πλάτος", "είδος", "δρυς", "πεύκο"),
    "utf-8": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-8-sig": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-16": ("Länge", "ширина", "类别", "Köln", "роза"),
    "utf-16-le": ("Länge", "Höhe", "Größe", "Köln", "Fürth"),
}


def encodings() -> Iterator[Honest]:
    for encoding, (first, second, kind, one, two) in WORDS.items():
        content = classified(
            {first: drawn(), second: positive(), kind: one_of(one, two)}, kind, by_looks=True
        )
        rows = [list(row) for row in zip(*content.columns.values(), strict=True)]
        for dialect in (Dialect(), Dialect(";", ",", end="\r\n"), Dialect("\t")):
            dialect = replace(dialect, encoding=encoding)
            name = f"{encoding}, {dialect.delimiter!r}"
            yield content.honest(f"{name}.csv", dialect.write(rows, list(content.columns)), True)
            yield content.honest(f"{name}, no names.csv", dialect.write(rows, None), False, names=False)


def oddities() -> Iterator[Honest]:
    a, b, kinds = drawn(), drawn(10), one_of("u", "v")
    # Three digits behind a decimal comma, in one column, beside others that leave no doubt.
    levels = [float(f"{315 + k}.{829 - 7 * k}") for k in range(ROWS)]
    for sign, quote in ((";", ""), ("\t", ""), (",", '"'), (";", '"')):
        lines = [
            f"{quote}{x:.2f}{quote};{quote}{level:.3f}{quote};{kind}".replace(".", ",").replace(";", sign)
            for x, level, kind in zip(a, levels, kinds, strict=True)
        ]
        x = [float(f"{value:.2f}") for value in a]
        content = classified({"x": x, "level": levels, "class": kinds}, "class", by_looks=True)
        name, head = f"three decimals {sign!r}{quote}", sign.join(content.columns)
        yield content.honest(f"{name}.csv", "\n".join([head, *lines]).encode(), True)
        yield content.honest(f"{name}, no names.csv", "\n".join(lines).encode(), False, names=False)
    zips = [f"{1000 + 997 * k:05d}" for k in range(ROWS)]
    content = Content({"zip": zips, "price": positive(900), "area": positive(20)})
    frame = pd.DataFrame(content.columns)
    yield content.honest("zip codes.csv", frame.to_csv(index=False).encode(), True)
    yield content.honest("zip codes.parquet", parquet(frame), None)
    text = "\n".join(f"23.{k} 10:{k + 10} {x}" for k, x in enumerate(a))
    times = np.array([[float(f"23.{k}"), x] for k, x in enumerate(a)])
    yield Honest("times of day.txt", text.encode(), False, ("column 1", "column 3"), None, times)
    table = classified({"a": a, "b": b, "kind": kinds}, "kind", by_looks=True)
    rows = pd.DataFrame(table.columns).to_csv(index=False, header=False)
    titled = table.honest("title with separators.csv", f"Station 7,,\nflow,level,kind\n{rows}".encode(), True)
    yield replace(titled, features=("flow", "level"))
    yield table.honest("dashes.csv", f"-,-,-\n{rows}".encode(), False, names=False)
    numbered, lived = list(range(1, ROWS + 1)), whole(0, 2)
    people = {"PassengerId": numbered, "Survived": lived, "Pclass": whole(1, 4), "Age": positive(9)}
    content = classified(people, "Survived", leave_out=("PassengerId",))
    yield content.honest("passengers.csv", pd.DataFrame(people).to_csv(index=False).encode(), True)


def made(name: str, content: bytes, X: np.ndarray, target: str | None = None, y: Any = None) -> Honest:
    labels = None if y is None else tuple(y.tolist())
    task = None if y is None else "regression" if y.dtype.kind == "f" else "classification"
    names = tuple(f"x{j + 1}" for j in range(X.shape[1]))
    return Honest(name, content, None, names, target, X.astype(float), labels, task)


def arrays() -> Iterator[Honest]:
    X = np.array([drawn() for _ in range(5)]).T
    kinds, values, words = np.array(whole(0, 3)), np.array(drawn(50)), np.array(one_of("cat", "dog"))
    last = np.column_stack([X, kinds])
    images = RNG.integers(0, 5, (ROWS, 4, 4)).astype("u1")
    flat, stack = images.reshape(ROWS, -1), np.moveaxis(images, 0, -1)
    tall = RNG.integers(0, 5, (40, 3, ROWS)).astype("u1")
    colours = RNG.integers(0, 5, (4, 4, 3, ROWS)).astype("u1")
    yield made("numbers with a column of few values.npy", npy(last), last)
    yield made("images.npy", npy(images), flat)
    for points, labels in (("X", "y"), ("data", "target"), ("features", "labels"), ("x_train", "y_train")):
        for y in (kinds, values, words):
            yield made(f"{points}, {y.dtype}.npz", npz(**{points: X, labels: y}), X, labels, y)
            if y.dtype.kind != "U":
                yield made(f"{points}, {y.dtype}.mat", mat(**{points: X, labels: y}), X, labels, y)
    yield made("points alone.npz", npz(X=X), X)
    yield made("points alone.mat", mat(X=X), X)
    yield made("fea, gnd.mat", mat(fea=X, gnd=kinds), X, "gnd", kinds)
    yield made("images alone.npz", npz(images=images), flat)
    yield made("images and labels.npz", npz(images=images, labels=kinds), flat, "labels", kinds)
    yield made("images along the last dimension.mat", mat(images=stack), flat)
    yield made("images along the last dimension, labels.mat", mat(images=stack, y=kinds), flat, "y", kinds)
    yield made("tall images.mat", mat(faces=tall), np.moveaxis(tall, -1, 0).reshape(ROWS, -1))
    rows = np.moveaxis(colours, -1, 0).reshape(ROWS, -1)
    yield made("colours.mat", mat(X=colours, y=kinds[:, None]), rows, "y", kinds)
    yield made("images-idx3-ubyte", idx(images), flat)
    for title, y in (("classes", kinds), ("signs", 2 * (kinds > 0) - 1), ("values", values)):
        for zero_based in (False, True):
            content = libsvm(X, y, zero_based=zero_based)
            file = made(f"{title}, {zero_based}.txt", content, X, "target", y)
            yield replace(file, features=tuple(f"x{j + (not zero_based)}" for j in range(5)))


def honest_files() -> list[Honest]:
    """Return all files; the same ones every time."""
    return [*texts(), *encodings(), *oddities(), *arrays()]
