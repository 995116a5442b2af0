"""A fresh process: what importing loads, where compiled loops are kept, and that threads may share them."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest

import nysviz as nv
from nysviz.numerics import compiled

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "nysviz"
PATIENCE_SECONDS = 240


def fresh(code, *, cwd=ROOT, wait=True, **environment):
    """Run code in a fresh process; returns what it wrote, or the process where it is not waited for."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(cwd), "OPENBLAS_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return ended(process) if wait else process


def ended(process):
    out, problem = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, problem
    return out, problem


def test_importing_loads_nothing_that_only_some_pages_need():
    heavy = ("pandas", "sklearn", "scipy.stats", "scipy.optimize", "plotly", "streamlit", "pooch")
    out, _ = fresh(f"import sys, nysviz; print([name for name in {heavy} if name in sys.modules])")
    assert out.strip() == "[]"


METHODS = ("kmeans", "icd", "rpcholesky", "greedy", "partition_greedy", "sgma", "dpp", "uniform")


def test_eight_threads_may_use_the_loops_at_once():
    X = np.random.default_rng(0).random((150, 3))

    def factors(method):
        return [nv.approximate(X, nv.Gaussian(0.5), method, 12, seed).factor for seed in range(6)]

    alone = {method: factors(method) for method in METHODS}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(factors, METHODS * 4))
    for method, found in zip(METHODS * 4, together, strict=True):
        for one, other in zip(alone[method], found, strict=True):
            # The last digits are those of BLAS, which shares out rows as other threads leave it cores.
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="not initialized"):
        numba.threading_layer()


class TestWhereCompiledLoopsAreKept:
    @pytest.fixture(autouse=True)
    def _the_setting_stays(self, monkeypatch):
        monkeypatch.setenv(compiled.VARIABLE, "")

    def test_beside_the_source_numba_is_told_nothing(self):
        assert compiled.choose_folder() == PACKAGE / "numerics" / "__pycache__"
        assert compiled.VARIABLE not in os.environ

    def test_what_cannot_be_written_to_is_passed_over(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv(compiled.VARIABLE, str(tmp_path / "file" / "below"))
        monkeypatch.setattr(compiled, "__file__", str(tmp_path / "file" / "compiled.py"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        assert compiled.choose_folder() == tmp_path / "cache" / "nysviz" / "compiled"
        monkeypatch.setenv(compiled.VARIABLE, "")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        assert compiled.choose_folder() is None


USE = """
import numpy as np
from nysviz.numerics import loops
f, g = np.array([1.0, 4.0, 2.0]), np.array([1.0, 2.0, 0.5])
assert loops.best_ratio(f, g, 0.0 * g, 0.0, np.arange(3)) == 2
print(sum(loops.best_ratio.stats.cache_hits.values()))
"""


def copied(tmp_path):
    """An installation whose own folders cannot be written to, not even by root."""
    shutil.copytree(PACKAGE, tmp_path / "nysviz", ignore=shutil.ignore_patterns("__pycache__", "ui"))
    (tmp_path / "nysviz" / "numerics" / "__pycache__").write_text("in the way")
    return tmp_path


needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="Nothing is compiled here.")


@pytest.mark.slow
@needs_compiler
def test_an_installation_that_cannot_be_written_to_keeps_its_loops_elsewhere(tmp_path):
    home = tmp_path / "home"
    install = copied(tmp_path)
    for hits in ("0", "1"):
        out, _ = fresh(USE, cwd=install, XDG_CACHE_HOME=str(home), NUMBA_CACHE_DIR="")
        assert out.strip() == hits
    assert list((home / "nysviz" / "compiled").rglob("loops.best_ratio*.nbc"))


TAKEN_AWAY = """
import shutil, pathlib
from nysviz.numerics import compiled
folder = pathlib.Path(compiled.FOLDER)
shutil.rmtree(folder)
folder.write_text("in the way")
"""
FULL = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("fault", [TAKEN_AWAY, FULL], ids=["taken away", "full disk"])
def test_a_folder_that_cannot_be_written_to_any_more_is_no_failure(fault, tmp_path):
    out, problem = fresh(fault + USE, NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert out.strip() == "0" and "was not kept" in problem


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_renewed_once(kind, tmp_path):
    fresh(USE, NUMBA_CACHE_DIR=str(tmp_path))
    (file,) = tmp_path.rglob(f"loops.best_ratio*.{kind}")
    good = file.read_bytes()
    for damaged in (b"", good[: len(good) // 2], good[:99] + bytes([good[99] ^ 1]) + good[100:]):
        file.write_bytes(damaged)
        out, problem = fresh(USE, NUMBA_CACHE_DIR=str(tmp_path))
        assert out.strip() == "0" and problem.count("is renewed") == 1
    out, problem = fresh(USE, NUMBA_CACHE_DIR=str(tmp_path))
    assert out.strip() == "1" and not problem


@pytest.mark.slow
@needs_compiler
def test_one_process_at_a_time_keeps_its_codes(tmp_path):
    """Two that write an index at once would give two codes one name."""
    fresh(USE, NUMBA_CACHE_DIR=str(tmp_path))
    (index,) = tmp_path.rglob("loops.best_ratio*.nbi")
    index.unlink()
    with compiled.alone_in(index.parent):
        process = fresh(USE, wait=False, NUMBA_CACHE_DIR=str(tmp_path))
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(10)
        assert not index.exists()
    assert ended(process)[0].strip() == "0" and index.exists()


def test_first_visitors_at_once_get_whole_modules():
    """Each page begins in a thread of its own, with imports that meet from both ends."""
    scripts = [ROOT / "nysviz" / "ui" / "main.py", *sorted((ROOT / "pages").glob("*.py"))]
    code = f"""
import asyncio, re, sys, threading
from concurrent.futures import ThreadPoolExecutor
from nysviz.ui import server
async def start():
    async with server.lifespan(None):
        return set(sys.modules)
before = asyncio.run(start())
scripts = {[script.read_text() for script in scripts]!r}
together = threading.Barrier(len(scripts))
def visit(script):
    together.wait()
    exec("\\n".join(re.findall("^(?:import|from) .*", script, re.MULTILINE)), {{}})
with ThreadPoolExecutor(len(scripts)) as pool:
    list(pool.map(visit, scripts))
print([name for name in set(sys.modules) - before if name.startswith("nysviz.")])
"""
    assert fresh(code)[0].strip() == "[]"
