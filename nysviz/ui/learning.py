"""The page "Learning": the views that the data allow, with their controls."""

from typing import Any

import streamlit as st

from nysviz.analysis.learning.feature_map import RANDOM_FEATURES, READINGS
from nysviz.analysis.learning.feature_trial import MACHINES, exact_rows
from nysviz.analysis.learning.ls_svm import PAPER_C, usable_classes
from nysviz.datasets import Dataset
from nysviz.kernels import Gaussian
from nysviz.studies.classifier import REPEATS, SHARE, TEST_KERNELS, WISHED, Classifier
from nysviz.studies.landmark_counts import is_large
from nysviz.studies.machines import training_of
from nysviz.studies.random_features import (
    EXACT_AT_FIRST,
    LANDMARKS,
    LARGEST,
    TRIALS,
    M,
    RandomFeatures,
    offered_counts,
    training_rows,
    with_exact,
)
from nysviz.studies.scene import Scene
from nysviz.text import counted
from nysviz.ui import page
from nysviz.ui.asking import sentences
from nysviz.ui.controls import choose_axes, choose_by_number, choose_method, why_not_learned
from nysviz.ui.inputs import box, number, segments, several, stops, switch
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

CLASSIFIER, FEATURES = "Classifier (LS-SVM)", "Random features"
CS = tuple(float(f"{digit}e{power}") for power in range(-3, 4) for digit in (1, 2, 5))
CLASSES = (("Class −1", "learning_first", WISHED[0]), ("Class +1", "learning_second", WISHED[1]))
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS_OFFERED = (5, 10, 20, 50)
TRIALS_OFFERED, FEW_TRIALS = (2, 3, 5, 10, 20, 30), 3
SHORT = {"rff": "Fourier (RFF)", "orf": "orthogonal (ORF)"}
KEY = "learning_features_"


def show(scene: Scene) -> None:
    """Draw the chosen view, or one sentence if the data allow none."""
    views = {CLASSIFIER: _show_classifier, FEATURES: _show_features}
    refusals = {CLASSIFIER: _why_not_classified(scene.data), FEATURES: why_not_learned(scene.data)}
    offered = [name for name, refusal in refusals.items() if not refusal]
    if not offered:
        st.info(refusals[FEATURES], icon=":material/info:")
        return
    if len(offered) == len(views):
        view = segments("View", views, "learning_view", label_visibility="collapsed")
    else:
        (view,) = offered
        st.caption(" ".join(f"{name} is not shown. {text}" for name, text in refusals.items() if text))
    views[view](scene)


def _why_not_classified(data: Dataset) -> str:
    """Return why no classifier can be trained on these data, empty if one can."""
    if data.task == "regression":
        return "Its two classes need a target with labels, and this one has values."
    if data.task != "classification" or len(usable_classes(data)) < 2:
        return "It needs two classes with two rows or more each."
    return ""


@part
@sentences()
def _show_classifier(scene: Scene) -> None:
    """Show whether the classifier survives, for two classes of the scene's data."""
    answer, left, right = page.places(0.64)
    with right:
        study = _choose_classifier(scene)
        numbers, notes = st.container(), st.container()
    with left:
        charts = {"decision": st.container(), "curves": st.container()}
    unfold(study, Places(answer, numbers, notes, charts), "learning_ls_svm")


def _choose_classifier(scene: Scene) -> Classifier:
    classes = _choose_classes(scene.data)
    place = st.container()
    left, right = st.columns([0.62, 0.38], gap="small")
    with left, st.popover("Test, axes, repeats", width="stretch"):
        label = "Part of each class that is tested on"
        share = stops(label, SHARES, "learning_share", SHARE, lambda value: f"{100 * value:.0f} %")
        split = number("Seed of the choice of test rows", 0, 999_999, 0, "learning_split")
        repeats = stops("Repeats of the random methods", REPEATS_OFFERED, "learning_repeats", REPEATS)
        note = (
            "Exact: k(x, xᵢ) with every training row. Restricted: z(x)ᵀz(xᵢ), that of the approximation "
            "itself, which needs k(x, ·) at the landmarks only. The paper does not say which it used."
        )
        test_kernel = segments("Test kernel", TEST_KERNELS, "learning_test_kernel", help=note)
        axes = None if scene.data.d == 2 else choose_axes(scene)
    with place:
        choice = choose_method(training_of(scene, classes, share, split), right)
        note = "Weight of the squared errors; the ridge added to K is 1/C. The paper has C = 0.5."
        C = stops("C", CS, "learning_c", PAPER_C, "{:g}".format, help=note)
    return Classifier(
        scene=scene,
        choice=choice,
        classes=classes,
        C=C,
        share=share,
        split=split,
        test_kernel=test_kernel,
        axes=axes,
        repeats=repeats,
        theme=page.theme(),
    )


