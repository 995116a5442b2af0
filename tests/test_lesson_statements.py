"""What steps of lessons state, and their right answers, recomputed from the studies of their pages."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import spearmanr

import nysviz as nv
from nysviz import studies
from nysviz.landmarks.moving import explained_trace
from nysviz.lessons.reading import names
from nysviz.nystroem.measures import residual_diagonal
from nysviz.playground.drawing import Drawing
from nysviz.studies.playground import approximation
from nysviz.ui import lesson_bar
from nysviz.ui.bandwidth import multiple_of

LABELS = {entry.label: name for name, entry in nv.METHODS.items()}
KNOBS = "chosen_spectrum_"


def step(name, number):
    return lesson_bar.find(name).steps[number - 1]


def answer(name, number):
    return step(name, number).question


def state(name, number):
    """Data, kernel, and what else of a method the step's parameters name, as arguments of a study."""
    given = step(name, number).parameters
    knobs = {key.removeprefix(KNOBS): value for key, value in given.items() if key.startswith(KNOBS)}
    numbers = {key: value if key == "law" else float(value) for key, value in knobs.items()}
    numbers |= {"rank": int(numbers["rank"])} if "rank" in numbers else {}
    data = nv.load(given["data"], **numbers)
    kernel = nv.Linear()
    if given.get("kernel") != "linear":
        multiple = multiple_of(given["bandwidth"]) if "bandwidth" in given else 1.0
        kernel = nv.Gaussian.from_width(multiple * nv.default_width(data.X))
    more = {"method": LABELS[given["method"]]} if "method" in given else {}
    if ratio := given.get("ratio"):
        m = float(ratio.strip("m =%"))
        more["m"] = int(m) if "m" in ratio else round(data.n * m / 100)
    return (data, kernel), more | {"seed": int(given.get("seed", 0))}


@cache
def measured(name, number):
    """The numbers beside the map of the page Approximate at this step."""
    assert step(name, number).page == "approximate"
    arguments, more = state(name, number)
    study = studies.approximate(*arguments, **more)
    return study, dict(zip(study.table["measure"], study.table["value"], strict=True))


def errors(name, number, method, m, seed=0):
    (data, kernel), _ = state(name, number)
    return nv.errors(data.X, kernel, nv.approximate(data.X, kernel, method, m, seed))


def drawn(name, number):
    """The first canvas of a step's drawing: its points, landmarks and kernel, and the core's numbers."""
    drawing = Drawing.from_text(step(name, number).drawing)
    return drawing, studies.playground(drawing.text).boards[0] if len(drawing.boards[0]) else None


def test_no_step_shows_a_line_that_it_has_not_introduced():
    """Each spectrum, comparison and curve of a lesson names its lines, or has none but that of K."""
    named = {
        "spectrum": ("spectrum_methods", "spectrum_landmark_methods"),
        "compare": ("compare_methods",),
        "quantization": ("quantization_methods",),
        "kernel_pca": ("kernel_pca_methods",),
        "clusters": ("clusters_methods",),
        "solve": ("solve_methods",),
        "steps": ("steps_second",),
    }
    for name in names():
        for one in lesson_bar.find(name).steps:
            if one.page in named:
                assert set(named[one.page]) & set(one.parameters), (name, one.title)
            if one.parameters.get("learning_view") == "Random features":
                assert one.parameters["learning_features_beside"] == ("",)


