"""A study as Python: the lines of a script, and a notebook."""

from collections.abc import Iterable, Mapping
from inspect import Parameter, signature

from nysviz.studies.scene import Scene
from nysviz.studies.study import Study

WIDTH = 88


def script_of(study: Study) -> str:
    """Return the script that gives the study's answer: data, kernel, call and results."""
    return "\n".join((*opening_lines(study), *call_lines(study), "print(result.answer)"))


def notebook_of(study: Study, charts: Iterable[str]) -> str:
    """Return the study with these charts as a Jupyter notebook without outputs."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = [
        new_markdown_cell(f"# {study.question}"),
        new_code_cell("\n".join(opening_lines(study)).rstrip()),
        new_code_cell("\n".join((*call_lines(study), "print(result.answer)"))),
        *(new_code_cell(f'result.figures["{name}"]') for name in charts),
        new_code_cell("result.table"),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # by default drawn at random
    return nbformat.writes(new_notebook(cells=cells))


def opening_lines(study: Study) -> list[str]:
    """Return the lines before the call: the import, and data and kernel where the call takes them."""
    scene, parameters = study.scene, _parameters(study)
    # A study of recorded runs has no scene.
    lines = [f"data = {data_code(scene)}"] if "data" in parameters else []
    lines += [f"kernel = nv.{scene.kernel!r}"] if "kernel" in parameters else []
    return ["import nysviz as nv", "", *lines]


def data_code(scene: Scene) -> str:
    """Return the expression that loads all of the data."""
    data = scene.data if scene.whole is None else scene.whole
    if scene.file is not None:
        # Control characters and quotes are escaped by repr.
        name = repr(scene.file.name)
        return f'nv.parse(open({name}, "rb").read(), {name}{options_code(scene.file.options)})'
    return f'nv.load("{data.name}"{options_code(scene.settings)})'


def options_code(options: Iterable[tuple[str, object]]) -> str:
    """Return options as the last arguments of a call."""
    return "".join(f", {name}={value!r}" for name, value in options)


def call_lines(study: Study) -> list[str]:
    """Return the call that makes the study, with what differs from the defaults."""
    parameters = _parameters(study)
    positions = [name for name in ("data", "kernel") if name in parameters]
    arguments = positions + [
        f"{name}={_plain(value)!r}" for name, value in changed(study.arguments(), parameters).items()
    ]
    line = f"result = nv.studies.{study.name}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return [line]
    return [f"result = nv.studies.{study.name}(", *(f"    {argument}," for argument in arguments), ")"]


def _parameters(study: Study) -> Mapping[str, Parameter]:
    """Return the parameters of the function that makes the study."""
    from nysviz import studies

    return signature(getattr(studies, study.name)).parameters


def changed(arguments: Mapping[str, object], parameters: Mapping[str, Parameter]) -> dict[str, object]:
    """Return the arguments that differ from the defaults of a function."""
    return {
        name: value for name, value in arguments.items() if _plain(value) != _plain(parameters[name].default)
    }


def _plain(value: object) -> object:
    """Return a list for a tuple, as a caller writes it."""
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
