"""The page Approximate with unusual files and links: a right answer, or one sentence and a whole page."""

import numpy as np
import pytest

import nysviz as nv
from tests.pages.driving import (
    CHARTS,
    answer,
    charts,
    landmark_count,
    m_of,
    number,
    settle,
    sound,
    start,
    table,
)

IRIS = next(card.title for card in nv.catalog() if card.name == "iris")
RNG = np.random.default_rng(5)


def csv(rows, head=("a", "b", "c")):
    lines = [",".join(head), *(",".join(str(cell) for cell in row) for row in rows)]
    return "\n".join(lines).encode()


def upload(content, name="mine.csv", **link):
    """Look at iris first, then give the page a file."""
    at = start(data=IRIS, **link)
    before = answer(at)
    at.selectbox(key="data").set_value("Your own file")
    settle(at)
    assert answer(at) == before
    at.file_uploader(key="own_upload").set_value((name, content, "text/csv"))
    return use(settle(at))


def use(at):
    """Accept what was understood of the file; a file that cannot be read has nothing to accept."""
    if offered := [button for button in at.button if button.key == "own_use"]:
        offered[0].click()
        settle(at)
        # The dialog is gone, unless it says why these choices cannot be used.
        assert at.error or "own_use" not in [button.key for button in at.button]
    return at


def test_a_good_file():
    X = RNG.standard_normal((40, 3))
    at = upload(csv(X))
    found = sound(at)
    assert "n = 40, d = 3" in found["map"]["layout"]["title"]["subtitle"]["text"]
    a = nv.approximate(X, nv.Gaussian.from_width(nv.default_width(X)), "kmeans", m_of(at))
    error = nv.errors(X, nv.Gaussian.from_width(nv.default_width(X)), a).relative_frobenius
    assert float(table(at)["relative Frobenius error"][0]) == pytest.approx(error, rel=6e-3)
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
    "missing and infinite": (
        csv([[0.5, "NaN", 1.5], [1.5, "inf", 2.5], [2.5, 3.5, ""]] + [[1.25, 2, 3.5]] * 9),
        9,
        3,
    ),
    "text columns": (csv([[x, "tall" if x > 0 else "small", 2 * x] for x in RNG.standard_normal(14)]), 14, 2),
    "huge values": (csv(1e80 * RNG.standard_normal((10, 3))), 10, 3),
    "tiny values": (csv(1e-160 * RNG.standard_normal((10, 3))), 10, 3),
    "far from the origin": (csv(1e8 + RNG.standard_normal((10, 3))), 10, 3),
    "zeros alone": (csv([[0.0, 0.0, 0.0]] * 8), 8, 3),
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
    assert m_of(at) <= n
    if n > 1:
        at.select_slider(key="ratio").set_value(100)
        sound(settle(at))
        assert m_of(at) == n and number(table(at)["relative Frobenius error"][0]) < 1e-6


BAD = {
    "empty": b"",
    "blanks": b" \n\n  ",
    "a header alone": b"a,b,c\n",
    "text alone": b"a,b\nred,blue\ngreen,red\n",
    "no complete row": b"a,b\n1.5,NaN\ninf,2.5\n",
    "zeros": bytes(1000),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    "too large a number": b"a,b\n1e150,2.5\n1.5,2.5\n",
    "60 MB": b"1.5,2.5\n" * 7_500_000,
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_cannot_be_read_is_one_sentence(case):
    at = upload(BAD[case])
    assert len(at.error) == 1 and "Traceback" not in at.error[0].value
    assert at.error[0].value.endswith(".") and "\n" not in at.error[0].value
    # The rest of the page stays, with the data seen before.
    found = charts(at)
    assert set(found) == set(CHARTS) and "Iris flowers" in found["map"]["layout"]["title"]["subtitle"]["text"]
    at.file_uploader(key="own_upload").set_value(("mine.csv", GOOD["duplicated rows"][0], "text/csv"))
    assert "n = 30" in sound(use(settle(at)))["map"]["layout"]["title"]["subtitle"]["text"]


def test_fewer_rows_than_the_chosen_landmarks():
    at = start(data=IRIS)
    at.select_slider(key="ratio").set_value(100)
    settle(at)
    at.selectbox(key="data").set_value("Your own file")
    settle(at)
    at.file_uploader(key="own_upload").set_value(("mine.csv", GOOD["two rows"][0], "text/csv"))
    found = sound(use(settle(at)))
    assert m_of(at) == 2 and landmark_count(found["map"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["Laplacian", "inverse distance", "polynomial", "linear"])
@pytest.mark.parametrize("case", ["huge values", "tiny values", "all rows equal", "zeros alone"])
def test_other_kernels_of_extreme_values(case, kernel):
    at = upload(GOOD[case][0], kernel=kernel)
    found, errors = charts(at), [problem.value for problem in at.error]
    title, overflows = str(found["map"]["layout"]["title"]), kernel in ("polynomial", "linear")
    assert set(found) == set(CHARTS)
    if case == "huge values" and overflows:
        assert len(errors) == 1 and "overflows" in errors[0] and "Gaussian kernel" in title
    else:
        assert not errors and kernel in title
