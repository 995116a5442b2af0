"""Sampling of columns: uniform, and in proportion to their norms."""

from collections.abc import Iterator

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.selection import Method, Selection, draw
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics.blocks import FloatArray
from nysviz.shortfall import Note, Shortfall, note_if


def uniform(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw m rows without replacement (Williams & Seeger 2001). No kernel evaluations, O(n)."""
    return Selection(pivots=rng.permutation(K.n)[:m])


def remaining_share(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield equal probabilities of the remaining rows."""
    for t in range(len(run.pivots)):
        remaining = np.ones(run.K.n)
        remaining[run.pivots[:t]] = 0.0
        yield remaining / remaining.sum()


UNIFORM = Method(
    label="uniform sampling",
    short="uniform",
    source="Williams & Seeger 2001",
    sentence="Picks m rows at random, each as likely as any other.",
    complexity="O(n)",
    select=uniform,
    family="sampling",
    step_rule=StepRule(
        "draws any row that is left, all with the same probability", "probability", remaining_share
    ),
    stroke=("solid", "circle"),
    nested=True,
)


def column_norm(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw m rows with replacement, p_i ∝ ‖K_:i‖² (Drineas & Mahoney 2005, as Zhang 2008 compares it).

    Columns and W are rescaled by 1/√(m p_i). This cancels in E W⁺ Eᵀ, also for repeated columns; the weights
    matter for the eigenvalues in ``LowRank.eigh`` alone. n² kernel evaluations, held one block at a time.
    """
    return with_replacement(K.squares(), m, rng)


COLUMN_NORM = Method(
    label="column-norm sampling",
    short="column norms",
    source="Drineas & Mahoney 2005; Zhang, Tsang & Kwok 2008",
    sentence="Draws rows with replacement, more often those whose column of K is long.",
    complexity="O(n²)",
    select=column_norm,
    family="sampling",
    stroke=("dash", "square-open"),
    nested=True,
    reads=True,
    work=lambda size, options: size.whole + size.factor,
)


def diagonal(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw m rows with replacement, p_i ∝ K_ii² (Drineas & Mahoney 2005).

    For a kernel with constant k(x, x), such as the Gaussian, that is uniform sampling with replacement. n
    kernel evaluations, O(n).
    """
    return with_replacement(K.diagonal**2, m, rng)


DIAGONAL = Method(
    label="diagonal sampling",
    source="Drineas & Mahoney 2005",
    sentence="Draws rows with replacement by the square of K_ii; for a Gaussian kernel all are equal.",
    complexity="O(n)",
    select=diagonal,
    family="sampling",
    stroke=("dot", "circle-open"),
    nested=True,
)


def with_replacement(scores: FloatArray, m: int, rng: np.random.Generator) -> Selection:
    """Draw m indices with probabilities in proportion to the scores, with the rescaling weights."""
    if not scores.sum() > 0:
        nothing = Note("All columns of K are zero.", Shortfall.ROWS_EXHAUSTED)
        return Selection(pivots=np.empty(0, dtype=np.intp), notes=(nothing,))
    pivots = draw(scores, rng.random(m))
    probabilities = scores / scores.sum()
    repeats = m - len(np.unique(pivots))
    sentence = f"{repeats} of {m} draws repeated a column already drawn."
    notes = note_if(repeats > 0, Shortfall.LANDMARKS_REPEATED, sentence)
    return Selection(pivots=pivots, weights=1.0 / np.sqrt(m * probabilities[pivots]), notes=notes)
