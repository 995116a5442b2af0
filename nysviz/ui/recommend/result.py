"""What the page "Recommend" measures and says, and the code that uses and repeats it."""

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from nysviz.advice.bandwidths import METHOD, Width, chosen_width, sigma_of, width_jobs
from nysviz.advice.candidates import Budget, Candidate, Verified, candidates
from nysviz.advice.curve import Floor, floor_job
from nysviz.advice.question import Question
from nysviz.advice.recommendation import Recommendation, sentence
from nysviz.advice.screening import Tried, screen_jobs
from nysviz.advice.verifying import second_stage_job
from nysviz.engine import Run
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.text import in_bytes, in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.downloads import measured
from nysviz.ui.running import at_rest, running
from nysviz.ui.sidebar.scene import Scene, head, loading_code, options_code, script


@dataclass(frozen=True, eq=False)
class Asked:
    """The page's question: what to measure, and what it may cost."""

    question: Question
    budget: Budget
    y: object
    task: str | None


def runs(scene: Scene, asked: Asked) -> tuple[Run, Run | None, Run | None]:
    """Return the runs so far: all methods on parts of the rows, the first ones on all, other bandwidths."""
    q, n = asked.question, scene.data.n
    key: tuple[object, ...] = ("recommend", *scene.key, q.norm, q.stop, q.methods, q.seed)
    # Seconds are those of one run at a time.
    first, second = running(key, lambda: screen_jobs(q), alone=True, rows=n), None
    if not first.done:
        # Who has stopped it does not wait for the others.
        return first, None, None
    if tried := first.records():
        job = second_stage_job(q, asked.budget, tried)
        key = ("recommend all rows", job.key)
        second = running(key, lambda: [job, floor_job(q)], alone=True, rows=n)
        if not at_rest(second):
            return first, second, None
    key = ("recommend bandwidths", *scene.key, q.norm, q.seed, q.target, asked.task, asked.y is not None)
    return first, second, running(key, lambda: width_jobs(q, asked.y, asked.task), rows=n)


def recommendation(
    asked: Asked, tried: Sequence[Tried], more: Sequence[object] = (), widths: Sequence[Width] = ()
) -> Recommendation:
    """Put together what is there so far."""
    verified = {one.method: one for one in more if isinstance(one, Verified)}
    floor = next((one for one in more if isinstance(one, Floor)), None)
    found = candidates(asked.question, asked.budget, tried, verified)
    ordered = tuple(sorted(widths, key=lambda one: one.sigma))
    return Recommendation(asked.question, asked.budget, found, floor, ordered)


def better_width(found: Recommendation) -> Width | None:
    """Return a bandwidth to take instead of the present one, which predicts better or meets the target."""
    best = chosen_width(found.widths)
    if best is not None and best.m is not None:
        return None if best.multiple == 1.0 else best
    return found.wider() if found.best is None else None


def advised(found: Recommendation) -> tuple[Kernel, str, int] | None:
    """Return kernel, method and number of landmarks of the headline."""
    width, best, kernel = better_width(found), found.best, found.asked.kernel
    if width is not None and width.m is not None:
        return replace(kernel, sigma=width.sigma), METHOD, width.m  # type: ignore[call-arg]
    return None if best is None else (kernel, best.method, best.m)


def pipeline(scene: Scene, found: Recommendation) -> str:
    """Write code that uses the headline in scikit-learn; empty where nothing is recommended."""
    advice, seed = advised(found), found.asked.seed
    if advice is None:
        return ""
    kernel, method, m = advice
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
from nysviz.measures import sampled_errors
from nysviz.sweep import run_jobs""",
        f"""# All in one call, with the times of your machine:
# print(nv.recommend(data.X, kernel, {target}, seed={asked.seed}{given}))
asked = Question.of(data.X, kernel, {target}, {asked.methods!r}, {asked.seed})
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
    text = re.sub("^Take (.*?):", r"Take **\1**:", sentence(found))
    chosen, better = chosen_width(found.widths), better_width(found)
    present = next((one for one in found.widths if one.multiple == 1.0), None)
    if present is None or chosen is None:
        return text
    if chosen is present:
        return f"{text} Keep the present **σ = {three_digits(present.sigma)}**: its loss is {_loss(present)}."
    if better is not chosen:
        return text
    advice = f"σ = {three_digits(chosen.sigma)}, {METHODS[METHOD].label}, m = {chosen.m}"
    now = f"loss {three_digits(present.few_loss)} with m = {present.few}"
    return (
        f"For these labels take **{advice}**: loss {_loss(chosen)}. "
        f"At the present σ ({now}) {text[0].lower()}{text[1:]}"
    )


def _loss(one: Width) -> str:
    """Write the loss with the landmarks of the target, or with as many of them as it was measured with."""
    return f"{three_digits(one.few_loss)} ± {one.few_loss_se:.2g} with m = {one.few}"


def width_hover(one: Width) -> str:
    """Return what the hover says of a bandwidth."""
    m = f"more than {one.most}" if one.m is None else one.m
    text = (
        f"σ = {three_digits(one.sigma)}, {three_digits(one.multiple)} times the present σ"
        f"<br>needed in the mean: m = {m}"
    )
    if math.isnan(one.loss):
        return text
    many = f"{three_digits(one.loss)} ± {three_digits(one.loss_se)} with m = {one.landmarks}"
    return f"{text}<br>loss {many}<br>loss {_loss(one)}"


def table(found: Recommendation) -> str:
    """Return the candidates in order, those that meet target and budget first."""
    rows = []
    for one in found.candidates:
        # In parentheses: more is not allowed, or was not tried.
        name = f"<b>{one.label}</b>" if one is found.best else one.label
        count = str(one.m) if one.meets else f"({one.m})"
        rows.append((name, count, in_seconds(one.seconds)))
    return page.number_table(("method", f"m for {found.asked.target:g}", "time"), rows)


def cells(one: Candidate, n: int, target: float) -> dict[str, str]:
    """Return all that is known of a candidate, for a table."""
    # What was only expected meets the target where its whole interval does.
    is_sure = one.verified is not None or one.error.high <= target * (1.0 + 1e-9)
    return {
        "method": one.label,
        "m": str(one.m),
        "error": three_digits(one.error.value),
        "90 % of runs": f"{three_digits(one.error.low)} to {three_digits(one.error.high)}",
        "why": one.reason,
        "time": in_seconds(one.seconds),
        "peak memory": in_bytes(one.bytes),
        "entries of K / n²": three_digits(one.kernel_evaluations / n**2),
        "meets": ("yes" if is_sure else "perhaps") if one.meets else "no",
        "on all rows": "measured" if one.verified is not None else "expected",
    }
