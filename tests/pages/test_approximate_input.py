"""The page Approximate with files and links of every kind: a right answer, or one sentence and a whole page."""

import numpy as np
import pytest

import nysviz as nv
from tests.pages.driving import CHARTS, answer, charts, landmark_count, m_of, settle, sound, start, table

IRIS = next(card.title for card in nv.catalog() if card.name == "iris")
RNG = np.random.default_rng(5)
HOSTILE = ("<script>alert(1)</script>", "$x$", "**b**", "<img src=x onerror=alert(2)>", "[a](javascript:b)")


def csv(rows, head=("a", "b", "c")):
    lines = [",".join(head), *(",".join(str(cell) for cell in row) for row in rows)]
    return "\n".join(lines).encode()


def upload(content, name="mine.csv"):
    """Look at iris first, then give the page a file."""
    at = start(data=IRIS)
    at.selectbox(key="data").set_value("Your own file")
    settle(at)
    at.file_uploader[0].set_value((name, content, "text/csv"))
    return settle(at)


def test_before_a_file_is_given_the_page_shows_the_last_data():
    at = start(data=IRIS)
    before = answer(at)
    at.selectbox(key="data").set_value("Your own file")
    sound(settle(at))
    assert answer(at) == before
    assert any("Until then the page shows: Iris flowers" in text.value for text in at.caption)


def test_a_good_file():
    X = RNG.standard_normal((40, 3))
    at = upload(csv(X))
    found = sound(at)
    assert "n = 40, d = 3" in found["map"]["layout"]["title"]["subtitle"]["text"]
    a = nv.approximate(X, nv.Gaussian.from_width(nv.default_width(X)), "kmeans", m_of(at))
    error = nv.errors(X, nv.Gaussian.from_width(nv.default_width(X)), a).relative_frobenius
    assert float(table(at)["Frobenius error"][0]) == pytest.approx(error, rel=6e-3)
    assert "nv.parse(open(" in at.code[0].value
    # The file is kept while other data are looked at.
    for data in ("iris", "Your own file"):
        at.selectbox(key="data").set_value(data)
        settle(at)
    assert "n = 40, d = 3" in sound(at)["map"]["layout"]["title"]["subtitle"]["text"]


GOOD = {
    "one row": (csv([[1.5, 2.5, 3.5]]), 1, 3),
    "one column": (csv(RNG.standard_normal((20, 1)), ["a"]), 20, 1),
    "one cell": (b"a\n1.5\n", 1, 1),
    "two rows": (csv([[0.5, 1.5, 2.5], [1.25, 0.75, 2.0]]), 2, 3),
    "constant columns": (csv([[1.5, x, 2.5] for x in RNG.standard_normal(15)]), 15, 3),
    "all rows equal": (csv([[1.5, 2.5, 3.5]] * 12), 12, 3),
    "duplicated rows": (csv(np.repeat(RNG.standard_normal((6, 3)), 5, axis=0)), 30, 3),
    "missing and infinite": (csv([[0.5, "NaN", 1.5], [1.5, "inf", 2.5], [2.5, 3.5, ""]] + [[1.25, 2, 3.5]] * 9), 9, 3),
    "text columns": (csv([[x, "tall" if x > 0 else "small", 2 * x] for x in RNG.standard_normal(14)]), 14, 2),
    "huge values": (csv(1e80 * RNG.standard_normal((10, 3))), 10, 3),
    "tiny values": (csv(1e-160 * RNG.standard_normal((10, 3))), 10, 3),
    "far from the origin": (csv(1e8 + RNG.standard_normal((10, 3))), 10, 3),
    "wide": (csv(RNG.standard_normal((5, 40)), [f"x{j}" for j in range(40)]), 5, 40),
}


@pytest.mark.parametrize("case", GOOD)
def test_unusual_files_have_an_answer(case):
    content, n, d = GOOD[case]
    at = upload(content)
    found = sound(at)
    assert f"n = {n}, d = {d}" in found["map"]["layout"]["title"]["subtitle"]["text"]
    for key in ("map", "spectrum", "picture_K"):
        assert "NaN" not in str(found[key]["layout"])
    assert "nan" not in answer(at) and "inf" not in answer(at)
    # All rows as landmarks leave nothing.
    if at.select_slider(key="ratio") if any(s.key == "ratio" for s in at.select_slider) else None:
        at.select_slider(key="ratio").set_value(100)
        sound(settle(at))
        assert m_of(at) == n
