"""Numbers with signs between thousands, other decimal signs in single columns, gaps, blanks and dates."""

import io

import numpy as np
import pytest

from nysviz.datasets import describe, parse
from nysviz.datasets.upload.numbers import as_number


def notes(data):
    return " ".join(data.notes)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "text, point, comma",
    [
        ("1.5", 1.5, None),
        ("1,5", None, 1.5),
        ("34,", None, None),
        ("1.234,", None, None),
        ("3,e2", None, None),
        ("34.", 34, None),
        (",5", None, 0.5),
        ("0.234", 0.234, None),
        ("0,234", None, 0.234),
        ("1.234", 1.234, 1234),
        ("1,234", 1234, 1.234),
        ("1.234,56", None, 1234.56),
        ("1,234.56", 1234.56, None),
        ("-12,345,678.9", -12345678.9, None),
        ("1 234,56", None, 1234.56),
        ("1\u00a0234,56", None, 1234.56),
        ("1\u202f234.5", 1234.5, None),
        ("12'345.5", 12345.5, None),
        ("1 234", 1234, 1234),
        ("12", 12, 12),
        ("1.5e3", 1500, None),
        ("1,5e3", None, 1500),
        ("1.23.456", None, None),
        ("1 234 56", None, None),
        ("1,234 567", None, None),
        ("01.234,5", None, None),
        ("1.12.2024", None, None),
        ("x", None, None),
        ("", None, None),
    ],
)
def test_what_a_text_says_with_each_decimal_sign(text, point, comma):
    for decimal, known in ((".", point), (",", comma)):
        read = as_number(text, decimal)
        assert np.isnan(read) if known is None else read == known


VALUES = [0.5, 1234.56, 12.25, 1234567.5, 999.75]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("sign", [".", " ", "\u00a0", "\u202f", "'"])
def test_large_values_among_decimal_commas_keep_their_rows(delimiter, sign):
    cells = [f"{value:_.2f}".replace(".", ",").replace("_", sign) for value in VALUES]
    rows = [f"{k}{delimiter}{cell}" for k, cell in enumerate(cells)]
    data = parse("\n".join([f"k{delimiter}price", *rows]).encode(), "f.csv", False)
    assert data.X[:, 1].tolist() == VALUES
    assert "Column 'price': the " in notes(data) and "stand between thousands, so '1" in notes(data)
    assert "was read as 1234.56." in notes(data) and "not a number" not in notes(data)


def test_thousands_before_decimal_points():
    data = parse(b'k,price\n1,"1,234.56"\n2,0.5\n3,"12,345"\n4,7\n', "f.csv", False)
    assert data.X[:, 1].tolist() == [1234.56, 0.5, 12345, 7]
    assert (
        "Column 'price': the comma was taken to stand between thousands, so '1,234.56' was read as 1234.56."
        in data.notes
    )


@pytest.mark.parametrize("at", [3, 150])
def test_a_plain_point_between_thousands_does_not_change_the_decimal_sign_of_the_file(at):
    rows = [f"{k};{k},5" for k in range(200)]
    rows[at] = f"{at};1.234"
    data = parse("\n".join(["a;b", *rows]).encode(), "f.csv", False)
    assert data.n == 200 and data.X[at, 1] == 1234 and data.X[5, 1] == 5.5
    assert "the point was taken to stand between thousands, so '1.234' was read as 1234." in notes(data)


def test_a_column_may_have_the_other_decimal_sign():
    data = parse(b"a;b;c\n0,5;1,5;0.5\n0,25;2,5;1.234\n0,75;3,5;2.25\n", "f.csv", False)
    assert data.X.tolist() == [[0.5, 1.5, 0.5], [0.25, 2.5, 1.234], [0.75, 3.5, 2.25]]
    assert "Column 'c': the point was taken as the decimal sign, so '0.5' was read as 0.5." in data.notes


@pytest.mark.parametrize("sign", [",", "."])
def test_where_nothing_decides_the_decimal_sign_is_the_commoner_reading_and_this_is_said(sign):
    data = parse(f"a;b\n1{sign}234;1\n56{sign}789;2\n".encode(), "f.csv", False)
    assert data.X[:, 0].tolist() == [1.234, 56.789]
    word = {",": "comma", ".": "point"}[sign]
    assert f"such as '1{sign}234' the {word} was taken as the decimal sign (1.234)" in notes(data)


def test_nothing_is_said_where_another_number_decides():
    assert "taken as the decimal sign" not in notes(parse(b"a;b\n1,234;0,5\n2,345;1\n", "f.csv", False))
    assert "taken as the decimal sign" not in notes(parse(b"a,b\n1.234,1\n2.345,2\n", "f.csv", False))


