"""The page Spectrum: its numbers are the core's, for every kernel, and it says what it cannot show."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum import factor_spectrum
from nysviz.analysis.spectrum.gaps import decay, effective_dimension, largest_gaps
from nysviz.analysis.spectrum.operators import distance_bound, operator_distances, smallest_sample
from nysviz.figures.look import THEMES, stroke
from nysviz.figures.spectra import LAW_NAMES
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from tests.pages.driving import (
    IRIS,
    KERNELS,
    SIGMA,
    charts,
    lines,
    number,
    opened,
    settle,
    settled,
    table,
    unopened,
)
from tests.pairing import quickly


def whole(text):
    return int(re.sub(r"\D", "", text))


def answer(at):
    return next(text.value for text in at.markdown if "; the largest gap, " in text.value)


@pytest.mark.parametrize("label", quickly(("Laplacian", "polynomial"), KERNELS))
def test_numbers_are_those_of_the_core(label):
    at, kernel = opened("spectrum", kernel=label), KERNELS[label]
    values = nv.spectrum(IRIS.X, kernel) / 150
    top = kernel.diag(IRIS.X).max()
    gap, shown = largest_gaps(values)[0], table(at)
    size, ratio = shown["largest gap / n"]
    assert number(size) == pytest.approx(gap.size, rel=6e-3)
    assert ratio.startswith(f"λ{gap.r}/λ{gap.r + 1} = ")
    assert f"**{size} n**" in answer(at) and f"rank **{gap.r}**" in answer(at)
    assert number(shown["effective dimension, λ = 0.001"][0]) == pytest.approx(
        effective_dimension(values, 1e-3 * top), rel=6e-3
    )
    assert whole(shown["theorem 1 asks for m ≥"][0]) == smallest_sample(150, gap.size / top)
    for law in decay(values):
        assert float(shown[f"{LAW_NAMES[law.kind]}, R²"][0]) == pytest.approx(law.explained, abs=6e-4)
    bandwidth = {"bandwidths"} if label not in ("polynomial", "linear") else set()
    assert set(charts(at)) == {"spectrum", "distances"} | bandwidth


def test_lines_are_the_spectra_of_the_chosen_methods():
    at = opened("spectrum", ratio="10 %")
    drawn = lines(at, "spectrum")
    exact = nv.spectrum(IRIS.X, KERNELS["Gaussian"]) / 150
    np.testing.assert_allclose(drawn["K"]["y"], exact[drawn["K"]["x"] - 1], rtol=1e-9)
    for method in ("uniform", "kmeans", "rff"):
        a = nv.approximate(IRIS.X, KERNELS["Gaussian"], method, 15)
        line = drawn[f"K̃, {nv.METHODS[method].brief}"]
        expected = factor_spectrum(a.factor)[: len(line["y"])] / 150
        np.testing.assert_allclose(line["y"], expected, rtol=1e-4)
        assert line["marker"]["symbol"] == stroke(method, THEMES["light"])["marker"]["symbol"]
    assert len(drawn["K̃, RFF"]["y"]) > 15  # 2m columns
    at.select_slider(key="spectrum_ridge").set_value(0.1)
    at.multiselect(key="spectrum_methods").set_value(["greedy"])
    assert {name for name in lines(settled(at), "spectrum") if "K̃" in name} == {f"K̃, {brief('greedy')}"}
    assert number(table(at)["effective dimension, λ = 0.1"][0]) == pytest.approx(
        effective_dimension(exact, 0.1), rel=6e-3
    )


def test_the_largest_gap_at_each_bandwidth():
    curve, spot = charts(opened("spectrum", bandwidth="4"))["bandwidths"]["data"]
    assert len(curve["x"]) == 21 and spot["x"] == pytest.approx([2.0])
    for place in (8, 12):
        (gap, *_) = largest_gaps(nv.spectrum(IRIS.X, nv.Gaussian(SIGMA * curve["x"][place])) / 150)
        assert curve["y"][place] == pytest.approx(gap.size, rel=1e-4)
        assert f"after rank {gap.r}" in curve["text"][place]


def test_theorem_five_is_drawn_as_measured():
    drawn = lines(opened("spectrum", seed="4"), "distances")
    sizes = [int(m) for m in drawn["measured, mean"]["x"]]
    found = operator_distances(KernelMatrix(IRIS.X, KERNELS["Gaussian"]), [*sizes, 150], 100, 4)[:, :-1]
    # Drawn and compared at sizes whose samples begin the same permutation.
    np.testing.assert_allclose(drawn["measured, mean"]["y"], found.mean(axis=0), rtol=1e-6)
    bound = drawn["bound (theorem 5)"]
    np.testing.assert_allclose(bound["y"], distance_bound(150, bound["x"]))


def test_a_flat_spectrum_and_a_single_row():
    at = opened("spectrum", data="Gaussian clusters", clusters_n="1", clusters_k="1")
    assert any("no gap" in text.value for text in at.markdown)
    at = opened("spectrum", data="Gaussian clusters", clusters_n="40", clusters_k="1", bandwidth="0.000977")
    assert answer(at)
    # So narrow a kernel that K is the identity: a first gap of rounding is none.
    at = opened(
        "spectrum", data="Two balls", two_balls_n="100", two_balls_redundant="100", bandwidth="0.000977"
    )
    told = " ".join(text.value for text in at.markdown)
    assert "All eigenvalues are equal up to rounding: there is no gap" in told
    assert "largest gap" not in str(charts(at)["spectrum"]["data"])


def brief(method):
    return nv.METHODS[method].brief


LINK = {"ratio": "10 %", "seed": "761", "spectrum_methods": ["icd", "uniform"]}


def test_a_method_that_is_refused_is_named_beside_the_others(monkeypatch):
    # A seed that no other test has, so that nothing is at hand.
    at = unopened("spectrum", LINK)
    monkeypatch.setattr(memory, "HELD_BYTES", 8 * 150 * 7)
    settle(at)
    (refused,) = at.error
    assert refused.value.startswith("icd holds") and "enough for m = 7" in refused.value
    drawn = lines(at, "spectrum")
    assert {"K", f"K̃, {brief('uniform')}"} <= set(drawn) and f"K̃, {brief('icd')}" not in drawn
    assert answer(at) and "distances" in charts(at)
