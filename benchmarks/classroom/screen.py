"""What a browser keeps of a page: elements by their place, replaced by deltas, swept when a run is over."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

Place = tuple[int, ...]

# Kinds whose message is kept whole: a control needs its range, a sentence its words, a box for files, a
# button and a link their names.
CONTROLS = frozenset(
    {"slider", "selectbox", "number_input", "checkbox", "radio", "button_group", "multiselect"}
)
WORDS = frozenset({"alert", "exception", "file_uploader", "button", "page_link", "bidi_component"})
# What a browser shows while something is still to come.
WAITING = frozenset({"progress", "spinner"})
# Where the traces of a chart have their values.
VALUES = ("x", "y", "z", "values", "dimensions")
# What a part that polls writes once the part around it, which has a component, is to be drawn again.
NEWS, COMPONENT = "data-nysviz-news", "bidi_component"
# Controls in here are not on the page until somebody opens it.
CLOSED = frozenset({"popover", "dialog", "form"})


@dataclass(frozen=True)
class Content:
    """An element as far as it matters here: what it is, which fragment wrote it, and what tells it apart.

    `empty` says of a chart that there is nothing in its frame yet.
    """

    kind: str
    fragment: str
    digest: bytes = b""
    message: Any = None
    empty: bool = False

    @property
    def key(self) -> str:
        """The key of a control, which is the name of its setting: the end of its id."""
        return str(self.message.id).split("-", 2)[-1]


@dataclass
class Node:
    """A content at its place, and the run that wrote it last."""

    content: Content
    run: str


@dataclass
class Cached:
    """A large element that the server may refer to instead of sending it again."""

    content: Content
    age: int


@dataclass
class Screen:
    """The elements of a page and the cache of large ones, kept by the rules of Streamlit's browser side.

    `keep_charts` keeps the figures too, for tests; else only their digests are kept. `missed` counts
    references to what is not in the cache any more, `misplaced` what came for a place that there is not: a
    browser shows an empty page from then on.
    """

    keep_charts: bool = False
    nodes: dict[Place, Node] = field(default_factory=dict)
    cache: dict[str, Cached] = field(default_factory=dict)
    runs: int = 0
    missed: int = 0
    misplaced: int = 0

    def clear(self) -> None:
        """Forget the elements, as on a change of page; the cache stays."""
        self.nodes.clear()

    def take(self, message: ForwardMsg, run: str) -> Content | None:
        """Put what a delta or a reference brings to its place, and return it."""
        place = tuple(message.metadata.delta_path)
        if message.WhichOneof("type") == "ref_hash":
            cached = self.cache.get(message.ref_hash)
            if cached is None:
                # It was forgotten while a request that still named it was under way.
                self.missed += 1
                return None
            cached.age = self.runs
            content: Content | None = cached.content
        else:
            content = self._read(message.delta)
            if content is not None and message.metadata.cacheable:
                self.cache[message.hash] = Cached(content, self.runs)
        if content is None:
            return None
        self.misplaced += not self._is_place(place)
        old = self.nodes.get(place)
        if old is not None and _is_block(old.content) and not _is_block(content):
            self._remove_below(place)
        self.nodes[place] = Node(content, run)
        return content

    def _read(self, delta: Delta) -> Content | None:
        kind = delta.WhichOneof("type")
        if kind == "add_block":
            return Content(f"block:{delta.add_block.WhichOneof('type')}", delta.fragment_id)
        if kind != "new_element":
            # A transient lies over an element for the length of one run; the run itself is waited for.
            return None
        element = delta.new_element
        name = element.WhichOneof("type") or "empty"
        message = getattr(element, name) if name != "empty" else None
        if name == "plotly_chart" and message is not None:
            digest = hashlib.blake2b(message.spec.encode(), digest_size=12).digest()
            kept = message if self.keep_charts else None
            return Content(name, delta.fragment_id, digest, kept, not _has_values(message.spec))
        is_news = name == "html" and NEWS in element.html.body
        keep = message if name in CONTROLS or name in WORDS or is_news else None
        return Content(name, delta.fragment_id, message=keep)

    def finish(self, run: str, fragments: Collection[str], longest: int) -> None:
        """Sweep what the finished run has not written again, and the cache of what is too old.

        A run of fragments sweeps only inside the blocks that these fragments have written in this run.
        """
        swept = _stale_of_fragments(self.nodes, run, set(fragments)) if fragments else _stale(self.nodes, run)
        for place in swept:
            if self.nodes.pop(place, None) is not None:
                self._remove_below(place)
        self.runs += 1
        for name, cached in list(self.cache.items()):
            elsewhere = fragments and cached.content.fragment not in fragments
            if not elsewhere and self.runs - cached.age > longest:
                del self.cache[name]

    def _is_place(self, place: Place) -> bool:
        """Whether the place's block is there, and the place is one of its elements or the next one."""
        if len(place) < 2:
            return True
        around = self.nodes.get(place[:-1])
        # The page's own blocks are there from the start.
        if len(place) > 2 and (around is None or not _is_block(around.content)):
            return False
        if place in self.nodes:
            return True
        depth = len(place)
        return place[-1] <= sum(len(one) == depth and one[:-1] == place[:-1] for one in self.nodes)

    def _remove_below(self, place: Place) -> None:
        depth = len(place)
        for other in [other for other in self.nodes if len(other) > depth and other[:depth] == place]:
            del self.nodes[other]

    def contents(self, *kinds: str) -> Iterator[Content]:
        """Go through the contents of these kinds, in the order of the page."""
        for _, node in sorted(self.nodes.items()):
            if node.content.kind in kinds:
                yield node.content

    def charts(self, run: str | None = None) -> frozenset[bytes]:
        """Digests of the charts on the page; of those that one run has drawn."""
        drawn = [node for node in self.nodes.values() if node.content.kind == "plotly_chart"]
        return frozenset(node.content.digest for node in drawn if run is None or node.run == run)

    def waiting(self) -> bool:
        """Whether the page says that something is still to come."""
        return any(node.content.kind in WAITING for node in self.nodes.values())

    def controls(self) -> list[Content]:
        """Return the controls that can be used without opening anything first."""
        closed = [
            place
            for place, node in self.nodes.items()
            if node.content.kind.removeprefix("block:") in CLOSED and _is_block(node.content)
        ]
        return [
            node.content
            for place, node in sorted(self.nodes.items())
            if node.content.kind in CONTROLS
            and not node.content.message.disabled
            and not any(place[: len(shut)] == shut for shut in closed)
        ]


def _is_block(content: Content) -> bool:
    return content.kind.startswith("block:")


def _stale(nodes: dict[Place, Node], run: str) -> list[Place]:
    return [place for place, node in nodes.items() if node.run != run]


def _has_values(spec: str) -> bool:
    """Whether some trace of a chart has a value."""
    # Numbers that are packed.
    if '"bdata":"' in spec:
        return True
    for trace in json.loads(spec).get("data", ()):
        if any(value is not None for name in VALUES for value in trace.get(name) or ()):
            return True
    return False


def _stale_of_fragments(nodes: dict[Place, Node], run: str, fragments: set[str]) -> list[Place]:
    stale: list[Place] = []
    inside: dict[Place, bool] = {}
    # A block comes before what is in it.
    for place, node in sorted(nodes.items()):
        within = inside.get(place[:-1], False)
        old = node.run != run
        if _is_block(node.content):
            inside[place] = within or (not old and node.content.fragment in fragments)
            if within and old:
                stale.append(place)
        elif within and old and node.content.fragment:
            stale.append(place)
    return stale
