"""Every page has three experiments, and what each says is recomputed by its study, for several seeds."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.steps.record import TracedStep
from nysviz.datasets import Dataset
from nysviz.kernels import Kernel
from nysviz.lessons.reading import Step
from nysviz.papers.claim import ClaimVerdict
from nysviz.playground.drawing import Drawing
from nysviz.studies.playground import measure_boards
from nysviz.studies.study import Study
from nysviz.studies.tournament import LABELS
from nysviz.studies.two_balls import NYSTROEM, balls_scene, first_accuracies
from nysviz.ui import lesson_bar, trying
from nysviz.ui.bandwidth import multiple_of

PAGES = lesson_bar.shown_pages()
SEEDS = (0, 1, 2)
METHODS = {method.label: name for name, method in nv.METHODS.items()}
STEPS = {(page, step.title): step for page in PAGES for step in trying.experiments(page).steps}
# The choice that is right, in its words, for a step in a state and a seed.
Outcome = Callable[[Step, int], str]
OUTCOMES: dict[tuple[str, str], tuple[Outcome, tuple[int, ...]]] = {}
# Recorded runs and drawings know no seed, and some studies take seconds.
ONCE = (0,)


def outcome(page: str, title: str, seeds: Iterable[int] = SEEDS) -> Callable[[Outcome], Outcome]:
    def keep(function: Outcome) -> Outcome:
        OUTCOMES[page, title] = function, tuple(seeds)
        return function

    return keep


def data_of(step: Step) -> Dataset:
    name = step.parameters["data"]
    knobs = {
        key.removeprefix(f"{name}_"): int(value) for key, value in step.parameters.items() if name in key
    }
    return nv.load(name, **knobs)


def kernel_of(step: Step) -> Kernel:
    if step.parameters.get("kernel") == "linear":
        return nv.Linear()
    width = nv.default_width(data_of(step).X)
    return nv.Gaussian.from_width(multiple_of(step.parameters.get("bandwidth", "1 times")) * width)


def methods_of(step: Step, key: str) -> list[str]:
    labels = step.parameters[key]
    return [METHODS[label] for label in ([labels] if isinstance(labels, str) else labels)]


def m_of(step: Step) -> int | None:
    """The number of landmarks, None for the default of the study."""
    text = step.parameters.get("ratio", "")
    if text.endswith("%"):
        return round(data_of(step).n * float(text.removesuffix("%")) / 100)
    return int(text.removeprefix("m = ")) if text else None


def without(step: Step, *keys: str) -> Step:
    """The state before: these controls have their defaults."""
    return replace(step, parameters={key: text for key, text in step.parameters.items() if key not in keys})


def approximation(step: Step, seed: int) -> Study:
    method = METHODS[step.parameters.get("method", nv.METHODS["kmeans"].label)]
    return nv.studies.approximate(data_of(step), kernel_of(step), method, m_of(step), seed=seed)


def direction(before: float, after: float, up: str, down: str, margin: float = 1.1) -> str:
    """``up`` or ``down``, where the change is clear."""
    if max(before, after) < margin * min(before, after):
        return "unclear"
    return up if after > before else down


@outcome("approximate", "Take the linear kernel")
def linear(step, seed):
    errors = [approximation(case, seed).errors.relative_frobenius for case in (without(step, "kernel"), step)]
    assert errors[0] > 0.05
    return "Zero, up to rounding" if errors[1] < 1e-12 else ""


@outcome("approximate", "Take random Fourier features")
def waves(step, seed):
    errors = [approximation(case, seed).errors.relative_frobenius for case in (without(step, "method"), step)]
    return direction(*errors, "Larger", "Smaller", 3)


@outcome("approximate", "Make σ an eighth as wide")
def narrow(step, seed):
    before, after = (approximation(case, seed) for case in (without(step, "bandwidth"), step))
    best = [study.best["frobenius"] / study.errors.frobenius for study in (before, after)]
    best = [
        share * study.errors.relative_frobenius for share, study in zip(best, (before, after), strict=True)
    ]
    assert best[0] < 0.05 and after.errors.relative_frobenius > 0.7
    return "Hardly: the best possible error grows as well" if best[1] > 0.6 else ""


def films(step: Step, seed: int, steps: int = 8) -> list[list[TracedStep]]:
    names = [METHODS[step.parameters.get(f"steps_{key}", "greedy")] for key in ("method",)]
    second = step.parameters.get("steps_second", "randomly pivoted Cholesky")
    study = nv.studies.steps(data_of(step), methods=[*names, METHODS[second]], steps=steps, seed=seed)
    return [film.trace.steps for film in study.films]


@outcome("steps", "Change the seed")
def another_seed(step, seed):
    before, after = films(step, 10 * seed), films(step, 10 * seed + int(step.parameters["seed"]))
    picks = [[[each.pick for each in film] for film in case] for case in (before, after)]
    greedy, drawn = (one != other for one, other in zip(*picks, strict=True))
    return {(False, True): "Randomly pivoted Cholesky alone", (True, True): "Both"}[greedy, drawn]


@outcome("steps", "Let uniform sampling choose")
def uniform(step, seed):
    fifth = films(step, seed)[0][4].criterion
    return "None: all that are left are equally probable" if len(set(fifth[fifth > 0])) == 1 else ""


@outcome("steps", "Let farthest points choose")
def farthest(step, seed):
    X, picks = data_of(step).X, [each.pick for each in films(step, seed)[0]]
    away = np.linalg.norm(X - X.mean(axis=0), axis=1)
    places = {"rim": away[picks[1:]].mean() > 1.3 * away.mean()}
    return "At the rim of the data" if places["rim"] else ""


def eigenvalue_shares(step: Step) -> np.ndarray:
    values = nv.studies.spectrum(data_of(step), kernel_of(step), []).eigenvalues
    return values / values.sum()


@outcome("spectrum", "Make σ four times as wide")
def wide_spectrum(step, seed):
    first = [eigenvalue_shares(case)[0] for case in (without(step, "bandwidth"), step)]
    return direction(*first, "It grows", "It shrinks", 1.5)


@outcome("spectrum", "Make σ a quarter as wide")
def narrow_spectrum(step, seed):
    before, after = (eigenvalue_shares(case)[:8].sum() for case in (without(step, "bandwidth"), step))
    assert nv.studies.spectrum(data_of(step), kernel_of(step), []).m == 8 and before > 0.95
    return "Less than half" if after < 0.5 else "About three quarters"


@outcome("spectrum", "Take five clusters")
def clusters_in_spectrum(step, seed):
    name = step.parameters["data"]
    X = nv.load(name, n=int(step.parameters[f"{name}_n"]), seed=seed).X
    values = nv.spectrum(X, nv.Gaussian.from_width(nv.default_width(X)))
    rank = int(np.argmax(values[:-1] - values[1:])) + 1
    if not seed:
        assert nv.studies.spectrum(data_of(step), kernel_of(step), []).reading.gap.r == rank
    return {5: "After the fifth", 1: "After the first"}[rank]


def encodings(step: Step, seed: int, repeats: int = 10) -> Study:
    methods = methods_of(step, "quantization_methods")
    # The seeds of the runs follow that of the page.
    chosen = (data_of(step), kernel_of(step), methods, m_of(step), repeats)
    return nv.studies.quantization(*chosen, seed=100 * seed)


@outcome("quantization", "Keep uniform sampling alone")
def one_method(step, seed):
    repeats = int(step.parameters["quantization_runs"])
    low, high = encodings(step, seed, repeats).correlations["all_runs"].spearman_interval
    return "Mostly yes" if low > 0 else "Mostly the other way round" if high < 0 else "The two have nothing …"


def mean_errors(step: Step, seed: int) -> dict[str, tuple[float, float]]:
    """Mean quantization error and mean error of each method."""
    rows = encodings(step, seed).table
    means = rows[rows["method"].notna()].groupby(["method", "measure"])["value"].mean()
    return {
        name: (means[name, "quantization"], means[name, "relative_frobenius"])
        for name in set(means.index.levels[0])
    }


@outcome("quantization", "Let k-means choose")
def low_and_left(step, seed):
    means = mean_errors(step, seed)
    others = [pair for name, pair in means.items() if name != "kmeans"]
    left, low = (means["kmeans"][k] < 0.8 * min(pair[k] for pair in others) for k in (0, 1))
    assert left
    return "To the left and below: the error is small as well" if low else "To the left, but no lower"


@outcome("quantization", "Take farthest points")
def farthest_encoding(step, seed):
    means = mean_errors(step, seed)
    return direction(means["uniform"][0], means["farthest"][0], "Larger", "Smaller")


def guaranteed(step: Step, seed: int) -> tuple[float, float]:
    """Error and guarantee."""
    method = METHODS[step.parameters.get("method", nv.METHODS["kmeans"].label)]
    report = nv.studies.bounds(data_of(step), kernel_of(step), method, seed=seed).report
    return report.error, report.bound.total


@outcome("bounds", "Make σ four times as wide")
def wide_bound(step, seed):
    before, after = (guaranteed(case, seed) for case in (without(step, "bandwidth"), step))
    assert after[0] < before[0] / 5
    return direction(before[1], after[1], "It grows", "It falls as well")


@outcome("bounds", "Draw the landmarks at random")
def random_bound(step, seed):
    before, after = (guaranteed(case, seed) for case in (without(step, "method"), step))
    assert after[0] > 1.2 * before[0]
    return direction(before[1], after[1], "Yes, it grows too", "It falls")


@outcome("bounds", "Take k ln k landmarks", ONCE)
def more_than_rank(step, seed):
    rank, rule = int(step.parameters["bounds_rank"]), step.parameters["bounds_landmarks"]
    before, after = (
        nv.studies.relative_bounds(data_of(step), rank=rank, rule=each, seed=seed) for each in ("k", rule)
    )
    assert (before.m, after.m) == (20, 60)
    worst = [max(np.mean(runs) for runs in study.ratios[rank].values()) for study in (before, after)]
    assert worst[0] > 3
    return "Within a few percent" if worst[1] < 1.05 else "Within a factor of two to three"


def needed(step: Step, seed: int, rule: str) -> int:
    target = float(step.parameters.get("data_target", "10 %").removesuffix("%")) / 100
    study = nv.studies.data(data_of(step), kernel_of(step), target=target, seed=seed)
    return next(candidate.counts.m for candidate in study.suggestion.candidates if candidate.rule == rule)


@outcome("data", "Leave 1 % of the trace")
def one_percent(step, seed):
    before, after = (needed(case, seed, "default width") for case in (without(step, "data_target"), step))
    return "About three times as many" if 2.5 <= after / before <= 3.5 else "About ten times as many"


@outcome("data", "Make σ a quarter as wide")
def narrow_needs(step, seed):
    before, after = needed(without(step, "bandwidth"), seed, "default width"), needed(step, seed, "chosen")
    assert before in (7, 8, 9)
    return "About half of all flowers" if 0.4 < after / data_of(step).n < 0.6 else ""


@outcome("data", "Add 100 features of noise")
def noise(step, seed):
    settings = {"n": 500, "seed": seed}
    spreads = []
    for redundant in (0, int(step.parameters["two_balls_redundant"])):
        distances = np.sqrt(
            nv.studies.data(nv.load("two_balls", redundant=redundant, **settings)).facts.distances.squares
        )
        spreads.append(distances.std() / distances.mean())
    assert step.parameters["two_balls_n"] == "500"
    return direction(*spreads, "They become more different", "They become nearly equal", 3)


def recommended(step: Step, seed: int) -> Study:
    norm = step.parameters.get("recommend_norm", "trace").lower()
    target = float(step.parameters.get("recommend_target", "0.1"))
    methods = methods_of(step, "recommend_methods")
    assert step.parameters["recommend_goal"] == "Copy K"
    return nv.studies.recommend(data_of(step), kernel_of(step), target, norm, methods, goal="copy", seed=seed)


@outcome("recommend", "Ask for an error of 0.01", ONCE)
def smaller_target(step, seed):
    before, after = (
        recommended(case, seed).recommendation.best.m for case in (without(step, "recommend_target"), step)
    )
    return "More, but less than ten times as many" if 1.5 < after / before < 8 else "Ten times as many"


@outcome("recommend", "Take the Frobenius norm", ONCE)
def other_norm(step, seed):
    before, after = (
        recommended(case, seed).recommendation.best.m for case in (without(step, "recommend_norm"), step)
    )
    return direction(before, after, "More", "Fewer")


@outcome("recommend", "Predict, with σ a quarter as wide")
def advised_to_predict(step, seed):
    assert step.parameters["recommend_goal"] == "Predict"
    after, before = (
        nv.studies.recommend(data_of(step), kernel_of(case), goal="predict", seed=seed)
        for case in (step, without(step, "bandwidth"))
    )
    assert after.prediction.sigma == pytest.approx(before.prediction.sigma)
    present = next(each for each in after.losses if each.sigma == kernel_of(step).sigma)
    assert present.values[-1] > 3 * after.prediction.losses.values[-1]
    return "A wider one" if after.prediction.sigma > present.sigma else ""


def compared(step: Step, seed: int) -> Study:
    methods = methods_of(step, "compare_methods")
    view = step.parameters.get("compare_view", "error")
    return nv.studies.compare(data_of(step), kernel_of(step), methods, view=view, repeats=5, seed=seed)


@outcome("compare", "Count kernel evaluations")
def evaluations(step, seed):
    rows = compared(step, seed).table
    read = rows[rows["measure"] == "kernel_evaluations"].groupby("method")["value"].max()
    assert read["uniform"] < 0.2 * data_of(step).n ** 2
    return "All of them" if read["greedy"] >= data_of(step).n ** 2 else ""


@outcome("compare", "Make σ an eighth as wide")
def closer(step, seed):
    ratios = []
    for case in (without(step, "bandwidth"), step):
        rows = compared(case, seed).table
        means = rows[rows["measure"] == "relative_frobenius"].groupby("method")["value"].mean()
        ratios.append(means["uniform"] / means["kmeans"])
    assert ratios[0] > 2
    return "The two come close together" if ratios[1] < 1.2 else "The difference stays"


@outcome("compare", "Compare at rank 5")
def rank_accuracy(step, seed):
    d, methods = int(step.parameters["compare_rank_d"]), methods_of(step, "compare_rank_methods")
    study = nv.studies.accuracy(data_of(step), methods=methods, d=d, repeats=2, seed=seed)
    accuracy = np.mean(study.best[10]["greedy"])
    return "More than 90 %" if accuracy > 90 else ""


def lifts(step: Step, seed: int) -> dict[tuple[float, int], dict[str, float]]:
    """Mean lift of each method at each σ⁻² and rank, in their order."""
    study = nv.studies.lift(
        data_of(step),
        view="rank" if "lift_view" in step.parameters else "bandwidth",
        methods=methods_of(step, "lift_methods"),
        rule=step.parameters.get("lift_landmarks", "k"),
        repeats=int(step.parameters["lift_repeats"]),
        seed=seed,
    )
    return {
        (cell.bandwidth, cell.rank): {name: float(np.mean(runs)) for name, runs in each.items()}
        for cell, each in sorted(
            study.summary.lifts.items(), key=lambda each: (each[0].bandwidth, each[0].rank)
        )
    }


@outcome("lift", "Look at narrow kernels")
def narrow_lift(step, seed):
    values = [each["greedy"] for each in lifts(step, seed).values()]
    assert max(values) > 1.8
    return "Hardly any: its lift is near 1" if 1 < values[-1] < 1.2 else ""


@outcome("lift", "Take k ln k landmarks")
def more_landmarks(step, seed):
    before, after = (
        max(each["svd"] for each in lifts(case, seed).values())
        for case in (without(step, "lift_landmarks"), step)
    )
    return direction(before, after, "It grows", "It shrinks", 1.5)


@outcome("lift", "Follow the rank")
def lift_by_rank(step, seed):
    found = lifts(step, seed)
    values, ranks = [each["svd"] for each in found.values()], [rank for _, rank in found]
    assert ranks[0] == 2 and round(data_of(step).n / ranks[-1]) == 5 and min(values) > 1.5
    return direction(values[0], values[-1], "It grows", "It shrinks", 1.5)


def accuracies(step: Step, seed: int, scale: str = "1/σ") -> dict[str, float]:
    numbers = {"n": 2000, "redundant": 100, "distance": 1.0, "m": 100}
    numbers |= {
        key.removeprefix("balls_"): float(text)
        for key, text in step.parameters.items()
        if key != "balls_scale"
    }
    scene = balls_scene(int(numbers["n"]), int(numbers["redundant"]), numbers["distance"], 6.0, seed)
    found = first_accuracies(scene, int(numbers["m"]), scale)
    return {
        "uniform": found[NYSTROEM],
        "kmeans": next(value for (method, _), value in found.items() if method == "kmeans"),
        "rff": found["rff", scale],
    }


@outcome("two_balls", "Draw wider frequencies")
def wider(step, seed):
    before, after = (
        accuracies(step, seed, scale)["rff"] for scale in ("1/σ", step.parameters["balls_scale"])
    )
    assert before > 70
    return "Hardly better than guessing" if after < 62 else ""


@outcome("two_balls", "Take the noise away")
def no_noise(step, seed):
    found = [*accuracies(step, seed).values()]
    found += [accuracies(step, seed, scale)["rff"] for scale in ("1", "σ")]
    assert accuracies(without(step, "balls_redundant"), seed)["rff"] < 95
    return "All of them: landmarks and frequencies" if min(found) > 98 else ""


@outcome("two_balls", "Pull the balls apart")
def apart(step, seed):
    found = accuracies(step, seed)
    return "Two centres are, two frequencies are not" if found["kmeans"] > 98 and found["rff"] < 75 else ""


def embedded(step: Step, seed: int) -> np.ndarray:
    study = nv.studies.kernel_pca(data_of(step), kernel_of(step), m=m_of(step), methods=[], seed=seed)
    return study.embedded.angles


@outcome("kernel_pca", "Take two landmarks")
def two_landmarks(step, seed):
    return {1: "One", 2: "Two at most", 3: "Three, each less exact"}[len(embedded(step, seed))]


@outcome("kernel_pca", "Take the linear kernel")
def exact_directions(step, seed):
    assert embedded(without(step, "kernel"), seed).max() > 1
    return "Not at all" if embedded(step, seed).max() < 1e-6 else ""


@outcome("kernel_pca", "Make σ a quarter as wide")
def third_direction(step, seed):
    last = [embedded(case, seed)[2] for case in (without(step, "bandwidth"), step)]
    return direction(*last, "It turns farther away from the exact one", "It comes nearer to the exact one", 2)


def kept_classes(step: Step, seed: int) -> Study:
    C = float(step.parameters.get("learning_c", 0.5))
    return nv.studies.classifier(data_of(step), m=m_of(step), C=C, repeats=1, seed=seed)


@outcome("learning", "Train on eight landmarks")
def same_class(step, seed):
    study = kept_classes(step, seed)
    rows = study.table
    assert rows[rows["measure"] == "relative_frobenius"]["value"].iloc[0] > 0.25
    return "Hardly any" if study.agreement > 97 else ""


@outcome("learning", "Trust the training data")
def small_ridge(step, seed):
    return "Less than two thirds" if kept_classes(step, seed).agreement < 100 * 2 / 3 else ""


@outcome("learning", "Count columns")
def equal_sizes(step, seed):
    assert step.parameters["learning_features_reading"].startswith("columns")
    m, largest = (int(step.parameters[f"learning_features_{key}"]) for key in ("m_20", "largest_100"))
    chosen = {"m": m, "largest": largest, "reading": "columns", "exact": False, "seed": seed}
    study = nv.studies.random_features(data_of(step), **chosen)
    means = [100 * np.mean(list(study.scores[name][m].values())) for name in ("uniform", "rff_columns")]
    return direction(*means, "Random Fourier features", "Landmarks", 1.05)


def iterations(step: Step, seed: int) -> dict[str, int]:
    shift = 10.0 ** -int(
        step.parameters.get("solve_shift", "10⁻⁴")[-1].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
    )
    methods, m = methods_of(step, "solve_methods"), int(step.parameters["solve_m_100"])
    study = nv.studies.linear_system(data_of(step), methods=methods, m=m, relative_shift=shift, seed=seed)
    rows = study.table
    rows = rows[rows["measure"] == "iterations"]
    return {"none": 0} | rows.groupby("method")["value"].max().to_dict()


@outcome("solve", "Make μ large")
def large_shift(step, seed):
    before, after = (iterations(case, seed)["none"] for case in (without(step, "solve_shift"), step))
    return "They fall to less than a quarter" if after < before / 4 else ""


@outcome("solve", "Use too few landmarks")
def too_few(step, seed):
    found = iterations(step, seed)
    more, fewer = "No, it takes more iterations", "Yes, it takes fewer iterations"
    return direction(found["none"], found["kmeans"], more, fewer)


@outcome("solve", "Let the process be noisy")
def noisy(step, seed):
    methods, m = methods_of(step, "solve_process_methods"), int(step.parameters["solve_process_m_200"])
    gaps = []
    for variance in (0.1, float(step.parameters["solve_noise"])):
        study = nv.studies.gaussian_process(data_of(step), methods=methods, m=m, noise=variance, seed=seed)
        found = study.at_count(study.processes)
        gaps.append([each.gap(study.exact) for each in found if each.method in methods])
    assert len(gaps[0]) == len(methods)
    return direction(min(gaps[0]), max(gaps[1]), "It grows", "It shrinks", 2)


def grouped(step: Step, seed: int) -> Study:
    groups = step.parameters.get("clusters_groups_3")
    chosen = {"m": m_of(step), "groups": groups and int(groups), "methods": [], "seed": seed}
    return nv.studies.clusters(data_of(step), **chosen)


@outcome("clusters", "Take ten landmarks")
def ten_landmarks(step, seed):
    return "Hardly any" if grouped(step, seed).agreements["exact"]["rand"] > 0.9 else ""


@outcome("clusters", "Ask for two groups")
def two_groups(step, seed):
    study, y = grouped(step, seed), data_of(step).y.astype(int)
    usual = [np.bincount(study.grouping.labels[y == label], minlength=2) for label in range(3)]
    shares = [counts.max() / counts.sum() for counts in usual]
    first, second, third = (int(counts.argmax()) for counts in usual)
    assert min(shares) > 0.9 and data_of(step).classes[0] == "setosa"
    return {True: "Versicolor and virginica", first == second: "Setosa and versicolor"}[second == third]


@outcome("clusters", "Weigh the place of a pixel")
def place_of_pixel(step, seed):
    m, position = int(step.parameters["clusters_m_320"]), float(step.parameters["clusters_position"])
    held = []
    for weight in (position / 8, position):
        study = nv.studies.photograph(m=m, position=weight, seed=seed)
        rows = study.table
        held.append(float(rows[rows["measure"] == "colours_explained"]["value"].iloc[0]))
    return direction(*held, "", "Compact, with mixed colours")


@outcome("claims", "Count the filled marks", ONCE)
def reproduced(step, seed):
    outcomes = nv.studies.claims().outcomes.values()
    share = sum(each.verdict is ClaimVerdict.REPRODUCED for each in outcomes) / len(outcomes)
    return "Fewer than half" if share < 0.45 else ""


@outcome("claims", "Open claim z6", ONCE)
@outcome("claims", "Open claim z3", ONCE)
def verdict(step, seed):
    found = nv.studies.claims().outcomes[step.parameters["claims_open"]].verdict
    return {ClaimVerdict.DEPENDS: "It depends on the data and the settings", ClaimVerdict.NOT: "No"}[found]


def first_of(step: Step) -> Study:
    (criterion,) = (name for name, label in LABELS.items() if label == step.parameters["findings_by"])
    return nv.studies.tournament(criterion)


@outcome("findings", "Hold kernel evaluations equal", ONCE)
@outcome("findings", "Hold time equal", ONCE)
def winner(step, seed):
    assert nv.studies.tournament().answer.startswith("**Greedy**")
    return first_of(step).answer.split("**")[1]


@outcome("findings", "Ask who is really behind", ONCE)
def near(step, seed):
    answer = first_of(step).answer
    count = int(answer.split("not significantly behind: ")[1].split()[0])
    assert answer.startswith("**Greedy**")
    return "More than five" if count > 5 else "One or two"


def drawn_error(drawing: Drawing) -> float:
    return measure_boards(drawing.text)[0].errors.relative_frobenius


@outcome("playground", "Put one landmark between two points", ONCE)
def between(step, seed):
    drawing = Drawing.from_text(step.drawing)
    on_point = replace(drawing, boards=(drawing.points[:1],))
    return direction(
        drawn_error(on_point), drawn_error(drawing), "On one of the points", "Between the points"
    )


@outcome("playground", "Put two landmarks on one place", ONCE)
def one_place(step, seed):
    drawing = Drawing.from_text(step.drawing)
    alone = replace(drawing, boards=(drawing.boards[0][:1],))
    return "Not at all" if drawn_error(alone) == pytest.approx(drawn_error(drawing), rel=1e-6) else ""


@outcome("playground", "Make σ tiny", ONCE)
def tiny(step, seed):
    drawing = Drawing.from_text(step.drawing)
    assert drawn_error(replace(drawing, sigma=0.5)) < 0.3
    return "Hardly anything" if drawn_error(drawing) > 0.9 else ""


def test_every_page_has_three_experiments_and_each_outcome_is_recomputed():
    assert {file.stem for file in Path(trying.FOLDER).glob("*.toml")} == set(PAGES)
    for page in PAGES:
        lesson = trying.experiments(page)
        assert len(lesson.steps) == 3 and {step.page for step in lesson.steps} == {page}
        for step in lesson.steps:
            assert step.question.choices and step.question.why.endswith(".")
            # What one would do is in the address, or on the canvas.
            assert step.parameters or step.drawing
    assert set(OUTCOMES) == set(STEPS)


@pytest.mark.parametrize("key", STEPS, ids=": ".join)
def test_the_outcome_is_the_right_choice(key):
    step, (right_choice, seeds) = STEPS[key], OUTCOMES[key]
    for seed in seeds:
        assert right_choice(step, seed) == step.question.solution, seed


def test_the_right_choice_is_not_always_in_the_same_place():
    right = [step.question.answer for step in STEPS.values()]
    assert max(map(right.count, set(right))) < len(right) / 2 and math.isclose(min(right), 1)
