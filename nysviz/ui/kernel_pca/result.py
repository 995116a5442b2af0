"""What the page "Kernel PCA" computes and says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.approximation import approximate
from nysviz.blocks import FloatArray
from nysviz.engine import Run
from nysviz.engine.budget import SQUARE_COPIES, square_bytes
from nysviz.landmarks import METHODS
from nysviz.learning.kernel_pca import (
    DIRECTIONS,
    Embedding,
    Forms,
    aligned,
    approximate_embedding,
    departure,
    exact_embedding,
    misalignment,
    principal_angles,
    two_forms,
)
from nysviz.lowrank import LowRank
from nysviz.papers.zhang2008 import table3
from nysviz.text import counted, in_seconds, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import shared
from nysviz.ui.computing import Options
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, options_code, script

# Eigenvectors whose products are shown in the third picture.
VECTORS = 8
# Of the curve.
PERCENTS = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
REPEATS = 10


@dataclass(frozen=True)
class Embedded:
    """One method's embedding beside the exact one."""

    approximation: LowRank
    embedding: Embedding
    aligned: FloatArray
    misalignment: float
    angles: FloatArray

    @property
    def seconds(self) -> float:
        """Of landmarks, factor and eigenvectors, without K at hand."""
        return self.approximation.seconds + self.embedding.seconds


def directions(scene: Scene) -> int:
    """How many directions are compared: three, fewer for a handful of rows."""
    return max(1, min(DIRECTIONS, scene.data.n - 1))


def _exact_bytes(scene: Scene) -> float:
    # K and a copy of it; of larger data, blocks of its rows alone.
    return square_bytes(scene.data.n, 2.0) if computing.is_exact(scene) else 0.0


@shared(holds=_exact_bytes)
def exact(scene: Scene) -> Embedding:
    """Exact kernel PCA, timed as a user would, without K at hand."""
    found = exact_embedding(scene.data.X, scene.kernel, directions(scene))
    if found.seconds >= 0.4:
        return found
    # The first one of a process also wakes threads and loads code: the time shown leaves that out.
    again = exact_embedding(scene.data.X, scene.kernel, directions(scene))
    return min(found, again, key=lambda one: one.seconds)


@shared(holds=computing.approximation_bytes)
def embedded(scene: Scene, method: str, m: int, options: Options) -> Embedded:
    """Return the method's embedding and how far it is from the exact one; timed without K at hand."""
    U = exact(scene.unseeded).vectors
    a = approximate(scene.data.X, scene.kernel, method, m, scene.seed, matrix=None, **dict(options))
    found = approximate_embedding(a, U.shape[1])
    V = found.vectors
    return Embedded(a, found, aligned(U, V), misalignment(U, V), principal_angles(U, V))


@shared()
def _leading_vectors(scene: Scene) -> FloatArray:
    """Leading eigenvectors of K, for scenes where it is held."""
    return computing.matrix_of(scene).eigenpairs(min(VECTORS, scene.data.n))[1]


@shared(holds=lambda scene, method, m, options: square_bytes(m, SQUARE_COPIES))
def forms(scene: Scene, method: str, m: int, options: Options) -> Forms:
    """Both forms of the eigenvectors of K̃ beside those of K."""
    return two_forms(embedded(scene, method, m, options).approximation, _leading_vectors(scene.unseeded))


def counts(n: int) -> dict[int, float]:
    """Number of landmarks → m/n in per cent, each number once."""
    found: dict[int, float] = {}
    for percent in PERCENTS:
        found.setdefault(max(1, round(n * percent / 100)), percent)
    return found


def curve(scene: Scene, methods: tuple[str, ...]) -> Run:
    """Return the run of misalignment against m for several methods."""
    vectors, ms = exact(scene.unseeded).vectors, tuple(counts(scene.data.n))
    return computing.run_on(
        scene,
        "kernel pca curve",
        lambda problem: table3.misalignment_jobs(problem, vectors, methods, ms, REPEATS, scene.seed),
        methods,
        ms,
    )


