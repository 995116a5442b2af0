"""A study: one question with its settings, the parts of its answer, and the charts and numbers made of them.

A study is a frozen dataclass of settings. A notebook computes its parts one after the other, a page as they
come; answer, numbers, rows and charts are made of the parts that are computed so far.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar, overload

import plotly.graph_objects as go

from nysviz.engine import Run
from nysviz.engine.shared import wait_for_run
from nysviz.figures.look import LIGHT, THEMES, Sheet, Theme
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.studies.choice import Choice
from nysviz.studies.html import NumberTable, paragraph
from nysviz.studies.rows import frame_of, of_records
from nysviz.studies.scene import Scene

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
S = TypeVar("S", bound="Study")
Ink = Literal["light", "dark"]
# Fields that a script of the study leaves out.
SHARED_FIELDS = ("scene", "theme", "computed", "under_way", "records_by_part", "derived_values")


class Part(Generic[T]):
    """A part of a study's answer: a shared function, and the study's attributes that are its arguments.

    An argument may be an attribute of an attribute, such as ``choice.method``. ``label`` names the
    computation beside its progress, as a format string that knows ``study``. A part ``beside`` comes after
    what visitors wait for. A part is computed only if ``when(study)`` is true, after the parts before it have
    been requested; without a ``needed`` part the page shows none of the later ones. ``seconds`` is its
    expected time.
    """

    def __init__(
        self,
        compute: Callable[..., T],
        arguments: str,
        label: str,
        *,
        beside: bool = False,
        needed: bool = False,
        when: Callable[[Any], bool] = lambda study: True,
        seconds: Callable[[Any], float] = lambda study: 0.0,
    ) -> None:
        self.compute, self._arguments, self._label = compute, arguments.split(), label
        self.beside, self.needed, self.when, self.seconds = beside, needed, when, seconds

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, study: None, owner: type) -> Self: ...
    @overload
    def __get__(self, study: "Study", owner: type) -> T: ...
    def __get__(self, study: "Study | None", owner: type) -> Any:
        return self if study is None else study.computed.get(self.name)

    def arguments(self, study: "Study") -> tuple[Any, ...]:
        """Return the arguments of the function."""
        return tuple(attrgetter(name)(study) for name in self._arguments)

    def label(self, study: "Study", method: str = "") -> str:
        """Name the computation, which may be that of one method."""
        return self._label.format(study=study, method=METHODS[method].label if method else "")

    def complete(self, study: "Study") -> Any:
        """Compute the part and return it."""
        return self.compute(*self.arguments(study))


class ByMethod(Part[Any]):
    """A part with a value for each of the study's ``methods``, by their ids.

    The function takes the method as its last argument; the label knows its name as ``method``. A page has the
    values computed so far.
    """

    def methods(self, study: "Study") -> tuple[str, ...]:
        """Return the study's methods."""
        names: tuple[str, ...] = vars(study)["methods"]
        return names

    def complete(self, study: "Study") -> dict[str, Any]:
        """Compute the values and return them."""
        arguments = self.arguments(study)
        return {method: self.compute(*arguments, method) for method in self.methods(study)}


class Runs(Part[Any]):
    """A part with the records of many runs, as of the last call of ``look``.

    The function returns the ``Run``, whose records grow in other threads while a drawing reads them often.
    """

    @overload
    def __get__(self, study: None, owner: type) -> Self: ...
    @overload
    def __get__(self, study: "Study", owner: type) -> Sequence[Any]: ...
    def __get__(self, study: "Study | None", owner: type) -> Any:
        if study is None:
            return self
        run = study.computed.get(self.name)
        if run is not None and self.name not in study.records_by_part:
            study.records_by_part[self.name] = run.records()
        return study.records_by_part.get(self.name, ())

    def begin(self, study: "Study") -> Run:
        """Return the run, which may already be under way."""
        run: Run = self.compute(*self.arguments(study))
        return run

    def complete(self, study: "Study") -> Run:
        """Wait for the end of the run and return it."""
        return wait_for_run(self.begin(study), self.label(study))


def derived(compute: Callable[[S], T]) -> T:
    """Make a property that is computed once for the present parts and records.

    A page reads the same value several times in each drawing, and draws again with each record.
    """
    name = compute.__name__

    def value(study: S) -> T:
        state = study.state
        if study.derived_values.get(name, (None,))[0] != state:
            study.derived_values[name] = state, compute(study)
        result: T = study.derived_values[name][1]
        return result

    value.__doc__ = compute.__doc__
    return property(value)  # type: ignore[return-value]


