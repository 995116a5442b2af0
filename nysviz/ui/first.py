"""Every module of the package, imported in one order; each script of the app imports this one first.

The first visitors of a fresh server begin their pages at once, each in a thread. Two threads that import a
package and a part of it from both ends wait for one another, and Python then gives one of them a module that
is half made. Here all but one wait until everything is there.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import nysviz

# The command line, what a process of its own runs, and what imports scikit-learn, for half a second.
LEFT_OUT = ("nysviz.__main__", "nysviz.datasets.upload.child", "nysviz.features")

ROOT = Path(nysviz.__path__[0]).parent
for file in sorted(ROOT.glob("nysviz/**/*.py")):
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    if not name.startswith(LEFT_OUT):
        import_module(name)
