"""Find a Chromium for the browser tests and, when asked, install one.

``python tests/browser/find_chromium.py`` prints the path of the browser; with ``--install`` it tries to get
one where none is found. Standard library only, so that it also runs before anything is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPLICATIONS = ("Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome")
PLAYWRIGHT_BUILDS = ("chrome-linux*/chrome", "chrome-mac*/*.app/Contents/MacOS/*", "chrome-win*/chrome.exe")
REMEDY = (
    "No Chromium was found and none could be installed: install Chromium or Google Chrome, "
    "or set NYSVIZ_CHROMIUM to the path of one."
)
DOWNLOAD_SECONDS = 600


def starts(path: Path) -> bool:
    """Whether the browser at `path` runs: a download can lack the libraries of the system."""
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0


def candidates() -> list[Path]:
    """Where a browser may be, the installed ones before Playwright's downloads."""
    found = [Path(path) for path in map(shutil.which, COMMANDS) if path]
    for folder in (Path("/Applications"), Path.home() / "Applications"):
        found += [folder / application for application in MAC_APPLICATIONS]
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    downloads = [Path(named)] if named else []
    downloads += [Path.home() / ".cache/ms-playwright", Path.home() / "Library/Caches/ms-playwright"]
    for folder in downloads:
        for build in PLAYWRIGHT_BUILDS:
            found += sorted(folder.glob(f"chromium-*/{build}"), reverse=True)
    return found


def find() -> Path | None:
    """Return the browser to use, or None; raise where NYSVIZ_CHROMIUM names something that does not start."""
    if named := os.environ.get("NYSVIZ_CHROMIUM"):
        if starts(Path(named)):
            return Path(named)
        raise FileNotFoundError(
            f"NYSVIZ_CHROMIUM is {named}, which does not start: name a Chromium that does."
        )
    return next((path for path in candidates() if path.is_file() and starts(path)), None)


def attempt(*command: str) -> bool:
    """Run a command, its output on stderr, and tell whether it worked."""
    print("$", " ".join(command), file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            command, stdout=sys.stderr, stdin=subprocess.DEVNULL, timeout=DOWNLOAD_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        print(problem, file=sys.stderr)
        return False
    return done.returncode == 0


def root_prefix() -> list[str] | None:
    """Return what to put before a command to run it as root, or None where this user may not."""
    if not hasattr(os, "geteuid"):
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    allowed = shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True, check=False)
    return sudo if allowed and allowed.returncode == 0 else None


def is_debian() -> bool:
    """Whether apt-get has a real chromium here: Ubuntu's package is an empty shell around a snap."""
    release = Path("/etc/os-release")
    text = release.read_text(encoding="utf-8") if release.is_file() else ""
    return bool(shutil.which("apt-get")) and "ubuntu" not in text.lower()


def install() -> None:
    """Try Debian's package, then Playwright's own download."""
    prefix = root_prefix()
    if is_debian() and prefix is not None:
        apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
        apt += ["-o", "DPkg::Lock::Timeout=300"]
        attempt(*apt, "update")
        if attempt(*apt, "install", "-y", "--no-install-recommends", "chromium") and find():
            return
    system_libraries = ["--with-deps"] if prefix is not None and shutil.which("apt-get") else []
    attempt(sys.executable, "-m", "playwright", "install", *system_libraries, "chromium")


def main(arguments: list[str]) -> int:
    """Print the browser's path, or one sentence that says what is missing."""
    try:
        path = find()
        if path is None and "--install" in arguments:
            install()
            path = find()
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(path if path else REMEDY, file=sys.stdout if path else sys.stderr)
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
