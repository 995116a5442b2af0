"""nysviz: low-rank approximation of kernel matrices by landmarks, measured and drawn."""

import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

_is_command = sys.orig_argv[1:3] == ["-m", "nysviz"] or Path(*sys.argv[:1]).stem == "nysviz"
if _is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C during the imports below, which take a second, ends the command without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from nysviz.analysis.spectrum import spectrum
from nysviz.datasets import Dataset, catalog, load, two_balls
from nysviz.kernels import (
    KERNELS,
    ChiSquared,
    Cosine,
    Gaussian,
    InverseDistance,
    Laplacian,
    Linear,
    Matern,
    PerFeature,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    Sigmoid,
    default_width,
)
from nysviz.landmarks import METHODS, Method
from nysviz.nystroem.approximation import approximate, inducing_points
from nysviz.nystroem.curves import error_curve
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import Errors, errors, leave_one_out, quantization_error
from nysviz.shortfall import Shortfall

if TYPE_CHECKING:
    from nysviz import studies
    from nysviz.advice.recommendation import recommend
    from nysviz.datasets import parse
    from nysviz.figures import plot
    from nysviz.nystroem.features import FourierFeatures, NystroemFeatures
    from nysviz.nystroem.spectral_clusters import SpectralClusters

__version__ = "0.1.0"

__all__ = [
    "KERNELS",
    "METHODS",
    "ChiSquared",
    "Cosine",
    "Dataset",
    "Errors",
    "FourierFeatures",
    "Gaussian",
    "InverseDistance",
    "Laplacian",
    "Linear",
    "LowRank",
    "Matern",
    "Method",
    "NystroemFeatures",
    "PerFeature",
    "Polynomial",
    "Precomputed",
    "RationalQuadratic",
    "Shortfall",
    "Sigmoid",
    "SpectralClusters",
    "approximate",
    "catalog",
    "default_width",
    "error_curve",
    "errors",
    "inducing_points",
    "leave_one_out",
    "load",
    "parse",
    "plot",
    "quantization_error",
    "recommend",
    "spectrum",
    "studies",
    "two_balls",
]


# Imported late: scikit-learn, pandas and plotly take most of a second to import, and only these need them.
_LATE_MODULES = {"plot": "nysviz.figures.plot", "studies": "nysviz.studies"}
_LATE = {
    "FourierFeatures": "nystroem.features",
    "NystroemFeatures": "nystroem.features",
    "SpectralClusters": "nystroem.spectral_clusters",
    "parse": "datasets.upload",
    "recommend": "advice.recommendation",
}


def __getattr__(name: str) -> object:
    if name in _LATE_MODULES:
        return import_module(_LATE_MODULES[name])
    if name in _LATE:
        return getattr(import_module(f"nysviz.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
