"""The source itself: nothing in it can take a visitor's text for a program, an object or markup."""

import ast
import tomllib
from pathlib import Path

from streamlit import config

from nysviz.datasets.upload.limits import MAX_BYTES

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "nysviz").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])
# Modules that run programs, build objects from bytes, or read whatever a text says.
MODULES = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "yaml",
    "subprocess", "pty",
    "code", "codeop", "runpy", "xml", "xmlrpc", "telnetlib", "ftplib",
    "smtplib", "ctypes", "numexpr", "jinja2",
}  # fmt: skip
CALLS = {"eval", "exec", "compile", "__import__"}
# Called as methods: of os, of numpy and pandas, of Streamlit.
METHODS = {
    "system", "popen", "execv", "execve", "execvp", "spawnl", "spawnv", "startfile", "fork", "import_module",
    "read_pickle", "to_pickle", "eval", "query", "literal_eval", "loadmat", "iframe", "declare_component",
    "create_subprocess_exec", "create_subprocess_shell", "make_dataclass", "extractall", "unpack_archive",
}  # fmt: skip
# What of these is there, and why it cannot be reached by a visitor's text.
ALLOWED = {
    ("nysviz/papers/experiments.py", "import subprocess"),  # git for the commit, by words of the source
    ("nysviz/datasets/upload/binary.py", "import subprocess"),  # its own child; the file is standard input
    ("nysviz/papers/experiments.py", "import_module()"),  # an experiment of the literal table of the catalog
    ("nysviz/__main__.py", "import runpy"),  # Streamlit itself, from the command line alone
    ("nysviz/__init__.py", "import_module()"),  # nysviz.plot, where a script asks for it
    ("nysviz/datasets/__init__.py", "import_module()"),  # modules of a literal table
    ("nysviz/ui/server.py", "import_module()"),  # the modules of the package itself
    (
        "nysviz/numerics/memory.py",
        "import ctypes",
    ),  # gives freed memory back: a call of the C library without text
    (
        "nysviz/numerics/lapack/routines.py",
        "import ctypes",
    ),  # addresses of scipy with checked signatures; numbers
    ("nysviz/datasets/readers.py", "loadmat()"),  # files of the catalog, from the data folder
    ("nysviz/datasets/upload/child.py", "loadmat()"),  # numbers alone, in a process of its own
}


def found(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (f"import {a.name}" for a in node.names if a.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            yield f"import {node.module}"
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in CALLS | METHODS:
                yield f"{node.func.id}()"
            elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                yield f".{node.func.attr}()"
            for keyword in node.keywords:
                if keyword.arg in ("unsafe_allow_html", "unsafe_allow_javascript", "allow_pickle", "shell"):
                    value = keyword.value
                    if not (isinstance(value, ast.Constant) and value.value is False):
                        yield f"{keyword.arg}="


def test_nothing_evaluates_unpickles_starts_a_program_or_lets_html_through():
    seen = set()
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        seen |= {(path.relative_to(ROOT).as_posix(), what) for what in found(tree)}
    assert len(FILES) > 150
    assert seen == ALLOWED


FILE = ROOT / ".streamlit" / "config.toml"
NEEDED = {
    "browser.gatherUsageStats": False, "client.showErrorDetails": "none", "client.showErrorLinks": False,
    "client.toolbarMode": "minimal", "runner.magicEnabled": False, "server.enableXsrfProtection": True,
    "server.enableCORS": True, "server.enableStaticServing": False, "server.enableAgentApi": False,
    "server.fileWatcherType": "none",
}  # fmt: skip
# The largest value that is right, in MB.
BOUNDED = {"server.maxUploadSize": 50, "server.maxMessageSize": 64}


def settings():
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {f"{part}.{name}": value for part, values in table.items() for name, value in values.items()}


def test_the_settings_that_a_public_server_relies_on_are_the_safe_ones():
    stated = settings()
    assert {*NEEDED, *BOUNDED} <= set(config.get_config_options())
    assert {name: stated[name] for name in NEEDED} == NEEDED
    assert all(0 < stated[name] <= most for name, most in BOUNDED.items())
    # The box counts in units of 2^20, the reader in millions: what lies between is refused in a sentence.
    assert stated["server.maxUploadSize"] * 1_000_000 == MAX_BYTES
    assert "server.address" not in stated and "server.corsAllowedOrigins" not in stated
    assert not any("cookieSecret" in name or "password" in name.lower() for name in stated)
