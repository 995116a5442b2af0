"""The page "Solve": the controls of its two views, and the places of their studies."""

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.studies import matrices
from nysviz.studies.gaussian_process import (
    FIRST_NOISE,
    LEFT_OUT,
    GaussianProcess,
    first_along,
    leading_feature,
    training_count,
)
from nysviz.studies.linear_system import FIRST_SHIFT, SHIFTS, LinearSystem
from nysviz.studies.scene import Scene
from nysviz.studies.solving import FIRST_METHODS, first_count, part_of, possible_counts
from nysviz.ui import page
from nysviz.ui.controls import choose_by_number, why_not_learned
from nysviz.ui.inputs import box, method_label, several, stops
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

NOISES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def choose(scene: Scene, n: int, key: str, left_out: tuple[str, ...] = ()) -> tuple[tuple[str, ...], int]:
    """Choose methods and m; with many rows, methods that read all of K are off by default."""
    offered = [name for name in matrices.offered(scene)[0] if name not in left_out]
    first, key_of_methods = [*FIRST_METHODS], f"{key}_methods"
    if not matrices.is_exact(scene):
        first, key_of_methods = [name for name in first if not METHODS[name].reads], f"{key}_methods_many"
    methods = several("Methods", offered, key_of_methods, first)
    counts = possible_counts(n)
    return methods, stops("Landmarks m", counts, f"{key}_m_{counts[-1]}", first_count(n))


@part
def linear_system(scene: Scene) -> None:
    """Solve (K + μI) x = b with each method's approximation as preconditioner."""
    answer, left, right = page.places(0.62)
    with right:
        part = part_of(scene)
        methods, m = choose(part, part.data.n, "solve")
        note = "A small μ makes the system ill conditioned, and the preconditioner worth more."
        shift = stops("μ / tr K", SHIFTS, "solve_shift", FIRST_SHIFT, SHIFTS, help=note)
        numbers, notes = st.container(), st.container()
    first, second = st.columns(2, gap="medium")
    charts = {"residuals": left, "iterations": first, "seconds": second}
    study = LinearSystem(scene=scene, methods=methods, m=m, relative_shift=shift, theme=page.theme())
    unfold(study, Places(answer, numbers, notes, charts), "solve_system")


@part
def gaussian_process(scene: Scene) -> None:
    """Compare Gaussian processes on inducing points of each method with the exact one."""
    if problem := why_not_learned(scene.data):
        st.info(problem, icon=":material/info:")
        return
    answer, left, right = page.places(0.62)
    part = part_of(scene)
    with right:
        methods, m = choose(part, training_count(part.data.n), "solve_process", LEFT_OUT)
        note = "Variance of the noise, in units of the target's. The less noise, the more inducing points."
        noise = stops("Noise σ²", NOISES, "solve_noise", FIRST_NOISE, "{:g}".format, help=note)
        numbers, notes = st.container(), st.container()
    first, second = st.columns(2, gap="medium")
    method, feature = first_along(methods), leading_feature(part.data)
    with second:
        along = st.container()
        if methods:
            of_method, of_feature = st.columns(2, gap="small")
            label, key = "Inducing points of", "solve_along_method"
            method = box(label, methods, key, method, method_label, of_method)
            names = dict(enumerate(part.data.feature_names))
            with of_feature:
                feature = choose_by_number("Along", "solve_along", names, feature)
    charts = {"gap": left, "nlpd": first, "along": along}
    study = GaussianProcess(
        scene=scene,
        methods=methods,
        m=m,
        noise=noise,
        along_method=method,
        along_feature=feature,
        theme=page.theme(),
    )
    unfold(study, Places(answer, numbers, notes, charts), "solve_process")
