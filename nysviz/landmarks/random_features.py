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

# Larger angles may overflow when summed; their sines lost every digit long before.
LARGEST_ANGLE = 1e300
# Arrays held for the QR factors of the normal numbers: these numbers, a copy, Q and R.
QR_ARRAYS = 4


def rff(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw m independent frequencies of random Fourier features (Rahimi & Recht 2007); no entry of K, O(nmd).

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
    # Not nested: the first frequencies stay, but the scale 1/√m of all columns changes.
    landmarks_are_data=False,
    data_dependent=False,
    kernels=(Gaussian,),
    short="RFF",
    work=lambda size, options: size.waves,
)


def orf(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Draw orthogonal random features (Yu et al. 2016): as ``rff``, with ``orthogonal_frequencies``.

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
    # The registry admits only this kernel.
    sigma = cast("Gaussian", K.kernel).sigma
    K.checkpoint()
    frequencies = random_frequencies(m, K.X.shape[1], rng, orthogonal=orthogonal) / sigma
    is_held = memory.is_held(K.n, 2 * m)
    return Selection(frequencies=frequencies, factor=fourier_features(frequencies, K.X) if is_held else None)


def random_frequencies(m: int, d: int, rng: np.random.Generator, *, orthogonal: bool) -> FloatArray:
    """Draw frequencies of the Gaussian kernel with σ = 1, (m, d); divide by σ for another σ."""
    return orthogonal_frequencies(m, d, rng) if orthogonal else rng.standard_normal((m, d))


def orthogonal_frequencies(m: int, d: int, rng: np.random.Generator) -> FloatArray:
    """Draw frequencies for σ = 1 that are orthogonal within each block of d (Yu et al. 2016), (m, d).

    Each has the length and the distribution of an independent normal vector. They are rows of QR factors,
    which take all d columns for any m: O(md² + d³), and 32 d² bytes for each d of them, or part of d, while
    they are made.
    """
    blocks = -(-m // d)
    needed_bytes, limit = 8 * QR_ARRAYS * blocks * d * d, memory.most_bytes()
    if needed_bytes > limit:
        raise Refusal(
            f"Orthogonal frequencies take {in_bytes(needed_bytes)} while they are made, for {d} columns of "
            f"X and m = {m}, and {in_bytes(limit)} are available; take independent ones (the "
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
    """Return sines, then cosines, of frequencies (m, d) at the rows of X (q, d): (q, 2m); O(qmd).

    ``scales`` (m,) multiply the sine and cosine of each frequency, by default 1/√m; the feature vectors are
    then multiplied by ``turn`` (2m, r), if given: (q, r), O(qm(d + r)). ValueError for values so large that
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
