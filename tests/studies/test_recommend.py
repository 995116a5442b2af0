"""Recommend in a notebook: what nv.recommend finds, what predicts best, and refusals."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import nysviz as nv
from nysviz.advice.bandwidths import cross_validate
from nysviz.advice.predicting import Losses, advised
from nysviz.refusal import Refusal
from nysviz.studies.recommend import RecommendationStudy
from nysviz.studies.scene import File, scene_of
from nysviz.studies.study import complete

DATA = nv.load("iris")
KERNEL = nv.Laplacian(1.2)
METHODS = ("uniform", "kmeans", "greedy")


def friedman(n=200):
    """Friedman's first function with noise, smooth: wide kernels predict it best."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (n, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return nv.datasets.Dataset.from_arrays("friedman", X, y + rng.standard_normal(n), task="regression")


def test_a_copy_is_what_nv_recommend_finds():
    result = nv.studies.recommend(DATA, KERNEL, 0.2, "frobenius", METHODS, goal="copy", seed=3, theme="dark")
    alone = nv.recommend(DATA.X, KERNEL, 0.2, "frobenius", seed=3, methods=METHODS)
    best = result.recommendation.best
    assert (best.method, best.m) == (alone.best.method, alone.best.m)
    assert f"Take **{best.label} with m = {best.m}**" in result.answer
    assert result.advice.method == best.method and result.advised_multiple is None
    measured = result.table.query("measure == 'relative_frobenius'").set_index("method")["value"]
    a = nv.approximate(DATA.X, KERNEL, best.method, best.m, 3)
    assert measured[best.method] == pytest.approx(nv.errors(DATA.X, KERNEL, a).relative_frobenius)
    assert sorted(result.figures) == ["bandwidths", "errors"] and f"<b>{nv.METHODS[best.method].brief}" in (
        result._repr_html_()
    )


def says(result):
    """The σ and the m of sentence, chart and code, which are those of the link."""
    sigma, m = re.search(r"σ = ([\d.]+), m = (\d+)", result.answer).groups()
    shapes = result.figures["loss_by_bandwidth"].layout.shapes
    (mark,) = [shape.x0 for shape in shapes if shape.label.text and "advised" in shape.label.text]
    code = re.search(r"sigma=([\d.]+)\).*n_components=(\d+)", result.pipeline).groups()
    advice = result.advice.sigma, result.advice.m
    for found in ((mark, int(m)), (float(code[0]), int(code[1]))):
        assert advice == pytest.approx(found)
    assert float(sigma) == pytest.approx(mark, rel=6e-3)
    return advice


def test_a_regression_table_has_the_widest_bandwidth_that_predicts_as_well_with_equal_landmarks():
    data = friedman()
    result = nv.studies.recommend(data, nv.Gaussian(0.468))
    sigma, m = says(result)
    losses = {one.sigma: one for one in result.losses}
    best = min((one for one in losses.values() if one.offered), key=lambda one: one.values[-1])
    limit = best.values[-1] + best.errors[-1]
    # The narrow one was taken for the landmarks that a copy of its K needs, and predicts worse with as many.
    assert losses[0.468].at(m)[0] > 1.3 * losses[sigma].at(m)[0] and losses[0.468].values[-1] > limit
    assert losses[sigma].values[-1] <= limit >= losses[sigma].at(m)[0]
    assert all(one.values[-1] > limit for one in losses.values() if one.sigma > sigma)
    loss, _ = cross_validate(data.X, nv.Gaussian(sigma), data.y, "regression", 0, m, 2)
    assert loss == pytest.approx(losses[sigma].at(m)[0])


def test_the_advice_for_predicting_does_not_hang_on_the_slider():
    sigmas = [says(nv.studies.recommend(DATA, nv.Gaussian(sigma))) for sigma in (193.0, 1.5, 0.05)]
    assert sigmas[0] == sigmas[1] == sigmas[2]
    loss, _ = cross_validate(DATA.X, nv.Gaussian(sigmas[0][0]), DATA.y, "classification", 0, sigmas[0][1], 2)
    assert loss <= 0.03


def test_few_rows_of_many_columns_have_one_bandwidth_everywhere_and_need_no_approximation():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 2_000)) + 0.3 * y[:, None]
    data = nv.datasets.Dataset.from_arrays("wide", X, y, task="classification")
    result = nv.studies.recommend(data)
    says(result)
    assert result.notes[0].startswith("60 rows need no approximation")


def losses(sigma, *values, error=0.01, offered=True):
    return Losses(
        sigma, tuple(10 * 2**k for k in range(len(values))), values, (error,) * len(values), offered
    )


