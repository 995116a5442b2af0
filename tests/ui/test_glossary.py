"""The glossary: terms of pages that there are, two sentences each."""

import re

from nysviz.ui.glossary import glossary, terms
from nysviz.ui.lesson_bar import shown_pages


def test_every_page_has_terms_and_every_term_a_page_and_two_sentences():
    assert {page for term in terms() for page in term.pages} == set(shown_pages())
    assert len({term.name for term in terms()}) == len(terms()) >= 40
    for term in terms():
        bare = re.sub(r"\$.*?\$", "x", re.sub(r"et al\.(?! The)", "and others", term.text))
        assert len(re.findall(r"[.](?= |$)", bare)) == 2, term.name
        assert f"**{term.name}.** {term.text}" in glossary(term.pages[0])
