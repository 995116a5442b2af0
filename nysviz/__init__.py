"""nysviz: low-rank approximation of kernel matrices by landmarks, measured and drawn."""

from nysviz.approximation import approximate
from nysviz.datasets import Dataset, catalog, load, parse, two_balls
from nysviz.kernels import (
    KERNELS,
    Gaussian,
    InverseDistance,
    Laplacian,
    Linear,
    Polynomial,
    default_width,
)
from nysviz.landmarks import METHODS, Method
from nysviz.lowrank import LowRank
from nysviz.measures import Errors, error_curve, errors, quantization_error
from nysviz.spectrum import spectrum

__version__ = "0.1.0"

__all__ = [
    "KERNELS",
    "METHODS",
    "Dataset",
    "Errors",
    "Gaussian",
    "InverseDistance",
    "Laplacian",
    "Linear",
    "LowRank",
    "Method",
    "Polynomial",
    "approximate",
    "catalog",
    "default_width",
    "error_curve",
    "errors",
    "load",
    "parse",
    "quantization_error",
    "spectrum",
    "two_balls",
]
