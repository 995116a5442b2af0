"""The dialog about a user's own file: what it shows and asks; nothing happens before it is answered."""

import contextlib
import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.runtime.scriptrunner import StopException

import nysviz as nv
from nysviz.datasets import parse
from nysviz.ui.sidebar.uploads import Uploads
from tests.datasets.test_upload_workbooks import book
from tests.pages.driving import sidebar_alone
from tests.pages.scripts import run

RNG = np.random.default_rng(2)
ROWS = [
    f"{x:.6f},{1000 * y:.6f},{'red' if x > 0 else 'blue'},3,{'' if k == 4 else k % 2}"
    for k, (x, y) in enumerate(RNG.standard_normal((30, 2)))
]
ROWS[7] = "," + ROWS[7].partition(",")[2]
CSV = ("a,b,tint,same,class\n" + "\n".join([*ROWS, ROWS[0]])).encode()


def opened():
    at = sidebar_alone()
    at.query_params["data"] = "Iris flowers"
    return at.run()


def sent(content=CSV, name="mine.csv", at=None):
    at = at or opened()
    at.selectbox(key="data").set_value("Your own file").run()
    at.file_uploader(key="own_upload").set_value((name, content, "text/plain")).run()
    assert not at.exception
    return at


def columns_of(at):
    return at.dataframe[1].value.set_index("column")


def shown(at):
    return at.text[0].value


def answered(at):
    at.button(key="own_use").click().run()
    assert not at.exception
    return at


def check(at, content=CSV, name="mine.csv", target=False, **options):
    """Answer the dialog, and assert that the page and its code, beside the file, have the data so read."""
    answered(at)
    known = parse(content, name, target, **options)
    code = f"import nysviz as nv\ndata = {at.code[0].value}\nprint(data.name, data.n, data.d, data.digest)"
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(name).write_bytes(content)
        assert run(code)[1] == f"{shown(at)}\n"
    assert shown(at) == f"{known.name} {known.n} {known.d} {known.digest}"
    return known


def test_the_dialog_says_what_was_read_and_nothing_changes_before_it_is_answered():
    before, at = shown(opened()), sent()
    table = columns_of(at)
    assert table["kind"].to_dict() == {
        "a": "numbers", "b": "numbers", "tint": "text", "same": "whole numbers", "class": "whole numbers",
    }  # fmt: skip
    assert table["missing"].tolist() == [1, 0, 0, 0, 1] and table.loc["same", "distinct"] == 1
    assert any("31 rows, 5 columns" in text.value for text in at.markdown)
    assert at.selectbox(key="own_choice_target").value == "class"
    assert at.selectbox(key="own_choice_scale").value == "standardise"
    assert at.multiselect(key="own_choice_encode").options == ["tint"]
    assert shown(at) == before
    at.button(key="own_later").click().run()
    assert shown(at) == before and "own_use" not in [button.key for button in at.button]
    at.button(key="own_open").click().run()
    known = check(at, target="class", scale="standardise")
    assert known.n == 29 and np.allclose(known.X.std(axis=0)[:2], 1.0)


def test_every_choice_reaches_the_data_and_the_code():
    at = sent(name=(name := "=it's mine.csv"))
    at.selectbox(key="own_choice_target").set_value("").run()
    at.multiselect(key="own_choice_encode").set_value(["tint"]).run()
    at.selectbox(key="own_choice_missing").set_value("median").run()
    at.selectbox(key="own_choice_scale").set_value("unit box").run()
    known = check(at, CSV, name, encode=["tint"], missing="median", scale="unit box")
    assert known.n == 31 and known.feature_names == ("a", "b", "same", "class", "tint = blue", "tint = red")


def test_a_bad_file_leaves_the_last_data():
    at = answered(sent())
    good = shown(at)
    sent(b"\x00\x01", "bad.bin", at)
    assert len(at.error) == 1 and at.error[0].value.endswith(".") and shown(at) == good
    sent(gzip.compress(CSV), "again.csv.gz", at)
    assert not at.error and shown(at) == good
    assert shown(answered(at)).startswith("again ")


def counting(monkeypatch, room):
    made = Uploads(room)
    for module in ("uploads", "own_file", "own_file_reading"):
        monkeypatch.setattr(f"nysviz.ui.sidebar.{module}.uploads", lambda: made)
    return made


def test_a_table_without_room_is_one_sentence_and_is_let_go(monkeypatch):
    few, told = counting(monkeypatch, 1_000_000), "1000 rows × 401 columns takes 3.21\N{NO-BREAK SPACE}MB"
    at = sent(b"1 400:1\n0 1:2\n" * 500, "wide.libsvm")
    for _ in range(2):
        assert len(at.error) == 1 and told in at.error[0].value
        assert "own_waiting" not in at.session_state and few.held_bytes() < 10_000
        at.run()
    assert shown(answered(sent(at=at))).startswith("mine ")


