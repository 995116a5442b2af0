"""No regular expression takes long on any text that its callers let through.

The interpreter's lock is held while a pattern looks for a match: one that backtracks stops every session.
All uses are found in the syntax tree, so that a new pattern is timed as well.
"""

import ast
import importlib
import re
import time
from itertools import product

import pytest

from nysviz.lessons.reading import LONGEST_LINE, TEXT
from tests.security.fuzzing import tried
from tests.security.test_source import FILES, ROOT

pytestmark = pytest.mark.slow

LENGTH, MOST_SECONDS, MOST_IN_ALL = 20_000, 0.1, 60
# Texts that the callers hold shorter.
LIMITS = {"nysviz.lessons.reading: REFUSED": TEXT, "nysviz.lessons.reading: read": LONGEST_LINE}
FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# Methods of pandas' ``.str`` that read a text as a pattern, always or by default.
OF_PANDAS = {"contains", "count", "extract", "findall", "fullmatch", "match", "replace", "split"}
AT_THE_BEGINNING = {"match", "fullmatch"}
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
POOL = [chr(k) for k in (*range(128), 0xA0, 0xB2, 0xE9, 0x2009, 0x2212, 0x661)]
parser = re._parser


def calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner, method = ast.unparse(node.func.value), node.func.attr
            if (owner == "re" and method in FUNCTIONS) or (owner.endswith(".str") and method in OF_PANDAS):
                yield node


def flat(value):
    if isinstance(value, re.Pattern):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [pattern for part in parts for pattern in flat(part)]


def found(statement, names):
    """The patterns of a statement of a module, each with whether it is looked for everywhere in a text."""
    if isinstance(statement, ast.Assign):
        name = statement.targets[0].id
        uses = set(re.findall(rf"\b{name}(?:\[\w+\])?\.(\w+)", SOURCE))
        return [(pattern, not uses or not uses <= AT_THE_BEGINNING) for pattern in flat(names[name])]
    patterns = []
    for call in calls(statement):
        texts = [ast.unparse(part) for part in (*call.args, *(word.value for word in call.keywords))]
        flags = next((text for text in texts if text.startswith("re.")), "0")
        try:
            pattern = re.compile(eval(texts[0], names), eval(flags, names))
        except NameError:
            # Made of what the function finds out.
            pattern = names[statement.name]()
        patterns.append((pattern, call.func.attr not in AT_THE_BEGINNING))
    return patterns


def all_patterns():
    patterns = {}
    for path in FILES:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for one in ast.parse(path.read_text(encoding="utf-8")).body:
            if any(calls(one)):
                name = one.targets[0].id if isinstance(one, ast.Assign) else one.name
                patterns[f"{module}: {name}"] = found(one, vars(importlib.import_module(module)))
    return patterns


PATTERNS = all_patterns()


def singles(part):
    if isinstance(part, parser.SubPattern):
        for node in part:
            if node[0] in (parser.LITERAL, parser.NOT_LITERAL, parser.ANY, parser.IN):
                yield parser.SubPattern(part.state, [node])
            else:
                yield from singles(node[1])
    elif isinstance(part, (tuple, list)):
        for one in part:
            yield from singles(one)


def letters(pattern):
    """One letter for each set of letters that the pattern can tell from others."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    parts = [re._compiler.compile(one, pattern.flags) for one in singles(parsed)]
    pool = [c.encode("latin-1", "ignore") for c in POOL] if isinstance(pattern.pattern, bytes) else POOL
    kinds = {tuple(bool(one.fullmatch(c)) for one in parts): c for c in pool if c}
    # The first of these are what the ends of lines and words are made of.
    return list(dict.fromkeys([*(pool[ord(c)] for c in "\na "), *kinds.values()]))


def check(patterns, length):
    """Try runs of a letter: alone, behind and before another, and of two in turn."""
    for pattern, everywhere in patterns:
        nothing, alphabet = pattern.pattern[:0], letters(pattern)
        for first, run in product([nothing, *alphabet], alphabet):
            for text in (first + run * length, run * length + first, (first + run) * (length // 2)):
                start = time.process_time()
                pattern.fullmatch(text)
                pattern.sub(nothing, text) if everywhere else pattern.match(text)
                taken = time.process_time() - start
                assert taken < MOST_SECONDS, f"{pattern.pattern!r}: {text[:9]!r}…{text[-9:]!r}"


def test_patterns_are_found_where_they_are_used():
    assert len(PATTERNS) > 30 and all(PATTERNS.values())
    assert not re.search(r"^\s*from re import|import re as", SOURCE, re.MULTILINE)
    for code in ('re.sub("a+", "", x)', 'X = re.compile(r"a")', 'frame["x"].str.contains("a|b")'):
        assert list(calls(ast.parse(code)))


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_takes_long(name):
    assert tried(check, [(PATTERNS[name], LIMITS.get(name, LENGTH))], MOST_IN_ALL) == ""


@pytest.mark.parametrize("pattern", [r"[0-9]+\.?[0-9]*e", r"(\s*\d+)+:", r"<[^>]*>", rb"^\s*,"])
def test_a_pattern_that_backtracks_is_found(pattern):
    assert tried(check, [([(re.compile(pattern, re.MULTILINE), True)], LENGTH)], seconds=2)
