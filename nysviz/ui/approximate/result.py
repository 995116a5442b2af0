"""The sentences, the table, the rows and the script of the page "Approximate"."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.curves import errors_of
from nysviz.landmarks import METHODS
from nysviz.measures import Errors, SampledErrors, frobenius, residual, sampled_errors
from nysviz.nested import nested
from nysviz.spectrum import best_errors
from nysviz.text import counted, in_bytes, in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.asking import shared
from nysviz.ui.computing import (
    SHOWN_TOLERANCE,
    Options,
    Outcome,
    Picture,
    approximation,
    eigenpairs,
    eigenpairs_bytes,
    is_exact,
    kernel_matrix,
    matrix_of,
    norms_of,
    picture,
    point_errors,
    sampled,
)
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, options_code, script

NORMS = {"frobenius": "Frobenius", "spectral": "spectral", "trace": "trace"}
# Below this part of the error the best possible error is rounding, and no multiple of it is shown.
ROUNDING = 1e-10


def rows(
    scene: Scene, choice: Choice, outcome: Outcome, eigenvalues: FloatArray | None
) -> list[dict[str, object]]:
    """Errors, the best possible ones, and what the approximation cost."""
    a, found = outcome.approximation, outcome.errors
    begin = head(scene, method=choice.method, options=repr(dict(choice.options)), m=choice.m)
    values: dict[str, object] = {}
    for k, norm in enumerate(NORMS):
        values[norm] = getattr(found, norm, None)
        values[f"relative_{norm}"] = getattr(found, f"relative_{norm}", None)
        if eigenvalues is not None and isinstance(found, Errors):
            values[f"best_{norm}"] = best_errors(eigenvalues, a.rank)[k]
    if not isinstance(found, Errors):
        values["interval_low"], values["interval_high"] = found.interval
    values |= {"quantization": outcome.quantization, "rank": a.rank}
    values |= {"kernel_evaluations": a.kernel_evaluations, "seconds": a.seconds, "bytes": a.nbytes}
    return measured(begin, values)


def python(scene: Scene, choice: Choice) -> str:
    """Write the script."""
    call = f'method="{choice.method}", m={choice.m}, seed={scene.seed}{options_code(choice.options)}'
    if is_exact(scene):
        imports, norms = "from nysviz.spectrum import best_errors", [*NORMS]
        errors = f"""# The tolerance is that of the spectral norm.
found = nv.errors(data.X, kernel, a, tolerance={SHOWN_TOLERANCE!r})
for norm, best in zip({norms!r}, best_errors(nv.spectrum(data.X, kernel), a.rank)):
    print(f"best_{{norm}}", best)"""
    else:
        imports, norms = "from nysviz.measures import sampled_errors", ["frobenius", "trace"]
        errors = """found = sampled_errors(data.X, kernel, a)
print("interval_low", found.interval[0])
print("interval_high", found.interval[1])"""
    return script(
        scene,
        imports,
        f"""a = nv.approximate(data.X, kernel, {call})
{errors}
for norm in {norms!r}:
    print(norm, getattr(found, norm))
    print(f"relative_{{norm}}", getattr(found, f"relative_{{norm}}"))
if a.landmarks is not None:
    print("quantization", nv.quantization_error(data.X, a.landmarks))
print("rank", a.rank)
print("kernel_evaluations", a.kernel_evaluations)
print("bytes", a.nbytes)""",
    )


def numbers(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Return the table: errors with multiples of the best possible, and what the approximation cost."""
    a, errors, e, n = outcome.approximation, outcome.errors, outcome.quantization, scene.data.n
    rows = []
    for norm, name in NORMS.items():
        relative = getattr(errors, f"relative_{norm}", None)
        if relative is not None:
            times = multiple(outcome, eigenvalues, norm)
            rows.append((f"relative {name} error", three_digits(relative), times))
    if isinstance(errors, SampledErrors):
        rows.insert(1, ("95 % interval", " – ".join(map(three_digits, errors.interval)), ""))
    if outcome.left_out is not None:
        rows.append(("leave-one-out Frobenius error", three_digits(outcome.left_out), ""))
    rank = ("rank at most", str(a.rank), "")
    if METHODS[a.method].data_dependent:
        rank = ("rank kept", f"{a.rank} of {a.requested}", "")
    rows += [
        ("quantization error", "–" if e is None else three_digits(e), ""),
        rank,
        ("kernel evaluations", f"{three_digits(a.kernel_evaluations / n**2)} n²", ""),
        ("time", in_seconds(a.seconds), ""),
        ("memory", in_bytes(a.nbytes), f"of {in_bytes(8 * n * n)}"),
    ]
    return page.number_table(("", "", "× best"), rows)


