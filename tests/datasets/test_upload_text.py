"""Tables of text as people have them: delimiters, headers, decimal signs, encodings, gaps and slips."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nysviz.datasets import parse, upload
from nysviz.datasets.upload import limits
from tests.datasets.upload_samples import check, notes, refusal


def read(text, target=False, **options):
    return parse(text if isinstance(text, bytes) else text.encode(), "f.csv", target, **options)


def described(text):
    return upload.summarise(upload.read(text if isinstance(text, bytes) else text.encode(), "f.csv"))


def numbered(count, cell):
    return "a,b\n" + "\n".join(f"{k}.5,{cell(k)}" for k in range(count))


ROWS = [f"{k / 7:.3f},{k * k % 11 + 0.5},{['low', 'high'][k % 2]}" for k in range(20)]
BODY = "\n".join(ROWS) + "\n"


@pytest.mark.parametrize("above", ["0,1,2\n", "1,2,3\n", "1990,1991,1992\n", "0,1,kind\n"])
def test_numbers_that_count_up_are_names_and_this_is_said(above):
    data = read(above + BODY, None)
    assert data.n == 20 and "were taken for names of columns" in notes(data)


LONG = [f"{k}.5,{k * k}.25," + ('"one\ntwo"' if k < 6 else "b") for k in range(12)]
BIRDS = [[str(k), f"{k * k}.5", "Amsel" if k % 2 else "Dohle", ""] for k in range(12)]


def birds(sign):
    lines = map(sign.join, [["id", "Umsatz", "Klasse"], *BIRDS])
    return "\r\n".join(lines).encode("utf-8-sig")


NAMED = [
    # Quotation marks hold delimiters, numbers and ends of lines.
    (b'"a, b","c"\n"1","2,5"\n3,"4"\n5,6\n', ("a, b", "c"), [[1, 2.5], [3, 4], [5, 6]], ()),
    ("\n".join(['"wing\n(mm)",tail,species', *LONG]), ("wing (mm)", "tail"), None, ("b", "one two")),
    (b'wing 5",tail\n1,2\n3,4\n', ('wing 5"', "tail"), [[1, 2], [3, 4]], ()),
    # Names of rows as R writes them, and separators at the ends.
    (b'"a" "b"\n"r1" 2 3\n"r2" 3 4\n', ("a", "b"), [[2, 3], [3, 4]], ()),
    (b'"a"\n"r1" 2\n"r2" 3\n', ("a",), [[2], [3]], ()),
    (b"a,b\nr1,1,2\nr2,3,\nr3,4,5\n", ("a", "b"), [[1, 2], [4, 5]], ()),
    *((birds(sign), ("Umsatz",), None, ("Amsel", "Dohle")) for sign in ",;|"),
    # Names stay apart, and are plain text.
    (b"a,,a,a (2),\n1,2,3,4,5\n", ("a", "column 2", "a (2)", "a (2) (2)", "column 5"), [[1, 2, 3, 4, 5]], ()),
    (b"<b>x</b>,**y**\n1,<i>\n2,[a](b)\n3,<i>\n4,[a](b)\n", ("<b>x</b>",), None, ("<i>", "[a](b)")),
    (b"a" * 500 + b",b\n1,2\n", ("a" * 79 + "…", "b"), [[1, 2]], ()),
    ("a\u202eb\x0b,c\n1,2", ("a b", "c"), [[1, 2]], ()),
    # The only column of numbers is never taken as the target.
    (b"y\n1\n2\n1\n1\n", ("y",), [[1], [2], [1], [1]], ()),
    (b"name,y\np,1\nq,2\nr,1\ns,1\n", ("y",), [[1], [2], [1], [1]], ()),
    # Of what is between thousands and what separates.
    (b"a b\n1 234,5\n2 345,5\n", ("a", "b"), [[1, 234.5], [2, 345.5]], ()),
    ("a,b\n" + "\n".join(f"{k},{k} {100 + k} 000" for k in range(1, 60)) + "\n1,5\n", ("a", "b"), None, ()),
]


@pytest.mark.parametrize("content, names, X, classes", NAMED)
def test_names_numbers_and_classes(content, names, X, classes):
    data = read(content, None)
    assert data.feature_names == names and data.classes == classes
    assert X is None or data.X.tolist() == X


@pytest.mark.parametrize(
    "content, X",
    [
        (b"city,a,remark,b\nRome,1,x y,2\nOslo,3,z,4.5\n", [[1, 2], [3, 4.5]]),
        (b"a,b\n1,2\n,3\n4,nan\n5,inf\n6,-Infinity\n?,1\n7,8\n1e999,3\n", [[1, 2], [7, 8]]),
        (b"remark,a\nx,1\n,2\nz,3\n", [[1], [2], [3]]),  # a gap in a text that is left out costs no row
        (b"a,b\nTrue,1.5\nFalse,2\n,3\n", [[1, 1.5], [0, 2]]),
        (b"a,b\nTrue,1.5\nFalse,2\nNA,3\n", [[1, 1.5], [0, 2]]),
        (b"a,b,\n1,,\n2,,\n", [[1], [2]]),
        (b"a,b\n1,2.5\n1,2.5\n1,3.5\n", [[1, 2.5], [1, 2.5], [1, 3.5]]),
        (b"1,2,3\n", [[1, 2, 3]]),
        (b"a,b\n1,2\n", [[1, 2]]),
        (b"a\n1\n2\n", [[1], [2]]),
        (b"a\n1,5\n2,25\n", [[1.5], [2.25]]),
        (b"7", [[7]]),
        (b"?,NA,1\n1,2,3\n4,5,6\n", [[1, 2, 3], [4, 5, 6]]),  # gaps in the first row are no names
        (b"Na\n1\n2\n", [[1], [2]]),  # but sodium is one
        (b"a,b,c\n1,2,3\n4,5\n7,8,9\n", [[1, 2, 3], [7, 8, 9]]),
        # A column may have the other decimal sign.
        (b"a;b;c\n0,5;1,5;0.5\n0,25;2,5;1.234\n", [[0.5, 1.5, 0.5], [0.25, 2.5, 1.234]]),
        # Commas with a blank behind them separate, blanks beside decimal commas too, but not within cells.
        *((f"a, b, c{end}\n2, 4, 3{end}\n3, 9, 3{end}\n".encode(), [[2, 4, 3], [3, 9, 3]])
          for end in ("", ",")),
        *((f"{names}1 101,5 201\n2 102,5 202\n".encode(), [[1, 101.5, 201], [2, 102.5, 202]])
          for names in ("", "a b c\n")),
        (b"p,q\n" + b"\n".join(b"%d mm,%d" % (k, k) for k in range(9)), [[k, k] for k in range(9)]),
        (b"a;b\n1;2\n\n3;4\n", [[1, 2], [3, 4]]),
    ],
)  # fmt: skip
def test_small_tables(content, X):
    assert read(content).X.tolist() == X


FINITE = st.floats(-1e90, 1e90, allow_nan=False)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.lists(st.tuples(FINITE, FINITE, FINITE), min_size=1, max_size=6), st.sampled_from(",;\t |"))
def test_numbers_come_back_as_they_were_written(rows, delimiter):
    data = read("\n".join([delimiter.join("abc"), *(delimiter.join(map(repr, row)) for row in rows)]))
    # pandas' quick reading may miss the last bit.
    np.testing.assert_allclose(data.X, np.array(rows), rtol=1e-13, atol=1e-300)


def test_labels_of_many_letters_and_texts_that_differ_in_blanks_alone():
    long = "b" * 90
    data = read(f"a,c\n1,{long}1\n2,{long}2\n3,{long}1\n4,a\n", "c")
    assert data.y.tolist() == [1, 2, 1, 0] and len(set(data.classes)) == 3
    content = b'a,answer\n1,"Yes"\n2,"Yes "\n3,"No"\n4," Yes"\n5,"not  now"\n6,"not now"\n7,"\xc2\xa0No"\n'
    data = read(content, "answer")
    assert data.classes == ("No", "Yes", "not now") and data.y.tolist() == [1, 1, 0, 1, 2, 2, 0]
    encoded = read(content, encode=["answer"])
    assert encoded.feature_names == ("a", "answer = No", "answer = Yes", "answer = not now")
    blank = read(b'a;c\n1;x\n2;"\xc2\xa0"\n3;y\n4;x\n', "c")
    assert blank.classes == ("x", "y") and blank.n == 3


def test_the_target_can_be_named_or_numbered_or_refused():
    content = b"a,b,y\n1,2,0\n3,4,1\n5,6,1\n"
    assert read(content, "a").y.tolist() == read(content, 0).y.tolist() == [1, 3, 5]
    assert read(content, np.int64(1)).feature_names == ("a", "y")
    assert read(content, False).d == 3
    for wrong in ("q", 3, -1, True, 1.5, ["a"]):
        assert "'a', 'b', 'y'" in refusal(content, target=wrong)
    assert "holds nothing" in refusal(b"a,b\n1,\n2,\n", target="b")
    assert "feature" in refusal(b"x,c\n1,p\n2,q\n", target="x")


@pytest.mark.parametrize("rows", [20, 100_000])
def test_a_few_slips_in_a_column_of_numbers_cost_their_rows_only(rows):
    # Also beyond the part that pandas would judge at once, and beyond the sample.
    data = read(b"a,b\n" + b"1,2.5\n" * rows + b"oops,3\n")
    assert data.n == rows and "of column 'a', such as 'oops', held no number" in notes(data)


@pytest.mark.parametrize("mark", ["-", "?", "n/a", "x", ".", "--", "*", "k.A.", "#DIV/0!", "NA", "-nan"])
def test_marks_among_numbers_count_as_missing(mark):
    content = numbered(200, lambda k: mark if k % 7 == 3 else f"{k * k % 50}.25")
    assert read(content).X.shape == (200 - 29, 2)
    assert described(content).columns["missing"]["b"] == 29


@pytest.mark.parametrize("text", ["high", "X", "many", "<0.1"])
def test_words_among_numbers_stay_text(text):
    content = numbered(40, lambda k: text if k % 4 == 3 else k)
    assert read(content).feature_names == ("a",)
    assert described(content).columns.loc["b", ["kind", "example"]].tolist() == ["text", text]


@pytest.mark.parametrize("text", ["None", "NA", "N/A", "null", "nan", "NaN"])
def test_a_class_may_be_called_none(text):
    content = numbered(30, lambda k: [text, "drug", ""][k % 3])
    data, found = read(content, None), described(content)
    assert data.n == 20 and data.classes == tuple(sorted([text, "drug"]))
    assert f"In the target '{text}' counts as a class" in notes(data)
    assert found.target == "b" and found.columns["missing"]["b"] == 10


@pytest.mark.parametrize("sign", ["−", "–"])
def test_a_minus_that_is_no_hyphen(sign):
    content = numbered(20, lambda k: f"{sign if k % 2 else ''}{k}.25")
    X = read(content).X
    assert X[:, 1].tolist() == [(-1) ** k * (k + 0.25) for k in range(20)]
    assert np.array_equal(read(content.replace(",", ";").replace(".", ",")).X, X)
    assert read(numbered(20, lambda k: f"{k}{sign}{k + 1}")).d == 1


VALUES = [0.5, 1234.56, 12.25, 1234567.5, 999.75]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("sign", [".", " ", "\u00a0", "\u202f", "'"])
def test_large_values_among_decimal_commas_keep_their_rows(delimiter, sign):
    cells = [f"{value:_.2f}".replace(".", ",").replace("_", sign) for value in VALUES]
    rows = [f"{k}{delimiter}{cell}" for k, cell in enumerate(cells)]
    data = read("\n".join([f"k{delimiter}price", *rows]))
    assert data.X[:, 1].tolist() == VALUES and " were read as 1234.56." in notes(data)


@pytest.mark.parametrize("at", [3, 150])
def test_a_plain_point_between_thousands_does_not_change_the_decimal_sign_of_the_file(at):
    rows = [f"{k};{k},5" for k in range(200)]
    rows[at] = f"{at};1.234"
    data = read("\n".join(["a;b", *rows]))
    assert data.n == 200 and data.X[at, 1] == 1234 and data.X[5, 1] == 5.5
    assert "cells such as '1.234' were read as 1234." in notes(data)
    data = read("\n".join(["1,5;2,5"] * 150 + ["1.5;3,5"]))  # nor is it a thousand
    assert data.n == 150 and np.array_equal(np.unique(data.X), [1.5, 2.5])


@pytest.mark.parametrize(
    "codes",
    [
        "612 345 678|655 100 200|699 123 456", "12 345|98 100|54 321",
        "12 345|9 100|345|01 234|" + "|".join(["12 345"] * 20), "101,205,309|102,300,411|250,251,252",
        "192.168.100.101|192.168.100.102|10.101.102.103", "12'345|12'346|98'765",
        "612\u00a0345\u00a0678|655\u00a0100\u00a0200", "612 345 678|655100200|699 123 456", "1,234|5,678",
    ],
)  # fmt: skip
def test_codes_in_groups_of_three_stay_text_and_this_is_told(codes):
    # The last ones are decimal numbers between semicolons.
    for delimiter in ",;" if codes != "1,234|5,678" else ",":
        rows = [f'{k / 2}{delimiter}"{code}"' for k, code in enumerate(codes.split("|"))]
        data = read("\n".join([f"a{delimiter}code", *rows]))
        assert data.feature_names == ("a",) and "may be codes and stay text" in notes(data)


@pytest.mark.parametrize(
    "cells, numbers",
    [
        (["12 345", "999"], [12345, 999]), (["12 345 ", "-7"], [12345, -7]),
        (["12'345", "1'234'567"], [12345, 1234567]), (["12 345", "6 789.5"], [12345, 6789.5]),
        (["12,345", "6,789.5"], [12345, 6789.5]), (["12,345", "1,234,567"], [12345, 1234567]),
    ],
)  # fmt: skip
def test_numbers_of_other_lengths_show_what_stands_between_thousands(cells, numbers):
    data = read("a,b\n" + "\n".join(f'{k / 2},"{cell}"' for k, cell in enumerate(cells)))
    assert data.X[:, 1].tolist() == numbers and "were read as 12345." in notes(data)


def spoilt(delimiter, *places, above=""):
    """A table with a quotation mark more in some places: a line, a column and an end of its cell."""
    rows = [["p", "q", "kind"], *([f"{k / 7:.3f}", f"{k * k % 11}.5", "ab"[k % 2]] for k in range(60))]
    for line, column, at_end in places:
        cell = rows[line - 1][column]
        rows[line - 1][column] = f'{cell}"' if at_end else f'"{cell}'
    return above + "\n".join(delimiter.join(row) for row in rows) + "\n"


@pytest.mark.parametrize("above", ["", "# by hand\n\n", "sep=,\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
@pytest.mark.parametrize(
    "places, last",
    [
        ([(9, 0, False), (50, 0, False)], 50),
        ([(9, 2, False), (50, 2, True)], 50),
        ([(9, 2, False), (50, 0, False)], 50),
        ([(9, 2, False), (10, 2, True)], 10),
        ([(9, 1, False), (11, 1, True)], 11),
        ([(9, 2, False)], 62),
    ],
)
def test_rows_that_a_stray_quotation_mark_swallows_are_said(places, last, delimiter, above):
    if above.startswith("sep") and delimiter != ",":
        return
    lines = above.count("\n")
    said = f"in line {9 + lines} opens a cell that goes on to line {last + lines}, over lines that look like"
    assert said in refusal(spoilt(delimiter, *places, above=above).encode())
    # A mark at the end of a cell opens none.
    assert read(spoilt(delimiter, (9, 2, True), above=above)).n == 60


@pytest.mark.parametrize("cell", ["one\ntwo", "one,\ntwo, 3,4", "one\n\ntwo", "1\n2\n3 3 4\n5"])
def test_honest_cells_of_several_lines_are_read_with_a_note(cell):
    rows = [f'{k}.5,{k * k}.25,"{cell if k in (5, 9) else "b"}"' for k in range(12)]
    data = read("\n".join(["a,b,remark", *rows]))
    assert data.X.tolist() == [[k + 0.5, k * k + 0.25] for k in range(12)]
    assert "2 cells in quotation marks held ends of lines, the first in line 7." in notes(data)
    assert "quotation" not in notes(read("\n".join(["a,b,remark", *rows[:5], "", *rows[10:], "", ""])))


DATES = (
    "2024-05-01|2024-05-01 12:30|2024-05-01T12:30:15.5Z|01.05.2024|5/1/24|1 May 2024|03-Okt-24|31.12.24"
    "|1.5.2024|1-5-24|12:30|12:30:05 pm"
)


@pytest.mark.parametrize("example", DATES.split("|"))
def test_dates_and_times_are_no_target(example):
    rows = "\n".join(f'{k / 2};"{example}"\n{k / 3};"{example.replace("1", "2")}"' for k in range(5))
    assert described(f"a;when\n{rows}\n").target is None


@pytest.mark.parametrize("length", [401, 5_000, 100_000])
@pytest.mark.parametrize("text", ["1", "1.", "1,", "-"])
@pytest.mark.timeout(60)
def test_a_cell_of_many_digits_is_no_number_and_takes_no_time(length, text):
    cell = text * (length // len(text))
    for content in (f"{cell}x,1\n2,3\n", f"a;b\n{cell};1\n2;3\n", f"1 1:{cell}x\n"):
        check(content.encode(), "f.txt")


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf", "no lines of data"),
        (b"# only\n# remarks\n", "no lines of data"),
        (b"a,b\n", "at least one row"),
        (b"a,b\nx,y\nz,w\n", "None of the 2 columns"),
        (b"a,b\n1,\n,2\n", "No row is complete"),
        (b",,\n,,\n", "whose cells are all empty"),
        (b'"a,b\n1,2\n3,4\n', ""),
        (b"a,b\n1,2\n1,2,3\n", "Row 2 of the data has 3 cells"),
        (b"a,b,c\n1,2\n3,4\n", "line of column names has 3 cells"),
        (b"a,b,c,d,e\n1,2,3\n1,2,3,4,5\n", "Row 2 of the data has 5 cells where the rows before have 3"),
        (b"1,2\n3,1e308\n", "'column 2' holds 1e+308"),
        (b"a,y\n1,1e200\n2,3\n", "'y' holds 1e+200"),
        (b"PK\x03\x04\x14\x00", "damaged"),
        (b"\x1f\x8b\x08\x00\x00", "gzip"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\x93NUMPY\x01\x00", "NumPy"),
        (bytes(range(256)), "not text"),
        (b"1,2\n" * 60_000 + b"\x00", "not text"),
        (b"\n <HTML lang='de'><table><tr><td>1</td></tr></table></html>", "web page"),
    ],
)
def test_what_cannot_be_used_is_refused_with_one_sentence(content, said):
    assert said in refusal(content)


@pytest.mark.parametrize(
    "filename, name",
    [("../../etc/x.csv", "x"), ("C:\\new\\b.CSV", "b"), ("n" * 500 + ".csv", "n" * 79 + "…")],
)
def test_only_the_last_part_of_the_name_is_kept(filename, name):
    assert parse(b"1,2\n3,4\n", filename).name == name


def test_limits_are_told_before_anything_is_parsed(monkeypatch):
    assert "50 MB" in refusal(bytes(60_000_000))
    monkeypatch.setattr(limits, "MAX_BYTES", 1_000_000)
    monkeypatch.setattr(limits, "MAX_ROWS", 10)
    monkeypatch.setattr(limits, "MAX_COLUMNS", 5)
    assert parse(b"1,2,3,4,5\n" * 9, "f.csv").n == 9
    assert "1.0 MB; at most 1 MB" in refusal(b"1" * 1_000_001)
    assert parse(b"a,b\n" + b"1,2\n" * 10, "f.csv").n == 10
    assert "11 rows × 2 columns; at most 10 rows" in refusal(b"1,2\n" * 10 + b"1,2")
    assert "1 rows × 6 columns; at most 10 rows, 5 columns" in refusal(b"1,2,3,4,5,6\n")
