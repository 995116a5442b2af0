"""The page Quantization: the run that is shown is the one that was clicked, or the best."""

import numpy as np
import pytest

import nysviz as nv
from tests.pages.driving import IRIS, KERNEL, charts, landmark_count, lines, number, opened, settle


def test_the_most_accurate_run_is_shown_first():
    at = opened("quantization", quantization_runs="10", seed="4")
    found, drawn = charts(at), lines(at, "runs")
    ring = drawn.pop("shown below; click another")
    assert ring["y"][0] == min(min(trace["y"]) for trace in drawn.values())
    assert landmark_count(found["map"]) == 8
    assert any(text.value.startswith("Rank correlation") for text in at.markdown)


def test_a_clicked_run_is_shown_until_another_is():
    at = opened("quantization", quantization_runs="10")
    uniform = lines(at, "runs")["uniform"]
    _, seed = uniform["customdata"][3]
    at.query_params["quantization_run"] = f"uniform-{seed}-8"
    found = charts(settle(at))
    ring = found["runs"]["data"][-1]
    assert (ring["x"][0], ring["y"][0]) == (uniform["x"][3], uniform["y"][3])
    title = found["map"]["layout"]["title"]["text"]
    assert title.startswith(f"Uniform sampling, seed {seed}: relative error ")
    assert number(title.rsplit(" ", 1)[1]) == pytest.approx(uniform["y"][3], rel=6e-3)
    a = nv.approximate(IRIS.X, KERNEL, "uniform", 8, seed)
    (marks,) = (t for name, t in lines(at, "map").items() if name.startswith("landmark"))
    assert [int(text.rsplit(" ", 1)[1]) for text in marks["text"]] == list(a.pivots)
    # Another number of landmarks means other runs: the best of those is shown.
    at.select_slider(key="ratio").set_value(10)
    other = charts(settle(at))
    relative = np.concatenate([t["y"] for t in other["runs"]["data"][:-1]])
    assert other["runs"]["data"][-1]["y"][0] == relative.min()
