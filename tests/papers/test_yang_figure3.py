import numpy as np
import pytest

import nysviz as nv
from nysviz import machine, memory
from nysviz.papers.yang2012 import figure3, measurements
from nysviz.spectrum.gaps import effective_dimension
from nysviz.spectrum.operators import distance_bound, smallest_sample

IRIS = nv.load("iris")
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))


def test_rows_are_the_eigenvalues_of_the_kernel_matrix():
    rows = list(figure3.reproduce(["iris"], repeats=3))
    assert [row.m for row in rows] == list(range(1, 151))  # whole, so once
    assert {(row.experiment, row.data, row.n, row.d, row.measure) for row in rows} == {
        ("yang-fig3", "iris", 150, 4, "eigenvalue")
    }
    expected = np.linalg.eigvalsh(KERNEL(IRIS.X))[::-1] / 150
    np.testing.assert_allclose([row.value for row in rows], expected, atol=1e-14)


def test_large_sets_are_sampled_and_each_repeat_draws_anew(monkeypatch):
    monkeypatch.setattr(figure3, "rows_that_fit", lambda: 60)
    rows = list(figure3.reproduce(["iris"], repeats=2, seed=5))
    assert len(rows) == 120 and {row.n for row in rows} == {60}
    for repeat in range(2):
        X = IRIS.X[np.random.default_rng(5 + repeat).permutation(150)[:60]]
        expected = nv.spectrum(X, nv.Gaussian.from_width(nv.default_width(X))) / 60
        found = [row.value for row in rows if row.repeat == repeat]
        np.testing.assert_allclose(found, expected, atol=1e-14)


def test_table_holds_the_numbers_of_the_spectrum():
    rows = [*figure3.reproduce(["iris"]), *figure3.reproduce(["wine"])]
    values = nv.spectrum(IRIS.X, KERNEL) / 150
    line = next(line for line in figure3.table(rows).splitlines() if "iris" in line).split()
    gaps = values[:-1] - values[1:]
    gap, r = gaps.max(), gaps.argmax() + 1
    assert line[1:5] == ["150", f"{values[0]:.3g}", f"{gap:.3g}", str(r)]
    assert float(line[5]) == pytest.approx(effective_dimension(values, 1e-3), rel=5e-3)
    assert line[6] == str(smallest_sample(150, gap))
    assert sum("wine" in text for text in figure3.table(rows).splitlines()) == 1


def test_the_dimension_of_a_cut_spectrum_lies_between_the_ends(monkeypatch):
    values = nv.spectrum(IRIS.X, KERNEL) / 150
    monkeypatch.setattr(figure3, "RANKS", 12)
    line = next(t for t in figure3.table(list(figure3.reproduce(["iris"]))).splitlines() if "iris" in t)
    low, high = (float(part) for part in (line.split()[5], line.split()[7]))
    assert low * 0.995 <= effective_dimension(values, 1e-3) <= high * 1.005


@pytest.mark.parametrize("free, rows", [(2**42, 10_000), (3 * 2**28, 5_792), (1, 1_000)])
def test_fewer_rows_where_memory_is_short(monkeypatch, free, rows):
    monkeypatch.setattr(machine, "limit_bytes", lambda: 2**24)
    monkeypatch.setattr(machine, "free_bytes", lambda: free)
    assert figure3.rows_that_fit() == pytest.approx(rows, abs=1)
    if rows > 1_000:
        # K, and the copy that its eigenvalues are found on.
        assert 16 * rows**2 <= memory.call_bytes()


def test_theorem_five_takes_all_rows_however_little_memory_is_free(monkeypatch):
    monkeypatch.setattr(machine, "limit_bytes", lambda: 2**24)
    monkeypatch.setattr(machine, "free_bytes", lambda: 0)
    monkeypatch.setattr(measurements, "SIZES", (10,))
    assert {row.n for row in measurements.operator_rows(["digits"], 1, 0)} == {1_797}


def test_theorem_five_on_a_set():
    rows = list(measurements.operator_rows(["iris"], 20, 0))
    bounds = {row.m: row.value for row in rows if row.measure == "bound"}
    assert list(bounds) == [10, 20, 50, 100]
    for m, bound in bounds.items():
        assert bound == pytest.approx(float(distance_bound(150, m)))
        seen = [row.value for row in rows if row.measure == "frobenius" and row.m == m]
        assert len(seen) == 20 and max(seen) < bound


def test_cpu_has_a_gap_and_theorem_one_asks_for_a_sample_within_the_data():
    if not any(card.name == "cpu" and card.on_disk for card in nv.catalog()):
        pytest.skip("cpu_act.arff is not in the data folder")
    data = nv.load("cpu")
    X = data.X[np.random.default_rng(0).permutation(data.n)[:1500]]
    values = nv.spectrum(X, nv.Gaussian.from_width(nv.default_width(X)), 20) / 1500
    assert values[0] - values[1] > 5 * (values[1] - values[2])
