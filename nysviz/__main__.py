"""The command line: ``python -m nysviz datasets | reproduce``."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

import click

from nysviz.datasets import catalog, default_data_folder
from nysviz.experiments.catalog import EXPERIMENTS, Experiment
from nysviz.experiments.problems import at_hand
from nysviz.experiments.row import Row


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Low-rank approximation of kernel matrices: the data sets, and the published experiments."""


@main.command()
def datasets() -> None:
    """List the data sets, and which of them are at hand."""
    for card in catalog():
        place = {"embedded": "comes along", "generator": "generated"}.get(card.kind)
        place = place or ("on disk" if card.on_disk else "not on disk")
        click.echo(f"{card.name:18} {card.n:>8} × {card.d:<6} {card.task or '':15} {place:12} {card.title}")
    click.echo(f"Files are looked for in {default_data_folder()}.")


@main.command()
@click.argument("experiment", type=click.Choice(list(EXPERIMENTS)), metavar="EXPERIMENT")
@click.option("--data", "names", multiple=True, help="A data set of the catalog; may be given again.")
@click.option(
    "--repeats", type=click.IntRange(1, 10_000), help="Of the random methods; the paper's by default."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where the rows go, as CSV.")
def reproduce(
    experiment: str, names: tuple[str, ...], repeats: int | None, seed: int, out: Path | None
) -> None:
    """Run a published experiment again and set what comes out beside what is printed.

    EXPERIMENT is one of the ids below; without --data, the paper's data sets that are at hand.
    """
    chosen = EXPERIMENTS[experiment]
    try:
        there = _choose(chosen, names)
        repeats = chosen.repeats if repeats is None else repeats
        click.echo(
            f"{experiment}: {chosen.title}; {', '.join(there)}; {repeats} repeats, seed {seed}", err=True
        )
        rows = _run(chosen, there, repeats, seed)
        click.echo(chosen.table(rows))
        if out is not None:
            write(rows, out)
            click.echo(f"{len(rows)} rows in {out}", err=True)
    except (ValueError, OSError) as problem:
        raise click.ClickException(str(problem)) from problem


reproduce.epilog = "\b\n" + "\n".join(f"{name:14} {found.title}" for name, found in EXPERIMENTS.items())


def _choose(experiment: Experiment, names: tuple[str, ...]) -> list[str]:
    there, sentences = at_hand(names or experiment.data)
    for sentence in sentences:
        click.echo(sentence, err=True)
    if not there and not names:
        there = list(experiment.embedded)
        click.echo(f"None of the paper's data is at hand: {', '.join(there)} instead.", err=True)
    if not there:
        raise ValueError("No data left; name a set that `python -m nysviz datasets` shows as at hand.")
    return there


def _run(experiment: Experiment, names: Sequence[str], repeats: int, seed: int) -> list[Row]:
    """Collect the rows; on a terminal, count them. Interrupted, it keeps those that are there."""
    rows: list[Row] = []
    started = time.monotonic()
    try:
        for row in experiment.reproduce(names, repeats, seed):
            rows.append(row)
            if sys.stderr.isatty():
                seconds = time.monotonic() - started
                click.echo(
                    f"\r{row.data}, {row.method}: {len(rows)} rows, {seconds:.0f} s ", nl=False, err=True
                )
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted: {len(rows)} rows are there.", err=True)
    if sys.stderr.isatty():
        click.echo(err=True)
    return rows


def write(rows: Sequence[Row], path: Path) -> None:
    """Write rows as CSV, sorted, so that the order in which runs finished leaves no trace."""
    order = sorted(rows, key=lambda row: (row.data, row.method, row.m, row.repeat, row.measure))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in order)


if __name__ == "__main__":
    main(prog_name="python -m nysviz")
