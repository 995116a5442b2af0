"""A slider that moves one setting of a study: its charts at every stop, in frames that the browser plays."""

import hashlib
import html
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.engine.task import keeping_apart
from nysviz.figures.drawing import titles
from nysviz.refusal import Refusal
from nysviz.studies.study import Study
from nysviz.sweep import Job

TAGS = re.compile(r"<[^<>]*>")
# Stands for the title of the data in frames, which are also those of another visitor's equal numbers: they
# hold no name of anybody's file, columns or classes.
TITLE = "\N{OBJECT REPLACEMENT CHARACTER}"
# What the browser needs of a trace: which one it is, and where its points are.
OF_TRACE = ("name", "xaxis", "mode", "x", "y")


@dataclass(frozen=True)
class ChartFrame:
    """A chart at one stop: its title and subtitle, its traces as plain data, and its notes."""

    titles: tuple[str, str]
    traces: Sequence[dict[str, Any]]
    notes: Sequence[str]


@dataclass(frozen=True)
class StudyFrame:
    """A study at one stop: its answer, the cells of its numbers by their heads, and its charts by name."""

    value: float
    answer: str
    numbers: dict[str, tuple[str, ...]]
    charts: dict[str, ChartFrame]


@dataclass(frozen=True)
class Stops:
    """The slider: which values of ``along`` it has, and the study at each of them.

    ``at`` returns the study at a value, ``name_of`` the value in words, ``parts`` are the parts of the study
    that its charts, answer and numbers are made of. ``holds`` are bytes that a frame takes, ``about``
    says of which rows frames are where not of all. ``cursors`` are charts that are the same at every stop,
    with the function that says where on their x axis a stop is.
    """

    study: Study
    along: str
    label: str
    value: float
    values: tuple[float, ...]
    at: Callable[[float], Study]
    name_of: Callable[[float], str]
    charts: tuple[str, ...]
    parts: tuple[str, ...]
    holds: float
    about: str = ""
    cursors: Mapping[str, Callable[[float], float]] = field(default_factory=dict)

    @property
    def content(self) -> tuple[Hashable, ...]:
        """All that a frame can depend on: the study at any of the stops but for the value."""
        first = self.at(self.values[0])
        scene = first.scene
        settings = repr(first.arguments())
        return "stops", first.name, *scene.content, settings, self.along, self.values, self.charts

    @property
    def token(self) -> str:
        """A short name of the content, by which the browser knows frames and charts that belong together."""
        return hashlib.sha256(repr(self.content).encode()).hexdigest()[:16]

    @property
    def slider(self) -> dict[str, object]:
        """What the browser needs to draw the slider; the frames come by themselves."""
        theme = self.study.theme
        stops = sorted({*self.values, self.value})
        return {
            "token": self.token,
            "along": self.along,
            "stop": _stop_name(self.value),
            "stops": [
                {
                    "name": _stop_name(each),
                    "label": self.name_of(each),
                    "value": each,
                    "cursors": {chart: place(each) for chart, place in self.cursors.items()},
                }
                for each in stops
            ],
            "charts": self.charts,
            "about": self.about,
            "label": f"Drag {self.along}: {self.label}",
            "heading": f"Drag {self.along}, {self.label}",
            "ink": theme.ink,
            "ground": theme.ground,
            "faint": theme.faint,
            "accent": theme.accent,
        }

    def begin(self) -> Run:
        """Return the run whose records are the frames, those nearest to the value first."""

        def make() -> list[Job]:
            near = sorted(self.values, key=lambda each: abs(each - self.value))
            return [
                Job((*self.content, each), self.along, 1.0, partial(self.frame_at, each)) for each in near
            ]

        return engine().run(self.content, make, self.holds)

    def frame_at(self, value: float) -> tuple[StudyFrame, ...]:
        """Return the frame at a value; none where the study refuses it."""
        study = self.at(value)
        scene = study.scene
        study = replace(study, scene=replace(scene, data=replace(scene.data, title=TITLE)), computed={})
        try:
            with keeping_apart():
                for name, part in study.parts.items():
                    if name in self.parts and part.when(study):
                        study.computed[name] = part.complete(study)
                charts = {name: _chart_frame(study, name) for name in self.charts}
                numbers = {} if study.numbers is None else _cells(study.numbers.rows)
        except (Refusal, OverflowError):
            return ()
        return (StudyFrame(value, study.answer.replace("**", ""), numbers, charts),)

    def by_stop(self, frames: Sequence[StudyFrame]) -> dict[str, StudyFrame]:
        """Return frames by the names of their stops."""
        return {_stop_name(frame.value): frame for frame in frames}

    def sent_frames(
        self, frames: Mapping[str, StudyFrame], stops: Collection[str]
    ) -> list[Mapping[str, object]]:
        """Return the frames of these stops as the browser reads them."""

        def sent(chart: ChartFrame) -> dict[str, object]:
            return {"traces": chart.traces, "notes": chart.notes}

        return [
            {"stop": stop, "charts": {name: sent(chart) for name, chart in frames[stop].charts.items()}}
            for stop in stops
        ]

    def words(self, frames: Mapping[str, StudyFrame]) -> dict[str, object]:
        """Return what the page says at each stop."""
        title = self.study.scene.data.title
        words = {
            stop: {
                "answer": frame.answer,
                "spoken": frame.answer.rstrip("."),
                "rows": frame.numbers,
                "titles": {
                    name: [text.replace(TITLE, title) for text in chart.titles]
                    for name, chart in frame.charts.items()
                },
            }
            for stop, frame in frames.items()
        }
        return {"stops": words}

    @property
    def mark(self) -> dict[str, str]:
        """What tells the browser at which stop of which slider a chart is."""
        return {"drag": self.token, "stop": _stop_name(self.value)}


def _stop_name(value: float) -> str:
    return f"{value:.12g}"


def _chart_frame(study: Study, name: str) -> ChartFrame:
    figure = study.charts[name].draw(study)
    plain = figure.to_dict()
    # What only has an entry in the legend stays as it is, and may have the name of a class.
    points = [trace for trace in plain["data"] if trace.get("x") != [None]]
    traces = [{key: trace[key] for key in OF_TRACE if key in trace} for trace in points]
    notes = [note["text"] for note in plain["layout"].get("annotations", ())]
    first, second = (html.unescape(TAGS.sub("", text)) for text in titles(figure))
    return ChartFrame((first, second), traces, notes)


def _cells(rows: Sequence[Sequence[Any]]) -> dict[str, tuple[str, ...]]:
    return {TAGS.sub("", label.text): tuple(cells) for label, *cells in rows}
