"""What is remembered of who looks at what is little, and nothing of what a page was drawn with."""

import gc

from streamlit.testing.v1 import AppTest

from nysviz.ui import watching


def page():
    from nysviz.ui import watching

    watching.drawing()


def test_runs_of_a_page_that_are_over_are_told_apart_and_not_kept(monkeypatch):
    monkeypatch.setattr(watching, "_sessions", {})
    app = AppTest.from_function(page)
    for _ in range(3):
        app.run()
    gc.collect()
    (session,) = watching._sessions.values()
    assert len(session.runs) == 3
    # A run holds its script's context, with the state of all controls.
    assert all(run() is None for run in session.runs)
