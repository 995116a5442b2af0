"""The words of the page "Step by step": why each row was chosen, and what the run shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.figures.steps import Film
from nysviz.landmarks import METHODS
from nysviz.steps import Step
from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.steps import rows as steps_rows

RULES = {
    "icd": "always takes the row with the largest residual",
    "rpcholesky": "draws each row with a probability in proportion to its residual",
    "greedy": "always takes the row whose column explains most of what is left",
    "sgma": "takes the best of a few random candidates",
    "partition_greedy": "takes the row that explains most of the sums over random groups",
    "kmeanspp": "draws each row in proportion to its squared distance from the landmarks, in feature space",
    "farthest": "always takes the row farthest from its landmarks, in feature space",
    "adaptive_full": "draws rounds of rows, each in proportion to what is left of its column",
    "adaptive_partial": "draws rounds of rows by an error estimated from the columns it has",
    "uniform": "draws any row that is left, all with the same probability",
    "dpp": "proposes random swaps, and makes those that enlarge the determinant; others by chance",
    "kmeans": "moves every centre to the mean of its cluster",
}
CRITERIA = {
    "icd": "residual R<sub>ii</sub>",
    "rpcholesky": "probability",
    "greedy": "gain ‖R<sub>:i</sub>‖² / R<sub>ii</sub>",
    "sgma": "gain of a candidate",
    "partition_greedy": "grouped gain ‖H<sub>:i</sub>‖² / R<sub>ii</sub>",
    "kmeanspp": "probability",
    "farthest": "squared distance",
    "adaptive_full": "probability",
    "adaptive_partial": "probability",
    "uniform": "probability",
    "dpp": "determinant ratio",
    "kmeans": "squared distance to the centre",
}
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
$\lVert R_{:i}\rVert^2 / R_{ii}$, which is why the greedy gain is the right thing to look at, and why $R_{ii}$
alone, cheap as it is, can be fooled by a row that is far from all others.
"""


def opening(text: str) -> str:
    """Write the first letter large and leave the names after it alone."""
    return text[:1].upper() + text[1:]


def ordinal(number: int) -> str:
    """Write a number as 1st, 2nd, 3rd, 4th or 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def why(film: Film, t: int) -> str:
    """One sentence on frame t (from 1): what was chosen, and why."""
    trace = film.trace
    if t > len(trace):
        return f"Ended after step {len(trace)}: nothing is left to do."
    step = trace.steps[t - 1]
    if step.moves is not None:
        return _moved(film, step, t)
    if step.leaving is not None:
        return _swapped(film, step)
    return _picked(film, step)


def _picked(film: Film, step: Step) -> str:
    method, row = film.trace.method, f"row {film.rows[step.pick]}"
    equals = int(np.isclose(step.criterion, step.value, rtol=1e-9).sum())
    value, drawn = three_digits(step.value), CRITERIA[method] == "probability"
    if equals == step.candidates and equals > 1:
        if method in ("icd", "greedy", "sgma", "partition_greedy"):
            return f"All {equals} rows are equal; {row} is the first of them."
        return f"{opening(row)} is drawn; all {equals} rows have the same probability."
    if drawn:
        place = "largest" if step.place == 1 else f"{ordinal(step.place)} largest"
        chance = f"{three_digits(100 * step.value)} %"
        text = f"{opening(row)} is drawn with probability {chance}, the {place} of {step.candidates}."
        if step.round_place is not None:
            number, place_in_round, size = step.round_place
            return f"Round {number}, draw {place_in_round} of {size}: {row} {text.split(' ', 2)[2]}"
        return text
    names = {
        "icd": f"the largest residual, {value}",
        "greedy": f"the largest gain, {value}: its column explains most of what is left",
        "partition_greedy": f"the largest grouped gain, {value}",
        "farthest": f"the largest squared distance from the landmarks, {value}",
        "sgma": f"the largest gain of {step.candidates} random candidates, {value}",
    }
    first = f"{opening(row)} has {names[method]}"
    if equals > 1:
        first += f"; {equals - 1} others have as much"
    return f"{first}."


def _swapped(film: Film, step: Step) -> str:
    new, old = film.rows[step.pick], film.rows[step.leaving]
    if step.value >= 1:
        odds = f"the determinant grows {three_digits(step.value)} times: accepted"
    else:
        odds = (
            f"the determinant would shrink to {three_digits(step.value)} of it, accepted with that "
            f"probability: {'accepted' if step.accepted else 'rejected'}"
        )
    return f"Row {new} for row {old}: {odds}."


def _moved(film: Film, step: Step, t: int) -> str:
    moves = np.asarray(step.moves)
    moving = int((moves > 0).sum())
    before = float(step.criterion.sum())
    text = (
        f"{moving} of {len(moves)} centres move{'s' if moving == 1 else ''}, by at most "
        f"{three_digits(float(moves.max()))}; the squared distances to the nearest centres summed to "
        f"{three_digits(before)}"
    )
    if t < len(film.trace):
        text += f", now to {three_digits(float(film.trace.steps[t].criterion.sum()))}"
    return text + "."


def done(film: Film) -> str:
    """Count a film's steps: landmarks chosen, swaps proposed, or iterations."""
    unit = {"dpp": "proposed swap", "kmeans": "iteration"}.get(film.trace.method, "landmark")
    return f"{len(film.trace)} {unit}{'' if len(film.trace) == 1 else 's'}"