def test_kernel_matrix_entries_blocks_and_bandwidths():
    name = "0-kernel-matrix"
    two, block, small, large = (drawn(name, number)[0] for number in (1, 2, 3, 4))
    K = two.kernel(two.points)
    assert np.linalg.norm(two.points[0] - two.points[1]) == pytest.approx(2 * two.sigma)
    assert answer(name, 1).is_right(K[0, 1]) and K[0, 1] == pytest.approx(math.exp(-2))
    assert nv.Gaussian(1.0)(np.array([[0.0]]), np.array([[1.0]]))[0, 0] == pytest.approx(0.607, abs=5e-4)
    K = block.kernel(block.points)
    assert answer(name, 2).answer == (K > 0.9).sum() and (K < 0.1).sum() == 192 and K.size == 400
    left = block.points[:, 0] < 2
    assert left.sum() == 12 and K[np.ix_(left, left)].min() > 0.9
    shuffled = np.random.default_rng(0).permutation(20)
    np.testing.assert_allclose(*map(np.linalg.eigvalsh, (K, K[np.ix_(shuffled, shuffled)])), atol=1e-12)
    K = small.kernel(small.points)
    assert len(K) == 170 and np.median(K) == 0 and (K[~np.eye(170, dtype=bool)] < 0.05).mean() * 1.01 > 1
    assert answer(name, 3).solution == "The identity"
    K = large.kernel(large.points)
    assert large.sigma == 8 and K.min() > 0.9
    assert answer(name, 4).answer == np.linalg.matrix_rank(np.ones((5, 5)))


def test_kernel_matrix_three_columns_and_a_missing_one():
    name = "0-kernel-matrix"
    three, board = drawn(name, 5)
    assert board.errors.relative_frobenius < 0.1 and len(three.points) == 120
    assert answer(name, 5).answer == three.kernel(three.points, three.boards[0]).size == 120**2 / 40
    missing, board = drawn(name, 6)
    asked = answer(name, 6)
    assert not asked.is_reached(board.errors.relative_frobenius, 3)
    # The dark cluster's block is missing from K̃, and a landmark in its middle is all that is asked.
    right = missing.points[:, 0] > 2.6
    a = approximation(missing.points, missing.kernel, missing.boards[0])
    assert right.sum() == 40 and abs(a.factor[right] @ a.factor[right].T).max() < 0.1
    middle = np.vstack([missing.boards[0], missing.points[right].mean(axis=0)])
    a = approximation(missing.points, missing.kernel, middle)
    assert asked.is_reached(nv.errors(missing.points, missing.kernel, a).relative_frobenius, 3)


def test_low_rank_counts_and_multiples_of_the_best():
    name, counts = "1-low-rank", []
    for number in (3, 1, 2):
        (data, kernel), _ = state(name, number)
        values = nv.spectrum(data.X, kernel)
        counts.append(int(np.searchsorted(np.cumsum(values) / values.sum(), 0.9)) + 1)
    assert counts == [50, 5, 2]
    _, k_means = measured(name, 6)
    times = {
        (method, seed): errors(name, 6, method, 8, seed).frobenius / k_means["best_frobenius"]
        for method, seed in (("greedy", 0), ("uniform", 0), ("uniform", 4), ("kmeans", 0))
    }
    assert times["greedy", 0] == pytest.approx(1.4, abs=0.05) and times["kmeans", 0] > times["greedy", 0]
    assert times["uniform", 0] == pytest.approx(26, abs=0.5)
    assert times["uniform", 4] == pytest.approx(4.8, abs=0.05)


def test_encoding_correlations_inside_the_methods_and_distances_of_the_worst():
    name = "2-encoding"
    (data, kernel), _ = state(name, 3)
    study = studies.quantization(data, kernel, methods=("kmeans", "uniform"), m=8, repeats=10)
    table = study.table.pivot_table(index=["method", "seed"], columns="measure", values="value")
    for method, stated in (("uniform", 0.93), ("kmeans", 0.73)):
        runs = table.loc[method]
        found = spearmanr(runs["quantization"], runs["relative_frobenius"]).statistic
        assert found == pytest.approx(stated, abs=0.006)
    (data, kernel), more = state(name, 2)
    a = nv.approximate(data.X, kernel, more["method"], 8, more["seed"])
    left = residual_diagonal(data.X, kernel, a)
    distances = np.sqrt(((data.X[:, None] - a.landmarks) ** 2).sum(axis=2).min(axis=1))
    assert distances[np.argsort(left)[-5:]].min() > 1.1 and np.median(distances) < 0.65
    assert (left <= 1 - np.exp(-(distances**2) / kernel.sigma**2) + 1e-12).all()


