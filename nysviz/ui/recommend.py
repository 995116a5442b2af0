"""The page "Recommend": what it measures and says, its controls and charts, and where it leads."""

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import streamlit as st

from nysviz.advice.bandwidths import METHOD, Width, chosen_width, sigma_of, task_of, width_jobs
from nysviz.advice.candidates import Budget, Verified, candidates
from nysviz.advice.curve import EXTREME, Floor, floor_job
from nysviz.advice.question import ALL_ROWS, DEFAULT_METHODS, FLOOR, Question
from nysviz.advice.recommendation import NORM_NAMES, Recommendation, sentence
from nysviz.advice.screening import Tried, screen_jobs
from nysviz.advice.verifying import second_stage_job
from nysviz.engine import Run
from nysviz.figures.recommend import bandwidth_chart, error_chart
from nysviz.figures.traces import Line
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.numerics.memory import matrix_bytes
from nysviz.text import counted, three_digits
from nysviz.ui import page, state
from nysviz.ui.asking import engine, sentences
from nysviz.ui.controls import stop_for
from nysviz.ui.downloads import measured
from nysviz.ui.inputs import box, number, several, stops
from nysviz.ui.running import at_rest, follow
from nysviz.ui.sidebar.scene import Scene, head, loading_code, options_code, script

# Evenly spaced in log.
TARGETS = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


def runs(scene: Scene, q: Question, budget: Budget) -> tuple[Run, Run | None, Run | None]:
    """Return the runs so far: all methods on parts of the rows, the first ones on all, other bandwidths."""
    data, holds = scene.data, matrix_bytes(scene.data.n)
    key: tuple[object, ...] = ("recommend", *scene.key, q.norm, q.stop, q.methods, q.seed)
    # Seconds are those of one run at a time.
    first, second = engine().run(key, lambda: screen_jobs(q), holds, alone=True), None
    if not first.done:
        # Who has stopped it does not wait for the others.
        return first, None, None
    if tried := first.records():
        job = second_stage_job(q, budget, tried)
        key = ("recommend all rows", job.key)
        second = engine().run(key, lambda: [job, floor_job(q)], holds, alone=True)
        if not at_rest(second):
            return first, second, None
    key = ("recommend bandwidths", *scene.key, q.norm, q.seed, q.target, data.task, data.y is not None)
    return first, second, engine().run(key, lambda: width_jobs(q, data.y, data.task), holds)


def recommendation(
    asked: Question, budget: Budget, tried: Sequence[Tried], more: Sequence[object], widths: Sequence[Width]
) -> Recommendation:
    """Put together what is there so far."""
    verified = {one.method: one for one in more if isinstance(one, Verified)}
    floor = next((one for one in more if isinstance(one, Floor)), None)
    found = candidates(asked, budget, tried, verified)
    ordered = tuple(sorted(widths, key=lambda one: one.sigma))
    return Recommendation(asked, budget, found, floor, ordered)


def better_width(found: Recommendation) -> Width | None:
    """Return a bandwidth to take instead of the present one, which predicts better or meets the target."""
    best = chosen_width(found.widths)
    if best is not None and best.m is not None:
        return None if best.multiple == 1.0 else best
    return found.wider() if found.best is None else None


def pipeline(scene: Scene, found: Recommendation) -> str:
    """Write code that uses the headline in scikit-learn; empty where nothing is recommended."""
    width, best, kernel, seed = better_width(found), found.best, found.asked.kernel, found.asked.seed
    if width is not None and width.m is not None:
        kernel, method, m = replace(kernel, sigma=width.sigma), METHOD, width.m  # type: ignore[call-arg]
    elif best is not None:
        method, m = best.method, best.m
    else:
        return ""
    settings = f"nv.{kernel!r}, method={method!r}, n_components={m}, random_state={seed}"
    features = f"nv.NystroemFeatures(\n    {settings}\n)"
    if not METHODS[method].data_dependent:
        settings = f"n_frequencies={m}, random_state={seed}, orthogonal={method == 'orf'}"
        features = f"nv.FourierFeatures({sigma_of(kernel)!r}, {settings})"
    if scene.data.y is None:
        return f"""import nysviz as nv

X = {loading_code(scene)}.X
features = {features}
Z = features.fit_transform(X)  # Z @ Z.T approximates K"""
    learner = "RidgeClassifierCV" if scene.data.task == "classification" else "RidgeCV"
    return f"""import nysviz as nv
from sklearn.linear_model import {learner}
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

data = {loading_code(scene)}
features = {features}
model = make_pipeline(features, {learner}())
print(cross_val_score(model, data.X, data.y).mean())"""