YEARS = b"2001,2002\n" + b"\n".join(b"%d.5,%d.25" % (k, k * k) for k in range(1, 20))


def test_the_first_line_is_what_its_owner_says_it_is():
    at = sent(YEARS)
    assert at.segmented_control(key="own_header").value is False
    assert list(columns_of(at).index) == ["column 1", "column 2"]
    at.selectbox(key="own_choice_target").set_value("column 2").run()
    at.segmented_control(key="own_header").set_value(True).run()
    assert not at.exception and list(columns_of(at).index) == ["2001", "2002"]
    # What was chosen of columns that have other names now is asked again.
    assert at.selectbox(key="own_choice_target_1").value == ""
    assert check(at, YEARS, header=True).n == 19
    # Read once more, the file is read by its looks again.
    at.button(key="own_again").click().run()
    assert at.segmented_control(key="own_header").value is False
    assert check(at, YEARS).n == 20


CYRILLIC = "Город,Площадь,class\n" + "\n".join(f"Тула,{k}.5,{k % 2}" for k in range(20))


def test_the_line_in_which_the_table_begins_is_what_its_owner_says_it_is():
    content = b"Weights\n\n" + CSV
    at = sent(content)
    assert at.number_input(key="own_first_line").value == 3 and list(at.dataframe[0].value)[:2] == ["a", "b"]
    at.number_input(key="own_first_line").set_value(4).run()
    assert at.number_input(key="own_first_line").value == 4
    assert at.segmented_control(key="own_header").value is False
    at.number_input(key="own_first_line").set_value(99).run()
    assert "the file has 34 lines" in at.toast[0].value
    assert at.number_input(key="own_first_line").value == 4
    assert "first_line=4" in answered(at).code[0].value


def test_the_first_rows_are_shown_and_the_encoding_is_what_its_owner_says_it_is():
    at = sent(CYRILLIC.encode("koi8-r"))
    assert at.dataframe[0].value.shape == (4, 3)
    assert at.selectbox(key="own_encoding").value == "Windows-1252"
    at.selectbox(key="own_encoding").set_value("KOI8-R").run()
    assert at.dataframe[0].value["Город"].tolist() == ["Тула"] * 4
    # The answer before stays.
    at.segmented_control(key="own_header").set_value(False).run()
    assert at.dataframe[0].value["column 1"].tolist() == ["Город", *["Тула"] * 3]
    assert at.selectbox(key="own_encoding").value == "KOI8-R"
    assert "encoding='KOI8-R', header=False" in answered(at).code[0].value


def test_a_sheet_of_a_workbook_is_what_its_owner_says():
    second = pd.DataFrame({"u": range(9), "v": range(0, 18, 2)})
    at = sent(book(pd.DataFrame(np.eye(5), columns=list("abcde")), second), "mine.xlsx")
    assert at.selectbox(key="own_sheet").options == ["S1", "S2"]
    at.segmented_control(key="own_header").set_value(False).run()
    at.selectbox(key="own_sheet").set_value("S2").run()
    # The names of another sheet are another question.
    assert list(at.dataframe[0].value) == ["u", "v"] and at.selectbox(key="own_sheet").value == "S2"
    assert "sheet='S2')" in answered(at).code[0].value


def test_a_file_counts_until_it_is_forgotten_taken_out_of_the_box_or_followed_by_another(monkeypatch):
    counted, at = counting(monkeypatch, 10_000_000), answered(sent())
    assert "own_forget" not in [button.key for button in at.button]  # the box has its own cross
    for data in ("iris", "Your own file"):
        at.selectbox(key="data").set_value(data).run()
    data = at.session_state["own_data"]
    kept = data.X.nbytes + data.y.nbytes
    assert counted.held_bytes() == len(CSV) + kept
    at.button(key="own_forget").click().run()
    assert counted.held_bytes() == kept and "own_open" not in [button.key for button in at.button]
    for content in (CSV, b"\x00\x01"):
        sent(content, at=at)
        assert ("own_sent" in at.session_state) == (content == CSV)
        at.file_uploader(key="own_upload").set_value(None).run()
        assert counted.held_bytes() == kept and not at.error
        assert "own_sent" not in at.session_state and "own_waiting" not in at.session_state


def test_similarities_are_a_choice_and_bring_the_linear_kernel():
    X = RNG.standard_normal((14, 3))
    K = nv.Laplacian(2.0)(X)
    content = "\n".join(",".join(map(repr, row)) for row in K.tolist()).encode()
    at = sent(content, "K.csv")
    at.selectbox(key="own_choice_similarities").set_value("given").run()
    assert "own_choice_scale" not in [one.key for one in at.selectbox]
    known = check(at, content, "K.csv", similarities="given")
    assert at.selectbox(key="kernel").value == "linear"
    assert np.allclose(nv.Linear()(known.X), K, atol=1e-12)
    # Of a table that is not square nothing is asked.
    assert "own_choice_similarities" not in [one.key for one in sent().selectbox]


