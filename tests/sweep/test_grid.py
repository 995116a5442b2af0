"""Records of a grid: those of one plain approximation, whoever runs it; jobs by themselves, and Stop."""

import pickle
import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import nysviz as nv
from nysviz.numerics import memory
from nysviz.nystroem.measures import sampled_errors
from nysviz.sweep import Job, Problem, jobs, run_jobs, sweep, sweep_jobs, tidy
from nysviz.sweep import problem as problem_module

RNG = np.random.default_rng(5)
X = np.vstack([RNG.normal(i, 0.4, (30, 3)) for i in range(4)])
KERNEL = nv.Gaussian(1.1)
MS = (3, 8, 20)
METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans", "rpcholesky", "ensemble")
ALL = ("frobenius", "spectral", "trace", "quantization")


def made(name="blobs", digest="blobs"):
    return Problem(name, X, KERNEL, digest)


def grid(ms=MS):
    return sweep_jobs(made(), dict.fromkeys(METHODS, ()), ms, 2, 7, ALL)


def records_of(jobs, executor=None):
    return [record for finished in run_jobs(jobs, executor) for record in finished.records]


@pytest.mark.parametrize("method", [*METHODS[1:], "rff"])
def test_each_record_is_that_of_one_plain_approximation(method):
    records = records_of(sweep_jobs(made(), {method: ()}, MS, 1, 3, ALL))
    assert [record.m for record in sorted(records, key=lambda r: r.m)] == list(MS)
    for record in records:
        a = nv.approximate(X, KERNEL, method, record.m, record.seed)
        found = nv.errors(X, KERNEL, a)
        for norm in ("frobenius", "trace", "spectral"):
            if norm == "trace" and not a.residual_is_psd:
                assert norm not in record.values
                continue
            rel = 3e-3 if norm == "spectral" else 1e-6
            assert record.values[norm] == pytest.approx(getattr(found, norm), rel=rel, abs=1e-9)
            relative = getattr(found, f"relative_{norm}")
            assert record.values[f"relative_{norm}"] == pytest.approx(relative, rel=rel, abs=1e-10)
        if a.landmarks is not None:
            expected = nv.quantization_error(X, a.landmarks)
            assert record.values["quantization"] == pytest.approx(expected, rel=1e-9)
        assert record.values["rank"] == a.rank


def same(one, other):
    assert (one.iloc[:, :-2] == other.iloc[:, :-2]).all(axis=None)
    np.testing.assert_allclose(one.value, other.value, rtol=1e-9)


def test_the_same_records_on_any_executor():
    executors = (ThreadPoolExecutor(1), None, ThreadPoolExecutor(4), ProcessPoolExecutor(2))
    alone, *others = (tidy(records_of(grid(), executor)) for executor in executors)
    assert len(alone) > 200
    for other in others:
        same(alone, other)


def test_several_data_sets_with_m_in_per_cent():
    small = Problem("half", X[:60], KERNEL, "half")
    found = list(sweep([made(), small], {"uniform": ()}, (5, 10), 3))
    of = {(r.data, r.m) for f in found for r in f.records}
    assert of == {("blobs", 6), ("blobs", 12), ("half", 3), ("half", 6)}
    assert found[-1].progress.done == found[-1].progress.total == len(found)


def test_above_the_size_where_K_is_held_errors_come_from_sampled_rows(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 100)
    monkeypatch.setattr(problem_module, "sampled_errors", partial(sampled_errors, rows=60))
    large = made(digest="large blobs")
    assert not large.is_exact
    methods = dict.fromkeys(("svd", "icd", "kmeans"), ())
    records = records_of(sweep_jobs(large, methods, MS, 1, 0, ("frobenius", "spectral")))
    assert {r.method for r in records} == {"icd", "kmeans"}
    for r in records:
        found = sampled_errors(X, KERNEL, nv.approximate(X, KERNEL, r.method, r.m, r.seed), rows=60)
        assert r.values["frobenius"] == pytest.approx(found.frobenius, rel=1e-6)
        assert r.values["relative_frobenius"] == pytest.approx(found.relative_frobenius, rel=1e-6)
        assert "spectral" not in r.values


def test_a_problem_travels_without_its_matrix_and_meets_its_like():
    here = made()
    assert here.K.shape == (len(X), len(X))
    sent = pickle.dumps(here)
    assert len(sent) < 2 * X.nbytes
    there = pickle.loads(sent)
    assert there.K is here.K  # equal content in one process is held once
    assert made(digest="other").K is not here.K


def test_large_factors_are_not_held(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 100)
    asked = (dict.fromkeys(("icd", "uniform", "kmeans", "rff"), ()), MS, 1, 0, ("frobenius", "trace"))

    def values(digest):
        return {
            (record.method, record.m, measure): value
            for record in records_of(sweep_jobs(made(digest=digest), *asked))
            for measure, value in record.values.items()
        }

    held = values("factors that are held")
    # A factor of 20 columns does not fit, one of 3 does.
    monkeypatch.setattr(memory, "HELD_BYTES", 8 * len(X) * 5)
    assert values("factors that are not") == pytest.approx(held, rel=1e-7, abs=1e-9, nan_ok=True)


PATIENCE_SECONDS = 60.0


class Clock:
    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    perf_counter = monotonic

    def nap(self, seconds, value):
        self.now += seconds
        return (value,)


class Inline(ThreadPoolExecutor):
    def submit(self, function, /, *args, **kwargs):
        future = Future()
        future.set_result(function(*args, **kwargs))
        return future


def test_the_time_left_is_right_within_a_factor_of_two(monkeypatch):
    # Two kinds, one ten times as slow as the other, unevenly mixed.
    clock = Clock()
    monkeypatch.setattr(jobs, "time", clock)
    monkeypatch.setattr(jobs, "AHEAD", 1)
    monkeypatch.setattr(jobs, "cores", lambda: 1)
    kinds = [("slow", 0.5), ("fast", 0.05)] + [("fast", 0.05)] * 20 + [("slow", 0.5)] * 20
    naps = [Job(i, kind, 1.0, partial(clock.nap, seconds, i)) for i, (kind, seconds) in enumerate(kinds)]
    seen = [(clock.now, finished.progress) for finished in run_jobs(naps, Inline())]
    whole = clock.now
    assert whole == pytest.approx(21 * 0.5 + 21 * 0.05)
    for now, progress in seen[4:-1]:
        left = whole - now
        assert left / 2 < progress.seconds_left < 2 * left or left < 1.0
        assert progress.fraction == pytest.approx(now / (now + progress.seconds_left))
    assert seen[-1][1].seconds_left == 0.0 and seen[-1][1].fraction == 1.0
    assert [progress.done for _, progress in seen] == list(range(1, 43))


def test_who_leaves_the_loop_begins_nothing_more_and_does_not_wait():
    begun, may_end = [], threading.Event()

    def work(i):
        begun.append(i)
        assert i == 0 or may_end.wait(PATIENCE_SECONDS)
        return (i,)

    executor = ThreadPoolExecutor(1)
    for finished in run_jobs([Job(i, "nap", 1.0, partial(work, i)) for i in range(50)], executor):
        assert finished.records == (0,)
        break
    may_end.set()
    executor.shutdown()
    assert begun in ([0], [0, 1])
