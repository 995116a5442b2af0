"""A landmark method and the selection that it returns."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, cast

import numpy as np

from nysviz.kernels import Kernel, Precomputed
from nysviz.kernels.matrix import KernelMatrix, whole_rows_per_block
from nysviz.landmarks.cost import Choosing, Cost, Options, Size, from_landmarks, is_dense
from nysviz.landmarks.step_rule import StepRule
from nysviz.numerics import memory
from nysviz.numerics.blocks import BLOCK_ENTRIES, FloatArray, IntArray, cores
from nysviz.numerics.loops import TIE
from nysviz.refusal import Refusal
from nysviz.shortfall import Shortfall, note_if

# A residual diagonal below this multiple of the largest k(x, x) is rounding: no pivot is taken from it.
RESIDUAL_FLOOR = 1e-12
# A gain f/g is taken as f/(g + this multiple of k(x, x)), about the root of float64's eps. A pivot's g has an
# error of some eps k(x, x), of which the update makes eps k(x, x)/g of the residual, and K̃ overshoots K: a
# row whose g has lost more than half of its digits must be clearly better than one that has them.
PIVOT_DAMPING = 1e-8
# The same where the entries of a given K have fewer digits, as a part of the root of their rounding times the
# largest k(x, x). Between 0.1 and 1 no error of K̃ rose on any matrix that was tried.
ROUNDED_DAMPING = 0.25
# Arrays of the size of W that its eigenpairs take, with W itself.
SQUARE_COPIES = 4.0
# Arrays of the size of its factor that a sketch takes, with the factor.
SKETCH_COPIES = 6.0


@dataclass(frozen=True)
class Selection:
    """Landmarks, and the factor where choosing them produced one.

    ``pivots`` (m',), m' ≤ m, are rows of X in the order of choice, and repeat if sampling is with
    replacement; ``points`` (m', d) are landmarks that are not rows of X (k-means centres). ``factor`` (n, r)
    is G with K̃ = G Gᵀ, if the method computes it on the way, and ``projection`` (m', r) or (n, r) is the P
    with G = k(X, X[pivots]) P, if that is not the inverse of the pivots' triangle of G; without landmarks, G
    = k(X, X) P.

    ``weights`` (m',) rescale columns by 1/√(m p_i) for sampling with replacement. ``shares`` (p,), of
    ``ensemble`` alone, are the weights of its p approximations, and ``frequencies`` (m, d) are those of
    random features, whose factor is made of their sines and cosines. ``notes`` are shortfalls to be shown:
    pivots exhausted, draws repeated, clusters empty.
    """

    pivots: IntArray | None = None
    points: FloatArray | None = None
    factor: FloatArray | None = None
    projection: FloatArray | None = None
    weights: FloatArray | None = None
    shares: FloatArray | None = None
    frequencies: FloatArray | None = None
    notes: tuple[str, ...] = ()


Select = Callable[..., Selection]
"""``select(K, m, rng, **options)``: the one signature of every method."""


@dataclass(frozen=True)
class Option:
    """A setting of a method: its choices as a tuple, or its range as (low, high), both included.

    Every value has the default's type. ``holds_rows`` marks a number that is also the number of rows of n
    entries held beside the factor.
    """

    name: str
    label: str
    default: int | float | str
    choices: tuple[int | float | str, ...] = ()
    bounds: tuple[float, float] | None = None
    sentence: str = ""
    holds_rows: bool = False

    def check(self, value: object) -> None:
        """Raise Refusal for a value that is not one of the choices, or out of range."""
        if self.choices:
            if value not in self.choices:
                choices = ", ".join(repr(choice) for choice in self.choices)
                raise Refusal(f"{self.name} = {value!r}; one of {choices} is needed.")
        elif self.bounds is not None:
            low, high = self.bounds
            whole = isinstance(self.default, int)
            is_number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
            if not (is_number and low <= cast("float", value) <= high):
                kind = "a whole number" if whole else "a number"
                raise Refusal(f"{self.name} = {value!r}; {kind} from {low:g} to {high:g} is needed.")


@dataclass(frozen=True)
class Method:
    """An entry of the registry.

    Attributes
    ----------
    label, source, sentence, complexity : str
        For menus and tables.
    short : str
        The label's own words, fewer of them, where a chart has no room; the label when not given.
    select : callable
    family : str
        Decides the colour in charts.
    stroke : (dash, marker)
        Of its lines in charts, in Plotly's words; no two methods of a family share both.
    nested : bool
        Whether the picks for fewer landmarks are the first of those for more.
    random : bool
        Whether it draws at random; else the seed decides only between rows that are equally good.
    landmarks_are_data : bool
        Whether landmarks are rows of X.
    data_dependent : bool
        Whether K̃ is made from columns or eigenvectors of K, which makes it exact once m reaches n. Otherwise
        m counts frequencies, drawn without a look at the data, K̃ has 2m columns, and K - K̃ has eigenvalues
        of both signs.
    kernels : tuple of kernel classes
        Those that the method is made for; empty where it takes any.
    needs_derivative : bool
        Whether it moves landmarks along the derivative of the kernel, which not every kernel has.
    options : tuple of Option
    holds : {"landmarks", "factor", "matrix"}
        The largest thing that choosing must hold: nothing of n rows but vectors, n × m entries, or all of K.
    reads : bool
        Whether choosing asks for all n² entries of K, holding them or not.
    lean : (name, value), optional
        The option with which it holds less: a factor in place of K, or no factor when that is too large.
    extreme : bool
        Whether it always takes the worst row: more rows have more outliers, on which it spends its landmarks.
    work : callable
        ``work(size, options)``: kernel evaluations and multiplications of one approximation.
    factors, matrices : float
        Memory while the factor is made, times its own 8 n m bytes; and times 8 n², of what holds all of K.
    blocks, rows : float
        Arrays of a block of rows of K that each thread holds in a pass over K; and of n entries for each row
        that an option asks for.
    step_rule : StepRule, optional
        What each step is chosen by, of a method that can be followed step by step.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.METHODS["kmeans"].label
    'k-means centres'
    >>> nv.METHODS["kmeans"].landmarks_are_data
    False
    """

    label: str
    source: str
    sentence: str
    complexity: str
    select: Select
    family: str
    stroke: tuple[str, str | None]
    nested: bool = False
    random: bool = True
    landmarks_are_data: bool = True
    data_dependent: bool = True
    kernels: tuple[type[Kernel], ...] = ()
    needs_derivative: bool = False
    options: tuple[Option, ...] = ()
    holds: Literal["landmarks", "factor", "matrix"] = "landmarks"
    reads: bool = False
    lean: tuple[str, object] | None = None
    short: str = ""
    extreme: bool = False
    work: Choosing = from_landmarks
    factors: float = 2.25
    matrices: float = 0.0
    blocks: float = 1.0
    rows: float = 1.0
    step_rule: StepRule | None = None

    @property
    def listed(self) -> str:
        """The label for a list of methods, without a comma."""
        name, comma, kind = self.label.partition(", ")
        return f"{name} ({kind})" if comma else name

    @property
    def brief(self) -> str:
        """The short label, for places with little room."""
        return self.short or self.label

    def cost(self, n: int, d: int, m: int, options: Options | None = None) -> Cost:
        """Return the cost of approximating n rows of d columns; ``options`` are those that differ."""
        chosen = self.defaults | dict(options or {})
        work = self.work(Size(n, d, m), chosen)
        return Cost(work.entries, work.flops, self._bytes(n, d, m, chosen))

    def _bytes(self, n: int, d: int, m: int, options: dict[str, object]) -> float:
        """Return the bytes held beside X: the factor or blocks of it, W, K or blocks of it, option rows."""
        experts = self.all_landmarks(m, options)
        columns = max(m, experts)
        if isinstance(sketch := options.get("oversampling"), Real):
            columns = math.ceil(float(sketch) * m)
        small = 8.0 * (SQUARE_COPIES * min(n, columns) ** 2 + m * d + 3.0 * n)
        if memory.square_fits(experts):
            small += 8.0 * experts**2
        held = self.holding(options)
        if memory.is_held(n, m) or held != "landmarks":
            # What a method holds in place of K comes from a sketch.
            factors = SKETCH_COPIES if (self.holds, held) == ("matrix", "factor") else self.factors
            peak_bytes = small + factors * 8.0 * n * m
        else:
            peak_bytes = small + 24.0 * BLOCK_ENTRIES * cores()
        form = "lean" if held != self.holds else str(options.get("form", "dense"))
        if self.matrices and is_dense(n, form):
            peak_bytes += self.matrices * 8.0 * n * n
        elif self.reads:
            # The pass over K, a block of rows in each thread, comes before the factor or after the columns.
            read = min(n, whole_rows_per_block(n) * cores())
            peak_bytes = max(peak_bytes, small + self.blocks * 8.0 * n * read)
        return peak_bytes + 8.0 * n * self.rows_beside(n, options)[1] * self.rows

    @property
    def defaults(self) -> dict[str, object]:
        """The options' default values by name."""
        return {option.name: option.default for option in self.options}

    def holding(self, options: dict[str, object]) -> Literal["landmarks", "factor", "matrix"]:
        """Return the largest thing that choosing must hold, see ``holds``, with these of its options."""
        if self.lean is None or (self.defaults | options)[self.lean[0]] != self.lean[1]:
            return self.holds
        return "factor" if self.holds == "matrix" else "landmarks"

    def rows_beside(self, n: int, options: dict[str, object]) -> tuple[str, int]:
        """Return name and value of the option that holds rows of n entries beside the factor, or "" and 0."""
        for option in self.options:
            value = options.get(option.name, option.default)
            if option.holds_rows and isinstance(value, Integral):
                return option.name, min(n, int(value))
        return "", 0

    def all_landmarks(self, m: int, options: dict[str, object]) -> int:
        """Return the landmarks of all experts of a mixture, each with m of its own; 0 for a single one."""
        experts = (self.defaults | options).get("experts", 1)
        return m * int(experts) if isinstance(experts, Integral) and int(experts) > 1 else 0

    @property
    def counted(self) -> str:
        """The plural noun that m counts."""
        return "landmarks" if self.data_dependent else "frequencies"

    def in_words(self, m: int) -> str:
        """Write m with its noun: 90 landmarks, 1 frequency, rank 8."""
        if self.family == "floor":
            return f"rank {m}"
        if m == 1:
            return "1 landmark" if self.data_dependent else "1 frequency"
        return f"{m} {self.counted}"

    @property
    def takes_tolerance(self) -> bool:
        """Whether it knows the trace of K − K̃ after each pivot, and can stop at a tolerance for it."""
        return self.family == "pivoting"

    @property
    def moves_points(self) -> bool:
        """Whether landmarks are means of rows, which rows known by their kernel matrix alone do not have."""
        return self.family == "quantization" and not self.landmarks_are_data

    def suits(self, kernel: Kernel) -> bool:
        """Whether the method is made for this kernel."""
        if self.moves_points and isinstance(kernel, Precomputed):
            return False
        if self.needs_derivative and not getattr(kernel, "is_smooth", False):
            return False
        return not self.kernels or isinstance(kernel, self.kernels)


def draw(weights: FloatArray, uniforms: FloatArray) -> IntArray:
    """Map uniform numbers to indices drawn in proportion to nonnegative weights."""
    cumulative = np.cumsum(weights)
    indices: IntArray = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
    # A uniform number times the sum may round up to the sum itself.
    last = int(np.flatnonzero(weights)[-1])
    return np.minimum(indices, last)


def draw_distinct(weights: FloatArray, count: int, rng: np.random.Generator) -> IntArray:
    """Draw indices without replacement, one after the other, in proportion to the remaining weights.

    Exponential waiting times with these weights as rates end in that order (Efraimidis & Spirakis 2006).
    Fewer than ``count`` are returned if fewer weights are positive; the first do not depend on ``count``.
    """
    with np.errstate(divide="ignore"):
        times = rng.standard_exponential(len(weights)) / weights
    count = min(count, int(np.count_nonzero(weights)))
    if not count:
        return np.empty(0, dtype=np.intp)
    first = np.argpartition(times, count - 1)[:count]
    return first[np.argsort(times[first], kind="stable")]


def residual_floor(K: KernelMatrix) -> float:
    """Return the residual diagonal below which nothing but rounding is left."""
    return max(RESIDUAL_FLOOR * float(np.abs(K.diagonal).max()), K.rounding)


def residual_allowed(K: KernelMatrix) -> float:
    """Return the trace of the residual at which a pivoted method stops."""
    return K.tolerance * float(K.diagonal.sum())


def pivot_damping(K: KernelMatrix) -> FloatArray:
    """Return the numbers added to the residual diagonal, (n,), before gains are divided by it."""
    of_rounding = ROUNDED_DAMPING * math.sqrt(K.rounding * float(K.diagonal.max()))
    return np.maximum(PIVOT_DAMPING * K.diagonal, of_rounding)


def equal_rows(scores: FloatArray) -> IntArray:
    """Return the rows whose score is the largest up to rounding; the seed decides between them."""
    largest = float(scores.max())
    return np.flatnonzero(scores >= largest - TIE * abs(largest))


def tied(ties: int, m: int) -> tuple[str, ...]:
    """Say at how many of m pivots the seed decided between equal rows; return nothing if at none.

    Copies of a pivot do not count: their residual is 0 after it.
    """
    note = f"At {ties} of {m} pivots several rows were as good up to rounding; the seed decided between them."
    return (note,) if ties else ()


def exhausted(K: KernelMatrix, count: int, m: int) -> tuple[str, ...]:
    """Say that a pivoting method found fewer than m pivots; return nothing otherwise."""
    floor = "rounding"
    if 0 < K.rounding == residual_floor(K):
        floor = f"{K.rounding:.1g}, the rounding of the entries of K"
    sentence = f"After {count} of {m} pivots no residual diagonal is above {floor}; it stops there."
    return note_if(count < m, Shortfall.ROWS_EXHAUSTED, sentence)