def test_codes_with_points_stay_text():
    data = parse(b"a;b\n1,5;10.20.30\n2,5;1.2.3\n", "f.csv", False)
    assert data.feature_names == ("a",)


@pytest.mark.parametrize(
    "example",
    [
        "2024-05-01",
        "2024-05-01 12:30",
        "2024-05-01T12:30:15.5Z",
        "01.05.2024",
        "5/1/24",
        "1 May 2024",
        "03-Okt-24",
        "31.12.24",
        "12.31.24",
        "1.5.2024",
        "12/31/24",
        "1-5-24",
        "May 1, 2024",
        "12:30",
        "12:30:05 pm",
    ],
)
def test_dates_and_times_are_named_as_such(example):
    rows = "\n".join(f'{k / 2};"{example}";x{k}' for k in range(5))
    data = parse(f"a;when;tag\n{rows}\n".encode(), "f.csv", False)
    assert data.feature_names == ("a",)
    assert f"Column 'when' held dates or times, such as '{example}', and was left out; send" in notes(data)
    assert "Column 'tag' held text and was left out." in data.notes
    assert [column.times for column in describe(f"a;when;tag\n{rows}\n".encode(), "f.csv").columns] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    "example",
    [
        "1.2.10",
        "20-45-77",
        "32.01.2024",
        "13/13/24",
        "2024-13-01",
        "2024-01-32",
        "0.5.2024",
        "1/2.24",
        "32 May 24",
    ],
)
def test_codes_that_no_calendar_has_are_no_dates(example):
    rows = "\n".join(f'{k / 2};"{example}"' for k in range(5))
    data = parse(f"a;code\n{rows}\n".encode(), "f.csv", False)
    assert data.feature_names == ("a",) and "Column 'code' held text and was left out." in data.notes


CODES = {
    "phone": ["612 345 678", "655 100 200", "699 123 456"],
    "company": ["552 100 554", "732 829 320", "404 833 048"],
    "postal code": ["12 345", "98 100", "54 321"],
    "postal code with a zero": ["12 345", "9 100", "345", "01 234", *["12 345"] * 20],
    "ids": ["101,205,309", "102,300,411", "250,251,252"],
    "address": ["192.168.100.101", "192.168.100.102", "10.101.102.103"],
    "account": ["12'345", "12'346", "98'765"],
    "nbsp": ["612\u00a0345\u00a0678", "655\u00a0100\u00a0200", "699\u00a0123\u00a0456"],
    "all written alike or at once": ["612 345 678", "655100200", "699 123 456"],
}


@pytest.mark.parametrize("codes", CODES.values(), ids=CODES)
def test_codes_in_groups_of_three_stay_text_and_this_is_told(codes):
    rows = "\n".join(f'{k / 2};"{code}"' for k, code in enumerate(codes))
    data = parse(f"a;code\n{rows}\n".encode(), "f.csv", False)
    assert data.feature_names == ("a",)
    shown = codes[0].replace("\u00a0", " ")
    assert f"Column 'code': cells such as '{shown}' may be codes, or numbers with a" in notes(data)
    assert "between thousands, and stay text; take the " in notes(data)
    assert " was read as " not in notes(data) and "not a number" not in notes(data)


@pytest.mark.parametrize(
    "cells, numbers",
    [
        (["12 345", "999"], [12345, 999]),
        (["12 345", "0"], [12345, 0]),
        (["12 345 ", "-7"], [12345, -7]),
        (["12'345", "1'234'567"], [12345, 1234567]),
        (["12 345", "6 789.5"], [12345, 6789.5]),
        (["12,345", "6,789.5"], [12345, 6789.5]),
        (["12,345", "1,234,567"], [12345, 1234567]),
    ],
)
def test_numbers_of_other_lengths_show_what_stands_between_thousands(cells, numbers):
    rows = "\n".join(f'{k / 2},"{cell}"' for k, cell in enumerate(cells))
    data = parse(f"a,b\n{rows}\n".encode(), "f.csv", False)
    assert data.X[:, 1].tolist() == numbers and "stand between thousands, so '12" in notes(data)


def test_a_sign_that_may_be_the_decimal_one_is_told_with_both_ways_out():
    data = parse(b'a,b\n0.5,"1,234"\n1.5,"5,678"\n', "f.csv", False)
    assert data.feature_names == ("a",)
    assert (
        "Column 'b': cells such as '1,234' may be codes, or numbers with a comma between thousands, and stay "
        "text; take the comma out of them if they are numbers, or put a point in its place if it is the "
        "decimal sign."
    ) in data.notes


