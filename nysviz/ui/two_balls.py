"""The page "Two balls", which makes its own data: its controls, and the places of its study."""

import streamlit as st

from nysviz.papers.yang2012 import figure1
from nysviz.papers.yang2012.figure1 import FREQUENCY_SCALES
from nysviz.studies.scene import Scene
from nysviz.studies.two_balls import DISTANCES, POINTS, TwoBalls, balls_scene
from nysviz.ui import downloads, page, settings
from nysviz.ui.hand import draw_slider, follow
from nysviz.ui.inputs import number, segments, slider, stops
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part, touch_page


def own_sidebar() -> Scene:
    """Draw the controls of this page's own data where other pages have the shared ones."""
    with st.sidebar:
        n = stops("Points n", (500, 1_000, 2_000, 4_000, 7_000, 10_000), "balls_n", POINTS)
        note = "Uniform on [0, 1], the same for both classes."
        label, ends = "Redundant features r", (0, 500, figure1.REDUNDANT)
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


def choose(scene: Scene) -> TwoBalls:
    """Choose m, as the training half allows, and the standard deviation of the frequencies."""
    offered = [m for m in (2, 5, 10, 20, 50, 100, 200) if 2 * m <= scene.data.n]
    m = stops("Landmarks m", offered, "balls_m", figure1.MS[-1])
    note = "Frequencies u ~ N(0, s² I). Only s = 1/σ makes the features estimate the kernel."
    scale = segments("Frequency scale s", FREQUENCY_SCALES, "balls_scale", help=note)
    return TwoBalls(scene=scene, m=m, scale=scale, theme=page.theme())


@part
def live(scene: Scene) -> None:
    """The points and eigenvectors first, then the accuracies of the table, the eigenvalues and the trials."""
    answer, left, right = page.places(0.66)
    with left:
        picture, slider = st.container(), st.container()
    with right:
        study = choose(scene)
        numbers, notes = st.container(), st.container()
    below = st.columns([0.4, 0.32, 0.28], gap="small")
    # Below all charts, where the progress of frames pushes none of them.
    frames = st.container()
    names = ("eigenvectors", "accuracy", "eigenvalues", "points")
    charts = dict(zip(names, (picture, *below), strict=True))
    stops = study.stops
    with slider:
        draw_slider("two_balls", stops.slider, _release)
    marks = dict.fromkeys(stops.charts, stops.mark)
    unfold(study, Places(answer, numbers, notes, charts, marks=marks), "two_balls")
    with frames:
        follow(stops)


def _release(along: object, value: object) -> None:
    """Take over the distance at which the slider was let go."""
    match along, value:
        case "distance", int(distance) | float(distance) if distance in DISTANCES:
            settings.move("balls_distance", float(distance), (f"{distance:.12g}",))
            touch_page()  # the sidebar has its control
