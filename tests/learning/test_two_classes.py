"""Two classes: labels, disjoint rows, proportions, the archive's split, and a sentence for what cannot be."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.datasets import Dataset
from nysviz.learning.ls_svm import PUBLISHED_SPLITS, class_names, two_classes

DIGITS = nv.load("digits")


@pytest.mark.parametrize("share", [0.1, 0.8])
def test_rows_are_parted_class_by_class(share):
    pair = two_classes(DIGITS, 3, 8, share=share, seed=4)
    both = np.concatenate([pair.rows, pair.test_rows])
    assert sorted(both) == list(np.flatnonzero(np.isin(DIGITS.y, [3, 8])))
    for sign, label in ((-1, 3), (1, 8)):
        tested = (pair.y_test == sign).sum()
        assert tested == round(share * (DIGITS.y == label).sum())
    for rows, X, y in ((pair.rows, pair.X, pair.y), (pair.test_rows, pair.X_test, pair.y_test)):
        np.testing.assert_array_equal(X, DIGITS.X[rows])
        np.testing.assert_array_equal(y, np.where(DIGITS.y[rows] == 8, 1, -1))
    assert pair.name == "digits 3-8"
    same, other = (two_classes(DIGITS, 3, 8, share=share, seed=seed) for seed in (4, 5))
    assert pair.digest == same.digest != other.digest
    np.testing.assert_array_equal(pair.rows, same.rows)


def test_the_archive_parts_usps(monkeypatch):
    """Labels 1 to 10 of the files are the digits 0 to 9; the first rows are those of its training file."""
    monkeypatch.setitem(PUBLISHED_SPLITS, "usps", 70)
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(1, 11), 10)
    data, own = (
        Dataset.from_arrays("usps", rng.random((100, 4)), y, task="classification", from_catalog=known)
        for known in (True, False)
    )
    assert class_names(data) == [str(digit) for digit in range(10)]
    pair = two_classes(data, 4, 9, published=True)
    assert pair.name == "usps 3-8"
    assert pair.rows.max() < 70 <= pair.test_rows.min()
    assert set(data.y[pair.rows]) == {4, 9}
    assert two_classes(data, 4, 9).test_rows.min() < 70
    # A file that is called usps is not the catalog's.
    pair = two_classes(own, 4, 9, published=True)
    assert pair.name == "usps 4-9" and pair.rows.max() > 70
