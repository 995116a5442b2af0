"""The sentences of the page "Step by step": how each method chooses, and why each row was chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.figures.steps import Film
from nysviz.landmarks import METHODS
from nysviz.steps import Step, Trace
from nysviz.text import capital, counted, three_digits
from nysviz.ui.steps.result import FIXED

# For each method how it chooses, and the name of its criterion.
RULES = {
    "icd": ("always takes the row with the largest residual", "residual"),
    "rpcholesky": ("draws each row in proportion to its residual", "probability"),
    "greedy": ("always takes the row whose column explains most of the residual", "gain"),
    "sgma": ("takes the best of a few random candidates", "gain"),
    "partition_greedy": ("takes the row that explains most of the sums over random groups", "grouped gain"),
    "kmeanspp": ("draws each row in proportion to its squared distance from the landmarks", "probability"),
    "farthest": ("always takes the row farthest from its landmarks, in feature space", "squared distance"),
    "adaptive_full": ("draws rounds of rows, each in proportion to its column's residual", "probability"),
    "adaptive_partial": ("draws rounds of rows by an error estimated from its columns", "probability"),
    "uniform": ("draws any row that is left, all with the same probability", "probability"),
    "dpp": ("proposes random swaps, and favours those that enlarge the determinant", "determinant ratio"),
    "kmeans": ("moves every centre to the mean of its cluster", "squared distance to the centre"),
}
# What a step is where it does not add a landmark.
UNITS = {"dpp": "one proposed swap", "kmeans": "one iteration"}
MATHS = r"""
With $R = K - \tilde K$ the residual before a step, and landmarks $S$ so far:

| method | choice of the next row |
|---|---|
| incomplete Cholesky | $\arg\max_i R_{ii}$ |
| randomly pivoted Cholesky | $p_i \propto R_{ii}$ |
| greedy (Farahat, Ghodsi and Kamel 2011) | $\arg\max_i \lVert R_{:i}\rVert^2 / R_{ii}$ |
| sparse greedy | the same over 59 random candidates |
| partition-based greedy | with $\lVert H_{:i}\rVert^2$, $H$ the sums of $R$ over random groups |
| kernel k-means++ (Oglic and Gärtner 2017) | $p_i \propto \min_{z \in S} (K_{ii} + K_{zz} - 2 K_{iz})$ |
| farthest points | $\arg\max_i$ of the same distance |
| adaptive, full matrix | $p_i \propto \lVert (K - QQ^{\top}K)_{:i} \rVert^2$, $Q$ spans the columns so far |
| adaptive, chosen columns | $p_i \propto \lVert (C - \tilde C)_{i:} \rVert^2$, $C$ those columns |
| k-DPP by swaps | swap with probability $\min(1, \det W_\text{new} / \det W_\text{old})$ |
| k-means | $z_j \leftarrow$ mean of the points nearest to $z_j$ |

Taking row $i$ changes the residual to $R - R_{:i} R_{i:} / R_{ii}$: its trace falls by
$\lVert R_{:i}\rVert^2 / R_{ii}$, the gain, which the greedy method maximises. $R_{ii}$ alone is cheap, and
large for a row that is far from all others.
"""


def why(film: Film, t: int) -> str:
    """Say what was chosen in frame t (from 1), and why."""
    if t > len(film.trace):
        return f"Ended after step {len(film.trace)}: nothing is left to do."
    step = film.step(t)
    if step.moves is not None:
        moving = int((step.moves > 0).sum())
        return (
            f"{moving} of {counted(len(step.moves), 'centre')} moved, by at most "
            f"{three_digits(float(step.moves.max()))}. Before, the squared distances to the nearest centres "
            f"summed to {three_digits(float(step.criterion.sum()))}."
        )
    if step.leaving is not None:
        outcome = "accepted" if step.accepted else "rejected"
        return (
            f"Row {film.rows[step.pick]} for row {film.rows[step.leaving]}: the determinant changes "
            f"{three_digits(step.value)} times, so the swap has probability "
            f"{three_digits(min(1.0, step.value))}: {outcome}."
        )
    return _picked(film, step)


def _picked(film: Film, step: Step) -> str:
    name, row = RULES[film.trace.method][1], f"Row {film.rows[step.pick]}"
    if name == "probability":
        text = f"{row} is drawn with probability {three_digits(100 * step.value)} %"
        if step.round_place is not None:
            text += ", in round {}, draw {} of {}".format(*step.round_place)
        return f"{text}; number {step.place} of {counted(step.candidates, 'row')} by probability."
    equals = int(np.isclose(step.criterion, step.value, rtol=1e-9).sum())
    text = f"{row} has the largest {name} of {counted(step.candidates, 'row')}: {three_digits(step.value)}"
    return f"{text}, as {equals - 1} more have." if equals > 1 else f"{text}."


def _landmarks(trace: Trace, t: int) -> int:
    """Count the landmarks after step t (from 1)."""
    step = trace.steps[t - 1]
    found = step.landmarks if step.points is None else step.points
    return 0 if found is None else len(found)


def answer(traces: Sequence[Trace]) -> str:
    """Say how each method chooses and which error that leaves, with as many landmarks as the other has."""
    m = min(_landmarks(one, len(one)) for one in traces)
    sentences = []
    for one in traces:
        # Of fewer landmarks than a method keeps it has no error.
        t = max((t for t in range(1, len(one) + 1) if _landmarks(one, t) <= m), default=len(one))
        error, count = three_digits(float(one.errors[t])), counted(_landmarks(one, t), "landmark")
        after = f" after {counted(t, 'step')}" if one.method in FIXED else ""
        sentences.append(
            f"**{capital(METHODS[one.method].label)}** {RULES[one.method][0]}; relative error **{error}** "
            f"with {count}{after}."
        )
    return " ".join(sentences)


def explanation(traces: Sequence[Trace], n: int) -> str:
    """Say what colours, bars and steps are."""
    text = (
        f"Colours and bars show the criterion of {counted(n, 'row')} before the step; landmarks and errors "
        "are those after it. A step adds one landmark"
    )
    other = [
        f"; of {METHODS[one.method].label} it is {UNITS[one.method]} with all "
        f"{counted(_landmarks(one, 1), 'landmark')}"
        for one in traces
        if one.method in UNITS
    ]
    return f"{text}{''.join(other)}."


def source(traces: Sequence[Trace]) -> str:
    """Name the sources of the methods."""
    own = "; ".join(dict.fromkeys(METHODS[one.method].source for one in traces))
    return f"Farahat, Ghodsi and Kamel 2011, algorithms 1 and 2; Oglic and Gärtner 2017, algorithm 1; {own}."
