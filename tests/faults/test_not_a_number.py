"""A kernel that gives NaN for a part of its matrix, and data whose distances overflow: one sentence each."""

from dataclasses import replace

import numpy as np
import pytest

import nysviz as nv
from tests.pages.test_hard_input import SLOW, main_texts, opened, settle

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
SENTENCE = "no finite numbers on these data; scale the features"


true_filler = nv.Gaussian._filler


def broken_filler(self, Y):
    fill = true_filler(self, Y)

    def broken(X, first, out):
        fill(X, first, out)
        out[: max(1, len(out) // 4)] = np.nan

    return broken


class Broken(nv.Gaussian):
    """A kernel that gives NaN in a quarter of each block of rows."""

    _filler = broken_filler


class WithoutDiagonal(nv.Gaussian):
    """A kernel whose diagonal alone is infinite."""

    def diag(self, X):
        return np.full(len(X), np.inf)


# Random features never ask a kernel for its values.
@pytest.mark.parametrize("method", [name for name in nv.METHODS if name not in ("rff", "orf")])
def test_every_method_ends_in_the_sentence(method):
    with pytest.raises(ValueError, match=SENTENCE) as problem:
        nv.approximate(X, Broken(1.0), method, 5)
    assert str(problem.value).endswith(".") and "\n" not in str(problem.value)


@pytest.mark.parametrize("kernel", [Broken(1.0), WithoutDiagonal(1.0)])
def test_whoever_forms_the_matrix_gets_the_sentence(kernel):
    a = replace(nv.approximate(X, nv.Gaussian(1.0), "uniform", 5), kernel=kernel)
    for ask in (
        lambda: kernel(X),
        lambda: nv.spectrum(X, kernel),
        lambda: nv.errors(X, kernel, a),
        lambda: nv.error_curve(X, kernel, "rpcholesky", [3, 5]),
    ):
        with pytest.raises(ValueError, match=SENTENCE):
            ask()


@pytest.mark.slow
@pytest.mark.parametrize("view", SLOW)
def test_pages_say_it_and_draw_nothing_that_is_no_number(view, monkeypatch):
    """The page's own kernel gives NaN: nothing is drawn from it, and one sentence says why."""
    monkeypatch.setattr(nv.Gaussian, "_filler", broken_filler)
    data = nv.datasets.Dataset.from_arrays(
        f"for {view}",
        RNG.standard_normal((24, 3)),
        np.arange(24) % 2,
        task="classification",
        classes=("a", "b"),
    )
    at = opened(view, data=data)
    said = [problem.value for problem in at.error]
    assert said and all("no finite numbers" in text for text in said), said
    assert not any("nan" in text.lower().split() for text in main_texts(settle(at)))
