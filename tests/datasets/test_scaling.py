import numpy as np
from scipy import sparse

from nysviz.datasets import scale_to_unit_box, standardise
from nysviz.datasets.scaling import PREPARATIONS
from tests import naive

X = np.random.default_rng(0).normal(5.0, [1e-6, 1.0, 1e6], size=(50, 3))


def test_constant_features_become_zero():
    # 0.1 has no exact binary form: the mean of many copies differs from it, and the deviation is not 0.
    constant = np.column_stack([np.full(1001, 0.1), np.arange(1001.0)])
    for scale in (scale_to_unit_box, standardise):
        assert (scale(constant)[:, 0] == 0.0).all() and np.ptp(scale(constant)[:, 1]) > 1.0
        assert (scale(constant[:1]) == 0.0).all()


def test_documents_are_weighted_as_the_slow_twins_weight_them():
    counts = np.random.default_rng(1).poisson(0.4, (30, 12)).astype(float)
    counts[3] = 0.0
    held = sparse.csr_array(counts)
    before = held.copy()
    weighted, unit = (PREPARATIONS[name].apply(held) for name in ("tf-idf", "cosine"))
    assert sparse.issparse(weighted) and sparse.issparse(unit) and (held != before).nnz == 0
    np.testing.assert_allclose(weighted.toarray(), naive.tf_idf(counts), atol=1e-14)
    lengths = np.sqrt((counts**2).sum(axis=1))[:, None]
    np.testing.assert_allclose(unit.toarray(), counts / np.where(lengths, lengths, 1.0), atol=1e-14)