def answer(films: Sequence[Film]) -> str:
    """Answer the page's question in one line, with the errors that it led to."""
    parts = []
    for film in films:
        label = opening(film.label)
        error = three_digits(float(film.trace.errors[-1]))
        rule = RULES[film.trace.method]
        parts.append(f"**{label}**: the method {rule}; relative error **{error}** after {done(film)}.")
    return " ".join(parts)


def close(scene: Scene, films: Sequence[Film], drawn: int, call: str) -> None:
    """End the page: what is seen, the maths, the same trace in Python, the source."""
    page.closing(
        " ".join(_seen(scene, films, drawn)),
        MATHS,
        call,
        "Farahat, Ghodsi and Kamel 2011, algorithms 1 and 2; Oglic and Gärtner 2017, algorithm 1; "
        + "; ".join(dict.fromkeys(METHODS[film.trace.method].source for film in films))
        + ".",
        steps_rows.rows(scene, films),
    )


def _seen(scene: Scene, films: Sequence[Film], drawn: int) -> list[str]:
    n = scene.data.n
    sentences = []
    if drawn < n:
        sentences.append(
            f"Everything on this page is about {drawn} random rows of {n}; a kernel matrix of that size can "
            "be looked at after every step."
        )
    for film in films:
        sentences += _seen_of(film)
    if len(films) == 2 and len(films[0].trace) and len(films[1].trace):
        a, b = (film.trace for film in films)
        both = np.array(
            [a.errors[min(t, len(a))] <= b.errors[min(t, len(b))] for t in range(1, films[0].length + 1)]
        )
        sentences.append(
            f"{opening(films[0].label)} has the smaller error, or the same, after {int(both.sum())} of "
            f"{len(both)} steps."
        )
    return sentences


def _seen_of(film: Film) -> list[str]:
    trace, label = film.trace, opening(film.label)
    half = next((t for t, e in enumerate(trace.errors) if e <= 0.5 * trace.errors[0]), None)
    sentences = []
    if half:
        sentences.append(f"{label} has halved the error that it started from after step {half}.")
    if trace.method == "dpp":
        accepted = sum(step.accepted for step in trace.steps)
        sentences.append(f"{label}: {accepted} of {len(trace)} proposed swaps were made.")
    elif CRITERIA[trace.method] == "probability" and trace.method != "uniform" and len(trace):
        places = [step.place / step.candidates for step in trace.steps]
        share = sum(place > 0.5 for place in places)
        sentences.append(
            f"{label}: {share} of {len(places)} picks came from the less likely half of the rows; one "
            "unlikely row is rarely drawn, but there are many of them."
        )
    return sentences
