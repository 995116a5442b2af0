"""Files as people have them: what is odd about them is read as it was meant, and said."""

import numpy as np
import pytest

from nysviz.datasets import describe, parse
from nysviz.datasets.upload import read


def notes(data):
    return " ".join(data.notes)


def refusal(content):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        parse(content, "f.csv")
    return str(caught.value)


def numbered(count, cell):
    """A file of two columns, "b" with what ``cell`` gives for each row."""
    return ("a,b\n" + "\n".join(f"{k}.5,{cell(k)}" for k in range(count))).encode()


@pytest.mark.parametrize("sign", [",", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_separator_at_the_end_of_each_row_moves_no_name(sign, end):
    lines = [sign.join(["id", "Umsatz", "Klasse"])]
    lines += [sign.join([str(k), f"{k * k}.5", "Amsel" if k % 2 else "Dohle", ""]) for k in range(12)]
    data = parse(end.join(lines).encode("utf-8-sig"), "f.csv")
    assert data.feature_names == ("Umsatz",) and data.classes == ("Amsel", "Dohle")
    assert "at the ends of the rows have no cell behind them" in notes(data)
    assert "held nothing" not in notes(data) and "row name" not in notes(data)


def test_an_empty_cell_in_one_row_alone_is_no_separator_at_the_end():
    data = parse(b"a,b\nr1,1,2\nr2,3,\nr3,4,5\n", "f.csv", target=False)
    assert data.feature_names == ("a", "b") and data.X.tolist() == [[1, 2], [4, 5]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_line_may_break_within_a_name(sign, end):
    lines = [sign.join(['"wing', '(mm)"', "tail", "species"]).replace(f"wing{sign}", f"wing{end}")]
    lines += [sign.join([f"{k}.5", f"{k * k}.25", f'"one{end}two"' if k % 2 else "b"]) for k in range(12)]
    data = parse(end.join(lines).encode(), "f.csv")
    assert data.feature_names == ("wing (mm)", "tail") and data.n == 12
    assert data.classes == ("b", "one two")


def test_a_name_whose_quotation_mark_stays_open_is_refused():
    assert "close every quotation mark" in refusal(b'"a,b\n1,2\n3,4\n')
    assert parse(b'wing 5",tail\n1,2\n3,4\n', "f.csv").feature_names == ('wing 5"', "tail")


@pytest.mark.parametrize("mark", ["-", "?", "n/a", "x", ".", "--", "*", "k.A.", "#DIV/0!"])
def test_marks_among_numbers_count_as_missing(mark):
    data = parse(numbered(200, lambda k: mark if k % 7 == 3 else f"{k * k % 50}.25"), "f.csv")
    assert data.feature_names == ("a", "b") and data.n == 200 - 29
    if mark not in ("?", "n/a"):  # these are missing in every file
        assert f"29 of 200 cells of column 'b', all '{mark}', are no numbers and count as missing." in notes(
            data
        )


def test_the_dialog_says_how_many_cells_are_no_numbers():
    told = describe(numbered(200, lambda k: "-."[k % 2] if k % 7 == 3 else k), "f.csv")
    assert any("29 of 200 cells of column 'b', such as '.'" in note for note in told.notes)
    assert told.columns[1].kind == "whole numbers" and told.columns[1].missing == 29


@pytest.mark.parametrize("text", ["high", "X", "many", "<0.1"])
def test_words_among_numbers_stay_text_with_a_remark(text):
    content = numbered(40, lambda k: text if k % 4 == 3 else k)
    data = parse(content, "f.csv", target=False)
    assert data.feature_names == ("a",)
    assert f"30 of its 40 cells are numbers; write all as numbers, or empty cells such as '{text}'" in notes(
        data
    )
    column = describe(content, "f.csv").columns[1]
    assert column.kind == "text" and column.numbers == 30 and column.example == text


def test_few_numbers_among_marks_stay_text():
    assert parse(numbered(40, lambda k: k if k % 4 == 3 else "-"), "f.csv", target=False).d == 1


@pytest.mark.parametrize("text", ["None", "NA", "N/A", "null", "nan", "NaN"])
def test_a_class_may_be_called_none(text):
    content = numbered(30, lambda k: [text, "drug", ""][k % 3])
    data = parse(content, "f.csv")
    assert data.n == 20 and data.classes == tuple(sorted([text, "drug"]))
    assert f"'{text}' (10 cells) in the target 'b' is a class of its own" in notes(data)
    assert "10 of 30 rows had missing or infinite values and were left out" in notes(data)
    told = describe(content, "f.csv")
    assert told.target == "b" and told.incomplete_rows == 10
    assert told.columns[1].gaps == ((text, 10),) and told.columns[1].missing == 20


@pytest.mark.parametrize("text", ["", "?"])
def test_what_programs_write_for_a_missing_class_is_none(text):
    data = parse(numbered(30, lambda k: [text, "drug", "other"][k % 3]), "f.csv")
    assert data.n == 20 and data.classes == ("drug", "other")


def test_the_same_texts_are_missing_in_features():
    content = b"tint,a,b\n" + b"".join(
        b"%s,%d.5,%d.5\n" % ([b"NA", b"red"][k % 2], k, k * k) for k in range(30)
    )
    data = parse(content, "f.csv", encode=["tint"])
    assert data.n == 15 and data.feature_names == ("a", "b", "tint = red")
    assert parse(content, "f.csv", target="tint").classes == ("NA", "red")
    numbers = parse(b"a,b\n" + b"1.5,NA\n2.5,3\n" * 9, "f.csv")
    assert numbers.n == 9 and numbers.d == 2


@pytest.mark.parametrize("sign", ["−", "–"])
def test_a_minus_that_is_no_hyphen(sign):
    content = numbered(20, lambda k: f"{sign if k % 2 else ''}{k}.25")
    data = parse(content, "f.csv")
    assert data.X[:, 1].tolist() == [(-1) ** k * (k + 0.25) for k in range(20)]
    assert f"Column 'b': the sign in front of '{sign}1.25' was read as a minus." in data.notes
    comma = parse(content.replace(b",", b";").replace(b".", b","), "f.csv")
    assert np.array_equal(comma.X, data.X)
    assert parse(numbered(20, lambda k: f"{k}{sign}{k + 1}"), "f.csv").d == 1


def test_the_example_of_a_text_is_no_number():
    told = describe(numbered(20, lambda k: "oops" if k % 2 else k), "f.csv")
    assert told.columns[1].example == "oops"


@pytest.mark.parametrize(
    "value, side", [(-999, "below"), (-9999.0, "below"), (99999, "above"), (1e30, "above")]
)
def test_a_repeated_number_far_from_the_rest_is_questioned_and_kept(value, side):
    content = numbered(200, lambda k: value if k % 20 == 7 else f"{np.sin(k):.4f}")
    data = parse(content, "f.csv")
    assert data.n == 200 and np.count_nonzero(data.X[:, 1] == value) == 10
    said = [note for note in data.notes if f"times, far {side} the rest" in note]
    assert len(said) == 1 and said[0].startswith("Column 'b' holds ") and " 10 times" in said[0]
    assert said[0] in describe(content, "f.csv").notes


def test_other_numbers_are_not_questioned():
    import pandas as pd

    rng = np.random.default_rng(5)
    n = 400
    usual = {
        "normal": rng.standard_normal(n),
        "zeros": rng.poisson(0.4, n),
        "flags": rng.integers(0, 2, n),
        "long tail": np.round(rng.pareto(1.1, n), 1),
        "one outlier": np.where(np.arange(n) == 7, -999, rng.standard_normal(n)),
        "heavy": rng.standard_cauchy(n),
        "codes": rng.choice([1, 2, 3, 99], n),
        "pressure": np.where(np.arange(n) % 9 == 0, 0, rng.integers(40, 120, n)),
        "constant": np.ones(n),
        "empty": np.full(n, np.nan),
    }
    assert stand_ins(pd.DataFrame(usual)) == []


def test_several_columns_with_the_same_number_are_one_sentence():
    lines = [f"{-999 if k % 9 == 0 else k / 7},{-999 if k % 8 == 0 else k / 9}" for k in range(72)]
    said = [note for note in parse("\n".join(["a,b", *lines]).encode(), "f.csv").notes if "999" in note]
    assert said == [
        "2 columns: 'a', 'b' hold −999 17 times, far below the rest: if it stands for missing values, empty "
        "those cells."
    ]


@pytest.mark.parametrize("page", ["<!DOCTYPE html><html><body>", "<html>\n<head>", "\n <HTML lang='de'>"])
def test_a_web_page_is_named(page):
    said = refusal(f"{page}<table><tr><td>1</td></tr></table></body></html>".encode())
    assert "looks like a web page (HTML)" in said


def test_the_row_that_is_off_is_named():
    said = refusal(b"a,b,c,d,e\n1,2,3\n1,2,3,4,5\n1,2,3,4,5\n")
    assert "Row 1 of the data has 3 cells where the line of column names and row 2 have 5" in said
    said = refusal(b"a,b,c\n1,2,3\n1,2,3,4\n1,2,3\n")
    assert (
        "Row 2 of the data has 4 cells where the rows before have 3, and the line of column names has 3"
        in said
    )


@pytest.mark.parametrize("sign", [",", ";", "\t", " "])
def test_short_rows_are_counted(sign):
    lines = [sign.join(["a", "b", "c"]), *[sign.join([f"{k}.5", "2.5", f"{k * k}"]) for k in range(20)]]
    whole = "\n".join(lines).encode()
    assert "fewer cells" not in notes(parse(whole, "f.csv"))
    lines[6] = sign.join(["7.5", "8.5"])
    one = parse("\n".join(lines).encode(), "f.csv")
    assert (
        "Row 6 of the data has fewer cells than the others; the cells it lacks count as missing." in one.notes
    )
    assert one.n == 19 and "1 of 20 rows had a missing or infinite value and was left out." in one.notes
    lines[9] = "7.5"
    two = parse("\n".join(lines).encode(), "f.csv")
    assert "2 rows have fewer cells than the others, the first of them row 6 of the data" in notes(two)


@pytest.mark.parametrize("header", [True, False])
def test_blanks_within_cells_do_not_separate(header):
    rows = [f"{k}.5 mm,{k}.1 %,{'Amsel' if k % 2 else 'Dohle'},{k}" for k in range(12)]
    told = describe("\n".join([*(["a,b,species,n"] if header else []), *rows]).encode(), "f.csv")
    assert len(told.columns) == 4 and told.rows == 12 and "commas" in told.notes[0]


def test_signs_that_windows_alone_has():
    content = "Preis (€),„b“,Größe – cm\n1.5,2.5,3.5\n2.5,3.5,4.5\n".encode("cp1252")
    data = parse(content, "f.csv")
    assert data.feature_names == ("Preis (€)", "„b“", "Größe – cm") and "Windows-1252" in notes(data)


def test_numbers_with_zeros_in_front_may_be_codes():
    data = parse(b"zip,a\n" + b"\n".join(b"%05d,%d.5" % (1000 + k, k) for k in range(20)), "f.csv")
    assert data.X[0, 0] == 1000
    assert "Column 'zip' was read as numbers, '01000' as 1000" in notes(data)
    assert "if these are codes" not in notes(parse(b"zip,a\n0,0.5\n1,0.25\n10,0.5\n", "f.csv"))


def test_a_file_is_described_by_the_texts_that_it_holds():
    reading = read(numbered(30, lambda k: ["NA", "drug"][k % 2]), "f.csv")
    assert reading.counted_gaps("b") == (("NA", 15),) and reading.counted_gaps("a") == ()
    assert reading.with_classes("a") is reading.frame
