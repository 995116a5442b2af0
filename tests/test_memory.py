"""The memory that a machine or a container has, as its own files tell it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from nysviz import machine, memory
from nysviz.sweep import problem as problems

GIB = 2**30


def forget():
    """Let what was read of the system lately be read again."""
    for reading in (machine._container_limit, machine._container_use, machine._own_use):
        reading.cache_clear()


@pytest.fixture
def container(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CONTROL_GROUP", tmp_path)

    def write(limit, used=0, forgettable=0, version=2):
        folder = tmp_path if version == 2 else tmp_path / "memory"
        folder.mkdir(exist_ok=True)
        names = (
            ("memory.max", "memory.current")
            if version == 2
            else ("memory.limit_in_bytes", "memory.usage_in_bytes")
        )
        for name, value in zip(names, (limit, used), strict=True):
            (folder / name).write_text(f"{value}\n")
        kind = "inactive_file" if version == 2 else "total_inactive_file"
        (folder / "memory.stat").write_text(f"anon 1\n{kind} {forgettable}\n")
        forget()

    return write


@pytest.mark.parametrize("version", [1, 2])
def test_the_limit_of_a_container_is_that_of_the_machine(container, version):
    container(GIB // 2, used=3 * GIB // 8, forgettable=GIB // 8, version=version)
    assert machine.limit_bytes() == GIB // 2
    assert machine.free_bytes() == GIB // 4  # what files take is given back when it is needed


@pytest.mark.parametrize("limit, version", [("max", 2), (2**63 - 4096, 1)])
def test_a_container_without_a_limit_is_the_machine(container, limit, version):
    whole = machine.limit_bytes()
    container(limit, version=version)
    assert machine.limit_bytes() == whole


def test_files_of_the_system_are_read_now_and_then(container, monkeypatch):
    container(GIB // 2, used=GIB // 8)
    assert machine.limit_bytes() == GIB // 2 and machine.free_bytes() == 3 * GIB // 8
    reads = []
    read_text = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path, **how: reads.append(path) or read_text(path, **how))
    began = time.monotonic()
    while time.monotonic() - began < 4 * machine.FREE_SECONDS:
        assert machine.limit_bytes() == GIB // 2 and machine.free_bytes() == 3 * GIB // 8
    # Two files of the container and the machine's own, once in each 50 ms; its limit stands for seconds.
    assert 3 <= len(reads) <= 15
    (machine.CONTROL_GROUP / "memory.current").write_text(f"{GIB // 4}\n")
    time.sleep(1.1 * machine.FREE_SECONDS)
    assert machine.free_bytes() == GIB // 4


def test_an_operator_may_grant_less_than_there_is(container, monkeypatch):
    container(4 * GIB, used=GIB)
    monkeypatch.setattr(machine, "_free_on_machine", lambda: 100 * GIB)
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "1024")
    assert machine.limit_bytes() == GIB
    own = machine.free_bytes()
    # What this process holds already is taken from it: Python and its libraries at least.
    assert 0 <= own <= GIB - 50 * 2**20
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "1")
    assert machine.free_bytes() == 0
    for nonsense in ("", "much", "-5", "0", "1.5"):
        monkeypatch.setenv("NYSVIZ_MEMORY_MB", nonsense)
        assert machine.limit_bytes() == 4 * GIB and machine.free_bytes() == 3 * GIB


def test_a_small_host_holds_smaller_matrices_and_factors(container):
    large = memory.held_rows(), memory.held_bytes()
    container(GIB, used=GIB // 4)
    assert memory.held_rows() < 4_500 and 8 * memory.held_rows() ** 2 <= GIB / 16
    assert memory.held_bytes() <= GIB / 16
    assert memory.held_rows() < large[0] and memory.held_bytes() <= large[1]
    assert memory.most_bytes() <= GIB / 2


@pytest.mark.parametrize("twice, free", [(False, 4.1e9), (True, 8.1e9)])
def test_a_call_that_says_all_that_it_holds_may_take_most_of_what_is_free(twice, free, monkeypatch):
    monkeypatch.setattr(machine, "free_bytes", lambda: int(free))
    memory.checked_matrix("it", 20_000, memory.call_bytes(), twice=twice)
    with pytest.raises(ValueError, match=r"^it holds all of K.* choose a method that does not hold K"):
        memory.checked_matrix("it", 20_000, twice=twice)
    monkeypatch.setattr(machine, "free_bytes", lambda: int(0.9 * free))
    with pytest.raises(ValueError, match=r"\sGB for n = 20000, and .*, enough for n = 19\d\d\d; do less\.$"):
        memory.checked_matrix("it", 20_000, memory.call_bytes(), "do less", twice=twice)


def test_a_problem_keeps_to_what_was_possible_when_it_was_made(container, monkeypatch):
    import numpy as np

    import nysviz as nv

    monkeypatch.setattr(memory, "held_rows", lambda: 100)
    X = np.random.default_rng(0).random((150, 2))
    small = problems.Problem("small", X, nv.Gaussian(1.0), "a digest")
    assert not small.is_exact and small.matrix().dense is None
    monkeypatch.setattr(memory, "held_rows", lambda: 200)
    assert not small.is_exact
    assert problems.Problem("large", X, nv.Gaussian(1.0), "another digest").is_exact


def test_a_shortage_ends_only_when_there_is_clearly_enough(container, monkeypatch):
    monkeypatch.setattr(memory, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(machine, "_free_on_machine", lambda: 100 * GIB)
    shortage = memory.Shortage()
    told = []
    for free in (0.5, 0.09, 0.07, 0.1, 0.15, 0.17, 0.1):
        container(GIB, used=int((1 - free) * GIB))
        told.append(shortage.is_on())
    assert told == [False, False, True, True, True, False, False]


@pytest.mark.parametrize("gib,mib", [(0.25, 0.5), (1, 1), (4, 4), (64, 32)])
def test_a_small_host_maps_smaller_arrays(gib, mib, monkeypatch):
    monkeypatch.setattr(machine, "limit_bytes", lambda: int(gib * 2**30))
    assert memory.mapped_bytes() == mib * 2**20


@pytest.mark.parametrize("gib,mib", [(0.25, 8), (1, 16), (4, 64), (64, 64)])
def test_a_small_host_keeps_less_for_the_next_array(gib, mib, monkeypatch):
    monkeypatch.setattr(machine, "limit_bytes", lambda: int(gib * 2**30))
    assert memory.kept_bytes() == mib * 2**20


# What twelve threads leave behind that each free a large array below a small one that stays.
HOLES = """
import sys, threading
from pathlib import Path
import numpy as np
from nysviz import machine, memory
machine.limit_bytes = lambda: 2**30
if sys.argv[1] == "little" and not memory.keep_little(2):
    sys.exit("not glibc")
