"""The page Compare: its numbers are those of the core, for every error, scale and view."""

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.spectrum import best_errors
from tests.pages.driving import IRIS, PATIENCE_SECONDS, charts, number, settled, table

PAGE = Path(__file__).resolve().parents[2] / "pages" / "compare.py"
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))
MS = (2, 3, 4, 6, 8, 9, 10, 12, 14, 15)


def opened(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title, "compare_repeats": "5", **link}
    return settled(at)


def lines(at):
    """Each method's line by its name."""
    return {trace["name"]: trace for trace in charts(at)["compare"]["data"] if trace.get("name")}


def test_first_view_shows_the_paper_s_schemes_with_bands_and_floor():
    at = opened()
    drawn = lines(at)
    assert next(iter(drawn)) == nv.METHODS["svd"].label and len(drawn) == 6
    of_k = np.linalg.norm(KERNEL(IRIS.X))
    eigenvalues = nv.spectrum(IRIS.X, KERNEL)
    floor = [best_errors(eigenvalues, m)[0] / of_k for m in MS]
    np.testing.assert_allclose(drawn[nv.METHODS["svd"].label]["y"], floor, rtol=1e-6)
    np.testing.assert_allclose(drawn[nv.METHODS["svd"].label]["x"], 100 * np.array(MS) / 150)
    runs = np.array([nv.error_curve(IRIS.X, KERNEL, "kmeans", MS, seed) for seed in range(5)]) / of_k
    np.testing.assert_allclose(drawn[nv.METHODS["kmeans"].label]["y"], runs.mean(axis=0), rtol=1e-6)
    bands = [trace for trace in charts(at)["compare"]["data"] if trace.get("fill") == "toself"]
    assert len(bands) == 4  # svd and icd have no randomness
    assert any(np.allclose(band["y"][:10], (runs.mean(0) + runs.std(0, ddof=1)), rtol=1e-6) for band in bands)
    assert charts(at)["compare"]["layout"]["yaxis"]["type"] == "log"


def test_the_answer_and_the_table_name_the_smallest_error():
    at = opened()
    answer = next(text.value for text in at.markdown if "smallest mean Frobenius error" in text.value)
    of_k = np.linalg.norm(KERNEL(IRIS.X))
    means = {
        name: np.mean(
            [
                nv.error_curve(IRIS.X, KERNEL, name, MS, seed)
                for seed in range(5 if nv.METHODS[name].random else 1)
            ],
            axis=0,
        )
        / of_k
        for name in ("icd", "uniform", "column_norm", "kmeans", "rpcholesky")
    }
    winners = [min(means, key=lambda name: means[name][i]) for i in range(len(MS))]
    first = max(dict.fromkeys(winners), key=winners.count)
    label, count = re.search(r"is that of \*\*(.+)\*\* at (\d+) of 10 ratios", answer).groups()
    assert label == nv.METHODS[first].label and int(count) == winners.count(first)
    shown = table(at)
    # The table is at the m of the answer.
    middle = MS.index(int(re.search(r"\(m = (\d+)\) it is", answer)[1]))
    for name, values in means.items():
        assert number(shown[nv.METHODS[name].label][0]) == pytest.approx(values[middle], rel=6e-3)


@pytest.mark.parametrize("norm", ["spectral", "trace"])
@pytest.mark.parametrize("scale", ["absolute", "times the best possible"])
def test_other_errors_and_scales(norm, scale):
    at = opened(compare_norm=norm, compare_scale=scale, compare_methods=nv.METHODS["icd"].label)
    drawn = lines(at)
    assert list(drawn) == [nv.METHODS["icd"].label]
    eigenvalues = nv.spectrum(IRIS.X, KERNEL)
    expected = []
    for m in MS:
        a = nv.approximate(IRIS.X, KERNEL, "icd", m)
        value = getattr(nv.errors(IRIS.X, KERNEL, a), norm)
        best = best_errors(eigenvalues, m)[("frobenius", "spectral", "trace").index(norm)]
        expected.append(value if scale == "absolute" else value / best)
    np.testing.assert_allclose(drawn[nv.METHODS["icd"].label]["y"], expected, rtol=3e-3)


