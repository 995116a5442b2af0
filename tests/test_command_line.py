"""python -m nysviz: what it prints, what it writes, what it says when something cannot be done."""

import csv
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import nysviz as nv
from nysviz.__main__ import main
from nysviz.datasets import cards
from nysviz.papers.output import check_output, write_atomically
from nysviz.papers.records import Row
from tests.datasets.archive import running

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ["experiment", "data", "n", "d", "method", "m", "repeat", "measure", "value", "seconds"]


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_app_starts_streamlit_with_what_it_was_asked_for(monkeypatch):
    started = []
    monkeypatch.setattr("runpy.run_module", lambda name, **how: started.append((name, *sys.argv[1:])))
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "")
    assert run("app", "--port", "8600", "--memory", "900").exit_code == 0
    script = str(ROOT / "app.py")
    assert started == [("streamlit", "run", script, "--server.address", "localhost", "--server.port", "8600")]
    assert os.environ["NYSVIZ_MEMORY_MB"] == "900"
    assert "No server can listen on nonsense (" in run("app", "--address", "nonsense").output
    monkeypatch.setenv("NYSVIZ_MEMORY_MB", "abc")
    assert run("app").output == (
        "Error: NYSVIZ_MEMORY_MB is 'abc'; set it to a whole number of megabytes such as 1024.\n"
    )
    monkeypatch.setattr("nysviz.__main__.find_spec", lambda name: None)
    assert "nysviz[app]" in run("app").output and len(started) == 1


