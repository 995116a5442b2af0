"""Workbooks as people keep them: a sheet is read as a person would read it, or refused in a sentence."""

import numpy as np
import pandas as pd
import pytest
import xlwt

from nysviz.datasets import parse
from nysviz.datasets.upload import binary, read
from nysviz.datasets.upload.binary import XLS
from tests.datasets.upload_samples import FRAME, SHEET, changed, written, zip_of

pytestmark = pytest.mark.usefixtures("warm_reader")
CLASSES = ("k0", "k1", "k2")
NUMBERS = FRAME[["a", "b", "c"]].to_numpy()
AB = FRAME[["a", "b"]]
EMPTY = pd.DataFrame()
GAP = (FRAME.index == 3)[:, None] & (FRAME.columns == "a")
LARGE = AB.assign(c=np.arange(10**14, 10**14 + 12))
TRUTH = FRAME.assign(kind=FRAME["kind"] == "k0")


def book(*frames, change=None, engine="xlsxwriter", **options):
    """A workbook of a sheet a frame, to the first of which the change is made, with the workbook."""

    def write(file):
        with pd.ExcelWriter(file, engine=engine) as writer:
            for k, frame in enumerate(frames, 1):
                frame.to_excel(writer, sheet_name=f"S{k}", **({"index": False} | options))
            if change:
                change(writer.sheets["S1"], writer.book)

    return written(write)


def merged(*titles):
    """Titles above the names, each over two columns."""

    def change(sheet, _book):
        for k, title in enumerate(titles):
            sheet.merge_range(0, 2 * k, 0, 2 * k + 1, title)

    return change


def formulas(sheet, _book):
    sheet.write(0, 2, "sum")
    for i, sum_ in enumerate(AB.sum(axis=1), 2):
        sheet.write_formula(i - 1, 2, f"=A{i}+B{i}", None, sum_)


def errors(sheet, _book):
    sheet.write_formula(1, 1, "=1/0", None, "#DIV/0!")
    sheet.write(2, 1, "#N/A")


def hide(sheet, book):
    sheet.hide()
    book.get_worksheet_by_name("S2").activate()


def hidden_rows(sheet, _book):
    sheet.autofilter("A1:D13")
    sheet.set_row(2, None, None, {"hidden": True})


def old(sheet):
    def write(file):
        made = xlwt.Workbook()
        page = made.add_sheet("old")
        for i, row in enumerate(sheet):
            for j, cell in enumerate(row):
                page.write(i, j, cell)
        made.save(file)

    return written(write)


# What an expert reads: the numbers, and the classes of the target or None; where none is given, all of them.
READ = {
    "plain": book(FRAME),
    "no names": book(FRAME, header=False),
    "begins at C5": book(FRAME, startrow=4, startcol=2),
    "merged title": book(FRAME, startrow=2, change=merged("Measured in spring")),
    "two lines of names": book(FRAME, startrow=1, change=merged("inside", "outside")),
    "empty row within": book(FRAME.reindex([*range(5), 99, *range(5, 12)])),
    "first sheet empty": book(EMPTY, FRAME),
    "first sheet hidden": book(pd.DataFrame({"x": [1]}), FRAME, change=hide),
    "cover": book(pd.DataFrame(columns=["My study, 2024"]), FRAME),
    "two sheets": book(FRAME, pd.DataFrame({"x": [1]})),
    "hidden rows, filter": book(FRAME, change=hidden_rows),
    "far cell that is empty": book(
        FRAME, change=lambda sheet, made: sheet.write_blank(900_000, 0, None, made.add_format({"bold": True}))
    ),
    "dates": (book(AB.assign(day="2020-02-29")), AB, None),
    "times": (book(AB.assign(at="03:04:05")), AB, None),
    "formulas": (book(AB, change=formulas), AB.assign(sum=AB.sum(axis=1)), None),
    "errors": (book(AB, change=errors), AB[2:], None),
    "missing": (book(FRAME.mask(GAP)), np.delete(NUMBERS, 3, axis=0), CLASSES),
    "numbers as text": (book(FRAME.astype({"c": str})), NUMBERS, CLASSES),
    "large whole numbers": (book(LARGE), LARGE, None),
    "truth values": (book(TRUTH), TRUTH, None),
    "xls": old([FRAME.columns, *FRAME.to_numpy().tolist()]),
    "ods": book(FRAME, engine="odf"),
}


@pytest.mark.parametrize("case", READ)
def test_a_workbook_is_read_as_a_person_reads_it(case):
    case = READ[case]
    content, expected, classes = case if isinstance(case, tuple) else (case, NUMBERS, CLASSES)
    data = parse(content, "book.xlsx", missing="drop")
    np.testing.assert_allclose(data.X, np.asarray(expected, dtype=float))
    assert data.classes == (classes or ())
    assert "sheet" in data.notes[0]


def test_a_sheet_is_chosen_by_its_name():
    content = book(pd.DataFrame({"x": [1, 2]}), FRAME, EMPTY)
    assert read(content, "book.xlsx").sheets == ("S1", "S2", "S3")
    assert parse(content, "book.xlsx", sheet="S2").X.shape == (12, 3)
    with pytest.raises(ValueError, match="no sheet 'S9'; name one of 'S1', 'S2', 'S3'"):
        parse(content, "book.xlsx", sheet="S9")


TEXTS = "xl/sharedStrings.xml"
CELLS = b"".join(b'<c r="%c1"><v>1</v></c>' % letter for letter in b"ABCDEFGHIJKLMNOP")
PLAIN, ODS, NOTHING = READ["plain"], READ["ods"], book(EMPTY)


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
    content = changed(NOTHING, SHEET, lambda xml: xml.replace(b"<sheetData/>", whole))
    data = parse(content, "long.xlsx")
    assert data.X.shape == (100_000, 2)
    np.testing.assert_array_equal(data.X[:, 0] - data.X[:, 1], 0.5)


REFUSED = {
    "no cells": (NOTHING, "no sheet with a table"),
    "all hidden but an empty one": (book(FRAME, EMPTY, change=hide), "no sheet with a table"),
    "cut": (PLAIN[: len(PLAIN) // 2], "damaged"),
    "sheet that is no XML": (changed(PLAIN, SHEET, lambda xml: b"<<" + xml[:500]), "damaged"),
    "locked": (XLS + bytes(4_000), "locked by a password"),
    "too many columns": (book(pd.DataFrame([[1] * 6_000]), header=False), "× 6000 columns"),
    "cell far away": (
        book(FRAME, change=lambda sheet, _: sheet.write(1_048_575, 16_383, 1)),
        "memory that are free",
    ),
    "names alone": (book(FRAME[:0]), "at least one row"),
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
