"""Where a redirect may lead, and what counts as secure; the transfers themselves are in test_download."""

import pytest

from nysviz.datasets.transfer import ArchiveError, Transfer, secure


@pytest.mark.parametrize(
    "there, allowed",
    [
        ("https://mirror.example.org/x", True),
        ("https://deep.mirror.example.org/x", True),
        ("https://archive.org/x", True),
        ("http://archive.org/x", False),
        ("http://mirror.example.org/x", False),
        ("https://evilmirror.example.org/x", False),
        ("https://mirror.example.org.evil.net/x", False),
        ("https://archive.org@evil.net/x", False),
        ("ftp://archive.org/x", False),
        ("https:///x", False),
    ],
)
def test_which_redirects_are_followed(there, allowed):
    one = Transfer(10, ["mirror.example.org"])
    if allowed:
        one._may_follow("https://archive.org/file", there)
    else:
        with pytest.raises(ArchiveError, match=r"another host|not secure"):
            one._may_follow("https://archive.org/file", there)


def test_what_is_secure():
    assert secure("https://archive.org/x") and secure("http://127.0.0.1:1/x")
    assert not secure("http://archive.org/x") and not secure("ftp://archive.org/x")