def test_costs():
    at = opened(compare_view="kernel evaluations against m / n")
    drawn = lines(at)
    for name in ("uniform", "icd"):
        counts = [nv.approximate(IRIS.X, KERNEL, name, m).kernel_evaluations for m in MS]
        np.testing.assert_allclose(drawn[nv.METHODS[name].label]["y"], np.array(counts) / 150**2, rtol=1e-6)
    at = opened(compare_view="error against seconds")
    drawn = lines(at)
    assert len(drawn) == 6 and all((np.array(line["x"]) > 0).all() for line in drawn.values())
    assert charts(at)["compare"]["layout"]["xaxis"]["type"] == "log"


def test_no_method_and_one_method():
    at = opened(compare_methods=nv.METHODS["uniform"].label)
    assert any("Choose two methods" in text.value for text in at.markdown)
    at.multiselect(key="compare_methods").set_value([])
    settled(at)
    assert at.info and "compare" not in charts(at)


def said(at):
    return " ".join(text.value for text in at.markdown)


def test_one_method_beside_the_best_possible_is_told_with_it():
    at = opened(compare_methods=[nv.METHODS["svd"].label, nv.METHODS["icd"].label])
    mean = nv.error_curve(IRIS.X, KERNEL, "icd", [8])[0] / np.linalg.norm(KERNEL(IRIS.X))
    best = best_errors(nv.spectrum(IRIS.X, KERNEL), 8)[0] / np.linalg.norm(KERNEL(IRIS.X))
    told = re.search(
        r"of \*\*incomplete Cholesky\*\* is (\S+) at .*; the best possible of rank m is (\S+)\. ", said(at)
    )
    assert [number(part) for part in told.groups()] == pytest.approx([mean, best], rel=6e-3)
    assert "on their way" not in said(at)


def test_ratios_where_nobody_is_ahead_are_counted():
    """The linear kernel of four features has rank 4: from five landmarks or so on everything is exact."""
    at = opened(kernel="linear", compare_up_to="10 %", compare_repeats="3")
    shown = charts(at)["compare"]["layout"]["title"]["text"]
    equal = re.search(r"At (\d+) of them the smallest errors are equal up to rounding", said(at))
    assert 0 < int(equal[1]) < 10 and "every ratio" not in shown
    assert "of 10 ratios" in said(at)


@pytest.mark.parametrize(
    "repeats, expected", [("5", "5 paired runs cannot tell at"), ("10", "p < 0.05 after")]
)
def test_few_repeats_are_said_to_be_too_few_for_the_test(repeats, expected):
    names = [nv.METHODS[name].label for name in ("uniform", "kmeans")]
    assert expected in said(opened(compare_repeats=repeats, compare_methods=names))


def test_methods_without_kernel_evaluations_have_a_chart_and_a_sentence():
    names = [nv.METHODS[name].label for name in ("rff", "orf")]
    at = opened(compare_view="kernel evaluations against m / n", compare_methods=names)
    assert "all of these methods evaluate the kernel equally often: not once." in said(at)
    layout = charts(at)["compare"]["layout"]["yaxis"]
    assert layout.get("type") != "log" and layout["range"][0] < 0 < layout["range"][1]
    at = opened(
        compare_view="kernel evaluations against m / n", compare_methods=[names[0], nv.METHODS["icd"].label]
    )
    assert "those of **random Fourier features**, none; the most those of **incomplete Cholesky**" in said(at)


def test_a_single_row_and_data_above_the_exact_size():
    rows = settled_page("two_balls", "6000")
    assert "errors from 500 sampled rows" in charts(rows)["compare"]["layout"]["title"]["subtitle"]["text"]
    assert nv.METHODS["svd"].label not in lines(rows)


def settled_page(name, n):
    title = next(card.title for card in nv.catalog() if card.name == name)
    methods = nv.METHODS["uniform"].label
    return opened(
        data=title, two_balls_n=n, two_balls_redundant="2", compare_methods=methods, compare_up_to="2 %"
    )


def test_nobody_is_ahead_by_rounding():
    # The linear kernel of four features has rank 4: with six landmarks or more everything is exact.
    at = opened(kernel="linear", compare_up_to="50 %")
    answer = next(text.value for text in at.markdown if "No method is ahead" in text.value)
    assert "rounding" in answer
    assert not any("ahead of the second" in text.value for text in at.markdown)
