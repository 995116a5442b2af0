"""Landmark selection: the registry of methods.

To add a method: one function ``select(K, m, rng, **options) -> Selection`` in the module of its family, one
entry here, and one slow twin in ``tests/naive.py``. Menus, sweeps and the parametrised tests read this dict.
"""

from __future__ import annotations

from nysviz.landmarks.best import svd
from nysviz.landmarks.pivoting import icd, rpcholesky
from nysviz.landmarks.quantize import kmeans, kmeanspp
from nysviz.landmarks.sampling import column_norm, uniform
from nysviz.landmarks.selection import Method, Option, Selection

METHODS: dict[str, Method] = {
    "uniform": Method(
        label="uniform sampling",
        source="Williams & Seeger 2001",
        sentence="Picks m rows at random, each as likely as any other.",
        cost="O(n)",
        select=uniform,
        family="sampling",
        nested=True,
        random=True,
        landmarks_are_data=True,
    ),
    "column_norm": Method(
        label="column-norm sampling",
        source="Drineas & Mahoney 2005; Zhang, Tsang & Kwok 2008",
        sentence="Draws rows with replacement, more often those whose column of K is long.",
        cost="O(n²)",
        select=column_norm,
        family="sampling",
        nested=True,
        random=True,
        landmarks_are_data=True,
    ),
    "kmeans": Method(
        label="k-means centres",
        source="Zhang, Tsang & Kwok 2008",
        sentence="Takes the m centres of k-means, which encode the data with a small error.",
        cost="O(nmd) an iteration",
        select=kmeans,
        family="quantization",
        nested=False,
        random=True,
        landmarks_are_data=False,
        options=(Option("iterations", "Lloyd iterations", 10, bounds=(1, 50)),),
    ),
    "kmeanspp": Method(
        label="kernel k-means++",
        source="Oglic & Gärtner 2017",
        sentence="Picks the next row more often the farther it lies, in feature space, from those chosen.",
        cost="O(nmd)",
        select=kmeanspp,
        family="quantization",
        nested=True,
        random=True,
        landmarks_are_data=True,
    ),
    "icd": Method(
        label="incomplete Cholesky",
        source="Fine & Scheinberg 2001; Bach & Jordan 2005",
        sentence="Always picks the row that is reproduced worst so far.",
        cost="O(m²n)",
        select=icd,
        family="pivoting",
        nested=True,
        random=False,
        landmarks_are_data=True,
    ),
    "rpcholesky": Method(
        label="randomly pivoted Cholesky",
        source="Chen, Epperly, Tropp & Webber 2022; Epperly, Tropp & Webber 2024",
        sentence="Picks the next row with a probability that grows with its own residual.",
        cost="O(m²n)",
        select=rpcholesky,
        family="pivoting",
        nested=True,
        random=True,
        landmarks_are_data=True,
        options=(Option("form", "form", "accelerated", choices=("accelerated", "simple")),),
    ),
    "svd": Method(
        label="best rank m (SVD)",
        source="Eckart & Young 1936",
        sentence="Keeps the m leading eigenpairs of K: the best any method could do, without landmarks.",
        cost="O(n³)",
        select=svd,
        family="floor",
        nested=True,
        random=False,
        landmarks_are_data=False,
    ),
}

__all__ = ["METHODS", "Method", "Option", "Selection"]
