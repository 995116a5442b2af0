"""Times with their unit. (Numbers: tests/figures/test_look.py.)"""

from nysviz.text import in_seconds


def test_seconds_have_their_unit_and_three_digits():
    shown = {0.000045: "0.0450 ms", 0.0337: "33.7 ms", 0.174: "174 ms", 1.0: "1.00 s", 7200.0: "2.00 h"}
    assert {seconds: in_seconds(seconds).replace("\N{NO-BREAK SPACE}", " ") for seconds in shown} == shown
    # A number and its unit are never on two lines.
    assert not any(" " in in_seconds(seconds) for seconds in shown)
