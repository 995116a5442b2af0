"""The frames that are dragged through are the approximations one by one, measured the slow and plain way."""

import base64
import json
import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.engine import Engine
from nysviz.engine.shared import wait_for_run
from nysviz.numerics import memory
from nysviz.nystroem.measures import residual_diagonal
from nysviz.studies import frames, matrices
from nysviz.studies.approximate import Approximate
from nysviz.studies.choice import Choice
from nysviz.studies.scene import scene_of
from nysviz.text import three_digits
from nysviz.ui import asking
from nysviz.ui.bandwidth import MULTIPLES

RNG = np.random.default_rng(3)
DATA = nv.Dataset.from_arrays(
    "made",
    RNG.standard_normal((150, 4)),
    RNG.integers(0, 3, 150),
    task="classification",
    feature_names="abcd",
)
KERNEL = nv.Gaussian(1.3)
M = 12


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """An empty engine for each test: what another one computed, or monkeypatched, is not in it."""
    made = Engine(100_000_000)
    for module in (asking, matrices, frames):
        monkeypatch.setattr(module, "engine", lambda: made)
    return made


def study_of(method, drag="m", seed=5, **more):
    scene = scene_of(DATA, KERNEL, seed)
    study = Approximate(scene=scene, choice=Choice.from_arguments(scene, method, M, None), drag=drag, **more)
    for name, part in study.parts.items():
        study.computed[name] = part.complete(study)
    return study


def whole(half, low, high):
    """Return a picture from its upper half in bytes."""
    rows = math.isqrt(2 * len(half))
    picture = np.zeros((rows, rows))
    picture[np.triu_indices(rows)] = low + half / 255.0 * (high - low)
    return picture + np.triu(picture, 1).T


def check(frame, study, kernel, X, drawn, rows):
    """Compare a frame with an approximation that is made anew."""
    choice, seed = study.choice, study.scene.seed
    a = nv.approximate(X, kernel, choice.method, frame.m, seed, **dict(choice.options))
    K, product = kernel(X), a.factor @ a.factor.T
    error = np.linalg.norm(K - product)
    assert three_digits(frame.relative) == three_digits(error / np.linalg.norm(K))
    assert frame.rank == a.rank and frame.frobenius == pytest.approx(error, rel=1e-5, abs=1e-6)
    if nv.METHODS[choice.method].data_dependent:
        expected = residual_diagonal(X, kernel, a)[drawn]
    else:
        expected = (np.linalg.norm(K - product, axis=1) / np.linalg.norm(K, axis=1))[drawn]
    np.testing.assert_allclose(frame.residuals, expected, atol=1e-6)
    if a.landmarks is not None:
        np.testing.assert_allclose(frame.landmarks, study.picture.place(a.landmarks), atol=1e-5)
    low, high = frame.limits
    some = np.ix_(rows, rows)
    step = (high - low) / 255.0
    np.testing.assert_allclose(
        whole(frame.approximation, low, high), np.clip(product[some], low, high), atol=step
    )
    gap = np.abs(K - product)[some]
    assert frame.largest_residual == pytest.approx(gap.max(), abs=1e-9)
    np.testing.assert_allclose(
        whole(frame.residual, 0.0, frame.largest_residual), gap, atol=gap.max() / 255.0 + 1e-9
    )
    if frame.K is not None:
        np.testing.assert_allclose(whole(frame.K, low, high), K[some], atol=step)
    values = np.sort(np.linalg.eigvalsh(product))[::-1] / len(X)
    np.testing.assert_allclose(frame.eigenvalues[: frame.rank], values[: frame.rank], rtol=1e-5, atol=1e-12)
    return a, K


# Nested, not nested, and without a look at the data.
@pytest.mark.parametrize("method", ["icd", "rpcholesky", "kmeans", "rff"])
def test_each_m(method):
    study = study_of(method)
    ms = frames.counts_of(DATA.n)
    assert len(ms) == 24 and ms[0] == 1 and ms[-1] == DATA.n and list(ms) == sorted(set(ms))
    assert [frame.m for frame in study.frames.values()] == list(ms)
    rows = matrices.pictured_rows(study.scene, "label")
    for frame in list(study.frames.values())[::5]:
        check(frame, study, KERNEL, DATA.X, study.picture.rows, rows)
        assert frame.K is None


def test_each_bandwidth():
    study = study_of("rpcholesky", "σ")
    found = list(study.frames.values())
    assert [frame.multiple for frame in found] == list(frames.MULTIPLES) and len(found) == 16
    assert set(frames.MULTIPLES) <= set(MULTIPLES)  # the stops of the sidebar's slider
    width = nv.default_width(DATA.X)
    rows = matrices.pictured_rows(study.scene, "label")
    for frame in found[::4]:
        kernel = nv.Gaussian(math.sqrt(frame.multiple * width / 2.0))
        assert frame.sigma == kernel.sigma and frame.m == M
        a, K = check(frame, study, kernel, DATA.X, study.picture.rows, rows)
        values = np.sort(np.linalg.eigvalsh(K))[::-1]
        np.testing.assert_allclose(frame.spectrum, values / DATA.n, atol=1e-12)
        assert frame.best == pytest.approx(best_errors(values, a.rank)[0], rel=1e-6)


