import dataclasses

import numpy as np
import pytest

from nysviz.datasets.cards import card
from nysviz.datasets.readers import read_arff, read_csv, read_libsvm, read_table

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


def like(d, **layout):
    return dataclasses.replace(card("elevators"), d=d, layout=layout)


def test_a_table_takes_its_target_from_any_column_and_its_separator_from_the_card(tmp_path):
    path = tmp_path / "t"
    path.write_text("1,2,-3.5\n4,5,6e2\n")
    X, y, *_ = read_table([path], like(2, target=1, separator=","))
    assert np.array_equal(X, [[1, -3.5], [4, 600]]) and np.array_equal(y, [2, 5])
    path.write_text("  1  2 3\r\n4 5   6\r\n")
    X, y, *_ = read_table([path], like(2, target=-1))
    assert np.array_equal(X, [[1, 2], [4, 5]]) and np.array_equal(y, [3, 6])


def test_csv_files_of_one_header_are_put_below_each_other(tmp_path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("who,a,goal,b\n7,1,2,3\n")
    second.write_text("who,a,goal,b\r\n8,-4.5,5,6\r\n9,0,0,1e3\r\n")
    X, y, names, _ = read_csv([first, second], like(2, target="goal", leave_out=["who"]))
    assert np.array_equal(X, [[1, 3], [-4.5, 6], [0, 1000]]) and np.array_equal(y, [2, 5, 0])
    assert names == ("a", "b")
    second.write_text("who,a,goal,b\n8,text,5,6\n")
    with pytest.raises(ValueError, match="text"):
        read_csv([second], like(2, target="goal"))


def test_libsvm_files_are_put_below_each_other_and_padded(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    first.write_text("+1 1:2 3:0.5\n-1\n")
    second.write_text("-1 2:7\n")
    X, y, *_ = read_libsvm([first, second], like(4))
    assert np.array_equal(X, [[2, 0, 0.5, 0], [0, 0, 0, 0], [0, 7, 0, 0]]) and np.array_equal(y, [1, -1, -1])
