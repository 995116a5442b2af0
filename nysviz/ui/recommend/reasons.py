"""The table of all candidates on the page "Recommend", each with the reason for its place."""

from __future__ import annotations

import html

from nysviz.advice import Candidate, Recommendation
from nysviz.memory import in_words
from nysviz.text import in_seconds, three_digits

HEAD = (
    "method",
    "m",
    "error",
    "90 % of runs",
    "why",
    "time",
    "memory",
    "entries of K / n²",
    "meets",
    "on all rows",
)

# The reason breaks into lines, all else stays on one. On a narrow screen each candidate has lines of its own.
STYLE = """<style>
.nysviz-reasons {width: 100%; border-collapse: collapse; font-size: 0.88rem; line-height: 1.4;}
.nysviz-reasons th {font-weight: 400; opacity: 0.75; vertical-align: bottom;}
.nysviz-reasons th, .nysviz-reasons td {text-align: right; padding: 0.3rem 0 0.3rem 0.9rem;}
.nysviz-reasons td {border-top: 1px solid rgba(128, 128, 128, 0.3); white-space: nowrap; vertical-align: top;
  font-variant-numeric: tabular-nums;}
.nysviz-reasons :is(th, td):first-child {text-align: left; padding-left: 0;}
.nysviz-reasons :is(th, td):nth-child(5) {text-align: left; white-space: normal;}
@media (max-width: 640px) {
  .nysviz-reasons thead {display: none;}
  .nysviz-reasons tr {display: flex; flex-wrap: wrap; gap: 0 0.9rem; padding: 0.4rem 0;
    border-top: 1px solid rgba(128, 128, 128, 0.3);}
  .nysviz-reasons td {border-top: none; padding: 0;}
  .nysviz-reasons td:first-child {flex: 1 0 100%; font-weight: 600;}
  .nysviz-reasons td:nth-child(5) {flex: 1 0 100%; order: 1;}
  .nysviz-reasons td:not(:first-child, :nth-child(5))::before {content: attr(data-name) " "; opacity: 0.75;}
}
</style>"""


def reasons(found: Recommendation) -> str:
    """Return all that is known of each candidate, as HTML. The words are this project's, never a user's."""
    head = "".join(f"<th>{name}</th>" for name in HEAD)
    rows = "".join(
        f"<tr>{''.join(_cells(one, found.asked.n, found.asked.target))}</tr>" for one in found.candidates
    )
    table = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return f'{STYLE}<table class="nysviz-reasons">{table}</table>'


def _cells(one: Candidate, n: int, target: float) -> list[str]:
    # What was only expected meets the target where its whole interval does.
    is_sure = one.verified is not None or one.error.high <= target * (1.0 + 1e-9)
    values = (
        one.label,
        str(one.m),
        three_digits(one.error.value),
        f"{three_digits(one.error.low)} to {three_digits(one.error.high)}",
        one.reason,
        in_seconds(one.seconds.value),
        in_words(one.bytes),
        three_digits(one.kernel_evaluations / n**2),
        ("yes" if is_sure else "perhaps") if one.meets else "no",
        "measured" if one.verified is not None else "expected",
    )
    return [
        f'<td data-name="{html.escape(name)}">{html.escape(value)}</td>'
        for name, value in zip(HEAD, values, strict=True)
    ]
