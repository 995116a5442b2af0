"""The memory that a machine or a container has, as its own files tell it."""

import pytest

from nysviz import memory
from nysviz.sweep import problem as problems

GIB = 2**30


@pytest.fixture
def container(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)

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

    return write


@pytest.mark.parametrize("version", [1, 2])
def test_the_limit_of_a_container_is_that_of_the_machine(container, version):
    container(GIB // 2, used=3 * GIB // 8, forgettable=GIB // 8, version=version)
    assert memory.limit_bytes() == GIB // 2
    assert memory.free_bytes() == GIB // 4  # what files take is given back when it is needed


@pytest.mark.parametrize("limit, version", [("max", 2), (2**63 - 4096, 1)])
def test_a_container_without_a_limit_is_the_machine(container, limit, version):
    machine = memory.limit_bytes()
    container(limit, version=version)
    assert memory.limit_bytes() == machine


def test_a_small_host_holds_smaller_matrices_and_factors(container):
    large = memory.held_rows(), memory.held_bytes()
    container(GIB, used=GIB // 4)
    assert memory.held_rows() < 4_500 and 8 * memory.held_rows() ** 2 <= GIB / 16
    assert memory.held_bytes() <= GIB / 16
    assert memory.held_rows() < large[0] and memory.held_bytes() <= large[1]
    assert memory.most_bytes() <= GIB / 2


def test_a_problem_keeps_to_what_was_possible_when_it_was_made(container, monkeypatch):
    import numpy as np

    import nysviz as nv

    monkeypatch.setattr(memory, "held_rows", lambda: 100)
    X = np.random.default_rng(0).random((150, 2))
    small = problems.Problem("small", X, nv.Gaussian(1.0), "a digest")
    assert not small.is_exact and small.rows()[0] is not None
    monkeypatch.setattr(memory, "held_rows", lambda: 200)
    assert not small.is_exact
    assert problems.Problem("large", X, nv.Gaussian(1.0), "another digest").is_exact


def test_a_shortage_ends_only_when_there_is_clearly_enough(container, monkeypatch):
    monkeypatch.setattr(memory, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(memory, "_free_on_machine", lambda: 100 * GIB)
    shortage = memory.Shortage()
    told = []
    for free in (0.5, 0.09, 0.07, 0.1, 0.15, 0.17, 0.1):
        container(GIB, used=int((1 - free) * GIB))
        told.append(shortage.is_on())
    assert told == [False, False, True, True, True, False, False]
