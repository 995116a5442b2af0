"""Numbers in words: their thousands apart from 10 000 on, times with their unit."""

import re

import pytest

from nysviz.text import grouped, in_seconds

THIN = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize("number", [0, 9_999, 10_000, 1_000_000, -31_696])
def test_thousands_stand_apart_from_ten_thousand_on(number):
    text = grouped(number)
    assert int(text.replace(THIN, "")) == number
    assert (THIN in text) == (abs(number) >= 10_000)
    # Groups of three, counted from the right.
    assert re.fullmatch(rf"-?\d{{1,3}}({THIN}\d{{3}})*|\d{{4}}", text)


def test_seconds_have_their_unit_and_three_digits():
    shown = {
        0.000045: "0.0450 ms",
        0.0337: "33.7 ms",
        0.174: "174 ms",
        1.0: "1.00 s",
        61.25: "61.2 s",
        7200.0: "2.00 h",
    }
    assert {seconds: in_seconds(seconds).replace("\N{NO-BREAK SPACE}", " ") for seconds in shown} == shown
    # A number and its unit are never on two lines.
    assert not any(" " in in_seconds(seconds) for seconds in shown)
