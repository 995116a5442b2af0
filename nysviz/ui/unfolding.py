"""Show a study on its page: ask for its parts in their order, and draw at once what they make possible."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from nysviz.studies.html import number_table
from nysviz.studies.study import Part, Runs, Study
from nysviz.ui import page
from nysviz.ui.asking import ask, sentences
from nysviz.ui.running import follow


@dataclass(frozen=True)
class Places:
    """Where a page has the answer, the numbers, the notes and each chart of its study.

    Answer and numbers are written again and again, so that their places are empty ones (``st.empty``).
    """

    answer: DeltaGenerator
    numbers: DeltaGenerator
    notes: DeltaGenerator
    charts: Mapping[str, DeltaGenerator]

    def of(self, part: Part[Any], study: Study) -> DeltaGenerator:
        """Return the place of a part's progress: that of the first chart that it is needed for."""
        for name, place in self.charts.items():
            if part.name in study.charts[name].needs + study.charts[name].uses:
                return place
        return self.notes


class _Drawing:
    """What has been drawn of a study, in one drawing of its page."""

    def __init__(self, study: Study, places: Places) -> None:
        self.study, self.places = study, places
        self.asked: list[str] = []
        self.drawn: set[str] = set()
        # Notes that stand for good, and those that follow runs.
        self.notes: set[str] = set()
        self.moving_notes: set[str] = set()

    def go_on(self, name: str = "") -> None:
        """Draw what the part of this name, or what is there without any, makes possible."""
        if name:
            self.asked.append(name)
        self.notes |= self._write(self.places.notes, self.notes | self.moving_notes)
        for chart in self.places.charts:
            if chart not in self.drawn and self.study.charts[chart].is_ready(self.study, self.asked):
                self.drawn.add(chart)
                with self.places.charts[chart]:
                    self._show(chart)

    def again(self, name: str, records: Sequence[Any] = ()) -> None:
        """Draw anew what the runs of this name have changed, in the fragment that follows them.

        Its next drawing takes away what this one writes and that one does not, and can fill only the places
        that were filled in the first one: each time all of it is written, without any record too.
        """
        self.moving_notes |= self._write(self.places.notes.container(), self.notes)
        here = self.places.of(self.study.parts[name], self.study)
        for chart, place in self.places.charts.items():
            each = self.study.charts[chart]
            if name in each.needs + each.uses and each.is_ready(self.study, self.asked):
                self.drawn.add(chart)
                # Above the progress of the runs, which is drawn at the same place.
                with nullcontext() if place is here else place:
                    self._show(chart)

    def _show(self, name: str) -> None:
        chart = self.study.charts[name]
        page.show(chart.draw(self.study), name, chart.alt(self.study))

    def _write(self, place: DeltaGenerator, written: set[str]) -> set[str]:
        """Write the answer and the numbers, and at a place the notes but for those written; return these."""
        study = self.study
        if text := study.answer:
            self.places.answer.markdown(page.unbroken(text))
        if (numbers := study.numbers) is not None:
            self.places.numbers.html(number_table(*numbers))
        notes = [note for note in study.notes if note not in written]
        for note in notes:
            place.caption(page.unbroken(note))
        return {*notes}


def unfold(study: Study, places: Places, text: str) -> None:
    """Show a study part by part; ``text`` names what explains it below."""
    drawing = _Drawing(study, places)
    drawing.go_on()
    for name, part in study.parts.items():
        if not part.when(study):
            drawing.go_on(name)
            continue
        with places.of(part, study):
            if isinstance(part, Runs):
                study.computed[name] = run = part.begin(study)
                drawing.asked.append(name)
                with sentences():
                    follow(run, partial(drawing.again, name), part.label(study), beside=part.beside)
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
