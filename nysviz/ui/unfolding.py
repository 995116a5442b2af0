"""Show a study on its page: ask for its parts in their order, and draw at once what they make possible."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from nysviz.studies.html import NumberTable
from nysviz.studies.study import ByMethod, Part, Runs, Study
from nysviz.ui import page
from nysviz.ui.asking import ask, sentences
from nysviz.ui.glossary import explanation
from nysviz.ui.running import Draw, at_rest, follow
from nysviz.ui.streamlit_private import fragment_here, own, redraw


@dataclass(frozen=True)
class Places:
    """Where a page has the answer, the numbers, the notes and each chart of its study.

    Answer and numbers are written again and again, so that their places are empty ones (``st.empty``).
    ``clicks`` has what is called when somebody clicks a point of a chart; ``then`` draws what is the page's
    own, such as buttons, as soon as the part of this name is there, and with each record of runs.
    """

    answer: DeltaGenerator
    numbers: DeltaGenerator
    notes: DeltaGenerator
    charts: Mapping[str, DeltaGenerator]
    clicks: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    then: Mapping[str, Callable[[], object]] = field(default_factory=dict)

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
        self.followed: set[str] = set()  # charts that runs have drawn
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
        for chart, place in self.places.charts.items():
            each = self.study.charts[chart]
            # A chart that runs under way draw again and again is left to them from its beginning.
            is_theirs = chart in self.followed and not self.study.under_way.isdisjoint(each.parts)
            if chart not in self.drawn and not is_theirs and each.is_ready(self.study, self.asked):
                with place:
                    self._show(chart)

    def follow(self, part: Runs, place: DeltaGenerator) -> None:
        """Draw the study with the records of runs as they come in; a refusal is shown in their place."""
        own(self.places.answer)
        own(self.places.numbers)
        study, name = self.study, part.name
        with sentences():
            study.computed[name] = run = part.begin(study)
            self.asked.append(name)
            if not at_rest(run):
                study.under_way.add(name)
            follow(run, self._draw_with(name, place), part.label(study), beside=part.beside)
            if at_rest(run):
                study.under_way.discard(name)
            self.go_on()

    def _draw_with(self, name: str, place: DeltaGenerator) -> Draw:
        """Return what draws the runs of this name, which are followed at this place.

        A chart of more than one run is drawn with the last that there is by now.
        """
        later = [part for part in self.study.parts.values() if part.name not in self.asked]
        later = [part for part in later if isinstance(part, Runs) and part.when(self.study)]
        charts = []
        for chart in self.places.charts:
            each = self.study.charts[chart]
            if name not in each.parts or not each.has_parts(self.study, self.asked):
                continue
            if chart in self.followed:
                # The runs before these have ended while they were drawn.
                redraw(fragment_here())
            if any(part.name in each.parts for part in later):
                self.drawn.add(chart)
            else:
                self.drawn.discard(chart)
                charts.append(chart)
        self.followed.update(charts)
        return partial(self._again, name, charts, place)

    def _again(self, name: str, charts: Sequence[str], place: DeltaGenerator, records: Sequence[Any]) -> None:
        """Draw anew what runs have changed.

        A live part of a page can write only where it has from its beginning, and what it does not write again
        is gone.
        """
        self.study.look()
        if not self.study.answer:
            self.places.answer.empty()
        if self.study.numbers is None:
            self.places.numbers.empty()
        self.answer = self.numbers = None
        self._write()
        for chart in charts:
            elsewhere = self.places.charts[chart] if self.places.charts[chart] is not place else None
            if self.study.charts[chart].is_ready(self.study, self.asked):
                with elsewhere or nullcontext():
                    self._show(chart)
            elif elsewhere:
                elsewhere.empty()
        if name in self.places.then:
            self.places.then[name]()

    def _show(self, name: str) -> None:
        self.drawn.add(name)
        chart = self.study.charts[name]
        figure = chart.draw(self.study)
        clicks, caption = self.places.clicks.get(name), chart.caption(self.study)
        page.show(figure, name, chart.alt(self.study), clicks, caption)

    def _write(self) -> None:
        """Write the answer and the numbers, each where it has changed."""
        answer, numbers = self._answer(), self.study.numbers
        if answer and answer != self.answer:
            self.places.answer.markdown(page.unbroken(answer))
        if numbers is not None and numbers != self.numbers:
            self.places.numbers.html(numbers.as_html(explanation))
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


def unfold(study: Study, places: Places, text: str = "") -> None:
    """Show a study part by part; ``text`` names the file of ``texts`` that explains it below."""
    drawing = _Drawing(study, places)
    drawing.go_on()
    is_short = False
    for name, part in study.parts.items():
        if is_short and not part.needed:
            return
        if not part.when(study):
            drawing.go_on(name)
            continue
        place = places.of(part, study)
        with place:
            if isinstance(part, Runs):
                drawing.follow(part, place)
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
    if not is_short:
        page.close(study, text)


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
