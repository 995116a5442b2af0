"""The page Bounds: its numbers are the core's, its words are true, bad choices give one sentence."""

import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.bounds import derived_constant, error_bound, ladder, printed_constant
from nysviz.bounds.relative import li_bound, oglic_bound
from nysviz.papers.zhang2008.bound import counts
from nysviz.spectrum import best_errors
from nysviz.ui.bounds import computing
from nysviz.ui.bounds import words as bounds_words
from tests.pages.driving import APP, IRIS, charts, number, settle, start, table

PAGE = APP.parent / "pages" / "bounds.py"
SIGMA = math.sqrt(nv.default_width(IRIS.X) / 2.0)


def bounds(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=90)
    at.query_params |= {"data": IRIS.title, **link}
    return settle(at)


def words(at):
    return " ".join(text.value for text in at.markdown)


@pytest.mark.parametrize("method", ["kmeans", "icd", "column_norm"])
def test_the_numbers_are_the_cores(method):
    at = bounds(method=nv.METHODS[method].label, seed="2")
    assert not at.error
    kernel = nv.Gaussian(SIGMA)
    a = nv.approximate(IRIS.X, kernel, method, 8, seed=2)
    bound, error = error_bound(IRIS.X, kernel, a), nv.errors(IRIS.X, kernel, a).frobenius
    shown = table(at)
    assert number(shown["measured error ‖K − K̃‖"][0]) == pytest.approx(error, rel=6e-3)
    assert number(shown["bound of proposition 3"][0]) == pytest.approx(bound.total, rel=6e-3)
    assert number(shown["its term with ‖W⁻¹‖"][0]) == pytest.approx(bound.inverse_term, rel=6e-3)
    assert number(shown["its term without"][0]) == pytest.approx(bound.encoding_term, rel=6e-3)
    assert shown["largest cluster T"][0] == str(bound.largest_cluster)
    assert number(shown["quantization error e"][0]) == pytest.approx(bound.quantization, rel=6e-3)
    assert number(shown["‖W⁻¹‖ (Frobenius)"][0]) == pytest.approx(bound.inverse_norm, rel=6e-3)
    orders = float(shown["looseness"][0].removesuffix(" orders"))
    assert orders == pytest.approx(math.log10(bound.total / error), abs=0.006)
    assert f"**{orders:.1f} orders of magnitude** loose" in words(at) or abs(orders * 10 % 1 - 0.5) < 0.1
    assert f"**{shown['measured error ‖K − K̃‖'][0]}**" in words(at)


def test_the_curve_holds_the_runs_that_the_core_gives():
    at = bounds(seed="1")
    figure = charts(at)["curve"]
    lines = {trace.get("name"): trace for trace in figure["data"]}
    kernel, ms = nv.Gaussian(SIGMA), counts(150)
    assert list(lines["the bound"]["x"]) == pytest.approx([100 * m / 150 for m in ms])
    for k, m in enumerate(ms):
        runs = [nv.approximate(IRIS.X, kernel, "kmeans", m, seed=1 + r) for r in range(5)]
        errors = [nv.errors(IRIS.X, kernel, a).frobenius for a in runs]
        limits = [error_bound(IRIS.X, kernel, a).total for a in runs]
        assert lines["measured, k-means centres"]["y"][k] == pytest.approx(np.median(errors), rel=1e-6)
        assert lines["the bound"]["y"][k] == pytest.approx(np.median(limits), rel=1e-6)
    first, last = (np.array(lines["the bound"]["y"])[j] for j in (0, -1))
    trend = next(text.value for text in at.caption if text.value.startswith("From m = "))
    assert f"the median bound {'rises' if last > first else 'falls'}" in trend
    K = kernel(IRIS.X)
    assert figure["layout"]["shapes"][0]["y0"] == pytest.approx(np.linalg.norm(K))