def test_greedy_spread_of_draws_and_where_the_choice_still_matters():
    name = "3-greedy"
    spread = [errors(name, 2, "uniform", 8, seed).relative_frobenius for seed in range(10)]
    assert (round(min(spread), 3), round(max(spread), 3)) == (0.062, 0.542)
    (data, kernel), _ = state(name, 3)
    first, second = data.y[nv.approximate(data.X, kernel, "greedy", 2).pivots]
    # Two species are near each other, and the third, the first label, is far from both.
    assert first != 0 == second
    methods = [LABELS[label] for label in step(name, 5).parameters["compare_methods"]]
    table = studies.compare(data, kernel, methods, repeats=10).table
    means = table[table["measure"] == "relative_frobenius"].groupby(["method", "m"])["value"].mean()
    for m, stated in ((2, 2.1), (8, 6.7), (15, 4.6)):
        assert means["uniform", m] / means["greedy", m] == pytest.approx(stated, abs=0.06)
        assert means["svd", m] <= min(means["uniform", m], means["greedy", m])
    assert means["uniform", 15] < 0.05


def test_random_features_err_with_the_seed_and_take_twice_the_columns():
    name = "4-eigengap"
    found = [errors(name, 1, "rff", 8, seed).relative_frobenius for seed in range(10)]
    assert (round(min(found), 2), round(max(found), 2)) == (0.14, 0.52)
    assert errors(name, 1, "kmeans", 8).relative_frobenius == pytest.approx(0.05, abs=0.005)
    data = nv.load("two_balls", n=200)
    assert data.d == 102


def test_choose_the_gap_of_the_digits_says_nothing_and_k_means_needs_fewer():
    data = nv.load("digits")
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    values = nv.spectrum(data.X, kernel, 60)
    # The largest gap follows the first eigenvalue, and one landmark would leave most of the trace.
    assert np.argmax(values[:-1] - values[1:]) == 0 and values[0] < 0.2 * data.n
    error = {}
    for method, m in (("kmeans", 36), ("uniform", 90), ("uniform", 180)):
        runs = [nv.approximate(data.X, kernel, method, m, seed) for seed in range(2)]
        error[m] = np.mean([nv.errors(data.X, kernel, a).relative_frobenius for a in runs])
    assert error[180] < error[36] < error[90]


def test_by_hand_one_landmark_of_three_is_hardly_missed():
    drawing, board = drawn("6-by-hand", 2)
    left = []
    for i in range(3):
        a = approximation(drawing.points, drawing.kernel, np.delete(drawing.boards[0], i, axis=0))
        left.append(nv.errors(drawing.points, drawing.kernel, a).relative_frobenius)
    # The landmark at the lower right.
    x, y = drawing.boards[0].T
    assert np.argmin(left) == x.argmax() == y.argmin()
    assert min(left) < board.errors.relative_frobenius + 0.005 and sorted(left)[1] > min(left) + 0.03
    five = drawn("6-by-hand", 3)[0]
    assert len(five.points) ** 2 == 93_025


def test_by_hand_the_landmark_of_the_five_rolls_nowhere():
    drawing, board = drawn("6-by-hand", 7)
    assert drawing.text == drawn("6-by-hand", 3)[0].text
    X, kernel, start = drawing.points, drawing.kernel, drawing.boards[0]

    def left(z):
        value, slopes = explained_trace(kernel, X, z.reshape(start.shape), 1e-10)
        return len(X) - value, -slopes.ravel()

    end = minimize(left, start.ravel(), jac=True, method="L-BFGS-B").x.reshape(start.shape)
    five = start[:, 0].argmax()
    assert np.linalg.norm(end[five] - start[five]) < 0.1
    assert np.linalg.norm(end - start, axis=1).max() > 0.2
    error = nv.errors(X, kernel, approximation(X, kernel, end)).relative_frobenius
    assert answer("6-by-hand", 3).answer < error < board.errors.relative_frobenius
    # On the first fifth of the way to the large cluster, and there.
    goal, errors = np.array([1.2, 1.9]), []
    for part in (0.0, 0.1, 0.2, 1.0):
        moved = end.copy()
        moved[five] += part * (goal - end[five])
        errors.append(left(moved.ravel())[0])
    assert errors[0] < errors[1] < errors[2] and errors[3] < errors[0]


