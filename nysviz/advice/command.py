"""``python -m nysviz recommend``: the recommendation for a file or a data set of the catalog, as a table."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from nysviz.advice.question import NORMS
from nysviz.datasets import Dataset, catalog, load
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.refusal import Refusal


def data_of(name: str) -> Dataset:
    """Read a file, or load the set of the catalog that has this name."""
    path = Path(name)
    if path.is_file():
        # pandas takes long to import, and only files need it.
        from nysviz.datasets import parse

        return parse(path.read_bytes(), path.name)
    if any(card.name == name for card in catalog()):
        return load(name)
    raise Refusal(
        f"{name} is neither a file nor a data set; `python -m nysviz datasets` lists the sets by name."
    )


@click.command("recommend")
@click.argument("data", metavar="FILE|NAME")
@click.option(
    "--target", type=float, default=0.05, show_default=True, help="Relative error that may be left."
)
@click.option("--norm", type=click.Choice(NORMS), default="trace", show_default=True)
@click.option("--seconds", type=float, help="What one approximation of all rows may take.")
@click.option("--memory", type=float, metavar="MB", help="What it may hold beside the data.")
@click.option("--sigma", type=float, help="Bandwidth of the Gaussian kernel; chosen when not given.")
@click.option("--method", "methods", multiple=True, type=click.Choice(list(METHODS)), metavar="METHOD",
              help="To choose among; may be given again.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def command(
    data: str,
    target: float,
    norm: str,
    seconds: float | None,
    memory: float | None,
    sigma: float | None,
    methods: tuple[str, ...],
    seed: int,
) -> None:
    """Recommend a method and a number of landmarks for these data, measured on them.

    FILE is a table with one row a point; NAME is a set that `datasets` lists. Labels, where there are any,
    choose the bandwidth by cross-validation; without them it is the default width.
    """
    # Imported late: scikit-learn is slow to import.
    from nysviz.advice.recommendation import recommend

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{done} of {total} runs ", nl=False, err=True)

    try:
        read = data_of(data)
        click.echo(f"{read.title or read.name}: {read.n} rows, {read.d} columns", err=True)
        found = recommend(
            read.X,
            None if sigma is None else Gaussian(sigma),
            target,
            norm,
            seconds=seconds,
            memory=None if memory is None else 1e6 * memory,
            y=read.y,
            task=read.task,
            seed=seed,
            methods=methods or None,
            progress=progress,
        )
    except (ValueError, OSError) as problem:
        raise click.ClickException(str(problem)) from problem
    if sys.stderr.isatty():
        click.echo(err=True)
    click.echo(f"{found.asked.kernel}\n{found}")
