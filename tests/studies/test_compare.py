"""Compare in a notebook: numbers of all views beside a slow twin, and refusals."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.numerics import memory
from nysviz.refusal import Refusal
from nysviz.studies.landmark_counts import counts

DATA = nv.load("iris")
KERNEL = nv.Laplacian(1.2)


def test_errors_are_those_of_each_approximation_over_the_best_possible():
    result = nv.studies.compare(
        DATA, KERNEL, ["icd", "uniform"], norm="spectral", scale="best", up_to=5, repeats=2, seed=3
    )
    table = result.table.query("measure == 'mean_times_best_spectral'").set_index(["method", "m"])["value"]
    best = nv.spectrum(DATA.X, KERNEL)
    for m in counts(DATA.n, 5):
        for method, seeds in {"icd": [3], "uniform": [3, 4]}.items():
            made = [nv.approximate(DATA.X, KERNEL, method, m, seed) for seed in seeds]
            errors = [nv.errors(DATA.X, KERNEL, a).spectral / best_errors(best, m)[1] for a in made]
            # The largest eigenvalue of a residual is found by an iteration, to three digits.
            np.testing.assert_allclose(result.values[m][method], errors, rtol=2e-3)
            assert table[method, m] == pytest.approx(np.mean(errors), rel=2e-3)
    # The best possible errors come along for the scale, and are not ranked.
    assert set(result.values[m]) == {"icd", "uniform", "svd"} and "SVD" not in result.answer


@pytest.mark.parametrize("view", ["budget", "seconds", "evaluations"])
def test_costs_are_measured_beside_errors_where_the_view_has_both(view):
    result = nv.studies.compare(DATA, KERNEL, ["icd", "uniform"], view=view, up_to=2, repeats=2, theme="dark")
    measures = set(result.table["measure"])
    assert {"seconds", "kernel_evaluations"} <= measures
    assert ("mean_relative_frobenius" in measures) == (view == "budget")
    for r in result.records:
        if "kernel_evaluations" in r.values:
            a = nv.approximate(DATA.X, KERNEL, r.method, r.m, r.seed)
            assert r.values["kernel_evaluations"] == a.kernel_evaluations
    assert len(result.figures["curves"].data) >= 2 and "uniform" in result._repr_html_()


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"methods": ["kmeen"]}, "choose one of"),
        ({"methods": []}, "name one or more"),
        ({"view": "errors"}, "choose one of error, budget"),
        ({"norm": "nuclear"}, "choose one of frobenius"),
        ({"scale": 3}, "choose one of relative"),
        ({"up_to": 0}, "per cent"),
        ({"repeats": 1.5}, "a whole number from 1"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(arguments, said):
    with pytest.raises(Refusal, match=said):
        nv.studies.compare(DATA, KERNEL, **arguments)


def test_without_all_of_K_the_best_possible_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 50)
    with pytest.raises(Refusal, match="is not held"):
        nv.studies.compare(DATA, KERNEL, scale="best")
