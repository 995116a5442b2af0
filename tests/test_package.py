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
    "Matern",
    "RationalQuadratic",
    "PerFeature",
    "Precomputed",
    "KERNELS",
    "default_width",
    "METHODS",
    "Method",
    "approximate",
    "LowRank",
    "errors",
    "Errors",
    "inducing_points",
    "leave_one_out",
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