def resident():
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])
before, kept, here, over = resident(), [], threading.Barrier(13), threading.Event()
def work():
    np.ones(2**22 - 2**16)  # once freed, arrays as large as this one go into the arena
    for _ in range(5):
        large = np.ones(500_000)
        kept.append(np.ones(1_000))
        del large
    here.wait()
    over.wait()
for _ in range(12):
    threading.Thread(target=work, daemon=True).start()
here.wait()
print(resident() - before, 1024 * 8 * len(kept))
"""


def left_behind(how):
    command = [sys.executable, "-c", HOLES, how]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    if "not glibc" in found.stderr:
        pytest.skip("this C library keeps freed memory in its own way")
    assert found.returncode == 0, found.stderr
    return int(found.stdout.split()[0])


# Pages that the system hands out to a thread that makes and frees a small array again and again.
AGAIN = """
import resource, sys, threading
import numpy as np
from nysviz import machine, memory
machine.limit_bytes = lambda: 2**30
if not memory.keep_little(2):
    sys.exit("not glibc")
def work():
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
        for _ in range(200):
            np.ones(100_000)
    print(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def pages_handed_out():
    command = [sys.executable, "-c", AGAIN]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    if "not glibc" in found.stderr:
        pytest.skip("this C library keeps freed memory in its own way")
    assert found.returncode == 0, found.stderr
    return int(found.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="counts pages, and only glibc is told")
def test_a_freed_array_makes_room_for_the_next(monkeypatch):
    for name in ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        monkeypatch.delenv(name, raising=False)
    # Each of the 200 arrays has 195 pages.
    assert pages_handed_out() < 1_000
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", str(2**17))
    assert pages_handed_out() > 20_000


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and only glibc is told")
def test_freed_arrays_leave_no_holes(monkeypatch):
    for name in ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        monkeypatch.delenv(name, raising=False)
    assert left_behind("little") < 2**24 < left_behind("as ever")


def test_another_c_library_is_left_alone(monkeypatch):
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: object())
    assert memory.keep_little(2) is False


def test_settings_from_outside_stay(monkeypatch):
    asked = []

    class Library:
        gnu_get_libc_version = None

        def mallopt(self, name, value):
            asked.append(name)
            return 1

    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: Library())
    monkeypatch.setenv("MALLOC_ARENA_MAX", "4")
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    assert memory.keep_little(2) is True
    assert asked == [memory.M_MMAP_THRESHOLD, memory.M_TRIM_THRESHOLD]
