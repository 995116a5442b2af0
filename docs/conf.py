"""The documentation: Sphinx's settings, and the tables, pictures and playground that the package gives it."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import patch

from plotly.offline import get_plotlyjs
from sphinx.application import Sphinx

import nysviz as nv
from nysviz.figures.look import DARK
from nysviz.papers.claims import CLAIMS, PAPERS, recorded
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.standings import table as standings
from nysviz.playground.standalone import standalone

project = "nysviz"
author = "the nysviz authors"
version = release = nv.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["requirements.txt"]
html_theme = "furo"
html_title = "nysviz"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
numpydoc_show_class_members = False
autodoc_typehints = "none"
myst_heading_anchors = 3

SCRIPTS = sorted((Path(__file__).parent / "gallery").glob("*.py"))
# Draws each picture in the colours of the page, and again where these are changed.
DRAW = """
const dim = matchMedia("(prefers-color-scheme: dark)");
const draw = () => document.querySelectorAll(".picture").forEach(box => {
  const theme = document.body.dataset.theme;
  const figure = FIGURES[box.id][theme === "dark" || (theme !== "light" && dim.matches) ? "dark" : "light"];
  Plotly.react(box, figure.data, figure.layout, {responsive: true, displaylogo: false});
});
document.addEventListener("DOMContentLoaded", () => {
  draw();
  dim.addEventListener("change", draw);
  new MutationObserver(draw).observe(document.body, {attributeFilter: ["data-theme"]});
});
"""


def setup(app: Sphinx) -> None:
    """Put what the package says in place of its marks, and its files beside the pages."""
    app.connect("source-read", _fill)
    app.connect("build-finished", _write)


def _fill(app: Sphinx, name: str, source: list[str]) -> None:
    for mark, text in TEXTS.items():
        if f"[[{mark}]]" in source[0]:
            source[0] = source[0].replace(f"[[{mark}]]", text())


def _write(app: Sphinx, problem: Exception | None) -> None:
    figures = json.dumps({script.stem: _drawn(script) for script in SCRIPTS})
    made = {
        "playground.html": standalone(),
        "_static/plotly.js": get_plotlyjs(),
        "_static/figures.js": f"const FIGURES = {figures};{DRAW}",
    }
    for name, content in made.items():
        (Path(app.outdir) / name).write_text(content, encoding="utf-8")


def _drawn(script: Path) -> dict[str, Any]:
    light = runpy.run_path(str(script))["figure"]
    with patch.dict(nv.plot.THEMES, light=DARK):
        dark = runpy.run_path(str(script))["figure"]
    return {"light": json.loads(light.to_json()), "dark": json.loads(dark.to_json())}


def _gallery() -> str:
    parts = ['<script src="_static/plotly.js"></script><script src="_static/figures.js"></script>']
    for script in SCRIPTS:
        title, code = script.read_text(encoding="utf-8").removeprefix('"""').split('"""\n\n', 1)
        parts.append(f'## {title}\n\n<div class="picture" id="{script.stem}"></div>\n\n```python\n{code}```')
    return "\n\n".join(parts)


def _table(head: str, rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, "|".join("---" for _ in head.split("|"))]
    lines += (" | ".join(_plain(cell) for cell in row) for row in rows)
    return "\n".join(f"| {line} |" for line in lines)


def _plain(text: object) -> str:
    """Return text that Markdown leaves as it is."""
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>#|$" else letter for letter in str(text))


def _methods() -> str:
    rows = ((name, one.label, one.sentence, one.source) for name, one in nv.METHODS.items())
    return _table("name | method | what it does | source", rows)


def _kernels() -> str:
    rows = ((name, kind.label, (kind.__doc__ or "").splitlines()[0]) for name, kind in nv.KERNELS.items())
    return _table("name | kernel | formula", rows)


def _data() -> str:
    rows = ((one.name, one.title, f"{one.n} × {one.d}", one.kind, one.paper) for one in nv.catalog())
    return _table("name | data set | n × d | kind | paper", rows)


def _claims() -> str:
    records, parts = recorded(), []
    for paper, claims in groupby(CLAIMS.values(), key=lambda claim: claim.paper):
        parts.append(f"## {PAPERS[paper]}")
        for claim in claims:
            found = claim.judge(records)
            parts.append(f"({claim.id})=\n### {claim.id}: {found.label}")
            parts.append(f"{_plain(claim.statement)} ({_plain(claim.place)})\n\n{_plain(found.statistic)}")
    return "\n\n".join(parts)


def _tournament() -> str:
    return standings(recorded_of("tournament"))


TEXTS: dict[str, Callable[[], str]] = {
    "gallery": _gallery, "methods": _methods, "kernels": _kernels, "data": _data, "claims": _claims,
    "tournament": _tournament,
}  # fmt: skip