@dataclass(frozen=True)
class Chart:
    """A chart of a study: its drawing function, the parts that it ``needs``, and those that it waits for.

    It waits for the parts that it ``uses``, not for those that it ``adds``. It is drawn only if
    ``when(study)`` is true. ``caption`` says below it what one mark is, which direction is good and what to
    look for. ``alt`` describes it to those who do not see it; by default its titles do.
    """

    draw: Callable[[Any], go.Figure]
    needs: tuple[str, ...]
    uses: tuple[str, ...]
    adds: tuple[str, ...]
    caption: Callable[[Any], str]
    alt: Callable[[Any], str]
    when: Callable[[Any], bool]

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts that it is drawn from."""
        return self.needs + self.uses + self.adds

    def is_ready(self, study: "Study", requested_parts: Iterable[str]) -> bool:
        """Whether it can be drawn, given the requested parts."""
        are_requested = set(self.uses) <= set(requested_parts)
        return are_requested and all(map(study.has, self.needs)) and self.when(study)


def chart(
    *needs: str,
    uses: Sequence[str] = (),
    adds: Sequence[str] = (),
    caption: str | Callable[[Any], str] = "",
    alt: Callable[[Any], str] = lambda study: "",
    when: Callable[[Any], bool] = lambda study: True,
) -> Callable[[Callable[[S], go.Figure]], Callable[[S], go.Figure]]:
    """Mark a method of a study as the drawing of a chart, which has the method's name.

    Its caption is a function of the study where it depends on what is shown.
    """

    def say(study: Any) -> str:
        return caption if isinstance(caption, str) else caption(study)

    def decorate(draw: Callable[[S], go.Figure]) -> Callable[[S], go.Figure]:
        vars(draw)["chart"] = Chart(draw, needs, tuple(uses), tuple(adds), say, alt, when)
        return draw

    return decorate


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """The question: its settings are the fields of the subclass, after data, kernel and seed.

    Attributes
    ----------
    answer : str
        One sentence, with the words that matter in Markdown's bold; empty until it is known.
    table : pandas.DataFrame
        Tidy rows: what was asked, ``measure`` and ``value``.
    figures : dict of plotly.graph_objects.Figure
    landmarks : (m, d) array or None
    """

    scene: Scene
    theme: Theme = field(default=LIGHT, repr=False)
    computed: dict[str, Any] = field(default_factory=dict, repr=False)
    under_way: set[str] = field(default_factory=set, repr=False)  # runs whose next records are waited for
    records_by_part: dict[str, Sequence[Any]] = field(default_factory=dict, init=False, repr=False)
    derived_values: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    name: ClassVar[str]  # that of the function in nysviz.studies
    question: ClassVar[str]
    parts: ClassVar[dict[str, Part[Any]]] = {}
    charts: ClassVar[dict[str, Chart]] = {}

    def __init_subclass__(cls) -> None:
        cls.parts = {name: value for name, value in vars(cls).items() if isinstance(value, Part)}
        charts = {name: getattr(value, "chart", None) for name, value in vars(cls).items()}
        cls.charts = {name: value for name, value in charts.items() if value is not None}

    @property
    def state(self) -> Hashable:
        """The present state: the computed parts, the records of runs, and the runs still under way."""
        counts = [len(getattr(self, name)) for name in self.run_names if self.has(name)]
        return *self.computed, *counts, *sorted(self.under_way)

    @property
    def run_names(self) -> list[str]:
        """The names of the parts that are runs."""
        return [name for name, part in self.parts.items() if isinstance(part, Runs)]

    def forget_records(self) -> None:
        """Forget the records read so far, so that they are read anew."""
        self.records_by_part.clear()

    def has(self, name: str) -> bool:
        """Whether the part of this name is computed."""
        return name in self.computed

    def is_done(self, name: str) -> bool:
        """Whether the runs of this name have all been made."""
        return self.has(name) and self.computed[name].done and self.computed[name].error is None

    def is_at_rest(self, name: str) -> bool:
        """Whether this part is computed, and its runs have ended or were stopped."""
        return self.has(name) and name not in self.under_way

    @property
    def answer(self) -> str:
        """Answer the question in one sentence; empty until the parts for it are there."""
        raise NotImplementedError

    @property
    def numbers(self) -> NumberTable | None:
        """The few numbers beside the picture."""
        return None

    @property
    def notes(self) -> Sequence[str]:
        """Remarks beside the numbers, a sentence each."""
        return ()

    @property
    def landmarks(self) -> FloatArray | None:
        """The landmarks, (m, d), where the study is about those of one approximation."""
        return None

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the tidy rows of the parts that are no runs."""
        return []

    def run_rows(self) -> list[dict[str, object]]:
        """Return the tidy rows of the runs by now."""
        self.forget_records()
        records = chain.from_iterable(getattr(self, name) for name in self.run_names)
        return of_records(records, self.scene.data.name) if self.run_names else []

    @property
    def table(self) -> "pd.DataFrame":
        """All numbers of the study, a row each."""
        return frame_of([*self.fixed_rows(), *self.run_rows()])

    def with_runs_only(self) -> Self:
        """Return the study with its runs only, which take little memory, for the rows that they will have."""
        runs = {name: part for name, part in self.computed.items() if isinstance(part, Run)}
        return replace(self, computed=runs)

    @property
    def chart_names(self) -> list[str]:
        """The names of the charts that the parts allow."""
        return [name for name, each in self.charts.items() if each.is_ready(self, self.parts)]

    @property
    def figures(self) -> dict[str, go.Figure]:
        """The charts that the parts allow, by name."""
        return {name: self.charts[name].draw(self) for name in self.chart_names}

    def sheet(self, title: str, subtitle: str = "") -> Sheet:
        """Return the sheet of a chart with this heading."""
        return Sheet(self.theme, title, subtitle)

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments of the function that makes this study."""
        named: dict[str, object] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, Choice):
                named |= {"method": value.method, "m": value.m, "options": value.changed_options or None}
            elif each.name not in SHARED_FIELDS:
                named[each.name] = value
        return named | {"seed": self.scene.seed}

    def _repr_html_(self) -> str:
        figures = "".join(
            f"{figure._repr_html_() or ''}{paragraph(self.charts[name].caption(self))}"
            for name, figure in self.figures.items()
        )
        numbers = "" if self.numbers is None else self.numbers.as_html()
        return f"{paragraph(self.answer)}{numbers}{figures}"


def complete(study: S) -> S:
    """Compute all parts of a study, one after the other, and return it."""
    for name, part in study.parts.items():
        if part.when(study):
            study.computed[name] = part.complete(study)
    return study


def theme_of(ink: Ink) -> Theme:
    """Return the colours of a light or a dark ground."""
    return THEMES[ink]
