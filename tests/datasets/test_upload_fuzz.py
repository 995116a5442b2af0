"""Whatever is uploaded: a data set that is right, or one sentence. Seeds are fixed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nysviz.datasets import parse

SEEDS = [
    b"a,b,y\n1,2,0\n3,4,1\n5,6,1\n",
    b"5.1;3,5;setosa\n4,9;3,0;setosa\n6;3;virginica\n",
    "größe\tb\n1.5\t-2e3\n\t4\n".encode(),
    b'"a","b c"\n"1","x, y"\n2,z\n',
    b"1 2 3\n4 5 6\n",
    b"# remark\nTrue,1\nFalse,\n",
]
PIECES = [
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b'"',
    b"'",
    b" ",
    b"\x00",
    b"\xff",
    b"\xe2\x80",
    b"1e308",
    b"-1e400",
    b"nan",
    b"inf",
    b"0x1F",
    b"1_000",
    b"9" * 400,
    b"1.2.3",
    b"#",
    b"%",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"True",
    b"NA",
    "٣".encode(),
    b"\x0b",
    b"\x1b[31m",
    b"=1+1",
    b"1,5",
    b"1.234,5",
    b"-",
    b"+",
    b".",
    b"e5",
    b"PK\x03\x04",
]
FILENAMES = ["f.csv", "f.tsv", "f.txt", "f.CSV", "f.xlsx", "", "../f.csv"]


def check(content, filename, target=None):
    """The whole promise of ``parse`` about any bytes; True when they were accepted."""
    try:
        data = parse(content, filename, target)
    except ValueError as refusal:
        sentence = str(refusal)
        assert (
            sentence.endswith(".") and "\n" not in sentence and sentence[0].isupper() and len(sentence) < 1500
        )
        assert sentence.isprintable()
        return False
    assert data.X.ndim == 2 and data.n >= 1 and data.d >= 1 and np.isfinite(data.X).all()
    assert np.isfinite((data.X**2).sum()) and len(set(data.feature_names)) == data.d and data.notes
    assert all(text.isprintable() for text in (*data.feature_names, *data.classes, *data.notes, data.name))
    if data.y is not None:
        assert data.y.shape == (data.n,) and np.isfinite(data.y).all()
        assert data.task != "classification" or len(data.classes) == np.unique(data.y).size
    return True


def mutate(content, rng):
    for _ in range(rng.integers(1, 6)):
        at, length = rng.integers(0, len(content) + 1), rng.integers(0, 8)
        kind = rng.integers(5)
        if kind == 0:
            content = content[:at]
        elif kind == 1:
            content = content[:at] + content[at + length :]
        elif kind == 2:
            content = content[:at] + rng.bytes(length) + content[at + length :]
        elif kind == 3:
            content = content[:at] + PIECES[rng.integers(len(PIECES))] + content[at:]
        else:
            content = content[:at] + content[at : at + 8 * length] * 3 + content[at:]
    return content


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_mutated_files_are_read_or_refused(seed):
    rng = np.random.default_rng(seed)
    targets = [None, None, 0, "a", False]
    accepted = sum(check(mutate(SEEDS[seed], rng), "f.csv", targets[rng.integers(5)]) for _ in range(150))
    # Both ends are met, else the mutations would test one of them only.
    assert 10 < accepted < 145


CELLS = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(allow_nan=True).map(repr),
    st.text(max_size=5),
    st.just(""),
    st.booleans().map(str),
)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.binary(max_size=60), st.sampled_from(FILENAMES))
def test_any_bytes_are_read_or_refused(content, filename):
    check(content, filename)


@settings(max_examples=120, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.lists(CELLS, max_size=4), max_size=6),
    st.sampled_from([",", ";", "\t", " ", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
)
def test_any_table_is_read_or_refused(rows, delimiter, encoding):
    text = "\n".join(delimiter.join(row) for row in rows)
    check(text.encode(encoding, errors="replace"), "f.csv")


FINITE = st.floats(-1e90, 1e90, allow_nan=False)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.tuples(FINITE, FINITE, FINITE), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", " ", "|"]),
)
def test_numbers_come_back_as_they_were_written(rows, delimiter):
    text = "\n".join([delimiter.join("abc"), *(delimiter.join(map(repr, row)) for row in rows)])
    data = parse(text.encode(), "f.csv", target=False)
    # pandas' quick reading may miss the last bit.
    np.testing.assert_allclose(data.X, np.array(rows), rtol=1e-13, atol=1e-300)
