"""Honest files are read as an expert reads them; what an upload cannot know it leaves open, and says so."""

import numpy as np
import pytest

from nysviz.datasets.upload import build, read, summarise
from tests.datasets.honest_files import Honest, honest_files

pytestmark = pytest.mark.usefixtures("warm_reader")
LEAST_RIGHT = 0.98


def differences(file: Honest) -> dict[str, bool]:
    """Return what was read otherwise than by an expert, and whether a note says so."""
    reading = read(file.content, file.name)
    found, data = summarise(reading), build(reading, file.name)
    notes = " ".join(data.notes)
    wrong: dict[str, bool] = {}
    if found.table.header != file.header:
        wrong["header"] = False
    if found.target != file.target:
        wrong["target"] = found.target_reason in notes if found.target else "No target was found" in notes
    elif data.task != file.task:
        wrong["task"] = "The numbers of the target are taken as" in notes
    odd = (set(data.feature_names) ^ set(file.features)) - {found.target, file.target}
    if odd:
        wrong["features"] = all(f"'{name}'" in notes for name in odd)
    if wrong:
        return wrong
    if data.X.shape != file.X.shape or not np.allclose(data.X, file.X, rtol=1e-12, atol=1e-12):
        wrong["cells"] = False
    if file.y is not None:
        y = [data.classes[k] for k in data.y] if isinstance(file.y[0], str) else data.y
        if list(y) != list(file.y):
            wrong["labels"] = False
    return wrong


@pytest.mark.filterwarnings("ignore")
def test_honest_files_are_read_as_an_expert_reads_them():
    files = honest_files()
    assert len(files) >= 400 and len({file.name for file in files}) == len(files)
    wrong = {file.name: found for file in files if (found := differences(file))}
    assert len(wrong) <= (1 - LEAST_RIGHT) * len(files), wrong
    silent = {name: found for name, found in wrong.items() if not all(found.values())}
    assert not silent
