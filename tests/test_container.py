"""The container file: its statements, and what they make, without a container program.

The tree that it copies is laid out in a folder without write permission, and its commands run there, with the
paths of the image replaced.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.browser.serving import Server, free_port, running
from tests.visiting import visit

ROOT = Path(__file__).resolve().parents[1]


def statements():
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]


def of(kind):
    return [words for name, words in statements() if name == kind]


def copies():
    """Pairs of source and target."""
    pairs = []
    for words in of("COPY"):
        *sources, target = words.split()
        pairs += [(source, target if len(sources) == 1 and target != "./" else source) for source in sources]
    return pairs


def environment():
    return dict(part.split("=", 1) for words in of("ENV") for part in shlex.split(words))


def test_what_it_is_made_of_and_who_runs_it():
    passed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for source, target in copies():
        assert (ROOT / source).exists(), source
        assert source == target
        assert any(source == path or fnmatch(source, f"{path}/*") for path in passed), source
    assert set(passed) == {source for source, _ in copies()}
    names = [name for name, _ in statements()]
    (user,) = of("USER")
    assert all(part.isdigit() and int(part) > 0 for part in user.split(":"))
    after = names[names.index("USER") :]
    assert "COPY" not in after and "RUN" not in after
    settings = environment()
    assert settings["HOME"].startswith("/tmp/") and settings["NUMBA_CACHE_DIR"].startswith("/tmp/")
    assert settings["PYTHONDONTWRITEBYTECODE"] == "1"
    (base,) = of("FROM")
    version = tuple(int(part) for part in re.search(r"python:(\d+)\.(\d+)-slim$", base).groups())
    least = re.search(r'requires-python = ">=(\d+)\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    assert version >= tuple(int(part) for part in least.groups())


@pytest.fixture
def image(tmp_path):
    """Lay out the tree of the image without permission to write, and say how its paths are to be read."""
    app = tmp_path / "srv" / "nysviz"
    app.mkdir(parents=True)
    for source, target in copies():
        (app / target).parent.mkdir(parents=True, exist_ok=True)
        leave = shutil.ignore_patterns("__pycache__")
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, app / target, **({"ignore": leave} if copy is shutil.copytree else {}))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "data").mkdir()
    for path in sorted(app.rglob("*"), reverse=True):
        path.chmod(path.stat().st_mode & ~0o222)
    app.chmod(0o555)
    yield tmp_path
    for path in [app, *app.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


def here(words, image):
    """Read a command or a path of the image as one of this machine."""
    words = re.sub(r"(?<![\w/.])/(tmp|srv|data)\b", lambda found: f"{image}/{found[1]}", words)
    return words.replace("python -m", f"{shlex.quote(sys.executable)} -m")


def listing(image):
    return {path: path.stat().st_mtime_ns for path in (image / "srv" / "nysviz").rglob("*")}


@pytest.mark.slow
def test_it_starts_draws_and_passes_its_health_check_on_a_disk_it_cannot_write_to(image):
    app, port = image / "srv" / "nysviz", str(free_port())
    settings = {name: here(value, image) for name, value in environment().items()}
    variables = {**os.environ, "PYTHONPATH": "", **settings}
    build = next(words for words in of("RUN") if "nysviz check" in words)
    compiling = here("&&".join(part for part in build.split("&&") if "/jit" in part), image)
    # Bytecode, which the image has beside its sources, is kept out, so that the listing shows the rest.
    subprocess.run(["sh", "-c", compiling], cwd=app, env=variables, check=True, capture_output=True)
    compiled = [image / "srv" / "jit", *(image / "srv" / "jit").rglob("*")]
    assert any(path.suffix == ".nbc" for path in compiled)
    # The user that the image starts as is another one than the user that built it.
    for path in compiled:
        needed = 0o005 if path.is_dir() else 0o004
        assert path.stat().st_mode & needed == needed, path
    before = listing(image)

    (command,), (health,) = of("CMD"), of("HEALTHCHECK")
    start = json.loads(command)
    start[2] = here(start[2].replace("0.0.0.0", "127.0.0.1").replace("8501", port), image)
    server = Server(f"http://127.0.0.1:{port}", image / "tmp" / "log", 0.0)
    with running(start, server, cwd=app, env=variables):
        session, _ = visit(server.url, "approximate", "data=Iris+flowers")
        assert list(session.screen.contents("plotly_chart")), server.log
        assert not session.failures, server.log
        asking = json.loads(health[health.index("[") :])
        asked = subprocess.run(
            [sys.executable, *(word.replace("8501", port) for word in asking[1:])],
            cwd=app, env=variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert asked.returncode == 0, asked.stdout + asked.stderr
        assert "server" in asked.stdout and f"loaded from {image}/tmp/jit" in asked.stdout
    assert listing(image) == before