def test_new_points_features_of_any_place():
    name = "7-new-points"
    drawing, _ = drawn(name, 1)
    landmarks, kernel = drawing.boards[0], drawing.kernel
    assert answer(name, 1).answer == len(landmarks) and len(drawing.points) == 170
    a = approximation(drawing.points, kernel, landmarks)
    places = np.array([[0.1, 0.1], [2.0, 2.0], [3.9, 2.9]])
    values, directions = np.linalg.eigh(kernel(landmarks))
    root = directions / np.sqrt(values) @ directions.T
    features = kernel(places, landmarks) @ root
    np.testing.assert_allclose(features @ features.T, a.transform(places) @ a.transform(places).T, atol=1e-10)
    assert np.abs(a.transform(np.array([[0.0, 0.0]]))).max() < 1e-4
    # Two landmarks that see much the same.
    drawing, board = drawn(name, 2)
    K, E, W = (drawing.kernel(*pair) for pair in _pairs(drawing))
    assert W[0, 1] == pytest.approx(0.6, abs=0.005)
    values = np.linalg.eigvalsh(W)
    np.testing.assert_allclose(values, [0.4, 1.6], atol=0.005)
    assert answer(name, 2).is_right(values[0] ** -0.5) and values[1] ** -0.5 == pytest.approx(0.79, abs=0.005)
    without = E @ E.T
    assert round(without.max(), 1) == 1.5
    assert np.linalg.norm(K - without) / np.linalg.norm(K) == pytest.approx(0.67, abs=0.005)
    assert board.errors.relative_frobenius == pytest.approx(0.45, abs=0.005)


def _pairs(drawing):
    points, landmarks = drawing.points, drawing.boards[0]
    return (points, points), (points, landmarks), (landmarks, landmarks)


def test_new_points_extensions_a_restricted_classifier_and_moving_downhill():
    name = "7-new-points"
    (data, kernel), more = state(name, 3)
    table = studies.kernel_pca(data, kernel, "kmeans", methods=("kmeans",), **more).table
    departures = table.set_index("measure")["value"]
    assert departures["departure_orthogonal"] < 1e-8 < 0.1 < departures["departure"]
    assert answer(name, 3).answer == 1
    (data, kernel), more = state(name, 4)
    study = studies.classifier(data, kernel, test_kernel="restricted", repeats=2, **more)
    assert (study.table["measure"] == "test_error").any()
    assert answer(name, 4).answer == 10_000 / 100
    _, moved = measured(name, 5)
    begun = errors(name, 5, "kmeans", 8)
    assert (round(begun.relative_trace, 3), round(moved["relative_trace"], 3)) == (0.063, 0.056)
    assert (round(begun.relative_frobenius, 3), round(moved["relative_frobenius"], 3)) == (0.051, 0.048)
    for seed in (1, 2, 3):
        traces = [errors(name, 5, method, 8, seed).relative_trace for method in ("gradient", "kmeans")]
        assert traces[0] <= traces[1]
    assert errors(name, 5, "greedy", 8).relative_trace == pytest.approx(0.045, abs=5e-4)


def test_singular_w_repeats_and_wide_kernels():
    name = "8-singular-w"
    drawing, board = drawn(name, 1)
    twice = drawing.boards[0]
    assert len(np.unique(twice, axis=0)) == 2 == answer(name, 1).answer == board.rank
    once = approximation(drawing.points, drawing.kernel, np.unique(twice, axis=0))
    error = nv.errors(drawing.points, drawing.kernel, once).relative_frobenius
    assert board.errors.relative_frobenius == pytest.approx(error, abs=1e-12) and len(twice) == 3
    study, numbers = measured(name, 2)
    assert study.choice.m == 30 and numbers["rank"] == 27
    study, numbers = measured(name, 3)
    assert study.choice.m == 30 and numbers["rank"] == 25 and numbers["relative_frobenius"] < 1e-8
    values = np.linalg.eigvalsh(W_of(name, 3)[2])
    assert values[0] / values[-1] == pytest.approx(1e-14, rel=0.9)
    assert answer(name, 3).is_right((1e-14) ** -0.5)


