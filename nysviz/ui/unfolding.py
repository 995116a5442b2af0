"""Show a study on its page: ask for its parts in order, and draw each chart as soon as it can be drawn."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from nysviz.figures.drawing import with_layout
from nysviz.lazy import lazy_property
from nysviz.studies.html import NumberTable
from nysviz.studies.study import ByMethod, Part, Runs, Study
from nysviz.ui import page, trying
from nysviz.ui.asking import ask, sentences
from nysviz.ui.glossary import explanation
from nysviz.ui.running import show_progress, watch


@dataclass(frozen=True)
class Places:
    """The places of a page for the answer, the numbers, the notes and each chart of its study.

    ``clicks`` has functions to call when a point of a chart is clicked, ``marks`` layout entries that tell
    the browser to which stop of a slider a chart belongs. ``then`` has functions that draw the page's own
    buttons and tables as soon as the part of this name is there, and with each record of runs.
    """

    answer: DeltaGenerator
    numbers: DeltaGenerator
    notes: DeltaGenerator
    charts: Mapping[str, DeltaGenerator]
    clicks: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    marks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    then: Mapping[str, Callable[[], object]] = field(default_factory=dict)

    @lazy_property
    def answer_slot(self) -> DeltaGenerator:
        """The slot of the answer, which each drawing overwrites."""
        return self.answer.empty()

    @lazy_property
    def numbers_slot(self) -> DeltaGenerator:
        """The slot of the numbers, which each drawing overwrites."""
        return self.numbers.empty()

    def progress_place(self, part: Part[Any], study: Study) -> DeltaGenerator:
        """Return the place of a part's progress: that of the first chart drawn from it."""
        for name, place in self.charts.items():
            if part.name in study.charts[name].parts:
                return place
        return self.notes


class _Drawing:
    """The parts of a study that one drawing of its page has drawn."""

    def __init__(self, study: Study, places: Places) -> None:
        self.study, self.places = study, places
        self.requested_parts: list[str] = []
        self.drawn_charts: set[str] = set()
        self.answer: str | None = None
        self.numbers: NumberTable | None = None
        self.written_notes: set[str] = set()

    def go_on(self, name: str = "") -> None:
        """Draw all that the part of this name makes possible, or that needs no part."""
        if name:
            self.requested_parts.append(name)
        self.study.forget_records()
        self._write()
        self._note()
        if name in self.places.then and self.study.has(name):
            self.places.then[name]()
        for chart in self.places.charts:
            if not self._waits(chart):
                self._draw(chart)

    def end(self) -> None:
        """Draw the charts that wait for runs which this drawing does not reach."""
        for chart in self.places.charts:
            self._draw(chart)

    def _waits(self, chart: str) -> bool:
        """Whether a later part adds to this chart, which is then drawn with that part."""
        later = [
            self.study.parts[name]
            for name in self.study.charts[chart].adds
            if name not in self.requested_parts
        ]
        return any(part.when(self.study) for part in later)

    def _draw(self, name: str) -> None:
        chart = self.study.charts[name]
        if name not in self.drawn_charts and chart.is_ready(self.study, self.requested_parts):
            with self.places.charts[name]:
                self._show(name)

    def follow(self, part: Runs) -> None:
        """Draw the study with the records of runs so far; a refusal is shown in their place."""
        with sentences():
            self.study.computed[part.name] = run = part.begin(self.study)
            snapshot = watch(run, beside=part.beside)
            if not snapshot.is_last:
                self.study.under_way.add(part.name)
            self.go_on(part.name)
            show_progress(run, part.label(self.study), snapshot)

    def _show(self, name: str) -> None:
        self.drawn_charts.add(name)
        chart = self.study.charts[name]
        figure = chart.draw(self.study)
        if name in self.places.marks:
            figure = with_layout(figure, meta=self.places.marks[name])
        clicks, caption = self.places.clicks.get(name), chart.caption(self.study)
        page.show(figure, name, chart.alt(self.study), clicks, caption)

    def _write(self) -> None:
        """Write the answer and the numbers, each if it has changed."""
        answer, numbers = self._answer(), self.study.numbers
        if answer and answer != self.answer:
            self.places.answer_slot.markdown(page.unbroken(answer))
        if numbers is not None and numbers != self.numbers:
            self.places.numbers_slot.html(numbers.as_html(explanation))
        self.answer, self.numbers = answer, numbers

    def _answer(self) -> str:
        """Return the answer, marked as preliminary while runs that it rests on are under way."""
        answer, parts = self.study.answer, self.study.parts
        # Parts beside the answer do not change it, and an answer has a number in bold.
        if "**" not in answer or all(parts[name].beside for name in self.study.under_way):
            return answer
        return f"So far: {answer[0].lower()}{answer[1:]}"

    def _note(self) -> None:
        """Write the notes that are new."""
        for note in self.study.notes:
            if note not in self.written_notes:
                self.places.notes.caption(page.unbroken(note))
                self.written_notes.add(note)


def unfold(study: Study, places: Places, text: str = "", elsewhere: Collection[str] = ()) -> None:
    """Show a study part by part; ``text`` names the file of ``texts`` that explains it below.

    The parts ``elsewhere`` are computed and drawn by the page itself.
    """
    drawing = _Drawing(study, places)
    drawing.go_on()
    is_short = False
    for name, part in study.parts.items():
        if is_short and not part.needed:
            break
        if name in elsewhere:
            continue
        if not part.when(study):
            drawing.go_on(name)
            continue
        place = places.progress_place(part, study)
        with place:
            if isinstance(part, Runs):
                drawing.follow(part)
                is_short |= part.needed and not study.has(name)
                continue
            value = _value(part, study)
        if value is None and part.needed:
            # Needed parts that follow one another are asked for together.
            is_short = True
            continue
        if value is not None:
            study.computed[name] = value
        drawing.go_on(name)
    drawing.end()
    if is_short:
        trying.draw(only_open=True)
    else:
        names = study.chart_names + [
            name for name, chart in study.charts.items() if {*chart.needs} & {*elsewhere}
        ]
        page.close(study, text, names)


def _value(part: Part[Any], study: Study) -> Any:
    """Ask for a part; return its value, or None while it is computed."""

    def ask_for(*method: str) -> Any:
        return ask(
            part.compute,
            *part.arguments(study),
            *method,
            label=part.label(study, *method),
            beside=part.beside,
            seconds=part.seconds(study),
        )

    if not isinstance(part, ByMethod):
        return ask_for()
    values = {method: ask_for(method) for method in part.methods(study)}
    return {method: value for method, value in values.items() if value is not None}
