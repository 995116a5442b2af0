"""What pages say of the time that work takes grows with the work, and with what else the machine does."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import cost
from nysviz.ui import estimates
from nysviz.ui.sidebar.scene import Scene


@pytest.fixture(autouse=True)
def _machine(monkeypatch):
    """One machine for all tests, which nobody else uses."""
    monkeypatch.setattr(cost, "speeds", lambda: cost.Speeds(2e-11, 2e-9))
    monkeypatch.setattr(cost, "crowding", lambda: 1.0)


def scene(n):
    return Scene(nv.Dataset.from_arrays("made", np.zeros((n, 4)), None), nv.Gaussian(1.0), 0, 1.0)


def estimated(n):
    return np.array(
        [
            estimates.error_seconds(scene(n), 50, exact=True),
            estimates.error_seconds(scene(n), 50, exact=False),
            estimates.matrix_seconds(scene(n)),
            estimates.entry_seconds(scene(n), 1e3 * n),
            estimates.product_seconds(1e3 * n),
            estimates.touch_seconds(1e3 * n),
            estimates.factorisation_seconds(n),
        ]
    )


def test_more_rows_take_longer():
    assert (estimated(400) > 0).all() and (estimated(400) < estimated(4_000)).all()
    assert (estimated(4_000) < 1_000).all() and (estimated(150) < 1).all()


def test_a_busy_machine_takes_longer(monkeypatch):
    alone = estimated(900)
    monkeypatch.setattr(cost, "crowding", lambda: 3.0)
    np.testing.assert_allclose(estimated(900)[2:], 3.0 * alone[2:])
