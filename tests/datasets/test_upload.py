import numpy as np
import pytest

from nysviz.datasets import parse, upload
from nysviz.datasets.upload import limits

NUMBERS = np.array([[1.5, -2.0, 3e-5], [4.0, 5.25, 6.0], [7.0, 8.0, -9e4], [1.5, 2.5, 0.0]])


def notes(data):
    return " ".join(data.notes)


def refusal(content, filename="f.csv", target=None):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        parse(content, filename, target)
    sentence = str(caught.value)
    assert sentence.endswith(".") and "\n" not in sentence and len(sentence) < 400
    return sentence


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   ", ", ", " ; "], ids=repr)
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=repr)
def test_delimiter_header_and_line_ends_are_found(delimiter, header, line_end):
    lines = [delimiter.join(map(str, row)) for row in NUMBERS]
    text = line_end.join([delimiter.join(["red", "gréen", "blue"]), *lines] if header else lines)
    for last in ("", line_end):
        data = parse((text + last).encode(), "f.csv")
        assert np.array_equal(data.X, NUMBERS) and data.y is None and data.task is None
        assert data.feature_names == (
            ("red", "gréen", "blue") if header else ("column 1", "column 2", "column 3")
        )
        assert ("a header" in notes(data)) == header and "No target was found" in notes(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("delimiter", [";", "\t", " ", "|"])
def test_decimal_commas_and_encodings(encoding, delimiter):
    lines = [delimiter.join(f"{value:f}".replace(".", ",") for value in row) for row in NUMBERS]
    data = parse("\n".join([delimiter.join(["größe", "x", "naïf"]), *lines]).encode(encoding), "f.txt")
    np.testing.assert_allclose(data.X, NUMBERS)
    assert data.feature_names[0] == "größe" and "decimal commas" in notes(data)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark(encoding):
    lines = [",".join(map(str, row)) for row in NUMBERS]
    data = parse("\n".join(["größe,x,naïf", *lines]).encode(encoding), "f.csv")
    assert np.array_equal(data.X, NUMBERS) and data.feature_names == ("größe", "x", "naïf")
    assert "UTF-16" in notes(data)


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"', "sep=,"])
def test_the_line_by_which_a_spreadsheet_tells_its_delimiter_is_no_row(line):
    lines = [line, "a;b;c", *(";".join(map(str, row)) for row in NUMBERS)]
    for end in ("\n", "\r\n"):
        data = parse(end.join(lines).encode("utf-8-sig"), "f.csv")
        assert np.array_equal(data.X, NUMBERS) and data.feature_names == ("a", "b", "c")


def test_one_column_of_decimal_commas_below_its_name():
    data = parse(b"a\n1,5\n2,25\n", "f.csv")
    assert data.X.tolist() == [[1.5], [2.25]]


def test_a_point_among_decimal_commas_is_not_taken_for_a_thousand():
    rows = "\n".join(["1,5;2,5"] * 150 + ["1.5;3,5"])
    data = parse(rows.encode(), "f.csv")
    assert (
        data.n == 150
        and np.array_equal(np.unique(data.X), [1.5, 2.5])
        and "1 of 151 cells of column 'column 1', '1.5', is no number" in notes(data)
    )


def test_quotes_hold_delimiters_and_numbers():
    data = parse(b'"a, b","c"\n"1","2,5"\n3,"4"\n5,6\n', "f.csv", target=False)
    assert data.feature_names == ("a, b", "c") and data.X.tolist() == [[1, 2.5], [3, 4], [5, 6]]
    assert "decimal commas" in notes(data)


def test_comment_lines_at_the_top_are_skipped():
    data = parse(b"# made by\n\n% a program\n1,2\n3,4\n", "f.dat")
    assert data.X.tolist() == [[1, 2], [3, 4]]


def test_names_of_rows_as_r_writes_them():
    data = parse(b'"a" "b"\n"r1" 2 3\n"r2" 3 4\n', "f.txt")
    assert (
        data.feature_names == ("a", "b")
        and data.X.tolist() == [[2, 3], [3, 4]]
        and "'row name'" in notes(data)
    )
    single = parse(b'"a"\n"r1" 2\n"r2" 3\n', "f.txt")
    assert single.feature_names == ("a",) and single.X.tolist() == [[2], [3]]


def test_repeated_and_empty_names_stay_apart():
    data = parse(b"a,,a,a (2),\n1,2,3,4,5\n6,7,8,9,0\n", "f.csv")
    assert data.feature_names == ("a", "column 2", "a (2)", "a (2) (2)", "column 5")


def test_names_and_labels_are_plain_text():
    data = parse(b"<b>x</b>,**y**\n1,<script>alert(1)</script>\n2,[a](b)\n3,[a](b)\n4,[a](b)\n", "f.csv")
    assert data.feature_names == ("<b>x</b>",) and data.classes == ("<script>alert(1)</script>", "[a](b)")
    long = parse(b"a" * 500 + b",b\n1,2\n", "f.csv")
    assert len(long.feature_names[0]) == 80 and not parse(
        "a\u202eb\x0b,c\n1,2".encode(), "f.csv"
    ).feature_names[0].count("\u202e")


IRIS = b"5.1,3.5,setosa\n4.9,3.0,setosa\n6,3,virginica\n6,2.5,virginica\n"


def test_a_last_column_of_text_is_the_target_and_becomes_codes():
    data = parse(IRIS, "iris.data")
    assert data.y.tolist() == [0, 0, 1, 1] and data.classes == ("setosa", "virginica")
    assert data.task == "classification" and data.d == 2 and data.name == "iris"
    assert "'column 3' was taken as the target" in notes(data)


@pytest.mark.parametrize("name", ["target", "Label", "CLASS", "y"])
def test_a_column_called_so_is_the_target_wherever_it_stands(name):
    data = parse(f"a,{name},b\n1,0.5,2\n2,1.5,3\n3,2.5,1\n".encode(), "f.csv")
    assert (
        data.feature_names == ("a", "b") and data.y.tolist() == [0.5, 1.5, 2.5] and data.task == "regression"
    )
    assert f"'{name}' was taken as the target, because of its name" in notes(data)


@pytest.mark.parametrize("above", ["", "area,rooms\n", "x,y\n"])
def test_a_last_column_of_few_whole_numbers_is_not_taken_unasked(above):
    content = (above + "\n".join(f"{i / 7},{i % 3 - 1}" for i in range(12))).encode()
    data = parse(content, "f.csv")
    assert data.y is None and data.d == 2 and "No target was found" in notes(data)
    asked = parse(content, "f.csv", 1)
    assert asked.y.tolist() == [i % 3 - 1 for i in range(12)] and asked.classes == ("-1", "0", "1")


def test_the_target_can_be_named_or_numbered_or_refused():
    content = b"a,b,y\n1,2,0\n3,4,1\n5,6,1\n"
    assert parse(content, "f.csv", "a").y.tolist() == parse(content, "f.csv", 0).y.tolist() == [1, 3, 5]
    assert parse(content, "f.csv", np.int64(1)).feature_names == ("a", "y")
    assert parse(content, "f.csv", target=False).d == 3
    for wrong in ("q", 3, -1, True, 1.5, ["a"]):
        assert "'a', 'b', 'y'" in refusal(content, target=wrong)


def test_the_only_column_of_numbers_is_never_taken_as_the_target():
    for content in (b"y\n1\n2\n1\n1\n", b"name,y\np,1\nq,2\nr,1\ns,1\n"):
        data = parse(content, "f.csv")
        assert data.feature_names == ("y",) and data.y is None
    assert "feature" in refusal(b"x,c\n1,p\n2,q\n", target="x")


def test_text_columns_are_left_out_and_named():
    data = parse(b"city,a,remark,b\nRome,1,x y,2\nOslo,3,z,4.5\n", "f.csv")
    assert data.feature_names == ("a", "b") and "'city', 'remark' held text and were left out" in notes(data)


def test_incomplete_rows_are_left_out_and_counted():
    data = parse(b"a,b\n1,2\n,3\n4,nan\n5,inf\n6,-Infinity\n?,1\n7,8\n1e999,3\n", "f.csv")
    assert data.X.tolist() == [[1, 2], [7, 8]] and "6 of 8 rows had missing or infinite values" in notes(data)
    labels = parse(b"a,class\n1,p\n2,\n3,q\n4,q\n", "f.csv")
    assert (
        labels.X.tolist() == [[1], [3], [4]]
        and labels.classes == ("p", "q")
        and "1 of 4 rows" in notes(labels)
    )


def test_gaps_in_a_text_column_that_is_left_out_cost_no_row():
    assert parse(b"remark,a\nx,1\n,2\nz,3\n", "f.csv").n == 3


def test_a_few_slips_in_a_column_of_numbers_cost_their_rows_only():
    data = parse(b"a,b\n" + b"1,2.5\n" * 20 + b"oops,3\n", "f.csv")
    assert data.n == 20 and "1 of 21 cells of column 'a', 'oops', is no number" in notes(data)


def test_a_slip_far_down_a_long_file_is_found_too():
    # Beyond the part that pandas would judge at once, and beyond the sample.
    data = parse(b"a,b\n" + b"1,2.5\n" * 100_000 + b"oops,3\n", "f.csv")
    assert data.n == 100_000 and "1 of 100001 cells of column" in notes(data)


def test_truth_values_become_numbers_and_this_is_told():
    data = parse(b"a,b\nTrue,1.5\nFalse,2\n,3\n", "f.csv")
    assert data.X.tolist() == [[1, 1.5], [0, 2]] and "true and false" in notes(data)


def test_empty_columns_are_left_out_and_named():
    data = parse(b"a,b,\n1,,\n2,,\n", "f.csv")
    assert data.feature_names == ("a",) and "'b', 'column 3' held nothing" in notes(data)
    assert "holds nothing" in refusal(b"a,b\n1,\n2,\n", target="b")


def test_constant_columns_and_repeated_rows_are_kept_and_counted():
    data = parse(b"a,b\n1,2.5\n1,2.5\n1,3.5\n", "f.csv")
    assert data.X.tolist() == [[1, 2.5], [1, 2.5], [1, 3.5]]
    assert "Column 'a' is constant." in data.notes and "1 of 3 rows repeats an earlier row." in data.notes


def test_one_row_and_one_column_are_enough():
    assert parse(b"1,2,3\n", "f.csv").X.tolist() == [[1, 2, 3]]
    assert parse(b"a,b\n1,2\n", "f.csv").X.tolist() == [[1, 2]]
    assert parse(b"a\n1\n2\n", "f.csv").X.tolist() == [[1], [2]]
    assert parse(b"7", "f.csv").X.tolist() == [[7]]


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\xef\xbb\xbf", "no lines of data"),
        (b"# only\n# remarks\n", "no lines of data"),
        (b"a,b\n", "no rows"),
        (b"a,b\n\n\n", "no rows"),
        (b"a,b\nx,y\nz,w\n", "None of the 2 columns"),
        (b"a,b\n1,\n,2\n", "No row is complete"),
        (b"a,b\n1,2\n1,2,3\n", "Row 2 of the data has 3 cells"),
        (b"a,b,c\n1,2\n3,4\n", "line of column names has 3 cells"),
        (b'a,b\n"1,2\n3,4\n', "quotation mark"),
        (b"1,2\n3,1e308\n", "'column 2' holds 1e+308"),
        (b"a,y\n1,1e200\n2,3\n", "'y' holds 1e+200"),
        (b"PK\x03\x04\x14\x00", "zip"),
        (b"\x1f\x8b\x08\x00\x00", "gzip"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\x93NUMPY\x01\x00", "NumPy"),
        (b"\x89PNG\r\n\x1a\n\x00", "picture"),
        (bytes(range(256)), "not text"),
        (b"1,2\n" * 60_000 + b"\x00", "not text"),
        (b"%PDF-1.4\n%\xe2\n1 0 obj\x00", "PDF"),
    ],
)
def test_what_cannot_be_used_is_refused_with_one_sentence(content, said):
    assert said in refusal(content)