def _choose_classes(data: Dataset) -> tuple[float, float]:
    labels = usable_classes(data)
    names = dict(enumerate(labels))
    # A link has the numbers of the labels of a visitor's own file, not the labels.
    is_own = st.session_state.get("own_data") is data
    chosen: list[str] = []
    with st.container(horizontal=True):
        for label, key, wished in CLASSES:
            free_names = {k: name for k, name in names.items() if name not in chosen}
            first = next((k for k, name in free_names.items() if name == wished), next(iter(free_names)))
            if is_own:
                chosen.append(free_names[choose_by_number(label, f"{key}_number", free_names, first)])
            else:
                chosen.append(box(label, free_names.values(), key, free_names[first]))
    if left_out := len(data.classes) - len(names):
        st.caption(f"Left out: {counted(left_out, 'class', 'classes')} with one row.")
    return labels[chosen[0]].item(), labels[chosen[1]].item()


@part
def _show_features(scene: Scene) -> None:
    """Show how a linear machine scores on Nyström and on random Fourier features of the scene's kernel."""
    answer, left, right = page.places(0.66)
    with right:
        study = _choose_features(scene)
        numbers, notes = st.container(), st.container()
    unfold(study, Places(answer, numbers, notes, {"features": left}), "learning_features")


def _choose_features(scene: Scene) -> RandomFeatures:
    data, gaussian = scene.data, isinstance(scene.kernel, Gaussian)
    # Names that are longer than half the width have a line of their own.
    method = box("Nyström landmarks", LANDMARKS, f"{KEY}landmarks", "uniform", LANDMARKS)
    first, second = st.columns(2, gap="small")
    note = "RFF: random Fourier features. ORF: orthogonal random features, a variant of them."
    shut: Any = {"disabled": not gaussian}
    random = box("Random features", SHORT, f"{KEY}random", None, SHORT, first, help=note, **shut)
    note = "A frequency, as the paper counts, gives two columns; with m columns the machines have one size."
    reading = box("m counts their", READINGS, f"{KEY}reading", place=second, help=note, **shut)
    note = "Penalty or cost by 5-fold cross-validation on the training rows. Ridge regression: targets ±1."
    machines = MACHINES if data.task == "classification" else {"ridge": MACHINES["ridge"]}
    machine = box("Learner", machines, f"{KEY}machine", None, machines, help=note)
    if not gaussian:
        st.caption("Random Fourier features need the Gaussian kernel.")
    # Controls that are seldom moved: other lines, trials (few of many rows), largest m, exact machine.
    rows, possible = training_rows(data), offered_counts(data)
    named = LANDMARKS | dict(RANDOM_FEATURES if gaussian else {})
    with st.popover("Lines, trials and largest m", width="stretch"):
        key = f"{KEY}beside" if gaussian else f"{KEY}beside_landmarks"
        beside = several("Beside them", named, key, ("kmeans",), named)
        note = "Each draws its own split, landmarks and frequencies; all lines share the split."
        key, first_trials = (f"{KEY}few_trials", FEW_TRIALS) if is_large(data.n) else (f"{KEY}trials", TRIALS)
        trials = stops("Trials", TRIALS_OFFERED, key, first_trials, help=note)
        largest = stops("Largest m", possible, f"{KEY}largest_{possible[-1]}", min(LARGEST, possible[-1]))
        note = f"Holds the kernel matrix of up to {exact_rows()} training rows; the slowest line."
        key = f"{KEY}exact_{'on' if rows <= EXACT_AT_FIRST else 'off'}"
        look: Any = {"disabled": rows > exact_rows(), "help": note}
        exact = switch("Exact kernel", key, with_exact(data), st.checkbox, **look)
    ms = tuple(m for m in possible if m <= largest)
    m = stops("Numbers at m", ms, f"{KEY}m_{ms[-1]}", min(M, ms[-1]))
    return RandomFeatures(
        scene=scene,
        method=method,
        m=m,
        random=random,
        reading=reading,
        machine=machine,
        beside=beside,
        trials=trials,
        largest=largest,
        exact=exact and rows <= exact_rows(),
        theme=page.theme(),
    )
