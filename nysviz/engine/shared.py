"""Functions of plain values that are computed once, by the one engine of this process.

The key of a result is its function and the content of the arguments, so it may depend on nothing else. It
must not hold the name of a visitor's file or columns: two visitors may send equal numbers.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from tqdm.auto import tqdm

from nysviz.engine import budget
from nysviz.engine.engine import Engine
from nysviz.engine.once_a_process import OnceAProcess
from nysviz.engine.runs import Run
from nysviz.numerics import memory

P = ParamSpec("P")
T = TypeVar("T")

LOOK_SECONDS = 0.1


class Caller:
    """A script or a notebook, which waits for what it asks for until it is interrupted."""

    session = ""

    def __init__(self) -> None:
        self.is_over = False

    def is_newest(self) -> bool:
        """Whether it still waits."""
        return not self.is_over

    waits = is_newest


class Host:
    """Access to the engine of this process, here for scripts and notebooks; the app's host is for pages."""

    def make_engine(self) -> Engine:
        """Return the engine of this process, which is made once."""
        return Engine(int(budget.RESULTS * budget.memory_budget()))

    def once(self, key: Hashable, compute: Callable[[], T], holds: float) -> T:
        """Return the result of this key, and wait for it where it is not there."""
        caller = Caller()
        try:
            return engine().get(key, compute, caller, holds=holds)
        finally:
            caller.is_over = True


_hosts = [Host()]


def install(host: Host) -> None:
    """Replace the host of this process."""
    _hosts[:] = [host]


@OnceAProcess
def engine() -> Engine:
    """Return the one engine of this process."""
    return _hosts[0].make_engine()


def once(key: Hashable, compute: Callable[[], T], *, holds: float = 0.0) -> T:
    """Return the result of the key, or wait for it here; ``holds`` is that of ``Engine.get``."""
    return _hosts[0].once(key, compute, holds)


def shared(holds: Callable[..., float] | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Compute a function once for all its callers: further calls return the cached result.

    ``holds`` are the bytes that a call holds meanwhile, by default those of the kernel matrix of its data.
    """

    def decorate(compute: Callable[P, T]) -> Callable[P, T]:
        @wraps(compute)
        def shared_function(*arguments: P.args, **named: P.kwargs) -> T:
            assert not named, "the position of a value is part of the result's name"
            key, holds = key_of(compute, *arguments), bytes_of(shared_function, arguments)
            return once(key, partial(compute, *arguments), holds=holds)

        vars(shared_function)["holds"] = holds
        return shared_function

    return decorate


def key_of(compute: Callable[..., object], *arguments: object) -> tuple[Hashable, ...]:
    """Name a result by its function and the content of the arguments."""
    content = (getattr(value, "content", getattr(value, "digest", value)) for value in arguments)
    return (f"{compute.__module__}.{compute.__qualname__}", *content)


def bytes_of(compute: Callable[..., object], arguments: Sequence[object]) -> float:
    """Return the bytes that a call of a shared function holds."""
    holds: Callable[..., float] | None = getattr(compute, "holds", None)
    if holds is not None:
        return holds(*arguments)
    rows = [getattr(getattr(value, "data", value), "n", 0) for value in arguments]
    return memory.matrix_bytes(max(rows, default=0))


def wait_for_run(run: Run, label: str) -> Run:
    """Wait for a run and return it; with progress, and Ctrl-C keeps the records that are there.

    Raises
    ------
    Exception
        What a job has raised.
    """
    caller = Caller()
    run.watch(caller)
    with tqdm(desc=label, leave=False) as bar:
        try:
            while not run.over.wait(LOOK_SECONDS):
                bar.total, bar.n = run.progress.total or None, run.progress.done
                bar.refresh()
        except KeyboardInterrupt:
            bar.write(f"{label}: stopped after {run.progress.done} of {run.progress.total}.")
        finally:
            caller.is_over = True
    if run.error is not None:
        raise run.error
    return run
