"""Formulas of a page's mathematics."""

from nysviz.ui import page


def test_formulas_of_several_lines_stand_between_marks_on_lines_of_their_own():
    text = "It is\n\n$$a = b,\n\\quad c = d,$$\n\nwhere $a$ is\n$$e = f$$\nor $$g$$ and\n$$\nh\n$$\n"
    assert page.displayed(text) == (
        "It is\n\n$$\na = b,\n\\quad c = d,\n$$\n\nwhere $a$ is\n$$e = f$$\nor $$g$$ and\n$$\nh\n$$\n"
    )
