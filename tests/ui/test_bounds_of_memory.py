"""Nothing that outlives a request grows without a bound: every cache of the package is known here."""

import re
from pathlib import Path

import pytest

from nysviz import machine, memory
from nysviz.engine import budget
from nysviz.ui.asking import engine

PACKAGE = Path(__file__).resolve().parents[2] / "nysviz"
# What each cache is bounded by, by file. A new one must be added with its bound, which a test has to check.
KNOWN = {
    # Without arguments, so they hold one value each: the pool, the loaded libraries, the cores granted.
    "blocks.py": {"@cache": 3},
    # One number each, by the folder or file it is read from: a new one takes its place.
    "machine.py": {"TTLCache": 4},
    # Without arguments: the patterns of what is not plain text.
    "ui/markdown.py": {"@cache": 1},
    # Without arguments: the terms.
    "ui/glossary.py": {"@cache": 1},
    # The measured speeds of this machine.
    "landmarks/cost.py": {"@cache": 1},
    # FAILURES exceptions, whose tracebacks hold no values.
    "engine/engine.py": {"TTLCache": 1},
    # The third holds nothing by itself: what lives elsewhere.
    "engine/results.py": {"LRUCache": 2, "WeakValueDictionary": 1},
    "engine/runs.py": {"LRUCache": 2},
    # One engine, one set of runs, one count of uploads.
    "ui/asking.py": {"cache_resource": 1},
    # A routine each, of six.
    "lapack/routines.py": {"@cache": 1},
    # The cards of the newest catalog file.
    "datasets/cards.py": {"lru_cache": 1},
    # Rows of 16 data sets, a few hundred each.
    "papers/zhang2008/claims.py": {"lru_cache": 1},
    # The lessons of the folders, MOST_LESSONS of them.
    "ui/lesson_bar.py": {"lru_cache": 1},
    # Names of the pages' files.
    "ui/address.py": {"lru_cache": 1},
    "ui/running.py": {"cache_resource": 1},
    "ui/sidebar/uploads.py": {"cache_resource": 1},
    # Held only while a problem lives.
    "sweep/problem.py": {"WeakValueDictionary": 1},
    # Numbers, by the ranks of 50 pairs at most.
    "sweep/ranking.py": {"lru_cache": 1},
}
MAKERS = re.compile(
    r"(?<![\w.`])(?:@(?:functools\.)?(cache|lru_cache)\b|@st\.(cache_resource|cache_data)\b"
    r"|(?:\w+\.)*(LRUCache|TTLCache|LFUCache|OrderedDict|WeakValueDictionary|WeakKeyDictionary)(?:\[[^=]*\])?\()"
)


def caches():
    """Makers of caches by file, counted."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for match in MAKERS.finditer(path.read_text(encoding="utf-8")):
            name = next(group for group in match.groups() if group)
            name = "@cache" if name == "cache" else name
            counts = found.setdefault(str(path.relative_to(PACKAGE)), {})
            counts[name] = counts.get(name, 0) + 1
    return found


def test_every_cache_is_known():
    assert caches() == KNOWN


@pytest.mark.parametrize("gib", [0.5, 1, 2, 4, 16, 64])
def test_the_default_leaves_room_for_the_work(gib, monkeypatch):
    monkeypatch.delenv("NYSVIZ_CACHE_MB", raising=False)
    monkeypatch.setattr(machine, "limit_bytes", lambda: int(gib * 2**30))
    kept = budget.memory_budget()
    assert kept <= budget.LARGEST and kept <= max(budget.SMALLEST, budget.MEMORY_SHARE * gib * 2**30)
    assert budget.matrix_bytes() <= 8 * 4_500**2
    if gib >= 1:
        # Python with its libraries, what is kept, and heavy work on a matrix beside another.
        assert 400 * 2**20 + kept + 2 * 3 * budget.matrix_bytes() <= gib * 2**30


@pytest.mark.parametrize("megabytes, said", [(512, "This server has 537\N{NO-BREAK SPACE}MB"), (768, None)])
def test_less_memory_than_is_needed_is_said_at_the_start_and_on_the_page(
    monkeypatch, caplog, megabytes, said
):
    monkeypatch.setattr(machine, "limit_bytes", lambda: megabytes * 2**20)
    monkeypatch.setattr(memory.Shortage, "is_on", lambda self: False)
    monkeypatch.setattr("nysviz.ui.asking.warm", lambda: None)
    engine.__wrapped__()
    logged = [record.message for record in caplog.records if record.name == "nysviz"]
    assert logged == ([] if said is None else [budget.warning()])
    assert said is budget.warning() is None or said in budget.warning()
