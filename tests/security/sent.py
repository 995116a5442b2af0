"""Everything that a page sends to the browser, by the way in which the browser reads it.

The browser takes some texts as Markdown, some as HTML, some as a chart, and the rest as they are. A text that
it takes in a way not listed here is an error: whoever adds a new kind of element decides how it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

# Names of messages and their fields that Streamlit shows as Markdown.
MARKDOWN = {
    "Markdown.body", "Alert.body", "Heading.body", "Progress.text", "Expandable.label", "Tab.label",
    "Metric.label", "Metric.body", "Metric.delta", "Option.content", "Toast.body", "Spinner.text",
    "Radio.options", "Radio.captions", "PageLink.label", "Popover.label", "Dialog.title",
}  # fmt: skip
# Fields of all widgets that are Markdown.
MARKDOWN_FIELDS = {"label", "help", "caption"}
# What the browser shows letter by letter, or does not show.
TEXT = {
    "Code.code_text", "Text.body", "Selectbox.options", "MultiSelect.options", "Slider.options",
    "PlotlyChart.alt",
    "Selectbox.raw_value", "Selectbox.default_value", "TextInput.value", "TextInput.default", "Table.data",
    "PlotlyChart.config", "MultiSelect.raw_values", "MultiSelect.default_value",
}  # fmt: skip
SPECIAL = re.compile(r"\\([\\`*_{}\[\]()#+\-!|<>$~:.])")


def messages(at: AppTest) -> Iterator[Message]:
    seen: set[int] = set()
    for node in at._tree:
        proto = getattr(node, "proto", None)
        if isinstance(proto, Message) and id(proto) not in seen:
            seen.add(id(proto))
            yield proto


def texts(message: Message) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        name = f"{message.DESCRIPTOR.name}.{field.name}"
        values = value if field.is_repeated else [value]
        if field.message_type is not None:
            if not field.message_type.GetOptions().map_entry:
                for one in values:
                    yield from texts(one)
        elif field.type == field.TYPE_STRING:
            yield from ((name, one) for one in values)
        elif name == "BidiComponent.bytes":
            yield name, value.decode()


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags += [tag, *(f"{name}={value}" for name, value in attrs)]


def tags(text: str) -> list[str]:
    parser = _Tags()
    parser.feed(text)
    parser.close()
    return parser.tags


def acting_tags(text: str, mark: str) -> list[str]:
    """The tags that do something, and all that has the mark in it: pages write none of these themselves."""
    return [tag for tag in tags(text) if mark in tag or tag in ("script", "img", "iframe", "object", "svg")]


def strings(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for name, value in part.items():
            yield str(name)
            yield from strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from strings(value)


class ActingError(AssertionError):
    """Somebody's words would do something in the browser."""


def check(at: AppTest, mark: str, acts: re.Pattern[str]) -> list[str]:
    """Assert that no text with ``mark`` in it does anything; return the fields in which the mark was met.

    Parameters
    ----------
    mark : str
        Stands in each of the hostile words.
    acts : pattern
        What must not be left in Markdown once escaped characters are taken out.
    """
    met = []
    for message in messages(at):
        for field, text in texts(message):
            if mark not in text:
                continue
            met.append(field)
            kind = field.split(".")[1]
            if field == "PlotlyChart.spec":
                for part in strings(json.loads(text)):
                    _inert_in_a_chart(part, mark)
            elif field == "Html.body":
                if found := acting_tags(text, mark):
                    raise ActingError(f"{field} has {found}")
            elif field in ("BidiComponent.json", "BidiComponent.bytes"):
                for cell in _cells_of_slider(json.loads(text)):
                    if found := acting_tags(cell, mark):
                        raise ActingError(f"{field} has {found}")
            elif field in MARKDOWN or kind in MARKDOWN_FIELDS:
                if found := acts.search(SPECIAL.sub("", text)):
                    raise ActingError(f"{field} reads {found[0]!r} as Markdown, in {text!r}")
            elif field not in TEXT and not kind.endswith("id"):
                raise ActingError(f"nobody has said how the browser reads {field}: {text[:80]!r}")
    return met


def _cells_of_slider(data: dict[str, Any]) -> Iterator[str]:
    """Go through the cells that the slider below a picture writes as HTML; all else it writes as text."""
    for stop in data.get("words", {}).get("stops", {}).values():
        yield from strings(stop.get("rows", {}))


def _inert_in_a_chart(text: str, mark: str) -> None:
    if mark in text and ("$" in text or acting_tags(text, mark)):
        raise ActingError(f"a chart reads {text[:120]!r}")
