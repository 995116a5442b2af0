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

from nysviz.lessons.reading import LONGEST_LINE
from nysviz.lessons.text import MOST_CHARACTERS as MOST_OF_A_LESSON
from tests.security.fuzzing import tried
from tests.security.test_source import FILES, ROOT

LENGTH, MOST_SECONDS, MOST_IN_ALL = 20_000, 0.1, 60
# Texts that the callers hold shorter.
LIMITS = {"lessons/text.py: REFUSED": MOST_OF_A_LESSON, "lessons/reading.py: _syntax": LONGEST_LINE}
FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# Methods of pandas' ``.str`` that read a text as a pattern, always or by default.
OF_PANDAS = {"contains", "count", "extract", "findall", "fullmatch", "match", "replace", "split"}
AT_THE_BEGINNING = {"match", "fullmatch"}
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
POOL = [chr(k) for k in (*range(128), 0xA0, 0xB2, 0xE9, 0x2009, 0x2212, 0x661)]


def reads_a_pattern(call):
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value
    return (isinstance(owner, ast.Name) and owner.id == "re" and function.attr in FUNCTIONS) or (
        isinstance(owner, ast.Attribute) and owner.attr == "str" and function.attr in OF_PANDAS
    )


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and reads_a_pattern(node)]


def flat(value):
    if isinstance(value, re.Pattern):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [pattern for part in parts for pattern in flat(part)]


def scans(name):
    """Whether a pattern is looked for at every place of a text, and not at its beginning alone."""
    uses = set(re.findall(rf"\b{name}(?:\[\w+\])?\.(\w+)", SOURCE))
    return not uses or not uses <= AT_THE_BEGINNING


def found(statement, names):
    """The patterns of a statement of a module, each with whether it is looked for at every place."""
    if isinstance(statement, ast.Assign):
        name = statement.targets[0].id
        return [(pattern, scans(name)) for pattern in flat(names[name])]
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
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not (statements := [statement for statement in tree.body if calls(statement)]):
            continue
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        names = vars(importlib.import_module(name))
        for one in statements:
            called = one.targets[0].id if isinstance(one, ast.Assign) else one.name
            key = f"{path.relative_to(ROOT / 'nysviz')}: {called}"
            patterns[key] = patterns.get(key, []) + found(one, names)
    return patterns


PATTERNS = all_patterns()


def letters(pattern):
    """One letter for each set of letters that the pattern can tell from others."""
    singles, parser = [], re._parser

    def look(part):
        if isinstance(part, parser.SubPattern):
            for node in part:
                if node[0] in (parser.LITERAL, parser.NOT_LITERAL, parser.ANY, parser.IN):
                    one = parser.SubPattern(part.state, [node])
                    singles.append(re._compiler.compile(one, pattern.flags & ~re.DEBUG))
                else:
                    look(node[1])
        elif isinstance(part, (tuple, list)):
            for one in part:
                look(one)

    look(parser.parse(pattern.pattern, pattern.flags))
    pool = [c.encode("latin-1", "ignore") for c in POOL] if isinstance(pattern.pattern, bytes) else POOL
    kinds = {tuple(bool(one.fullmatch(c)) for one in singles): c for c in pool if c}
    # The first of these are what the ends of lines and words are made of.
    return list(dict.fromkeys([*(pool[ord(c)] for c in "\na "), *kinds.values()]))


def slowest(pattern, length, everywhere):
    """Return the most seconds that a run of letters takes, alone, between two others, or of two in turn."""
    most, nothing = 0.0, pattern.pattern[:0]
    look = (lambda text: pattern.sub(nothing, text)) if everywhere else pattern.match
    alphabet = letters(pattern)
    for first, second in product(alphabet, [nothing, *alphabet]):
        for text in (first + second * length, second * length + first, (first + second) * (length // 2)):
            start = time.process_time()
            look(text)
            pattern.fullmatch(text)
            most = max(most, time.process_time() - start)
            ends = f"{text[:9]!r}…{text[-9:]!r}"
            assert most < MOST_SECONDS, f"{pattern.pattern!r} takes {most:.1f} s for {ends}"
    return most


def all_in_time(patterns, length):
    for pattern, everywhere in patterns:
        slowest(pattern, length, everywhere)


def test_patterns_are_found_where_they_are_used():
    assert len(PATTERNS) > 30 and all(PATTERNS.values())
    assert not re.search(r"^\s*from re import|import re as", SOURCE, re.MULTILINE)
    for code in ('re.sub("a+", "", x)', 'X = re.compile(r"a")', 'frame["x"].str.contains("a|b")'):
        assert calls(ast.parse(code))


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_takes_long(name):
    length = LIMITS.get(name, LENGTH)
    assert tried(all_in_time, PATTERNS[name], length, seconds=MOST_IN_ALL).problem == ""


@pytest.mark.parametrize("pattern", [r"[0-9]+\.?[0-9]*e", r"(\s*\d+)+:", r"<[^>]*>", rb"^\s*,"])
def test_a_pattern_that_backtracks_is_found(pattern):
    pattern = re.compile(pattern, re.MULTILINE)
    assert tried(all_in_time, [(pattern, True)], LENGTH, seconds=2).problem
