"""Show a study on its page: ask for its parts in their order, and draw at once what they make possible."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from nysviz.figures.drawing import with_layout
from nysviz.studies.html import NumberTable
from nysviz.studies.study import ByMethod, Part, Runs, Study
from nysviz.ui import page, trying
from nysviz.ui.asking import ask, sentences
from nysviz.ui.glossary import explanation
from nysviz.ui.running import show_progress, watch


@dataclass(frozen=True)
class Places:
    """Where a page has the answer, the numbers, the notes and each chart of its study.

    ``clicks`` has what is called when somebody clicks a point of a chart, ``marks`` what tells the browser to
    which stop of a slider a chart belongs; ``then`` draws what is the page's
    own, such as buttons, as soon as the part of this name is there, and with each record of runs.
    """

    answer: DeltaGenerator
    numbers: DeltaGenerator
    notes: DeltaGenerator
    charts: Mapping[str, DeltaGenerator]
    clicks: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    marks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    then: Mapping[str, Callable[[], object]] = field(default_factory=dict)

    @cached_property
    def answer_slot(self) -> DeltaGenerator:
        """Where the answer is written again and again; the last drawing's stays until then."""
        return self.answer.empty()

    @cached_property
    def numbers_slot(self) -> DeltaGenerator:
        """Where the numbers are written again and again; made as that of the answer."""
        return self.numbers.empty()

    def of(self, part: Part[Any], study: Study) -> DeltaGenerator:
        """Return the place of a part's progress: that of the first chart that is drawn from it."""
        for name, place in self.charts.items():
            if part.name in study.charts[name].parts:
                return place
        return self.notes


class _Drawing:
    """What has been drawn of a study, in one drawing of its page."""

    def __init__(self, study: Study, places: Places) -> None:
        self.study, self.places = study, places
        self.asked: list[str] = []
        self.drawn: set[str] = set()
        self.answer: str | None = None
        self.numbers: NumberTable | None = None
        self.notes: set[str] = set()

    def go_on(self, name: str = "") -> None:
        """Draw what the part of this name, or what is there without any, makes possible."""
        if name:
            self.asked.append(name)
        self.study.look()
        self._write()
        self._note()
        if name in self.places.then and self.study.has(name):
            self.places.then[name]()
        for chart in self.places.charts:
            if not self._waits(chart):
                self._draw(chart)

    def end(self) -> None:
        """Draw the charts that wait for runs which this drawing does not come to."""
        for chart in self.places.charts:
            self._draw(chart)

    def _waits(self, chart: str) -> bool:
        """Whether a later part adds to this chart: it is drawn with what there is of all of them."""
        later = [self.study.parts[name] for name in self.study.charts[chart].adds if name not in self.asked]
        return any(part.when(self.study) for part in later)

    def _draw(self, name: str) -> None:
        if name not in self.drawn and self.study.charts[name].is_ready(self.study, self.asked):
            with self.places.charts[name]:
                self._show(name)

    def follow(self, part: Runs) -> None:
        """Draw the study with the records of runs that there are; a refusal is shown in their place."""
        with sentences():
            self.study.computed[part.name] = run = part.begin(self.study)
            shown = watch(run, beside=part.beside)
            if not shown.is_last:
                self.study.under_way.add(part.name)
            self.go_on(part.name)
            show_progress(run, part.label(self.study), shown)

    def _show(self, name: str) -> None:
        self.drawn.add(name)
        chart = self.study.charts[name]
        figure = chart.draw(self.study)
        if name in self.places.marks:
            figure = with_layout(figure, meta=self.places.marks[name])
        clicks, caption = self.places.clicks.get(name), chart.caption(self.study)
        page.show(figure, name, chart.alt(self.study), clicks, caption)

    def _write(self) -> None:
        """Write the answer and the numbers, each where it has changed."""
        answer, numbers = self._answer(), self.study.numbers
        if answer and answer != self.answer:
            self.places.answer_slot.markdown(page.unbroken(answer))
        if numbers is not None and numbers != self.numbers:
            self.places.numbers_slot.html(numbers.as_html(explanation))
        self.answer, self.numbers = answer, numbers

    def _answer(self) -> str:
        """Return the answer, which is one by now while runs that it rests on are coming."""
        answer, parts = self.study.answer, self.study.parts
        # What comes after what visitors wait for changes no answer, and an answer has a number in bold.
        if "**" not in answer or all(parts[name].beside for name in self.study.under_way):
            return answer
        return f"So far: {answer[0].lower()}{answer[1:]}"

    def _note(self) -> None:
        """Write the notes that are new."""
        for note in self.study.notes:
            if note not in self.notes:
                self.places.notes.caption(page.unbroken(note))
                self.notes.add(note)


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
        place = places.of(part, study)
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
            name for name, each in study.charts.items() if {*each.needs} & {*elsewhere}
        ]
        page.close(study, text, names)


def _value(part: Part[Any], study: Study) -> Any:
    """Ask for a part: its value, or None while it is not there."""

    def ask_for(*method: str) -> Any:
        return ask(
            part.compute,
            *part.arguments(study),
            *method,
            what=part.label(study, *method),
            beside=part.beside,
            seconds=part.seconds(study),
        )

    if not isinstance(part, ByMethod):
        return ask_for()
    values = {method: ask_for(method) for method in part.methods(study)}
    return {method: value for method, value in values.items() if value is not None}
