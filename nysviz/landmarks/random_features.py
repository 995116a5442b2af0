"""Random Fourier features of the Gaussian kernel: frequencies, drawn without the data, not landmarks."""

from typing import cast

import numpy as np

from nysviz.kernels import Gaussian
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.selection import Method, Selection
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.refusal import Refusal
from nysviz.text import in_bytes

# Angles beyond this may overflow where they are summed; their sines have lost every digit long before.
LARGEST_ANGLE = 1e300
# Arrays of the normal numbers' size that their QR factors take: these numbers, a copy, Q and R.
QR_ARRAYS = 4


def rff(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Random Fourier features (Rahimi & Recht 2007), m independent frequencies; no entry of K, O(nmd).

    z(x) = (sin uᵢᵀx …, cos uᵢᵀx …) / √m with uᵢ ~ N(0, σ⁻² I), 2m columns (Yang et al. 2012, sec. 2).
    """
    return _selection(K, m, rng, orthogonal=False)


RFF = Method(
    label="random Fourier features",
    source="Rahimi & Recht 2007",
    sentence="Takes sines and cosines at m random frequencies, drawn without a look at the data.",
    complexity="O(nmd)",
    select=rff,
    family="random features",
    stroke=("solid", "line-ew-open"),
    # The first frequencies stay the first, but the scale 1/√m of all columns changes.
    landmarks_are_data=False,
    data_dependent=False,
    kernels=(Gaussian,),
    short="RFF",
    work=lambda size, options: size.waves,
)


def orf(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Orthogonal random features (Yu et al. 2016): as ``rff``, with ``orthogonal_frequencies``.

    No entry of K, O(nmd + md² + d³).
    """
    return _selection(K, m, rng, orthogonal=True)


ORF = Method(
    label="orthogonal random features",
    source="Yu, Suresh, Choromanski, Holtmann-Rice & Kumar 2016",
    sentence="As random Fourier features, with directions at right angles, which repeat each other less.",
    complexity="O(nmd + md² + d³)",
    select=orf,
    family="random features",
    stroke=("dash", "asterisk-open"),
    landmarks_are_data=False,
    data_dependent=False,
    kernels=(Gaussian,),
    short="ORF",
    work=lambda size, options: size.waves,
)


def _selection(K: KernelMatrix, m: int, rng: np.random.Generator, *, orthogonal: bool) -> Selection:
    # The registry says that only this kernel comes here.
    sigma = cast("Gaussian", K.kernel).sigma
    K.checkpoint()
    frequencies = random_frequencies(m, K.X.shape[1], rng, orthogonal=orthogonal) / sigma
    held = memory.is_held(K.n, 2 * m)
    return Selection(frequencies=frequencies, factor=fourier_features(frequencies, K.X) if held else None)


def random_frequencies(m: int, d: int, rng: np.random.Generator, *, orthogonal: bool) -> FloatArray:
    """Frequencies of the Gaussian kernel with σ = 1, (m, d); those of another σ are these, divided by it."""
    return orthogonal_frequencies(m, d, rng) if orthogonal else rng.standard_normal((m, d))


def orthogonal_frequencies(m: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Frequencies for σ = 1 that are orthogonal within each block of d (Yu et al. 2016), (m, d).

    Each is as long as an independent normal vector, and alone distributed like one. They are rows of QR
    factors, which take all d columns however few rows are asked for: O(md² + d³), and while they are made
    32 d² bytes for each d of them or part of d.
    """
    blocks = -(-m // d)
    needed, limit = 8 * QR_ARRAYS * blocks * d * d, memory.most_bytes()
    if needed > limit:
        raise Refusal(
            f"Orthogonal frequencies take {in_bytes(needed)} while they are made, for {d} columns of "
            f"X and m = {m}, and {in_bytes(limit)} are there for it; take independent ones (the "
            "method rff, or FourierFeatures with orthogonal=False), or fewer columns."
        )
    normal = rng.standard_normal((blocks, d, d))
    Q, R = np.linalg.qr(normal)
    # With a positive diagonal of R the factor Q is uniform over the orthogonal matrices.
    Q *= np.sign(np.einsum("bii->bi", R))[:, None, :]
    lengths = np.sqrt(rng.chisquare(d, size=(blocks * d, 1)))
    return (lengths * Q.reshape(blocks * d, d))[:m]


def fourier_features(
    frequencies: FloatArray, X: FloatArray, scales: FloatArray | None = None, turn: FloatArray | None = None
) -> FloatArray:
    """Sines, then cosines, of frequencies (m, d) at the rows of X (q, d), (q, 2m), in blocks of rows; O(qmd).

    ``scales`` (m,) multiply the sine and cosine of each frequency, 1/√m when not given; the feature vectors
    are then multiplied by ``turn`` (2m, r), if any: (q, r), O(qm(d + r)). ValueError for values so large that
    the angles overflow.
    """
    m, d = frequencies.shape
    with np.errstate(over="ignore"):
        largest = d * float(np.abs(frequencies).max(initial=0.0)) * float(np.abs(X).max(initial=0.0))
    if not largest < LARGEST_ANGLE:
        raise Refusal("X holds values so large, for this σ, that the angles overflow; rescale X first.")
    by = np.full(m, 1.0 / np.sqrt(m)) if scales is None else scales
    features = np.empty((len(X), 2 * m if turn is None else turn.shape[1]))

    def block(start: int, stop: int) -> None:
        angles = X[start:stop] @ frequencies.T
        rows = features[start:stop] if turn is None else np.empty((stop - start, 2 * m))
        np.multiply(np.sin(angles), by, out=rows[:, :m])
        np.multiply(np.cos(angles), by, out=rows[:, m:])
        if turn is not None:
            np.matmul(rows, turn, out=features[start:stop])

    over_blocks(len(X), rows_per_block(len(X), 2 * m), block)
    return features
