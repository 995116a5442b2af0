"""Properties that are computed at their first use."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from nysviz.lazy import lazy_property


class Page:
    def __init__(self, begun, other_is_ready):
        self.begun, self.other_is_ready, self.calls = begun, other_is_ready, 0

    @lazy_property
    def content(self):
        """What the page shows."""
        self.calls += 1
        self.begun.set()
        return self.other_is_ready.wait(10.0)


def test_one_page_that_waits_does_not_stop_another():
    one, other = Event(), Event()
    with ThreadPoolExecutor(2) as pool:
        pages = [
            pool.submit(lambda page: page.content, Page(*events)) for events in ((one, other), (other, one))
        ]
        assert [page.result() for page in pages] == [True, True]


def test_it_is_computed_once_and_described():
    ready = Event()
    ready.set()
    page = Page(Event(), ready)
    assert page.content is page.content is True and page.calls == 1
    assert Page.content.__doc__ == "What the page shows."
