"""The command line: ``nysviz app | datasets | fetch | reproduce | record | findings | check …``."""

import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import click

from nysviz.datasets import Card, catalog, default_data_folder
from nysviz.numerics.machine import VARIABLE as MEMORY
from nysviz.numerics.machine import limit_bytes
from nysviz.papers.data import at_hand
from nysviz.papers.experiments import EXPERIMENTS, Experiment
from nysviz.papers.output import check_output, write_atomically
from nysviz.papers.records import Row, as_csv
from nysviz.playground.standalone import standalone
from nysviz.refusal import Refusal
from nysviz.root import ROOT


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Low-rank approximation of kernel matrices: the data sets, and the published experiments."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    """End the command with one sentence where we or the system refuse."""
    try:
        yield
    except (ValueError, OSError) as problem:
        raise click.ClickException(str(problem)) from problem


@main.command()
@click.option("--address", default="localhost", show_default=True, help="Listen here; 0.0.0.0 for all.")
@click.option("--port", type=click.IntRange(1, 65535), help="8501, or the next free one, when not given.")
@click.option("--memory", type=click.IntRange(1), metavar="MB", help="Grant less than the machine has.")
def app(address: str, port: int | None, memory: int | None) -> None:
    """Open the laboratory in the browser."""
    if find_spec("streamlit") is None:
        raise click.ClickException("The pages need Streamlit: pip install 'nysviz[app]'.")
    if memory is not None:
        os.environ[MEMORY] = str(memory)
    with _in_a_sentence():
        limit_bytes()
        _check_place(address, port)
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), "--server.address", address]
    if port is not None:
        sys.argv += ["--server.port", str(port)]
    # As `python -m streamlit`, in this process.
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _check_place(address: str, port: int | None) -> None:
    """Refuse an address or a port that no server can listen on here."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            # As a server does that is started again just after it ended.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port or 0))
    except OSError as problem:
        place = address if port is None else f"{address}, port {port},"
        raise Refusal(
            f"No server can listen on {place} ({problem.strerror}); give localhost, 0.0.0.0 or another "
            "address of this machine, and a free port."
        ) from problem


@main.command()
@click.option(
    "--paper",
    type=click.Choice(("Zhang", "Farahat", "Yang", "Oglic"), case_sensitive=False),
    help="Only the sets of this paper.",
)
@click.option(
    "--on-disk/--not-on-disk", default=None, help="Only the sets that can, or cannot, be loaded now."
)
def datasets(paper: str | None, on_disk: bool | None) -> None:
    """List the data sets, and which of them are at hand."""
    cards = [
        card
        for card in catalog()
        if (paper is None or paper in card.paper) and (on_disk is None or card.on_disk == on_disk)
    ]
    width = max((len(card.paper) for card in cards), default=0)
    for card in cards:
        size = f"{card.name:17} {card.n:>7} × {card.d:<6}"
        click.echo(f"{size} {card.task or '':15} {_place(card):21} {card.paper:{width}}  {card.title}")
    if not cards:
        click.echo("No data set matches.")
    click.echo(f"Files are looked for in {default_data_folder()}.")


def _place(card: Card) -> str:
    if card.kind != "file":
        return {"embedded": "comes along", "generator": "generated"}[card.kind]
    if card.on_disk:
        return "on disk"
    return "not on disk" if card.addresses else "not on disk, by hand"


@main.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME ...")
def fetch(names: tuple[str, ...]) -> None:
    """Download data sets from their archives into the data folder, and check them.

    NAME is the name of a data set as `datasets` lists it. If one cannot be fetched, the others still are, and
    the exit code is 1.
    """
    # Imported late: nothing else here needs the download library.
    from nysviz.datasets.download import fetch as bring

    failed = False
    for name in dict.fromkeys(names):
        try:
            click.echo(bring(name, progress=_meter).sentence)
        except ValueError as problem:
            failed = True
            click.echo(str(problem), err=True)
    sys.exit(int(failed))


def _meter(file: str, received: int, announced: int | None) -> None:
    """Show progress on one line of a terminal; nothing where the output goes into a file."""
    if sys.stderr.isatty():
        total = f" of {announced / 1e6:.1f}" if announced else ""
        click.echo(f"\r{file}: {received / 1e6:.1f}{total} MB ", nl=received != announced, err=True)


