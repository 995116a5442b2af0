"""Properties that are computed at their first use."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class lazy_property(Generic[T]):  # noqa: N801  # used as a decorator
    """A property that is computed at its first use and then kept in the instance.

    ``functools.cached_property`` of Python 3.11 locks the whole class while it computes: a page that
    waits in it for the engine would stop the pages of all other visitors. Of two threads that come at once,
    each computes the value here.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        # From now on the instance's own value is found before this descriptor.
        value = vars(instance)[self._name] = self._compute(instance)
        return value
