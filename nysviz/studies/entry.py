"""The arithmetic of one entry of K̃: a row of E, W⁺ and a column, beside the true entry."""

from dataclasses import dataclass
from html import escape

import numpy as np

from nysviz.landmarks.nystroem import RANK_TOLERANCE
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.nystroem.lowrank import LowRank
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.scene import Scene
from nysviz.text import signed

# Number of landmarks whose numbers are written out: those with the largest terms.
WRITTEN = 4


@dataclass(frozen=True)
class Entry:
    """K_ij and K̃_ij; where the method has E and W, their numbers at the landmarks with the largest terms.

    ``row`` and ``column`` (k,) are those of E, ``inverse`` (k, k) is of W⁺, ``landmarks`` (k,) count from 1
    in the order of choice; ``terms`` (m,) sum to K̃_ij.
    """

    i: int
    j: int
    true: float
    product: float
    m: int
    landmarks: IntArray | None = None
    row: FloatArray | None = None
    inverse: FloatArray | None = None
    column: FloatArray | None = None
    terms: FloatArray | None = None

    def as_html(self) -> str:
        """Return the arithmetic as a line of small tables, and the sentence that ends it."""
        i, j = f"row {self.i}", f"row {self.j}"
        gap = signed(self.true - self.product)
        end = (
            f"<p>K̃ between {i} and {j} is <b>{signed(self.product)}</b>, the true entry of K "
            f"<b>{signed(self.true)}</b>: the difference is {gap}.</p>"
        )
        if self.row is None or self.inverse is None or self.column is None or self.landmarks is None:
            return f'<div class="nysviz-entry">{end}</div>'
        more = "" if len(self.landmarks) == self.m else "…"
        heads = [f"landmark {k}" for k in self.landmarks]
        parts = [
            _table(f"{i} of E", [self.row], more),
            _table("W⁺", self.inverse, more),
            _table(f"column of E for {j}", self.column[:, None], more),
        ]
        subset = "all landmarks"
        if more:
            subset = f"the {len(heads)} of {self.m} landmarks with the largest terms, {', '.join(heads)}"
        line = "<i>·</i>".join(parts) + f"<i>= {signed(self.product)}</i>"
        end += f"<small>Written out: {escape(subset)}.</small>"
        return f'<div class="nysviz-entry"><div>{line}</div>{end}</div>'


def _table(name: str, numbers: FloatArray | list[FloatArray], more: str) -> str:
    rows = [[signed(float(value)) for value in line] for line in numbers]
    if more and len(rows[0]) > 1:
        rows = [[*line, more] for line in rows]
    if more and len(rows) > 1:
        rows.append([more] * len(rows[0]))
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in rows)
    return f"<table><caption>{name}</caption>{body}</table>"


def entry_of(scene: Scene, choice: Choice, i: int, j: int) -> Entry:
    """Return the entry of these two rows, with its arithmetic where the method has E and W."""
    a = matrices.approximation(scene, choice.method, choice.m, choice.options)
    X, kernel = scene.data.X, scene.kernel
    pair = np.array([i, j])
    true = float(kernel(X[[i]], X[[j]])[0, 0])
    G = a.take(pair)
    product = float(G[0] @ G[1])
    if not _has_landmarks(a):
        return Entry(i, j, true, product, a.requested)
    assert a.landmarks is not None
    E, inverse = kernel(X[pair], a.landmarks), _pseudo_inverse(kernel(a.landmarks))
    terms = E[0] * (inverse @ E[1])
    largest = np.sort(np.argsort(-np.abs(terms), kind="stable")[:WRITTEN])
    block = inverse[np.ix_(largest, largest)]
    m = len(a.landmarks)
    return Entry(i, j, true, product, m, largest + 1, E[0, largest], block, E[1, largest], terms)


def _has_landmarks(a: LowRank) -> bool:
    # A mixture of approximations has an E and a W for each.
    return a.landmarks is not None and a.shares is None


def _pseudo_inverse(W: FloatArray) -> FloatArray:
    """Return W⁺ without the eigenvalues that are rounding, as in the approximation."""
    values, vectors = np.linalg.eigh(W)
    is_kept = values > RANK_TOLERANCE * values[-1]
    kept_vectors = vectors[:, is_kept]
    inverse: FloatArray = (kept_vectors / values[is_kept]) @ kept_vectors.T
    return inverse
