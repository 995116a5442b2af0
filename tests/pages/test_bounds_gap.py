"""The second view of the page Bounds: more landmarks than the rank, and the condition on the eigengap."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.bounds.eigengap import conclusion
from nysviz.bounds.relative import best_clustering, feature_rows, li_bound
from nysviz.matrix import KernelMatrix
from nysviz.papers.oglic2017.lift import landmark_count
from nysviz.spectrum import best_errors
from tests import naive
from tests.pages.driving import APP, IRIS, charts, number, settle, table

PAGE = APP.parent / "pages" / "bounds.py"
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))


def relative(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=90)
    at.query_params |= {
        "data": IRIS.title,
        "bounds_view": "Oglic, Li: against the best rank K",
        "bounds_rank": "10",
        **link,
    }
    return settle(at)


def words(at):
    return " ".join(text.value for text in at.markdown)


def test_a_link_with_the_former_letter_still_leads_to_the_view():
    at = relative(bounds_landmarks="K ln n")
    assert not at.warning and "relative" in charts(at)
    assert at.button_group(key="bounds_landmarks").value == "K ln n"
    assert at.button_group(key="bounds_landmarks").options == ["k", "k ln k", "k ln n"]
    now = relative(bounds_view="Oglic, Li: against the best rank k", bounds_landmarks="k ln n")
    assert not now.warning and now.button_group(key="bounds_landmarks").value == "K ln n"


def test_lis_bound_with_more_landmarks_than_the_rank():
    at = relative(bounds_landmarks="K ln n")
    assert not at.error
    landmarks = landmark_count(10, 150, "K ln n")
    limit = li_bound(landmarks, 10, 150)
    best = best_errors(nv.spectrum(IRIS.X, KERNEL), 10)[0]
    matrix = KernelMatrix(IRIS.X, KERNEL, dense=KERNEL(IRIS.X))
    runs = [nv.approximate(IRIS.X, KERNEL, "dpp", landmarks, seed, matrix=matrix) for seed in range(10)]
    errors = [nv.errors(IRIS.X, KERNEL, a.truncate(10)).frobenius for a in runs]
    told = re.search(
        rf"With {landmarks} landmarks for rank 10, .*{re.escape(nv.METHODS['dpp'].label)} is \*\*(\S+)\*\* "
        r"times the best, guaranteed at most ([\d.]+)",
        words(at),
    )
    assert number(told[1]) == pytest.approx(np.mean(errors) / best, rel=6e-3)
    assert number(told[2].rstrip(".")) == pytest.approx(limit, rel=6e-3)
    assert "for which theorem 4 says nothing" in words(at)
    shown = table(at)["k-DPP (Li et al.)"]
    assert number(shown[0]) == pytest.approx(limit, rel=6e-3) and shown[1] == f"l = {landmarks}"
    figure = charts(at)["relative"]
    names = {trace.get("name") for trace in figure["data"]}
    assert not any("theorem 4" in str(name) or "guaranteed, kernel k-means++" in str(name) for name in names)
    assert figure["layout"]["title"]["text"].startswith("Li's bound allows")


def test_what_theorem_one_implies_is_tried_on_centred_points():
    at = relative(seed="3")
    values, vectors = naive.descending_eigh(KERNEL(IRIS.X))
    features = feature_rows(values, vectors)
    found = conclusion(features, best_clustering(features, 11, 5, 3).labels, 10)
    shown = table(at)
    gap = shown["eigengap (λk − λk+1) / λk"][1].removeprefix("centred: ")
    assert number(gap) == pytest.approx(found.gap, rel=6e-3)
    assert f"here it is {gap} of λ₁₀" in words(at)
    outside = re.search(r"but (\S+) % of their squared length lies outside: if no better", words(at))
    assert float(outside[1]) == pytest.approx(100 * found.outside, rel=6e-3)


def test_the_rank_is_k_and_the_matrix_K():
    at = relative(seed="3")
    assert not any("K" in name for name in table(at))
    assert charts(at)["relative"]["layout"]["xaxis"]["title"]["text"] == "rank and landmarks k"
    assert at.select_slider(key="bounds_rank").label == "Rank k"
    assert "√(n − k)" in words(at) and "√(n − K)" not in words(at)
