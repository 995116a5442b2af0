"""Every module of the package, imported in one order; each script of the app imports this one first.

The first visitors of a fresh server begin their pages at once, each in a thread. Two threads that import a
package and a part of it from both ends wait for one another, and Python then gives one of them a module that
is half made. Here all but one wait until everything is there.
"""

from importlib import import_module
from pkgutil import walk_packages

import nysviz

# The command line, and what a process of its own runs.
SCRIPTS = ("nysviz.__main__", "nysviz.datasets.upload.child")

for module in walk_packages(nysviz.__path__, "nysviz."):
    if module.name not in SCRIPTS:
        import_module(module.name)
