import sys
import threading
from contextlib import nullcontext

import pytest
from threadpoolctl import OpenBLASController, threadpool_info, threadpool_limits

from nysviz.numerics import blocks


@pytest.fixture(params=[1, 5])
def cores(request, monkeypatch):
    monkeypatch.setattr(blocks, "cores", lambda: request.param)
    return request.param


@pytest.mark.parametrize("n, size", [(0, 3), (7, 3), (9, 3), (5, 100)])
def test_blocks_cover_every_row_once(cores, n, size):
    ranges = []
    blocks.over_blocks(n, size, lambda start, stop: ranges.append((start, stop)))
    assert [row for start, stop in sorted(ranges) for row in range(start, stop)] == list(range(n))
    assert all(0 < stop - start <= size for start, stop in ranges)


def test_a_worker_does_its_blocks_itself():
    """More nested calls than there are threads would wait for one another for ever."""

    def nested(_):
        seen = set()
        blocks.over_blocks(10, 1, lambda start, stop: seen.add(threading.get_ident()))
        return seen == {threading.get_ident()}

    pool = blocks.pool()
    calls = [pool.submit(nested, i) for i in range(4 * blocks.cores())]
    try:
        assert all(call.result(timeout=20) for call in calls)
    except TimeoutError:
        # Sets the waiting threads free, which the end of the process would otherwise wait for.
        pool.shutdown(wait=False, cancel_futures=True)
        blocks.pool.cache_clear()
        pytest.fail("calls inside the pool wait for one another")


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


@pytest.fixture
def two_blas_threads(monkeypatch):
    # A run of another test that nobody waits for may still hold the process's own wish.
    monkeypatch.setattr(blocks, "blas_threads", blocks.BlasThreads())
    with threadpool_limits(2, user_api="blas"):
        # Else no other thread could set it.
        OpenBLASController.clear_controlling_thread()
        yield


@pytest.mark.usefixtures("two_blas_threads")
def test_one_blas_thread_until_the_last_one_ends():
    with blocks.one_blas_thread():
        assert blas_threads() == {1}
        with blocks.one_blas_thread():
            pass
        assert blas_threads() == {1}
        with blocks.all_blas_threads():
            assert blas_threads() == {2}
        assert blas_threads() == {1}
    assert blas_threads() == {2}
    with pytest.raises(ArithmeticError), blocks.one_blas_thread():
        raise ArithmeticError
    assert blas_threads() == {2}


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("inside", [False, True])
def test_a_process_that_has_settled_for_one_blas_thread_keeps_it(inside):
    with blocks.one_blas_thread() if inside else nullcontext():
        settling = threading.Thread(target=blocks.settle_for_one_blas_thread)
        settling.start()
        settling.join()
        assert blas_threads() == {1}
    assert blas_threads() == {1}
    with blocks.all_blas_threads(), blocks.one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {1}


@pytest.mark.parametrize(
    "files, expected",
    [
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu.max": "max 100000"}, None),
        ({"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000"}, 1),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({}, None),
    ],
)
def test_a_container_may_grant_fewer_cores(files, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "CONTROL_GROUP", tmp_path)
    (tmp_path / "cpu").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text + "\n")
    found = blocks.container_cores.__wrapped__()
    assert found == (sys.maxsize if expected is None else expected)


def test_a_caller_does_not_wait_for_the_blocks_of_another(monkeypatch):
    """With every thread of the pool taken, the work is done all the same, in the calling thread."""
    monkeypatch.setattr(blocks, "cores", lambda: 2)
    go, pool = threading.Event(), blocks.pool()
    taken = [pool.submit(go.wait, 60) for _ in range(pool._max_workers)]
    done = []
    blocks.over_blocks(20, 1, lambda start, stop: done.append(start))
    go.set()
    assert sorted(done) == list(range(20)) and all(one.result() for one in taken)


def test_the_caller_may_be_told_to_stop_between_blocks(cores):
    done = []

    def checkpoint():
        if len(done) >= 3:
            raise InterruptedError

    with blocks.watched(checkpoint), pytest.raises(InterruptedError):
        blocks.over_blocks(50, 1, lambda start, stop: done.append(start))
    assert 3 <= len(done) <= 3 + cores
    blocks.over_blocks(3, 1, lambda start, stop: done.append(start))  # it ends with the context
