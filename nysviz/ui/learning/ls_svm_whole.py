"""The LS-SVM on all rows of two classes, where the exact machine learns from a sample of them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from nysviz import memory
from nysviz.approximation import approximate, checked_room
from nysviz.blocks import watched
from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.learning.ls_svm import decide_restricted, error_percent, train
from nysviz.learning.two_classes import TwoClasses, two_classes
from nysviz.ui import computing, page
from nysviz.ui.learning.ls_svm_computing import Trained, errors_of
from nysviz.ui.learning.ls_svm_controls import Question
from nysviz.ui.stopping import checkpoint, is_stopped, stop_of
from nysviz.ui.work.needs import approximation_bytes
from nysviz.ui.work.store import store

KEY = "learning_all_rows"


@dataclass(frozen=True)
class Whole:
    """The approximate machine of all training rows: test error in per cent, seconds, rows."""

    error: float
    seconds: float
    rows: int
    tested: int


def show(question: Question, exact: Trained) -> None:
    """Say that the page takes a sample of the rows, and offer the approximate machine for all of them."""
    pair, y = question.pair, question.source.data.y
    total = int(np.isin(np.asarray(y), question.labels).sum())
    taken = len(pair.X) + len(pair.X_test)
    if total <= taken:
        return
    st.caption(
        f"The two classes have {total} rows. The exact machine factorises the matrix of its training rows, "
        f"so the page takes {taken} of them at random. The approximate machine can learn from all."
    )
    if not st.toggle("The approximate machine on all rows as well", key=KEY, bind="query-params"):
        return
    asked, data = question.asked, question.source.data
    # A scene of the same size, for what depends on the size alone.
    many = replace(question.source, data=replace(data, X=data.X[:total]))
    if asked.method not in computing.offered(many)[0]:
        st.caption(
            f"{METHODS[asked.method].label} looks at all of K, which is too much of {total} rows; choose "
            "another method."
        )
        return
    key = ("ls-svm on all rows", data.digest, *_settings(question))
    if is_stopped(key, f"training on {total} rows"):
        return
    stop = stop_of(key)
    found = _later(key, question, stop)
    if not page.ready(found, page.ANSWER_SECONDS):
        seconds = 3.0 * computing.approximation_seconds(many, asked.m, asked.method, asked.options)
        page.wait_for(found, f"Training on {total} rows", seconds, stop)
        return
    whole = found.result()
    alone = three_digits(errors_of(pair, exact, False))
    st.markdown(
        f"Trained on **all {whole.rows}** rows: error **{three_digits(whole.error)} %** of {whole.tested} "
        f"test rows by the restricted test kernel, in {three_digits(whole.seconds)} s. The exact machine, "
        f"trained on {len(pair.X)} rows: {alone} % of {len(pair.X_test)}."
    )


def _settings(question: Question) -> tuple[object, ...]:
    return (
        question.labels,
        question.share,
        question.split,
        question.scene.kernel,
        replace(question.asked, restricted=True),
        question.scene.seed,
    )


def _later(key: tuple[object, ...], question: Question, stop: threading.Event) -> Future[Whole]:
    def compute() -> Whole:
        data, (first, second) = question.source.data, question.labels
        with watched(checkpoint(stop, question.asked.m)):
            pair = two_classes(data, first, second, share=question.share, seed=question.split)
            return machine_of_all(pair, question)

    asked, rows = question.asked, int(question.share * question.source.data.n)
    held = approximation_bytes(rows, asked.method, asked.m, dict(asked.options))
    return store().later(key, compute, urgent=True, holds=held)


def machine_of_all(pair: TwoClasses, question: Question) -> Whole:
    """Train on the approximation of all training rows, in blocks, and test on all others."""
    asked, kernel = question.asked, question.scene.kernel
    options = dict(asked.options)
    checked_room(
        METHODS[asked.method], asked.method, len(pair.X), asked.m, None, options, memory.held_bytes()
    )
    started = time.perf_counter()
    a = approximate(pair.X, kernel, asked.method, asked.m, question.scene.seed, matrix=None, **options)
    machine = train(a, pair.y, asked.C)
    seconds = time.perf_counter() - started
    values = decide_restricted(machine, a, pair.X_test)
    return Whole(error_percent(values, pair.y_test), seconds, len(pair.X), len(pair.X_test))
