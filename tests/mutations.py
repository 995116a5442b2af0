"""Faults, each of which the tests named with it must find: ``python -m tests.mutations [number …]``.

Each fault is put by itself into a copy of the repository, where its tests are run. Exit code 1 where one
survives, or where its old text does not stand in the file exactly once. pytest does not collect this file.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")
# A file of nysviz, the tests, what breaks; below it the old text and the new one. Faults in compiled loops
# come last: the loops are compiled anew for each of them.
FAULTS = """
landmarks/pivoting.py | landmarks/test_pivoting.py | later proposals are weighed against K, not the residual
    H -= columns.T @ columns => pass
landmarks/greedy_pivoting.py | landmarks/test_pivoting.py | the lean form trusts an f that has drifted
    if not fresh and abs(f[pivot] - exact) > DRIFT * exact: => if False:
landmarks/greedy_pivoting.py | landmarks/test_pivoting.py | the dense form trusts an f that has drifted
    if s and abs(f[pivot] - exact) > DRIFT * exact: => if False:
landmarks/selection.py | landmarks/test_pivoting.py | pivots with few digits are taken
    np.maximum(PIVOT_DAMPING * K.diagonal, of_rounding) => np.maximum(0.0 * K.diagonal, of_rounding)
landmarks/selection.py | landmarks/test_rounded.py | pivots are taken from the rounding of a given matrix
    float(np.abs(K.diagonal).max()), K.rounding) => float(K.diagonal.max()), 0.0)
landmarks/pivoting.py | landmarks/test_pivoting.py | rows of a block are taken down to rounding
    np.full(len(candidates), LEAST_SHARE) => np.zeros(len(candidates))
landmarks/pivoting.py | landmarks/test_pivoting.py | the robust filter leaves as much of a block, however long
    filter_proposals(H, 1.0 / block, floor, places) => filter_proposals(H, 0.9, floor, places)
landmarks/nystroem.py | landmarks/test_registry.py | long landmarks make what short ones span rounding
    lengths = np.sqrt(np.where(squares > 0, squares, 1.0)) => lengths = np.ones(len(W))
landmarks/quantize.py | landmarks/test_quantize.py | a Lloyd step is kept though the potential rises
    if not lower < potential: => if lower == potential:
landmarks/quantize.py | landmarks/test_quantize.py | distances in feature space without k(z, z)
    row += K.diagonal[chosen] => row += 1.0
landmarks/sampling.py | landmarks/test_sampling.py | columns drawn with replacement are not rescaled by m
    weights=1.0 / np.sqrt(m * probabilities[pivots]) => weights=1.0 / np.sqrt(probabilities[pivots])
landmarks/adaptive.py | landmarks/test_sampling.py | scores by subtraction alone lose their digits
    if scores.sum() < REFRESH * reference: => if scores.sum() < 0.0:
landmarks/adaptive.py | landmarks/test_sampling.py | the reconstruction of the columns has another rank
    [:, : max(1, size // 2)] => [:, : max(1, size // 3)]
landmarks/leverage_scores.py | landmarks/test_sampling.py | weights of the sample the wrong way round
    np.maximum(shift / weights**2, => np.maximum(shift * weights**2,
landmarks/mixture.py | landmarks/test_mixture.py | the fit of the shares is not penalised
    += RIDGE * np.trace(gram) / p => += 0.0
landmarks/lloyd.py | landmarks/test_quantize.py | a restart empties another cluster
    next(i for i in far if counts[labels[i]] > 1) => next(far)
landmarks/nearest.py | landmarks/test_nearest.py | rounding decides which of close points is nearest
    return rounding * reach => return 0.0 * reach
landmarks/nystroem.py | nystroem/test_approximation.py | eigenvalues of W that are rounding are kept
    values > max(RANK_TOLERANCE * values[-1], rounding, 0.0) => values > max(rounding, 0.0)
landmarks/pivoting.py | nystroem/test_large.py | rows of the factor that is not held are mixed wrongly
    last, transposed=True).T => last).T
landmarks/random_features.py | landmarks/test_random_features.py | the bandwidth multiplies frequencies
    orthogonal=orthogonal) / sigma => orthogonal=orthogonal) * sigma