@main.command()
@click.argument("experiment", type=click.Choice(list(EXPERIMENTS)), metavar="EXPERIMENT")
# Click's options take no open number of values: the names after the first one of --data come as arguments.
@click.argument("more", nargs=-1, metavar="[--data NAME ...]")
@click.option(
    "--data",
    "names",
    multiple=True,
    metavar="NAME ...",
    help="Data sets of the catalog; may be given again.",
)
@click.option(
    "--repeats", type=click.IntRange(1, 10_000), help="Of the random methods; the paper's by default."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where the rows go, as CSV.")
def reproduce(
    experiment: str,
    names: tuple[str, ...],
    more: tuple[str, ...],
    repeats: int | None,
    seed: int,
    out: Path | None,
) -> None:
    """Run a published experiment again and compare the results with the printed ones.

    EXPERIMENT comes first, one of the ids below; without --data, the paper's data sets that are at hand.
    """
    if more and not names:
        raise click.UsageError(f"{' '.join(more)}: data sets stand after --data.")
    catalog_names = {card.name for card in catalog()}
    if strays := [word for word in more if word not in catalog_names]:
        raise click.UsageError(
            f"{' '.join(strays)}: neither an option nor a data set of the catalog; "
            "`python -m nysviz datasets` lists the sets."
        )
    chosen = EXPERIMENTS[experiment]
    with _in_a_sentence():
        if out is not None:
            check_output(out)
        data_names = _choose(chosen, tuple(dict.fromkeys((*names, *more))))
        repeats = chosen.repeats if repeats is None else repeats
        click.echo(
            f"{experiment}: {chosen.title}; {', '.join(data_names)}; {repeats} repeats, seed {seed}", err=True
        )
        rows, stopped = run_experiment(chosen, data_names, repeats, seed)
        code = _keep(rows, out, stopped) if rows and (out or stopped) else stopped
        if not stopped:
            # Imported late: the tests of all claims are a second's worth of code.
            from nysviz.papers.claims import report

            click.echo(report(chosen, rows))
    sys.exit(code)


reproduce.epilog = "\b\n" + "\n".join(
    f"{name:20} {experiment.title}" for name, experiment in EXPERIMENTS.items()
)


def _choose(experiment: Experiment, names: tuple[str, ...]) -> list[str]:
    data_names, sentences = at_hand(names or experiment.data)
    for sentence in sentences:
        click.echo(sentence, err=True)
    if not data_names and not names:
        data_names = list(experiment.embedded)
        click.echo(f"None of the paper's data is at hand: {', '.join(data_names)} instead.", err=True)
    if not data_names:
        raise Refusal("No data left; name a set that `python -m nysviz datasets` shows as at hand.")
    return data_names


def run_experiment(
    experiment: Experiment, names: Sequence[str], repeats: int, seed: int
) -> tuple[list[Row], int]:
    """Collect the rows, counted on a terminal, and the exit code: not 0 where a signal ended the runs."""
    rows: list[Row] = []
    started, code = time.monotonic(), 0
    try:
        for row in experiment.reproduce(names, repeats, seed):
            rows.append(row)
            if sys.stderr.isatty():
                spent = f"{len(rows)} rows, {time.monotonic() - started:.0f} s "
                click.echo(f"\r{row.data}, {row.method}: {spent}", nl=False, err=True)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
        click.echo(f"\nInterrupted after {len(rows)} rows.", err=True)
    return rows, code


def _keep(rows: Sequence[Row], out: Path | None, stopped: int) -> int:
    """Write the rows to the file, or else to standard output, and return the exit code."""
    content = as_csv(rows)
    if out is None:
        click.echo(content, nl=False)
        return stopped
    place = out.with_name(f"{out.stem}.interrupted{out.suffix}") if stopped else out
    try:
        write_atomically(place, content.encode())
    except OSError as problem:
        why = problem.strerror
        click.echo(f"{place} could not be written ({why}); its rows follow on standard output.", err=True)
        return _keep(rows, None, stopped or 1)
    click.echo(f"{len(rows)} rows in {place}", err=True)
    return stopped


@main.command()
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT ...]")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="The folder of the records.")
def record(experiments: tuple[str, ...], seed: int, out: Path | None) -> None:
    """Record the runs that the claims page judges by; all of them where none is named."""
    from nysviz.papers.experiments import record as run_and_write
    from nysviz.papers.records import FOLDER

    with _in_a_sentence():
        run_and_write(experiments, out or FOLDER, seed, click.echo)


@main.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("docs"),
    show_default=True,
    help="The folder that the page goes into.",
)
def findings(out: Path) -> None:
    """Write the page of findings, findings.md, and its tables as CSV from the recorded runs."""
    from nysviz.papers.findings.page import write

    with _in_a_sentence():
        write(out)
    click.echo(f"{out / 'findings.md'}", err=True)


@main.command()
@click.option("--url", help="Ask a running app at this address for its health too.")
def check(url: str | None) -> None:
    """Tell whether the numerical core, its compiled loops, their cache and the memory are as they should be.

    The exit code is 1 where one of them is not, so that a host can ask.
    """
    from nysviz.checking import check as look

    results = []
    for finding in look(url):
        results.append(finding)
        click.echo(f"{'good' if finding.good else 'BAD':4}  {finding.name}: {finding.sentence}")
    sys.exit(int(not all(finding.good for finding in results)))


@main.command()
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("playground.html"),
    show_default=True,
    help="Where the file goes.",
)
def playground(out: Path) -> None:
    """Write the page Playground as one HTML file, which needs no server and no network."""
    with _in_a_sentence():
        check_output(out)
        write_atomically(out, standalone().encode())
    click.echo(f"{out}: open it in a browser.", err=True)


def run() -> None:
    """Run the command that the arguments name; a signal ends it in an orderly way."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows has no hang-up; nohup ignores it.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    try:
        main()
    except OSError as problem:
        # Output that is still buffered would fail once more at the end.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        click.echo(f"Error: The output could not be written ({problem.strerror}).", err=True)
        sys.exit(1)


if __name__ == "__main__":
    run()
