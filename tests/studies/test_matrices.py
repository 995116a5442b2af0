"""What the pages compute in the background is what the core computes."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.engine import Engine
from nysviz.numerics import memory
from nysviz.nystroem.measures import SampledErrors
from nysviz.studies import matrices
from nysviz.studies.scene import Scene
from nysviz.ui import asking

RNG = np.random.default_rng(3)
DATA = nv.Dataset.from_arrays(
    "made", RNG.standard_normal((60, 4)), RNG.integers(0, 3, 60), task="classification", feature_names="abcd"
)
SCENE = Scene(DATA, nv.Gaussian(1.3), 5, 1.0)


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    """An empty engine for each test: what another one computed, or monkeypatched, is not in it."""
    made = Engine(100_000_000)
    for module in (asking, matrices):
        monkeypatch.setattr(module, "engine", lambda: made)
    return made


def options_of(method):
    return tuple((option.name, option.default) for option in nv.METHODS[method].options)


@pytest.mark.parametrize("method", ["kmeans", "icd"])
def test_without_the_matrix_errors_come_from_sampled_rows(method, monkeypatch):
    exact = matrices.outcome(SCENE, method, 6, options_of(method))
    monkeypatch.setattr(memory, "HELD_ROWS", 50)
    assert matrices.kernel_matrix(SCENE) is None and not matrices.is_exact(SCENE)
    other = Scene(DATA, SCENE.kernel, 6, 1.0)
    outcome = matrices.outcome(other, method, 6, options_of(method))
    assert isinstance(outcome.errors, SampledErrors) and not isinstance(exact.errors, SampledErrors)
    a = nv.approximate(DATA.X, SCENE.kernel, method, 6, 6)
    # 60 rows are fewer than the sample: the estimate is the error itself.
    true = nv.errors(DATA.X, SCENE.kernel, a)
    assert outcome.errors.relative_frobenius == pytest.approx(true.relative_frobenius, rel=1e-6)
    low, high = outcome.errors.interval
    assert low <= true.relative_frobenius * (1 + 1e-9) and true.relative_frobenius <= high * (1 + 1e-9)


def test_what_looks_at_all_of_the_matrix_is_offered_for_few_rows_only(monkeypatch):
    assert matrices.offered(SCENE) == (list(nv.METHODS), [])
    monkeypatch.setattr(matrices, "MATRIX_ROWS", 59)
    monkeypatch.setattr(memory, "HELD_ROWS", 59)
    holding = {"svd", "leverage", "adaptive_full", "dpp_exact", "arp", "osinsky"}
    assert set(matrices.offered(SCENE)[1]) == holding
    monkeypatch.setattr(matrices, "READ_ROWS", 59)
    reading = {"column_norm", "greedy", "partition_greedy", "sketch"}
    assert set(matrices.offered(SCENE)[1]) == holding | reading


def test_rows_of_the_pictures_are_points_of_the_map_at_their_places(monkeypatch):
    monkeypatch.setattr(matrices, "MAP_POINTS", 25)
    monkeypatch.setattr(matrices, "PICTURE_ROWS", 10)
    for by in ("label", "file"):
        rows, places = matrices.pictured_rows(SCENE, by), matrices.places_in_pictures(SCENE, by)
        drawn = list(matrices.drawn_rows(DATA.n, 25))
        order = list(matrices.order(SCENE, by))
        assert len(places) == 25 and len(rows) == len(set(rows)) == 10 and set(rows) <= set(drawn)
        assert [order.index(row) for row in rows] == sorted(order.index(row) for row in rows)
        # The middle of the picture's own row, as near as whole ranks allow, and in the order of the rows.
        for k, row in enumerate(rows):
            assert places[drawn.index(row)] == pytest.approx((k + 0.5) / 10, abs=0.05)
        ranked = sorted(drawn, key=order.index)
        assert [drawn[k] for k in np.argsort(places)] == ranked