def W_of(name, number):
    """K, E and W of the landmarks of a step."""
    (data, kernel), more = state(name, number)
    pivots = nv.approximate(data.X, kernel, **more).pivots
    K = kernel(data.X)
    return K, K[:, pivots], K[np.ix_(pivots, pivots)]


def relative_error(K, E, W, clip=0.0, shift=0.0, dtype=np.float64):
    """The relative Frobenius error with W cut, or shifted, at a part of its largest eigenvalue."""
    E, W = E.astype(dtype), W.astype(dtype)
    values, directions = np.linalg.eigh(
        W + dtype(shift * np.linalg.eigvalsh(W)[-1]) * np.eye(len(W), dtype=dtype)
    )
    kept = values > clip * values[-1] if clip else np.ones(len(W), bool)
    left = E @ directions[:, kept]
    return np.linalg.norm(K - (left / values[kept]) @ left.T) / np.linalg.norm(K), kept.sum()


def test_singular_w_single_precision_clipping_and_a_shift():
    name = "8-singular-w"
    matrices = W_of(name, 5)
    plain, _ = relative_error(*matrices)
    assert plain == pytest.approx(1.2e-6, rel=0.02)
    assert measured(name, 5)[1]["relative_frobenius"] == pytest.approx(plain, rel=0.01)
    single, _ = relative_error(*matrices, dtype=np.float32)
    assert 1e-5 < single < 1e-2
    for dtype in (np.float32, np.float64):
        cut, kept = relative_error(*matrices, clip=1e-7, dtype=dtype)
        assert cut == pytest.approx(4e-6, rel=0.1) and kept == 21 and single > 5 * cut
    for level, clipped, shifted in ((1e-9, 1.4e-6, 1.5e-6), (1e-6, 1.2e-5, 1.9e-5), (1e-3, 9.1e-4, 2.7e-3)):
        assert relative_error(*matrices, clip=level)[0] == pytest.approx(clipped, rel=0.05)
        assert relative_error(*matrices, shift=level)[0] == pytest.approx(shifted, rel=0.05)
        assert clipped < shifted
    (data, kernel), _ = state(name, 4)
    assert nv.spectrum(data.X, kernel)[-1] < 1e-15 * data.n and state(name, 4)[0][1] == state(name, 5)[0][1]


def test_budgets_columns_entries_and_memory():
    name = "9-budgets"
    study, numbers = measured(name, 1)
    assert study.choice.m == 8 and numbers["rank"] == 16 and numbers["bytes"] == 19_200
    assert 8 * 150 * 8 == 9_600 and answer(name, 1).answer == 2 * 50
    (data, kernel), _ = state(name, 2)
    for number, reading, stated in ((2, "frequencies", (97.2, 93.1)), (3, "columns", (97.2, 90.8))):
        assert step(name, number).parameters["learning_features_m_100"] == "20"
        assert step(name, number).parameters.get("learning_features_reading", "frequencies") == reading
        answered = studies.random_features(data, kernel, m=20, reading=reading, beside=()).answer
        for percent in stated:
            assert f"**{percent} %**" in answered
    assert answer(name, 3).answer == 20 / 2
    a = nv.approximate(data.X, kernel, "rpcholesky", 9)
    assert answer(name, 4).answer == (50 + 1) * 1000 and a.kernel_evaluations >= 9 * data.n
    study, numbers = measured(name, 6)
    assert study.choice.m == 90 and round(numbers["bytes"] / 1e6, 2) == 1.29
    assert round(8 * 1797**2 / 1e6, 1) == 25.8 and answer(name, 6).is_right(1e6 * 1e3 * 8 / 1e9)


