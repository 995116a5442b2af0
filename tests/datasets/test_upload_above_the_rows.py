"""What stands above the rows, how the letters are stored, and cells that are too long to be numbers."""

import numpy as np
import pytest

from nysviz.datasets import parse
from nysviz.datasets.upload.encoding import TABLES

ROWS = [f"{k / 7:.3f},{k * k % 11 + 0.5},{['low', 'high'][k % 2]}" for k in range(20)]
BODY = "\n".join(ROWS) + "\n"


def read(above: str, **options):
    return parse((above + BODY).encode(), "f.csv", **options)


@pytest.mark.parametrize("above", ["#a,b,kind\n", "% a,b,kind\n", "# made by hand\n# a,b,kind\n"])
def test_names_behind_a_sign_of_remarks_are_names(above):
    assert read(above).feature_names == ("a", "b") and read(above).n == 20
    assert any("begins with # or %" in note for note in read(above).notes)
    assert read(above, header=False).feature_names == ("column 1", "column 2")


@pytest.mark.parametrize("above", ["Measured in 2019\n", "Weights\n\nby hand, twice\n", "Weights,,\n"])
def test_titles_above_the_names_are_no_names(above):
    data = read(above + "a,b,kind\n")
    assert (
        data.feature_names == ("a", "b") and data.n == 20 and any("its title" in note for note in data.notes)
    )


def test_a_first_row_of_dashes_is_no_row_of_names():
    assert read("-,-,-\n").feature_names == ("column 1", "column 2")


@pytest.mark.parametrize("above", ["0,1,2\n", "1,2,3\n", "1990,1991,1992\n", "0,1,kind\n"])
def test_numbers_that_count_up_are_names(above):
    data = read(above)
    assert data.n == 20 and data.classes == ("high", "low")
    assert any("as they count up" in note for note in data.notes)


def test_wavelengths_are_names_and_rows_that_rise_are_rows():
    rng = np.random.default_rng(0)
    names = ",".join(str(400 + 2.5 * j + j * j / 10) for j in range(12))
    X = rng.random((15, 12))
    rows = ["\n".join(",".join(f"{x:.3f}" for x in row) for row in table) for table in (X, np.sort(X))]
    assert parse(f"{names}\n{rows[0]}\n".encode(), "f.csv", False).n == 15
    assert parse(f"{rows[1]}\n".encode(), "f.csv", False).n == 15
    assert parse(b"1,2,3\n4,5,6\n7,8,9\n", "f.csv", False).n == 3


WORDS = {
    "Windows-1252": "Länge,Höhe,Größe",
    "Windows-1251": "Город,Площадь,Население",
    "KOI8-R": "Город,Площадь,Население",
    "Windows-1250": "Łódź,żółty,mąka",
    "Mac-Roman": "Länge,Höhe,Größe",
    "CP850": "Länge,Höhe,Größe",
    "GB2312": "长度,宽度,城市",
    "Shift_JIS": "ながさ,はば,都市",
}


@pytest.mark.parametrize("encoding", WORDS)
def test_the_encoding_is_found_by_words_and_told(encoding):
    content = f"{WORDS[encoding]}\n{BODY}".encode(encoding)
    data = parse(content, "f.csv")
    assert [*data.feature_names] == WORDS[encoding].split(",")[:2]
    assert any(f"read as {encoding}" in note for note in data.notes)


def test_the_encoding_can_be_told():
    content = f"Länge,Höhe,Größe\n{BODY}".encode("CP850")
    assert parse(content, "f.csv", encoding="CP850").feature_names == ("Länge", "Höhe")
    assert parse(content, "f.csv", encoding="koi8-r").feature_names[0] != "Länge"
    for unknown in ("klingon", "base64", 3):
        with pytest.raises(ValueError, match="none that Python knows"):
            parse(content, "f.csv", encoding=unknown)
    with pytest.raises(ValueError, match="the format of this file leaves no choice"):
        parse(b"1 1:1 2:2\n0 2:1\n", "f.libsvm", encoding="UTF-8")
    assert set(WORDS) <= set(TABLES)


@pytest.mark.parametrize("length", [401, 5_000, 100_000])
@pytest.mark.parametrize("text", ["1", "1.", "1,", "-"])
def test_a_cell_of_many_digits_is_no_number_and_takes_no_time(length, text):
    cell = text * (length // len(text))
    for content in (f"{cell}x,1\n2,3\n", f"a;b\n{cell};1\n2;3\n", f"1 1:{cell}x\n"):
        assert said(content)[-1:] in ("", ".")


def said(content: str) -> str:
    try:
        parse(content.encode(), "f.txt")
    except ValueError as refusal:
        return str(refusal)
    return ""


def test_a_million_rows_and_a_final_line_end_are_read():
    assert parse(b"a\n" + b"1\n" * 1_000_000, "f.csv").n == 1_000_000
