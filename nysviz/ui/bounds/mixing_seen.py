"""What is seen in the third view of the page "Bounds": what the paper states beside what was measured."""

from __future__ import annotations

from nysviz.figures.look import grouped, three_digits
from nysviz.steps.mixing import chance_apart, quartiles
from nysviz.ui.bounds.mixing_words import COMPARED, Chains, beside


def seen(found: Chains) -> str:
    """Set what the paper states beside what was measured here."""
    errors = ["The errors of all chains are rounding: there is nothing to compare in them."]
    if not found.is_rounding:
        errors = [_compared(found), _warm(found)]
    sentences = [*errors, _moves(found)]
    if found.n in found.steps and found.n > 0:
        sentences.append(_pass(found))
    if found.meeting is not None and found.meeting < found.steps[-1]:
        sentences.append(_later(found))
    singular = found.median(found.singular, "uniform", COMPARED[-1])
    if singular > 0:
        sentences.append(
            f"Of the {found.m} eigenvalues of W {singular:.0f} are rounding after 10 000 steps (the median): "
            "what ln det W says of them is that the diagonal was raised."
        )
    return " ".join(sentences)


def _later(found: Chains) -> str:
    later = len(found.steps) - 1 - found.steps.index(found.meeting or 0)
    text = (
        f"At {len(found.apart_later)} of the {later} checkpoints after they first overlap the ranges of "
        "ln det W are apart again"
    )
    counts = {len(runs) for runs in found.kept.values()}
    if len(counts) == 1 and min(counts) % 4 == 1 and min(counts) > 1:
        chains = min(counts)
        text += (
            f"; two sets of {chains} chains from one distribution would be apart at "
            f"{100 * chance_apart(chains):.0f} % of them by chance"
        )
    return text + "."


def _compared(found: Chains) -> str:
    early, late = (found.median(found.error, "uniform", step) for step in COMPARED)
    low, _, high = quartiles(found.error["uniform"])[:, found.steps.index(COMPARED[0])]
    result = "here they are" if late < early else "here they are not"
    within = "within" if low <= late <= high else "outside"
    at_start = found.median(found.error, "uniform", 0)
    start, end = (found.median(found.log_determinant, "uniform", step) for step in (0, COMPARED[-1]))
    return (
        "Oglic and Gärtner compared 1000 with 10 000 steps from a uniform start and found those of 10 000 "
        f"more accurate; {result}: the median relative error is {three_digits(early)} after 1000 and "
        f"{three_digits(late)} after 10 000, {within} the quartiles at 1000. It "
        f"was {three_digits(at_start)} at the start, from where the median ln det W "
        f"{'rises' if end >= start else 'falls'} by {three_digits(abs(end - start))}."
    )


def _warm(found: Chains) -> str:
    warm = found.median(found.error, "kmeanspp", 0)
    cold = quartiles(found.error["uniform"])[1]
    reached = [step for step, value in zip(found.steps, cold, strict=True) if value <= warm]
    when = (
        f"which the median from uniform starts first reaches {_at(reached[0])}"
        if reached
        else f"which the median from uniform starts does not reach within {grouped(found.steps[-1])} steps"
    )
    return (
        "They hold the k-means++ start to be instrumental, in time and accuracy: here the k-means++ "
        f"landmarks have the median error {three_digits(warm)} before any swap, {when}."
    )


def _at(step: int) -> str:
    return "at the start" if step == 0 else f"after {grouped(step)} steps"


def _moves(found: Chains) -> str:
    left = [100 * found.median(found.kept, "uniform", step) for step in COMPARED]
    chance = 100 * found.m / found.n
    return (
        "Oglic and Gärtner found the chain to move rather slowly away from a uniform start: here "
        f"{left[0]:.3g} % of its landmarks are left after 1000 steps and {left[1]:.3g} % after 10 000, "
        f"where {chance:.3g} % of a random set would be those by chance."
    )


def _pass(found: Chains) -> str:
    lead = found.lead(found.n)
    low, _, high = quartiles(found.log_determinant["kmeanspp"])[:, found.steps.index(found.n)]
    middle = found.median(found.log_determinant, "uniform", found.n)
    inside = "within" if low <= middle <= high else ("below" if middle < low else "above")
    return (
        "They expect at least one pass through the data: after as many steps as there are rows, "
        f"{grouped(found.n)}, the median ln det W of the uniform starts is {beside(lead)} that of the "
        f"k-means++ starts, {inside} their quartiles."
    )
