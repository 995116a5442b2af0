"""Data and links that no page expects: a right result or one clear sentence, on every shared page."""

import json
import logging
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.ui.running import _runs
from nysviz.ui.work.store import store
from tests.pages.driving import APP, IRIS, PATIENCE_SECONDS, charts, number, settle, table

RNG = np.random.default_rng(5)
# A page, and the link to its view.
VIEWS = {
    "quantization": ("quantization", {"quantization_runs": "10"}),
    "bounds": ("bounds", {}),
    "bounds, relative": ("bounds", {"bounds_view": "Oglic, Li: against the best rank K"}),
    "bounds, mixing": ("bounds", {"bounds_view": "k-DPP: does the chain mix?"}),
    "spectrum": ("spectrum", {}),
    "kernel PCA": ("kernel_pca", {}),
    "classifier": ("learning", {"learning_repeats": "5"}),
    "features": ("learning", {"learning_view": "Nyström against random features"}),
}
COUNTED = (
    "landmarks|runs|rows|samples|repeats|points|classes|methods|eigenvalues|eigenvectors|features|orders|"
    "trials|pairs|draws|directions|columns|frequencies|machines"
)


def written(rows, head=None):
    """Write a table as the bytes of a CSV file."""
    head = head or [f"c{j}" for j in range(len(rows[0]))]
    return "\n".join([",".join(head), *(",".join(map(str, row)) for row in rows)]).encode()


def labelled(labels, head=("a", "b", "class")):
    return written([[*RNG.standard_normal(2), label] for label in labels], head)


FILES = {
    "one row": written([[1.5, 2.5, 3.5]]),
    "two rows": written(RNG.standard_normal((2, 3)).tolist()),
    "three rows": written(RNG.standard_normal((3, 3)).tolist()),
    "equal rows": written([[1.5, 2.5, label] for label in "abababababab"], ["a", "b", "class"]),
    "duplicate rows": written(np.repeat(RNG.standard_normal((6, 3)), 5, axis=0).tolist()),
    "one column": written(RNG.standard_normal((20, 1)).tolist()),
    "more columns than rows": written(RNG.standard_normal((30, 40)).tolist()),
    "one class": labelled(["only"] * 20),
    "a class of one row": labelled(["lonely", *["many", "more"] * 12]),
    "classes of one row": labelled([f"k{i}" for i in range(15)]),
    "two rows of two classes": labelled(["a", "b"]),
    "hostile labels": labelled(["<script>alert(1)</script>", "$x_1$", "*bold*"] * 8, ("<b>", "$y$", "class")),
    "a constant target": written([[*row, 1.5] for row in RNG.standard_normal((20, 2))], ["a", "b", "target"]),
    "huge values": written((1e80 * RNG.standard_normal((10, 3))).tolist()),
    "tiny values": written((1e-200 * RNG.standard_normal((10, 3))).tolist()),
}


