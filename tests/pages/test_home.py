"""The first page: its film is the core's, it is small, and its doors lead to every page."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.studies.living_picture import GOOD, STEPS, flowers
from nysviz.ui.doors import DOORS
from nysviz.ui.home import CHOICES, TRIALS
from tests.pages.driving import APP, PAGES, PATIENCE_SECONDS, charts, decoded, follow, settled
from tests.pairing import quickly


def opened(**link):
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.query_params |= link
    return settled(at)


def frames(at, key):
    spec = next(chart.proto.spec for chart in at.get("plotly_chart") if chart.proto.id.endswith(key))
    return decoded(json.loads(spec).get("frames", []))


@pytest.mark.parametrize("method", quickly(("kmeans", "greedy"), CHOICES))
def test_the_film_shows_the_cores_numbers(method):
    at = opened(home_landmarks=method)
    X, kernel = flowers()
    K = kernel(X, X)
    assert K.shape == (60, 60)
    found = charts(at)
    assert set(found) == {"home_map", "home_K", "home_restored", "home_error"}
    assert np.array_equal(found["home_K"]["data"][0]["z"], np.rint(100 * K))
    floor, line = (np.asarray(trace["y"], dtype=float) for trace in found["home_error"]["data"][:2])
    eigenvalues, total = nv.spectrum(X, kernel), np.linalg.norm(K)
    moving = {key: frames(at, key) for key in found}
    for m in range(1, STEPS + 1):
        a = nv.approximate(X, kernel, method, m, 0)
        assert line[m - 1] == pytest.approx(nv.errors(X, kernel, a).relative_frobenius, rel=1e-6)
        assert floor[m - 1] == pytest.approx(best_errors(eigenvalues, m)[0] / total, rel=1e-6)
        assert line[m - 1] >= floor[m - 1] * (1 - 1e-9)
        restored = a.factor @ a.factor.T
        assert np.abs(moving["home_restored"][m - 1]["data"][0]["z"] - 100 * restored).max() < 0.51
        coloured = moving["home_map"][m - 1]["data"][0]["marker"]["color"]
        assert np.allclose(coloured, 1 - np.diag(restored), atol=1e-6)
        place = moving["home_map"][m - 1]["data"][1]
        assert np.allclose(np.column_stack([place["x"], place["y"]]), a.landmarks[:, [2, 0]], atol=1e-5)
        if a.pivots is not None:
            assert moving["home_K"][m - 1]["data"][0]["x"][::3] == a.pivots.tolist()
    parts = [json.loads(part.proto.json) for part in at.get("bidi_component") if part.proto.json]
    (said,) = [part["sentences"] for part in parts if "sentences" in part]
    assert len(said) == STEPS and all(f"m = {m}" in text for m, text in enumerate(said, start=1))
    needed = int(np.flatnonzero(line < GOOD)[0]) + 1
    answer = next(text.value for text in at.markdown if f"below {GOOD}" in text.value)
    assert f"**{needed} landmarks**" in answer


def test_the_doors_lead_to_every_page():
    doors = {door.page: door for group in DOORS.values() for door in group}
    files = {file.stem for file in PAGES.glob("*.py")}
    assert set(doors) == files - {"home"}
    at = opened()
    # The living picture leads to the playground, too, and there are four places to start.
    assert len(at.get("page_link")) == len(doors) + 1 + len(TRIALS)


@pytest.mark.parametrize("link, is_gone", [({}, False), ({"data": "Your own file"}, True)])
def test_who_is_led_to_sending_a_file_is_not_told_that_one_is_gone(link, is_gone):
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.query_params |= link
    follow(at.run(), "Send a file")
    assert at.selectbox(key="data").value == "Your own file" and not at.exception
    assert any("which is gone" in info.value for info in at.main.info) == is_gone
