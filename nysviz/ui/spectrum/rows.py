"""The numbers of the page "Spectrum" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nysviz.blocks import FloatArray
from nysviz.spectrum.operators import MARGIN
from nysviz.ui.computing import SPECTRUM_ROWS, is_exact
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.spectrum.computing import DRAWS, SAMPLES, Distances, Reading, sufficient_sample
from nysviz.ui.spectrum.parts import Choice

EXACT = "exact"


def rows(
    scene: Scene,
    choice: Choice,
    reading: Reading,
    curves: Mapping[str, FloatArray],
    distances: Distances | None,
) -> list[dict[str, object]]:
    """Gap, laws, dimension and theorem 1's m; eigenvalues over n of K and K̃; distances of the operators."""
    begin = head(scene)
    values: dict[str, object] = {"effective_dimension": reading.dimension, "asked_m": reading.asked}
    if gap := reading.gap:
        values |= {"gap_rank": gap.r, "gap": gap.size, "gap_ratio": gap.ratio}
    if distances is not None:
        values["enough_m"] = sufficient_sample(reading, distances)
    found = measured(begin, values)
    for law in reading.laws or ():
        told = {"law_rate": law.rate, "law_scale": law.scale, "law_explained": law.explained}
        found += measured({**begin, "law": law.kind}, told)
    for method, spectrum in {EXACT: reading.values, **curves}.items():
        m = None if method == EXACT else choice.m
        for i, value in enumerate(spectrum, 1):
            line = {**begin, "method": method, "m": m, "rank": i}
            found.append({**line, "measure": "eigenvalue_over_n", "value": float(value)})
    if distances is not None:
        for m, value in zip(distances.sizes, distances.found.max(axis=0), strict=True):
            found.append({**begin, "m": int(m), "measure": "largest_distance", "value": float(value)})
    return found


def python(scene: Scene, choice: Choice, methods: Sequence[str]) -> str:
    """Write the script for the approximations that the page shows."""
    exact = is_exact(scene)
    sample = f"\nsample = data.sampled({SPECTRUM_ROWS}).X"
    own = "factor_spectrum(a.factor)" if exact else "gram_spectrum(a.gram())"
    return f"""import numpy as np
import nysviz as nv
from nysviz.matrix import KernelMatrix
from nysviz.spectrum import factor_spectrum, gram_spectrum
from nysviz.spectrum.gaps import decay, effective_dimension, largest_gaps, rounding
from nysviz.spectrum.operators import operator_distances, smallest_sample

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
top = kernel.diag(data.X).max()  # the theorems need k(x, x) ≤ 1{"" if exact else sample}
values = nv.spectrum({"data.X" if exact else "sample"}, kernel) / {"data.n" if exact else "len(sample)"}
print("effective_dimension", effective_dimension(values, {choice.ridge!r} * top))
gap = largest_gaps(values)[0]
if gap.size > rounding(values):
    print("gap_rank", gap.r)
    print("gap", gap.size)
    print("gap_ratio", gap.ratio)
    print("asked_m", smallest_sample(data.n, gap.size / top))
for law in decay(values) or ():
    print(f"law={{law.kind}} law_rate", law.rate)
    print(f"law={{law.kind}} law_scale", law.scale)
    print(f"law={{law.kind}} law_explained", law.explained)

rows = {"data.X" if exact else "sample"}
sizes = np.unique(np.round(np.geomspace(1, min(len(rows), {SAMPLES}), 40))).astype(int)
matrix = KernelMatrix(rows, kernel{", dense=kernel(rows)" if exact else ""})
distances = operator_distances(matrix, sizes.tolist(), {DRAWS}, {scene.seed}) / top
worst = distances.max(axis=0)
for m, distance in zip(sizes, worst):
    print(f"m={{m}} largest_distance", distance)
enough = sizes[gap.size / top > {MARGIN!r} * worst]
if len(enough):
    print("enough_m", enough[0])

spectra = {{"{EXACT}": values}}
for method in {list(methods)!r}:
    a = nv.approximate(data.X, kernel, method, {choice.m}, {scene.seed})
    spectra[method] = {own} / data.n
for method, found in spectra.items():
    for rank, value in enumerate(found, 1):
        print(f"method={{method}} rank={{rank}} eigenvalue_over_n", value)"""
