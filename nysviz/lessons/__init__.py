"""Lessons: guided tours over the pages, as TOML files that a teacher can copy and change.

A lesson is a title, a sentence about it, and at most eight steps. A step names a page and the parameters of
its address, with a few sentences of text and the controls that it hides. The text is Markdown without HTML,
pictures or links to other sites, so a file from anywhere can be shown. A step may ask a question.

Functions that check a lesson take ``pages``, the names of the pages that there are, and
``knows(page, name)``, which tells whether a page can have a control of that name.
"""
