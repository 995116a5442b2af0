"""The memory that a machine or a container has, as its own files tell it."""

import subprocess
import sys

import pytest

from nysviz.numerics import machine, memory

GIB = 2**30


@pytest.fixture
def container(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CONTROL_GROUP", tmp_path)

    def write(limit, used=0, forgettable=0, version=2):
        folder = tmp_path if version == 2 else tmp_path / "memory"
        folder.mkdir(exist_ok=True)
        (folder / ("memory.max" if version == 2 else "memory.limit_in_bytes")).write_text(f"{limit}\n")
        (folder / ("memory.current" if version == 2 else "memory.usage_in_bytes")).write_text(f"{used}\n")
        kind = "inactive_file" if version == 2 else "total_inactive_file"
        (folder / "memory.stat").write_text(f"anon 1\n{kind} {forgettable}\n")
        for reading in (machine.container_limit, machine.container_use, machine.own_use):
            reading.cache_clear()

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


def test_an_operator_may_grant_less_than_there_is(container, monkeypatch):
    container(4 * GIB, used=GIB)
    monkeypatch.setattr(machine, "free_on_machine", lambda: 100 * GIB)
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "1024")
    assert machine.limit_bytes() == GIB
    own = machine.free_bytes()
    # What this process holds already is taken from it: Python and its libraries at least.
    assert 0 <= own <= GIB - 50 * 2**20
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "1")
    assert machine.free_bytes() == 0
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "")
    assert machine.limit_bytes() == 4 * GIB and machine.free_bytes() == 3 * GIB
    for nonsense in ("much", "-5", "0", "1.5"):
        monkeypatch.setenv("NYSVIZ_MEMORY_MB", nonsense)
        with pytest.raises(ValueError, match=f"NYSVIZ_MEMORY_MB is '{nonsense}'; set it to a whole number"):
            machine.limit_bytes()


def test_a_small_host_holds_smaller_matrices_and_factors(container):
    large = memory.held_rows(), memory.held_bytes()
    container(GIB, used=GIB // 4)
    assert memory.held_rows() < 4_500 and 8 * memory.held_rows() ** 2 <= GIB / 16
    assert memory.held_bytes() <= GIB / 16
    assert memory.held_rows() < large[0] and memory.held_bytes() <= large[1]
    assert memory.most_bytes() <= GIB / 2


# What twelve threads leave behind that each free a large array below a small one that stays.
HOLES = """
import sys, threading
from pathlib import Path
import numpy as np
from nysviz.numerics import machine, memory
machine.limit_bytes = lambda: 2**30
if sys.argv[1] == "little" and not memory.limit_malloc_cache(2):
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and only glibc is told")
def test_freed_arrays_leave_no_holes(monkeypatch):
    for name in ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
        monkeypatch.delenv(name, raising=False)
    assert left_behind("little") < 2**24 < left_behind("as ever")
