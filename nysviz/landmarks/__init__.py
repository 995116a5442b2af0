"""Landmark selection: the registry of methods.

To add a method: one function ``select(K, m, rng, **options) -> Selection`` in the module of its family, with
its ``Method`` below it, one line here, and one slow twin in ``tests/naive.py``. Menus, sweeps and the
parametrised tests read this dict, in its order.
"""

from collections.abc import Mapping
from typing import Any

from nysviz.landmarks import (
    adaptive,
    best,
    cost,
    determinantal,
    eigenvector_pivoting,
    greedy_pivoting,
    leverage_scores,
    mixture,
    moving,
    pivoting,
    quantize,
    random_features,
    sampling,
)
from nysviz.landmarks.selection import Method, Option, Selection

METHODS: dict[str, Method] = {
    "uniform": sampling.UNIFORM,
    "column_norm": sampling.COLUMN_NORM,
    "diagonal": sampling.DIAGONAL,
    "ensemble": mixture.ENSEMBLE,
    "kmeans": quantize.KMEANS,
    "kmeanspp": quantize.KMEANSPP,
    "kmeanspp_lloyd": quantize.KMEANSPP_LLOYD,
    "farthest": quantize.FARTHEST,
    "gradient": moving.GRADIENT,
    "icd": pivoting.ICD,
    "rpcholesky": pivoting.RPCHOLESKY,
    "rpcholesky_block": pivoting.RPCHOLESKY_BLOCK,
    "greedy": greedy_pivoting.GREEDY,
    "partition_greedy": greedy_pivoting.PARTITION_GREEDY,
    "sgma": greedy_pivoting.SGMA,
    "adaptive_full": adaptive.ADAPTIVE_FULL,
    "adaptive_partial": adaptive.ADAPTIVE_PARTIAL,
    "arp": eigenvector_pivoting.ARP,
    "osinsky": eigenvector_pivoting.OSINSKY,
    "leverage": leverage_scores.LEVERAGE,
    "leverage_approx": leverage_scores.LEVERAGE_APPROX,
    "rls": leverage_scores.RLS,
    "bless": leverage_scores.BLESS,
    "dpp": determinantal.DPP,
    "dpp_exact": determinantal.DPP_EXACT,
    "rff": random_features.RFF,
    "orf": random_features.ORF,
    "sketch": best.SKETCH,
    "svd": best.SVD,
}


def cost_seconds(method: str, n: int, d: int, m: int, options: Mapping[str, Any] | None = None) -> float:
    """Estimate the seconds of one approximation on this machine, from its cost and measured speeds."""
    method_cost = METHODS[method].cost(n, d, m, options)
    return cost.OVERHEAD_SECONDS + cost.work_seconds(method_cost.entries, method_cost.flops, d)
