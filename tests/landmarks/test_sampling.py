import numpy as np
import pytest

import nysviz as nv
from nysviz import matrix
from nysviz.landmarks.sampling import column_norm, diagonal, uniform
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import FIVE, p_value, sequences_drawn

KERNEL, QUADRATIC = nv.Gaussian(0.8), nv.Polynomial(2, 1.0)
PROBABILITIES = {
    uniform: lambda K: np.full(len(K), 1 / len(K)),
    column_norm: lambda K: (K**2).sum(axis=0) / (K**2).sum(),
    diagonal: lambda K: np.diag(K) ** 2 / (np.diag(K) ** 2).sum(),
}


@pytest.mark.parametrize("method, kernel", [(uniform, KERNEL), (column_norm, KERNEL), (diagonal, QUADRATIC)])
def test_sequences_are_drawn_as_often_as_the_probabilities_say(method, kernel):
    probabilities = PROBABILITIES[method](kernel(FIVE))
    assert method is uniform or max(probabilities) > 2 * min(probabilities)

    def step(chosen):
        return naive.without_replacement_step(probabilities, chosen if method is uniform else [])

    counts = sequences_drawn(method, FIVE, kernel, 2, 2_000)
    assert p_value(counts, naive.sequence_probabilities(step, 2)) > 1e-4


@pytest.mark.parametrize("method, dense", [(column_norm, False), (column_norm, True), (diagonal, False)])
def test_weights_of_the_drawn_columns(method, dense, monkeypatch):
    rows, kernel = np.random.default_rng(0).standard_normal((40, 3)), QUADRATIC
    monkeypatch.setattr(matrix, "rows_per_block", lambda n, columns: 16)
    asked = KernelMatrix(rows, kernel, dense=kernel(rows) if dense else None)
    selection = method(asked, 12, np.random.default_rng(0))
    probabilities = PROBABILITIES[method](kernel(rows))
    expected = 1 / np.sqrt(12 * probabilities[selection.pivots])
    np.testing.assert_allclose(selection.weights, expected, rtol=1e-12)
    assert asked.evaluations == (40 if method is diagonal else 40 * 40)
