"""Count how a tree stands on Streamlit: ``python -m benchmarks.streamlit_names [folder ...]``.

Names that Streamlit does not publish, each once: those imported from its inner modules, attributes with an
underscore, and attributes of the objects that these give. Besides: methods replaced, lines of settings and
address, and selectors on Streamlit's own class names and test ids.
"""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from nysviz.root import ROOT

# What Streamlit documents; DeltaGenerator and ComponentRenderer are the types of what it documents.
PUBLISHED = ("streamlit", "streamlit.testing.v1", "streamlit.errors")
TYPES = {"DeltaGenerator", "ComponentRenderer"}
# Attributes that only a script's context, a runtime, a session or a queue of Streamlit has.
INNER = {
    *("_creating_fragment_id", "_delta_index_map", "_fragment_storage", "_session_mgr", "_session_state"),
    *("cached_message_hashes", "context_info", "cursors", "fragment_id", "fragment_ids_this_run"),
    *("fragment_storage", "is_auto_rerun", "page_script_hash", "parallel_coordinator", "query_string"),
    *("uploaded_file_mgr", "yield_check"),
}
STATE = ("settings", "inputs", "share", "address", "state", "unkept", "bookmarks")
SELECTOR = re.compile(r'\.st[A-Z]\w+|\[data-(?:testid="?\w+"?|stale|variant|selected|tag)[^]]*\]')


def sources(folder: Path) -> list[Path]:
    """Return the files in which Streamlit is used."""
    return [folder / "app.py", *(folder / "pages").glob("*.py"), *(folder / "nysviz").rglob("*.py")]


def _nodes(file: Path) -> Iterator[ast.AST]:
    text = file.read_text("utf-8")
    return iter(ast.walk(ast.parse(text))) if "streamlit" in text else iter(())


def unpublished_of(file: Path) -> set[str]:
    """Return the names that Streamlit does not publish and a file uses."""
    names: set[str] = set()
    for node in _nodes(file):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streamlit"):
            if node.module not in PUBLISHED:
                names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute) and node.attr in INNER:
            names.add(node.attr)
    return names - TYPES


def unpublished(folder: Path) -> list[str]:
    """Return the names that Streamlit does not publish and a tree uses."""
    return sorted(set().union(*map(unpublished_of, sources(folder))))


def replaced(folder: Path) -> list[str]:
    """Return the methods of unpublished classes that a tree replaces."""
    inner, names = set(unpublished(folder)), set()
    for node in chain.from_iterable(map(_nodes, sources(folder))):
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Attribute):
            owner = getattr(target.value, "id", "")
            names |= {f"{owner}.{target.attr}"} & {f"{name}.{target.attr}" for name in inner}
    return sorted(names)


def selectors(folder: Path) -> list[str]:
    """Return the selectors on Streamlit's own names, each as often as it stands there."""
    styles = (folder / "nysviz" / "ui" / "components").glob("*.css")
    return [match for file in styles for match in SELECTOR.findall(file.read_text("utf-8"))]


def state_lines(folder: Path) -> int:
    """Return the lines of settings, address and sharing."""
    files = [folder / "nysviz" / "ui" / f"{name}.py" for name in STATE]
    return sum(len(file.read_text("utf-8").splitlines()) for file in files if file.is_file())


def main(folders: list[Path]) -> None:
    """Print the counts of each tree."""
    for folder in folders:
        names, styles = unpublished(folder), selectors(folder)
        print(f"{folder}")
        print(f"  names not published: {len(names)} ({', '.join(names)})")
        print(f"  methods replaced: {', '.join(replaced(folder)) or 'none'}")
        print(f"  lines of settings, address and sharing: {state_lines(folder)}")
        print(f"  selectors on Streamlit's own names: {len(styles)}, different ones {len(set(styles))}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or [ROOT])
