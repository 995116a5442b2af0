import subprocess
import sys
from pathlib import Path

import pytest

import nysviz as nv

ROOT = Path(__file__).resolve().parents[1]
NAMES = [
    "catalog",
    "load",
    "parse",
    "Dataset",
    "Gaussian",
    "Laplacian",
    "InverseDistance",
    "Polynomial",
    "Linear",
    "KERNELS",
    "default_width",
    "METHODS",
    "Method",
    "approximate",
    "LowRank",
    "errors",
    "Errors",
    "error_curve",
    "quantization_error",
    "recommend",
    "spectrum",
    "two_balls",
    "NystroemFeatures",
    "FourierFeatures",
]


def run(code):
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_public_names():
    assert set(NAMES) == set(nv.__all__)
    for name in NAMES:
        assert getattr(nv, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'gausian'"):
        nv.gausian  # noqa: B018


def test_importing_is_light():
    heavy = run(
        "import sys, nysviz\n"
        "heavy = {'streamlit', 'sklearn', 'plotly', 'pandas'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    assert heavy.split() == []


def test_the_core_needs_neither_streamlit_nor_plotly():
    run(
        "import sys\n"
        "sys.modules['streamlit'] = sys.modules['plotly'] = None\n"
        "import nysviz as nv\n"
        "data = nv.load('clusters', n=50)\n"
        "kernel = nv.Gaussian.from_width(nv.default_width(data.X))\n"
        "a = nv.approximate(data.X, kernel, method='kmeans', m=5, seed=0)\n"
        "assert 0 < nv.errors(data.X, kernel, a).relative_frobenius < 1\n"
        "assert nv.FourierFeatures(sigma=1.0, n_frequencies=3).fit_transform(data.X).shape == (50, 6)"
    )


def test_the_attributes_of_an_approximation():
    data = nv.load("iris")
    a = nv.approximate(data.X, nv.Gaussian(sigma=1.0), method="icd", m=5, seed=0)
    n, r = a.factor.shape
    assert (n, r) == (150, a.rank) and a.landmarks.shape == (5, 4) and a.pivots.shape == (5,)
    assert a.seconds >= 0 and a.kernel_evaluations > 0
    values, vectors = a.eigh(2)
    assert values.shape == (2,) and vectors.shape == (150, 2)
    assert a.truncate(3).rank == 3 and a.truncate(3, how="landmark").rank == 3
    assert a.solve(data.X[:, 0], 0.1).shape == (150,) and a.transform(data.X[:7]).shape == (7, r)


def test_the_fields_of_an_entry_of_the_catalog():
    for card in nv.catalog():
        assert card.name and card.paper is not None and card.n > 0 and card.d > 0
        assert card.task in ("classification", "regression", None)
        assert card.source and card.licence and isinstance(card.on_disk, bool)


def test_the_fields_of_a_method():
    for method in nv.METHODS.values():
        assert method.label and method.source and method.complexity and isinstance(method.options, tuple)
        assert {type(x) for x in (method.nested, method.random, method.landmarks_are_data)} == {bool}
