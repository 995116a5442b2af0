"""Two sessions on one server: neither sees, nor leaves behind, anything of the other's file."""

import logging

import numpy as np
import pytest

import nysviz as nv
from nysviz.engine.results import size_of
from nysviz.engine.shared import engine
from tests.pages.driving import VIEWS, charts, settle, unopened
from tests.pairing import quickly
from tests.security.sent import messages, texts

# Names that occur nowhere else, and a value that no other data have.
COLUMNS, LABELS, VALUE = ("zebrafinch", "quokkaweight"), ("numbatred", "wombatblue"), 7.31415926535
SECRETS = (*COLUMNS, *LABELS, "echidnafile", "31415926535")
# Of another visitor, whose file has the same numbers.
OTHERS = ("bilbylength", "kowariwidth", "dingotan", "quollgrey", "potoroofile")
PAGES = ("approximate", "steps", "spectrum", "data", "kernel_pca", "clusters", "bounds")
ALL_VIEWS = VIEWS | {page: (page, {}) for page in PAGES}


def own_file(a=SECRETS[0], b=SECRETS[1], low=SECRETS[2], high=SECRETS[3], name=SECRETS[4]):
    rng = np.random.default_rng(3)
    rows = [f"{VALUE + x},{y},{high if x > 0 else low}" for x, y in rng.standard_normal((60, 2))]
    return nv.parse("\n".join([f"{a},{b},class", *rows]).encode(), f"{name}.csv")


def opened(view, data):
    at = unopened(*ALL_VIEWS[view], data)
    at.session_state["own_name"] = f"{data.name}.csv"
    return at


def words(value, seen):
    if id(value) in seen or isinstance(value, (type, np.ndarray, int, float)):
        return
    seen.add(id(value))
    if isinstance(value, (str, bytes)):
        yield value if isinstance(value, str) else value.decode(errors="replace")
        return
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, (tuple, list, set, frozenset)):
        parts = list(value)
    else:
        parts = list(getattr(value, "__dict__", {}).values())
    for part in parts:
        yield from words(part, seen)


def shared_text():
    kept = engine().results
    return "\n".join(
        words([dict(kept.small_results), dict(kept.large_results), dict(kept.results_in_use)], set())
    )


@pytest.mark.parametrize("view", quickly(("approximate", "learning"), ALL_VIEWS))
def test_neither_a_page_nor_a_cache_holds_a_name_of_another_visitors_file(view):
    assert own_file().digest == own_file(*OTHERS).digest
    for data, names in ((own_file(), OTHERS), (own_file(*OTHERS), SECRETS[:5])):
        at = settle(opened(view, data))
        sent = "\n".join(text for message in messages(at) for _, text in texts(message))
        assert data.name in sent and [name for name in names if name in sent] == []
    kept = shared_text()
    assert kept
    assert [(name, kept[: kept.index(name)][-90:]) for name in SECRETS + OTHERS if name in kept] == []


@pytest.mark.parametrize("page", quickly(("approximate",), ("approximate", "steps")))
def test_two_files_of_equal_numbers_in_one_session_keep_the_names_of_their_own_columns(page):
    files = own_file(), own_file(*OTHERS)
    at = opened(page, files[0])
    at.query_params["axes"] = "two features"
    for mine, other in (files, files[::-1]):
        at.session_state["own_data"] = mine
        drawn = str([figure["layout"] for figure in charts(settle(at)).values()])
        assert all(name in drawn for name in mine.feature_names)
        assert not any(name in drawn for name in other.feature_names)


def test_a_failure_on_a_visitors_file_leaves_nothing_of_it_in_the_log(monkeypatch, caplog, capfd):
    from nysviz.ui.sidebar import data_choice

    def fail(data):
        raise KeyError(f"{data.feature_names} {data.X[0]} {data.classes}")

    monkeypatch.setattr(data_choice, "describe_data", fail)
    with caplog.at_level(logging.DEBUG):
        at = opened("approximate", own_file()).run()
    out, problem = capfd.readouterr()
    told = caplog.text + out + problem + "".join(str(one.value) for one in at.exception)
    assert at.exception and "describe_data" in told, "an operator must be able to find the place"
    assert [secret for secret in SECRETS if secret in told] == []


def test_what_a_session_holds_is_little_more_than_its_file():
    data = own_file()
    at = opened("approximate", data)
    settle(at)
    state = at.session_state._state
    held = {key: size_of(state[key]) for key in state.filtered_state}
    assert sum(held.values()) <= 3_000_000 + 3 * size_of(data), held