def rows(scene: Scene, found: Recommendation, tried: Sequence[Tried]) -> list[dict[str, object]]:
    """Every run on a part of the rows, each curve, and what was measured on all rows."""
    written: list[dict[str, object]] = []
    norm = found.asked.norm
    for run in sorted(tried, key=lambda run: (run.method, run.size, run.repeat, run.m)):
        begin = head(scene, method=run.method, m=run.m, repeat=run.repeat, part=run.size)
        outer = None if math.isnan(run.outer) else run.outer
        written += measured(begin, {f"inner_{norm}": run.inner, f"outer_{norm}": outer})
    for one in found.candidates:
        curve = one.curve
        for m, value, low, high in zip(curve.ms, curve.value, curve.low, curve.high, strict=True):
            ends = {"expected": float(value), "expected_low": float(low), "expected_high": float(high)}
            written += measured(head(scene, method=curve.method, m=int(m)), ends)
    for one in found.candidates:
        if one.verified is not None:
            values = {f"relative_{norm}": one.verified.error.value}
            written += measured(head(scene, method=one.method, m=one.m), values)
    return written


def python(scene: Scene, found: Recommendation) -> str:
    """Write the script: the runs, the curves, and the approximations that were measured on all rows."""
    asked = found.asked
    on_all = [(one.method, one.m) for one in found.candidates if one.verified is not None]
    given = options_code((name, value) for name, value in asdict(found.budget).items() if value is not None)
    sampled = asked.n if asked.uses_all_rows else 500
    error = f"sampled_errors(data.X, kernel, a, {sampled}, {asked.seed}).relative_frobenius"
    if asked.norm == "trace":
        error = "1.0 - np.square(a.factor).sum() / kernel.diag(data.X).sum()"
    target = f"{asked.target!r}, {asked.norm!r}"
    return script(
        scene,
        """import numpy as np
from nysviz.advice.curve import curves_of
from nysviz.advice.question import Question
from nysviz.advice.screening import screen_jobs
from nysviz.nystroem.measures import sampled_errors
from nysviz.sweep import run_jobs""",
        f"""# All in one call, with the times of your machine:
# print(nv.recommend(data.X, kernel, {target}, seed={asked.seed}{given}))
asked = Question(data.X, kernel, {target}, {asked.methods!r}, {asked.seed})
tried = [one for finished in run_jobs(screen_jobs(asked)) for one in finished.records]
for one in sorted(tried, key=lambda one: (one.method, one.size, one.repeat, one.m)):
    at = f"method={{one.method}} m={{one.m}} repeat={{one.repeat}} part={{one.size}}"
    print(at, "inner_{asked.norm}", one.inner)
    print(at, "outer_{asked.norm}", one.outer)
for method, curve in curves_of(tried, asked.n, asked.most(asked.sizes[-1])).items():
    for m, value, low, high in zip(curve.ms, curve.value, curve.low, curve.high):
        for name, one in (("", value), ("_low", low), ("_high", high)):
            print(f"method={{method}} m={{m:.0f}} expected{{name}}", one)
for method, m in {on_all!r}:
    a = nv.approximate(data.X, kernel, method, m, {asked.seed})
    print(f"method={{method}} m={{m}} relative_{asked.norm}", {error})""",
    )


def answer(found: Recommendation) -> str:
    """Return method and m at the present bandwidth, and the bandwidth for the labels where they tell one."""
    if not found.candidates:
        return "The first runs are on their way."
    chosen, better = chosen_width(found.widths), better_width(found)
    # Beside the bandwidth for the labels nothing is said of a wider one.
    text = sentence(replace(found, widths=()) if better is chosen else found)
    text = re.sub("^Take (.*?):", r"Take **\1**:", text)
    present = next((one for one in found.widths if one.multiple == 1.0), None)
    if present is None or chosen is None:
        return text
    if chosen is present:
        return f"{text} Keep the present **σ = {three_digits(present.sigma)}**: its loss is {_loss(present)}."
    if better is not chosen:
        return text
    advice = f"σ = {three_digits(chosen.sigma)}, {METHODS[METHOD].brief}, m = {chosen.m}"
    loss = _loss(chosen).removesuffix(f" with m = {chosen.m}")
    return f"For these labels take **{advice}**: loss {loss}. At the present σ {text[0].lower()}{text[1:]}"


