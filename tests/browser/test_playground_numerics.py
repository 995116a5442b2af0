"""The playground's JavaScript has the core's numbers, its algorithms the picks of nysviz.analysis.steps."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import nysviz as nv
from nysviz.analysis.steps import trace
from nysviz.analysis.steps.exchanges import swap_odds
from nysviz.analysis.steps.record import RecordingGenerator
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.determinantal import swap_chain_states
from nysviz.landmarks.moving import explained_trace
from nysviz.landmarks.selection import Selection, residual_floor
from nysviz.nystroem.approximation import factorise
from nysviz.playground.drawing import Drawing, first, on_grid
from nysviz.playground.standalone import bundle
from nysviz.studies.playground import approximation

KERNELS = {
    "gaussian": nv.Gaussian,
    "laplacian": nv.Laplacian,
    "matern32": lambda sigma: nv.Matern(1.5, sigma),
    "inverse_distance": nv.InverseDistance,
}
STATES = 200
# Of K's norm. Nearly equal landmarks make W nearly singular, and the effect of the two programs' rounding of
# its entries grows with its condition number, up to the 1e12 at which both drop eigenvalues.
TOLERANCE = 1e-6
ROUNDING = 1e-15
NAMES = "KERNELS, ALGORITHMS, kernelMatrix, approximate, residualMatrix, approximatedEigenvalues, errors, "
NAMES += "eigenvalues, best, field, seeded, decode, encode, explainedTrace, downhill"


@pytest.fixture(scope="module")
def run(chromium):
    """Call a JavaScript function of one argument beside the playground's modules."""
    page = chromium.new_page()
    page.add_script_tag(content=f"{bundle()}\nglobalThis.playground = {{ {NAMES} }};", type="module")
    page.wait_for_function("() => globalThis.playground")
    yield lambda function, argument=None: page.evaluate(
        f"argument => {{ const {{ {NAMES} }} = playground; return ({function})(argument); }}", argument
    )
    page.close()


