"""Show a study on its page: ask for its parts in their order, and draw at once what they make possible."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from nysviz.studies.html import NumberTable
from nysviz.studies.study import Part, Runs, Study
from nysviz.ui import page
from nysviz.ui.asking import ask, sentences
from nysviz.ui.running import Draw, follow
from nysviz.ui.streamlit_private import fragment_here, redraw


@dataclass(frozen=True)
class Places:
    """Where a page has the answer, the numbers, the notes and each chart of its study."""

    answer: DeltaGenerator
    numbers: DeltaGenerator
    notes: DeltaGenerator
    charts: Mapping[str, DeltaGenerator]

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
        self._write()
        self.note()
        for chart in self.places.charts:
            if chart not in self.drawn and self.study.charts[chart].is_ready(self.study, self.asked):
                self.drawn.add(chart)
                with self.places.charts[chart]:
                    self._show(chart)

    def begin(self, name: str, place: DeltaGenerator) -> Draw:
        """Return what draws the runs of this name, which are followed at this place.

        A chart of more than one run is drawn with the last that there is by now.
        """
        self.asked.append(name)
        later = [part for part in self.study.parts.values() if part.name not in self.asked]
        later = [part for part in later if isinstance(part, Runs) and part.when(self.study)]
        names = []
        for chart in self.places.charts:
            each = self.study.charts[chart]
            if name not in each.parts or not each.is_ready(self.study, self.asked):
                continue
            if chart in self.followed:
                # The runs before these have ended while they were drawn.
                redraw(fragment_here())
            self.drawn.add(chart)
            if not any(part.name in each.parts for part in later):
                names.append(chart)
        self.followed.update(names)
        return partial(self._again, names, place)

    def _again(self, names: Sequence[str], place: DeltaGenerator, records: Sequence[Any]) -> None:
        """Draw anew what runs have changed.

        A live part of a page can write only where it has from its beginning, and what it does not write again
        is gone.
        """
        if not self.study.answer:
            self.places.answer.empty()
        if self.study.numbers is None:
            self.places.numbers.empty()
        self.answer = self.numbers = None
        self._write()
        for name in names:
            with nullcontext() if self.places.charts[name] is place else self.places.charts[name]:
                self._show(name)

    def _show(self, name: str) -> None:
        chart = self.study.charts[name]
        page.show(chart.draw(self.study), name, chart.alt(self.study))

    def _write(self) -> None:
        """Write the answer and the numbers, each where it has changed."""
        answer, numbers = self.study.answer, self.study.numbers
        if answer and answer != self.answer:
            self.places.answer.markdown(page.unbroken(answer))
        if numbers is not None and numbers != self.numbers:
            self.places.numbers.html(numbers.as_html())
        self.answer, self.numbers = answer, numbers

    def note(self) -> None:
        """Write the notes that are new."""
        for note in self.study.notes:
            if note not in self.notes:
                self.places.notes.caption(page.unbroken(note))
                self.notes.add(note)


def unfold(study: Study, places: Places, text: str) -> None:
    """Show a study part by part; ``text`` names what explains it below."""
    drawing = _Drawing(study, places)
    drawing.go_on()
    for name, part in study.parts.items():
        if not part.when(study):
            drawing.go_on(name)
            continue
        place = places.of(part, study)
        with place:
            if isinstance(part, Runs):
                with sentences():
                    study.computed[name] = run = part.begin(study)
                    follow(run, drawing.begin(name, place), part.label(study), beside=part.beside)
                if part.needed and not study.has(name):
                    return
                drawing.note()
                continue
            question = part.arguments(study)
            value = ask(
                part.compute,
                *question,
                what=part.label(study),
                beside=part.beside,
                seconds=part.seconds(study),
            )
        if value is None and part.needed:
            return
        if value is not None:
            study.computed[name] = value
        drawing.go_on(name)
    page.close(study, text)