def _loss(one: Width) -> str:
    """Write the loss with the landmarks of the target, or with as many of them as it was measured with."""
    return f"{three_digits(one.few_loss)} ± {one.few_loss_se:.2g} with m = {one.few}"


def width_hover(one: Width) -> str:
    """Return what the hover says of a bandwidth."""
    m = f"more than {one.most}" if one.m is None else one.m
    times = f"{three_digits(one.multiple)} times the present σ"
    text = f"σ = {three_digits(one.sigma)}, {times}<br>needed in the mean: m = {m}"
    if math.isnan(one.loss):
        return text
    many = f"{three_digits(one.loss)} ± {three_digits(one.loss_se)} with m = {one.landmarks}"
    return f"{text}<br>loss {many}<br>loss {_loss(one)}"


def table(found: Recommendation) -> str:
    """Return the candidates in order, those that meet target and budget first."""
    rows = []
    for one in found.candidates:
        # In parentheses: more landmarks are not allowed, or were not tried; an error that is only expected.
        name = METHODS[one.method].brief
        name = f"<b>{name}</b>" if one is found.best else name
        error = three_digits(one.error.value)
        shown = str(one.m) if one.meets else f"({one.m})", error if one.verified else f"({error})"
        rows.append((name, *shown, three_digits(1e3 * one.seconds), three_digits(one.bytes / 1e6)))
    head = ("method", "m", "error", "ms", "MB")
    return page.number_table(head, rows)


def controls(scene: Scene) -> tuple[Question, Budget] | None:
    """Draw the controls; None where no method is chosen."""
    left, right = st.columns(2)
    note = "Part of K, in the norm beside, that may be left."
    target = stops("Target error", TARGETS, "recommend_target", 0.1, "{:g}".format, left, help=note)
    norm = box("Norm", NORM_NAMES, "recommend_norm", names=NORM_NAMES, place=right)
    suited = [name for name, entry in METHODS.items() if entry.suits(scene.kernel) and name != FLOOR]
    offered = [name for name in suited if METHODS[name].data_dependent or norm == "frobenius"]
    # Parts of the rows do not tell of the methods that go for outliers.
    large = scene.data.n > ALL_ROWS
    first = [name for name in DEFAULT_METHODS if not (large and name in EXTREME)]
    with st.popover("Methods, limits", width="stretch"):
        limit: dict[str, Any] = {"format": "%g", "placeholder": "any"}
        limit["help"] = "What one approximation of all rows may take on this machine."
        seconds = number("Seconds at most", 0.001, 1e6, None, "recommend_seconds", **limit)
        limit["help"] = "Memory that it may hold beside the data while it is made."
        megabytes = number("MB at most", 0.01, 1e6, None, "recommend_memory", **limit)
        methods = several("Methods", offered, "recommend_methods", first, label_visibility="collapsed")
    if not methods:
        st.info("Choose a method.", icon=":material/touch_app:")
        return None
    data, memory = scene.data, None if megabytes is None else 1e6 * megabytes
    question = Question(data.X, scene.kernel, target, norm, methods, scene.seed, data.digest)
    return question, Budget(seconds, memory)


def offer(scene: Scene, found: Recommendation) -> None:
    """Draw the buttons that take the recommendation, and a bandwidth that suits better."""
    best, width = found.best, better_width(found)
    if best is not None:
        text, where = f"Open in Approximate, m = {best.m}", (best.label, stop_for(scene.data.n, best.m)[1])
        look: Any = {"icon": ":material/grid_on:", "type": "primary", "width": "stretch"}
        st.button(text, key="recommend_open", on_click=_open, args=where, **look)
    if width is not None:
        text = f"Take σ = {three_digits(width.sigma)}, m = {width.m}"
        look = {"icon": ":material/swap_horiz:", "width": "stretch"}
        st.button(text, key="recommend_width", on_click=_take, args=(scene, width.sigma), **look)


def _open(method: str, ratio: str) -> None:
    now = state.current().parameters
    kept = {name: value for name, value in now.items() if name in state.SIDEBAR}
    state.go(state.State("approximate", {**kept, "method": method, "ratio": ratio}))


