"""The part of the shared sidebar that chooses the kernel and its bandwidth, in any of four conventions."""

import math
from functools import partial
from typing import Any

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.kernels import KERNELS, Gaussian, Kernel, PerFeature
from nysviz.refusal import Refusal
from nysviz.studies.kernel_scale import entry_fault, feature_widths, varying_features
from nysviz.studies.scene import width_of
from nysviz.text import capital, three_digits
from nysviz.ui import settings
from nysviz.ui.bandwidth import MULTIPLES, WIDTH_KEYS, WIDTHS, bandwidth_text, multiple_of
from nysviz.ui.inputs import box, drawer, number, stops, switch
from nysviz.ui.markdown import plain
from nysviz.ui.watching import part

CONVENTIONS = {
    "σ  (Yang, Farahat)": Gaussian,
    "γ = 2σ²  (Zhang)": Gaussian.from_width,
    "1/σ²  (Oglic)": lambda value: Gaussian.from_gamma(value / 2.0),
    "gamma = 1/(2σ²)  (scikit-learn)": Gaussian.from_gamma,
}


def choose_kernel(data: Dataset) -> tuple[Kernel, float | None]:
    """Draw the choice of kernel; return it and its multiple of the default width, None if it has none."""
    names = {name: kernel.label for name, kernel in KERNELS.items()}
    make_kernel: Any = KERNELS[box("Kernel", names, "kernel", names=names)]
    if not make_kernel.has_bandwidth:
        kernel = make_kernel(**_choose_parameters(make_kernel))
        if not (fault := entry_fault(kernel, data)):
            return kernel, None
        st.error(f"{fault} Until then the page shows the Gaussian kernel.", icon=":material/error:")
        make_kernel = Gaussian
    width = width_of(data)
    if width is None:
        width = 1.0
        st.caption("The rows are (nearly) equal and suggest no bandwidth: the default is 2σ² = 1.")
    parameters, widths = _choose_parameters(make_kernel), _choose_feature_widths(data)
    if widths is not None:
        # In units of their deviations, the rows have a variance of 1 for each feature that varies.
        make_kernel = partial(PerFeature, make_kernel, widths)
        width = float(len(varying_features(data)) or 1)
    multiple = _choose_bandwidth(make_kernel, width)
    kernel = make_kernel(sigma=math.sqrt(multiple * width / 2.0), **parameters)
    return kernel, multiple if widths is None else None


def _choose_feature_widths(data: Dataset) -> list[float] | None:
    """Draw the choice of one width per feature, with sliders for those that vary most; None if it is off."""
    note = "Each feature is divided by its standard deviation, times what its slider says."
    if not switch("Feature widths", "widths", help=note):
        return None
    multiples = {}
    with st.expander("Widths, in standard deviations"):
        for key, j in zip(WIDTH_KEYS[1:], varying_features(data), strict=False):
            multiples[j] = stops(plain(data.feature_names[j]), WIDTHS, key, 1.0, "{:g}".format)
    return feature_widths(data, multiples)


def _choose_parameters(kernel: Any) -> dict[str, Any]:
    """Draw a control for each parameter but the bandwidth, and return their values."""
    values = {}
    for parameter in kernel.parameters:
        label, key, first = capital(parameter.symbol), parameter.key, parameter.default
        if parameter.choices:
            values[parameter.name] = box(label, parameter.choices, key, first)
        else:
            values[parameter.name] = number(label, parameter.low, parameter.high, first, key)
    return values


def chosen_kernel() -> str:
    """Return the name of the kernel that the session or the link has chosen."""
    labels = {name: kernel.label for name, kernel in KERNELS.items()}
    chosen = settings.text("kernel")
    return next((label for name, label in labels.items() if chosen in (name, label)), Gaussian.label)


