"""What every page starts from: data set, kernel, bandwidth and seed, chosen in the shared sidebar."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from nysviz import memory
from nysviz.datasets import Card, Dataset, catalog, load
from nysviz.figures.look import inert, three_digits
from nysviz.kernels import (
    Gaussian,
    InverseDistance,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    default_width,
)
from nysviz.ui import budget, downloads
from nysviz.ui.markdown import plain
from nysviz.ui.own_file import own_code, own_file
from nysviz.ui.store import store

OWN_FILE = "Your own file"
FIRST = "digits"
SPARSE = ("la1",)
KERNEL_LABELS = {
    "gaussian": "Gaussian",
    "laplacian": "Laplacian",
    "inverse_distance": "inverse distance",
    "polynomial": "polynomial",
    "linear": "linear",
}
CONVENTIONS = {
    "σ  (Yang, Farahat)": Gaussian,
    "γ = 2σ²  (Zhang)": Gaussian.from_width,
    "1/σ²  (Oglic)": lambda value: Gaussian.from_gamma(value / 2.0),
    "gamma = 1/(2σ²)  (scikit-learn)": Gaussian.from_gamma,
}
# The kernel divides by the width, at the narrow end of the slider by a thousandth of it.
SMALLEST_WIDTH = 1e-290
# Norms sum the squares of the kernel's entries, which must stay finite.
LARGEST_ENTRY = 1e145
# Multiples of the default width that the slider stops at: 2^-10 … 2^10 in half steps.
MULTIPLES = tuple(float(f"{2.0 ** (k / 2):.3g}") for k in range(-20, 21))


@dataclass(frozen=True)
class Scene:
    """One choice of data (with its knobs, ``settings``), kernel and seed; ``key`` names it in caches.

    ``whole`` is the set that the data are a random sample of. Up to ``held_rows`` rows the memory allows an
    n × n matrix, as found when the scene was made: all that is drawn of it goes by the same limit.
    """

    data: Dataset
    kernel: Kernel
    seed: int
    multiple: float | None
    settings: tuple[tuple[str, object], ...] = ()
    whole: Dataset | None = None
    held_rows: int = field(default_factory=memory.held_rows, compare=False)

    @property
    def key(self) -> tuple[str, Kernel]:
        """Content of the data and the kernel: what a kernel matrix depends on."""
        return self.data.digest, self.kernel

    @property
    def subtitle(self) -> str:
        """Data, size and kernel in one line, for charts."""
        return f"{inert(self.data.title)}, n = {self.data.n}, d = {self.data.d}; {describe(self.kernel)}"


def describe(kernel: Kernel) -> str:
    """Name a kernel with its parameters in a few words."""
    if isinstance(kernel, Polynomial):
        return f"polynomial kernel, degree {kernel.degree}, ε = {three_digits(kernel.epsilon)}"
    if isinstance(kernel, InverseDistance):
        return (
            f"inverse distance kernel, σ = {three_digits(kernel.sigma)}, ε = {three_digits(kernel.epsilon)}"
        )
    if isinstance(kernel, (Gaussian, Laplacian)):
        return f"{kernel.label} kernel, σ = {three_digits(kernel.sigma)}"
    return f"{kernel.label} kernel"


def loading_code(scene: Scene) -> str:
    """Write the Python expression that loads these data."""
    data = scene.data if scene.whole is None else scene.whole
    settings = "".join(f", {name}={value!r}" for name, value in scene.settings)
    code = own_code(data) or f'nv.load("{data.name}"{settings})'
    return code if scene.whole is None else f"{code}.sampled({scene.data.n})"


def shared_sidebar() -> Scene:
    """Draw the shared controls and return what they say.

    The values live in the URL, so that they are kept from page to page and travel with a link. Where a choice
    cannot be used (a file that cannot be read, none given yet), one sentence says why and the page goes on
    with the last data that could.
    """
    with st.sidebar:
        data, settings = _choose_data()
        kernel, multiple = _choose_kernel(data)
        seed = st.number_input(
            "Seed",
            min_value=0,
            max_value=999_999,
            value=0,
            step=1,
            key="seed",
            bind="query-params",
            help="Start of the random numbers: the same seed gives the same landmarks.",
        )
    if st.session_state["data"] == OWN_FILE and st.session_state.get("own_gone"):
        st.info(
            "This link was made with an uploaded file, and a file does not travel with a link. Send one in "
            f"the sidebar; until then the page shows {plain(data.title or data.name)}.",
            icon=":material/upload_file:",
        )
    if short := budget.warning():
        st.warning(short, icon=":material/memory_alt:")
    downloads.about(data.title or data.name)
    return Scene(data, kernel, int(seed), multiple, settings)


def _choose_data() -> tuple[Dataset, tuple[tuple[str, object], ...]]:
    # Documents are sparse and only the linear kernel suits them: they are not offered here.
    cards = {card.name: card for card in catalog() if card.on_disk and card.name not in SPARSE}
    name = st.selectbox(
        "Data set",
        [*cards, OWN_FILE],
        format_func=lambda name: cards[name].title if name in cards else name,
        key="data",
        bind="query-params",
    )
    if (last := st.session_state.get("last_data")) and any(
        card.name == last[0].name and not card.on_disk for card in catalog()
    ):
        st.warning(
            f"The files of {plain(last[0].title)} are not in the data folder any more; fetch them again."
        )
    data: Dataset | None = None
    settings: dict[str, Any] = {}
    try:
        if name == OWN_FILE:
            data = own_file()
        else:
            settings = _knobs(cards[name])
            data = _load(cards[name], settings)
    except ValueError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    if data is None:
        data, settings = st.session_state.get("last_data") or (_load(cards[FIRST], {}), {})
        st.caption(f"Until then the page shows: {plain(data.title or data.name)}.")
    st.session_state["last_data"] = data, settings
    st.caption(_about(data))
    for note in data.notes:
        if note not in data.sentence:
            st.caption(plain(note))
    return data, tuple(settings.items())


def _about(data: Dataset) -> str:
    size = f"**{data.n:,} × {data.d:,}**".replace(",", "\N{NARROW NO-BREAK SPACE}")
    parts = [size, plain(data.sentence)]
    if data.source:
        parts.append(f"Source: {plain(data.source)}.")
    return " ".join(part for part in parts if part)


def _load(card: Card, settings: dict[str, Any]) -> Dataset:
    key = ("data", card.name, tuple(sorted(settings.items())))
    return store().get(key, lambda: load(card.name, **settings))


def _knobs(card: Card) -> dict[str, Any]:
    """Draw the controls of a data set with knobs."""
    settings: dict[str, Any] = {}
    for knob in card.parameters:
        if knob.name == "seed":
            continue
        whole = isinstance(knob.default, int)
        settings[knob.name] = st.number_input(
            knob.name,
            min_value=knob.low,
            max_value=knob.high,
            value=min(knob.default, 2_000) if card.name == "two_balls" and knob.name == "n" else knob.default,
            step=1 if whole else 0.1,
            key=f"{card.name}_{knob.name}",
            bind="query-params",
            help=knob.sentence,
        )
    return settings


def _choose_kernel(data: Dataset) -> tuple[Kernel, float | None]:
    kind = st.selectbox(
        "Kernel",
        list(KERNEL_LABELS),
        format_func=KERNEL_LABELS.__getitem__,
        key="kernel",
        bind="query-params",
    )
    if kind in ("linear", "polynomial"):
        kernel: Linear | Polynomial = Linear()
        if kind == "polynomial":
            degree = st.number_input("Degree p", 1, 10, 2, key="degree", bind="query-params")
            epsilon = st.number_input("Offset ε", 0.0, 1e6, 1.0, key="offset", bind="query-params")
            kernel = Polynomial(int(degree), float(epsilon))
        with np.errstate(over="ignore"):
            largest = float(kernel.diag(data.X).max())
        if largest < LARGEST_ENTRY:
            return kernel, None
        st.error(
            f"The {kernel.label} kernel of these data reaches {largest:.3g}, whose square overflows; change "
            "the unit of the columns. Until then the page shows the Gaussian kernel.",
            icon=":material/error:",
        )
        kind = "gaussian"
    width = store().get(("default width", data.digest), lambda: default_width(data.X))
    if not width > SMALLEST_WIDTH:
        width = 1.0
        st.caption(
            "All rows are equal, or all but, so the data suggest no bandwidth; 1 stands for its default."
        )
    multiple = _bandwidth(width)
    try:
        sigma = math.sqrt(multiple * width / 2.0)
        if kind == "gaussian":
            st.caption(_four_conventions(Gaussian(sigma)))
            return Gaussian(sigma), multiple
        st.caption(f"σ = {three_digits(sigma)}")
        if kind == "laplacian":
            return Laplacian(sigma), multiple
        epsilon = st.number_input("Offset ε", 1e-6, 1e6, 1.0, key="distance_offset", bind="query-params")
        return InverseDistance(sigma, float(epsilon)), multiple
    except ValueError as problem:
        st.error(str(problem), icon=":material/error:")
        return Gaussian(math.sqrt(width / 2.0)), 1.0


def _four_conventions(kernel: Gaussian) -> str:
    return (
        f"σ {three_digits(kernel.sigma)} · γ = 2σ² {three_digits(kernel.width)} · "
        f"1/σ² {three_digits(kernel.inverse_square)} · gamma {three_digits(kernel.gamma)}"
    )


def _bandwidth(width: float) -> float:
    """Slider over multiples of the default width, and a field for a value in any convention."""
    options = set(MULTIPLES)
    # A typed value, or one that a link brings, becomes a stop of the slider.
    for held in (st.session_state.get("bandwidth"), _multiple_in_link()):
        if isinstance(held, float) and math.isfinite(held) and held > 0:
            options.add(held)
    multiple = st.select_slider(
        "Bandwidth, in multiples of the data's default width",
        sorted(options),
        value=1.0,
        format_func=lambda value: f"{value:.6g}",
        key="bandwidth",
        bind="query-params",
        help="The default width is the mean squared distance of the points to their mean (Zhang 2008).",
    )
    with st.popover("Type a bandwidth", width="stretch"):
        st.selectbox("Convention", list(CONVENTIONS), key="convention")
        st.number_input(
            "Value", min_value=0.0, value=None, format="%g", key="typed_bandwidth", placeholder="0.5"
        )
        st.button("Use it", on_click=_use_typed, args=(width,))
        # It stays until something else is typed: a result that is ready may draw the page again at once.
        about, problem = st.session_state.get("bandwidth_problem", (None, ""))
        if about == (st.session_state["convention"], st.session_state["typed_bandwidth"]):
            st.error(problem, icon=":material/error:")
    return float(multiple)


def _multiple_in_link() -> float | None:
    try:
        return float(st.query_params.get("bandwidth", ""))
    except ValueError:
        return None


def _use_typed(width: float) -> None:
    # Read here and not passed in: an argument would be the convention of the drawing before the click.
    convention = st.session_state["convention"]
    value = st.session_state.get("typed_bandwidth")
    try:
        if value is None:
            raise ValueError("No value was typed; write a number above 0.")
        multiple = float(f"{CONVENTIONS[convention](float(value)).width / width:.6g}")
        if not (math.isfinite(multiple) and multiple > 0):
            raise ValueError(
                f"{value:g} is {multiple:g} times the default width; a value nearer to it is needed."
            )
        # The kernel has the last word on what is too small.
        Gaussian(math.sqrt(multiple * width / 2.0))
    except (ValueError, OverflowError) as problem:
        st.session_state["bandwidth_problem"] = (convention, value), str(problem)
        return
    st.session_state.pop("bandwidth_problem", None)
    st.session_state["bandwidth"] = multiple
