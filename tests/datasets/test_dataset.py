import pickle

import numpy as np
import pytest
from scipy import sparse

from nysviz.datasets import Dataset


def points(n=6, d=3):
    return np.random.default_rng(0).normal(size=(n, d))


def test_arrays_are_copied_and_cannot_be_written_nor_can_those_of_a_pickle():
    X = points()
    data = Dataset.from_arrays("a", X, np.arange(6), task="classification")
    before = X[0, 0]
    X[0, 0] = 99.0
    again = pickle.loads(pickle.dumps(data))
    assert again.digest == data.digest and again.X[0, 0] == data.X[0, 0] == before
    for held in (data.X, data.y, again.X):
        with pytest.raises(ValueError, match="read-only"):
            held[0] = 1
    assert data.X.flags.c_contiguous and data.X.dtype == np.float64


def test_the_digest_is_that_of_the_numbers_alone():
    X, y = points(), np.arange(6)

    def digest(X=X, y=y, name="a", **more):
        return Dataset.from_arrays(name, X, y, **more).digest

    value, sign = X.copy(), X.copy()
    value[5, 2], sign[0, 0] = np.nextafter(X[5, 2], 9.0), -X[0, 0]
    assert digest() == digest(np.asfortranarray(X), y.astype(float), "b", title="other")
    others = [digest(value), digest(sign), digest(y=np.r_[y[:5], 7]), digest(y=None)]
    assert len({digest(), *others, digest(X.reshape(3, 6), np.arange(3))}) == 6 and len(digest()) == 64


def test_sparse_points_stay_sparse_and_read_only():
    X = sparse.random_array((20, 50), density=0.1, rng=np.random.default_rng(1), format="csc")
    data = Dataset.from_arrays("docs", X, np.zeros(20), task="classification")
    assert sparse.issparse(data.X) and data.X.format == "csr" and (data.n, data.d) == (20, 50)
    np.testing.assert_array_equal(data.X.toarray(), X.toarray())
    np.testing.assert_allclose((data.X[[3, 4]] @ data.X.T).toarray(), (X.toarray() @ X.toarray().T)[[3, 4]])
    with pytest.raises(ValueError, match="read-only"):
        data.X.data[0] = 1.0
    wider = sparse.csr_array((X.tocsr().data, X.tocsr().indices, X.tocsr().indptr), shape=(20, 51))
    assert Dataset.from_arrays("docs", wider, np.zeros(20)).digest != data.digest
    X.data[0] += 1.0
    assert Dataset.from_arrays("docs", X, np.zeros(20)).digest != data.digest


def test_whole_labels_become_integers_and_their_texts_are_in_order():
    data = Dataset.from_arrays("a", points(4), [1.0, -1.0, 3.0, 1.0], task="classification")
    assert data.y.dtype == np.int64 and data.classes == ("-1", "1", "3")
    values = Dataset.from_arrays("a", points(2), [1.5, 2.0], task="regression")
    assert values.y.dtype == np.float64 and values.classes == ()


def test_pictures_are_upright_in_both_orders():
    picture = np.arange(6.0).reshape(2, 3)
    by_line = Dataset.from_arrays("a", picture.reshape(1, 6), image_shape=(2, 3))
    by_column = Dataset.from_arrays("a", picture.T.reshape(1, 6), image_shape=(2, 3), image_order="F")
    assert np.array_equal(by_line.picture(0), picture) and np.array_equal(by_column.picture(0), picture)
    with pytest.raises(ValueError, match="not pictures"):
        Dataset.from_arrays("a", points()).picture(0)


def test_sampled_rows_are_the_same_each_time_and_keep_their_order():
    y = np.array([5] + [1, 3] * 100)
    data = Dataset.from_arrays("a", points(201), y, task="classification", classes=("one", "three", "five"))
    some, fewer = data.sampled(40), data.sampled(12)
    rows = [int(np.flatnonzero((row == data.X).all(axis=1))[0]) for row in some.X]
    assert rows == sorted(rows) and len(set(rows)) == 40
    np.testing.assert_array_equal(some.y, y[rows])
    assert {row.tobytes() for row in fewer.X} <= {row.tobytes() for row in some.X}
    assert some.digest != data.digest != data.sampled(40, seed=1).digest != some.digest
    assert data.sampled(201) is data
    # The class of one row has gone with its name, or stays with it.
    assert len(some.classes) == len(np.unique(some.y))
    with pytest.raises(ValueError, match="read-only"):
        some.X[0, 0] = 1.0
