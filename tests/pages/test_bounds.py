"""The page Bounds: its numbers are the core's, bad choices give one sentence."""

import math
import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.bounds import (
    derived_constant,
    error_bound,
    ladder,
    printed_constant,
    violating_quadruple,
)
from nysviz.analysis.bounds.relative import best_clustering, conclusion, feature_rows, li_bound, oglic_bound
from nysviz.analysis.spectrum import best_errors
from nysviz.kernels.matrix import KernelMatrix
from nysviz.papers.oglic2017.lift import landmark_count
from nysviz.papers.zhang2008.figure1 import counts
from nysviz.text import three_digits
from tests import naive
from tests.pages.driving import (
    IRIS,
    KERNEL,
    KERNELS,
    SIGMA,
    charts,
    lines,
    number,
    opened,
    settle,
    table,
    unopened,
)
from tests.pairing import quickly

RELATIVE = "Oglic, Li: best rank k"


def words(at):
    return " ".join(text.value for text in at.markdown)


def titled(chart):
    title = chart["layout"]["title"]
    return title["text"], title["subtitle"]["text"]


def test_numbers_curve_steps_of_the_proof_and_worst_entry_are_the_cores():
    at = opened("bounds", seed="1")
    a = nv.approximate(IRIS.X, KERNEL, "kmeans", 8, seed=1)
    bound, error = error_bound(IRIS.X, KERNEL, a), nv.errors(IRIS.X, KERNEL, a).frobenius
    shown = table(at)
    for name, value in {
        "part from near-equal landmarks": bound.inverse_term, "part from the encoding": bound.encoding_term,
        "largest cluster T": bound.largest_cluster, "quantization error e": bound.quantization,
        "‖W⁻¹‖F": bound.inverse_norm,
    }.items():  # fmt: skip
        assert number(shown[name][0]) == pytest.approx(value, rel=6e-3)
    orders = float(shown["bound / error"][0].removeprefix("10"))
    assert orders == pytest.approx(math.log10(bound.total / error), abs=0.006)
    assert f"**{three_digits(error)}**" in words(at) and f"**{three_digits(bound.total)}**" in words(at)
    found, drawn = charts(at), lines(at, "curve")
    ms = counts(150)
    assert list(drawn["bound"]["x"]) == pytest.approx([100 * m / 150 for m in ms])
    for k, m in enumerate(ms):
        runs = [nv.approximate(IRIS.X, KERNEL, "kmeans", m, seed=1 + r) for r in range(5)]
        errors = [nv.errors(IRIS.X, KERNEL, a).frobenius for a in runs]
        limits = [error_bound(IRIS.X, KERNEL, a).total for a in runs]
        assert drawn["measured"]["y"][k] == pytest.approx(np.median(errors), rel=1e-6)
        assert drawn["bound"]["y"][k] == pytest.approx(np.median(limits), rel=1e-6)
    assert found["curve"]["layout"]["shapes"][0]["y0"] == pytest.approx(np.linalg.norm(KERNEL(IRIS.X)))
    steps = ladder(IRIS.X, KERNEL, a)
    values, bars = np.log10([step.value for step in steps]), found["ladder"]["data"][0]
    np.testing.assert_allclose(bars["x"], (values[:-1] - values[1:])[::-1], atol=1e-6)
    title, subtitle = titled(found["entry"])
    gap = np.abs(KERNEL(IRIS.X) - a.factor @ a.factor.T)
    np.fill_diagonal(gap, 0)
    i, j = np.unravel_index(gap.argmax(), gap.shape)
    assert f"({i}, {j})" in title and number(title.split()[-1]) == pytest.approx(gap[i, j], rel=6e-3)
    assert number(subtitle.split()[0]) < 1e-10


@pytest.mark.parametrize("label", quickly(("Matérn", "polynomial"), KERNELS))
def test_each_kernel_and_its_violating_quadruple(label):
    at, kernel = opened("bounds", kernel=label), KERNELS[label]
    radius = float(np.sqrt((IRIS.X**2).sum(axis=1)).max()) if label in ("polynomial", "linear") else None
    derived, printed = derived_constant(kernel, radius), printed_constant(kernel, radius)
    unit = 1 / derived if radius else SIGMA**2
    drawn, limits = [shape["y0"] for shape in charts(at)["property"]["layout"]["shapes"]], [unit * derived]
    (constants,) = (cells for name, cells in table(at).items() if name.startswith("constant C"))
    assert number(constants[0]) == pytest.approx(derived, rel=6e-3)
    if math.isnan(printed):
        assert constants[1] == "printed –"
    else:
        limits.append(unit * printed)
        q = violating_quadruple(kernel, radius)
        change = (kernel([[q.a]], [[q.b]]) - kernel([[q.c]], [[q.d]])).item() ** 2
        allowed = printed * ((q.a - q.c) ** 2 + (q.b - q.d) ** 2)
        shown = table(at)["change at four points"]
        assert number(shown[0]) == pytest.approx(change, rel=6e-3) and change > allowed
        assert number(shown[1].removeprefix("allowed ")) == pytest.approx(allowed, rel=6e-3)
    assert drawn == pytest.approx(limits)


