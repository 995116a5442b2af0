"""The shared sidebar, in which data set, kernel, bandwidth and seed of every page are chosen."""

import streamlit as st

from nysviz.engine import budget
from nysviz.engine.cluster import cluster
from nysviz.studies.scene import Scene, default_kernel
from nysviz.ui import downloads, settings
from nysviz.ui.inputs import number
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.data_choice import OWN_FILE, choose_data
from nysviz.ui.sidebar.kernel_choice import choose_kernel
from nysviz.ui.sidebar.own_file import own_origin


def shared_sidebar(with_kernel: bool = True) -> Scene:
    """Draw the shared controls, whose values live in the URL, and return their scene.

    If a choice cannot be used, one sentence says why and the page goes on with the last usable data. A page
    with kernels of its own has no choice of kernel here: the choice is kept for other pages, and the
    scene has the Gaussian kernel of the default width.
    """
    place = st.sidebar
    if settings.is_presentation():
        place = st.session_state[settings.SIDEBAR_PLACE].popover("Data", icon=":material/tune:")
    with place:
        data, data_options = choose_data()
        if with_kernel:
            kernel, multiple = choose_kernel(data)
        else:
            kernel, multiple = default_kernel(data), 1.0
        note = "Start of the random numbers: the same seed gives the same landmarks."
        seed = number("Seed", 0, 999_999, 0, "seed", step=1, help=note)
    is_linked = settings.first_data() == settings.text("data") == OWN_FILE
    if is_linked and st.session_state.get("own_gone"):
        st.info(
            "This address is that of an uploaded file, which is gone with its page and in no link. Send it "
            f"in the sidebar; until then the page shows {plain(data.title or data.name)}.",
            icon=":material/upload_file:",
        )
    if shortage := budget.memory_warning() or cluster.warning():
        st.warning(shortage, icon=":material/memory_alt:")
    downloads.page_content().data = data.title or data.name
    return Scene(data, kernel, int(seed), multiple, data_options, file=own_origin(data))
