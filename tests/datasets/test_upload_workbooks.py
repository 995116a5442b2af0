"""Workbooks as people keep them: a sheet is read as a person would read it, or refused in a sentence."""

import datetime

import numpy as np
import pytest
import xlsxwriter
import xlwt

from nysviz.datasets import parse
from nysviz.datasets.upload import binary, read
from nysviz.datasets.upload.binary import XLS
from tests.datasets.upload_samples import FRAME, SHEET, changed, written, zip_of

pytestmark = pytest.mark.usefixtures("warm_reader")
ROWS = FRAME.to_numpy().tolist()
NAMES = list(FRAME.columns)
DAY = datetime.date(2020, 2, 29)


def xlsx(*draw, **options):
    def write(file):
        book = xlsxwriter.Workbook(file, {"in_memory": True, **options})
        for k, one in enumerate(draw):
            one(book.add_worksheet(f"S{k + 1}"), book)
        book.close()

    return written(write)


def table(rows=ROWS, names=NAMES, at=(0, 0)):
    def write(sheet, _book=None):
        for i, row in enumerate([names, *rows] if names else rows):
            sheet.write_row(at[0] + i, at[1], ["" if cell is None else cell for cell in row])

    return write


def sheet(*steps):
    def write(page, book):
        for step in (table(), *steps):
            step(page, book)

    return xlsx(write)


def nothing(_sheet, _book):
    pass


def columns(**cells):
    rows = [[*row[:2], *more] for row, more in zip(ROWS, zip(*cells.values(), strict=True), strict=True)]
    return xlsx(table(rows, ["a", "b", *cells]))


def titled(page, book):
    page.merge_range(0, 0, 0, 3, "Measured in spring", book.add_format({"bold": True}))
    table(at=(2, 0))(page)


def two_lines(page, book):
    page.merge_range(0, 0, 0, 1, "inside")
    page.merge_range(0, 2, 0, 3, "outside")
    table(at=(1, 0))(page)


def formulas(page, book):
    page.write_row(0, 0, ["a", "b", "sum"])
    for i, (a, b, *_) in enumerate(ROWS, 1):
        page.write_row(i, 0, [a, b])
        page.write_formula(i, 2, f"=A{i + 1}+B{i + 1}", None, a + b)


def errors(page, book):
    page.write_row(0, 0, ["a", "b"])
    for i, (a, b, *_) in enumerate(ROWS, 1):
        page.write_row(i, 0, [a, b])
    page.write_formula(1, 1, "=1/0", None, "#DIV/0!")
    page.write(2, 1, "#N/A")


def by_pandas(engine, **options):
    return written(lambda file: FRAME.to_excel(file, engine=engine, **options))


def old(rows):
    def write(file):
        book = xlwt.Workbook()
        page = book.add_sheet("old")
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                page.write(i, j, cell)
        book.save(file)

    return written(write)


NUMBERS = FRAME[["a", "b", "c"]].to_numpy()
AB = NUMBERS[:, :2]
CLASSES = ("k0", "k1", "k2")


def third(cells, numbers=None):
    return columns(c=cells), np.column_stack([AB, cells if numbers is None else numbers]), None


def with_gap(cell):
    rows = [[cell, *row[1:]] if i == 3 else row for i, row in enumerate(ROWS)]
    return xlsx(table(rows)), np.delete(NUMBERS, 3, axis=0), CLASSES


def behind(hide):
    return xlsx(
        lambda page, _: (table([[1]], ["x"])(page), hide(page)), lambda p, _: (table()(p), p.activate())
    )


# What an expert reads: the numbers, and the classes of the target or None; where none is given, all of them.
READ = {
    "plain": xlsx(table()),
    "no names": xlsx(table(names=None)),
    "begins at C5": xlsx(table(at=(4, 2))),
    "merged title": xlsx(titled),
    "two lines of names": xlsx(two_lines),
    "empty row within": xlsx(table([*ROWS[:5], [None] * 4, *ROWS[5:]])),
    "first sheet empty": xlsx(nothing, table()),
    "first sheet hidden": behind(lambda page: page.hide()),
    "cover": xlsx(lambda page, _book: page.write(0, 0, "My study, 2024"), table()),
    "two sheets": xlsx(table(), table([[1]], ["x"])),
    "hidden rows, filter": sheet(
        lambda page, book: (page.autofilter("A1:D13"), page.set_row(2, None, None, {"hidden": True}))
    ),
    "far cell that is empty": sheet(
        lambda page, book: page.write_blank(900_000, 0, None, book.add_format({"bold": True}))
    ),
    "dates": (columns(day=[DAY.isoformat()] * 12), AB, None),
    "times": (columns(at=["03:04:05"] * 12), AB, None),
    "formulas": (xlsx(formulas), np.column_stack([AB, AB.sum(axis=1)]), None),
    "errors": (xlsx(errors), AB[2:], None),
    "missing": with_gap(None),
    "numbers as text": third([str(row[2]) for row in ROWS], NUMBERS[:, 2]),
    "large whole numbers": third([10**14 + i for i in range(12)]),
    "truth values": (
        xlsx(table([[*row[:3], row[3] == "k0"] for row in ROWS])),
        np.column_stack([NUMBERS, FRAME["kind"] == "k0"]),
        None,
    ),
    "pandas": by_pandas("xlsxwriter", index=False),
    "xls": old([NAMES, *ROWS]),
    "ods": by_pandas("odf", index=False),
}


