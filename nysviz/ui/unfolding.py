"""Show a study on its page: ask for its parts in their order, and draw at once what they make possible."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
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

    ``then`` draws what is the page's own, such as buttons, as soon as the part of this name is there.
    """

    answer: DeltaGenerator
    numbers: DeltaGenerator
    notes: DeltaGenerator
    charts: Mapping[str, DeltaGenerator]
    then: Mapping[str, Callable[[], object]] = field(default_factory=dict)

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
        self.written: dict[str, object] = {}
        self.noted: dict[str, str] = {}  # note → the runs beside which it was written, if any

    def go_on(self, name: str = "") -> None:
        """Draw what the part of this name, or what is there without any, makes possible."""
        if name:
            self.asked.append(name)
        self._write()
        if name in self.places.then and self.study.has(name):
            self.places.then[name]()
        for chart in self.places.charts:
            if chart not in self.drawn and self.study.charts[chart].is_ready(self.study, self.asked):
                self.drawn.add(chart)
                with self.places.charts[chart]:
                    self._show(chart)

    def again(self, name: str, records: Sequence[Any] = ()) -> None:
        """Draw anew what the runs of this name have changed."""
        self._write(name)
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

    def _write(self, runs: str = "") -> None:
        """Write the answer, the numbers and the notes, each where it has changed.

        Beside these runs all of it: a fragment that is drawn again loses what it does not write again.
        """
        study, places = self.study, self.places
        if (text := study.answer) and (runs or text != self.written.get("answer")):
            places.answer.markdown(page.unbroken(text))
            self.written["answer"] = text
        if (numbers := study.numbers) is not None and (runs or numbers != self.written.get("numbers")):
            places.numbers.html(number_table(*numbers))
            self.written["numbers"] = numbers
        for note in study.notes:
            is_new = note not in self.noted
            if is_new or (runs and self.noted[note] == runs):
                places.notes.caption(page.unbroken(note))
                self.noted[note] = runs


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
            # Needed parts that follow one another are asked for together.
            is_short = True
            continue
        if value is not None:
            study.computed[name] = value
        drawing.go_on(name)
    if is_short:
        return
    page.close(study, text)
