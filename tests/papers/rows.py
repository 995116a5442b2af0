"""Synthetic rows in which the truth is built in."""

import math

import numpy as np

from nysviz.papers.claims import CLAIMS, Records
from nysviz.papers.records import Row


def row(experiment, data, method, m, repeat, measure, value, n=1000, seconds=math.nan):
    return Row(experiment, data, n, 10, method, m, repeat, measure, float(value), seconds)


def judged(claim, rows):
    return CLAIMS[claim].decide(Records(rows))


def runs(experiment, measure, means, datas=("a", "b", "c"), ms=(10, 20), repeats=20, once=(), seed=0):
    """Rows of methods with these means; methods in ``once`` have a single run, which is the mean."""
    rng = np.random.default_rng(seed)
    return [
        row(experiment, data, method, m, r, measure, value)
        for data in datas
        for m in ms
        for method, mean in means.items()
        for r, value in enumerate(
            [mean] if method in once else mean * (1.0 + 0.02 * rng.normal(size=repeats))
        )
    ]


def single(experiment, values, datas=("a",), methods=("uniform",), ms=(10,)):
    each = ((measure, dict.fromkeys(methods, value)) for measure, value in values.items())
    return [one for name, means in each for one in runs(experiment, name, means, datas, ms, once=methods)]


def base(make, *head, means, **settings):
    """Return a maker of rows with these means, of which those given to it are others."""
    return lambda **changed: make(*head, means | changed, **settings)