def test_decision_one_approximation_and_four_uses():
    name = "10-decision"
    _, numbers = measured(name, 1)
    assert round(numbers["relative_frobenius"], 2) == 0.23 and round(numbers["relative_trace"], 2) == 0.49
    assert round(numbers["frobenius"], 1) == 12.3 and answer(name, 1).is_right(numbers["frobenius"] / 178)
    (data, kernel), more = state(name, 2)
    groups = studies.clusters(data, kernel, "kmeans", methods=("kmeans",), **more)
    exact, classes = "**0.983** with the exact groups", "**0.931** with the classes (the groups by K: 0.947)"
    assert exact in groups.answer and classes in groups.answer
    angles = studies.kernel_pca(data, kernel, "kmeans", methods=("kmeans",), **more).embedded.angles
    assert [round(angle) for angle in sorted(angles)] == [2, 4, 38]
    values = nv.spectrum(data.X, kernel, 4)
    gaps = values[:-1] - values[1:]
    assert gaps[0] > gaps[1] and answer(name, 3).answer == 1
    answered = studies.classifier(data, kernel, "kmeans", repeats=2, **more).answer
    assert answered.count("**0.00 %**") == 2 and "66 test rows" in answered
    assert answer(name, 4).answer == 1 / 0.5
    table = studies.linear_system(data, kernel, methods=("kmeans",), m=10, relative_shift=1e-4).table
    first = table[table["m"] == 10].set_index("measure")
    mu, spectral = first["mu"].iloc[0], errors(name, 5, "kmeans", 10).spectral
    assert first["value"]["condition"] <= 1.001 * (1 + spectral / mu) < first["value"]["condition_bound"]
    assert answer(name, 5).answer == 1 + 5 / 0.02 and 1 + 5e-3 / 0.02 == 1.25


def test_chosen_spectrum_laws_and_where_columns_fail():
    name = "11-chosen-spectrum"
    counts = []
    for number in (1, 2):
        (data, kernel), _ = state(name, number)
        values = nv.spectrum(data.X, kernel)
        counts.append(int(np.searchsorted(np.cumsum(values) / values.sum(), 0.9)) + 1)
        if number == 1:
            assert answer(name, 1).is_right(values[3]) and (values > 1e-9).sum() == 200
        else:
            np.testing.assert_allclose(values[1:20] / values[:19], math.exp(-0.1), rtol=1e-6)
            below = values[:200] < (1 - 1e-6) / np.arange(1, 201)
            assert not below[:37].any() and below[37:].all()
    assert counts == [111, answer(name, 2).answer]
    study, alike = measured(name, 3)
    assert study.choice.m == 50 and alike["relative_frobenius"] < 0.01
    study, apart = measured(name, 4)
    assert study.choice.m == 50 and round(apart["relative_frobenius"], 3) == 0.975
    (data, kernel), _ = state(name, 4)
    K = kernel(data.X)
    assert np.abs(K - np.diag(np.diag(K))).max() < 1e-12
    heavy = np.diag(K) > 0.5
    assert heavy.sum() == 20 and (np.diag(K) > 1e-9).sum() == 200
    columns = nv.approximate(data.X, kernel, "uniform", 50).pivots
    assert heavy[columns].sum() == 1 and (np.diag(K)[columns] < 1e-9).sum() == 31 and apart["rank"] == 19
    assert answer(name, 4).answer == 20 * 50 / 500
    assert answer(name, 6).is_right(np.diag(K)[heavy].sum() / np.trace(K))
    methods = [LABELS[label] for label in step(name, 5).parameters["compare_methods"]]
    table = studies.compare(data, kernel, methods, repeats=3).table
    means = table[table["measure"] == "relative_frobenius"].groupby(["method", "m"])["value"].mean()
    for m in (25, 50):
        assert means["uniform", m] > 0.9 and means["sketch", m] < 0.1
        assert means["rpcholesky", m] < 1.1 * means["svd", m]
    picks = nv.approximate(data.X, kernel, "rpcholesky", 25).pivots
    assert heavy[picks[:20]].sum() >= 19
