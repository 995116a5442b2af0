"""The third view of the page Bounds: its chains are the method's, its numbers and words are theirs."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.matrix import KernelMatrix
from nysviz.steps.mixing import chain, checkpoints, overlaps
from tests.pages.driving import APP, IRIS, charts, number, settle, table

PAGE = APP.parent / "pages" / "bounds.py"
VIEW = "k-DPP: does the chain mix?"
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))
STEPS = checkpoints(IRIS.n)


def mixing(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=90)
    at.query_params |= {"data": IRIS.title, "bounds_view": VIEW, **link}
    return settle(at)


def words(at):
    return " ".join(text.value for text in at.markdown).replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.fixture(scope="module")
def expected():
    """ln det W of five chains from both starts by the core, with seeds 1 to 5."""
    K = KernelMatrix(IRIS.X, KERNEL, dense=KERNEL(IRIS.X))
    return {
        start: np.array(
            [[moment.log_determinant for moment in chain(K, 5, 1 + r, start, STEPS)] for r in range(5)]
        )
        for start in ("uniform", "kmeanspp")
    }


def test_the_chains_and_the_answer_are_the_cores(expected):
    at = mixing(seed="1", bounds_chain="5")
    assert not at.error
    found = charts(at)
    assert set(found) == {"mixing", "mixing_error", "mixing_kept"}
    lines = {trace.get("name"): trace for trace in found["mixing"]["data"] if trace.get("name")}
    for start, label in (("uniform", "uniform start"), ("kmeanspp", "k-means++ start")):
        for r in range(5):
            drawn = lines[f"chain {r + 1}, {label}"]["y"]
            np.testing.assert_allclose(drawn, expected[start][r], rtol=1e-9)
        np.testing.assert_allclose(lines[label]["y"], np.median(expected[start], axis=0), rtol=1e-9)
    middle = {start: np.median(runs[:, STEPS.index(1_000)]) for start, runs in expected.items()}
    lead = middle["kmeanspp"] - middle["uniform"]
    told = re.search(r"After 1000 steps .* is \*\*(\S+) (below|above)\*\* that from", words(at))
    assert number(told[1]) == pytest.approx(abs(lead), rel=6e-3)
    assert told[2] == ("below" if lead >= 0 else "above")
    meet = overlaps(expected["uniform"], expected["kmeanspp"])
    if not meet.any():
        assert "do **not** overlap within 10 000 steps" in words(at)
    else:
        first = STEPS[int(meet.argmax())]
        when = "at the start already" if first == 0 else f"after {first:,} steps".replace(",", " ")
        assert f"first overlap **{when}**" in words(at)
        apart = int((~meet[meet.argmax() :]).sum())
        later = len(STEPS) - 1 - int(meet.argmax())
        assert f"At {apart} of the {later} checkpoints" in words(at)


def test_errors_and_the_sentence_about_longer_chains():
    at = mixing(bounds_chain="10")
    kernel_errors = {}
    for steps, option in ((0, "uniform"), (10_000, "dpp")):
        runs = [
            nv.approximate(IRIS.X, KERNEL, option, 10, seed, **({"steps": steps} if steps else {}))
            for seed in range(5)
        ]
        kernel_errors[steps] = np.median([nv.errors(IRIS.X, KERNEL, a).relative_frobenius for a in runs])
    shown = {name.replace("\N{NARROW NO-BREAK SPACE}", " "): cells for name, cells in table(at).items()}
    assert number(shown["error, start"][0]) == pytest.approx(kernel_errors[0], rel=6e-3)
    assert number(shown["error, 10 000 steps"][0]) == pytest.approx(kernel_errors[10_000], rel=6e-3)
    early, late = (number(shown[f"error, {steps} steps"][0]) for steps in ("1000", "10 000"))
    assert f"{'here they are' if late < early else 'here they are not'}: the median" in words(at)
    # n = 150 lies below 10 000: one pass through the data is spoken of, and marked.
    assert "after as many steps as there are rows, 150," in words(at)
    assert charts(at)["mixing"]["layout"]["shapes"][0]["x0"] == 150


def test_rows_that_hardly_differ():
    at = mixing(bandwidth="1024", bounds_chain="50")
    assert not at.error
    # On so wide a kernel W has a few eigenvalues above rounding.
    K = KernelMatrix(IRIS.X, wide := nv.Gaussian.from_width(1024 * nv.default_width(IRIS.X)))
    K.dense = wide(IRIS.X)
    ends = [chain(K, 50, seed, "uniform", STEPS)[-1].singular for seed in range(5)]
    assert f"Of the 50 eigenvalues of W {np.median(ends):.0f} are rounding" in words(at)


def test_a_kernel_of_rank_four():
    at = mixing(kernel="linear", bounds_chain="50")
    assert not at.error and "Of the 50 eigenvalues of W 46 are rounding" in words(at)


def test_fewer_rows_than_the_link_asks_for():
    at = mixing(bounds_chain="200")
    assert not at.error
    assert "m = 50;" in charts(at)["mixing"]["layout"]["title"]["subtitle"]["text"]