def test_the_steps_of_the_proof_add_up():
    figure = charts(bounds())["ladder"]
    kernel = nv.Gaussian(SIGMA)
    steps = ladder(IRIS.X, kernel, nv.approximate(IRIS.X, kernel, "kmeans", 8))
    values = np.log10([step.value for step in steps])
    bars = np.array(figure["data"][0]["x"])
    np.testing.assert_allclose(bars, (values[:-1] - values[1:])[::-1], atol=1e-6)
    largest = figure["data"][0]["y"][int(bars.argmax())]
    assert figure["layout"]["title"]["text"] == f"Largest loss: {largest}"


KERNELS = {
    "Gaussian": nv.Gaussian(SIGMA),
    "Laplacian": nv.Laplacian(SIGMA),
    "inverse distance": nv.InverseDistance(SIGMA, 1.0),
    "polynomial": nv.Polynomial(2, 1.0),
    "linear": nv.Linear(),
}


@pytest.mark.parametrize("label", KERNELS)
def test_each_kernel_and_its_violating_quadruple(label):
    at, kernel = bounds(kernel=label), KERNELS[label]
    assert not at.error
    assert set(charts(at)) >= {"curve", "property", "entry"}
    text = words(at)
    found = re.search(
        r"a = (\S+), b = (\S+), c = a (. \S+) and d = b (. [^\s,]+), have .*? = (\S+), "
        r"where it allows (\S+), ",
        text,
    )
    a, b, first, second = (number(x.replace(" ", "").replace("−", "-")) for x in found.groups()[:4])
    c, d = a + first, b + second
    assert all(len(re.sub(r"\D", "", x).lstrip("0")) <= 3 for x in found.groups()[:2])
    change = (kernel([[a]], [[b]]) - kernel([[c]], [[d]])).item() ** 2
    assert number(found[5]) == pytest.approx(change, rel=0.02)
    radius = float(np.sqrt((IRIS.X**2).sum(axis=1)).max()) if label in ("polynomial", "linear") else None
    allowed = printed_constant(kernel, radius) * ((a - c) ** 2 + (b - d) ** 2)
    assert number(found[6]) == pytest.approx(allowed, rel=0.02)
    assert change > allowed
    lines = [shape["y0"] for shape in charts(at)["property"]["layout"]["shapes"]]
    if radius is None:
        expected = [derived_constant(kernel) * SIGMA**2, printed_constant(kernel) * SIGMA**2]
        assert lines == pytest.approx(expected)
        assert "on bounded data only" not in text
    else:
        assert lines[0] == pytest.approx(1.0) and "on bounded data only" in text


def test_one_entry_of_ones_own():
    at = bounds(bounds_entry="my own", bounds_row="3", bounds_column="101")
    kernel = nv.Gaussian(SIGMA)
    a = nv.approximate(IRIS.X, kernel, "kmeans", 8)
    gap = abs(kernel(IRIS.X)[3, 101] - a.factor[3] @ a.factor[101])
    text = words(at)
    off = number(re.search(r"Entry \(3, 101\) of K is \S+; its approximation is off by (\S+), and", text)[1])
    assert off == pytest.approx(gap, rel=6e-3)
    after = number(re.search(r"and by (\S+), which is rounding", text)[1])
    assert after < 1e-10


def test_the_worst_entry_is_the_worst():
    at = bounds()
    kernel = nv.Gaussian(SIGMA)
    a = nv.approximate(IRIS.X, kernel, "kmeans", 8)
    gap = np.abs(kernel(IRIS.X) - a.factor @ a.factor.T)
    np.fill_diagonal(gap, 0)
    off = number(re.search(r"its approximation is off by (\S+), and", words(at))[1])
    assert off == pytest.approx(gap.max(), rel=6e-3)


@pytest.mark.parametrize(
    "method, sentence",
    [(name, "has no landmarks") for name in ("svd", "rff", "orf")] + [("ensemble", "no single W")],
)
def test_methods_that_the_proposition_does_not_know_are_not_computed(monkeypatch, method, sentence):
    monkeypatch.setattr(computing, "report_later", None)
    at = bounds(method=nv.METHODS[method].label)
    assert not at.error and not at.exception and len(at.info) == 1
    assert sentence in at.info[0].value and "Choose a method that picks one set" in at.info[0].value


