"""A Streamlit server of one's own on a free loopback port, and a headless Chromium to look at it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser import find_chromium

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240.0
STOP_SECONDS = 10.0
CHROMIUM_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-rasterization",  # which Debian switches on, with or without a GPU
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True)
class Server:
    """A running Streamlit server."""

    url: str
    log_file: Path
    started: float  # time.perf_counter() just before the process was made
    pid: int = 0

    @property
    def log(self) -> str:
        """Everything that the server has printed so far."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def is_healthy(url: str) -> bool:
    """Whether the server answers that it is up."""
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def wait_until_healthy(process: subprocess.Popen[bytes], server: Server) -> None:
    """Return once the server answers; fail with its log when it ends or stays silent."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}:\n{server.log}")
        if is_healthy(server.url):
            return
        time.sleep(0.02)
    raise RuntimeError(f"the server did not answer within {START_SECONDS:.0f} s:\n{server.log}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End this very process, gently first."""
    process.terminate()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running(command: list[str], server: Server, **how: Any) -> Iterator[Server]:
    """Run the command of a server, whose output goes to its log, and stop it at the end."""
    with server.log_file.open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **how)
        try:
            wait_until_healthy(process, server)
            yield replace(server, pid=process.pid)
        finally:
            stop(process)


@contextmanager
def serving(
    script: Path, environment: Mapping[str, str] | None = None, folder: Path = ROOT, port: int = 0
) -> Iterator[Server]:
    """Serve `script` with the project's own settings from a folder, and stop the server at the end."""
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    command += ["--server.headless", "true", "--server.fileWatcherType", "none"]
    with tempfile.TemporaryDirectory(prefix="nysviz-server-", ignore_cleanup_errors=True) as scratch:
        server = Server(f"http://127.0.0.1:{port}", Path(scratch) / "server.log", time.perf_counter())
        with running(command, server, cwd=folder, env={**os.environ, **(environment or {})}) as started:
            yield started


@contextmanager
def browsing(**options: Any) -> Iterator[Browser]:
    """Start the Chromium that `find_chromium` finds; `options` go to Playwright's launch."""
    path = find_chromium.find()
    if path is None:
        raise RuntimeError(find_chromium.REMEDY)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_ARGUMENTS), **options)
        try:
            yield browser
        finally:
            browser.close()
