"""What visitors' files take: counted by session while they are held; large ones are read one at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from nysviz.datasets.upload import limits
from nysviz.engine import Engine, NobodyWaits
from nysviz.ui.admission import UploadMemoryError
from nysviz.ui.sidebar import uploads as module
from nysviz.ui.sidebar.uploads import Uploads, in_turn
from nysviz.ui.watching import PageDrawing
from tests.engine.conftest import Work


def send(uploads, session, size, kept=True):
    uploads.admit(session, size)
    uploads.record_arrival(session, size, is_kept=kept)


def test_a_session_counts_until_it_can_no_longer_come_back():
    uploads = Uploads(100, largest_file=100)
    send(uploads, "anna", 60)
    uploads.hold("anna", 10, 0, (1, 1))
    with pytest.raises(ValueError, match=r"room for 30\sB more"):
        send(uploads, "ben", 50)
    uploads.forget("anna")
    send(uploads, "ben", 50)
    assert uploads.held_bytes() == 50


def test_one_session_leaves_the_others_half_of_the_room():
    uploads = Uploads(100)
    send(uploads, "anna", 30)
    with pytest.raises(UploadMemoryError, match=r"room for 20\sB more of yours") as caught:
        send(uploads, "anna", 30)
    assert uploads.refusal("anna") == str(caught.value) and uploads.refusal("anna") is None
    uploads.settle("anna", 0)
    send(uploads, "anna", 50)
    send(uploads, "ben", 50)
    # A file of the largest size is taken even where that is more than half.
    send(Uploads(100, largest_file=80), "anna", 80)


def test_files_count_while_they_are_read():
    uploads = Uploads(100)
    uploads.admit("anna", 50)
    uploads.settle("anna", 0)
    uploads.admit("ben", 40)
    with pytest.raises(UploadMemoryError, match=r"room for 10\sB more"):
        send(uploads, "cleo", 11)
    assert uploads.held_bytes() == 90
    # One was kept, the other one refused or left.
    uploads.record_arrival("anna", 50, is_kept=True)
    uploads.record_arrival("ben", 40, is_kept=False)
    assert uploads.held_bytes() == 50


def test_a_table_is_refused_by_what_it_takes_beside_its_file():
    uploads = Uploads(10_000_000)
    send(uploads, "ben", 2_000_000)
    send(uploads, "anna", 1_000_000)
    with pytest.raises(ValueError, match=r"table of 1000 rows × 2000 columns takes 16.0\sMB") as caught:
        uploads.hold("anna", 16_000_000, 0, (1000, 2000))
    assert "7.00\N{NO-BREAK SPACE}MB more" in str(caught.value) and "for 437 such rows" in str(caught.value)
    assert uploads.held_bytes() == 3_000_000
    uploads.hold("anna", 7_000_000, 0, (437, 2000))
    assert uploads.held_bytes() == 10_000_000


@pytest.fixture
def sessions(monkeypatch):
    drawings = threading.local()
    monkeypatch.setattr("nysviz.ui.watching.drawing", lambda: drawings.one)
    made = Engine(0, 4)
    monkeypatch.setattr(module, "engine", lambda: made)
    return drawings


def test_large_files_are_read_one_at_a_time_and_a_small_one_beside_them(sessions):
    work = Work()

    def large(name):
        limits.check_small()
        return work.of(name)()

    def script(name):
        sessions.one = PageDrawing(name)
        return in_turn(lambda: large(name))

    names = ["anna", "ben", "cleo"]
    with ThreadPoolExecutor(3) as scripts:
        read = scripts.map(script, names)
        work.stays(1)
        for _ in range(2):
            work.one_more()
            work.stays(1)
        sessions.one = PageDrawing("dora")
        assert in_turn(lambda: 7) == 7
        work.go.release()
    assert list(read) == names and work.most == 1


def test_the_next_file_is_read_after_one_that_failed_but_none_that_nobody_waits_for(sessions):
    sessions.one = PageDrawing("anna")
    with pytest.raises(ZeroDivisionError):
        in_turn(lambda: 1 // 0)
    assert in_turn(lambda: 7) == 7
    sessions.one.over = 0.0
    with pytest.raises(NobodyWaits):
        in_turn(lambda: pytest.fail("it was read"))
