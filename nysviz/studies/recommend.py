"""Which method, and how many landmarks? What ``nv.recommend`` finds, with the runs that it rests on."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.advice.bandwidths import METHOD, Width, choose_width, sigma_of, task_of, width_jobs, width_sigmas
from nysviz.advice.candidates import Budget, Verified, rank_candidates
from nysviz.advice.curve import EXTREME, Floor, floor_job
from nysviz.advice.recommendation import NORM_NAMES, Recommendation, sentence
from nysviz.advice.request import ALL_ROWS, DEFAULT_METHODS, FLOOR, AdviceRequest
from nysviz.advice.screening import ScreeningRecord, screen_jobs
from nysviz.advice.verifying import second_stage_job
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.figures.recommend import bandwidth_chart, error_chart
from nysviz.figures.traces import Line
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.memory import matrix_bytes
from nysviz.studies.choice import checked_choice, checked_methods
from nysviz.studies.code import data_code
from nysviz.studies.html import WAITING, Label, NumberTable, Row
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of, width_of
from nysviz.studies.study import Ink, Runs, Study, chart, complete, derived, theme_of
from nysviz.text import counted, in_bytes, three_digits

# Most rows for which everything with K takes a moment.
FEW_ROWS = 200


def offered_methods(kernel: Kernel, norm: str) -> list[str]:
    """Return the methods that can be recommended for an error in this norm."""
    suited = [name for name, entry in METHODS.items() if entry.suits(kernel) and name != FLOOR]
    return [name for name in suited if METHODS[name].data_dependent or norm == "frobenius"]


def default_methods(scene: Scene) -> tuple[str, ...]:
    """Return the methods that are compared at first."""
    # Parts of the rows do not tell of the methods that go for outliers.
    is_large = scene.data.n > ALL_ROWS
    names = [name for name in DEFAULT_METHODS if not (is_large and name in EXTREME)]
    return tuple(name for name in names if METHODS[name].suits(scene.kernel))


def screening_run(scene: Scene, request: AdviceRequest) -> Run:
    """Return the run of all methods on parts of the rows; seconds are those of one run at a time."""
    key = ("recommend", *scene.key, request.norm, request.stop, request.methods, request.seed)
    return engine().run(key, lambda: screen_jobs(request), matrix_bytes(scene.data.n), alone=True)


def verifying_run(
    scene: Scene, request: AdviceRequest, budget: Budget, screened: Sequence[ScreeningRecord]
) -> Run:
    """Return the run of the first methods on all rows, and of the errors of the best rank."""
    job = second_stage_job(request, budget, screened)
    key, holds = ("recommend all rows", job.key), matrix_bytes(scene.data.n)
    return engine().run(key, lambda: [job, floor_job(request)], holds, alone=True)


def bandwidth_run(scene: Scene, request: AdviceRequest) -> Run:
    """Return the run of other bandwidths, and of what is learned with each."""
    data, content = scene.data, (request.norm, request.seed, request.target)
    key = ("recommend bandwidths", *scene.key, *content, data.task, data.y is not None)
    return engine().run(key, lambda: width_jobs(request, data.y, data.task), matrix_bytes(data.n))


def recommend(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    target: float = 0.1,
    norm: str = "trace",
    methods: Sequence[str] | None = None,
    *,
    seconds: float | None = None,
    memory: float | None = None,
    seed: int = 0,
    theme: Ink = "light",
) -> "RecommendationStudy":
    """Recommend a method and a number of landmarks for a target error, and show what that rests on.

    ``nv.recommend`` does so for an array, and may choose the bandwidth.

    Parameters
    ----------
    data : Dataset or (n, d) array
        With labels or values, they are learned at several bandwidths.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    target : float
        Relative error ‖K − K̃‖ / ‖K‖ that may be left, between 0 and 1.
    norm : {"trace", "frobenius"}
    methods : sequence of str, optional
        Methods to choose among, by default one of each family.
    seconds, memory : float, optional
        What one approximation of all rows may take, in seconds and in bytes beside the data.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    RecommendationStudy
        With ``answer``, ``table``, ``figures``; ``recommendation`` is that of ``nv.recommend``, ``pipeline``
        its use in scikit-learn. Up to 3 000 rows all runs see all rows; above, parts of at most 2 000 rows,
        and O(n) for each method that is run on all of them at the end.

    Raises
    ------
    ValueError
        A target outside (0, 1), an unknown norm or method, a method whose error the norm cannot see, a budget
        of 0 or less.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.recommend(nv.load("iris").X, target=0.3, methods=["uniform", "icd"])
    >>> result.recommendation.best.error.high <= 0.3, sorted(result.figures)
    (True, ['bandwidths', 'errors'])
    """
    scene = scene_of(data, kernel, seed)
    checked_choice("norm", norm, NORM_NAMES)
    Budget(seconds, memory)  # refused before anything runs
    study = RecommendationStudy(
        scene=scene,
        target=target,
        norm=norm,
        methods=default_methods(scene) if methods is None else checked_methods(methods, scene.kernel),
        seconds=seconds,
        memory=memory,
        theme=theme_of(theme),
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecommendationStudy(Study):
    """Methods in the order of the landmarks that they need for a target error, and other bandwidths."""

    target: float = 0.1
    norm: str = "trace"
    methods: tuple[str, ...] = DEFAULT_METHODS
    seconds: float | None = None
    memory: float | None = None

    name = "recommend"
    question = "Which method, and how many landmarks?"

    screened = Runs(screening_run, "scene request", "Methods", needed=True)
    verified = Runs(
        verifying_run,
        "scene request budget screened",
        "On all rows",
        beside=True,
        when=lambda study: study.is_done("screened"),
    )
    widths = Runs(
        bandwidth_run,
        "scene request",
        "Bandwidths",
        beside=True,
        when=lambda study: study.is_done("verified") and sigma_of(study.scene.kernel) is not None,
    )

    @cached_property
    def request(self) -> AdviceRequest:
        """Data, kernel, target and methods, as the runs take them."""
        scene = self.scene
        data, settings = scene.data, (self.target, self.norm, self.methods, scene.seed)
        return AdviceRequest(data.X, scene.kernel, *settings, data.digest)

    @property
    def budget(self) -> Budget:
        """What one approximation may cost."""
        return Budget(self.seconds, self.memory)

    @derived
    def recommendation(self) -> Recommendation:
        """What the runs say by now."""
        measured_on_all = {record.method: record for record in self.verified if isinstance(record, Verified)}
        ordered = rank_candidates(self.request, self.budget, self.screened, measured_on_all)
        floor = next((record for record in self.verified if isinstance(record, Floor)), None)
        widths = self.widths if self.is_done("widths") else ()
        return Recommendation(self.request, self.budget, ordered, floor, _ascending(widths))

    @property
    def better_width(self) -> Width | None:
        """A bandwidth to take instead of the present one, which predicts better or meets the target."""
        found = self.recommendation
        chosen = choose_width(found.widths)
        if chosen is not None:
            return None if chosen.multiple == 1.0 else chosen
        return found.wider() if found.best is None else None

    @property
    def better_m(self) -> int | None:
        """The landmarks for the better bandwidth: those of the target, or those it was tried with."""
        width = self.better_width
        return None if width is None else width.m or width.few

    @property
    def better_label(self) -> str:
        """Name what the better bandwidth takes."""
        width = self.better_width
        return "" if width is None else f"Take σ = {three_digits(width.sigma)}, m = {self.better_m}"

    @property
    def better_multiple(self) -> float | None:
        """The better bandwidth's multiple of the default width, or of 1 where equal rows suggest none."""
        width = self.better_width
        return None if width is None else 2.0 * width.sigma**2 / (width_of(self.scene.data) or 1.0)

    @property
    def answer(self) -> str:
        """Name method and m at the present bandwidth, and the bandwidth that the labels ask for."""
        if not self.has("screened"):
            return ""
        found = self.recommendation
        if not found.candidates:
            return WAITING
        chosen = choose_width(found.widths)
        # Beside the bandwidth for predicting nothing is said of a wider one.
        text = sentence(found if chosen is None else replace(found, widths=()))
        text = re.sub("^Take (.*?):", r"Take **\1**:", text)
        present = next((width for width in found.widths if width.multiple == 1.0), None)
        if present is None or chosen is None:
            return text
        if chosen is present:
            sigma = three_digits(present.sigma)
            return f"{text} To predict, keep the present **σ = {sigma}**: its loss is {_loss(present)}."
        advice = f"σ = {three_digits(chosen.sigma)}, {METHODS[METHOD].brief}, m = {self.better_m}"
        loss = _loss(chosen).removesuffix(f" with m = {self.better_m}")
        copy = f"To copy K at the present σ {text[0].lower()}{text[1:]}"
        return f"To predict take **{advice}**: loss {loss}. {copy}"

    @property
    def numbers(self) -> NumberTable | None:
        """The candidates in order, those that meet target and budget first."""
        if not self.has("screened"):
            return None
        rows, found = list[Row](), self.recommendation
        for candidate in found.candidates:
            # In parentheses: more landmarks are not allowed or were not tried; an error is only expected.
            name = METHODS[candidate.method].brief
            name = f"<b>{name}</b>" if candidate is found.best else name
            m = str(candidate.m) if candidate.meets else f"({candidate.m})"
            error = three_digits(candidate.error.value)
            error = error if candidate.verified else f"({error})"
            costs = three_digits(1e3 * candidate.seconds), three_digits(candidate.bytes / 1e6)
            rows.append((Label(name, candidate.method), m, error, *costs))
        heads = {
            "method": "method",
            "m": "advised_m",
            "error": "advised_error",
            "ms": "ms",
            "MB": "megabytes",
        }
        return NumberTable([Label(text, term) for text, term in heads.items()], rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say where K is small and needs no approximation."""
        if (n := self.scene.data.n) > FEW_ROWS:
            return ()
        return (f"{counted(n, 'row')} need no approximation: all of K takes {in_bytes(8 * n * n)}.",)

    @property
    def pipeline(self) -> str:
        """Code that uses the recommendation in scikit-learn; empty where nothing is recommended."""
        width, best = self.better_width, self.recommendation.best
        kernel, seed = self.scene.kernel, self.scene.seed
        if width is not None and self.better_m is not None:
            kernel, method = replace(kernel, sigma=width.sigma), METHOD  # type: ignore[call-arg]
            m = self.better_m
        elif best is not None:
            method, m = best.method, best.m
        else:
            return ""
        settings = f"nv.{kernel!r}, method={method!r}, n_components={m}, random_state={seed}"
        features = f"nv.NystroemFeatures(\n    {settings}\n)"
        if not METHODS[method].data_dependent:
            settings = f"n_frequencies={m}, random_state={seed}, orthogonal={method == 'orf'}"
            features = f"nv.FourierFeatures({sigma_of(kernel)!r}, {settings})"
        if self.scene.data.y is None:
            return f"""import nysviz as nv

X = {data_code(self.scene)}.X
features = {features}
Z = features.fit_transform(X)  # Z @ Z.T approximates K"""
        learner = "RidgeClassifierCV" if self.scene.data.task == "classification" else "RidgeCV"
        return f"""import nysviz as nv
from sklearn.linear_model import {learner}
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

data = {data_code(self.scene)}
features = {features}
model = make_pipeline(features, {learner}())
print(cross_val_score(model, data.X, data.y).mean())"""

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments; the methods that are compared at first go without saying."""
        is_first = self.methods == default_methods(self.scene)
        return {**super().arguments(), "methods": None if is_first else self.methods}

    def run_rows(self) -> list[dict[str, object]]:
        """Return every run on a part of the rows, each curve, and what was measured on all rows."""
        if not self.screened:
            return []
        scene, norm, rows = self.scene, self.norm, list[dict[str, object]]()
        for run in sorted(self.screened, key=lambda run: (run.method, run.size, run.repeat, run.m)):
            begin = head(scene, method=run.method, m=run.m, repeat=run.repeat, part=run.size)
            outer = None if math.isnan(run.outer) else run.outer
            rows += measured(begin, {f"inner_{norm}": run.inner, f"outer_{norm}": outer})
        found = self.recommendation.candidates
        for candidate in found:
            curve = candidate.curve
            for m, value, low, high in zip(curve.ms, curve.value, curve.low, curve.high, strict=True):
                ends = {"expected": float(value), "expected_low": float(low), "expected_high": float(high)}
                rows += measured(head(scene, method=curve.method, m=int(m)), ends)
        for candidate in found:
            if candidate.verified is not None:
                values = {f"relative_{norm}": candidate.verified.error.value}
                rows += measured(head(scene, method=candidate.method, m=candidate.m), values)
        return rows

    def _explain_errors(self) -> str:
        found = self.recommendation
        text = "Each line is a method: the error to expect with m landmarks. Lower is better; below the "
        text += "dashed level the target is met."
        if found.best is not None:
            text += " The filled circle is recommended."
        if any(candidate.verified is not None for candidate in found.candidates):
            text += " A circle without filling was measured on all rows."
        return text + (
            " The best rank m has the smallest error of any matrix of rank m."
            if found.floor is not None
            else ""
        )

    @chart(
        "screened",
        adds=("verified",),
        caption=lambda study: study._explain_errors(),
    )
    def errors(self) -> go.Figure:
        """Draw expected errors against the number of landmarks, with the target and what is recommended."""
        found, lines = self.recommendation, []
        for candidate in found.candidates:
            curve, name = candidate.curve, METHODS[candidate.method].brief
            hover = [
                f"{name}, m = {m:.0f}<br>error {error} ({low} to {high})"
                for m, *ends in zip(curve.ms, curve.value, curve.low, curve.high, strict=True)
                for error, low, high in [map(three_digits, ends)]
            ]
            high = curve.high if curve.carries else curve.value
            lines.append(Line(candidate.method, name, curve.ms, curve.value, curve.low, high, hover))
        request = self.request
        rows = "all rows" if request.uses_all_rows else f"parts of {counted(request.sizes[-1], 'row')}"
        subtitle = f"{self.scene.subtitle}; {rows}; bands: 90 % of runs"
        return error_chart(lines, found, self.sheet("Expected error against landmarks", subtitle))

    def _explain_bandwidths(self) -> str:
        text = "Each point is a bandwidth. Above" if self._has_losses else "Each point is a bandwidth"
        text += ": how many landmarks it needs to copy its K to the target; fewer is cheaper."
        if self._has_losses:
            text += " Below: how badly it predicts, so lower is better. The two need not agree."
        return text

    @property
    def _has_losses(self) -> bool:
        """Whether predictions were made at the bandwidths."""
        return any(math.isfinite(width.loss) for width in self.widths)

    @chart(
        "widths",
        caption=lambda study: study._explain_bandwidths(),
    )
    def bandwidths(self) -> go.Figure:
        """Draw the needed landmarks, and with labels what is learned, against the bandwidth."""
        widths, data = _ascending(self.widths), self.scene.data
        sigma = sigma_of(self.scene.kernel) or math.nan
        chosen, marked = choose_width(widths), [("now", sigma)]
        if chosen is not None and abs(math.log(chosen.sigma / sigma)) > 1e-6:
            marked.append(("to predict", chosen.sigma))
        loss = more = ""
        if self._has_losses:
            task = data.task or task_of(data.y)
            loss = "error rate" if task == "classification" else "squared error / variance"
            more = f"; loss with m = {widths[0].landmarks}"
        short = "; △ not enough" if any(width.m is None for width in widths) else ""
        subtitle = f"{METHODS[METHOD].brief}, mean error {self.target:g}{more}{short}"
        sheet = self.sheet("Landmarks needed by bandwidth", subtitle)
        most = self.request.most_landmarks(self.request.sizes[-1])
        shown = [(width, width_hover(width)) for width in widths]
        # From the first drawing on as wide as it will be.
        sigmas = [*width_sigmas(self.request), sigma]
        return bandwidth_chart(shown, most, marked, (min(sigmas) / 1.25, max(sigmas) * 1.25), loss, sheet)


def _ascending(widths: Sequence[Width]) -> tuple[Width, ...]:
    return tuple(sorted(widths, key=lambda width: width.sigma))


def _loss(width: Width) -> str:
    """Write the loss with the landmarks of the target, or with as many of them as it was measured with."""
    return f"{three_digits(width.few_loss)} ± {width.few_loss_se:.2g} with m = {width.few}"


def width_hover(width: Width) -> str:
    """Return what the hover says of a bandwidth."""
    m = f"more than {width.most_tried}" if width.m is None else width.m
    times = f"{three_digits(width.multiple)} times the present σ"
    text = f"σ = {three_digits(width.sigma)}, {times}<br>needed in the mean: m = {m}"
    if math.isnan(width.loss):
        return text
    many = f"{three_digits(width.loss)} ± {three_digits(width.loss_se)} with m = {width.landmarks}"
    return f"{text}<br>loss {many}<br>loss {_loss(width)}"