def states():
    """Points, landmarks, kernel and bandwidth, with equal points, equal and nearly equal landmarks."""
    rng = np.random.default_rng(0)
    for i in range(STATES):
        n = int(rng.choice([1, 2, 3, 5, 20, 40, 60, 100]))
        X = rng.random((n, 2)) if i % 2 else rng.normal(rng.random((4, 2))[rng.integers(4, size=n)], 0.05)
        if n > 4 and i % 3 == 0:
            X[n // 2 : n // 2 + 2] = X[:2]
        m = int(rng.integers(1, 41))
        Z = X[rng.permutation(n)[:m]]
        Z = np.vstack([Z, rng.random((m - len(Z), 2))])
        if i % 8 < 2:
            Z = np.vstack([Z[:20], Z[:10]])
        elif i % 8 < 4:
            gap = 10.0 ** -rng.integers(1, 10)
            Z = np.vstack([Z[:20], Z[:5] + gap * rng.normal(size=Z[:5].shape)])
        elif i % 8 < 6:
            Z = Z + 0.01 * rng.normal(size=Z.shape)
        yield X, Z, list(KERNELS)[i % 4], float(10 ** rng.uniform(-2.0, 0.7))


# Matrices as text: many numbers take long on their way out of the browser.
MEASURED = """states => states.map(([X, Z, id, sigma, x, y]) => {
  const points = Float64Array.from(X), kernel = KERNELS[id].make(sigma);
  const K = kernelMatrix(points, kernel), a = approximate(points, Float64Array.from(Z), kernel);
  const values = eigenvalues(K, points.length / 2);
  return {K: JSON.stringify([...K]), rest: JSON.stringify([...residualMatrix(K, a)]),
    residual: [...a.residual], rank: a.rank, condition: a.condition, errors: errors(K, a),
    live: errors(K, a, false), values: [...values], ofApproximation: [...approximatedEigenvalues(a)],
    best: best(values, a.rank), field: [...field(a, x, y, 0.25, 0.5, 5, 3)]}; })"""


@pytest.fixture(scope="module")
def measured(run):
    """Pairs of a state and what the browser makes of it."""
    made = list(states())
    sent = [(X.ravel().tolist(), Z.ravel().tolist(), name, s, -0.1, -0.2) for X, Z, name, s in made]
    return list(zip(made, run(MEASURED, sent), strict=True))


def test_kernel_eigenvalues_and_best_errors(measured):
    for (X, _, name, sigma), found in measured:
        K = KERNELS[name](sigma)(X)
        np.testing.assert_allclose(np.reshape(json.loads(found["K"]), K.shape), K, rtol=0, atol=2e-12)
        values = np.linalg.eigvalsh(K)[::-1]
        np.testing.assert_allclose(found["values"], values, rtol=0, atol=1e-11 * values[0])
        rest, slack = np.abs(values[found["rank"] :]), 1e-10 * values[0]
        expected = {"frobenius": np.linalg.norm(rest), "trace": rest.sum(), "spectral": max([*rest, 0.0])}
        for norm, value in expected.items():
            assert found["best"][norm] == pytest.approx(value, rel=1e-6, abs=slack)


def test_approximation_and_errors(measured):
    well_conditioned = 0
    for (X, Z, name, sigma), found in measured:
        kernel = KERNELS[name](sigma)
        K, peak = KernelMatrix(X, kernel), kernel.diag(X)[0]
        a = factorise(K, Selection(points=Z), "kmeans", len(Z))
        slack = TOLERANCE + ROUNDING * found["condition"]
        well_conditioned += slack < 2 * TOLERANCE
        assert found["rank"] == a.factor.shape[1]
        rest = np.reshape(json.loads(found["rest"]), (a.n, a.n))
        np.testing.assert_allclose(rest, K.full() - a.factor @ a.factor.T, rtol=0, atol=slack * peak)
        np.testing.assert_allclose(
            found["residual"], kernel.diag(X) - a.diagonal(), rtol=0, atol=slack * peak
        )
        expected = dataclasses.asdict(nv.errors(X, kernel, a))
        sizes = {"frobenius": np.linalg.norm(K.full()), "trace": peak * a.n}
        sizes["spectral"] = found["values"][0]
        for norm, size in sizes.items():
            assert found["errors"][norm] == pytest.approx(expected[norm], rel=0, abs=slack * size)
            relative = f"relative_{norm}"
            assert found["errors"][relative] == pytest.approx(expected[relative], rel=0, abs=slack)
        assert found["live"]["relative_frobenius"] == found["errors"]["relative_frobenius"]
        assert np.isnan(found["live"]["spectral"])
        values = np.linalg.eigvalsh(a.gram())[::-1]
        np.testing.assert_allclose(found["ofApproximation"], values, rtol=0, atol=slack * values[0])
        x, y = np.meshgrid(-0.1 + 0.25 * np.arange(5), -0.2 + 0.5 * np.arange(3))
        left = peak - (a.transform(np.stack([x.ravel(), y.ravel()], axis=1)) ** 2).sum(axis=1)
        np.testing.assert_allclose(
            found["field"], np.maximum(left, 0.0), rtol=0, atol=max(slack, 1e-6) * peak
        )
    # The rest have nearly equal landmarks, or so wide a kernel that all landmarks are.
    assert well_conditioned > STATES / 2


def test_no_landmark_no_point_and_all_points_equal(run):
    found = run("""() => { const kernel = KERNELS.gaussian.make(1), one = new Float64Array(8).fill(0.5);
      const answer = (points, landmarks) => { const a = approximate(points, landmarks, kernel);
        return [a.rank, errors(kernelMatrix(points, kernel), a).relative_frobenius,
                field(a, 0.5, 0.5, 1, 1, 1, 1)[0]]; };
      const none = new Float64Array(0);
      const frames = Object.values(ALGORITHMS).map(one_ => [...one_.run(one, kernel, 3, seeded(1))].length);
      return {none: answer(one, none), nothing: answer(none, none), equal: answer(one, one), frames}; }""")
    assert found["none"] == [0, 1, 1] and found["nothing"] == [0, 0, 1]
    assert found["equal"] == [1, pytest.approx(0, abs=1e-15), pytest.approx(0, abs=1e-15)]
    assert all(count >= 1 for count in found["frames"])


WHOLE = first().text
DAMAGED = [
    WHOLE[: len(WHOLE) // 2], WHOLE[:-1], WHOLE[:-1] + "!", WHOLE.replace("3500", "1e300", 1),
    WHOLE.replace("3500", "99999", 1), WHOLE.replace("gaussian", "linear", 1), "",
    # Too many points, and one outside the plane.
    f"gaussian.3500.401.0.0.{'A' * 1604}", "gaussian.3500.1.0.0.AA__",
]  # fmt: skip


def test_what_python_reads_as_a_drawing_the_browser_reads_and_no_more(run):
    nothing, no_points = "gaussian.3500.0.0.0.", "laplacian.200.0.3.0.AAAABBBBCCCC"
    equal = f"matern32.80000.9.2.3.{'BABA' * 9 + 'CACA' * 5}"
    for text in (nothing, no_points, equal, first().text):
        assert run("text => encode(decode(text))", text) == text == Drawing.from_text(text).text
    assert not any(run("text => decode(text)", text) for text in DAMAGED)


RECORDED = """({X, id, kernel: name, sigma, m, uniforms, integers}) => {
  const random = {uniform: () => uniforms.shift(), integer: () => integers.shift()};
  const kernel = KERNELS[name].make(sigma), points = Float64Array.from(X);
  const frames = [...ALGORITHMS[id].run(points, kernel, m, random)];
  const plain = values => values && [...values];
  return frames.map(({landmarks, picks, weights, cells, note}) => ({landmarks: [...landmarks], picks,
    weights: plain(weights), cells: plain(cells), note})); }"""
X = np.random.default_rng(5).random((70, 2))


def ask(run, id_, kernel, sigma, m, uniforms=(), integers=()):
    sent = {"X": X.ravel().tolist(), "id": id_, "kernel": kernel, "sigma": sigma, "m": m}
    numbers = {"uniforms": [float(u) for u in uniforms], "integers": [int(i) for i in integers]}
    frames = run(RECORDED, sent | numbers)
    assert all(frame["note"].endswith(".") for frame in frames)
    return frames


def prefix(order, m):
    """The whole numbers by which a shuffle comes to begin with the first m of this order."""
    present = list(range(len(order)))
    for t, row in enumerate(order[:m]):
        other = present.index(row)
        present[t], present[other] = present[other], present[t]
        yield other - t


@pytest.mark.parametrize("kernel,sigma", [("gaussian", 0.1), ("matern32", 0.5), ("laplacian", 0.3)])
@pytest.mark.parametrize("method", ["uniform", "kmeanspp", "farthest", "icd", "rpcholesky", "greedy"])
def test_picks_one_by_one(run, method, kernel, sigma, monkeypatch):
    K, m = KernelMatrix(X, KERNELS[kernel](sigma)), 15
    if method in ("farthest", "icd", "greedy"):
        # The playground takes the first of equal points, between which the seed decides in Python.
        monkeypatch.setattr(RecordingGenerator, "permutation", lambda _, n: np.arange(n))
    options: dict[str, Any] = {"form": "simple"} if method == "rpcholesky" else {}
    recording = RecordingGenerator(np.random.default_rng(3).bit_generator)
    nv.METHODS[method].select(K, m, recording, **options)
    traced = trace(K, method, m, np.random.default_rng(3), **options)
    if method == "uniform":
        numbers = {"integers": prefix(list(recording.answers[0]), m)}
    else:
        numbers = {"uniforms": np.concatenate([np.ravel(answer) for answer in [*recording.answers, []]])}
    frames = ask(run, method, kernel, sigma, m, **numbers)
    assert frames[-1]["picks"] == traced.picks.tolist()
    for t, (frame, step) in enumerate(zip(frames, traced.steps, strict=True)):
        assert frame["picks"] == traced.picks[: t + 1].tolist()
        np.testing.assert_array_equal(frame["landmarks"], X[frame["picks"]].ravel())
        np.testing.assert_allclose(
            frame["weights"], step.criterion, rtol=1e-6, atol=1e-9 * step.criterion.max()
        )
        if frame["cells"] is not None:
            gaps = ((X[:, None] - X[frame["picks"]]) ** 2).sum(axis=2)
            np.testing.assert_array_equal(frame["cells"], gaps.argmin(axis=1))


def test_lloyd_steps(run):
    K, m = KernelMatrix(X, nv.Gaussian(0.2)), 9
    recording = RecordingGenerator(np.random.default_rng(4).bit_generator)
    final: Any = nv.METHODS["kmeans"].select(K, m, recording)
    traced: Any = trace(K, "kmeans", 10, np.random.default_rng(4), landmarks=m)
    integers = prefix(list(recording.answers[0]), m)
    frames = ask(run, "kmeans", "gaussian", 0.2, m, integers=integers)
    centres = [traced.start, *(step.points for step in traced.steps)]
    for frame, expected in zip(frames, centres, strict=False):
        np.testing.assert_allclose(frame["landmarks"], expected.ravel(), atol=1e-12)
        gaps = ((X[:, None] - expected) ** 2).sum(axis=2)
        np.testing.assert_array_equal(frame["cells"], gaps.argmin(axis=1))
    np.testing.assert_allclose(frames[-1]["landmarks"], final.points.ravel(), atol=1e-12)
    assert len(frames) in (len(centres), len(centres) + 1)


def test_swaps(run):
    kernel, m, steps = nv.Laplacian(0.3), 8, 1000
    K = KernelMatrix(X, kernel)
    recording = RecordingGenerator(np.random.default_rng(6).bit_generator)
    states_: Any = swap_chain_states(K, m, recording, range(steps + 1))
    runs = [one.pivots.tolist() for one in states_]
    order, positions, slots, uniforms = recording.answers
    integers = [*prefix(list(order), m), *np.stack([positions, slots], axis=1).ravel()]
    frames = ask(run, "dpp", "laplacian", 0.3, m, uniforms, integers)
    accepted = [t for t in range(steps) if runs[t] != runs[t + 1]]
    assert [frame["picks"] for frame in frames[:-1]] == [runs[0], *(runs[t + 1] for t in accepted)]
    assert frames[-1]["picks"] == runs[-1]
    for frame, t in zip(frames[1:], accepted[:40], strict=False):
        odds = swap_odds(K.full(), np.array(runs[t]), int(positions[t]), residual_floor(K))
        np.testing.assert_allclose(frame["weights"], odds, rtol=1e-6, atol=1e-9)


SMOOTH = {"gaussian": KERNELS["gaussian"], "matern32": KERNELS["matern32"]}
DESCENT = """states => states.map(([X, Z, id, sigma, ridge]) => {
  const points = Float64Array.from(X), landmarks = Float64Array.from(Z);
  const of = [points, landmarks, KERNELS[id].make(sigma), KERNELS[id].slope(sigma)];
  const {value, slopes} = explainedTrace(...of, ridge), moves = [...downhill(...of)];
  return {value, slopes: [...slopes], moves: moves.map(one =>
    ({...one, landmarks: [...one.landmarks]}))}; })"""


def test_kernels_have_a_slope_where_the_core_has_a_derivative(run):
    slopes = run("() => Object.keys(KERNELS).filter(id => KERNELS[id].slope)")
    assert slopes == [name for name, kernel in KERNELS.items() if kernel(1.0).is_smooth] == list(SMOOTH)


def descents():
    """Points, landmarks, kernel and bandwidth; in every fourth two landmarks lie in one place."""
    rng = np.random.default_rng(8)
    for i in range(40):
        n, m = int(rng.choice([5, 20, 60, 200])), int(rng.choice([1, 2, 5, 10, 20]))
        X = on_grid(rng.normal(rng.random((4, 2))[rng.integers(4, size=n)] + 1.0, 0.2))
        Z = X[rng.permutation(n)[: min(m, n // 2)]]
        if i % 4 == 0:
            Z = np.vstack([Z, Z[:1]])
        yield X, Z, list(SMOOTH)[i % 2], float(10 ** rng.uniform(-1.2, 0.3))


@pytest.fixture(scope="module")
def rolled(run):
    """Pairs of a start and where the browser's landmarks roll from there."""
    made = list(descents())
    sent = [(X.ravel().tolist(), Z.ravel().tolist(), name, s, 1e-3) for X, Z, name, s in made]
    return [
        (X, Z, SMOOTH[name](sigma), found)
        for (X, Z, name, sigma), found in zip(made, run(DESCENT, sent), strict=True)
    ]


def test_the_explained_trace_and_its_derivative(rolled):
    for X, Z, kernel, found in rolled:
        value, slopes = explained_trace(kernel, X, Z, 1e-3)
        assert found["value"] == pytest.approx(value, rel=1e-10)
        mine, scale = np.reshape(found["slopes"], Z.shape), np.abs(slopes).max()
        np.testing.assert_allclose(mine, slopes, rtol=1e-8, atol=1e-9 * scale)
        steps = 1e-6 * np.eye(Z.size).reshape(-1, *Z.shape)
        ends = [[explained_trace(kernel, X, Z + sign * step, 1e-3)[0] for sign in (1, -1)] for step in steps]
        differences = -np.diff(ends).reshape(Z.shape) / 2e-6
        np.testing.assert_allclose(mine, differences, rtol=1e-6, atol=1e-6 * scale + 1e-8)


def test_the_trace_error_never_rises_and_ends_where_the_core_ends(rolled):
    ends = []
    for X, Z, kernel, found in rolled:
        start = before = nv.errors(X, kernel, approximation(X, kernel, Z)).relative_trace
        for move in found["moves"]:
            places = np.reshape(move["landmarks"], Z.shape)
            np.testing.assert_array_equal(places, on_grid(places))
            error = nv.errors(X, kernel, approximation(X, kernel, places)).relative_trace
            assert error < before + 1e-9
            assert move["error"] == pytest.approx(error, rel=0, abs=1e-8)
            assert move["start"] == pytest.approx(start, rel=0, abs=1e-8)
            before = error

        def left(z, X=X, kernel=kernel, shape=Z.shape, start=start):
            value, slopes = explained_trace(kernel, X, z.reshape(shape), 1e-10)
            return (1.0 - value / len(X)) / start, -slopes.ravel() / len(X) / start

        stop = {"maxiter": 200, "ftol": 1e-6, "gtol": 0.0}
        found_by_scipy = minimize(left, Z.ravel(), jac=True, method="L-BFGS-B", options=stop)
        ends.append((before / start, found_by_scipy.fun))
    mine, scipys = np.mean(ends, axis=0)
    assert mine < 0.9 and mine == pytest.approx(scipys, rel=0.02)