def multiple(outcome: Outcome, eigenvalues: FloatArray | None, norm: str = "frobenius") -> str:
    """Return the error in multiples of the best possible; a dash where that is not known or rounding."""
    if eigenvalues is None or not isinstance(outcome.errors, Errors):
        return "–"
    best = best_errors(eigenvalues, outcome.approximation.rank)[list(NORMS).index(norm)]
    error = getattr(outcome.errors, norm)
    return three_digits(error / best) if best > max(ROUNDING * error, 1e-9) else "–"


def answer(scene: Scene, outcome: Outcome, eigenvalues: FloatArray | None) -> str:
    """Answer the page's question in one sentence."""
    a, errors = outcome.approximation, outcome.errors
    about = "about " if isinstance(errors, SampledErrors) else ""
    text = (
        f"Relative Frobenius error **{about}{three_digits(errors.relative_frobenius)}** with "
        f"{METHODS[a.method].in_words(a.requested)} for {counted(scene.data.n, 'point')}"
    )
    times = multiple(outcome, eigenvalues)
    return f"{text}." if times == "–" else f"{text}: {times} times the best possible at rank {a.rank}."


def text_name(choice: Choice) -> str:
    """Name the page's texts: random features have others."""
    return "approximate" if METHODS[choice.method].data_dependent else "approximate_random_features"


# Steps of the strip, and its largest number of landmarks.
STRIP_STEPS = 24
STRIP_LANDMARKS = 400


@dataclass(frozen=True)
class Strip:
    """An approximation at growing numbers of landmarks.

    ``errors`` are relative Frobenius errors, estimated from sampled rows where K is too large; ``residuals``
    (steps, points) belong to the drawn rows, as ``point_errors`` has them; ``landmarks`` holds positions in
    the plane. ``sampled`` is the number of random rows that all this was computed from, 0 for all rows.
    """

    ms: tuple[int, ...]
    errors: FloatArray
    residuals: FloatArray
    landmarks: tuple[FloatArray, ...]
    sampled: int = 0


def strip_counts(n: int) -> tuple[int, ...]:
    """Numbers of landmarks of the strip's steps, from 1, evenly spaced in log."""
    most = min(n, STRIP_LANDMARKS)
    return tuple(sorted({round(m) for m in np.geomspace(1, most, STRIP_STEPS)}))


def _strip_bytes(scene: Scene, method: str, options: Options, axes: tuple[int, int] | None) -> float:
    # The floor is offered where K is held, and then all rows are taken.
    return eigenpairs_bytes(scene) if method == "svd" else 0.0


@shared(holds=_strip_bytes)
def strip(scene: Scene, method: str, options: Options, axes: tuple[int, int] | None) -> Strip:
    """Compute the steps; at large n from random rows among which are the drawn ones."""
    shown = picture(scene, axes)
    rows, part = sampled(scene)
    if rows is None:
        return _strip(scene, method, options, shown)
    among = replace(shown, rows=np.searchsorted(rows, shown.rows))
    return replace(_strip(part, method, options, among), sampled=len(rows))


def _strip(scene: Scene, method: str, options: Options, shown: Picture) -> Strip:
    ms = strip_counts(scene.data.n)
    if METHODS[method].nested and is_exact(scene):
        return _nested_strip(scene, method, options, shown, ms)
    X, kernel = scene.data.X, scene.kernel
    K = kernel_matrix(scene)
    total = norms_of(scene).frobenius if K is not None else 0.0
    relative, residuals, landmarks = [], [], []
    for m in ms:
        a = approximation(scene, method, m, options)
        if K is None:
            relative.append(sampled_errors(X, kernel, a).relative_frobenius)
        else:
            relative.append(frobenius(residual(K, a.factor)) / total if total > 0 else 0.0)
        residuals.append(point_errors(scene, a, shown.rows))
        points = np.empty((0, X.shape[1])) if a.landmarks is None else a.landmarks
        landmarks.append((points - shown.centre) @ shown.directions)
    return Strip(ms, np.array(relative), np.array(residuals), tuple(landmarks))


def _nested_strip(scene: Scene, method: str, options: Options, shown: Picture, ms: tuple[int, ...]) -> Strip:
    """All steps from one factorisation: residuals and errors fall column by column."""
    matrix = matrix_of(scene)
    if method == "svd":
        matrix.eigen = eigenpairs(scene.unseeded)
    rng = np.random.default_rng(scene.seed)
    selection = METHODS[method].select(matrix, ms[-1], rng, **dict(options))
    found = nested(matrix, selection)
    total = norms_of(scene).frobenius or 1.0
    diagonal = scene.kernel.diag(scene.data.X)[shown.rows]
    ms = tuple(m for m in ms if m <= max(1, len(found.columns)))
    curve = np.array(list(errors_of(matrix.full(), found, ms))) / total
    residuals = np.array([np.abs(diagonal - (found.at(m)[shown.rows] ** 2).sum(axis=1)) for m in ms])
    points = np.empty((0, 2))
    if selection.pivots is not None:
        points = (scene.data.X[selection.pivots] - shown.centre) @ shown.directions
    return Strip(ms, curve, residuals, tuple(points[:m] for m in ms))
