"""Damaged files of lessons: read, or refused in sentences; no crash, no freeze, no memory."""

import zlib
from urllib.parse import urlencode

import numpy as np
import pytest

from nysviz.lessons import reading
from nysviz.lessons.reading import LessonError, read
from nysviz.ui import lesson_bar
from tests.security.fuzzing import mutated, tried

QUICK, ALL = 40, 1_000
PAGES = lesson_bar.shown_pages()
FILES = {f"{name}.toml": reading.content_of(name) for name in reading.names()}
PIECES = [
    *(bytes([k]) for k in b"\"'\\[]{}=,.:#\n\r\t \0019-_$*`<>()|!@"), b"\xff", b"\xef\xbb\xbf",
    b'"""', b"'''", b"\\\n", b"\\ud800", b"\\uD83D\\uDE00", b"\\u0000", b"\\U00110000", b"\\x41",
    "\u2028\u202e\u0661\u00e9\U0001f600".encode(), b"a.", b"[a.b]\n", b"[[step]]\n", b"[[step.parameters]]\n",
    b"[step.parameters]\n", b'seed = "inf"\n', b"text = 1\n", b'page = ["compare"]\n', b"{a = ", b"[[",
    b"0x1", b"1e999", b"nan", b"null", b"1979-05-27T07:32:00Z", b"www.", b"mailto:", b"](", b"![",
    b"\\href", b"$$",
]  # fmt: skip


def check(content, name):
    """Assert that what is read can be shown and linked, and that what is refused is refused in sentences."""
    try:
        lesson = read(content, "own", PAGES, lesson_bar.knows)
    except LessonError as refusal:
        problem = str(refusal)
    else:
        problem = ""
    if problem:
        assert problem.endswith(".") and "\n" not in problem and problem.encode()
        return
    for step in lesson.steps:
        assert step.page in PAGES and lesson.title.encode() and step.text.encode()
        assert lesson_bar.hiding_style(step).count("<") in (0, 2)
        urlencode(dict(step.parameters), doseq=True)


def cases(name, count):
    for number in range(count):
        rng = np.random.default_rng([count, number, zlib.crc32(name.encode())])
        yield mutated(FILES[name], rng, PIECES, list(FILES.values())), name


@pytest.mark.parametrize("count", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused(name, count):
    assert tried(check, cases(name, count)) == ""
