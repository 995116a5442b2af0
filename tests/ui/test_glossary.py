"""The glossary: terms of pages that there are."""

from nysviz.ui.glossary import glossary, terms
from nysviz.ui.lesson_bar import shown_pages


def test_every_page_has_terms_and_every_term_a_page():
    assert {page for term in terms() for page in term.pages} == set(shown_pages())
    assert len({term.name for term in terms()}) == len(terms()) >= 40
    assert all(f"**{term.name}.** {term.text}" in glossary(term.pages[0]) for term in terms())