@pytest.mark.parametrize("end", ["", ","])
def test_commas_with_a_blank_behind_them_separate(end):
    rows = [f"Subject {k}, {20 + k}, {k / 10 + 1:.1f}{end}" for k in range(20)]
    data = parse("\n".join([f"subject, age, score{end}", *rows]).encode(), "f.csv", False)
    assert data.feature_names == ("age", "score") and data.X[3].tolist() == [23, 1.3]
    assert "Read as text: commas," in notes(data)
    whole = parse(
        "\n".join([f"a, b, c{end}", *[f"{k}, {k * k}, 3{end}" for k in range(9)]]).encode(), "f.csv", False
    )
    assert whole.feature_names == ("a", "b", "c") and whole.X[2].tolist() == [2, 4, 3]


@pytest.mark.parametrize("header", ["", "a b c\n"])
def test_blanks_beside_decimal_commas_separate_though_thousands_would_fit(header):
    rows = "\n".join(f"{k} {100 + k},5 {200 + k}" for k in range(1, 9))
    data = parse((header + rows).encode(), "f.txt", False)
    assert data.X[1].tolist() == [2, 102.5, 202] and "blanks, UTF-8, decimal commas" in notes(data)


def test_two_columns_of_decimal_commas_below_two_names_are_not_one_of_thousands():
    data = parse(b"a b\n1 234,5\n2 345,5\n", "f.txt", False)
    assert data.feature_names == ("a", "b") and data.X.tolist() == [[1, 234.5], [2, 345.5]]


@pytest.mark.parametrize("name", ["price", "unit price"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_blanks_between_thousands_in_every_row_do_not_separate(name, delimiter):
    rows = "\n".join(f"{k}{delimiter}{k} {100 + k} 000" for k in range(1, 60))
    data = parse(f"id{delimiter}{name}\n{rows}\n1{delimiter}5\n".encode(), "f.csv", False)
    assert data.feature_names == ("id", name) and data.X[1].tolist() == [2, 2102000]


@pytest.mark.parametrize("gap", ["?", "", "NA", "NaN", "null", "n/a"])
def test_gaps_in_the_first_row_are_no_names(gap):
    data = parse(f"{gap},{gap},1\n1,2,3\n4,5,6\n7,8,9\n".encode(), "f.csv", False)
    assert data.feature_names == ("column 1", "column 2", "column 3") and "no header" in notes(data)
    assert data.X.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert "1 of 4 rows had a missing" in notes(data)


def test_a_name_may_be_missing_above_the_numbers_of_the_rows_and_may_be_sodium():
    assert parse(b",a,b\n0,1.5,2\n1,3,4\n", "f.csv", False).feature_names == ("column 1", "a", "b")
    assert parse(b"Na\n1\n2\n", "f.csv", False).feature_names == ("Na",)


EMPTY = {"commas.csv": b",,\n,,\n", "marks.csv": b"?;?\nNA;\n", "nan.npy": npy(np.full((3, 2), np.nan))}


@pytest.mark.parametrize("name", EMPTY)
def test_a_table_of_empty_cells_is_one_sentence(name):
    for read in (parse, describe):
        with pytest.raises(
            ValueError, match=r"^The file holds a table of \d rows and \d columns whose cells"
        ):
            read(EMPTY[name], name)


def test_infinite_cells_alone_are_described():
    assert describe(npy(np.full((3, 2), np.inf)), "f.npy").incomplete_rows == 3


def test_classes_that_differ_in_blanks_alone_are_one_and_this_is_told():
    content = b'a,answer\n1,"Yes"\n2,"Yes "\n3,"No"\n4," Yes"\n5,"not  now"\n6,"not now"\n7,"\xc2\xa0No"\n'
    data = parse(content, "f.csv", "answer")
    assert data.classes == ("No", "Yes", "not now") and data.y.tolist() == [1, 1, 0, 1, 2, 2, 0]
    assert "Column 'answer': blanks before, after or doubled within a text were taken out" in notes(data)
    encoded = parse(content, "f.csv", False, encode=["answer"])
    assert encoded.feature_names == ("a", "answer = No", "answer = Yes", "answer = not now")
    assert "blanks before" not in notes(parse(b"a,c\n1,x\n2,y\n3,x\n", "f.csv", "c"))


def test_a_class_of_blanks_alone_is_missing():
    data = parse(b'a;c\n1;x\n2;"\xc2\xa0"\n3;y\n4;x\n', "f.csv", "c")
    assert data.classes == ("x", "y") and data.n == 3


def test_long_classes_that_begin_alike_have_names_of_their_own():
    long = "b" * 90
    data = parse(f"a,c\n1,{long}1\n2,{long}2\n3,{long}1\n4,a\n".encode(), "f.csv", "c")
    assert data.y.tolist() == [1, 2, 1, 0] and len(set(data.classes)) == 3