def test_data_sets_are_listed_by_paper_and_by_what_is_there(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    (tmp_path / "german.numer").write_text("")
    cards = {card.name: card for card in nv.catalog()}

    def names(*options):
        *lines, last = run("datasets", *options).output.splitlines()
        assert str(tmp_path) in last
        for line in lines:
            card = cards[line.split()[0]]
            assert str(card.n) in line and card.title in line
            assert ("not on disk" in line) == (not card.on_disk)
        return [line.split()[0] for line in lines]

    for paper in ("zhang", "Farahat", "YANG", "oglic"):
        wanted = [name for name, card in cards.items() if paper.lower() in card.paper.lower()]
        assert names("--paper", paper) == wanted and len(wanted) >= 5
    assert names("--paper", "zhang", "--on-disk") == ["german"]
    assert set(names("--on-disk")) == {"german"} | {card.name for card in nv.catalog() if card.kind != "file"}
    assert set(names("--on-disk")) | set(names("--not-on-disk")) == set(cards)
    assert "No data set matches." in run("datasets", "--paper", "farahat", "--on-disk").output
    assert run("datasets", "--paper", "nobody").exit_code == 2


def catalog_at(server, monkeypatch, tmp_path):
    """The catalog with LIBSVM's archive on this machine, and an empty data folder."""
    there = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
    text = cards.CATALOG.read_text(encoding="utf-8").replace(there, server.address(""))
    monkeypatch.setattr(cards, "CATALOG", tmp_path / "catalog.toml")
    cards.CATALOG.write_text(text, encoding="utf-8")
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    rows = "".join(f"{j % 2} 1:{j}.5 2:1 3:-2 4:0.25\n" for j in range(3089))
    server["/binary/svmguide1"] = rows.encode()
    return tmp_path / "data"


def test_several_sets_are_fetched_and_one_failure_does_not_stop_the_others(monkeypatch, tmp_path):
    with running() as server:
        folder = catalog_at(server, monkeypatch, tmp_path)
        told = run("fetch", "w1a", "irish", "svmguide1a", "digits", "svmguide1a", "census")
        assert told.exit_code == 1 and "Traceback" not in told.output
        assert [path.name for path in folder.iterdir()] == ["svmguide1"]
        assert told.stdout.splitlines() == [
            f"svmguide1a is in {folder}: 3089 x 4 values, labels as the catalog says.",
            "digits needs no file; load it at once.",
        ]
        failed = told.stderr.splitlines()
        assert [line.split()[0] for line in failed] == ["w1a", "There", "census"]
        assert "404 (Not Found)" in failed[0]
        assert server.asked == ["/binary/w1a", "/binary/svmguide1"]
        told = run("fetch", "svmguide1a")
        assert told.exit_code == 0 and "svmguide1a is there" in told.stdout and not told.stderr
        assert len(server.asked) == 2
    assert run("fetch").exit_code == 2


def test_figure_1_on_an_embedded_set(tmp_path):
    out = tmp_path / "rows.csv"
    asked = ("--data", "iris", "--repeats", "2", "--seed", "4", "--out", str(out))
    told = run("reproduce", "zhang-fig1", *asked)
    assert told.exit_code == 0, told.output
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 10 * (1 + 1 + 3 * 2)
    data = nv.load("iris")
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    for row in rows:
        assert (row["experiment"], row["data"], row["measure"]) == ("zhang-fig1", "iris", "frobenius")
        if row["m"] == "8":
            expected = nv.error_curve(data.X, kernel, row["method"], [8], 4 + int(row["repeat"]))[0]
            assert float(row["value"]) == pytest.approx(expected, rel=1e-6)
    at_eight = next(line.split() for line in told.output.splitlines() if line.split()[:2] == ["iris", "8"])
    icd = np.array([float(row["value"]) for row in rows if row["m"] == "8" and row["method"] == "icd"])
    assert f"{icd.mean():.4g}" in at_eight
    # The claims that these rows are about stand below; two runs decide none.
    assert re.search(r"^z6 too few runs: .* 2 repeats on Iris flowers, ", told.output, re.MULTILINE)


def test_several_sets_stand_after_one_option_or_after_one_each(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "nysviz.__main__.run_experiment", lambda chosen, names, *rest: asked.append(names) or ([], 0)
    )
    for data in (("iris", "wine", "iris"), ("iris", "--data", "wine")):
        assert run("reproduce", "zhang-fig1", "--data", *data, "--repeats", "1").exit_code == 0
    assert asked == 2 * [["iris", "wine"]]
    told = run("reproduce", "zhang-fig1", "--data", "iris", "--out", "a.csv", "b.csv")
    assert told.exit_code == 2
    assert "b.csv: neither an option nor a data set of the catalog" in " ".join(told.output.split())


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ("reproduce zhang-fig1 --data irish", "irish is left out: the catalog has no set of this name."),
        ("reproduce zhang-fig9", "'zhang-fig9' is not one of"),
        ("reproduce zhang-fig1 --data iris --out .", "is a directory"),
        ("reproduce zhang-fig1 --data iris --out none/x.csv", "none/x.csv cannot be written"),
        ("reproduce zhang-fig1 --data iris --out file/x.csv", "file/x.csv cannot be written"),
        ("record zhang-prop1 --out .", "zhang-prop1.csv cannot be written (Is a directory); name a file"),
    ],
)
def test_what_cannot_be_done_is_told_before_the_runs(arguments, sentence, monkeypatch, tmp_path):
    monkeypatch.setattr("nysviz.__main__.run_experiment", None)
    monkeypatch.setattr("nysviz.papers.experiments.run", None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "zhang-prop1.csv").mkdir()
    told = run(*arguments.split())
    assert told.exit_code != 0 and sentence in told.output
    assert isinstance(told.exception, SystemExit) and "Traceback" not in told.output


def stand_in(monkeypatch, count, problem):
    """Let zhang-fig1 end after some rows, with a problem if one is given."""

    def reproduce(name, repeats, seed):
        for m in range(count):
            yield Row("zhang-fig1", "iris", 150, 4, "uniform", m + 1, 0, "frobenius", 1.0, 0.0)
        if problem is not None:
            raise problem

    monkeypatch.setattr("nysviz.papers.zhang2008.figure1.reproduce", reproduce)
    monkeypatch.setattr("nysviz.papers.claims.report", lambda experiment, rows: "the table")


