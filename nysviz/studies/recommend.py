"""Which method, bandwidth and number of landmarks? To copy K as ``nv.recommend`` does, or to predict."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.advice.bandwidths import LEARNING_ROWS, METHOD, Width, sigma_of, width_jobs, width_sigmas
from nysviz.advice.candidates import Budget, Verified, rank_candidates
from nysviz.advice.curve import EXTREME, Floor, floor_job
from nysviz.advice.predicting import (
    Losses,
    Prediction,
    advised,
    can_predict,
    counts,
    extension_jobs,
    is_same,
    losses_jobs,
    prediction_sigmas,
)
from nysviz.advice.recommendation import NORM_NAMES, Recommendation, sentence
from nysviz.advice.request import ALL_ROWS, DEFAULT_METHODS, FLOOR, AdviceRequest
from nysviz.advice.screening import ScreeningRecord, screen_jobs
from nysviz.advice.verifying import second_stage_job
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.figures.recommend import bandwidth_chart, count_chart, error_chart, loss_chart
from nysviz.figures.traces import Line
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.lazy import lazy_property
from nysviz.numerics.memory import matrix_bytes
from nysviz.refusal import Refusal
from nysviz.studies.choice import checked_choice, checked_methods
from nysviz.studies.html import WAITING, Label, NumberTable, Row
from nysviz.studies.pipeline import copy_code, feature_code, prediction_code
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of, width_of
from nysviz.studies.study import Ink, Runs, Study, chart, complete, derived, theme_of
from nysviz.text import counted, grouped, in_bytes, three_digits

# Most rows for which all of K is computed in a moment.
FEW_ROWS = 200
# Goals of the advice.
GOALS = {"copy": "Copy K", "predict": "Predict"}
LOSSES = {"classification": "error rate", "regression": "squared error / variance"}


def offered_methods(kernel: Kernel, norm: str) -> list[str]:
    """Return the methods that can be recommended for an error in this norm."""
    suited = [name for name, entry in METHODS.items() if entry.suits(kernel) and name != FLOOR]
    return [name for name in suited if METHODS[name].data_dependent or norm == "frobenius"]


def default_methods(scene: Scene) -> tuple[str, ...]:
    """Return the methods that are compared by default."""
    # Parts of the rows say little about methods that choose outliers.
    is_large = scene.data.n > ALL_ROWS
    names = [name for name in DEFAULT_METHODS if not (is_large and name in EXTREME)]
    return tuple(name for name in names if METHODS[name].suits(scene.kernel))


def first_goal(data: Dataset) -> str:
    """Return the default goal: a copy of K if there is nothing to predict."""
    return "predict" if can_predict(data) else "copy"


def screening_run(scene: Scene, request: AdviceRequest) -> Run:
    """Return the run of all methods on parts of the rows, one job at a time for the seconds."""
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
    """Return the run of other bandwidths."""
    key = ("recommend bandwidths", *scene.key, request.norm, request.seed, request.target)
    return engine().run(key, lambda: width_jobs(request), matrix_bytes(scene.data.n))


def losses_run(scene: Scene) -> Run:
    """Return the run of the losses at several bandwidths."""
    data, kernel, seed = scene.data, scene.kernel, scene.seed
    jobs = partial(losses_jobs, data, kernel, seed)
    return engine().run(("recommend losses", *scene.key, seed, data.task), jobs, matrix_bytes(data.n))


def extension_run(scene: Scene, losses: Sequence[Losses]) -> Run:
    """Return the run of bandwidths beyond the end at which the smallest loss lies."""
    data, kernel, seed = scene.data, scene.kernel, scene.seed
    jobs = partial(extension_jobs, data, kernel, seed, losses)
    return engine().run(("recommend beyond", *scene.key, seed, data.task), jobs, matrix_bytes(data.n))


def recommend(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    target: float = 0.1,
    norm: str = "trace",
    methods: Sequence[str] | None = None,
    *,
    goal: str | None = None,
    seconds: float | None = None,
    memory: float | None = None,
    seed: int = 0,
    theme: Ink = "light",
) -> "RecommendationStudy":
    """Recommend landmarks that copy K, or that predict the target of the data, with the evidence.

    To copy K: a method and a number of landmarks for a target error, at the kernel's own bandwidth, as
    ``nv.recommend`` finds for an array. To predict: a bandwidth and a number of landmarks, by the
    cross-validated loss of ridge regression on Nyström features.

    Parameters
    ----------
    data : Dataset or (n, d) array
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    target : float
        Relative error ‖K − K̃‖ / ‖K‖ that may be left, between 0 and 1. Like the norm, the
        methods and the limits, it is for a copy of K.
    norm : {"trace", "frobenius"}
    methods : sequence of str, optional
        Methods to choose among, by default one of each family.
    goal : {"copy", "predict"}, optional
        By default "predict" where the data have a target, else "copy".
    seconds, memory : float, optional
        What one approximation of all rows may take, in seconds and in bytes beside the data.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    RecommendationStudy
        With ``answer``, ``table``, ``figures``; ``recommendation`` is that of ``nv.recommend``,
        ``prediction`` has ``sigma`` and ``m``, ``pipeline`` is the advice in scikit-learn. For a copy of K,
        up to 3 000 rows all runs see all rows; above, parts of at most 2 000 rows, and O(n) for each method
        that is run on all of them at the end. Predictions are made on at most 2 000 rows.

    Raises
    ------
    ValueError
        A target outside (0, 1), an unknown norm, goal or method, no target to predict, a method whose error
        the norm cannot see, a budget of 0 or less.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.recommend(nv.load("iris").X, target=0.3, methods=["uniform", "icd"])
    >>> result.recommendation.best.error.high <= 0.3, sorted(result.figures)
    (True, ['bandwidths', 'errors'])
    >>> result = nv.studies.recommend(nv.load("iris"))
    >>> result.prediction.losses.values[-1] < 0.04, sorted(result.figures)
    (True, ['loss_by_bandwidth', 'loss_by_landmarks'])
    """
    scene = scene_of(data, kernel, seed)
    goal = first_goal(scene.data) if goal is None else goal
    checked_choice("goal", goal, GOALS)
    if goal == "predict" and not can_predict(scene.data):
        raise Refusal("There is no target to predict; give goal = 'copy', or data with labels or values.")
    checked_choice("norm", norm, NORM_NAMES)
    study = RecommendationStudy(
        scene=scene,
        target=target,
        norm=norm,
        goal=goal,
        methods=default_methods(scene) if methods is None else checked_methods(methods, scene.kernel),
        seconds=seconds,
        memory=memory,
        theme=theme_of(theme),
    )
    # Invalid arguments are refused before anything runs, whatever the goal.
    _ = study.budget, study.request
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecommendationStudy(Study):
    """Methods by the landmarks that they need for a target error, or bandwidths by their losses."""

    goal: str = "copy"
    target: float = 0.1
    norm: str = "trace"
    methods: tuple[str, ...] = DEFAULT_METHODS
    seconds: float | None = None
    memory: float | None = None

    name = "recommend"
    question = "Which method, and how many landmarks?"

    screened = Runs(
        screening_run, "scene request", "Methods", needed=True, when=lambda study: study.goal == "copy"
    )
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
    losses = Runs(losses_run, "scene", "Losses", needed=True, when=lambda study: study.goal == "predict")
    extended = Runs(
        extension_run,
        "scene losses",
        "Further bandwidths",
        when=lambda study: study.is_done("losses") and bool((advice := advised(study.losses)) and advice.end),
    )

    @lazy_property
    def request(self) -> AdviceRequest:
        """Data, kernel, target and methods, as the runs take them."""
        scene = self.scene
        data, settings = scene.data, (self.target, self.norm, self.methods, scene.seed)
        return AdviceRequest(data.X, scene.kernel, *settings, data.digest)

    @property
    def budget(self) -> Budget:
        """The largest cost of one approximation."""
        return Budget(self.seconds, self.memory)

    @derived
    def recommendation(self) -> Recommendation:
        """The recommendation from the runs so far."""
        measured_on_all = {record.method: record for record in self.verified if isinstance(record, Verified)}
        ordered = rank_candidates(self.request, self.budget, self.screened, measured_on_all)
        floor = next((record for record in self.verified if isinstance(record, Floor)), None)
        widths = self.widths if self.is_done("widths") else ()
        ascending = tuple(sorted(widths, key=lambda width: width.sigma))
        return Recommendation(self.request, self.budget, ordered, floor, ascending)

    @derived
    def prediction(self) -> Prediction | None:
        """The advised bandwidth and landmarks from the losses so far."""
        return advised([*self.losses, *self.extended])

    @property
    def better_width(self) -> Width | None:
        """A bandwidth at which K can be copied when no method meets the target at the present one."""
        recommendation = self.recommendation
        return recommendation.wider() if recommendation.best is None else None

    @property
    def advice(self) -> "Advice | None":
        """The method, landmarks and bandwidth of the answer; None without an answer, or before it."""
        sigma = sigma_of(self.scene.kernel)
        if self.goal == "predict":
            prediction = self.prediction
            return None if prediction is None else Advice(METHOD, prediction.m, sigma and prediction.sigma)
        if not self.recommendation.candidates:
            return None
        best, width = self.recommendation.best, self.better_width
        if best is not None:
            return Advice(best.method, best.m, sigma)
        return None if width is None else Advice(METHOD, width.m or width.most_tried, width.sigma)

    @property
    def advised_multiple(self) -> float | None:
        """The advised bandwidth's multiple of the default width, or of 1 if equal rows suggest none.

        None where the present bandwidth is advised, and without one.
        """
        if self.advice is None or (sigma := self.advice.sigma) is None:
            return None
        if is_same(sigma, sigma_of(self.scene.kernel)):
            return None
        return 2.0 * sigma**2 / (width_of(self.scene.data) or 1.0)

    @property
    def advised_settings(self) -> str:
        """The settings of the advice in words: the method of a copy, σ if it is advised, and m."""
        if (advice := self.advice) is None:
            return ""
        names = [METHODS[advice.method].brief] if self.goal == "copy" else []
        if advice.sigma is not None and (self.goal == "predict" or self.advised_multiple is not None):
            names.append(f"σ = {three_digits(advice.sigma)}")
        return ", ".join((*names, f"m = {advice.m}"))

    @property
    def answer(self) -> str:
        """Name method and m for a copy of K, or σ and m for predicting."""
        if self.goal == "predict":
            return self._answer_predicting() if self.has("losses") else ""
        if not self.has("screened"):
            return ""
        if not self.recommendation.candidates:
            return WAITING
        return re.sub("^Take (.*?):", r"Take **\1**:", sentence(self.recommendation))

    def _answer_predicting(self) -> str:
        prediction = self.prediction
        if prediction is None:
            return WAITING
        sigma, present = sigma_of(self.scene.kernel), self._present
        bandwidth = "" if sigma is None else f"σ = {three_digits(prediction.sigma)}, "
        text = f"Take **{bandwidth}m = {prediction.m}** ({METHODS[METHOD].label}): "
        text += self._say_loss(prediction.losses)
        if present is not None and present is not prediction.losses:
            loss = three_digits(present.at(prediction.m)[0])
            text += (
                f", against {loss} with as many landmarks at the present σ = {three_digits(present.sigma)}"
            )
        text += "."
        if prediction.m == prediction.losses.ms[0]:
            text += f" Fewer than {counted(prediction.m, 'landmark')} were not tried."
        elif prediction.m == prediction.losses.ms[-1]:
            text += f" More than {prediction.m} landmarks were not tried."
        if prediction.end and self.is_done("losses") and self.is_at_rest("extended"):
            text += f" The smallest loss is at the {prediction.end} σ that was tried."
        return text

    def _say_loss(self, losses: Losses) -> str:
        prediction = self.prediction
        value, error = losses.at(prediction.m if prediction is not None else losses.ms[-1])
        return f"{self.loss_name} {three_digits(value)} ± {error:.2g}"

    @property
    def loss_name(self) -> str:
        """The name of the loss: the share of wrong classes, or the squared error."""
        return LOSSES[self.scene.data.task or "classification"]

    @property
    def _present(self) -> Losses | None:
        """The losses at the present bandwidth."""
        sigma = sigma_of(self.scene.kernel)
        return next((losses for losses in self.losses if is_same(losses.sigma, sigma)), None)

    @property
    def numbers(self) -> NumberTable | None:
        """The candidates in order, those that meet target and budget first; or the bandwidths, ascending."""
        if self.goal == "predict":
            return self._numbers_predicting() if self.has("losses") else None
        if not self.has("screened"):
            return None
        rows, recommendation = list[Row](), self.recommendation
        for candidate in recommendation.candidates:
            # In parentheses: more landmarks are not allowed or were not tried; an error is only expected.
            name = METHODS[candidate.method].brief
            name = f"<b>{name}</b>" if candidate is recommendation.best else name
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

    def _numbers_predicting(self) -> NumberTable:
        prediction, rows = self.prediction, list[Row]()
        for losses in self._ascending_losses():
            enough = None if prediction is None else losses.enough(prediction.limit)
            cells = [
                "–" if math.isnan(losses.sigma) else three_digits(losses.sigma),
                three_digits(losses.values[-1]),
                "–" if enough is None else str(enough),
            ]
            if prediction is not None and losses is prediction.losses:
                cells = [f"<b>{cell}</b>" for cell in cells]
            rows.append((Label(cells[0], "tried_sigma"), *cells[1:]))
        loss = Label(f"{self.loss_name}, m = {counts(self.scene.data.n)[-1]}", "tried_loss")
        return NumberTable([Label("σ", "tried_sigma"), loss, Label("fewest m", "tried_m")], rows)

    def _ascending_losses(self) -> list[Losses]:
        return sorted([*self.losses, *self.extended], key=lambda losses: losses.sigma)

    @property
    def notes(self) -> Sequence[str]:
        """Say where K is small and needs no approximation, and which rows were learned from."""
        n, notes = self.scene.data.n, list[str]()
        if n <= FEW_ROWS:
            notes.append(f"{counted(n, 'row')} need no approximation: all of K takes {in_bytes(8 * n * n)}.")
        if self.goal == "predict" and n > LEARNING_ROWS:
            notes.append(f"Losses are those of {grouped(LEARNING_ROWS)} random rows of {grouped(n)}.")
        return notes

    @property
    def pipeline(self) -> str:
        """Code that uses the recommendation in scikit-learn; empty where nothing is recommended."""
        if (advice := self.advice) is None:
            return ""
        kernel, seed, method, m = self.scene.kernel, self.scene.seed, advice.method, advice.m
        if advice.sigma is not None and advice.sigma != sigma_of(kernel):
            kernel = replace(kernel, sigma=advice.sigma)  # type: ignore[call-arg]
        features = feature_code(kernel, method, m, seed)
        write = copy_code if self.goal == "copy" else prediction_code
        return write(self.scene, features)

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments, without ``methods`` if they are the default."""
        is_first = self.methods == default_methods(self.scene)
        return {**super().arguments(), "methods": None if is_first else self.methods}

    def run_rows(self) -> list[dict[str, object]]:
        """Return runs on parts of the rows, each curve, and what was measured on all rows; or the losses."""
        if self.goal == "predict":
            return self._rows_of_losses()
        if not self.screened:
            return []
        scene, norm, rows = self.scene, self.norm, list[dict[str, object]]()
        for run in sorted(self.screened, key=lambda run: (run.method, run.size, run.repeat, run.m)):
            begin = head(scene, method=run.method, m=run.m, repeat=run.repeat, part=run.size)
            outer = None if math.isnan(run.outer) else run.outer
            rows += measured(begin, {f"inner_{norm}": run.inner, f"outer_{norm}": outer})
        candidates = self.recommendation.candidates
        for candidate in candidates:
            curve = candidate.curve
            for m, value, low, high in zip(curve.ms, curve.value, curve.low, curve.high, strict=True):
                ends = {"expected": float(value), "expected_low": float(low), "expected_high": float(high)}
                rows += measured(head(scene, method=curve.method, m=int(m)), ends)
        for candidate in candidates:
            if candidate.verified is not None:
                values = {f"relative_{norm}": candidate.verified.error.value}
                rows += measured(head(scene, method=candidate.method, m=candidate.m), values)
        return rows

    def _rows_of_losses(self) -> list[dict[str, object]]:
        rows = list[dict[str, object]]()
        for losses in self._ascending_losses():
            for m, value, error in zip(losses.ms, losses.values, losses.errors, strict=True):
                begin = head(self.scene, method=METHOD, m=m)
                if not math.isnan(losses.sigma):
                    begin["sigma"] = losses.sigma
                rows += measured(begin, {"loss": value, "loss_se": error})
        return rows

    def _explain_errors(self) -> str:
        recommendation = self.recommendation
        text = "Each line is a method: the error to expect with m landmarks. Lower is better; below the "
        text += "dashed level the target is met."
        if recommendation.best is not None:
            text += " The largest circle is recommended."
        if any(candidate.verified is not None for candidate in recommendation.candidates):
            text += " An empty circle was measured on all rows."
        return text + (
            " The best rank m has the smallest error of any matrix of rank m."
            if recommendation.floor is not None
            else ""
        )

    @chart(
        "screened",
        adds=("verified",),
        caption=_explain_errors,
    )
    def errors(self) -> go.Figure:
        """Draw expected errors against the number of landmarks, with the target and what is recommended."""
        recommendation, lines = self.recommendation, []
        for candidate in recommendation.candidates:
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
        return error_chart(lines, recommendation, self.sheet("Expected error against landmarks", subtitle))

    @chart(
        "widths",
        caption=(
            "Each point is a bandwidth: how many landmarks it needs to copy its K to the target; fewer is "
            "cheaper. A wide kernel is always cheap to copy, and need not predict well."
        ),
    )
    def bandwidths(self) -> go.Figure:
        """Draw the needed landmarks against the bandwidth."""
        widths = sorted(self.widths, key=lambda width: width.sigma)
        sigma = sigma_of(self.scene.kernel) or math.nan
        short = "; △ not enough" if any(width.m is None for width in widths) else ""
        subtitle = f"{METHODS[METHOD].brief}, mean error {self.target:g}{short}"
        sheet = self.sheet("Landmarks needed by bandwidth", subtitle)
        max_landmarks = self.request.most_landmarks(self.request.sizes[-1])
        points = [(width, width_hover(width)) for width in widths]
        # The axis is as wide from the first drawing on as it will be at the end.
        sigmas = [*width_sigmas(self.request), sigma]
        return bandwidth_chart(points, max_landmarks, sigma, (min(sigmas) / 1.25, max(sigmas) * 1.25), sheet)

    @chart(
        "losses",
        adds=("extended",),
        when=lambda study: sigma_of(study.scene.kernel) is not None,
        caption=(
            "Each point is a bandwidth: how badly it predicts, with equally many landmarks for all, so lower "
            "is better. Points below the dashed level are within one standard error of the best, and the "
            "widest of them is advised."
        ),
    )
    def loss_by_bandwidth(self) -> go.Figure:
        """Draw the losses against the bandwidth, all with equally many landmarks."""
        prediction, points = self.prediction, list[tuple[Losses, str]]()
        for losses in self._ascending_losses():
            text = f"σ = {three_digits(losses.sigma)}, m = {losses.ms[-1]}<br>{self.loss_name} "
            text += f"{three_digits(losses.values[-1])} ± {losses.errors[-1]:.2g}"
            points.append((losses, text))
        sigma = sigma_of(self.scene.kernel) or math.nan
        marked = [("now", sigma)]
        if prediction is not None:
            same = is_same(prediction.sigma, sigma)
            marked = [("advised, now", sigma)] if same else [*marked, ("advised", prediction.sigma)]
        sigmas = [*prediction_sigmas(self.scene.data, self.scene.kernel), sigma]
        sigmas += [losses.sigma for losses, _ in points]
        m = counts(self.scene.data.n)[-1]
        subtitle = f"{self.scene.subtitle}; m = {m}; whiskers: one standard error"
        sheet = self.sheet("How badly each bandwidth predicts", subtitle)
        ends = min(sigmas) / 1.25, max(sigmas) * 1.25
        limit = None if prediction is None else prediction.limit
        return loss_chart(points, limit, marked, ends, self.loss_name, sheet)

    @chart(
        "losses",
        adds=("extended",),
        when=lambda study: study.prediction is not None,
        caption=(
            "The advised bandwidth with fewer landmarks; lower is better. The circle is the smallest m from "
            "which on the line stays below the dashed level, one standard error above the smallest loss."
        ),
    )
    def loss_by_landmarks(self) -> go.Figure:
        """Draw the loss at the advised bandwidth against the landmarks."""
        prediction = self.prediction
        assert prediction is not None
        losses = prediction.losses
        hover = [
            f"m = {m}<br>{self.loss_name} {three_digits(value)} ± {error:.2g}"
            for m, value, error in zip(losses.ms, losses.values, losses.errors, strict=True)
        ]
        width = "" if math.isnan(prediction.sigma) else f", σ = {three_digits(prediction.sigma)}"
        subtitle = f"{METHODS[METHOD].brief}{width}; band: one standard error"
        sheet = self.sheet("Landmarks needed to predict", subtitle)
        y, errors = np.array(losses.values), np.array(losses.errors)
        x = np.array(losses.ms, dtype=np.float64)
        # A log axis has no place at or below 0.
        low = np.maximum(y - errors, 1e-3 * y)
        line = Line(METHOD, METHODS[METHOD].brief, x, y, low, y + errors, hover)
        return count_chart(line, prediction.m, prediction.limit, self.loss_name, sheet)


@dataclass(frozen=True)
class Advice:
    """The settings of the answer: method, number of landmarks, and σ, None for a kernel without one."""

    method: str
    m: int
    sigma: float | None


def width_hover(width: Width) -> str:
    """Return the hover text of a bandwidth."""
    m = f"more than {width.most_tried}" if width.m is None else width.m
    times = f"{three_digits(width.multiple)} times the present σ"
    return f"σ = {three_digits(width.sigma)}, {times}<br>needed in the mean: m = {m}"
