"""What every page starts from: data set, kernel, bandwidth and seed, chosen in the shared sidebar."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.engine.cluster import cluster
from nysviz.figures.look import inert
from nysviz.kernels import Kernel
from nysviz.text import grouped
from nysviz.ui import budget, downloads, unkept
from nysviz.ui.bandwidth import KERNEL_KEYS
from nysviz.ui.inputs import number
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.data_choice import OWN_FILE, choose_data
from nysviz.ui.sidebar.kernel_choice import choose_kernel, default_kernel
from nysviz.ui.sidebar.own_file import own_code
from nysviz.ui.state import SETTINGS, first, is_presentation, knobs


@dataclass(frozen=True)
class Scene:
    """One choice of data (with its knobs, ``settings``), kernel and seed; ``key`` names it in caches.

    ``whole`` is the set that the data are a random sample of.
    """

    data: Dataset
    kernel: Kernel
    seed: int
    multiple: float | None
    settings: tuple[tuple[str, object], ...] = ()
    whole: Dataset | None = None

    @property
    def key(self) -> tuple[str, Kernel]:
        """Content of the data and the kernel: what a kernel matrix depends on."""
        return self.data.digest, self.kernel

    @property
    def content(self) -> tuple[object, ...]:
        """All that a result for this scene can depend on."""
        return *self.key, self.seed, self.multiple

    @property
    def unseeded(self) -> Self:
        """The scene for what depends on data and kernel alone: any seed then names the same result."""
        return replace(self, seed=0, multiple=None, settings=())

    @property
    def subtitle(self) -> str:
        """Data, size and kernel in one line, for charts."""
        size = f"n = {grouped(self.data.n)}, d = {grouped(self.data.d)}"
        return f"{inert(self.data.title)}, {size}; {self.kernel.describe()}"


def loading_code(scene: Scene) -> str:
    """Write the Python expression that loads these data."""
    data = scene.data if scene.whole is None else scene.whole
    settings = "".join(f", {name}={value!r}" for name, value in scene.settings)
    code = own_code(data) or f'nv.load("{data.name}"{settings})'
    return code if scene.whole is None else f"{code}.sampled({scene.data.n})"


def script(scene: Scene, imports: str, lines: str) -> str:
    """Write a script: its imports, data and kernel of the scene, and its lines."""
    begin = f"import nysviz as nv\n{imports}\n\ndata = {loading_code(scene)}\nkernel = nv.{scene.kernel!r}"
    return f"{begin}\n{lines}"


def options_code(options: Iterable[tuple[str, object]]) -> str:
    """Write a method's options as the last arguments of a call."""
    return "".join(f", {name}={value!r}" for name, value in options)


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
    return Scene(data, kernel, int(seed), multiple, settings)


def head(scene: Scene, **more: object) -> dict[str, object]:
    """Begin a row of a tidy table with data, size, kernel and seed."""
    data, kernel = scene.data, scene.kernel
    row = {"data": data.name, "n": data.n, "d": data.d, "kernel": str(kernel)}
    return {**row, "sigma": getattr(kernel, "sigma", None), "seed": scene.seed, **more}
