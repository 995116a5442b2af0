"""The wheel: built from the checkout, installed into a fresh environment, used in an empty folder."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.browser.serving import Server, free_port, running
from tests.visiting import visit

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 6e6

PAGES = sorted(file.stem for file in (ROOT / "pages").glob("*.py"))
LIBRARY = """
import sys
import nysviz as nv
from sklearn.utils.estimator_checks import check_estimator

data = nv.load("digits")
kernel = nv.Gaussian.from_width(nv.default_width(data.X))
a = nv.approximate(data.X, kernel, method="kmeans", m=90, seed=0)
assert nv.errors(data.X, kernel, a).relative_frobenius < 0.1
assert "Take" in str(nv.recommend(data.X, target=0.2))
check_estimator(nv.NystroemFeatures())
assert len(nv.catalog()) > 30
assert not {"streamlit", "plotly"} & set(sys.modules)
"""


def run(*command, cwd):
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel():
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ".", cwd=ROOT)
        (built,) = Path(folder).glob("nysviz-*.whl")
        yield built


@pytest.mark.slow
def test_it_holds_every_file_of_the_package_and_of_the_app(wheel):
    kept = subprocess.run(
        ["git", "ls-files", "nysviz", "pages/*.py", "datasets", "app.py", ".streamlit"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    wanted = {name if name.startswith("nysviz/") else f"nysviz/laboratory/{name}" for name in kept}
    assert wheel.stat().st_size < MOST_BYTES
    assert {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name} == wanted


@pytest.mark.slow
def test_the_library_and_then_the_app_in_an_environment_of_their_own(wheel, tmp_path):
    run(sys.executable, "-m", "venv", "environment", cwd=tmp_path)
    programs = tmp_path / "environment" / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", wheel, cwd=tmp_path)
    run(programs / "python", "-c", LIBRARY, cwd=tmp_path)
    run(programs / "nysviz", "check", cwd=tmp_path)
    assert "digits" in run(programs / "python", "-m", "nysviz", "datasets", cwd=tmp_path)

    run(programs / "python", "-m", "pip", "install", f"{wheel}[app]", cwd=tmp_path)
    port = free_port()
    command = [programs / "nysviz", "app", "--address", "127.0.0.1", "--port", str(port), "--memory", "2000"]
    with running(command, Server(f"http://127.0.0.1:{port}", tmp_path / "log", 0.0), cwd=tmp_path) as server:
        for page in PAGES:
            path = "" if page == "home" else page
            session, _ = visit(server.url, path)
            assert not session.failures, (page, server.log)
            assert session.page == path
            assert list(session.screen.contents("markdown")), page