nystroem/lowrank.py | nystroem/test_lowrank.py | a solution with a small shift is not refined
    shift < shifted.WELL_CONDITIONED * float(np.trace(square)) => False
nystroem/lowrank.py | nystroem/test_lowrank.py | rescaled columns are scaled once more in the extension
    .shape[0]) if self.weights is None else 1.0 => .shape[0])
nystroem/lowrank.py | nystroem/test_lowrank.py | the classical truncation forgets the columns' weights
    vectors = vectors * self.weights[:, None] => pass
nystroem/nested.py | nystroem/test_nested.py | the factor in order keeps landmarks that make W singular
    MOST_CONDITION = 1e17 => MOST_CONDITION = 1e26
nystroem/curves.py | nystroem/test_measures.py | nested errors are taken from differences that cancel
    CANCELLATION = 1e-5 => CANCELLATION = 0.0
nystroem/measures/sampled.py | nystroem/test_sampled.py | the interval ignores that its own width is uncertain
    freedom = 2.0 / max => freedom = s - 1.0 or 2.0 / max
nystroem/measures/exact.py | nystroem/test_measures.py | the trace is believed where K̃ exceeds K
    is_trace = trace >= size - DIAGONAL_ROUNDING * sizes.trace => is_trace = True
kernels/radial.py | kernels/test_kernels.py | distances of close points lose their digits
    return rounding + math.log(rounding / ENTRY_TOLERANCE) if => return 0.0 if
kernels/radial.py | kernels/test_kernels.py | scikit-learn's gamma is read as another convention
    return cls(math.sqrt(0.5 / gamma)) => return cls(math.sqrt(1.0 / gamma))
kernels/__init__.py | kernels/test_kernels.py | the default width divides by n - 1
    moved, moved) / len(rows)) => moved, moved) / (len(rows) - 1))
analysis/spectrum/operators.py | analysis/test_spectrum.py | each pair of sampled points counts once
    added = 2.0 * np.tril => added = np.tril
analysis/spectrum/values.py | analysis/test_spectrum.py | the best error of rank m is that of rank m + 1
    tail = eigenvalues[m:] => tail = eigenvalues[m + 1 :]
analysis/bounds/zhang.py | analysis/test_bounds.py | the first term of proposition 3 without the cluster's size
    self.m * self.constant * self.quantization * T)) => self.m * self.constant * self.quantization))
