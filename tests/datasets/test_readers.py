import dataclasses

import numpy as np
import pytest

from nysviz.datasets.cards import card
from nysviz.datasets.readers import read_arff

HEADER = "@relation r\n@attribute a numeric\n@attribute 'b c' REAL\n@attribute class {{{classes}}}\n@data\n"


def arff(tmp_path, text, target="class"):
    path = tmp_path / "r.arff"
    path.write_text(text)
    return read_arff(
        [path], dataclasses.replace(card("elevators"), layout={"format": "arff", "target": target})
    )


def test_a_nominal_target_becomes_codes_and_their_texts(tmp_path):
    text = (
        HEADER.format(classes="yes, 'not yet', no")
        + "1,2,yes\n%remark\n3, 4.5, 'not yet'\n\n-1e3,.5,no\n3,4,yes\n"
    )
    X, y, names, classes = arff(tmp_path, text)
    assert np.array_equal(X, [[1, 2], [3, 4.5], [-1000, 0.5], [3, 4]]) and names == ("a", "b c")
    assert [classes[code] for code in y] == ["yes", "not yet", "no", "yes"] and classes == tuple(
        sorted(classes)
    )


def test_a_text_feature_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="could not convert"):
        arff(tmp_path, HEADER.format(classes="p,q") + "1,2,p\n3,4,q\n", target="a")
