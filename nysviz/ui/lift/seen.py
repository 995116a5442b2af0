"""What the page "Lift" says below its charts, from the runs that are there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.papers.oglic2017.lift import (
    BEST,
    REFERENCE,
    Cell,
    Gain,
    Lifts,
    clearly,
    gains,
    growth,
    lifts,
    relative_errors,
)
from nysviz.sweep import Record
from nysviz.sweep.ranking import pairs_needed
from nysviz.ui.lift.parts import Question
from nysviz.ui.lift.pictures import NO_GAIN, SMALL_ERROR, effective_ranks, seconds_of
from nysviz.ui.lift.words import label, means_of, where

CHAINS = ("dpp", "dpp_10000")
NEW = ("greedy", "rpcholesky")
MOST_TESTED = 4


def seen(question: Question, records: Sequence[Record]) -> str:
    """Say what was seen, from the runs that are there."""
    found = lifts(records)
    if not means_of(question, found):
        return "The errors behind the lift and what is seen follow when all runs are there, or on Stop."
    if question.view == "seconds":
        return " ".join(_cost_sentences(records))
    sentences = _ends(question, records, found) if question.view == "bandwidth" else _growth(question, found)
    sentences += _against_the_paper(question, found) + _newcomers(question, found) + _tests(question, found)
    return " ".join(sentences)


def _ends(question: Question, records: Sequence[Record], found: Lifts) -> list[str]:
    """What the computed numbers say of both ends of the range."""
    errors, ranks = relative_errors(records), effective_ranks(records)
    largest = {record.kernel: record.values["largest"] for record in records if "largest" in record.values}
    tops = {cell.bandwidth: 0.0 for cell in found}
    for kernel, value in largest.items():
        tops[getattr(kernel, "inverse_square", 0.0)] = value
    sentences = []
    cells = list(errors)
    left, right = cells[0], cells[-1]
    if REFERENCE in errors[left]:
        easy = float(errors[left][REFERENCE].mean())
        top = (
            f", with the largest eigenvalue at {100 * tops[left.bandwidth]:.3g} % of n"
            if tops.get(left.bandwidth)
            else ""
        )
        end = (
            ": whatever is chosen approximates K well, and a lift says little." if easy < SMALL_ERROR else "."
        )
        sentences.append(
            f"At the left end K has an effective rank of {three_digits(ranks[left.bandwidth])}{top}, and "
            f"uniform sampling leaves {three_digits(100 * easy)} % of ‖K‖{end}"
        )
    if BEST in found[right]:
        room = gains(found, BEST)[right].mean
        rest = 100 * float(errors[right][BEST][0])
        end = "no choice can help there" if room < NO_GAIN else "that is all that a choice can gain there"
        sentences.append(
            f"At the right end the effective rank is {three_digits(ranks[right.bandwidth])} of {question.n}: "
            f"even the best matrix of rank {right.rank} leaves {three_digits(rest)} % of ‖K‖ and has lift "
            f"{three_digits(room)}, so {end}."
        )
    return sentences


def _growth(question: Question, found: Lifts) -> list[str]:
    means = means_of(question, found)
    slopes = {}
    for name, of in means.items():
        if len(of) > 2:
            slopes[name] = growth([c.rank for c in of], [one.mean for one in of.values()])
    if not slopes:
        return []
    ranked = sorted(slopes, key=slopes.__getitem__, reverse=True)
    fastest = slopes[ranked[0]]
    how = "grows fastest" if fastest > 0 else "grows for no method; it falls most slowly"
    text = (
        f"With the rank the lift {how} for {label(ranked[0])}, by {three_digits(abs(fastest))} per 100 ranks"
    )
    if "kmeanspp" in slopes and ranked[0] != "kmeanspp":
        mine = slopes["kmeanspp"]
        how = "grows" if mine > 0 else "falls"
        text += (
            f"; with {label('kmeanspp')}, the fastest in the paper, it {how} by {three_digits(abs(mine))} "
            "per "
            "100 ranks."
        )
    else:
        text += " (in the paper it grows fastest for kernel k-means++)."
    return [text]


def _both(a: dict[Cell, Gain], b: dict[Cell, Gain]) -> list[Cell]:
    return [cell for cell in a if cell in b]


def _against_the_paper(question: Question, found: Lifts) -> list[str]:
    """What the paper states of its own schemes, counted here; differences with their numbers."""
    means = means_of(question, found)
    if "kmeanspp" not in means:
        return []
    mine, what = means["kmeanspp"], "ranks" if question.view == "rank" else "bandwidths"
    above = sum(one.mean > 1 for one in mine.values())
    sentences = [f"Kernel k-means++ has lift above 1 at {above} of {len(mine)} {what}"]
    if "kmeanspp_lloyd" in means:
        cells = _both(means["kmeanspp_lloyd"], mine)
        better = sum(means["kmeanspp_lloyd"][c].mean >= mine[c].mean for c in cells)
        sentences[0] += f", and its Lloyd refinement is at or above it at {better} of {len(cells)}"
    sentences[0] += "."
    for name in CHAINS:
        if name not in means:
            continue
        cells = _both(means[name], mine)
        ahead = [c for c in cells if means[name][c].mean > mine[c].mean]
        if not ahead:
            sentences.append(
                f"As published, the {label(name)} is behind kernel k-means++ at all {len(cells)} {what}."
            )
            continue
        worst = max(ahead, key=lambda c: means[name][c].mean / mine[c].mean)
        sentences.append(
            f"The {label(name)} is ahead of kernel k-means++ at {len(ahead)} of {len(cells)} {what} "
            f"(at {where(question, worst)} lift {three_digits(means[name][worst].mean)} against "
            f"{three_digits(mine[worst].mean)}), where the paper's curves have it behind."
        )
    return sentences


def _newcomers(question: Question, found: Lifts) -> list[str]:
    """Methods that the paper does not have, where they are farthest from k-means++, and who falls below 1."""
    means = means_of(question, found)
    sentences = []
    new = [name for name in NEW if name in means]
    if "kmeanspp" in means and new:
        mine = means["kmeanspp"]
        cells = [c for c in mine if all(c in means[name] for name in new)]
        if cells:
            far = max(cells, key=lambda c: max(means[name][c].mean for name in new) / mine[c].mean)
            each = " and ".join(f"{label(name)} {three_digits(means[name][far].mean)}" for name in new)
            sentences.append(
                f"Methods that the paper does not have: at {where(question, far)} the lift of {each} stands "
                f"beside {three_digits(mine[far].mean)} of kernel k-means++."
            )
    low = [(name, cell, one) for name, of in means.items() for cell, one in of.items()]
    name, cell, one = min(low, key=lambda entry: entry[2].mean)
    if one.mean < 0.9:
        sentences.append(
            f"The smallest lift is {three_digits(one.mean)}, of {label(name)} at {where(question, cell)}: "
            "worse than choosing blindly."
        )
    return sentences


def _tests(question: Question, found: Lifts) -> list[str]:
    means = means_of(question, found)
    cells = max(map(len, means.values()))
    needed = pairs_needed(cells)
    what = "ranks" if question.view == "rank" else "bandwidths"
    if min(one.runs for of in means.values() for one in of.values()) < needed:
        return [
            f"Fewer than {needed} pairs cannot show at {cells} {what} that a lift is more than chance; take "
            "more repeats."
        ]
    parts = []
    for name, of in list(means.items())[:MOST_TESTED]:
        signs = list(clearly(of).values())
        below = f", below at {signs.count(-1)}" if -1 in signs else ""
        parts.append(f"{label(name)} at {signs.count(1)} of {len(signs)}{below}")
    return [
        f"Lift above 1 by more than chance: {'; '.join(parts)} {what} (Wilcoxon signed-rank test over "
        f"{question.repeats} pairs, p < 0.05 after Holm's correction)."
    ]


def _cost_sentences(records: Sequence[Record]) -> list[str]:
    seconds = seconds_of(records)
    taken: dict[str, list[float]] = {}
    for of in seconds.values():
        for name, times in of.items():
            taken.setdefault(name, []).extend(times)
    if "kmeanspp" not in taken:
        return ["Each point is a bandwidth."]
    base = float(np.median(taken["kmeanspp"]))
    parts = [
        f"{label(name)} {three_digits(float(np.median(times)) / base)}"
        for name, times in taken.items()
        if name != "kmeanspp"
    ]
    return [
        f"One approximation with kernel k-means++ takes {three_digits(1000 * base)} ms (median over the "
        f"bandwidths); times as long: {', '.join(parts)}.",
        "Each point is a bandwidth. Seconds include the factor, not only the choice of landmarks; runs go "
        "one at a time without an entry of K at hand, and other visitors' work slows them.",
    ]