def test_after_similarities_another_file_has_the_former_kernel_again():
    at = opened()
    at.selectbox(key="kernel").set_value("laplacian").run()
    n = np.random.default_rng(0).standard_normal((12, 3))
    matrix = "\n".join(",".join(f"{x:.17g}" for x in row) for row in n @ n.T).encode()
    answered(sent(matrix, "K.csv", at))
    assert at.selectbox(key="kernel").value == "linear"
    answered(sent(CSV, "mine.csv", at))
    assert at.selectbox(key="kernel").value == "laplacian"


def test_the_numbers_of_a_target_are_what_the_user_says():
    rows = [b"a,b,grade", *(b"%d,%d,%d" % (i, i * i % 7, i % 5) for i in range(40))]
    at = sent(b"\n".join(rows))
    at.selectbox(key="own_choice_target").set_value("grade").run()
    asked = next(one for one in at.segmented_control if one.key == "own_choice_task_2")
    assert asked.label == "The numbers of the target (5 different) are" and asked.value == "classification"
    asked.set_value("regression").run()
    assert "task='regression'" in answered(at).code[0].value
    data = at.session_state["own_data"]
    assert data.task == "regression" and "taken as values to predict" in " ".join(data.notes)


def test_a_file_is_read_again_where_the_run_ended_while_it_was_read(monkeypatch):
    def stopped(work):
        raise StopException

    with monkeypatch.context() as patch:
        patch.setattr("nysviz.ui.sidebar.own_file_reading.in_turn", stopped)
        at = sent()
    assert "own_waiting" not in at.session_state
    at.run()
    assert shown(answered(at)).startswith("mine ")


CODED = "id,age,rate,day,kind\n" + "\n".join(
    f"{900 - 2 * k},{20 + k if k % 9 else 999},{30 + k * k % 11}%,{20240101 + k % 28},{'uv'[k % 2]}"
    for k in range(40)
)


def test_codes_for_missing_values_and_dates_are_choices():
    at, said = sent(CODED.encode()), "999 stands 5 times in 1 column ('age'), far from the others: missing?"
    assert any(caption.value.replace("\\", "") == said for caption in at.caption)
    assert any("Left out because they number the rows: id." in caption.value for caption in at.caption)
    codes = at.multiselect(key="own_missing_values")
    assert codes.options == ["999"] and codes.value == []
    codes.set_value(["999"]).run()
    assert at.multiselect(key="own_missing_values").value == ["999"]
    assert columns_of(at).loc["age", ["missing", "high"]].tolist() == [5, 59]
    assert not any("missing?" in caption.value for caption in at.caption)
    # A value that is no longer said to mean missing is none.
    at.multiselect(key="own_missing_values").set_value([]).run()
    assert columns_of(at).loc["age", "missing"] == 0
    at.multiselect(key="own_missing_values").set_value(["999", "38%"]).run()
    assert at.multiselect(key="own_choice_dates_3").options == ["day"]
    at.multiselect(key="own_choice_dates_3").set_value(["day"]).run()
    options = {"missing_values": ["999", "38%"], "leave_out": ["id"], "scale": None}
    known = check(at, CODED.encode(), target="kind", dates=["day"], **options)
    assert known.feature_names == ("age", "rate", "day") and known.X[0, 2] == 19724


def test_distances_are_suggested_as_such():
    X = RNG.standard_normal((14, 3))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    content = "\n".join(",".join(map(repr, row)) for row in D.tolist()).encode()
    at = sent(content, "D.csv")
    assert at.selectbox(key="own_choice_similarities").value == "gaussian"
    at.selectbox(key="own_choice_similarities").set_value("centred").run()
    known = check(at, content, "D.csv", similarities="centred")
    assert at.selectbox(key="kernel").value == "gaussian"
    assert np.allclose(np.linalg.norm(known.X[:, None] - known.X, axis=2), D, atol=1e-7)
    at = sent(content, "D.csv")
    check(at, content, "D.csv", similarities="gaussian")
    assert at.selectbox(key="kernel").value == "linear"


def test_points_may_be_columns():
    names = ",".join(["gene", *(f"s{j}" for j in range(12))])
    rows = [",".join([f"g{k}", *(f"{k * j % 7}.5" for j in range(12))]) for k in range(1, 6)]
    content = "\n".join([names, *rows]).encode()
    at = sent(content)
    assert at.segmented_control(key="own_turn").value is False
    at.segmented_control(key="own_turn").set_value(True).run()
    known = check(at, content, turn=True)
    assert (known.n, known.feature_names) == (12, ("g1", "g2", "g3", "g4", "g5"))
    at.button(key="own_again").click().run()
    at.segmented_control(key="own_turn").set_value(True).run()
    at.segmented_control(key="own_turn").set_value(False).run()
    assert "turn" not in answered(at).code[0].value