def _is_usable(kernel: Any, multiple: float, width: float) -> bool:
    """Whether a kernel can have this multiple of the default width: products and squares stay finite."""
    try:
        kernel(sigma=math.sqrt(multiple * width / 2.0))
    except (ValueError, OverflowError):
        return False
    return True


def _choose_bandwidth(kernel: Any, width: float) -> float:
    """Draw the slider over multiples of the default width, and a field for a value in any convention."""
    # A value that was typed, or that a link brings, becomes a stop of the slider.
    typed = dict[str, float]()
    if (setting := settings.get("bandwidth")) is not None:
        linked_multiple = setting.value if setting.is_read else multiple_of(setting.texts[-1])
        if linked_multiple is not None and _is_usable(kernel, linked_multiple, width):
            typed[setting.texts[-1]] = linked_multiple
        elif setting.is_read:
            st.toast(f"σ at {setting.texts[-1]} the default is out of range here; the default is shown.")
            settings.put("bandwidth", "")
        else:
            settings.refuse("bandwidth", bandwidth_text(1.0))
    note = "In multiples of the default: 2σ² is the mean squared distance to the mean (Zhang 2008)."
    options, look = sorted({*MULTIPLES, *typed.values()}), dict[str, Any](also=typed, help=note)
    multiple = stops("Bandwidth σ", options, "bandwidth", 1.0, bandwidth_text, **look)
    gaussian = Gaussian(math.sqrt(multiple * width / 2.0))
    _draw_typed_bandwidth(kernel, width, gaussian)
    return float(multiple)


@part
def _draw_typed_bandwidth(kernel: Any, width: float, gaussian: Gaussian) -> None:
    label, draw = f"σ = {three_digits(gaussian.sigma)}", partial(_draw_field, kernel, width, gaussian)
    drawer(st.popover, label, "bandwidth_open", draw, help="Type a bandwidth.", width="stretch")


def _draw_field(kernel: Any, width: float, gaussian: Gaussian) -> None:
    """Draw the bandwidth in all conventions, and a field for another."""
    st.caption(
        f"The Gaussian exp(−‖x − y‖² / 2σ²) with this σ has γ = 2σ² = {three_digits(gaussian.width)} "
        f"(Zhang), 1/σ² = {three_digits(gaussian.inverse_square)} (Oglic) and "
        f"gamma = {three_digits(gaussian.gamma)} (scikit-learn)."
    )
    st.selectbox("Convention", list(CONVENTIONS), key="convention")
    more: Any = {"value": None, "format": "%g", "placeholder": "0.5"}
    st.number_input("Value", min_value=0.0, key="typed_bandwidth", **more)
    used = st.button("Use it", on_click=_use_typed, args=(kernel, width))
    # It stays until something else is typed: a result that is ready may draw the page again at once.
    about, problem = st.session_state.get("bandwidth_problem", (None, ""))
    if about == (st.session_state["convention"], st.session_state["typed_bandwidth"]):
        st.error(problem, icon=":material/error:")
    elif used:
        settings.redraw()


def _use_typed(kernel: Any, width: float) -> None:
    # Read here and not passed in: an argument would be the convention of the drawing before the click.
    convention = st.session_state["convention"]
    value = st.session_state.get("typed_bandwidth")
    try:
        if value is None:
            raise Refusal("No value was typed; write a number above 0.")
        # The digits that the slider and the address write.
        times = float(f"{math.sqrt(CONVENTIONS[convention](float(value)).width / width):.6g}")
        multiple = times**2
        if not (math.isfinite(multiple) and multiple > 0):
            raise Refusal(f"{value:g} is {times:g} times the default σ; a value nearer to it is needed.")
        # The kernel refuses a value that is too small.
        kernel(sigma=math.sqrt(multiple * width / 2.0))
    except (ValueError, OverflowError) as problem:
        st.session_state["bandwidth_problem"] = (convention, value), str(problem)
        return
    st.session_state.pop("bandwidth_problem", None)
    settings.move("bandwidth", multiple, (bandwidth_text(multiple),))