@pytest.mark.parametrize(
    "count, problem, code, before",
    [
        (2, ValueError("singular"), 1, "rows of yesterday"),
        (2, SystemExit(143), 143, "rows of yesterday"),
        (0, SystemExit(143), 143, None),
    ],
)
def test_runs_that_end_early_leave_the_file_as_it_was(count, problem, code, before, monkeypatch, tmp_path):
    stand_in(monkeypatch, count, problem)
    out, part = tmp_path / "x.csv", tmp_path / "x.interrupted.csv"
    if before is not None:
        out.write_text(before)
    result = run("reproduce", "zhang-fig1", "--data", "iris", "--out", str(out))
    assert result.exit_code == code and "Traceback" not in result.output
    assert (out.read_text() if out.exists() else None) == before
    assert part.exists() == (count > 0 and code != 1)
    if part.exists():
        kept = part.read_text().splitlines()
        assert kept[0] == ",".join(COLUMNS) and len(kept) == 1 + count


def test_a_full_disk_leaves_the_old_file_and_prints_the_rows(monkeypatch, tmp_path):
    stand_in(monkeypatch, 5, None)
    out = tmp_path / "x.csv"
    out.write_text("rows of yesterday")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The system then refuses to let any file grow past 100 bytes, as a full disk would.
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        result = run("reproduce", "zhang-fig1", "--data", "iris", "--out", str(out))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert result.exit_code == 1
    assert "could not be written (File too large); its rows follow" in result.stderr
    assert result.stdout.count("zhang-fig1,iris,") == 5 and "the table" in result.stdout
    assert [path.read_text() for path in tmp_path.iterdir()] == ["rows of yesterday"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
def test_output_that_cannot_be_written_is_a_sentence():
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "nysviz", "datasets"],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 1
    assert ran.stderr == "Error: The output could not be written (No space left on device).\n"


def test_an_interruption_of_the_imports_is_no_traceback(tmp_path):
    (tmp_path / "numba.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)")
    # Where the tests themselves run in the background, it would be ignored.
    program = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, sys.executable, "-m", "nysviz", "datasets"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=-1, stderr=-1, text=True) as ran:
        assert ran.stdout.readline() == "importing\n"
        ran.send_signal(signal.SIGINT)
        assert ran.wait(30) == -signal.SIGINT and ran.stderr.read() == ""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_runs_with_its_code_and_keeps_the_rows(tmp_path, name):
    out = tmp_path / "x.csv"
    program = (
        "import itertools, os, runpy, signal\n"
        "from nysviz.papers.zhang2008 import figure1\n"
        "from nysviz.papers.records import Row\n"
        "def reproduce(name, repeats, seed):\n"
        "    yield Row('zhang-fig1', 'iris', 150, 4, 'uniform', 1, 0, 'frobenius', 1.0, 0.0)\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    yield from itertools.repeat(None)\n"
        "figure1.reproduce = reproduce\n"
        # Where the tests themselves run below nohup, it would be ignored.
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"
        "runpy.run_module('nysviz', run_name='__main__', alter_sys=True)"
    )
    command = [sys.executable, "-c", program, "reproduce", "zhang-fig1", "--data", "iris", "--out", str(out)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 128 + getattr(signal, name) and "Traceback" not in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["x.interrupted.csv"]
    assert len((tmp_path / "x.interrupted.csv").read_text().splitlines()) == 2


def test_a_file_is_replaced_with_its_rights_through_a_link_and_a_device_is_written(tmp_path):
    old, link = tmp_path / "x.csv", tmp_path / "link.csv"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    check_output(link)
    write_atomically(link, b"new")
    assert link.is_symlink() and old.read_text() == "new" and old.stat().st_mode & 0o777 == 0o640
    os.mkfifo(tmp_path / "pipe")
    check_output(tmp_path / "pipe")  # nobody reads it yet: opening it would wait
    write_atomically(Path(os.devnull), b"new")
    assert Path(os.devnull).is_char_device()
