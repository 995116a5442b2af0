"""What pages say of the time that work takes grows with the work, and is that of the method asked for."""

from functools import partial

import numpy as np
import pytest

import nysviz as nv
from nysviz.ui import estimates
from nysviz.ui.approximate import parts as approximate
from nysviz.ui.controls import Choice
from nysviz.ui.learning import ls_svm_computing
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.spectrum import computing as spectra

KERNEL = nv.Gaussian(1.0)


@pytest.fixture(autouse=True)
def _machine(monkeypatch):
    """One machine for all tests: two cores that nobody else uses."""
    monkeypatch.setattr(estimates, "speeds", lambda: estimates.Speeds(2e-11, 2e-9, 1e-9))
    monkeypatch.setattr(estimates, "decomposition_speed", lambda: 1e-10)
    monkeypatch.setattr(estimates, "_crowding", lambda: 1.0)


def scene(n, d=4):
    return Scene(nv.Dataset.from_arrays("made", np.zeros((n, d)), None), KERNEL, 0, 1.0)


def choice(method, m=20):
    return Choice(method, m, tuple((option.name, option.default) for option in nv.METHODS[method].options))


def asked(method, m=20):
    return ls_svm_computing.Asked(method, m, choice(method).options, 0.5, False)


STRIP = {n: partial(approximate._strip_seconds, scene(n)) for n in (400, 4_000)}
CASES = {
    "strip: rows": (partial(STRIP[400], choice("kmeans")), partial(STRIP[4_000], choice("kmeans"))),
    "strip: one run or all": (
        partial(STRIP[4_000], choice("icd")),
        partial(STRIP[4_000], choice("kmeanspp_lloyd")),
    ),
    "machines: rows": tuple(
        partial(ls_svm_computing.machines_seconds, scene(n), asked("uniform"), 100) for n in (400, 4_000)
    ),
    "machines: method": tuple(
        partial(ls_svm_computing.machines_seconds, scene(2_000), asked(method), 100)
        for method in ("uniform", "leverage")
    ),
    "machines: points": tuple(
        partial(ls_svm_computing.machines_seconds, scene(2_000), asked("uniform"), points)
        for points in (100, 8_100)
    ),
    "distances of the operators": tuple(partial(spectra.distances_seconds, scene(n)) for n in (100, 2_000)),
    "spectrum of a method": tuple(
        partial(spectra.approximate_seconds, scene(3_000), method, 50) for method in ("uniform", "leverage")
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_more_work_is_told_to_take_longer(name):
    few, many = (seconds() for seconds in CASES[name])
    assert 0 < few < many < 1_000


def test_small_work_is_told_as_less_than_a_second():
    assert STRIP[400](choice("uniform")) < 1
    assert spectra.distances_seconds(scene(150)) < 1


def test_a_busy_machine_takes_longer(monkeypatch):
    alone = estimates.touch_seconds(1e6), estimates.product_seconds(1e6), estimates.factorisation_seconds(900)
    monkeypatch.setattr(estimates, "_crowding", lambda: 3.0)
    beside = (
        estimates.touch_seconds(1e6),
        estimates.product_seconds(1e6),
        estimates.factorisation_seconds(900),
    )
    np.testing.assert_allclose(beside, 3.0 * np.array(alone))
