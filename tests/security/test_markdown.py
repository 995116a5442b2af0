"""Names in Markdown: what an escape does not stop, and what is meant to be a link."""

import re

import pytest

import nysviz as nv
from nysviz.ui.markdown import JOINER, plain


@pytest.mark.parametrize(
    "name",
    [
        "www.evil.invalid", "see WWW.evil.invalid", "http://evil.invalid/x", "HTTPS://evil.invalid",
        "me@evil.invalid", ":material/home:", ":streamlit:", ":smile:", "a -> b", "a <- b", "a -- b",
    ],
)  # fmt: skip
def test_what_the_browser_reads_after_the_escapes_is_parted(name):
    # These are the forms that it looks for, once the backslashes are gone.
    reads = r"(?i)www\.|https?://|\w@\w|:[\w/+-]+:|->|<-|--"
    assert re.search(reads, name)
    shown = re.sub(r"\\(.)", r"\1", plain(name))
    assert not re.search(reads, shown) and shown.replace(JOINER, "") == name


def test_ordinary_names_have_nothing_in_them_that_cannot_be_seen():
    for name in ("petal length (cm)", "x1", "3.5", "f_1", "wwww", "Iris flowers", "ratio: 10 %", "naïve <b>"):
        assert JOINER not in plain(name)
        assert re.sub(r"\\(.)", r"\1", plain(name)) == name


def test_addresses_of_the_catalog_stay_links():
    addresses = {card.source for card in nv.catalog() if card.source.startswith("http")}
    assert len(addresses) > 5
    for address in addresses:
        assert JOINER not in plain(f"get it by hand ({address}), or")
    # The same host without the path could go on with another one.
    assert JOINER in plain("https://archive.ics.uci.edu@evil.invalid")
