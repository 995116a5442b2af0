"""The page "Two balls", which makes its own data: its controls, and the places of its study."""

import streamlit as st

from nysviz.papers.yang2012 import figure1
from nysviz.papers.yang2012.figure1 import FREQUENCY_SCALES
from nysviz.studies.frames import M
from nysviz.studies.scene import Scene
from nysviz.studies.two_balls import COUNTS, DISTANCE, DISTANCES, POINTS, TwoBalls, balls_scene
from nysviz.ui import downloads, page, settings
from nysviz.ui.hand import draw_slider, follow
from nysviz.ui.inputs import held_stop, number, segments, slider, stops
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part, touch_page


def own_sidebar() -> Scene:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    with st.sidebar:
        n = stops("Points n", (500, 1_000, 2_000, 4_000, 7_000, 10_000), "balls_n", POINTS)
        note = "Uniform on [0, 1], the same for both classes."
        label, ends = "Noise features r", (0, 500, figure1.REDUNDANT)
        redundant = number(label, *ends, "balls_redundant", step=10, help=note)
        note = "Of the centres. The radius is 0.5: the balls overlap below 1 and touch at 1."
        label, key = "Distance", "balls_distance"
        distance = slider(label, 0.0, 3.0, 1.0, key, step=0.1, help=note)
        note = "Of the Gaussian kernel exp(-‖x - y‖² / 2σ²)."
        look = {"step": 0.5, "format": "%g", "help": note}
        sigma = number("Bandwidth σ", 0.05, 1_000.0, figure1.SIGMA, "balls_sigma", **look)
        note = "Start of the random numbers: of the data, the landmarks, the frequencies and the trials."
        seed = number("Seed", 0, 999_999, 0, "seed", step=1, help=note)
    scene = balls_scene(n, redundant, distance, sigma, seed)
    downloads.page_content().data = scene.data.title
    return scene


@part
def live(scene: Scene) -> None:
    """The points and eigenvectors first, then the accuracies of the table, the eigenvalues and the trials."""
    answer, left, right = page.places(0.66)
    with left:
        picture = st.container()
        choose_what, slider = st.columns([0.24, 0.76], gap="small")
    with choose_what:
        note = "What the slider moves: the distance of the balls, or the number of landmarks and frequencies."
        drag = segments("Drag", (DISTANCE, M), "balls_drag", label_visibility="collapsed", help=note)
    with right:
        note = "Frequencies u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel."
        scale = segments("Frequency scale s", FREQUENCY_SCALES, "balls_scale", help=note)
        numbers, notes = st.container(), st.container()
    below = st.columns([0.4, 0.32, 0.28], gap="small")
    # Below all charts, where the progress of frames pushes none of them.
    frames = st.container()
    names = ("eigenvectors", "accuracy", "eigenvalues", "points")
    charts = dict(zip(names, (picture, *below), strict=True))
    m = held_stop(COUNTS, "balls_m", figure1.MS[-1])
    study = TwoBalls(scene=scene, m=m, scale=scale, drag=drag, theme=page.theme())
    stops = study.stops
    with slider:
        draw_slider("two_balls", stops.slider, _release)
    marks = dict.fromkeys(stops.charts, stops.mark)
    unfold(study, Places(answer, numbers, notes, charts, marks=marks), "two_balls")
    with frames:
        follow(stops)


def _release(along: object, value: object) -> None:
    """Take over the distance, or the m, at which the slider was let go."""
    match along, value:
        case "distance", int(distance) | float(distance) if distance in DISTANCES:
            settings.move("balls_distance", float(distance), (f"{distance:.12g}",))
            touch_page()  # the sidebar has its control
        case "m", int(m) if m in COUNTS:
            settings.put("balls_m", str(m))
