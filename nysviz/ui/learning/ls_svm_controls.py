"""The controls of the LS-SVM view: two classes, method, C, test kernel, and how the rows are parted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from nysviz.learning.ls_svm import PAPER_C
from nysviz.learning.two_classes import TwoClasses, usable_classes
from nysviz.papers.zhang2008.table4 import PAPER_METHODS
from nysviz.ui.computing import Options
from nysviz.ui.controls import choose_axes, choose_by_number, choose_method
from nysviz.ui.learning.ls_svm_result import Asked, Axes, pair_of, training_scene
from nysviz.ui.sidebar.scene import Scene

# C in steps of 1, 2, 5, and the two classes of digits that a person would confuse.
CS = tuple(float(f"{digit}e{power}") for power in range(-3, 4) for digit in (1, 2, 5))
HARD_DIGITS = ("3", "8")
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = (5, 10, 20, 50)
# m/n of the curves, in per cent.
CURVE_PERCENTS = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)
TEST_KERNELS = ("exact", "restricted")


@dataclass(frozen=True)
class Question:
    """What is trained on what: the training rows as a scene, the settings, and the plane that is drawn.

    ``source`` is the scene of the page, ``labels`` are the classes' values in its data.
    """

    source: Scene
    scene: Scene
    pair: TwoClasses
    classes: tuple[str, str]
    labels: tuple[float, float]
    share: float
    split: int
    asked: Asked
    axes: Axes
    repeats: int

    @property
    def methods(self) -> dict[str, Options]:
        """Methods of the curves with their options: those of the paper, and the chosen one."""
        return {**dict.fromkeys(PAPER_METHODS, ()), self.asked.method: self.asked.options}

    @property
    def ms(self) -> list[int]:
        """Numbers of landmarks of the curves."""
        return sorted({max(1, round(percent * len(self.pair.X) / 100)) for percent in CURVE_PERCENTS})


def choose(scene: Scene) -> Question:
    """Draw the controls of the view."""
    labels = usable_classes(scene.data)
    names, mark = dict(enumerate(labels)), scene.data.digest[:8]
    # The labels of a visitor's own file stay out of the link, which has their numbers.
    linked = "own_data" not in st.session_state or st.session_state["own_data"] is not scene.data
    with st.container(horizontal=True):
        first = _class("Class −1", names, "learning_first", HARD_DIGITS[0], linked, mark)
        rest = {k: name for k, name in names.items() if name != first}
        second = _class("Class +1", rest, "learning_second", HARD_DIGITS[1], linked, mark)
    if left_out := len(scene.data.classes) - len(names):
        st.caption(f"{left_out} {'class has' if left_out == 1 else 'classes have'} one row only: left out.")
    place = st.container()
    left, right = st.columns(2, gap="small")
    with left, st.popover("Test, axes, repeats", width="stretch"):
        share = st.select_slider(
            "Part of each class that is tested on",
            SHARES,
            value=0.5,
            format_func=lambda value: f"{100 * value:.0f} %",
            key="learning_share",
            bind="query-params",
        )
        split = st.number_input(
            "Seed of the choice of test rows", 0, 999_999, 0, key="learning_split", bind="query-params"
        )
        repeats = st.select_slider(
            "Repeats of the random methods", REPEATS, value=20, key="learning_repeats", bind="query-params"
        )
        axes = (0, 1) if scene.data.d == 2 else choose_axes(scene)
    pair = pair_of(scene, labels[first], labels[second], float(share), int(split))
    training = training_scene(scene, pair)
    with place:
        choice = choose_method(training, right)
        of_c, of_kernel = st.columns(2, gap="small")
        C = of_c.select_slider(
            "C",
            CS,
            value=PAPER_C,
            format_func=lambda value: f"{value:g}",
            key="learning_c",
            bind="query-params",
            help="Weight of the squared errors; the ridge added to K is 1/C. The paper has C = 0.5.",
        )
        kernel = of_kernel.segmented_control(
            "Test kernel",
            TEST_KERNELS,
            default=TEST_KERNELS[0],
            required=True,
            key="learning_test_kernel",
            bind="query-params",
            wrap=True,
            help="Exact: k(x, xᵢ) with every training row. Restricted: z(x)ᵀz(xᵢ), that of the approximation "
            "itself, which needs k(x, ·) at the landmarks only. The paper does not say which it used.",
        )
    asked = Asked(choice.method, choice.m, choice.options, float(C), kernel == TEST_KERNELS[1])
    return Question(
        scene,
        training,
        pair,
        (first, second),
        (labels[first].item(), labels[second].item()),
        float(share),
        int(split),
        asked,
        axes,
        int(repeats),
    )


def _class(label: str, names: Mapping[int, str], key: str, wished: str, linked: bool, mark: str) -> str:
    first = next((k for k, name in names.items() if name == wished), next(iter(names)))
    if not linked:
        return names[choose_by_number(label, f"{key}_number", names, first, mark)]
    # A class held from other data, or taken by the other box, gives way to the first one on offer.
    offered = list(names.values())
    if key in st.session_state and st.session_state[key] not in offered:
        del st.session_state[key]
    return str(st.selectbox(label, offered, index=offered.index(names[first]), key=key, bind="query-params"))
