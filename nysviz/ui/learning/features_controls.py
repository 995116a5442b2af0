"""The controls of the view "Nyström against random features"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES, READINGS
from nysviz.learning.feature_trial import MACHINES, Setting, exact_rows
from nysviz.papers.yang2012.figure2 import Series, train_size
from nysviz.ui import large
from nysviz.ui.sidebar.scene import Scene

MS = (10, 20, 50, 100, 200, 500, 1000)
TRIALS = (2, 3, 5, 10, 20, 30)
# The exact machine takes longer than all others together: beyond so many training rows only when asked for.
EXACT_AT_FIRST = 2_000
SHORT = {"rff": "Fourier (RFF)", "orf": "orthogonal (ORF)"}
LABELS = {
    name: entry.label for name, entry in METHODS.items() if name != "svd" and name not in RANDOM_FEATURES
}


@dataclass(frozen=True)
class Question:
    """What is compared: two lines that are tested in pairs, and others beside them."""

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


def choose(scene: Scene) -> Question:
    """Draw the controls of the view."""
    gaussian, task = isinstance(scene.kernel, Gaussian), str(scene.data.task)
    first, second = st.columns(2, gap="small")
    at = list(LABELS).index("uniform")
    method = _box(first, "Nyström landmarks", list(LABELS), LABELS, "landmarks", index=at)
    kind = _box(
        second,
        "Random features",
        list(RANDOM_FEATURES),
        SHORT,
        "random",
        disabled=not gaussian,
        help="RFF: random Fourier features. ORF: orthogonal random features, a variant of them.",
    )
    first, second = st.columns(2, gap="small")
    machine = _box(
        first,
        "Machine",
        list(MACHINES) if task == "classification" else ["ridge"],
        MACHINES,
        "machine",
        help="Penalty or cost by 5-fold cross-validation on the training part. Ridge regression tells "
        "classes apart by targets -1 and 1.",
    )
    reading = _box(
        second,
        "m counts their",
        list(READINGS),
        {name: name for name in READINGS},
        "reading",
        disabled=not gaussian,
        help=f"{READINGS['frequencies']}, as in the paper: each frequency gives a sine and a cosine. Or "
        f"{READINGS['columns']}: the linear machines are then of equal size.",
    )
    if not gaussian:
        st.caption(
            "Random Fourier features here are those of the Gaussian kernel; choose it in the sidebar to "
            "compare with them."
        )
    setting = Setting(task, machine)
    train = train_size(scene.data.n, setting)
    beside, trials, ms, exact = _more(train, gaussian, few=large.is_large(scene.data.n))
    m = _slider("Numbers at m", ms, 50, f"m_{ms[-1]}")
    extra = tuple(Series(name, reading if name in RANDOM_FEATURES else "frequencies") for name in beside)
    random = Series(kind, reading) if gaussian else None
    return Question(setting, Series(method), random, extra, ms, trials, m, exact and train <= exact_rows())


def _box(
    place: DeltaGenerator, label: str, ids: Sequence[str], names: Mapping[str, str], key: str, **more: Any
) -> str:
    more |= {"format_func": names.__getitem__, "key": f"learning_features_{key}", "bind": "query-params"}
    return str(place.selectbox(label, ids, **more))


def _slider(label: str, offered: Sequence[int], first: int, key: str, text: str | None = None) -> int:
    """Choose a number, at first this one or the largest."""
    if len(offered) == 1:
        return offered[0]
    value = first if first in offered else offered[-1]
    key = f"learning_features_{key}"
    return int(st.select_slider(label, offered, value=value, key=key, bind="query-params", help=text))


def _more(train: int, gaussian: bool, few: bool) -> tuple[tuple[str, ...], int, tuple[int, ...], bool]:
    """Controls that are seldom moved: other lines, trials (few of many rows), largest m, exact machine."""
    named = LABELS | dict(RANDOM_FEATURES if gaussian else {})
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
        same = "Each draws its own split, landmarks and frequencies; all lines share the split."
        trials = _slider("Trials", TRIALS, 3 if few else 10, "few_trials" if few else "trials", same)
        largest = _slider("Largest m", possible, 200, f"largest_{possible[-1]}")
        exact = st.checkbox(
            "Exact kernel machine",
            value=train <= min(EXACT_AT_FIRST, exact_rows()),
            disabled=train > exact_rows(),
            key=f"learning_features_exact_{'on' if train <= EXACT_AT_FIRST else 'off'}",
            bind="query-params",
            help=f"Holds the kernel matrix of up to {exact_rows()} training rows; the slowest line.",
        )
    return tuple(beside), trials, tuple(m for m in possible if m <= largest), exact
