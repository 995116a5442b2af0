"""One student: opens a link, looks, moves a control, now and then goes to another page or data set."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from benchmarks.classroom.controls import DATA_KEY, NEEDS_FILE, Move, move, option_names
from benchmarks.classroom.screen import Content
from benchmarks.classroom.session import Request, Session
from nysviz.datasets import catalog
from nysviz.lessons.reading import SIDEBAR, Lesson, Step
from nysviz.ui.settings import SIDEBAR as SIDEBAR_KEYS
from nysviz.ui.settings import is_known

# Seconds without a message after which an answer counts as the last one.
QUIET_SECONDS = 0.4
# Seconds after which a student without any answer gives up, which is counted.
PATIENCE_SECONDS = 60.0
GO_CHANCE = 0.1
# The choice of data comes up so often among the controls.
DATA_CHANCE = 0.1
JITTER = 0.3
NO_BAR = ("", "lessons")
TITLES = {card.name: card.title for card in catalog()}
# They do not all click on the link in the same moment, nor on the next step.
ARRIVAL_SECONDS, TURN_SECONDS = 10.0, 5.0
# Changes on a step of a lesson, and the pause before each, in parts of the step.
MOVES, PAUSES = (1, 2), (0.2, 0.4)


@dataclass(frozen=True)
class App:
    """What the app offers, as the first visitor sees it."""

    pages: tuple[str, ...]
    data: tuple[str, ...]


async def look_around(url: str) -> App:
    """Open the app's first page and those with a choice of data, and read what there is to choose from."""
    session = Session(url)
    try:
        await until_over(session, await session.open(""), 4 * PATIENCE_SECONDS)
        pages = {page.url_pathname: page for page in session.pages if not page.external_url}
        data: tuple[str, ...] = ()
        for page in pages.values():
            await until_over(session, await session.go(page), 4 * PATIENCE_SECONDS)
            choices = [one for one in session.screen.contents("selectbox") if _chooses_data(one)]
            if choices:
                names = option_names("selectbox", choices[0].message)
                data = tuple(name for name in names if name != NEEDS_FILE)
                break
        return App(tuple(pages), data)
    finally:
        await session.close()


async def until_chart(session: Session, request: Request, seconds: float) -> None:
    """Wait for the first new chart, or for the end where no chart changes."""
    await _until(session, request, seconds, chart=True)


async def until_over(session: Session, request: Request, seconds: float) -> None:
    """Wait until nothing runs and no progress is shown."""
    await _until(session, request, seconds, chart=False)


async def _until(session: Session, request: Request, seconds: float, chart: bool) -> None:
    deadline = time.monotonic() + seconds
    while not session.gone and (now := time.monotonic()) < deadline:
        if chart and request.chart is not None:
            return
        if request.over is None:
            await session.news(deadline - now)
        elif now - request.over >= QUIET_SECONDS:
            return
        else:
            await session.news(request.over + QUIET_SECONDS - now)


@dataclass
class Student:
    """A visitor with a seed of its own; `requests` are those made so far, in order."""

    session: Session
    app: App
    rng: random.Random
    every: float
    requests: list[Request] = field(default_factory=list)

    async def attend(self, until: float) -> None:
        """Take part until this moment of the monotonic clock."""
        try:
            await self._arrive()
            # Neither the moment nor the choice depends on the acts before: other versions meet the same.
            acts, moment = random.Random(self.rng.random()), time.monotonic()
            while not self.session.gone:
                self.rng = random.Random(acts.random())
                moment += self.every * self.rng.uniform(1 - JITTER, 1 + JITTER)
                await self._look(min(until, moment))
                if time.monotonic() >= until:
                    break
                await self._act()
            last = self.requests[-1]
            await until_over(self.session, last, PATIENCE_SECONDS)
            last.endless = last.over is None
        finally:
            await self.session.close()

    async def _arrive(self) -> None:
        page = self.rng.choice(self.app.pages)
        query = (
            {DATA_KEY: self.rng.choice(self.app.data)} if self.app.data and self.rng.random() < 0.5 else {}
        )
        self.requests.append(await self.session.open(page, urlencode(query)))

    async def _look(self, until: float) -> None:
        """Look at the page until then; without any answer a little longer."""
        last = self.requests[-1]
        await until_over(self.session, last, until - time.monotonic())
        if last.chart is None and last.over is None:
            await until_chart(self.session, last, PATIENCE_SECONDS)
        await asyncio.sleep(max(0.0, until - time.monotonic()))

    async def _act(self) -> None:
        page = self.rng.choice(self.session.pages)
        step = None if self.rng.random() < GO_CHANCE else self._move()
        if step is not None:
            self.requests.append(await self.session.turn(step))
        elif page.url_pathname != self.session.page:
            self.requests.append(await self.session.go(page))

    def _move(self) -> Move | None:
        controls = self.session.screen.controls()
        choices = [control for control in controls if _chooses_data(control)]
        if not choices or self.rng.random() >= DATA_CHANCE:
            choices = [control for control in controls if not _chooses_data(control)]
        return random_move(self.session, choices, self.rng)


