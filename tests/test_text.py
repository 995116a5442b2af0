"""Numbers, lists and plurals in sentences."""

import pytest

from nysviz.text import counted, listed, of_all, percent, signed


@pytest.mark.parametrize(
    "written, expected",
    [
        (signed(-0.0046), "−0.00460"), (signed(0.987), "0.987"), (signed(0.0), "0"),
        (signed(float("nan")), "–"),
        (percent(0.0), "0 %"), (percent(0.0046), "0.5 %"), (percent(2e-9), "2.00·10⁻⁷ %"),
        (percent(0.256), "26 %"),
        (percent(-0.03), "−3 %"), (counted(1, "class", "classes"), "1 class"),
        (counted(20_000, "row"), "20 000 rows"), (of_all(1, 1, "row"), "1 of 1 row"),
        (of_all(1, 20_000, "row"), "1 of 20 000 rows"),
        (listed(["a", "b", "c"]), "a, b and c"),
    ],
)  # fmt: skip
def test_numbers_and_plurals(written, expected):
    spaces = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")
    assert written.translate(spaces) == expected