@pytest.mark.parametrize(
    "filename", ["a.xlsx", "a", "", "a.csv.gz", ".csv", "a.npy", "x" * 9999 + ".parquet"]
)
def test_other_endings_are_refused_with_those_that_are_read(filename):
    assert ".csv, .tsv, .txt, .dat or .data" in refusal(b"1,2\n", filename)


@pytest.mark.parametrize(
    "filename, name",
    [("../../etc/x.csv", "x"), ("C:\\new\\b.CSV", "b"), ("n" * 500 + ".csv", "n" * 79 + "…")],
)
def test_only_the_last_part_of_the_name_is_kept(filename, name):
    assert parse(b"1,2\n3,4\n", filename).name == name


def test_limits_are_told_before_anything_is_parsed(monkeypatch):
    monkeypatch.setattr(upload, "MAX_BYTES", 1_000_000)
    monkeypatch.setattr(limits, "MAX_ROWS", 10)
    monkeypatch.setattr(limits, "MAX_COLUMNS", 5)
    assert parse(b"1,2,3,4,5\n" * 9, "f.csv").n == 9
    assert "1.0 MB; at most 1 MB" in refusal(b"1" * 1_000_001)
    assert parse(b"a,b\n" + b"1,2\n" * 10, "f.csv").n == 10
    assert "11 rows; at most 10" in refusal(b"1,2\n" * 10 + b"1,2")
    assert "6 columns; at most 5" in refusal(b"1,2,3,4,5,6\n")


def test_the_limit_of_size_is_fifty_megabytes():
    assert upload.MAX_BYTES == 50_000_000
    assert "50 MB" in refusal(bytes(300_000_000))
