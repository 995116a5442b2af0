"""The page "Clusters": the controls of its two views, and the places of their studies."""

import streamlit as st

from nysviz.datasets.photographs import SAMPLES, Photograph, read_photograph
from nysviz.landmarks import METHODS
from nysviz.refusal import Refusal
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.clusters import (
    FEWEST,
    METHODS_OF_CURVE,
    MOST,
    Clusters,
    first_groups,
    part_of,
    why_not_grouped,
)
from nysviz.studies.photograph import (
    BANDWIDTH,
    FIRST,
    LANDMARKS,
    PARTS,
    POSITION,
    PhotographStudy,
    known_photograph,
    photograph_scene,
)
from nysviz.studies.scene import Scene
from nysviz.ui import downloads, page
from nysviz.ui.asking import sentences
from nysviz.ui.controls import choose_method
from nysviz.ui.inputs import box, method_label, number, several, slider, stops
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file import PRIVATE
from nysviz.ui.sidebar.uploads import in_turn
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

OWN = "own"
# The session's own photograph, the file that it is from, and why that could not be read.
PHOTOGRAPH, FILE, PROBLEM = "own_photograph", "own_photograph_file", "own_photograph_problem"
COUNTS = (10, 20, 40, 80, 160, 320)
POSITIONS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
BANDWIDTHS = (0.125, 0.25, 0.354, 0.5, 0.707, 1.0, 1.41, 2.0, 4.0)
# Without all of K: there are too many pixels.
METHODS_OF_PIXELS = ("kmeans", "kmeanspp", "uniform", "farthest", "rpcholesky", "greedy")


@part
@sentences()
def data_set(scene: Scene) -> None:
    """Draw the groups, then the exact ones beside them; the curve over m fills in as runs finish."""
    if problem := why_not_grouped(scene.data):
        st.info(f"{problem} Choose larger data in the sidebar.", icon=":material/info:")
        return
    answer, left, right = page.places(0.64)
    part = part_of(scene)
    with right:
        controls, options = st.container(), st.container()
        with controls:
            choice = choose_method(part, options)
            first, most_groups = first_groups(part.data), min(MOST, part.data.n)
            note = "By default as many as the data have classes."
            # The default is that of the data: each number of classes has a setting of its own.
            label, key = "Groups", f"clusters_groups_{first}"
            groups = int(stops(label, range(FEWEST, most_groups + 1), key, first, help=note))
        numbers, notes = st.container(), st.container()
    below_left, below_right = st.columns([0.56, 0.44], gap="medium")
    with below_left:
        curve = st.container()
        with st.popover("Methods in the curve"):
            label, key = "Methods in the curve", "clusters_methods"
            methods = several(
                label,
                matrices.offered(part)[0],
                key,
                METHODS_OF_CURVE,
                max_selections=8,
                label_visibility="collapsed",
            )
    study = Clusters(scene=scene, choice=choice, groups=groups, methods=methods, theme=page.theme())
    charts = {"map": left, "agreement": curve, "eigenvalues": below_right}
    unfold(study, Places(answer, numbers, notes, charts), "clusters")


def own_sidebar() -> tuple[Scene, Photograph, float, float]:
    """Draw the controls of the photograph in the sidebar, in place of those of the data."""
    with st.sidebar:
        names = {**SAMPLES, OWN: "Your own picture"}
        name = box("Photograph", names, "clusters_picture", FIRST, names)
        picture = (own_photograph() if name == OWN else None) or known_photograph(
            FIRST if name == OWN else name
        )
        height, width, _ = picture.pixels.shape
        st.caption(f"**{width} × {height}** pixels", help="Scaled down to about 17 000 pixels, each a row.")
        note = "Weight of a pixel's place beside its colour: 0 ignores it, a large one makes compact parts."
        position = float(
            stops("Weight of position", POSITIONS, "clusters_position", POSITION, "{:g}".format, help=note)
        )
        note = "Of the Gaussian kernel, in multiples of the default. A small one sees finer differences."
        bandwidth = float(
            stops("Bandwidth σ", BANDWIDTHS, "clusters_bandwidth", BANDWIDTH, "{:g}".format, help=note)
        )
        note = "Start of the random numbers: the same seed gives the same landmarks."
        seed = int(number("Seed", 0, 999_999, 0, "seed", step=1, help=note))
    downloads.page_content().data = picture.title
    return photograph_scene(picture, position, bandwidth, seed), picture, position, bandwidth


def own_photograph() -> Photograph | None:
    """Draw the upload of a picture; return the session's own picture, None before there is one."""
    state = st.session_state
    upload = st.file_uploader("PNG or JPEG", type=["png", "jpg", "jpeg"], key="own_picture")
    if upload is not None and state.get(FILE) != upload.file_id:
        state.pop(PROBLEM, None)
        try:
            state[PHOTOGRAPH] = in_turn(lambda: read_photograph(upload.getvalue(), upload.name))
        except Refusal as refusal:
            state[PROBLEM] = str(refusal)
        # Set last: a run that is stopped earlier reads the file again.
        state[FILE] = upload.file_id
    elif upload is None:
        # The box is new on each page; a picture that was read stays, and a problem goes with its file.
        state.pop(PROBLEM, None)
    picture: Photograph | None = state.get(PHOTOGRAPH)
    if problem := state.get(PROBLEM):
        st.error(plain(problem), icon=":material/error:")
    if picture is None:
        st.caption(f"At most 12 million pixels. {PRIVATE}")
        st.caption(f"Until then the page shows: {SAMPLES[FIRST]}.")
    else:
        st.caption(f"In use: {plain(picture.title)}.")
        st.button("Forget the picture", key="own_picture_forget", on_click=forget, width="stretch")
    return picture


def forget() -> None:
    """Forget the session's own photograph."""
    st.session_state.pop(PHOTOGRAPH, None)


@part
@sentences()
def photograph(scene: Scene, picture: Photograph, position: float, bandwidth: float) -> None:
    """Show the photograph with its landmarks beside its parts in their mean colours."""
    answer = page.answer_place()
    left, middle, right = st.columns([0.38, 0.38, 0.24], gap="medium")
    with right:
        method = box("Method", METHODS_OF_PIXELS, "clusters_method", "kmeans", method_label)
        counts = [m for m in COUNTS if m <= scene.data.n]
        m = int(stops("Landmarks m", counts, f"clusters_m_{counts[-1]}", min(LANDMARKS, counts[-1])))
        parts = int(slider("Parts", FEWEST, MOST, PARTS, "clusters_parts"))
        numbers, notes = st.container(), st.container()
    below = st.columns([0.62, 0.38])[0]
    defaults = tuple((option.name, option.default) for option in METHODS[method].options)
    study = PhotographStudy(
        scene=scene,
        image=picture,
        choice=Choice(method, m, defaults),
        parts_count=parts,
        position=position,
        bandwidth=bandwidth,
        theme=page.theme(),
    )
    charts = {"picture": left, "parts_picture": middle, "eigenvalues": below}
    unfold(study, Places(answer, numbers, notes, charts), "clusters_photograph")
