"""The folder of the start script, the pages and the bundled data."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
# A wheel has them within the package, a checkout beside it.
ROOT = _PACKAGE / "laboratory" if (_PACKAGE / "laboratory").is_dir() else _PACKAGE.parent
