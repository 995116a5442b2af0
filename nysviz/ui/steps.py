"""The page "Step by step": its controls, its player, and the places of its study."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.analysis.steps import STEPWISE
from nysviz.landmarks import METHODS
from nysviz.studies.scene import Scene
from nysviz.studies.steps import STEPS, Steps, offered_options, traced_rows
from nysviz.text import capital
from nysviz.ui import page
from nysviz.ui.components import component
from nysviz.ui.controls import choose_axes, choose_options
from nysviz.ui.inputs import box, slider, switch
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

MOST_STEPS = 60
FIRST_LANDMARKS = 20  # landmarks of the methods that keep their number
SPEEDS = {"slow": 2000, "normal": 900, "fast": 350, "very fast": 100}  # milliseconds a step

# Plays, steps and jumps through the frames of the charts whose ``layout.meta`` has its token, in the browser.
_player = component("player")


def choose_study(scene: Scene) -> Steps:
    """Draw the controls in one line, and return their study."""
    most_steps = min(MOST_STEPS, len(traced_rows(scene)))
    places = st.columns([0.29, 0.29, 0.27, 0.15], gap="small", vertical_alignment="bottom")
    followed = [name for name in STEPWISE if METHODS[name].suits(scene.kernel)]
    names = {"none": "none"} | {name: METHODS[name].label for name in followed}
    first = box("Method", followed, "steps_method", "greedy", names, places[0])
    second = box("Second method", ("none", *followed), "steps_second", "rpcholesky", names, places[1])
    methods = (first,) if second in ("none", first) else (first, second)
    with places[2]:
        steps = _count_slider("Steps", most_steps, STEPS, "steps_count")
    m = None
    with places[3], st.popover("Options", width="stretch"):
        if any(STEPWISE[method].keeps_landmarks for method in methods):
            m = _count_slider("Landmarks that swap or move", most_steps, FIRST_LANDMARKS, "steps_landmarks")
        options = {
            name: dict(choose_options(offered_options(name), f"steps_{name}", f"{METHODS[name].label}: "))
            for name in methods
        }
        for name in methods:
            st.caption(f"{METHODS[name].label}: {METHODS[name].source}.")
        axes = choose_axes(scene)
    return Steps(
        scene=scene, methods=methods, steps=steps, m=m, options=options, axes=axes, theme=page.theme()
    )


def _count_slider(label: str, highest: int, first: int, key: str) -> int:
    return 1 if highest == 1 else slider(label, 1, highest, min(first, highest), key)


def play(study: Steps, place: DeltaGenerator, predicts: bool) -> None:
    """Draw the player of the study's charts, with the choice of each step.

    A player that ``predicts`` stops before each pick, and shows the expected row beside the chosen one.
    """
    films: list[dict[str, object]] = [
        {"label": capital(METHODS[method].brief), "sentences": texts}
        for method, texts in study.sentences.items()
    ]
    if study.can_predict and predicts:
        films = [{**film, **guess} for film, guess in zip(films, study.guesses, strict=True)]
    speeds = {"speeds": SPEEDS, "pace": SPEEDS["normal"]}
    data = {"token": study.token, "start": study.start, "count": study.length, **speeds, "films": films}
    with place:
        _player(key="steps_player", data=data)


@part
def live(scene: Scene) -> None:
    """Draw the controls, the answer, the player with its charts, and the explanation."""
    answer = page.answer_place()
    study = choose_study(scene)
    if study.sample:
        st.caption(study.sample)
    player = st.container()
    with player:
        note = (
            "The player stops before each pick: click the row on the map that you expect, or choose it with "
            "the arrow keys. It then shows the row that is taken, and what each takes off the trace error."
        )
        is_off = not study.can_predict
        predicts = switch("Predict the next one", "steps_predict", disabled=is_off, help=note)
    widths = [0.36, 0.36, 0.28] if study.has_two else [0.6, 0.4]
    *sides, right = st.columns(widths, gap="small")
    charts = {f"{kind}_{k}": side for k, side in enumerate(sides) for kind in ("map", "bars")}
    places = Places(
        answer,
        st.container(),
        st.container(),
        {**charts, "residual": right, "error": right},
        then={"traces": partial(play, study, player, predicts)},
    )
    unfold(study, places, "steps")
