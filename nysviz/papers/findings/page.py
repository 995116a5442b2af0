"""The page of findings as Markdown, and the command that writes it with its tables."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from nysviz.papers.claims import PAPERS, Claim, ClaimVerdict
from nysviz.papers.findings.learners import EXPERIMENT as LEARNERS
from nysviz.papers.findings.many_rows import EXPERIMENT as MANY_ROWS
from nysviz.papers.findings.summary import Findings, explain_verdict, irreproducible, read_findings
from nysviz.papers.findings.tables import as_csv
from nysviz.papers.findings.texts import DECISION, FINDINGS
from nysviz.papers.findings.written import WrittenFinding
from nysviz.papers.labels import name_bandwidth
from nysviz.papers.output import check_output, write_atomically
from nysviz.papers.records import FOLDER, describe_origin, origins
from nysviz.papers.tournament.jobs import EXPERIMENT, PERCENTS
from nysviz.text import capital, grouped, listed


def write(out: Path, folder: Path = FOLDER) -> None:
    """Write ``findings.md`` and its tables, ``findings/*.csv``, into a folder."""
    numbers = read_findings(folder)
    texts = {f"findings/{name}.csv": text for name, text in as_csv(numbers).items()}
    (out / "findings").mkdir(parents=True, exist_ok=True)
    for name, text in {"findings.md": page(numbers), **texts}.items():
        check_output(out / name)
        write_atomically(out / name, text.encode())


def page(numbers: Findings) -> str:
    """Return the page as Markdown; docs/conf.py puts the figures in place of their marks."""
    findings = [_section(name, write(numbers)) for name, write in FINDINGS.items()]
    return "\n\n".join([_head(numbers), *findings, _verdicts(numbers), _origins()]) + "\n"


def _section(name: str, finding: WrittenFinding) -> str:
    number = [*FINDINGS].index(name) + 1
    title = f"{number}. {finding.title}" if name != DECISION else finding.title
    tables = [markdown_table(table.head, table.rows) for table in finding.tables]
    links = listed(
        [f"[{name}.csv](findings/{name}.csv)" for name in dict.fromkeys(t.file for t in finding.tables)]
    )
    lines = "\n".join(f"- **{label}:** {text}" for label, text in finding.remarks.items())
    parts = (
        f"## {title}",
        finding.sentence,
        f"[[finding-{name}]]",
        *tables,
        f"Data: {links}.",
        lines,
    )
    return "\n\n".join(parts)


def _head(numbers: Findings) -> str:
    board = numbers.board
    sizes = sorted(n for n, _ in board.sizes.values())
    bandwidths = [name_bandwidth(multiple) for multiple in board.multiples]
    made = (
        "Five findings from the runs that are recorded with this project. `python -m nysviz findings` writes "
        "this page and its tables from the records, and a test computes its numbers again."
    )
    settings = (
        f"Findings 1 to 3 rest on the tournament: {len(board.methods)} methods on {len(sizes)} data sets of "
        f"{grouped(sizes[0])} to {grouped(sizes[-1])} rows (a random sample where a set has more), Gaussian "
        f"kernel at {listed(bandwidths)}, where σ is the default bandwidth, m/n of "
        f"{listed([f'{percent:g}' for percent in PERCENTS])} %, means of {board.repeats} repeats of a random "
        "method. A *cell* is a data set at one bandwidth and one m/n. The error is ‖K − K̃‖/‖K‖ in the "
        "Frobenius norm. Means of ratios are geometric, first within a data set, then over data sets, with a "
        "95 % Student interval; each test counts a data set once."
    )
    missing = (
        f"**Not measured:** more than {grouped(sizes[-1])} rows in findings 1, 3 and 5 (finding 2 and the "
        "last part have up to 50 000), and kernels other than the Gaussian one."
    )
    return f"# Does choosing landmarks help, and when?\n\n{made}\n\n{settings}\n\n{missing}"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '∣') for cell in line)} |" for line in lines)


def _source(claim: Claim) -> str:
    return claim.place if claim.paper == "newer" else f"{PAPERS[claim.paper]}, {claim.place}"


def _verdicts(numbers: Findings) -> str:
    counts = {
        verdict: sum(outcome.verdict is verdict for outcome in numbers.outcomes.values())
        for verdict in ClaimVerdict
    }
    rows = [
        [
            f"[{claim.id}](#{claim.id})",
            f"{claim.statement} ({_source(claim)})",
            capital(outcome.statistic),
            explain_verdict(claim, outcome),
        ]
        for claim, outcome in irreproducible(numbers.outcomes)
    ]
    words = {
        **{verdict: str(verdict) for verdict in ClaimVerdict},
        ClaimVerdict.DEPENDS: "depend on a choice",
    }
    tally = listed([f"{count} {words[verdict]}" for verdict, count in counts.items() if count])
    which = (
        f"Of {len(numbers.outcomes)} claims: {tally}. Below are those that are not reproduced, and those "
        "whose verdict depends on a choice; [Claims](claims.md) has all."
    )
    table = markdown_table(["claim", "printed", "measured", "why"], rows)
    link = "Data: [verdicts.csv](findings/verdicts.csv)."
    return f"## Printed verdicts that do not reproduce\n\n{which}\n\n{table}\n\n{link}"


def _origins() -> str:
    paper_experiments = ("yang-eigengap", "yang-fig2", "zhang-table4", "newer-centres")
    names = (EXPERIMENT, MANY_ROWS, LEARNERS, *paper_experiments)
    lines = [f"- `{name}`: {describe_origin(origins()[name])}" for name in names]
    return "## How the runs were made\n\n" + "\n".join(lines)
