"""Whatever is uploaded: a data set that is right, or one sentence. Damaged files: tests/security."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nysviz.datasets import parse


def check(content, filename, target=None):
    """The whole promise of ``parse`` about any bytes; True when they were accepted."""
    try:
        data = parse(content, filename, target)
    except ValueError as refusal:
        sentence = str(refusal)
        assert sentence.endswith(".") and "\n" not in sentence and sentence[0].isupper()
        assert len(sentence) < 1500
        assert sentence.replace("\u202f", "").isprintable()
        return False
    assert data.X.ndim == 2 and data.n >= 1 and data.d >= 1 and np.isfinite(data.X).all()
    assert np.isfinite((data.X**2).sum()) and len(set(data.feature_names)) == data.d and data.notes
    assert all(text.isprintable() for text in (*data.feature_names, *data.classes, data.name))
    # Digits are grouped by a narrow space.
    assert all(note.replace("\u202f", "").isprintable() for note in data.notes)
    if data.y is not None:
        assert data.y.shape == (data.n,) and np.isfinite(data.y).all()
        assert data.task != "classification" or len(data.classes) == np.unique(data.y).size
    return True


FINITE = st.floats(-1e90, 1e90, allow_nan=False)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.tuples(FINITE, FINITE, FINITE), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", " ", "|"]),
)
def test_numbers_come_back_as_they_were_written(rows, delimiter):
    text = "\n".join([delimiter.join("abc"), *(delimiter.join(map(repr, row)) for row in rows)])
    data = parse(text.encode(), "f.csv", target=False)
    # pandas' quick reading may miss the last bit.
    np.testing.assert_allclose(data.X, np.array(rows), rtol=1e-13, atol=1e-300)