@pytest.mark.parametrize("rule", quickly(("k",), ("k", "k ln n")))
def test_errors_over_the_best_and_what_is_guaranteed(rule):
    at = opened("bounds", bounds_view=RELATIVE, bounds_rank="10", bounds_landmarks=rule)
    assert not at.error and not at.warning and at.button_group(key="bounds_landmarks").value == rule
    m, best = landmark_count(10, 150, rule), best_errors(nv.spectrum(IRIS.X, KERNEL), 10)[0]
    matrix, means = KernelMatrix(IRIS.X, KERNEL, dense=KERNEL(IRIS.X)), {}
    for method in ("kmeanspp", "dpp"):
        runs = [nv.approximate(IRIS.X, KERNEL, method, m, seed, matrix=matrix) for seed in range(10)]
        means[method] = np.mean([nv.errors(IRIS.X, KERNEL, a.truncate(10)).frobenius for a in runs]) / best
        shown = re.search(rf"\*\*(\S+)\*\* with {re.escape(nv.METHODS[method].brief)}", words(at))[1]
        assert number(shown) == pytest.approx(means[method], rel=6e-3)
    shown, limit = table(at), li_bound(m, 10, 150)
    theta = number(shown["potential ratio Θ"][0])
    assert number(shown["k-means++: error at most"][0]) == pytest.approx(
        oglic_bound(10, 150, theta), rel=6e-3
    )
    assert number(shown["k-DPP: error at most"][0]) == pytest.approx(limit, rel=6e-3)
    assert shown["k-DPP: error at most"][1] == f"m = {m}"
    assert "10 repeats" in titled(charts(at)["relative"])[1]
    assert f"(at most {three_digits(limit)})" in words(at)
    # Theorem 4 speaks of as many landmarks as the rank, and under a condition.
    assert ("(no guarantee for this m)" not in words(at)) == (rule == "k")
    assert any("theorem 4" in name for name in lines(at, "relative")) == (rule == "k")
    # What theorem 1 implies is tried on centred points.
    features = feature_rows(*naive.descending_eigh(KERNEL(IRIS.X)))
    gap_there, outside_there = conclusion(features, best_clustering(features, 11, 5, 0).labels, 10)
    gap = shown["gap (λk − λk+1) / λk"][1].removeprefix("centred: ")
    assert number(gap) == pytest.approx(gap_there, rel=6e-3)
    outside = shown["centroids outside Uk"][1].removeprefix("centred: ").split()[0]
    assert float(outside) == pytest.approx(100 * outside_there, rel=6e-3)


UNSETTLED = {
    "rounding": (IRIS.X, {"ratio": "100 %"}),
    "singular": (IRIS.X, {"ratio": "20 %", "bandwidth": "32 times"}),
    "larger than any": (1e5 * IRIS.X, {"bandwidth": "1e-154 times"}),
}  # fmt: skip


@pytest.mark.parametrize("reason", UNSETTLED)
def test_a_bound_that_guarantees_nothing_is_said_in_words(reason):
    X, link = UNSETTLED[reason]
    at = settle(unopened("bounds", link, nv.datasets.Dataset.from_arrays("mine", X)))
    said = words(at)
    assert "guarantees nothing here: " in said and reason in said and "at most" not in said
    assert table(at)["bound / error"][0] == "–" and "ladder" not in charts(at) and not at.error
    # Nor does the curve have a bound that is below an error, or of a singular W.
    drawn = lines(at, "curve")
    errors = dict(zip(drawn["measured"]["x"], drawn["measured"]["y"], strict=True))
    limits = {x: y for x, y in zip(drawn["bound"]["x"], drawn["bound"]["y"], strict=True) if y is not None}
    assert all(y >= errors[x] for x, y in limits.items())
    assert (len(limits) < len(errors)) == ("no bound where" in titled(charts(at)["curve"])[1])


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_rows_of_zeros_alone_have_a_page(kernel):
    at = settle(
        unopened("bounds", {"kernel": kernel}, nv.datasets.Dataset.from_arrays("mine", np.zeros((8, 3))))
    )
    assert not at.error and "property" in charts(at) and "guarantees at most **0**" in words(at)
