"""Files and links that no page expects: a right result or one clear sentence, on every shared page."""

import json
import logging
import re

import numpy as np
import pytest

import nysviz as nv
from tests.pages.driving import VIEWS, charts, settle, unopened
from tests.pairing import quickly

RNG = np.random.default_rng(5)
SLOW = (
    "quantization", "bounds", "bounds, relative", "spectrum", "kernel_pca", "learning",
    "features", "lift", "data", "solve", "steps", "compare", "recommend",
    "clusters",
)  # fmt: skip
COUNTED = (
    "landmarks|runs|rows|samples|repeats|points|classes|methods|eigenvalues|eigenvectors|features|orders|"
    "trials|pairs|draws|directions|columns|frequencies|machines"
)


def written(rows, head=None):
    head = head or [f"c{j}" for j in range(len(rows[0]))]
    return "\n".join([",".join(head), *(",".join(map(str, row)) for row in rows)]).encode()


def labelled(labels, head=("a", "b", "class")):
    return written([[*RNG.standard_normal(2), label] for label in labels], head)


FILES = {
    "one row": written([[1.5, 2.5, 3.5]]),
    "two rows": written(RNG.standard_normal((2, 3)).tolist()),
    "equal rows": written([[1.5, 2.5, label] for label in "abababababab"], ["a", "b", "class"]),
    "duplicate rows": written(np.repeat(RNG.standard_normal((6, 3)), 5, axis=0).tolist()),
    "one column": written(RNG.standard_normal((20, 1)).tolist()),
    "more columns than rows": written(RNG.standard_normal((30, 40)).tolist()),
    "one class": labelled(["only"] * 20),
    "a class of one row": labelled(["lonely", *["many", "more"] * 12]),
    "classes of one row": labelled([f"k{i}" for i in range(15)]),
    "hostile labels": labelled(["<script>alert(1)</script>", "$x_1$", "*bold*"] * 8, ("<b>", "$y$", "class")),
    "a constant target": written([[*row, 1.5] for row in RNG.standard_normal((20, 2))], ["a", "b", "target"]),
    "huge values": written((1e80 * RNG.standard_normal((10, 3))).tolist()),
    "tiny values": written((1e-160 * RNG.standard_normal((10, 3))).tolist()),
    "squares lose digits": written((1e-155 * RNG.standard_normal((10, 3))).tolist()),
    "constant columns": written([[1.5, x, 2.5] for x in RNG.standard_normal(15)]),
    "missing and infinite": written(
        [[0.5, "NaN", 1.5], [1.5, "inf", 2.5], [2.5, 3.5, ""]] + [[1.25, 2, 3.5]] * 9
    ),
    "text columns": written([[x, "tall" if x > 0 else "small", 2 * x] for x in RNG.standard_normal(14)]),
    "far from the origin": written((1e8 + RNG.standard_normal((10, 3))).tolist()),
    "zeros alone": written([[0.0, 0.0, 0.0]] * 8),
}


def opened(view, file=None, data=None, **link):
    page, more = VIEWS.get(view, (view, {}))
    return settle(unopened(page, more | link, data if file is None else nv.parse(file, "mine.csv")))


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
    # Lift always says that it takes another kernel than the chosen one.
    said = [
        text.value for kind in (at.error, at.info) for text in kind if "takes the Gaussian" not in text.value
    ]
    assert len(said) <= 1 and all(text.endswith(".") for text in said), said
    assert charts(at) or said
    return not said


# The first view alone is looked at quickly; the others in make test-slow.
all_views = pytest.mark.parametrize("view", quickly(("approximate",), ("approximate", *SLOW)))


FEW = ("one row", "duplicate rows", "hostile labels", "huge values", "constant columns", "zeros alone")


@all_views
@pytest.mark.parametrize("case", quickly(FEW, FILES))
def test_an_unusual_file_has_a_result_or_one_sentence(case, view, caplog):
    with caplog.at_level(logging.WARNING, logger="nysviz"):
        at = opened(view, FILES[case])
    assert sound(at) or view != "approximate"
    assert not [record for record in caplog.records if record.name.startswith("nysviz")]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rff", "orf", "svd"])
def test_a_method_without_landmarks_has_no_bound_and_is_not_taken_for_another(method):
    at = opened("bounds", method=nv.METHODS[method].label)
    assert not sound(at) and "needs one set of landmarks" in at.info[0].value and not at.get("plotly_chart")


@pytest.mark.slow
def test_too_few_rows_for_the_folds():
    for n, enough in ((11, False), (12, True)):
        y = np.arange(n) % 2
        data = nv.datasets.Dataset.from_arrays(
            "few", RNG.standard_normal((n, 2)), y, task="classification", classes=("a", "b")
        )
        at = opened("features", data=data)
        # The classifier does without folds.
        assert sound(at) and ("features" in charts(at)) == enough
        said = " ".join(caption.value for caption in at.caption)
        assert ("11 rows" in said and "take 12 or more" in said) != enough


@pytest.mark.parametrize(
    "view, kernel, case",
    [
        ("lift", "Gaussian", "squares lose digits"), ("solve", "linear", "squares lose digits"),
        ("steps", "linear", "tiny values"), ("bounds", "linear", "squares lose digits"),
        ("lift", "Gaussian", "huge values"), ("data", "Gaussian", "tiny values"),
    ],
)  # fmt: skip
def test_what_can_not_be_computed_with_is_a_sentence_with_a_way_on(view, kernel, case):
    at = opened(view, FILES[case], kernel=kernel)
    if sound(at):
        assert case == "huge values"
    else:
        (said,) = [problem.value for kind in (at.error, at.info) for problem in kind]
        assert "unit" in said or "Choose data" in said


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["Laplacian", "inverse distance", "polynomial", "linear"])
@pytest.mark.parametrize("case", ["huge values", "tiny values", "equal rows", "zeros alone"])
def test_only_a_kernel_of_products_overflows_or_underflows(case, kernel):
    at = opened("approximate", FILES[case], kernel=kernel)
    faults = {("huge values", "polynomial"): "overflows", ("huge values", "linear"): "overflows"}
    faults["tiny values", "linear"] = "underflows"
    fault = faults.get((case, kernel))
    assert [fault in problem.value for problem in at.error] == ([True] if fault else [])
    assert ("Gaussian, σ" if fault else kernel) in str(charts(at)["map"]["layout"]["title"])


@all_views
def test_a_few_rows_under_other_kernels(view):
    for kernel, case in (("linear", "equal rows"), ("polynomial", "two rows"), ("Laplacian", "equal rows")):
        sound(opened(view, FILES[case], kernel=kernel))


@all_views
def test_settings_of_large_data_do_not_outlive_them(view):
    at = opened(view, ratio="100 %", bounds_rank="100")
    at.session_state["own_data"] = nv.parse(FILES["a class of one row"], "mine.csv")
    for data in ("Your own file", "iris"):
        at.selectbox(key="data").set_value(data)
        assert sound(settle(at))
    at.number_input(key="seed").set_value(999_999)
    assert sound(settle(at))
