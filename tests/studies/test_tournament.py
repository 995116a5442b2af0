"""The tournament in a notebook: ranks recomputed from the recorded rows, and refusals."""

import numpy as np
import pytest
from scipy.stats import rankdata

import nysviz as nv
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.jobs import count_of, split_label
from nysviz.refusal import Refusal

METHODS = ("uniform", "kmeans", "greedy")


def test_ranks_are_those_of_the_recorded_rows():
    result = nv.studies.tournament("trace", METHODS, multiples=[0.25], percents=[2], theme="dark")
    values: dict[str, dict[str, float]] = {}
    for row in recorded_of("tournament"):
        name, multiple = split_label(row.data)
        is_asked = row.measure == "relative_trace" and multiple == 0.25 and row.m == count_of(row.n, 2)
        if is_asked and row.method in METHODS:
            values.setdefault(name, {})[row.method] = row.value
    ranks = np.array([rankdata([of[name] for name in METHODS]) for of in values.values()])
    means = dict(zip(METHODS, ranks.mean(axis=0), strict=True))
    table = result.table.query("measure == 'mean_rank'").set_index("method")["value"].to_dict()
    assert table == pytest.approx(means)
    assert nv.METHODS[min(means, key=means.__getitem__)].listed in result.answer.lower()
    assert f"over {len(values)} data sets" in result.answer


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"criterion": "errors"}, "choose one of error, trace"),
        ({"methods": ["svd"]}, "choose one of"),
        ({"methods": ["uniform"]}, "two or more contestants"),
        ({"multiples": [3.0]}, "choose one of"),
        ({"percents": 5}, "a sequence is needed"),
    ],
)
def test_what_was_not_recorded_is_refused_in_a_sentence(arguments, said):
    with pytest.raises(Refusal, match=said):
        nv.studies.tournament(**arguments)
