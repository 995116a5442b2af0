"""Code for scikit-learn that follows the advice of Recommend and prepares new rows like the upload."""

from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.studies.code import data_code, options_code
from nysviz.studies.scene import File, Scene

INSTALL = "# pip install nysviz, or pip install . in its folder"
# Options of an upload that change rows after reading; a pipeline does the same.
PREPARING = frozenset(("target", "task", "leave_out", "encode", "missing", "scale"))
# Options that make rows from the whole table, which a pipeline cannot do for a new row.
WHOLE = frozenset(("dates", "similarities"))
SCALERS = {"standardise": "StandardScaler()", "unit box": "MinMaxScaler((-1, 1))"}


def feature_code(kernel: Kernel, method: str, m: int, seed: int) -> str:
    """Return the expression of the features."""
    if METHODS[method].data_dependent:
        settings = f"nv.{kernel!r}, method={method!r}, n_components={m}, random_state={seed}"
        return f"nv.NystroemFeatures(\n    {settings}\n)"
    settings = f"n_frequencies={m}, random_state={seed}, orthogonal={method == 'orf'}"
    return f"nv.FourierFeatures({getattr(kernel, 'sigma', None)!r}, {settings})"


def copy_code(scene: Scene, features: str) -> str:
    """Return lines that make the features, whose inner products approximate K."""
    imports, rows, X, _, steps = _prepared(scene)
    model = f"model = make_pipeline({', '.join((*steps, 'features'))})\n" if steps else ""
    maker = "model" if steps else "features"
    # Points of given pairs are made from all of them: a new row has none.
    is_of_pairs = scene.file is not None and "similarities" in dict(scene.file.options)
    new_rows = "" if is_of_pairs else f"; {maker}.transform(new) has new rows"
    if steps:
        imports.append("from sklearn.pipeline import make_pipeline")
    return f"""{_opening(imports)}
{rows}
features = {features}
{model}Z = {maker}.fit_transform({X})  # Z @ Z.T approximates K{new_rows}"""


def prediction_code(scene: Scene, features: str) -> str:
    """Return lines that fit the advised model, and say how well it predicts rows that it has not seen."""
    learner = "RidgeClassifierCV" if scene.data.task == "classification" else "RidgeCV"
    imports, rows, X, y, steps = _prepared(scene)
    imports += [
        "from numpy import logspace",
        f"from sklearn.linear_model import {learner}",
        "from sklearn.model_selection import KFold, cross_val_score",
        "from sklearn.pipeline import make_pipeline",
    ]
    joined = ", ".join((*steps, "features", f"{learner}(logspace(-6, 3, 10))"))
    return f"""{_opening(imports)}
{rows}
features = {features}
model = make_pipeline({joined})
print(cross_val_score(model, {X}, {y}, cv=KFold(5, shuffle=True, random_state=0)).mean())
model.fit({X}, {y})  # model.predict(new) predicts new rows"""


def _opening(imports: list[str]) -> str:
    return "\n".join((INSTALL, "import nysviz as nv", *sorted(imports), ""))


def _prepared(scene: Scene) -> tuple[list[str], str, str, str, list[str]]:
    """Return imports, the lines that read the rows, the names of X and y, and the steps of a pipeline."""
    file = scene.file
    options = {} if file is None else dict(file.options)
    if file is None or ((scale := options.get("scale")) is None and not options.get("encode")):
        return [], f"data = {data_code(scene)}", "data.X", "data.y", []
    scaler = SCALERS.get(str(scale))
    imports = [f"from sklearn.preprocessing import {scaler.partition('(')[0]}"] if scaler else []
    steps = [scaler] if scaler else []
    if WHOLE & set(options):
        # Rows are read unscaled, and scaled in the pipeline.
        other_options = tuple((name, value) for name, value in file.options if name != "scale")
        name = repr(file.name)
        rows = f"data = nv.parse(Path({name}).read_bytes(), {name}{options_code(other_options)})"
        imports.append("from pathlib import Path")
        return imports, rows, "data.X", "data.y", steps
    return _from_table(scene, file, options, imports, steps)


def _from_table(
    scene: Scene, file: File, options: dict[str, object], imports: list[str], steps: list[str]
) -> tuple[list[str], str, str, str, list[str]]:
    """Prepare the columns of the table as it was read: texts as columns of 0 and 1, gaps filled."""
    encoded, name = options.get("encode") or [], repr(file.name)
    texts = list(encoded) if isinstance(encoded, list | tuple) else []
    prefixes = tuple(f"{text} = " for text in texts)
    numbers = [feature for feature in scene.data.feature_names if not feature.startswith(prefixes)]
    target, fill = options.get("target") or None, options.get("missing", "drop")
    reading = options_code((key, value) for key, value in file.options if key not in PREPARING)
    used = [*(numbers + texts if fill == "drop" else []), *([target] if target else [])]
    rows = f"table = read(Path({name}).read_bytes(), {name}{reading}).frame"
    rows += f".dropna(subset={used!r})" if used else ""
    parts = []
    if numbers:
        as_they_are = "'passthrough'" if fill == "drop" else f"SimpleImputer(strategy={fill!r})"
        parts.append(f"({as_they_are}, {numbers!r})")
    if texts:
        parts.append(f'(OneHotEncoder(handle_unknown="ignore", sparse_output=False), {texts!r})')
    columns = ",\n    ".join(parts)
    prepare = f"prepare = make_column_transformer(\n    {columns},\n)"
    imports += ["from pathlib import Path", "from nysviz.datasets.upload import read"]
    imports.append("from sklearn.compose import make_column_transformer")
    if fill != "drop":
        imports.append("from sklearn.impute import SimpleImputer")
    if texts:
        imports.append("from sklearn.preprocessing import OneHotEncoder")
    return imports, f"{rows}\n{prepare}", "table", f"table[{target!r}]", ["prepare", *steps]