def random_move(session: Session, controls: Sequence[Content], rng: random.Random) -> Move | None:
    """Move one of these controls, whichever can be moved."""
    for control in rng.sample(controls, len(controls)):
        found = move(control, session.held.get(control.message.id), rng)
        if found is not None:
            return found
    return None


def _chooses_data(control: Content) -> bool:
    return control.kind == "selectbox" and control.key == DATA_KEY


@dataclass(frozen=True)
class Course:
    """The lesson that a class follows: all go to the next step within a few seconds of one another."""

    lesson: Lesson
    step_seconds: float

    @property
    def seconds(self) -> float:
        """Length of the whole."""
        return self.step_seconds * len(self.lesson.steps)


@dataclass
class Pupil(Student):
    """A student of a lesson: on each step one or two moves among the controls that the step leaves.

    One in ten looks at another page in between; the lesson's bar leads back.
    """

    course: Course = field(kw_only=True)

    async def attend(self, until: float) -> None:
        """Follow the lesson, whose end is `until`."""
        lesson, length = self.course.lesson, self.course.step_seconds
        begin = until - self.course.seconds
        try:
            for number, step in enumerate(lesson.steps, start=1):
                late = self.rng.uniform(0.0, ARRIVAL_SECONDS if number == 1 else TURN_SECONDS)
                moment = begin + (number - 1) * length + late
                if number == 1:
                    await asyncio.sleep(moment - time.monotonic())
                    query = {"lesson": lesson.name, "step": "1", **step.parameters}
                    # A lesson's file may have a data set's short name; a link has its title.
                    if isinstance(name := query.get("data"), str):
                        query["data"] = TITLES.get(name, name)
                    self.requests.append(await self.session.open(step.page, urlencode(query, doseq=True)))
                else:
                    await self._look(moment)
                    await until_over(self.session, self.requests[-1], PATIENCE_SECONDS)
                    self.requests.append(await self.session.follow("Next"))
                end = begin + number * length
                for _ in range(self.rng.choice(MOVES)):
                    pause = self.rng.uniform(*PAUSES) * length
                    await self._look(min(end, time.monotonic() + pause))
                    await self._act_on(step)
            await self._look(until)
            last = self.requests[-1]
            await until_over(self.session, last, PATIENCE_SECONDS)
            last.endless = last.over is None
        finally:
            await self.session.close()

    async def _act_on(self, step: Step) -> None:
        # The lesson's bar stands on all pages but these.
        others = [one for one in self.session.pages if one.url_pathname not in (self.session.page, *NO_BAR)]
        if others and self.rng.random() < GO_CHANCE / 2:
            self.requests.append(await self.session.go(self.rng.choice(others)))
            return
        hidden = frozenset(SIDEBAR_KEYS) if SIDEBAR in step.hidden else frozenset(step.hidden)
        controls = self.session.screen.controls()
        left = [
            control
            for control in controls
            if is_known(control.key, step.page) and control.key not in {DATA_KEY, *hidden}
        ]
        if (found := random_move(self.session, left, self.rng)) is not None:
            self.requests.append(await self.session.turn(found))
