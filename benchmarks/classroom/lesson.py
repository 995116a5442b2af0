"""A class of students on one server, with or without two who ask for too much, or coming and going."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any
from urllib.parse import urlencode

from benchmarks.classroom.controls import DATA_KEY
from benchmarks.classroom.hostile import LESSON, OWN_FILE, flood, send_on_and_on
from benchmarks.classroom.memory import Memory
from benchmarks.classroom.report import Result
from benchmarks.classroom.session import Session
from benchmarks.classroom.student import (
    ARRIVAL_SECONDS,
    PATIENCE_SECONDS,
    App,
    Course,
    Pupil,
    Student,
    until_chart,
    until_over,
)
from benchmarks.classroom.trouble import hold_a_key, sweep_on_and_on

# Every fifth student moves the pointer over the pictures whose slider is dragged.
NEAR_SLIDER = 5
# Shortest and longest session of a soak, in seconds.
SHORTEST_VISIT, LONGEST_VISIT = 30.0, 240.0
# Sessions beside the students: none; one that holds an arrow key and one that starts the largest sweep again
# and again; senders of files that once ended or stopped the server, and of more than there is room for.
BESIDE: dict[str, tuple[Callable[[Session], Coroutine[Any, Any, None]], ...]] = {
    "": (),
    "two adversaries": (hold_a_key, sweep_on_and_on),
    "hostile files": (partial(send_on_and_on, place=OWN_FILE), partial(send_on_and_on, place=LESSON), flood),
}
# What takes most memory for one visitor.
LARGE = {"data": "Gaussian clusters", "clusters_n": "20000", "clusters_d": "10"}
BOUNDS: tuple[dict[str, str], ...] = (
    {},
    {"bounds_view": "Oglic, Li: best rank k"},
)
# A page's sweep is not waited for longer before the lesson begins.
WARM_UP_SECONDS = 10.0


@asynccontextmanager
async def in_background(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let these go on as long as the body, and fail where one of them failed."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


async def lesson(
    url: str,
    app: App,
    process: int | None,
    *,
    students: int,
    minutes: float,
    every: float,
    seed: int,
    beside: str = "",
    course: Course | None = None,
) -> Result:
    """Let students move controls for some minutes, or follow a lesson together.

    Parameters
    ----------
    url
        Address of the server.
    app
        Its pages and data sets.
    process
        Its process on this machine, to measure its memory.
    students, minutes, every
        How many, how long, and the mean seconds between two changes of one student.
    seed
        Start of all that is random here.
    beside
        Who disturbs: one of `BESIDE`.
    course
        What they follow, instead of moving controls at random.
    """
    sessions: list[Session] = []
    minutes = minutes if course is None else course.seconds / 60.0

    def sit_down(number: int) -> Student:
        sessions.append(Session(url, comes_near=number % NEAR_SLIDER == 0))
        rng = random.Random(f"{seed} {students} {number}")
        if course is not None:
            return Pupil(sessions[-1], app, rng, every, course=course)
        return Student(sessions[-1], app, rng, every)

    class_ = [sit_down(number) for number in range(students)]
    memory = Memory(process, 60.0 * minutes)
    wall, processor = time.monotonic(), time.process_time()
    until = wall + 60.0 * minutes
    trouble = [work(Session(url)) for work in BESIDE[beside]]
    async with in_background(memory.watch(), *trouble):
        late = [0.0 if course is not None else student.rng.random() for student in class_]
        await asyncio.gather(*(_come_in(*one, until) for one in zip(class_, late, strict=True)))
    memory.stop()
    seconds = time.monotonic() - wall
    requests = [request for student in class_ for request in student.requests]
    share = (time.process_time() - processor) / seconds
    return Result(students, seconds, requests, sessions, memory, share, beside)


async def _come_in(student: Student, late: float, until: float) -> None:
    await asyncio.sleep(late * min(ARRIVAL_SECONDS, student.every))
    await student.attend(until)


async def soak(
    url: str, app: App, process: int | None, *, places: int, minutes: float, every: float, seed: int
) -> Result:
    """Keep a number of places taken by students who stay a while, and leave to others."""
    taken: list[Student] = []
    memory = Memory(process, 60.0 * minutes)
    wall, processor = time.monotonic(), time.process_time()
    until = wall + 60.0 * minutes

    async def fill(place: int) -> None:
        rng = random.Random(f"soak {seed} {place}")
        while time.monotonic() < until:
            student = Student(Session(url), app, rng, every)
            taken.append(student)
            await student.attend(min(until, time.monotonic() + rng.uniform(SHORTEST_VISIT, LONGEST_VISIT)))

    async with in_background(memory.watch()):
        await asyncio.gather(*(fill(place) for place in range(places)))
    memory.stop()
    seconds = time.monotonic() - wall
    requests = [request for student in taken for request in student.requests]
    share = (time.process_time() - processor) / seconds
    return Result(places, seconds, requests, [one.session for one in taken], memory, share)


async def warm_up(url: str, app: App) -> None:
    """Open every page once and wait a while, so that what is compiled or loaded on first use is there."""
    session = Session(url)
    try:
        await until_over(
            session,
            await session.open("", urlencode({DATA_KEY: app.data[0]} if app.data else {})),
            PATIENCE_SECONDS,
        )
        for page in session.pages:
            request = await session.go(page)
            await until_chart(session, request, PATIENCE_SECONDS)
            await until_over(session, request, WARM_UP_SECONDS)
    finally:
        await session.close()


async def walk(url: str) -> list[tuple[str, str]]:
    """Open the views of Bounds on 20 000 rows, one after the other; return the errors that they show."""
    said: list[tuple[str, str]] = []
    for view in BOUNDS:
        session = Session(url)
        request = await session.open("bounds", urlencode(LARGE | view))
        await until_over(session, request, 5 * PATIENCE_SECONDS)
        said += [*session.failures, *session.sentences]
        await session.close()
    return said
