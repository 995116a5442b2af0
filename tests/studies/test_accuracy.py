"""Accuracy at rank d in a notebook: its numbers beside a slow twin, and refusals."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.refusal import Refusal

DATA = nv.load("iris")
KERNEL = nv.Laplacian(1.2)


def test_accuracies_are_those_of_each_approximation():
    result = nv.studies.accuracy(
        DATA, KERNEL, ["icd", "uniform"], d=5, up_to=5, repeats=2, at_hand=False, seed=3, theme="dark"
    )
    K = KERNEL(DATA.X)
    best = np.linalg.norm(np.linalg.eigvalsh(K)[::-1][5:])
    assert result.truncated == "icd" and max(result.best) == 15
    for m, methods in result.best.items():
        for name, runs in methods.items():
            for how, accuracies in (("best", runs), ("landmark", result.classical[m][name])):
                made = [
                    nv.approximate(DATA.X, KERNEL, name, m, 3 + r).truncate(5, how) for r in range(len(runs))
                ]
                errors = [np.linalg.norm(K - a.factor @ a.factor.T) for a in made]
                np.testing.assert_allclose(accuracies, 100 * best / np.array(errors), rtol=1e-6)
    assert set(result.table["measure"]) >= {"seconds", "mean_classical_accuracy_5"}
    assert all(len(figure.data) >= 2 for figure in result.figures.values())


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"d": 7}, "choose one of 5, 10"),
        ({"methods": ["rff"]}, "choose one of"),
        ({"truncated": "kmeanspp"}, "choose one of uniform"),
        ({"data": DATA.X[:18]}, "Rank 20 needs more than 18 rows"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(arguments, said):
    with pytest.raises(Refusal, match=said):
        nv.studies.accuracy(**{"data": DATA, "kernel": nv.Gaussian(1.2), **arguments})
