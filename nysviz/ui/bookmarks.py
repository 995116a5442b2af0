"""States that somebody wants to come back to: kept in the session, saved as a file, and read from one."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from nysviz.refusal import Refusal
from nysviz.text import counted
from nysviz.ui import address, state
from nysviz.ui.address import LONGEST_TEXT, Value
from nysviz.ui.markdown import plain
from nysviz.ui.state import State

FORMAT, VERSION = "nysviz bookmarks", 1
MOST_BOOKMARKS = 100
LONGEST_NAME = 60
# A page has some twenty parameters; a control for several things holds some twenty texts.
MOST_PARAMETERS, MOST_TEXTS = 60, 60
MOST_MEGABYTES = 1
# A longer list scrolls.
SHOWN, ROW_PIXELS = 6, 52


@dataclass(frozen=True)
class Bookmark:
    """A state with the name that a user gave it."""

    name: str
    state: State


def to_file(kept: Sequence[Bookmark]) -> str:
    """Write bookmarks as JSON."""
    entries = [{"name": one.name, **asdict(one.state)} for one in kept]
    whole = {"format": FORMAT, "version": VERSION, "bookmarks": entries}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def from_file(content: bytes, pages: list[str]) -> tuple[list[Bookmark], int]:
    """Read bookmarks; return those that can be opened here, and how many cannot.

    Parameters that no control of these pages can have are left out. ValueError for what is no such file.
    """
    if (megabytes := len(content) / 2**20) > MOST_MEGABYTES:
        raise Refusal(
            f"The file has {megabytes:.1f} MB, bookmarks have at most {MOST_MEGABYTES}; choose the file that "
            "was saved here."
        )
    try:
        read = json.loads(content.decode("utf-8"))
        # An escape may stand for half a character, which no page and no link can hold.
        json.dumps(read, ensure_ascii=False).encode("utf-8")
    except (UnicodeDecodeError, ValueError, RecursionError):
        read = None
    entries = read.get("bookmarks") if isinstance(read, dict) and read.get("format") == FORMAT else None
    if not isinstance(entries, list):
        raise Refusal("The file holds no bookmarks; choose a JSON file saved here with Save all as a file.")
    if len(entries) > MOST_BOOKMARKS:
        size = counted(len(entries), "bookmark")
        raise Refusal(f"The file has {size}; at most {MOST_BOOKMARKS} can be loaded.")
    found = [one for entry in entries if (one := _bookmark(entry, pages)) is not None]
    return found, len(entries) - len(found)


def _bookmark(entry: Any, pages: list[str]) -> Bookmark | None:
    if not isinstance(entry, dict):
        return None
    name, page, read = entry.get("name"), entry.get("page"), entry.get("parameters")
    if not (isinstance(name, str) and name.strip() and page in pages and isinstance(read, dict)):
        return None
    if len(read) > MOST_PARAMETERS:
        return None
    parameters: dict[str, Value] = {}
    for key, value in read.items():
        texts = value if isinstance(value, list) else [value]
        readable = all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in texts)
        if readable and 0 < len(texts) <= MOST_TEXTS and state.is_known(key, pages):
            parameters[key] = tuple(texts) if isinstance(value, list) else value
    return Bookmark(name.strip()[:LONGEST_NAME], State(page, parameters))


def bookmarks() -> None:
    """Draw the bookmarks of this session: add, open, remove, save and load."""
    kept: list[Bookmark] = st.session_state.setdefault("bookmarks", [])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        label, example = "Name of this state", "k-means at 5 %"
        st.text_input(label, key="bookmark_name", max_chars=LONGEST_NAME, placeholder=example)
        st.button("Add", key="bookmark_add", icon=":material/bookmark_add:", on_click=_add)
    if not kept:
        st.caption("None yet. A bookmark keeps the page with its settings; your files stay out of it.")
    height: Any = ROW_PIXELS * SHOWN if len(kept) > SHOWN else "content"
    with st.container(height=height, border=False, gap="xsmall"):
        for i, one in enumerate(kept):
            name, note = plain(one.name), f"Opens the page {one.state.page.replace('_', ' ')} as it was."
            with st.container(horizontal=True, gap="xsmall"):
                look: dict[str, Any] = {"icon": ":material/bookmark:", "width": "stretch", "help": note}
                st.button(name, key=f"bookmark_open_{i}", on_click=state.go, args=(one.state,), **look)
                key, icon, label = f"bookmark_remove_{i}", ":material/delete:", f"Remove {name}"
                st.button(label, key=key, icon=icon, on_click=_remove, args=(one,), type="tertiary")
    if kept:
        label, file = "Save all as a file", ("nysviz-bookmarks.json", "application/json")
        look = {"icon": ":material/download:", "on_click": "ignore", "width": "stretch"}
        st.download_button(label, lambda: to_file(kept), *file, key="bookmarks_save", **look)
    label, most = "Load a file of bookmarks", MOST_MEGABYTES
    st.file_uploader(label, type="json", key="bookmarks_file", on_change=_load, max_upload_size=most)
    if message := st.session_state.get("bookmarks_message"):
        st.caption(plain(message))


def _say(message: str) -> None:
    st.session_state["bookmarks_message"] = message


def _add() -> None:
    kept, now = st.session_state["bookmarks"], state.current()
    if len(kept) >= MOST_BOOKMARKS:
        _say(f"There are {MOST_BOOKMARKS} bookmarks, which is the most; remove one first.")
        return
    name = st.session_state.get("bookmark_name", "").strip()
    name = name or f"{now.page.replace('_', ' ')} {len(kept) + 1}"
    kept.append(Bookmark(name[:LONGEST_NAME], now))
    st.session_state["bookmark_name"] = ""
    _say("")


def _remove(one: Bookmark) -> None:
    if one in st.session_state["bookmarks"]:
        st.session_state["bookmarks"].remove(one)


def _load() -> None:
    upload, kept = st.session_state.get("bookmarks_file"), st.session_state["bookmarks"]
    if upload is None:
        _say("")
        return
    try:
        found, refused = from_file(upload.getvalue(), address.page_names())
    except Refusal as problem:
        _say(str(problem))
        return
    new = [one for one in found if one not in kept][: MOST_BOOKMARKS - len(kept)]
    kept.extend(new)
    left_out = len(found) - len(new) + refused
    why = f"here already, of a page that is not here, no bookmarks, or more than {MOST_BOOKMARKS}"
    _say(f"{len(new)} loaded" + (f", {left_out} left out: {why}." if left_out else "."))
