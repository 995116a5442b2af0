"""One visitor's connection: what a browser sends and keeps, without drawing anything."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.AppPage_pb2 import AppPage
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.classroom.connection import Connection
from benchmarks.classroom.controls import Move, set_by_server
from benchmarks.classroom.screen import COMPONENT, CONTROLS, Content, Screen
from nysviz.ui.hand import WANTED
from nysviz.ui.share import KEY as FRAME
from nysviz.ui.streamlit_private import FAILED

# How long a link is waited for on a page that is being drawn.
LINK_SECONDS = 20.0
# Seconds without a change of the page until a browser asks for the frames of a slider.
STILL_SECONDS = 0.4
# A run that ended so has drawn all that it draws.
SWEEPS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass
class Request:
    """Something a visitor asked for, and when its answers came, in seconds of the monotonic clock.

    `chart` is the first chart with values in it that was not on the page before, or the end of an answer that
    leaves all charts as they were; `over` the moment since when nothing runs and no progress is shown; both
    None while they have not come. `left` says that the visitor went on before the end, `endless` that he
    stayed and it did not come.
    """

    page: str
    what: str
    fragment: str
    before: frozenset[bytes]
    sent: float = field(default_factory=time.monotonic)
    begun: bool = False
    answered: bool = False
    chart: float | None = None
    over: float | None = None
    left: bool = False
    endless: bool = False

    def concerns(self, fragments: Sequence[str]) -> bool:
        """Whether a run of these fragments (none: of the whole page) is its answer."""
        return not fragments or self.fragment in fragments


class Session:
    """A session of the server, its page, and the timers of its fragments.

    With ``comes_near`` its visitor moves the pointer over each picture that has a slider.
    """

    def __init__(self, url: str, keep_charts: bool = False, comes_near: bool = False) -> None:
        self.url = url
        self.comes_near = comes_near
        self.screen = Screen(keep_charts)
        self.pages: list[AppPage] = []
        self.held: dict[str, WidgetState] = {}
        self.query: list[tuple[str, str]] = []
        self.request: Request | None = None
        self.sentences: Counter[tuple[str, str]] = Counter()
        self.failures: Counter[tuple[str, str]] = Counter()
        self.lost = 0
        self.connection = Connection(url, self._take, self._take_up)
        self._page_hash = ""
        self._link = ""
        self._run = ""
        self._fragments: Sequence[str] = ()
        self._running = False
        self._timers: dict[str, tuple[float, asyncio.Task[None]]] = {}
        self._news, self._sending = "", set[asyncio.Task[None]]()
        self._frames: dict[str, set[str]] = {}
        self._still: asyncio.Task[None] | None = None
        self._longest = 2

    @property
    def page(self) -> str:
        """Name of the page that is shown, as in its address; before the first answer, as in the link."""
        for page in self.pages:
            if page.page_script_hash == self._page_hash:
                return page.url_pathname
        return self._link

    # What a visitor does.

    async def open(self, page: str, query: str = "") -> Request:
        """Follow a link to a page."""
        await self.connection.open()
        self._link, self.query = page, parse_qsl(query)
        return await self._ask("open", "", page, page_name=page)

    async def turn(self, move: Move) -> Request:
        """Move a control."""
        self.held[move.state.id] = move.state
        return await self._ask(move.label, move.fragment, self.page)

    async def follow(self, label: str) -> Request:
        """Follow the first link to a page that has this name, which may come with the next messages."""
        until = time.monotonic() + LINK_SECONDS
        while (link := self._link_to(label)) is None:
            if time.monotonic() > until:
                raise LookupError(f"The page {self.page} has no link {label!r}.")
            await self.news(0.2)
        self._stop_timers()
        self._stop_asking()
        self.query = parse_qsl(link.query_string, keep_blank_values=True)
        if link.page_script_hash != self._page_hash:
            self.held.clear()
        self._link = link.page
        return await self._ask(label, "", link.page, page_hash=link.page_script_hash)

    def _link_to(self, label: str) -> Any:
        links = (content.message for content in self.screen.contents("page_link"))
        return next((link for link in links if link.label == label), None)

    async def go(self, page: AppPage) -> Request:
        """Choose another page in the menu, which comes with an empty address."""
        self._stop_timers()
        self._stop_asking()
        self.query = []
        self.held.clear()
        self._link = page.url_pathname
        return await self._ask("go", "", page.url_pathname, page_hash=page.page_script_hash)

    async def close(self) -> None:
        """Leave, as one who closes the window."""
        self._stop_timers()
        self._stop_asking()
        await self.connection.close()

    async def news(self, seconds: float) -> None:
        """Wait for the next message, with a time limit."""
        await self.connection.news(seconds)

    @property
    def gone(self) -> bool:
        """Whether the server was not to be found again."""
        return self.connection.gone

    def busy(self) -> bool:
        """Whether a run is going on or the page shows progress."""
        return self._running or self.screen.waiting()

    # What a browser sends.

    async def _ask(
        self, what: str, fragment: str, page: str, page_name: str = "", page_hash: str = ""
    ) -> Request:
        if self.request is not None and self.request.over is None:
            self.request.left = True
        self.request = Request(page, what, fragment, self.screen.charts())
        await self._rerun(fragment, page_name=page_name, page_hash=page_hash)
        return self.request

    async def _rerun(
        self,
        fragment: str,
        *,
        page_name: str = "",
        page_hash: str = "",
        auto: bool = False,
        trigger: WidgetState | None = None,
    ) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = urlencode(self.query)
        state.page_name = page_name
        state.page_script_hash = page_hash or self._page_hash
        state.fragment_id = fragment
        state.is_auto_rerun = auto
        state.widget_states.widgets.extend(self.held.values())
        if trigger is not None:
            state.widget_states.widgets.append(trigger)
        state.cached_message_hashes.extend(self.screen.cache)
        state.context_info.url = self.url
        state.context_info.timezone = "UTC"
        state.context_info.locale = "en"
        state.context_info.color_scheme = "light"
        await self.connection.send(message)

    async def _repeat(self, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._rerun(fragment, auto=True)

    def _stop_timers(self, fragments: Sequence[str] | None = None) -> None:
        for fragment in list(self._timers) if fragments is None else fragments:
            if fragment in self._timers:
                self._timers.pop(fragment)[1].cancel()

    # What a browser receives.

    async def _take_up(self) -> None:
        self._stop_timers()
        self._running = False
        await self._rerun("")

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind in ("delta", "ref_hash"):
            self._draw(message)
        elif kind == "new_session":
            self._begin(message)
        elif kind == "script_finished":
            self._finish(message)
        elif kind == "auto_rerun":
            rerun = message.auto_rerun
            held = self._timers.get(rerun.fragment_id)
            if held is None or held[0] != rerun.interval:
                self._stop_timers([rerun.fragment_id])
                timer = asyncio.create_task(self._repeat(rerun.fragment_id, rerun.interval))
                self._timers[rerun.fragment_id] = rerun.interval, timer
        elif kind == "stop_auto_rerun":
            self._stop_timers(message.stop_auto_rerun.fragment_ids)
        elif kind == "navigation":
            self.pages = list(message.navigation.app_pages)
            self._page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = parse_qsl(message.page_info_changed.query_string, keep_blank_values=True)

    def _begin(self, message: ForwardMsg) -> None:
        new, run = message.new_session, message.metadata.run
        known, self.connection.session_id = self.connection.session_id, new.initialize.session_id
        self.lost += bool(known) and known != new.initialize.session_id
        self._run, self._fragments, self._running = run.script_run_id, tuple(run.fragment_ids), True
        self._longest = new.config.max_cached_message_age or self._longest
        if not self._fragments:
            self._stop_timers()
            if new.page_script_hash != self._page_hash:
                self.screen.clear()
                self._page_hash = new.page_script_hash
        if self.request is not None and self.request.concerns(self._fragments):
            self.request.begun, self.request.over = True, None

    def _draw(self, message: ForwardMsg) -> None:
        content = self.screen.take(message, self._run)
        if content is None:
            return
        request = self.request
        if request is not None and request.begun and request.chart is None:
            new = content.kind == "plotly_chart" and content.digest not in request.before
            if new and not content.empty:
                request.chart = time.monotonic()
        if content.kind in CONTROLS and content.message.set_value:
            self._hold(content.message.id, set_by_server(content))
        elif content.kind == "html" and content.message is not None:
            self._ask_again(content.message.body)
        elif content.kind == COMPONENT and WANTED in content.message.id:
            self._stand_still(content)
        elif content.kind == COMPONENT and FRAME in content.message.id:
            self._complete_address(content)
        elif content.kind == "exception":
            self.failures[self.page, f"{content.message.type}: {content.message.message}"[:300]] += 1
        elif content.kind == "alert" and content.message.format == content.message.ERROR:
            found = self.failures if content.message.body == FAILED else self.sentences
            found[self.page, content.message.body[:300]] += 1

    def _ask_again(self, news: str) -> None:
        """Ask for the part of the page whose component waits for these news, as its JavaScript does."""
        token = news.split('"')[1]
        if token == self._news:
            return
        self._news, name = token, token.rpartition("-")[0]
        for component in self.screen.contents(COMPONENT):
            if name in component.message.id:
                self._send(self._rerun(component.fragment))

    def _complete_address(self, frame: Content) -> None:
        """Put the settings into an address without any, as the JavaScript of the frame does."""
        if "data" not in dict(self.query):
            self.query += parse_qsl(json.loads(frame.message.json)["address"], keep_blank_values=True)

    def _stand_still(self, component: Content) -> None:
        """Ask for frames of a slider once the page stands still, as its JavaScript does."""
        self._stop_asking()
        there = json.loads(component.message.bytes)
        known = self._frames.setdefault(there["token"], set())
        known.update(frame["stop"] for frame in there["frames"])
        if self.comes_near and (not there["asked"] or len(known) < there["count"]):
            self._still = self._send(self._ask_for_frames(component, there["token"], known))

    async def _ask_for_frames(self, component: Content, token: str, known: set[str]) -> None:
        await asyncio.sleep(STILL_SECONDS)
        self._still = None
        name = _make_trigger_id(component.message.id, "events")
        event = {"event": "wanted", "value": {"token": token, "has": sorted(known)}}
        trigger = WidgetState(id=name, json_trigger_value=json.dumps([event]))
        await self._rerun(component.fragment, trigger=trigger)

    def _stop_asking(self) -> None:
        if self._still is not None:
            self._still.cancel()
            self._still = None

    def _send(self, message: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(message)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    def _hold(self, control: str, state: WidgetState | None) -> None:
        if state is not None:
            self.held[control] = state
        else:
            self.held.pop(control, None)

    def _finish(self, message: ForwardMsg) -> None:
        status, run = message.script_finished, message.metadata.run
        self._running = False
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.failures[self.page, "the script does not compile"] += 1
        whole = not run.fragment_ids
        if status in SWEEPS and run.script_run_id and not (whole and run.script_run_id != self._run):
            self.screen.finish(run.script_run_id, tuple(run.fragment_ids), self._longest)
            there = {content.message.id for content in self.screen.contents(*CONTROLS)}
            self.held = {control: state for control, state in self.held.items() if control in there}
        request = self.request
        if request is None or not request.begun:
            return
        if status in SWEEPS and request.concerns(run.fragment_ids):
            request.answered = True
            same = request.before == self.screen.charts() == self.screen.charts(run.script_run_id)
            if request.chart is None and request.before and same:
                # All are drawn again, and what was changed has no part in them.
                request.chart = time.monotonic()
        if request.answered:
            request.over = None if self.busy() else time.monotonic()
