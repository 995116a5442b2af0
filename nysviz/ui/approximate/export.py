"""The numbers of the page "Approximate" as tidy records, and the script that prints them."""

from __future__ import annotations

from nysviz.blocks import FloatArray
from nysviz.measures import Errors
from nysviz.spectrum import best_errors
from nysviz.ui.computing import SHOWN_TOLERANCE, Outcome, is_exact
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import measured
from nysviz.ui.sidebar.scene import Scene, head, loading_code

NORMS = ("frobenius", "spectral", "trace")


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
    options = "".join(f", {name}={value!r}" for name, value in choice.options)
    call = f'method="{choice.method}", m={choice.m}, seed={scene.seed}{options}'
    more = 'print("quantization", nv.quantization_error(data.X, a.landmarks))\n'
    if choice.method in ("rff", "orf", "svd", "ensemble"):
        more = "if a.landmarks is not None:\n    " + more
    return f"""import nysviz as nv
{_IMPORTS[is_exact(scene)]}
data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
a = nv.approximate(data.X, kernel, {call})
{_MEASURED[is_exact(scene)]}{more}print("rank", a.rank)
print("kernel_evaluations", a.kernel_evaluations)
print("bytes", a.nbytes)"""


_IMPORTS = {
    True: "from nysviz.spectrum import best_errors\n",
    False: "from nysviz.measures import sampled_errors\n",
}
_MEASURED = {
    True: f"""found = nv.errors(data.X, kernel, a, tolerance={SHOWN_TOLERANCE!r})  # of the spectral norm
best = best_errors(nv.spectrum(data.X, kernel), a.rank)
for k, norm in enumerate(("frobenius", "spectral", "trace")):
    print(norm, getattr(found, norm))
    print(f"relative_{{norm}}", getattr(found, f"relative_{{norm}}"))
    print(f"best_{{norm}}", best[k])
""",
    False: """found = sampled_errors(data.X, kernel, a)
for norm in ("frobenius", "trace"):
    print(norm, getattr(found, norm))
    print(f"relative_{norm}", getattr(found, f"relative_{norm}"))
print("interval_low", found.interval[0])
print("interval_high", found.interval[1])
""",
}