def test_the_words_are_those_of_the_study_at_the_same_stop():
    study = study_of("kmeans")
    words = study.hand.words(study.frames, study.measured_here)["stops"]
    for name in list(study.frames)[::6]:
        m = study.frames[name].m
        there = nv.studies.approximate(DATA, KERNEL, "kmeans", m, seed=5)
        said = words[name]
        assert said["answer"] == there.answer.replace("**", "")
        error, times = three_digits(there.errors.relative_frobenius), there.times_best("frobenius")
        rank = (f"{there.approximation.rank} of {m}", "")
        assert said["rows"] == {"relative Frobenius error": (error, times), "rank": rank}
        title = there.figures["map"].layout.title
        assert said["titles"]["map"] == (title.text, title.subtitle.text)
        for key in ("picture_approximation", "picture_residual"):
            assert said["titles"][key] == ("", there.figures[key].layout.title.subtitle.text)


def test_all_frames_together_are_small():
    for drag in ("m", "σ"):
        study = study_of("rpcholesky", drag)
        frames = study.hand.sent_frames(study.frames, study.frames)
        words = study.hand.words(study.frames, study.measured_here)
        assert len(json.dumps(frames)) + len(json.dumps(words)) < 750_000
        assert {frame["stop"] for frame in frames} <= {stop["name"] for stop in study.hand.slider["stops"]}
        (frame, *_), sent = study.frames.values(), frames[0]
        assert base64.b64decode(sent["residual"]) == frame.residual.tobytes()
        assert sent["stop"] == frame.stop and (sent["K"] is None) == (drag == "m")


def test_frames_at_other_stops_of_the_study_belong_together():
    scene, tokens = scene_of(DATA, KERNEL), {}
    for drag in ("m", "σ"):
        for m in (5, 6):
            for multiple in (0.5, 2.0):
                at = frames.scene_at(scene, multiple)
                study = Approximate(scene=at, choice=Choice.from_arguments(at, "icd", m, None), drag=drag)
                tokens.setdefault((drag, multiple if drag == "m" else m), set()).add(study.dragged.token)
    # Whatever the value of what is dragged, and another one where anything else changes.
    assert {len(names) for names in tokens.values()} == {1} and len(set.union(*tokens.values())) == 4


@pytest.mark.parametrize("method", ["kmeans", "rpcholesky", "rff"])
def test_of_many_rows_frames_are_those_of_random_ones(method, monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 140)
    monkeypatch.setattr(matrices, "SAMPLE_ROWS", 100)
    monkeypatch.setattr(matrices, "MAP_POINTS", 15)
    scene = scene_of(DATA, KERNEL, 5)
    drag = frames.drag_of(
        scene, method, M, Choice.from_arguments(scene, method, M, None).options, "m", None, "label"
    )
    run = wait_for_run(frames.frames_run(drag, M, scene.multiple), "frames")
    found = sorted(run.records(), key=lambda frame: frame.m)
    assert drag.is_sampled and found[-1].m == 100
    rows, part = matrices.drawn_rows(DATA.n, 100), matrices.exact_part(scene)
    np.testing.assert_array_equal(part.data.X, DATA.X[rows])
    study = Approximate(scene=scene, choice=Choice.from_arguments(scene, method, M, None))
    among = np.searchsorted(rows, study.picture.rows)
    rows = matrices.pictured_rows(part, "label", among)
    check(found[12], study, KERNEL, part.data.X, among, rows)
    assert study.hand.slider["about"] == "on 100 random rows"


@pytest.mark.parametrize("by", ["label", "cluster"])
def test_rows_of_the_pictures_stand_in_their_order(by):
    scene = scene_of(nv.load("clusters", n=3_000), KERNEL)
    of_map = set(matrices.drawn_rows(3_000, matrices.MAP_POINTS).tolist())
    shown = [row for row in matrices.order(scene, by).tolist() if row in of_map]
    count = min(len(shown), matrices.PICTURE_ROWS)
    spots = [int(k * (len(shown) - 1) / (count - 1)) for k in range(count)]
    assert matrices.pictured_rows(scene, by).tolist() == [shown[spot] for spot in spots]
    step = (count - 1) / (len(shown) - 1)
    expected = [(shown.index(row) * step + 0.5) / count for row in sorted(of_map)]
    assert matrices.places_in_pictures(scene, by) == pytest.approx(expected)
