"""ARFF as Weka and others write it: 64 small files, each with the columns that it holds."""

import pandas as pd
import pytest

from nysviz.datasets import parse
from nysviz.datasets.upload.arff import read_arff

HEAD = "@relation r\n@attribute a numeric\n@attribute b real\n@attribute class {p,q}\n@data\n"
ROWS = "1,2,p\n3,4,q\n"
A, B, PQ = [1, 3], [2, 4], ["p", "q"]


def head(old, new):
    assert old in HEAD
    return HEAD.replace(old, new)


def classes(*texts):
    return head("{p,q}", "{" + ",".join(texts) + "}")


# Heads that declare the same three columns.
HEADS = {
    "plain": HEAD,
    "lines end as on Windows": HEAD.replace("\n", "\r\n"),
    "upper case": HEAD.replace("@relation", "@RELATION")
    .replace("@attribute", "@ATTRIBUTE")
    .replace("numeric", "NUMERIC")
    .replace("@data", "@DATA"),
    "a remark first": "% hello\n%\n" + HEAD,
    "a remark below @data": HEAD + "% rows as 'they say\n",
    "a remark behind @data": head("@data", "@data % the rows"),
    "blanks behind @data": head("@data", "@data   "),
    "a quoted name": head(" a ", " 'a b' "),
    "a comma in a name": head(" a ", " 'a, b' "),
    "a quotation mark in a name": head(" a ", r" 'a\'s b' "),
    "a name in double marks": head(" a ", ' "a b" '),
    "a per cent sign in a name": head(" a ", " 'a %' "),
    "braces in a name": head(" a ", " 'a{1}' "),
    "tabs": HEAD.replace("@attribute a numeric", "@attribute\ta\tnumeric"),
    "classes that touch their name": head("class {", "class{"),
    "blanks in braces": head("{p,q}", "{ p , q }"),
    "a remark behind a column": head("numeric\n", "numeric % metres\n"),
    "indented": HEAD.replace("@attr", "  @attr"),
    "integers": head("numeric", "integer"),
    "a quoted relation": head("@relation r", "@relation 'iris % data'"),
    "a relation of three words": head("@relation r", "@relation a b c"),
    "no name of the relation": head("@relation r", "@relation"),
    "a mark of the byte order": "\ufeff" + HEAD,
}
# Rows below the plain head, with their columns.
BODIES = {
    "no end of the last line": ("1,2,p\n3,4,q", A, B, PQ),
    "a remark between": ("1,2,p\n% it's, 'odd\n3,4,q\n", A, B, PQ),
    "a remark behind a row": ("1,2,p% odd\n3,4,q\n", A, B, PQ),
    "missing": ("1,?,p\n?,4,?\n", [1, None], [None, 4], ["p", None]),
    "missing at first": ("?,2,p\n?,4,q\n5,6,q\n", [None, None, 5], [2, 4, 6], ["p", "q", "q"]),
    "blanks in front of commas": ("1 , 2 ,p\n3 ,4 ,q\n", A, B, PQ),
    "tabs": ("1\t2\tp\n3\t4\tq\n", A, B, PQ),
    "blanks": (" 1 2 p\n 3   4 q\n", A, B, PQ),
    "commas at the ends": ("1,2,p,\n3,4,q,\n", A, B, PQ),
    "a class that is not declared": ("1,2,p\n3,4,r\n", A, B, ["p", "r"]),
    "exponents": ("1e3,-.5,p\n+3,4.E-1,q\n", [1000, 3], [-0.5, 0.4], PQ),
    "dates": ("1,2,'2020-01-02 03:04'\n3,4,'2021-03-04'\n", A, B, ["2020-01-02 03:04", "2021-03-04"]),
}  # fmt: skip
# Texts as the file has them, and as they are read.
TEXTS = {
    "None": ("None", "q", ["None", "q"]), "null": ("null", "n/a", ["null", "n/a"]),
    "quoted in row 1": ("'not yet'", "p", ["not yet", "p"]),
    "a comma": ("q", "'a,b'", ["q", "a,b"]),
    "a per cent sign": ("q", "'5 % up'", ["q", "5 % up"]),
    "an apostrophe in double marks": ('"it\'s"', "q", ["it's", "q"]),
    "an escaped apostrophe in row 1": (r"'it\'s'", "q", ["it's", "q"]),
    "escaped double marks": (r'"a \"b\""', "q", ['a "b"', "q"]), "braces": ("'{x}'", "q", ["{x}", "q"]),
    "an apostrophe within a word": ("o'clock", "q", ["o'clock", "q"]),
    "letters beyond ASCII": ("grün", "q", ["grün", "q"]),
}  # fmt: skip


def held(content):
    frame = read_arff(content if isinstance(content, bytes) else content.encode()).frame
    return [[None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in frame]


@pytest.mark.parametrize("name", HEADS)
def test_heads(name):
    assert held(HEADS[name] + ROWS) == [A, B, PQ]


@pytest.mark.parametrize("name", BODIES)
def test_rows(name):
    body, *columns = BODIES[name]
    assert held(HEAD + body) == columns


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("kind", ["nominal", "string"])
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name, kind, encoding):
    first, second, texts = TEXTS[name]
    start = classes(first, second) if kind == "nominal" else head("{p,q}", "string")
    content = (start + f"1,2,{first}\n3,4,{second}\n").encode(encoding)
    assert held(content) == [A, B, texts]


@pytest.mark.parametrize("text", ["None", "NA", "nan", "null", "-"])
def test_no_class_is_a_missing_value(text):
    rows = "".join(f"{k},{k % 7},{text if k % 2 else '1'}\n" for k in range(40))
    data = parse((classes(text, "1") + rows).encode(), "f.arff")
    assert data.n == 40 and set(data.classes) == {text, "1"}


@pytest.mark.parametrize(
    "body, said",
    [
        ("{0 1, 1 2}\n", "sparsely"), ("1,2,p\n{0 1}\n", "sparsely"),
        ("1,2,'p\n3,4,'q'\n", "goes on in the next line"), ("1,'p',\"p\"\n", "texts in ' and texts in"),
        ("1,2,p\n3,4,q,5\n", "Row 2 of the ARFF file has more cells than the 3 columns"),
        ("1," * 9000 + "1\n", "× 9000 columns"), (None, "no line '@data'"), ("", "no line '@data'"),
    ],
)  # fmt: skip
def test_what_is_refused(body, said):
    parts = {None: "@relation r\n@attribute a real\n", "": "@relation r\n@data\n1\n"}
    with pytest.raises(ValueError, match=said):
        read_arff(parts.get(body, f"{HEAD}{body}").encode())
