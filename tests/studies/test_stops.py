"""Frames of a study at other values of a setting: each is the study there, made anew."""

import json
import math
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

import nysviz as nv
from nysviz.engine import Engine
from nysviz.engine.shared import wait_for_run
from nysviz.numerics import memory
from nysviz.studies import matrices, stops
from nysviz.studies.choice import Choice
from nysviz.studies.frames import M, scene_at
from nysviz.studies.kernel_pca import KernelPCA
from nysviz.studies.scene import scene_of
from nysviz.studies.spectrum import Spectrum
from nysviz.studies.two_balls import COUNTS, DISTANCE, TwoBalls, balls_scene

IRIS = nv.load("iris")


@pytest.fixture(autouse=True)
def _own_engine(monkeypatch):
    """Runs of each test are made anew."""
    made = Engine(100_000_000)
    monkeypatch.setattr(stops, "engine", lambda: made)


def spectrum_at(sigma=1.0, data=IRIS, m=9):
    return Spectrum(scene=scene_of(data, nv.Gaussian(sigma), 2), methods=("kmeans", "rff"), m=m)


def embedding_at(m=9):
    scene = scene_of(IRIS, nv.Gaussian(1.0), 2)
    return KernelPCA(scene=scene, choice=Choice.from_arguments(scene, "kmeans", m, None))


def balls_at(distance=1.0, m=20, drag=DISTANCE):
    return TwoBalls(scene=balls_scene(200, 3, distance, 6.0, 2), m=m, drag=drag)


def frames_of(study):
    return sorted(wait_for_run(study.stops.begin(), "frames").records(), key=lambda frame: frame.value)


def numbers_of(array):
    if isinstance(array, dict):
        return np.frombuffer(b64decode(array["bdata"]), array["dtype"])
    return np.array(array, dtype=float)


def check(frame, there):
    """Compare a frame with the study at that value, whose parts have all been computed."""
    assert frame.answer == there.answer.replace("**", "")
    rows = {stops.TAGS.sub("", label.text): tuple(cells) for label, *cells in there.numbers.rows}
    # Seconds are measured for the value that is kept alone.
    assert frame.numbers == {head: cells for head, cells in rows.items() if not head.startswith("time")}
    for name, chart in frame.charts.items():
        plain = there.figures[name].to_dict()
        traces = [trace for trace in plain["data"] if trace["x"] != [None]]
        assert [each.get("name") for each in chart.traces] == [each.get("name") for each in traces]
        for sent, trace in zip(chart.traces, traces, strict=True):
            for axis in ("x", "y"):
                np.testing.assert_allclose(numbers_of(sent[axis]), numbers_of(trace[axis]), rtol=1e-9)
        assert list(chart.notes) == [note["text"] for note in plain["layout"].get("annotations", ())]


def test_each_bandwidth_of_the_spectrum():
    study = spectrum_at()
    frames = frames_of(study)
    assert [frame.value for frame in frames] == list(study.stops.values) and len(frames) == 16
    for frame in frames[::5]:
        kernel = scene_at(study.scene, frame.value).kernel
        check(frame, nv.studies.spectrum(IRIS, kernel, ("kmeans", "rff"), 9, seed=2))


def test_each_m_of_the_embedding():
    frames = frames_of(embedding_at())
    assert len(frames) == 24 and frames[-1].value == 150
    for frame in frames[3::9]:
        m = int(frame.value)
        check(frame, nv.studies.kernel_pca(IRIS, nv.Gaussian(1.0), "kmeans", m, methods=(), seed=2))


def test_each_distance_of_the_balls():
    frames = frames_of(balls_at())
    assert len(frames) == 16 and frames[-1].value == 3.0
    frame = frames[4]
    check(frame, nv.studies.two_balls(200, 3, frame.value, 6.0, 20, seed=2))


def test_each_m_of_the_balls():
    study = balls_at(drag=M)
    frames = frames_of(study)
    # No more than the training half has rows; the curve over m has a cursor at each.
    assert [frame.value for frame in frames] == [m for m in COUNTS if m <= 100]
    assert study.stops.slider["stops"][-1]["cursors"] == {"accuracy": 100}
    for frame in frames[1::6]:
        check(frame, nv.studies.two_balls(200, 3, 1.0, 6.0, int(frame.value), seed=2))


@pytest.mark.parametrize(
    "studies",
    [
        [spectrum_at(sigma) for sigma in (0.5, 1.0)], [embedding_at(m) for m in (5, 9)],
        [balls_at(distance) for distance in (0.4, 1.0)], [balls_at(m=m, drag=M) for m in (5, 20)],
    ],
)  # fmt: skip
def test_frames_of_a_study_at_any_stop_are_the_same_ones(studies):
    assert len({study.stops.token for study in studies}) == 1
    one, other = (study.stops for study in studies)
    assert one.mark["drag"] == other.mark["drag"] and one.mark["stop"] != other.mark["stop"]
    elsewhere = replace(studies[0], scene=replace(studies[0].scene, seed=7))
    if isinstance(elsewhere, TwoBalls):
        elsewhere = replace(studies[0], scene=balls_scene(200, 3, 1.0, 6.0, 7))
    assert elsewhere.stops.token != one.token


def test_frames_know_no_title_and_what_is_said_has_it():
    mine = replace(IRIS, title='Anna\'s "table" & <more>')
    study = spectrum_at(data=mine)
    frames = frames_of(study)
    assert "Anna" not in repr(frames)
    assert not any(name in repr(frames_of(embedding_at())) for name in IRIS.classes)
    said = study.stops.words(study.stops.by_stop(frames))["stops"]
    (title, subtitle) = said["1"]["titles"]["spectrum"]
    assert title == "Eigenvalues of K and K̃" and subtitle.startswith(f"{mine.title}, n = 150")
    # Equal numbers of somebody else are the same frames.
    assert spectrum_at().stops.token == study.stops.token


def test_the_message_is_small_and_names_what_is_there():
    for study in (spectrum_at(), embedding_at()):
        frames = study.stops.by_stop(frames_of(study))
        sent = json.dumps(study.stops.sent_frames(frames, frames))
        assert len(sent) < 1_000_000
        slider = study.stops.slider
        names = {stop["name"] for stop in slider["stops"]}
        assert {frame["stop"] for frame in json.loads(sent)} <= names and slider["stop"] in names


def test_of_many_rows_frames_are_about_random_ones(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 140)
    monkeypatch.setattr(matrices, "SPECTRUM_ROWS", 80)
    slider = spectrum_at().stops
    assert slider.about == "on 80 random rows" and slider.at(1.0).scene.data.n == 80
    (frame,) = slider.frame_at(1.0)
    kernel, part = scene_at(spectrum_at().scene, 1.0).kernel, IRIS.sampled(80)
    values = nv.spectrum(part.X, kernel) / 80
    sent = next(trace for trace in frame.charts["spectrum"].traces if trace["name"] == "K")
    ranks = numbers_of(sent["x"]).astype(int)
    np.testing.assert_allclose(numbers_of(sent["y"]), values[ranks - 1], rtol=1e-6)


def test_cursors_stand_where_their_charts_have_the_value():
    slider = spectrum_at().stops.slider
    assert all(stop["cursors"]["bandwidths"] == math.sqrt(stop["value"]) for stop in slider["stops"])
    slider = embedding_at().stops.slider
    assert {stop["value"]: stop["cursors"]["misalignment"] for stop in slider["stops"]}[150] == 100.0