def _take(scene: Scene, sigma: float) -> None:
    """Go to this page with another bandwidth: the click alone would draw its fragment, not the sidebar."""
    now, width = state.current(), default_width(scene.data.X)
    multiple = f"{2.0 * sigma * sigma / width:.6g}"
    state.go(state.State(now.page, {**now.parameters, "bandwidth": multiple}))


def draw_errors(scene: Scene, found: Recommendation) -> None:
    """Draw the expected error against the number of landmarks, with the target and what is recommended."""
    asked, lines = found.asked, []
    for one in found.candidates:
        curve, name = one.curve, METHODS[one.method].brief
        hover = [
            f"{name}, m = {m:.0f}<br>error {error} ({low} to {high})"
            for m, *ends in zip(curve.ms, curve.value, curve.low, curve.high, strict=True)
            for error, low, high in [map(three_digits, ends)]
        ]
        high = curve.high if curve.carries else curve.value
        lines.append(Line(one.method, name, curve.ms, curve.value, curve.low, high, hover))
    rows = "all rows" if asked.uses_all_rows else f"parts of {counted(asked.sizes[-1], 'row')}"
    sheet = page.sheet("Expected error against landmarks", f"{scene.subtitle}; {rows}; bands: 90 % of runs")
    page.show(error_chart(lines, found, sheet), "recommend")


def draw_widths(scene: Scene, found: Recommendation, widths: Sequence[Width]) -> None:
    """Draw the needed landmarks, and with labels what is learned, against the bandwidth."""
    found = replace(found, widths=tuple(sorted(widths, key=lambda one: one.sigma)))
    asked, sigma, best = found.asked, sigma_of(found.asked.kernel), chosen_width(found.widths)
    if sigma is None or not found.widths:
        return
    learned = any(math.isfinite(one.loss) for one in found.widths)
    marked = [("now", sigma)]
    if best is not None and abs(math.log(best.sigma / sigma)) > 1e-6:
        marked.append(("for the labels", best.sigma))
    task = scene.data.task or task_of(scene.data.y)
    loss = "error rate" if task == "classification" else "squared error / variance"
    more = f"; loss with m = {found.widths[0].landmarks}" if learned else ""
    short = "; △ not enough" if any(one.m is None for one in found.widths) else ""
    subtitle = f"{METHODS[METHOD].brief}, mean error {asked.target:g}{more}{short}"
    sheet = page.sheet("Landmarks needed by bandwidth", subtitle)
    most, ends = asked.most(asked.sizes[-1]), (sigma / 5.0, sigma * 5.0)
    shown = [(one, width_hover(one)) for one in found.widths]
    figure = bandwidth_chart(shown, most, marked, ends, loss if learned else "", sheet)
    page.show(figure, "recommend_bandwidth")


@st.fragment
def live(scene: Scene) -> None:
    """First all methods on parts of the rows, then the first ones on all rows, then other bandwidths."""
    place, left, right = page.places(0.66)
    widths = st.container()
    asked = None
    with right, sentences():
        asked = controls(scene)
    if asked is None:
        return
    numbers, links = right.container(), right.container()
    first, second, third = runs(scene, *asked)
    rest = at_rest(second or first)
    known = third.records() if third is not None and third.done else None

    def draw(records: Sequence[Any]) -> None:
        found = recommendation(*asked, first.records(), records if second else (), known or ())
        place.markdown(page.unbroken(answer(found)))
        numbers.html(table(found))
        draw_errors(scene, found)

    with left:
        follow(second or first, draw, "On all rows" if second else "Methods", beside=second is not None)
    found = recommendation(*asked, first.records(), second.records() if second else (), known or ())
    if third is not None:
        with widths:
            follow(third, partial(draw_widths, scene, found), "Bandwidths", beside=True)
    if (at_rest(second or first) and not rest) or (third is not None and third.done and known is None):
        # Something was over while it was drawn: what follows from it is next.
        st.rerun()
    if not rest:
        return
    with links:
        offer(scene, found)
    if code := pipeline(scene, found):
        st.caption("In scikit-learn:")
        st.code(code, language=None)  # the colours of Python here are too pale to be read
    page.closing("recommend", python(scene, found), partial(rows, scene, found, first.records()))
