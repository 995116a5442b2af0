"""What every page starts from: data set, kernel, bandwidth and seed, chosen in the shared sidebar."""

from collections.abc import Iterable

import streamlit as st

from nysviz.engine import budget
from nysviz.engine.cluster import cluster
from nysviz.studies.scene import Scene, default_kernel
from nysviz.ui import downloads, unkept
from nysviz.ui.bandwidth import KERNEL_KEYS
from nysviz.ui.inputs import number
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.data_choice import OWN_FILE, choose_data
from nysviz.ui.sidebar.kernel_choice import choose_kernel
from nysviz.ui.sidebar.own_file import own_origin
from nysviz.ui.state import SETTINGS, first, is_presentation, knobs


def keep_choices(keys: Iterable[str] = ()) -> None:
    """Keep what controls hold while a page draws none for them; without keys, those of the sidebar."""
    for key in keys or ("data", *knobs(), *KERNEL_KEYS):
        # Streamlit forgets the value of a widget that is not drawn, unless it is written again.
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def shared_sidebar(with_kernel: bool = True) -> Scene:
    """Draw the shared controls, whose values live in the URL, and return what they say.

    Where a choice cannot be used, one sentence says why and the page goes on with the last data that could.
    A page with kernels of its own has none of them here: the choice is kept for other pages, and the scene
    has the Gaussian kernel of the default width.
    """
    place = st.sidebar
    if is_presentation():
        place = st.session_state[SETTINGS].popover("Data", icon=":material/tune:")
    with place:
        data, settings = choose_data()
        if with_kernel:
            kernel, multiple = choose_kernel(data)
        else:
            keep_choices(KERNEL_KEYS)
            kernel, multiple = default_kernel(data), 1.0
        note = "Start of the random numbers: the same seed gives the same landmarks."
        seed = number("Seed", 0, 999_999, 0, "seed", step=1, help=note)
    linked = first().parameters.get("data") == OWN_FILE
    if linked and st.session_state["data"] == OWN_FILE and st.session_state.get("own_gone"):
        st.info(
            "This address is that of an uploaded file, which is gone with its page and in no link. Send it "
            f"in the sidebar; until then the page shows {plain(data.title or data.name)}.",
            icon=":material/upload_file:",
        )
    if short := budget.too_little() or cluster.warning():
        st.warning(short, icon=":material/memory_alt:")
    downloads.kept().data = data.title or data.name
    # Here, since a live part that finds what a link asks for in vain draws the page anew.
    unkept.look()
    return Scene(data, kernel, int(seed), multiple, settings, file=own_origin(data))
