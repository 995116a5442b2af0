"""Visit a page of a running server without a browser."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from benchmarks.classroom.session import Session
from benchmarks.classroom.student import until_over

PATIENCE_SECONDS = 120.0


def visit(url, page, query="", work=None):
    """Open a page, wait for all of it and do some work there; return the session and what the work gave."""

    async def visiting():
        session = Session(url)
        await until_over(session, await session.open(page, query), PATIENCE_SECONDS)
        try:
            return session, await work(session) if work else None
        finally:
            await session.close()

    # In a thread of its own: where a browser is driven, this one has an event loop already.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, visiting()).result()
