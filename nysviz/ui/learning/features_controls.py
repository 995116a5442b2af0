"""The controls of the view "Nyström against random features"."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES, READINGS
from nysviz.learning.feature_trial import exact_rows
from nysviz.learning.trial_setting import MACHINES, Setting
from nysviz.papers.yang2012.figure2 import Series, train_size
from nysviz.ui import large
from nysviz.ui.sidebar.scene import Scene

MS = (10, 20, 50, 100, 200, 500, 1000)
TRIALS = (2, 3, 5, 10, 20, 30)
# The exact machine takes longer than all others together: beyond so many training rows only when asked for.
EXACT_AT_FIRST = 2_000
SHORT = {"rff": "Fourier (RFF)", "orf": "orthogonal (ORF)"}
LANDMARK_METHODS = tuple(name for name in METHODS if name != "svd" and name not in RANDOM_FEATURES)


@dataclass(frozen=True)
class Choice:
    """What is compared on the page: two lines that are tested in pairs, and others beside them."""

    setting: Setting
    nystroem: Series
    random: Series | None
    beside: tuple[Series, ...]
    ms: tuple[int, ...]
    trials: int
    m: int
    exact: bool

    @property
    def lines(self) -> tuple[Series, ...]:
        """All lines, each once, the two that are tested first."""
        named = (self.nystroem, *((self.random,) if self.random else ()), *self.beside)
        return tuple(dict.fromkeys(named))


def choose(scene: Scene) -> Choice:
    """Draw the controls of the view."""
    gaussian = isinstance(scene.kernel, Gaussian)
    first, second = st.columns(2, gap="small")
    method = first.selectbox(
        "Nyström landmarks",
        LANDMARK_METHODS,
        index=LANDMARK_METHODS.index("uniform"),
        format_func=lambda name: METHODS[name].label,
        key="learning_features_landmarks",
        bind="query-params",
    )
    kind = second.selectbox(
        "Random features",
        list(RANDOM_FEATURES),
        format_func=SHORT.__getitem__,
        key="learning_features_random",
        bind="query-params",
        disabled=not gaussian,
    )
    first, second = st.columns(2, gap="small")
    machines = list(MACHINES) if scene.data.task == "classification" else ["ridge"]
    machine = first.selectbox(
        "Machine",
        machines,
        format_func=MACHINES.__getitem__,
        key="learning_features_machine",
        bind="query-params",
        help="Penalty or cost by 5-fold cross-validation on the training part. Ridge regression tells "
        "classes apart by targets -1 and 1.",
    )
    reading = second.selectbox(
        "m counts their",
        list(READINGS),
        key="learning_features_reading",
        bind="query-params",
        disabled=not gaussian,
        help=f"{READINGS['frequencies']}, as in the paper: each frequency gives a sine and a cosine. Or "
        f"{READINGS['columns']}: the linear machines are then of equal size.",
    )
    if not gaussian:
        st.caption(
            "Random Fourier features here are those of the Gaussian kernel; choose it in the sidebar to "
            "compare with them."
        )
    setting = Setting(str(scene.data.task), machine)
    train = train_size(scene.data.n, setting)
    beside, trials, ms, exact = _more(train, gaussian, few=large.is_large(scene.data.n))
    m = (
        st.select_slider(
            "Numbers at m",
            ms,
            value=50 if 50 in ms else ms[-1],
            key=f"learning_features_m_{ms[-1]}",
            bind="query-params",
        )
        if len(ms) > 1
        else ms[0]
    )
    extra = tuple(Series(name, reading if name in RANDOM_FEATURES else "frequencies") for name in beside)
    return Choice(
        setting,
        Series(method),
        Series(kind, reading) if gaussian else None,
        extra,
        ms,
        trials,
        m,
        exact and train <= exact_rows(),
    )


def _more(train: int, gaussian: bool, few: bool) -> tuple[tuple[str, ...], int, tuple[int, ...], bool]:
    """Controls that are seldom moved: other lines, trials (few of many rows), largest m, exact machine."""
    named = {name: METHODS[name].label for name in LANDMARK_METHODS} | dict(
        RANDOM_FEATURES if gaussian else {}
    )
    possible = tuple(m for m in MS if m <= train) or (train,)
    with st.popover("Lines, trials and largest m", width="stretch"):
        beside = st.multiselect(
            "Beside them",
            list(named),
            default=["kmeans"],
            format_func=named.__getitem__,
            key="learning_features_beside" if gaussian else "learning_features_beside_landmarks",
            bind="query-params",
        )
        trials = st.select_slider(
            "Trials",
            TRIALS,
            value=3 if few else 10,
            key="learning_features_few_trials" if few else "learning_features_trials",
            bind="query-params",
            help="Each draws its own split, landmarks and frequencies; all lines share the split.",
        )
        largest = possible[-1]
        if len(possible) > 1:
            largest = st.select_slider(
                "Largest m",
                possible,
                value=200 if 200 in possible else largest,
                key=f"learning_features_largest_{largest}",
                bind="query-params",
            )
        exact = st.checkbox(
            "Exact kernel machine",
            value=train <= min(EXACT_AT_FIRST, exact_rows()),
            disabled=train > exact_rows(),
            key=f"learning_features_exact_{'on' if train <= EXACT_AT_FIRST else 'off'}",
            bind="query-params",
            help=f"Holds the kernel matrix of up to {exact_rows()} training rows; the slowest line.",
        )
    return tuple(beside), int(trials), tuple(m for m in possible if m <= largest), exact
