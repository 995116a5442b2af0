"""Faults that the tests must find, each a small change of one file: ``make mutations``.

Each is put by itself into a copy of the repository, where the tests named with it are run. Exit code 1 where
one survives. ``python -m tests.mutations 3 7`` tries the third and the seventh alone.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")


class Mutation(NamedTuple):
    """What breaks when ``old``, once in a file of nysviz, becomes ``new``, and the tests that must notice."""

    breaks: str
    file: str
    tests: str
    old: str
    new: str


# Those in compiled loops come last: the loops are compiled anew for each of them.
MUTATIONS = [
    Mutation(
        "later proposals are weighed against K, not the residual",
        "landmarks/pivoting.py",
        "landmarks/test_pivoting.py",
        "H -= columns.T @ columns",
        "pass",
    ),
    Mutation(
        "the lean form trusts an f that has drifted",
        "landmarks/greedy_pivoting.py",
        "landmarks/test_pivoting.py",
        "if not fresh and abs(f[pivot] - exact) > DRIFT * exact:",
        "if False:",
    ),
    Mutation(
        "the dense form trusts an f that has drifted",
        "landmarks/greedy_pivoting.py",
        "landmarks/test_pivoting.py",
        "if s and abs(f[pivot] - exact) > DRIFT * exact:",
        "if False:",
    ),
    Mutation(
        "pivots with few digits are taken",
        "landmarks/selection.py",
        "landmarks/test_pivoting.py",
        "np.maximum(PIVOT_DAMPING * K.diagonal, of_rounding)",
        "np.maximum(0.0 * K.diagonal, of_rounding)",
    ),
    Mutation(
        "pivots are taken from the rounding of a given matrix",
        "landmarks/selection.py",
        "landmarks/test_rounded.py",
        "float(np.abs(K.diagonal).max()), K.rounding)",
        "float(K.diagonal.max()), 0.0)",
    ),
    Mutation(
        "rows of a block are taken down to rounding",
        "landmarks/pivoting.py",
        "landmarks/test_pivoting.py",
        "np.full(len(candidates), LEAST_SHARE)",
        "np.zeros(len(candidates))",
    ),
    Mutation(
        "the robust filter leaves as much of a block, however long",
        "landmarks/pivoting.py",
        "landmarks/test_pivoting.py",
        "filter_proposals(H, 1.0 / block, floor, places)",
        "filter_proposals(H, 0.9, floor, places)",
    ),
    Mutation(
        "long landmarks make what short ones span rounding",
        "landmarks/nystroem.py",
        "landmarks/test_registry.py",
        "lengths = np.sqrt(np.where(squares > 0, squares, 1.0))",
        "lengths = np.ones(len(W))",
    ),
    Mutation(
        "a Lloyd step is kept though the potential rises",
        "landmarks/quantize.py",
        "landmarks/test_quantize.py",
        "if not lower < potential:",
        "if lower == potential:",
    ),
    Mutation(
        "distances in feature space without k(z, z)",
        "landmarks/quantize.py",
        "landmarks/test_quantize.py",
        "row += K.diagonal[chosen]",
        "row += 1.0",
    ),
    Mutation(
        "columns drawn with replacement are not rescaled by m",
        "landmarks/sampling.py",
        "landmarks/test_sampling.py",
        "weights=1.0 / np.sqrt(m * probabilities[pivots])",
        "weights=1.0 / np.sqrt(probabilities[pivots])",
    ),
    Mutation(
        "scores by subtraction alone lose their digits",
        "landmarks/adaptive.py",
        "landmarks/test_sampling.py",
        "if scores.sum() < REFRESH * reference:",
        "if scores.sum() < 0.0:",
    ),
    Mutation(
        "the reconstruction of the columns has another rank",
        "landmarks/adaptive.py",
        "landmarks/test_sampling.py",
        "[:, : max(1, size // 2)]",
        "[:, : max(1, size // 3)]",
    ),
    Mutation(
        "weights of the sample the wrong way round",
        "landmarks/leverage_scores.py",
        "landmarks/test_sampling.py",
        "np.maximum(shift / weights**2,",
        "np.maximum(shift * weights**2,",
    ),
    Mutation(
        "the fit of the shares is not penalised",
        "landmarks/mixture.py",
        "landmarks/test_mixture.py",
        "+= RIDGE * np.trace(gram) / p",
        "+= 0.0",
    ),
    Mutation(
        "a restart empties another cluster",
        "landmarks/lloyd.py",
        "landmarks/test_quantize.py",
        "next(i for i in far if counts[labels[i]] > 1)",
        "next(far)",
    ),
    Mutation(
        "rounding decides which of close points is nearest",
        "landmarks/nearest.py",
        "landmarks/test_nearest.py",
        "return rounding * reach",
        "return 0.0 * reach",
    ),
    Mutation(
        "eigenvalues of W that are rounding are kept",
        "landmarks/nystroem.py",
        "nystroem/test_approximation.py",
        "values > max(RANK_TOLERANCE * values[-1], rounding, 0.0)",
        "values > max(rounding, 0.0)",
    ),
    Mutation(
        "rows of the factor that is not held are mixed wrongly",
        "landmarks/partial_cholesky.py",
        "nystroem/test_large.py",
        "last, transposed=True).T",
        "last).T",
    ),
    Mutation(
        "the bandwidth multiplies frequencies",
        "landmarks/random_features.py",
        "landmarks/test_random_features.py",
        "orthogonal=orthogonal) / sigma",
        "orthogonal=orthogonal) * sigma",
    ),
    Mutation(
        "a solution with a small shift is not refined",
        "nystroem/lowrank.py",
        "nystroem/test_lowrank.py",
        "shift < shifted.WELL_CONDITIONED * float(np.trace(square))",
        "False",
    ),
    Mutation(
        "rescaled columns are scaled once more in the extension",
        "nystroem/lowrank.py",
        "nystroem/test_lowrank.py",
        ".shape[0]) if self.weights is None else 1.0",
        ".shape[0])",
    ),
    Mutation(
        "the classical truncation forgets the columns' weights",
        "nystroem/lowrank.py",
        "nystroem/test_lowrank.py",
        "vectors = vectors * self.weights[:, None]",
        "pass",
    ),
    Mutation(
        "the factor in order keeps landmarks that make W singular",
        "nystroem/nested.py",
        "nystroem/test_nested.py",
        "MOST_CONDITION = 1e17",
        "MOST_CONDITION = 1e26",
    ),
    Mutation(
        "nested errors are taken from differences that cancel",
        "nystroem/curves.py",
        "nystroem/test_measures.py",
        "CANCELLATION = 1e-5",
        "CANCELLATION = 0.0",
    ),
    Mutation(
        "the interval ignores that its own width is uncertain",
        "nystroem/measures/sampled.py",
        "nystroem/test_sampled.py",
        "freedom = 2.0 / max",
        "freedom = s - 1.0 or 2.0 / max",
    ),
    Mutation(
        "the trace is believed where K̃ exceeds K",
        "nystroem/measures/exact.py",
        "nystroem/test_measures.py",
        "is_trace = trace >= size - DIAGONAL_ROUNDING * sizes.trace",
        "is_trace = True",
    ),
    Mutation(
        "distances of close points lose their digits",
        "kernels/radial.py",
        "kernels/test_kernels.py",
        "return rounding + math.log(rounding / ENTRY_TOLERANCE) if",
        "return 0.0 if",
    ),
    Mutation(
        "scikit-learn's gamma is read as another convention",
        "kernels/radial.py",
        "kernels/test_kernels.py",
        "return cls(math.sqrt(0.5 / gamma))",
        "return cls(math.sqrt(1.0 / gamma))",
    ),
    Mutation(
        "the default width divides by n - 1",
        "kernels/__init__.py",
        "kernels/test_kernels.py",
        "moved, moved) / len(rows))",
        "moved, moved) / (len(rows) - 1))",
    ),
    Mutation(
        "each pair of sampled points counts once",
        "analysis/spectrum/operators.py",
        "analysis/test_spectrum.py",
        "added = 2.0 * np.tril",
        "added = np.tril",
    ),
    Mutation(
        "the best error of rank m is that of rank m + 1",
        "analysis/spectrum/values.py",
        "analysis/test_spectrum.py",
        "tail = eigenvalues[m:]",
        "tail = eigenvalues[m + 1 :]",
    ),
    Mutation(
        "the first term of proposition 3 without the cluster's size",
        "analysis/bounds/zhang.py",
        "analysis/test_bounds.py",
        "self.m * self.constant * self.quantization * T))",
        "self.m * self.constant * self.quantization))",
    ),
    Mutation(
        "the constant of property (8) is the printed one",
        "analysis/bounds/property_eight.py",
        "analysis/test_bounds.py",
        "return 2.0 * (scale * float(kernel.slope",
        "return (scale * float(kernel.slope",
    ),
    Mutation(
        "the bias is the mean label",
        "analysis/learning/ls_svm.py",
        "analysis/learning/test_ls_svm.py",
        "bias = float(of_y.sum() / of_ones.sum())",
        "bias = float(of_y.mean())",
    ),
    Mutation(
        "the penalty is chosen on rows learned from",
        "analysis/learning/linear_machines.py",
        "analysis/learning/test_linear_machines.py",
        "_path(whole - products, D, penalties)",
        "_path(whole, D, penalties)",
    ),
    Mutation(
        "what several ask for is computed for each of them",
        "engine/engine.py",
        "engine/test_engine.py",
        "if task is not None and not has_lapsed(task.future):",
        "if False:",
    ),
    Mutation(
        "questions on different data share one answer",
        "engine/shared.py",
        "ui/test_asking.py",
        'content = (getattr(value, "content", getattr(value, "digest", value))',
        'content = ("data"',
    ),
    Mutation(
        "the first in the queue begins, however much it has had",
        "engine/queue.py",
        "engine/test_queue.py",
        "return max(task.arrival, min(times, default=0.0)), task.order",
        "return 0.0, task.order",
    ),
    Mutation(
        "decimal commas are never seen",
        "datasets/upload/numbers.py",
        "datasets/test_upload_honest.py",
        'return "," if commas > points else ".", ""',
        'return ".", ""',
    ),
    Mutation(
        "text in the last column is no target",
        "datasets/upload/cleaning.py",
        "datasets/test_upload_text.py",
        "if few and",
        "if False and",
    ),
    Mutation(
        "errors are not divided by the best possible",
        "studies/compare.py",
        "studies/test_compare.py",
        "name: runs / methods[FLOOR][0] for",
        "name: runs for",
    ),
    Mutation(
        "the ridge is not in units of the kernel's largest entry",
        "studies/spectrum.py",
        "pages/test_spectrum.py",
        "effective_dimension(values, self.ridge * top)",
        "effective_dimension(values, self.ridge)",
    ),
    Mutation(
        "rows are multiplied by the widths",
        "kernels/per_feature.py",
        "kernels/test_kernels.py",
        "return X / self.widths",
        "return X * self.widths",
    ),
    Mutation(
        "clipping takes the magnitude of negative eigenvalues",
        "kernels/similarities.py",
        "kernels/test_precomputed.py",
        "values = np.maximum(values, 0.0) if repair",
        "values = np.abs(values) if repair",
    ),
    Mutation(
        "K alone is solved, without μ",
        "analysis/learning/conjugate_gradients.py",
        "analysis/learning/test_conjugate_gradients.py",
        "return K.times(p) + shift * p",
        "return K.times(p)",
    ),
    Mutation(
        "the recursion is believed",
        "analysis/learning/conjugate_gradients.py",
        "analysis/learning/test_conjugate_gradients.py",
        "r = b - multiply(x)",
        "pass",
    ),
    Mutation(
        "negative eigenvalues of W are overlooked",
        "nystroem/approximation.py",
        "kernels/test_own_kernels.py",
        "if len(values) and values[0] < -NEGATIVE * np.abs(values).sum():",
        "if False:",
    ),
    Mutation(
        "a pivoted method takes one landmark less than the tolerance needs",
        "nystroem/approximation.py",
        "nystroem/test_approximation.py",
        "count = int(reached[0]) + 1",
        "count = max(1, int(reached[0]))",
    ),
    Mutation(
        "the bound is without its trace term",
        "analysis/learning/gaussian_process.py",
        "analysis/learning/test_gaussian_process.py",
        "logdet, a.n) - trace_term",
        "logdet, a.n)",
    ),
    Mutation(
        "the left-out row is taken for one of n - m",
        "nystroem/measures/leave_one_out.py",
        "nystroem/test_leave_one_out.py",
        "((n - m + 1) / m, n / m)",
        "((n - m) / m, n / m)",
    ),
    Mutation(
        "rows are drawn by the last vectors of the sketch",
        "landmarks/eigenvector_pivoting.py",
        "landmarks/test_determinantal.py",
        "sketched_pairs(K, normals)[1][:, :m]",
        "sketched_pairs(K, normals)[1][:, -m:]",
    ),
    Mutation(
        "the mean has half its cross term",
        "landmarks/eigenvector_pivoting.py",
        "landmarks/test_determinantal.py",
        "(2.0 * now - inner[t, t] * rows[t])",
        "(now - inner[t, t] * rows[t])",
    ),
    Mutation(
        "any number of landmarks may reach the error",
        "lessons/reading.py",
        "test_lessons.py",
        "return m <= self.landmarks and error",
        "return error",
    ),
    Mutation(
        "swaps are accepted by what enters alone",
        "numerics/loops.py",
        "landmarks/test_determinantal.py",
        "uniforms[t] < gain * pivot:",
        "uniforms[t] < gain:",
    ),
]


def verdict(copy, mutation):
    """Say whether the tests find the fault in the copy."""
    path = copy / "nysviz" / mutation.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(sound.replace(mutation.old, mutation.new), encoding="utf-8")
    tests = [f"tests/{name}" for name in mutation.tests.split()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", *tests]
    ran = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    path.write_text(sound, encoding="utf-8")
    # 1: a test failed. Others say nothing of the fault: a file that is not there, a syntax error.
    return {0: "SURVIVED", 1: "caught"}.get(ran.returncode, f"NO ANSWER {ran.stdout[-1000:]}")


def main(numbers):
    """Try these mutations, or all; return how many were not caught."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "nysviz"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for number, mutation in enumerate(MUTATIONS, start=1):
            if not numbers or number in numbers:
                began = time.monotonic()
                found = verdict(copy, mutation)
                missed += found != "caught"
                spent = time.monotonic() - began
                print(f"{number:2} {found:8} {spent:4.0f} s  {mutation.file}: {mutation.breaks}", flush=True)  # noqa: T201
    return missed


if __name__ == "__main__":
    sys.exit(min(1, main({int(number) for number in sys.argv[1:]})))