def test_the_widest_within_one_standard_error_and_its_fewest_landmarks_are_advised():
    narrow, best, wide, wider = (
        losses(1.0, 0.30, 0.30), losses(2.0, 0.09, 0.10), losses(4.0, 0.20, 0.109), losses(8.0, 0.20, 0.12)
    )  # fmt: skip
    found = advised([wider, narrow, best, wide, losses(16.0, 0.05, 0.05, offered=False)])
    assert (found.sigma, found.m, found.end) == (4.0, 20, "")
    assert advised([narrow, best]).m == 10 and advised([narrow, best]).end == "widest"
    assert advised([losses(1.0, math.nan)]) is None and advised([]) is None
    # A lucky loss with few landmarks is not enough where more of them predict worse.
    assert losses(1.0, 0.05, 0.2, 0.05).enough(0.1) == 40


def test_a_smallest_loss_at_the_end_extends_the_bandwidths_and_is_said_at_last(monkeypatch):
    sigmas = []

    def learned(X, kernel, y, task, seed, m, runs):
        sigmas.append(kernel.sigma)
        return 1.0 / kernel.sigma, 1e-3

    monkeypatch.setattr("nysviz.advice.predicting.cross_validate", learned)
    result = nv.studies.recommend(friedman(64))
    widest = max(one.sigma for one in result.losses)
    assert [one.sigma for one in result.extended] == pytest.approx([2 * widest, 4 * widest])
    assert result.advice.sigma == pytest.approx(4 * widest)
    assert "The smallest loss is at the widest σ that was tried." in result.answer


@pytest.mark.parametrize("goal", ["copy", "predict"])
@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_the_code_prepares_new_rows_as_the_upload_did(goal, missing, tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(1)
    kinds, sizes = rng.choice(["red", "blue"], 80), rng.normal(0, 1000, 80)
    y = 3.0 * (kinds == "red") + np.sin(sizes / 1000)
    texts = [f"{size:.6f}" if k != 5 else "" for k, size in enumerate(sizes)]
    lines = [
        f"{k},{text},{colour},{value}"
        for k, (text, colour, value) in enumerate(zip(texts, kinds, y, strict=True))
    ]
    content = "\n".join(["id,size,colour,price", *lines]).encode()
    (tmp_path / "prices.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    options = {"target": "price", "encode": ["colour"], "missing": missing, "scale": "standardise"}
    data = nv.parse(content, "prices.csv", **options)
    scene = replace(scene_of(data), file=File("prices.csv", tuple(options.items())))
    study = complete(RecommendationStudy(scene=scene, goal=goal, methods=("rpcholesky",)))
    assert study.pipeline.startswith("# pip install nysviz")
    made = {}
    exec(study.pipeline, made)
    # The rows of the pipeline are those of the upload.
    rows = made["model"][:2].fit_transform(made["table"])
    np.testing.assert_allclose(np.sort(rows, axis=1), np.sort(data.X, axis=1), atol=1e-9)
    if goal == "predict":
        loss = study.prediction.losses.at(study.advice.m)[0]
        assert 1.0 - float(capsys.readouterr().out) == pytest.approx(loss, abs=0.1)
        assert len(made["model"].predict(made["table"].head(3))) == 3
    else:
        K = scene.kernel(data.X)
        assert np.trace(K - made["Z"] @ made["Z"].T) <= 0.1 * np.trace(K)


def test_a_kernel_without_a_bandwidth_has_no_chart_of_bandwidths():
    result = nv.studies.recommend(np.random.default_rng(0).random((60, 2)), nv.Linear(), 0.3, methods=["icd"])
    assert list(result.figures) == ["errors"] and result.better_width is None
    assert "approximates K" in result.pipeline and "method='icd'" in result.pipeline


def test_a_kernel_without_a_bandwidth_predicts_with_landmarks_alone():
    result = nv.studies.recommend(DATA, nv.Linear())
    assert list(result.figures) == ["loss_by_landmarks"] and result.answer.startswith("Take **m = ")


def test_an_advised_bandwidth_of_equal_rows_is_a_multiple_of_one():
    data = nv.datasets.Dataset.from_arrays(
        "equal", np.ones((12, 2)), np.arange(12) % 2, task="classification", classes=("a", "b")
    )
    result = nv.studies.recommend(data)
    assert result.advised_multiple == pytest.approx(2.0 * result.advice.sigma**2)


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"target": 2}, "a number between 0 and 1"),
        ({"norm": "spectral"}, "choose one of trace, frobenius"),
        ({"methods": ["kmeen"]}, "choose one of"),
        ({"methods": ["rff"], "kernel": nv.Gaussian(1.2)}, "norm = 'frobenius'"),
        ({"seconds": 0}, "budget seconds"),
        ({"goal": "both"}, "choose one of copy, predict"),
        ({"data": DATA.X, "goal": "predict"}, "no target to predict"),
    ],
)
def test_what_cannot_be_recommended_is_refused_in_a_sentence(arguments, said):
    with pytest.raises(Refusal, match=said):
        nv.studies.recommend(**{"data": DATA, "kernel": KERNEL, **arguments})
