"""What a page does while results are on their way."""

from concurrent.futures import Future

from nysviz.ui import page


def test_one_wait_for_all_results(monkeypatch):
    there, gone, slow, slower = (Future() for _ in range(4))
    there.set_result(1)
    gone.cancel()
    waits = []
    monkeypatch.setattr(page, "wait", lambda futures, timeout: waits.append((len(futures), timeout)))
    # What was dropped is asked for again: it is not there either.
    assert page.pending([there, slow, gone, slower], 0.5) == [slow, gone, slower]
    assert [seconds for _, seconds in waits if seconds] == [0.5] and waits[0] == (4, 0.5)


def test_formulas_of_several_lines_stand_between_marks_on_lines_of_their_own():
    text = "It is\n\n$$a = b,\n\\quad c = d,$$\n\nwhere $a$ is\n$$e = f$$\nor $$g$$ and\n$$\nh\n$$\n"
    assert page.displayed(text) == (
        "It is\n\n$$\na = b,\n\\quad c = d,\n$$\n\nwhere $a$ is\n$$e = f$$\nor $$g$$ and\n$$\nh\n$$\n"
    )
