"""The documentation: Sphinx's settings, and the tables, pictures and playground that the package gives it."""

from __future__ import annotations

import ast
import json
import runpy
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import patch

import plotly.graph_objects as go
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from plotly.offline import get_plotlyjs
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import nysviz as nv
from nysviz.figures.look import DARK
from nysviz.papers.claims import CLAIMS, PAPERS, recorded
from nysviz.papers.findings.texts import FINDINGS
from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.standings import table as standings
from nysviz.playground.standalone import standalone
from nysviz.ui.glossary import terms

project = "nysviz"
author = "the nysviz authors"
version = release = nv.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown", ".ipynb": "markdown"}
exclude_patterns = ["requirements.txt"]
html_static_path = ["_static"]
html_math_renderer = "mathml"  # formulas need no script from elsewhere
html_theme = "furo"
html_title = "nysviz"
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
numpydoc_show_class_members = False
autodoc_typehints = "none"
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

SCRIPTS = sorted((Path(__file__).parent / "gallery").glob("*.py"))


def setup(app: Sphinx) -> None:
    """Put what the package says in place of its marks, and its files beside the pages."""
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    app.connect("source-read", _fill)
    app.connect("build-finished", _write)


def _formula(page: HTML5Translator, node: nodes.Element) -> None:
    page.body.append(tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block)))
    raise nodes.SkipNode


def _fill(app: Sphinx, name: str, source: list[str]) -> None:
    if name.startswith("notebooks/"):
        source[0] = _notebook(source[0], name.removeprefix("notebooks/"))
    for mark, text in TEXTS.items():
        if f"[[{mark}]]" in source[0]:
            source[0] = source[0].replace(f"[[{mark}]]", text())


def _write(app: Sphinx, problem: Exception | None) -> None:
    for name, content in {"playground.html": standalone(), "_static/plotly.js": get_plotlyjs()}.items():
        (Path(app.outdir) / name).write_text(content, encoding="utf-8")


def _twice(show: Callable[[], Any]) -> tuple[Any, Any]:
    """Return what is shown on light and on dark ground."""
    light = show()
    with patch.dict(nv.plot.THEMES, light=DARK):
        return light, show()


def _picture(light: go.Figure, dark: go.Figure) -> str:
    figures = f'{{"light": {light.to_json()}, "dark": {dark.to_json()}}}'.replace("</", "<\\/")
    return f'<div class="picture"></div><script type="application/json">{figures}</script>'


def _scripts(static: str) -> str:
    return f'<script src="{static}/plotly.js"></script><script src="{static}/pictures.js"></script>'


def _gallery() -> str:
    parts = [_scripts("_static")]
    for script in SCRIPTS:
        title, code = script.read_text(encoding="utf-8").removeprefix('"""').split('"""\n\n', 1)
        light, dark = _twice(partial(runpy.run_path, str(script)))
        parts.append(f"## {title}\n\n{_picture(light['figure'], dark['figure'])}\n\n```python\n{code}```")
    return "\n\n".join(parts)


@patch.dict(nv.METHODS)  # a notebook may add to them
def _notebook(content: str, name: str) -> str:
    """Run a notebook and return it as Markdown, with what its cells show."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(content)["cells"]]
    parts = []
    for (kind, text), light, dark in zip(cells, *_twice(lambda: list(_run(cells))), strict=True):
        parts += [f"```python\n{text}\n```", _shown(light, dark)] if kind == "code" else [text]
    return "\n\n".join([*parts, f"{{download}}`This notebook <{name}.ipynb>`", _scripts("../_static")])


def _run(cells: list[tuple[str, str]]) -> Iterator[object]:
    """Yield the value of the last line of each cell."""
    names: dict[str, object] = {}
    for kind, text in cells:
        values: list[object] = [None]
        if kind == "code":
            with patch("sys.displayhook", values.append):
                exec(compile(ast.Interactive(ast.parse(text).body), "cell", "single"), names)
        yield values[-1]


def _shown(light: object, dark: object) -> str:
    if light is None:
        return ""
    if isinstance(light, go.Figure):
        return _picture(light, dark)
    if hasattr(light, "_repr_html_"):
        return f'```{{raw}} html\n<div style="overflow-x: auto">{light._repr_html_()}</div>\n```'
    return f"```text\n{light!r}\n```"


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


def _glossary() -> str:
    lines = (f"{term['name']}\n  {term['text']}\n" for term in terms())
    return "\n".join(["```{glossary}", *lines, "```"])


def _tournament() -> str:
    return standings(recorded_of("tournament"))


def _finding(name: str) -> str:
    light, dark = (nv.studies.findings(name, theme=theme).figures[name] for theme in ("light", "dark"))
    # The first one brings the scripts of all.
    return f"{_scripts('_static') if name == 'gain' else ''}\n\n{_picture(light, dark)}"


TEXTS: dict[str, Callable[[], str]] = {
    "gallery": _gallery, "methods": _methods, "kernels": _kernels, "data": _data, "claims": _claims,
    "glossary": _glossary, "tournament": _tournament,
    **{f"finding-{name}": partial(_finding, name) for name in FINDINGS},
}  # fmt: skip