@pytest.mark.parametrize("case", READ)
def test_a_workbook_is_read_as_a_person_reads_it(case):
    case = READ[case]
    content, expected, classes = case if isinstance(case, tuple) else (case, NUMBERS, CLASSES)
    data = parse(content, "book.xlsx", missing="drop")
    np.testing.assert_allclose(data.X, expected)
    assert data.classes == (classes or ())
    assert "sheet" in data.notes[0]


def test_a_sheet_is_chosen_by_its_name():
    content = xlsx(table([[1], [2]], ["x"]), table(), nothing)
    assert read(content, "book.xlsx").sheets == ("S1", "S2", "S3")
    assert parse(content, "book.xlsx", sheet="S2").X.shape == (12, 3)
    with pytest.raises(ValueError, match="no sheet 'S9'; name one of 'S1', 'S2', 'S3'"):
        parse(content, "book.xlsx", sheet="S9")


TEXTS = "xl/sharedStrings.xml"
CELLS = b"".join(b'<c r="%c1"><v>1</v></c>' % letter for letter in b"ABCDEFGHIJKLMNOP")
PLAIN = xlsx(table())
ODS = by_pandas("odf", index=False)


def with_rows(xml, row, count):
    return xml.replace(b"</sheetData>", row * count + b"</sheetData>")


def shared(count):
    row = b"<row>" + b'<c t="s"><v>1</v></c>' * 16 + b"</row>"
    content = changed(PLAIN, SHEET, lambda xml: with_rows(xml, row, count // 16))
    return changed(content, TEXTS, lambda xml: xml.replace(b"<t>b</t>", b"<t>" + b"b" * 30_000 + b"</t>"))


def test_a_long_sheet_is_read_whole():
    row = b"<row><c><v>%d.5</v></c><c><v>%d</v></c></row>"
    rows = b"".join(row % (i % 70, i % 70) for i in range(100_000))
    whole = b"<sheetData>" + rows + b"</sheetData>"
    content = changed(xlsx(nothing), SHEET, lambda xml: xml.replace(b"<sheetData/>", whole))
    data = parse(content, "long.xlsx")
    assert data.X.shape == (100_000, 2)
    np.testing.assert_array_equal(data.X[:, 0] - data.X[:, 1], 0.5)


REFUSED = {
    "no cells": (xlsx(nothing), "no sheet with a table"),
    "all hidden but an empty one": (
        xlsx(nothing, lambda page, book: (table()(page), page.hide())),
        "no sheet with a table",
    ),
    "cut": (PLAIN[: len(PLAIN) // 2], "damaged"),
    "sheet that is no XML": (changed(PLAIN, SHEET, lambda xml: b"<<" + xml[:500]), "damaged"),
    "locked": (XLS + bytes(4_000), "locked by a password"),
    "too many columns": (xlsx(table([[1] * 6_000], None)), "× 6000 columns"),
    "cell far away": (sheet(lambda page, _book: page.write(1_048_575, 16_383, 1)), "memory that are free"),
    "names alone": (xlsx(table([])), "at least one row"),
    "bomb of rows": (
        changed(PLAIN, SHEET, lambda xml: with_rows(xml, b"<row>" + CELLS + b"</row>", 1_000_000)),
        "memory that are free|million",
    ),
    "bomb of texts": (shared(160_000), "memory that are free"),
    "bomb of repeats": (
        changed(
            ODS,
            "content.xml",
            lambda xml: xml.replace(
                b"<table:table-row", b'<table:table-row table:number-rows-repeated="1000000"'
            ),
        ),
        "memory that are free|rows; at most",
    ),
    "a table of text": (b"a,b\n1,2\n", "does not begin like data that are read"),
    "a document": (zip_of(**{"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}), "damaged"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_of_numbers_is_refused_in_a_sentence(case, monkeypatch):
    monkeypatch.setattr(binary, "MOST_MEMORY", 300_000_000)
    content, said = REFUSED[case]
    with pytest.raises(ValueError, match=said) as caught:
        parse(content, "book.xlsx")
    assert str(caught.value).endswith(".")
