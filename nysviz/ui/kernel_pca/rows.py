"""The numbers of the page "Kernel PCA" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.learning.kernel_pca import Embedding, Forms, departure
from nysviz.ui.computing import is_exact
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import measured
from nysviz.ui.kernel_pca.computing import COMPARED_VECTORS, Run, directions
from nysviz.ui.kernel_pca.curve import REPEATS, counts
from nysviz.ui.sidebar.scene import Scene, head, loading_code


def rows(
    scene: Scene,
    choice: Choice,
    exact: Embedding,
    run: Run,
    forms: Forms | None,
) -> list[dict[str, object]]:
    """Misalignment, angles and seconds of this method, and both forms."""
    begin = head(scene, method=choice.method, options=repr(dict(choice.options)), m=choice.m)
    begin["picture"] = "embedding"
    values = {"misalignment": run.misalignment, "seconds": run.seconds}
    found = measured(begin, values)
    found += measured({**begin, "method": "exact", "options": None, "m": None}, {"seconds": exact.seconds})
    for i, angle in enumerate(run.angles, 1):
        found += measured({**begin, "angle": i}, {"degrees": float(angle)})
    if forms is not None:
        values = {
            "departure": departure(forms.extension),
            "departure_orthogonal": departure(forms.orthogonal),
        }
        found += measured(begin, values)
        for i, pair in enumerate(zip(forms.extension_angles, forms.orthogonal_angles, strict=False), 1):
            plain, right = pair
            values = {"degrees_extension": float(plain), "degrees_orthogonal": float(right)}
            found += measured({**begin, "angle": i}, values)
    return found


def python(whole: Scene, scene: Scene, choice: Choice, methods: Sequence[str], forms: Forms | None) -> str:
    """Write the script."""
    options = "".join(f", {name}={value!r}" for name, value in choice.options)
    chosen = ""
    if scene.data is not whole.data:
        sample = f"np.sort(np.random.default_rng({scene.seed}).permutation(data.n)[:{scene.data.n}])"
        chosen = f"[{sample}]"
    dense = ", dense=kernel(X)" if is_exact(scene) else ""
    call = f'method="{choice.method}", m={choice.m}, seed={scene.seed}{options}'
    return f"""import numpy as np
import nysviz as nv
from nysviz.papers.zhang2008.table3 import misalignment_jobs
from nysviz.learning.kernel_pca import (
    approximate_embedding, departure, exact_embedding, misalignment, principal_angles, two_forms
)
from nysviz.matrix import KernelMatrix
from nysviz.sweep import Problem, run_jobs, tidy

data = {loading_code(whole)}
X = data.X{chosen}
kernel = nv.{scene.kernel!r}
exact = exact_embedding(X, kernel, {directions(scene)})
a = nv.approximate(X, kernel, {call})
found = approximate_embedding(a, exact.vectors.shape[1])
print("picture=embedding misalignment", misalignment(exact.vectors, found.vectors))
for i, angle in enumerate(principal_angles(exact.vectors, found.vectors), 1):
    print(f"angle={{i}} degrees", angle)
{_forms(scene, forms)}{_curve(scene, methods, dense)}"""


def _forms(scene: Scene, forms: Forms | None) -> str:
    if forms is None:
        return ""
    count = min(COMPARED_VECTORS, scene.data.n)
    return f"""
_, vectors = KernelMatrix(X, kernel, dense=kernel(X)).eigenpairs({count})
forms = two_forms(a, vectors)
print("departure", departure(forms.extension))
print("departure_orthogonal", departure(forms.orthogonal))
for i, (plain, right) in enumerate(zip(forms.extension_angles, forms.orthogonal_angles), 1):
    print(f"angle={{i}} degrees_extension", plain)
    print(f"angle={{i}} degrees_orthogonal", right)
"""


def _curve(scene: Scene, methods: Sequence[str], dense: str) -> str:
    if not methods:
        return ""
    asked = f"{list(methods)!r}, {list(counts(scene.data.n))}, {REPEATS}, {scene.seed}"
    return f"""
problem = Problem(data.name, X, kernel, data.digest{dense})
jobs = misalignment_jobs(problem, exact.vectors, {asked})
records = [record for finished in run_jobs(jobs) for record in finished.records]
print(tidy(records).to_csv(index=False))"""