analysis/bounds/property_eight.py | analysis/test_bounds.py | the constant of property (8) is the printed one
    return 2.0 * (scale * float(kernel.slope => return (scale * float(kernel.slope
analysis/learning/ls_svm.py | analysis/learning/test_ls_svm.py | the bias is the mean label
    bias = float(of_y.sum() / of_ones.sum()) => bias = float(of_y.mean())
analysis/learning/linear_machines.py | analysis/learning/test_linear_machines.py | the penalty is chosen on rows learned from
    _path(whole - products, D, penalties) => _path(whole, D, penalties)
engine/engine.py | engine/test_engine.py | what several ask for is computed for each of them
    if task is not None and not has_lapsed(task.future): => if False:
engine/shared.py | ui/test_asking.py | questions on different data share one answer
    content = (getattr(value, "content", getattr(value, "digest", value)) => content = ("data"
engine/queue.py | engine/test_queue.py | the first in the queue begins, however much it has had
    return max(task.arrival, min(times, default=0.0)), task.order => return 0.0, task.order
datasets/upload/numbers.py | datasets/test_upload_honest.py | decimal commas are never seen
    return "," if commas > points else ".", "" => return ".", ""
datasets/upload/cleaning.py | datasets/test_upload_text.py | text in the last column is no target
    if few and => if False and
studies/compare.py | studies/test_compare.py | errors are not divided by the best possible
    name: runs / methods[FLOOR][0] for => name: runs for
studies/spectrum.py | pages/test_spectrum.py | the ridge is not in units of the kernel's largest entry
    effective_dimension(values, self.ridge * top) => effective_dimension(values, self.ridge)
kernels/per_feature.py | kernels/test_kernels.py | rows are multiplied by the widths
    return X / self.widths => return X * self.widths
kernels/similarities.py | kernels/test_precomputed.py | clipping takes the magnitude of negative eigenvalues
    values = np.maximum(values, 0.0) if repair => values = np.abs(values) if repair
analysis/learning/conjugate_gradients.py | analysis/learning/test_conjugate_gradients.py | K alone is solved, without μ
    return K.times(p) + shift * p => return K.times(p)
analysis/learning/conjugate_gradients.py | analysis/learning/test_conjugate_gradients.py | the recursion is believed
    r = b - multiply(x) => pass
nystroem/approximation.py | kernels/test_own_kernels.py | negative eigenvalues of W are overlooked
    if len(values) and values[0] < -NEGATIVE * np.abs(values).sum(): => if False:
nystroem/approximation.py | nystroem/test_approximation.py | a pivoted method takes one landmark less than the tolerance needs
    count = int(reached[0]) + 1 => count = max(1, int(reached[0]))
analysis/learning/gaussian_process.py | analysis/learning/test_gaussian_process.py | the bound is without its trace term
    logdet, a.n) - trace_term => logdet, a.n)
nystroem/measures/leave_one_out.py | nystroem/test_leave_one_out.py | the left-out row is taken for one of n - m
    ((n - m + 1) / m, n / m) => ((n - m) / m, n / m)
landmarks/eigenvector_pivoting.py | landmarks/test_determinantal.py | rows are drawn by the last vectors of the sketch
    sketched_pairs(K, normals)[1][:, :m] => sketched_pairs(K, normals)[1][:, -m:]
landmarks/eigenvector_pivoting.py | landmarks/test_determinantal.py | the mean has half its cross term
    (2.0 * now - inner[t, t] * rows[t]) => (now - inner[t, t] * rows[t])
lessons/reading.py | test_lessons.py | any number of landmarks may reach the error
    return m <= self.landmarks and error => return error
numerics/loops.py | landmarks/test_determinantal.py | swaps are accepted by what enters alone
    uniforms[t] < gain * pivot: => uniforms[t] < gain:
"""  # noqa: E501


def parsed():
    """Return (file, tests, what breaks, old text, new text) of every fault."""
    lines = FAULTS.strip().splitlines()
    for head, change in zip(lines[::2], lines[1::2], strict=True):
        file, tests, breaks = (part.strip() for part in head.split("|"))
        old, new = (part.strip() for part in change.split("=>"))
        yield f"nysviz/{file}", [f"tests/{one}" for one in tests.split()], breaks, old, new


def verdict(copy, file, tests, old, new):
    """Say whether the tests find the fault in the copy."""
    path = copy / file
    sound = path.read_text(encoding="utf-8")
    if sound.count(old) != 1:
        return "OLD TEXT NOT FOUND ONCE"
    path.write_text(sound.replace(old, new), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", *tests]
    ran = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    path.write_text(sound, encoding="utf-8")
    # 1: a test failed. Others say nothing of the fault: a file that is not there, a syntax error.
    return {0: "SURVIVED", 1: "caught"}.get(ran.returncode, f"NO ANSWER {ran.stdout[-1000:]}")


def main(numbers):
    """Try these faults, or all; return how many were not caught."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "nysviz"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for number, (file, tests, breaks, old, new) in enumerate(parsed(), start=1):
            if not numbers or number in numbers:
                began = time.monotonic()
                found = verdict(copy, file, tests, old, new)
                missed += found != "caught"
                spent = time.monotonic() - began
                print(f"{number:2} {found:8} {spent:4.0f} s  {file}: {breaks}", flush=True)  # noqa: T201
    return missed


if __name__ == "__main__":
    sys.exit(min(1, main({int(number) for number in sys.argv[1:]})))