def opened(view, file=None, data=None, **link):
    """Open a view by a link, with a file that was sent before."""
    page, more = VIEWS[view]
    at = AppTest.from_file(str(APP.parent / "pages" / f"{page}.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title} | more | link
    if file is not None:
        data = nv.parse(file, "mine.csv")
    if data is not None:
        at.session_state["own_data"] = data
        at.query_params["data"] = "Your own file"
    return settle(at)


def main_texts(at):
    """All words of the page itself, beside the sidebar that all pages share."""
    aside = {text.value for kind in ("markdown", "caption") for text in getattr(at.sidebar, kind)}
    kinds = ("markdown", "caption", "info", "error", "warning", "success")
    texts = [text.value for kind in kinds for text in getattr(at, kind) if text.value not in aside]
    texts += [block.proto.body for block in at.get("html") if "<style" not in block.proto.body]
    for chart in at.get("plotly_chart"):
        layout = json.loads(chart.proto.spec)["layout"]
        texts += [chart.proto.alt, str(layout["title"])]
        texts += [str(note["text"]) for note in layout.get("annotations", [])]
        texts += [str(axis) for name, axis in layout.items() if name[:5] in ("xaxis", "yaxis")]
    return texts


def sound(at):
    """Assert that the page says nothing broken; return whether it has a result."""
    texts = main_texts(at)
    for text in texts:
        assert not re.search(r"(?<![\w'])(nan|NaN|-?inf|Infinity)(?![\w'])", text), text
        assert not re.search(rf"(?<![\d.,\w\u202f])\**1\** ({COUNTED})\b", text), text
        assert "<script" not in text and "Traceback" not in text and "unpack" not in text, text
    said = [problem.value for kind in (at.error, at.info) for problem in kind]
    assert len(said) <= 1 and all(text.endswith(".") for text in said), said
    assert charts(at) or said
    return not said


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("case", FILES)
def test_an_unusual_file_has_a_result_or_one_sentence(case, view, caplog):
    with caplog.at_level(logging.WARNING, logger="nysviz"):
        at = opened(view, FILES[case])
    sound(at)
    assert not [record for record in caplog.records if record.name.startswith("nysviz")]


@pytest.mark.parametrize("case", ["one row", "equal rows", "tiny values"])
def test_without_an_error_nothing_is_correlated(case):
    texts = main_texts(opened("quantization", FILES[case]))
    assert any(text.startswith("There is no rank correlation to measure") for text in texts)


@pytest.mark.parametrize("method", ["rff", "orf", "svd"])
def test_a_method_without_landmarks_has_no_bound_and_is_not_taken_for_another(method):
    at = opened("bounds", method=nv.METHODS[method].label)
    assert not sound(at) and "has no landmarks" in at.info[0].value and not at.get("plotly_chart")


def test_as_many_clusters_as_points_leave_no_potential_to_compare():
    at = opened("bounds, relative", FILES["three rows"])
    assert sound(at) and table(at)["k-means++ seeds φ / best φ"][0] == "–"


def test_samples_of_equal_rows_have_no_distance():
    at = opened("spectrum", FILES["equal rows"])
    assert sound(at) and table(at)["bound / largest distance"][0] == "∞"


def test_one_class_cannot_be_learned():
    for view in ("classifier", "features"):
        at = opened(view, FILES["one class"])
        assert not sound(at) and "no classes to tell apart" in at.info[0].value and not charts(at)


def test_too_few_rows_for_the_folds():
    for n, enough in ((11, False), (12, True)):
        y = np.arange(n) % 2
        data = nv.datasets.Dataset.from_arrays(
            "few", RNG.standard_normal((n, 2)), y, task="classification", classes=("a", "b")
        )
        at = opened("features", data=data)
        assert sound(at) == enough and bool(charts(at)) == enough
        if not enough:
            said = at.info[0].value
            assert "11 rows are too few" in said and "take 12 or more" in said


@pytest.mark.parametrize("view", VIEWS)
def test_a_few_rows_under_other_kernels(view):
    for kernel, case in (("linear", "equal rows"), ("polynomial", "two rows"), ("Laplacian", "equal rows")):
        sound(opened(view, FILES[case], kernel=kernel))


LINKS = (
    {"bandwidth": "0.000977", "ratio": "100 %", "bounds_row": "1e9", "bounds_entry": "my own"},
    {"bandwidth": "1024", "ratio": "1 %", "bounds_rank": "-3", "spectrum_ridge": "0", "learning_c": "-5"},
    {"bandwidth": "1e-300", "ratio": "abc", "seed": "-1", "learning_first": "no class", "method": "zzz"},
    {"kernel": "polynomial", "degree": "10", "quantization_methods": "zzz", "kernel_pca_methods": "zzz"},
)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("link", LINKS, ids=" ".join)
def test_links_at_the_ends_and_nonsense(link, view):
    at = opened(view, **link)
    if not sound(at):
        # Where the entries of K are 1e19 and more, 1/C is nothing beside them.
        assert (view, link.get("degree")) == ("classifier", "10")
        assert "is lost in the rounding of K̃" in at.error[0].value


@pytest.mark.parametrize("view", VIEWS)
def test_settings_of_large_data_do_not_outlive_them(view):
    at = opened(view, ratio="100 %", bounds_rank="100", bounds_entry="my own", bounds_row="149")
    at.session_state["own_data"] = nv.parse(FILES["a class of one row"], "mine.csv")
    for data in ("Your own file", "iris"):
        at.selectbox(key="data").set_value(data)
        assert sound(settle(at))
    at.number_input(key="seed").set_value(999_999)
    assert sound(settle(at))


def test_two_sessions_share_nothing_and_names_leave_no_trace(caplog):
    """Two files with the same numbers: results are shared, the names in the files are not."""
    names = {"first": ("qwalpha", "qwbeta", "qwgamma"), "second": ("vbdelta", "vbeta", "vbzeta")}
    numbers = RNG.standard_normal((24, 2)).tolist()
    tables = {
        who: written([[*row, of[1 + k % 2]] for k, row in enumerate(numbers)], (of[0], "b", "class"))
        for who, of in names.items()
    }
    with caplog.at_level(logging.DEBUG, logger="nysviz"):
        for view in VIEWS:
            pages = {who: opened(view, tables[who]) for who in names}
            for who, at in pages.items():
                if view == "classifier":
                    # The second class by its number: of[2] comes after of[1] in the alphabet.
                    next(box for box in at.selectbox if box.label == "Class −1").set_value(1)
                    settle(at)
                other = next(each for each in names if each != who)
                found = " ".join([*main_texts(at), *(chart.proto.spec for chart in at.get("plotly_chart"))])
                assert not [name for name in names[other] if name in found], view
                if view == "classifier":
                    assert all(name in found for name in names[who])
                link = str(dict(at.query_params))
                assert not [name for name in names[who] if name in link], link
    keys = [repr(key) for key in (*store()._done, *_runs()._runs, *_runs()._cells)]
    assert len(keys) > 50
    assert not [name for of in names.values() for name in of if name in " ".join([*keys, caplog.text])]


@pytest.mark.parametrize("link", [{"kernel": "linear"}, {"ratio": "100 %"}])
def test_rounding_is_not_told_as_an_error(link):
    """Eight landmarks in four dimensions, or all rows as landmarks: K̃ is K."""
    assert number(table(opened("kernel PCA", **link))["misalignment"][0]) < 1e-10
    texts = main_texts(opened("bounds", **link))
    assert any("That is rounding: the approximation is exact." in text for text in texts)


@pytest.mark.parametrize("method", ["uniform", "svd"])
def test_a_direction_that_is_not_found_is_said(method):
    at = opened("kernel PCA", FILES["duplicate rows"], method=nv.METHODS[method].label)
    assert table(at)["angle θ3"][1] == "not found"