def rows(scene: Scene, choice: Choice, run: Embedded, both: Forms | None) -> list[dict[str, object]]:
    """Misalignment, angles and seconds of this method, and both forms."""
    begin = head(scene, method=choice.method, options=repr(dict(choice.options)), m=choice.m)
    begin["picture"] = "embedding"
    found = measured(begin, {"misalignment": run.misalignment, "seconds": run.seconds})
    line = {**begin, "method": "exact", "options": None, "m": None}
    found += measured(line, {"seconds": exact(scene.unseeded).seconds})
    for i, angle in enumerate(run.angles, 1):
        found += measured({**begin, "angle": i}, {"degrees": float(angle)})
    if both is not None:
        values = {"departure": departure(both.extension), "departure_orthogonal": departure(both.orthogonal)}
        found += measured(begin, values)
        for i, pair in enumerate(zip(both.extension_angles, both.orthogonal_angles, strict=False), 1):
            values = {"degrees_extension": float(pair[0]), "degrees_orthogonal": float(pair[1])}
            found += measured({**begin, "angle": i}, values)
    return found


def python(scene: Scene, choice: Choice, methods: Sequence[str], with_forms: bool) -> str:
    """Write the script."""
    call = f'method="{choice.method}", m={choice.m}, seed={scene.seed}{options_code(choice.options)}'
    lines = f"""exact = exact_embedding(data.X, kernel, {directions(scene)})
a = nv.approximate(data.X, kernel, {call})
found = approximate_embedding(a, exact.vectors.shape[1])
print("picture=embedding misalignment", misalignment(exact.vectors, found.vectors))
for i, angle in enumerate(principal_angles(exact.vectors, found.vectors), 1):
    print(f"angle={{i}} degrees", angle)
"""
    if with_forms:
        matrix, count = "KernelMatrix(data.X, kernel, dense=kernel(data.X))", min(VECTORS, scene.data.n)
        lines += f"""
forms = two_forms(a, {matrix}.eigenpairs({count})[1])
print("departure", departure(forms.extension))
print("departure_orthogonal", departure(forms.orthogonal))
for i, (plain, right) in enumerate(zip(forms.extension_angles, forms.orthogonal_angles), 1):
    print(f"angle={{i}} degrees_extension", plain)
    print(f"angle={{i}} degrees_orthogonal", right)
"""
    if methods:
        asked = f"{list(methods)!r}, {list(counts(scene.data.n))}, {REPEATS}, {scene.seed}"
        lines += f"""
{computing.problem_code(scene)}
jobs = misalignment_jobs(problem, exact.vectors, {asked})
{computing.RECORDS_CODE}
{computing.TABLE_CODE}"""
    imports = """from nysviz.papers.zhang2008.table3 import misalignment_jobs
from nysviz.learning.kernel_pca import (
    approximate_embedding, departure, exact_embedding, misalignment, principal_angles, two_forms
)
from nysviz.matrix import KernelMatrix
from nysviz.sweep import Problem, run_jobs, tidy"""
    return script(scene, imports, lines)


def answer(choice: Choice, exact: Embedding, run: Embedded) -> str:
    """Answer the page's question in one sentence."""
    k = exact.vectors.shape[1]
    return (
        f"Misalignment **{three_digits(run.misalignment)}** of {counted(k, 'leading direction')} with "
        f"{METHODS[choice.method].in_words(choice.m)}, between 0 (exact) and {three_digits(np.sqrt(k))}."
    )


def numbers(exact: Embedding, run: Embedded) -> str:
    """Return the table: misalignment, angles and seconds."""
    k = exact.vectors.shape[1]
    rows = [("misalignment", three_digits(run.misalignment), f"of {three_digits(np.sqrt(k))}")]
    # A method whose K̃ has fewer directions loses the others altogether.
    angles = [*map(float, run.angles), *[90.0] * (k - len(run.angles))]
    for j, angle in enumerate(angles, 1):
        found = "of 90°" if j <= len(run.angles) else "not found"
        rows.append((f"angle θ<sub>{j}</sub>", f"{three_digits(angle)}°", found))
    times = f"{three_digits(exact.seconds / run.seconds)} ×" if run.seconds > 0 else ""
    rows.append(("time, this method", in_seconds(run.seconds), ""))
    rows.append(("time, exact directions", in_seconds(exact.seconds), times))
    return page.number_table(("", "", ""), rows)
