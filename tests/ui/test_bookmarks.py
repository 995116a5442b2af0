"""Bookmarks as a file: a round trip, and files that are something else."""

import json

import pytest

from nysviz.ui.bookmarks import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_BOOKMARKS,
    Bookmark,
    from_file,
    to_file,
)
from nysviz.ui.state import State

PAGES = ["approximate", "compare", "two_balls"]
KEPT = [
    Bookmark("k-means at 5 %", State("compare", {"data": "Iris flowers", "compare_methods": ("a", "b")})),
    Bookmark("<script>alert(1)</script> $x$ **b**", State("two_balls", {"balls_m": "40", "seed": "7"})),
    Bookmark("nothing changed", State("approximate")),
]


def written(*entries, **more):
    return json.dumps({"format": "nysviz bookmarks", "version": 1, "bookmarks": entries, **more}).encode()


def entry(**changed):
    return {"name": "a", "page": "compare", "parameters": {"seed": "3"}} | changed


def test_what_is_saved_is_loaded():
    assert from_file(to_file(KEPT).encode(), PAGES) == (KEPT, 0)


HALF_A_CHARACTER = written(entry(parameters={"data": "\udfff"}))


@pytest.mark.parametrize(
    "content", [b"", b"null", b"\xff\xfe", b"[" * 100_000, b'{"bookmarks": []}', HALF_A_CHARACTER]
)
def test_another_file_is_refused_in_a_sentence(content):
    with pytest.raises(ValueError, match="holds no bookmarks; choose a JSON file"):
        from_file(content, PAGES)


def test_size_and_count_are_bounded():
    with pytest.raises(ValueError, match=r"has 1\.0 MB, bookmarks have at most 1"):
        from_file(b" " * (2**20 + 1), PAGES)
    with pytest.raises(ValueError, match=f"has {MOST_BOOKMARKS + 1} bookmarks"):
        from_file(written(*[entry()] * (MOST_BOOKMARKS + 1)), PAGES)
    assert len(from_file(written(*[entry()] * MOST_BOOKMARKS), PAGES)[0]) == MOST_BOOKMARKS


@pytest.mark.parametrize(
    "wrong",
    [
        entry(page="elsewhere"), entry(page=["compare"]), entry(name="  "), entry(name=3),
        entry(parameters=[]), entry(parameters={f"compare_{k}": "1" for k in range(61)}), "compare", None,
    ],
)  # fmt: skip
def test_what_is_no_bookmark_is_left_out_and_counted(wrong):
    found, refused = from_file(written(wrong, entry()), PAGES)
    assert (found, refused) == ([Bookmark("a", State("compare", {"seed": "3"}))], 1)


def test_only_parameters_of_controls_and_only_texts_are_read():
    parameters = {
        "seed": "3", "own_upload": "x", "state_past": "x", "presentation": "on", "learning_c": "1",
        "compare_view": 3, "compare_norm": "x" * (LONGEST_TEXT + 1), "compare_methods": ["a", 1],
        "compare_scale": [], "two_balls_n": ["1", "2"],
    }  # fmt: skip
    found, _ = from_file(written(entry(name="n" * 200, parameters=parameters)), PAGES)
    assert found == [Bookmark("n" * LONGEST_NAME, State("compare", {"seed": "3", "two_balls_n": ("1", "2")}))]
