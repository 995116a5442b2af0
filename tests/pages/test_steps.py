"""The page Step by step: its charts and sentences against the core's trace."""

import json

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.steps import STEPWISE, trace
from nysviz.kernels.matrix import KernelMatrix
from nysviz.text import three_digits
from tests.pages.driving import IRIS, KERNEL, charts, start
from tests.pairing import quickly


def iris(first, second="none", **link):
    label = {name: nv.METHODS[name].label for name in STEPWISE} | {"none": "none"}
    return start("steps", data=IRIS.title, steps_method=label[first], steps_second=label[second], **link)


def told(at):
    parts = [part.proto.json for part in at.get("bidi_component")]
    data = next(json.loads(part) for part in parts if "films" in part)
    return [film["sentences"] for film in data["films"]]


def answer_of(at):
    return next(text.value for text in at.markdown if "relative error **" in text.value)


@pytest.mark.parametrize(
    "method", quickly(("greedy", "rpcholesky_block", "dpp", "kmeans", "gradient"), STEPWISE)
)
def test_each_method_is_followed_as_the_core_follows_it(method):
    at = iris(method, steps_count="15", seed="2")
    assert not at.error
    traced = trace(KernelMatrix(IRIS.X, KERNEL), method, 15, np.random.default_rng(2))
    found = charts(at)
    assert set(found) == {"map_0", "bars_0", "residual", "error"}
    for figure in found.values():
        assert len(figure["frames"]) == len(traced)
    last = found["error"]["frames"][-1]["data"][1]
    assert last["y"] == pytest.approx([traced.errors[-1]])
    answer = answer_of(at)
    assert f"relative error **{three_digits(float(traced.errors[-1]))}**" in answer
    sentences = told(at)[0]
    assert len(sentences) == len(traced)
    for step, sentence in zip(traced.steps, sentences, strict=True):
        assert step.pick is None or f"ow {step.pick} " in sentence
        if step.leaving is not None:
            assert f"for row {step.leaving}: " in sentence
            assert sentence.endswith(("accepted.", "rejected."))
            assert ("rejected." in sentence) != step.accepted
    if method == "gradient":
        errors = [three_digits(float(error)) for error in traced.residuals.sum(axis=1)]
        for t, sentence in enumerate(sentences):
            assert sentence.endswith(f"the trace error fell from {errors[t]} to {errors[t + 1]}.")


def test_two_methods_share_the_seed_and_the_scale():
    at = iris("kmeanspp", "farthest", steps_count="12")
    found = charts(at)
    assert len(found) == 6
    picks = [found[f"map_{i}"]["frames"][0]["data"][3]["x"] for i in (0, 1)]
    assert picks[0] == pytest.approx(picks[1])
    tokens = {figure["layout"]["meta"]["film"] for figure in found.values()}
    assert len(tokens) == 1


def test_errors_are_compared_at_equal_numbers_of_landmarks():
    at = iris("kmeans", "uniform", steps_count="30", steps_landmarks="12")
    K = KernelMatrix(IRIS.X, KERNEL)
    centres = trace(K, "kmeans", 30, np.random.default_rng(0), landmarks=12)
    drawn = trace(K, "uniform", 30, np.random.default_rng(0))
    for error in (centres.errors[-1], drawn.errors[12]):
        assert f"relative error **{three_digits(float(error))}** at m = 12" in answer_of(at)


def test_a_kernel_without_a_derivative_has_no_descent():
    at = iris("greedy", kernel="Laplacian", steps_count="5")
    assert not at.error
    offered = next(box.options for box in at.selectbox if box.label == "Method")
    assert nv.METHODS["gradient"].label not in offered and nv.METHODS["kmeans"].label in offered