@pytest.mark.parametrize("method", [name for name in nv.METHODS if not bounds_words.silence(name)])
def test_methods_that_it_knows_have_a_bound(method):
    a = nv.approximate(IRIS.X, nv.Gaussian(SIGMA), method, 8)
    assert error_bound(IRIS.X, nv.Gaussian(SIGMA), a).total > 0


def test_a_bandwidth_so_wide_that_w_is_rounding():
    at = bounds(bandwidth="1024", method=nv.METHODS["uniform"].label, ratio="40 %")
    assert not at.error
    assert table(at)["bound of proposition 3"][0].startswith("≥ ")
    assert "W is singular up to rounding here" in words(at)
    assert "below a limit that is at least **" in words(at)


def test_an_exact_approximation_has_no_looseness():
    at = bounds(kernel="linear", method=nv.METHODS["icd"].label)
    assert "That is rounding: the approximation is exact." in words(at)
    assert table(at)["looseness"][0] == "–" and "ladder" not in charts(at)


def test_it_is_a_page_of_the_app():
    at = start()
    at.switch_page("pages/bounds.py")
    settle(at)
    assert not at.error and "orders of magnitude** loose" in words(at)


RELATIVE = "Oglic, Li: against the best rank k"


def test_the_relative_view_shows_the_cores_numbers():
    at = bounds(bounds_view=RELATIVE, bounds_rank="10")
    assert not at.error
    kernel = nv.Gaussian(SIGMA)
    best = best_errors(nv.spectrum(IRIS.X, kernel), 10)[0]
    text = words(at)
    for method, name in (("kmeanspp", "kernel k-means++"), ("dpp", nv.METHODS["dpp"].label)):
        runs = [nv.approximate(IRIS.X, kernel, method, 10, seed) for seed in range(10)]
        mean = np.mean([nv.errors(IRIS.X, kernel, a).frobenius for a in runs]) / best
        shown = re.search(rf"{re.escape(name)} is \*\*(\S+)\*\* times", text)[1]
        assert number(shown) == pytest.approx(mean, rel=6e-3)
    shown = table(at)
    theta = number(shown["Θ"][0])
    assert number(shown["theorem 4, with Θ"][0]) == pytest.approx(oglic_bound(10, 150, theta), rel=6e-3)
    assert number(shown["k-DPP (Li et al.)"][0]) == pytest.approx(li_bound(10, 10, 150), rel=6e-3)
    holds = theta <= math.sqrt(140)
    assert f"the assumption of corollary 5 {'holds' if holds else 'fails'}" in text


def test_the_relative_view_has_nothing_to_say_of_a_matrix_of_low_rank():
    at = bounds(bounds_view=RELATIVE, bandwidth="1024")
    assert len(at.error) <= 1
    at = bounds(bounds_view=RELATIVE, kernel="linear")
    assert not at.error
    assert max(charts(at)["relative"]["data"][0]["x"]) <= 3


def test_the_letters_of_the_maths_mean_one_thing():
    maths = bounds_words.MATHS
    assert r"(e\sigma" not in maths and r"\mathrm{e}" in maths and "Euler" in maths
    # The paper's σ is √2 times that of the project, in which the printed constant is 1/(4σ²).
    sigma = 1.7
    assert r"$1/(4\sigma^2)$" in maths
    assert printed_constant(nv.Gaussian(sigma)) == pytest.approx(1 / (4 * sigma**2))
    assert printed_constant(nv.Gaussian(sigma)) == pytest.approx(1 / (2 * (math.sqrt(2) * sigma) ** 2))
    assert derived_constant(nv.Gaussian(sigma)) == pytest.approx(2 / (math.e * sigma**2))
