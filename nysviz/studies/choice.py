"""One way to approximate a kernel matrix: a method, its number of landmarks and its options."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.counts import checked_sequence, quoted
from nysviz.nystroem.approximation import checked_kernel, checked_method
from nysviz.refusal import Refusal
from nysviz.studies.landmark_counts import first_percent, offered_counts
from nysviz.studies.matrices import Options
from nysviz.studies.scene import Scene, head


@dataclass(frozen=True)
class Choice:
    """A method, how many landmarks, and the method's own options."""

    method: str
    m: int
    options: Options = ()

    @classmethod
    def of(cls, scene: Scene, method: str, m: int | None, options: Mapping[str, object] | None) -> Self:
        """Return what a study's arguments say; without m, about 5 % of the rows."""
        m = offered_counts(scene.data.n)[first_percent(scene.data.n)] if m is None else m
        defaults = {option.name: option.default for option in METHODS[method].options}
        return cls(method, m, tuple({**defaults, **(options or {})}.items()))

    @property
    def label(self) -> str:
        """The method's name in words."""
        return METHODS[self.method].label

    @property
    def changed_options(self) -> dict[str, object]:
        """The options that differ from the method's defaults."""
        defaults = {option.name: option.default for option in METHODS[self.method].options}
        return {name: value for name, value in self.options if value != defaults.get(name)}

    def head(self, scene: Scene, **more: object) -> dict[str, object]:
        """Begin a row of a tidy table."""
        return head(scene, method=self.method, options=repr(dict(self.options)), m=self.m, **more)


def checked_choice(name: str, value: object, choices: Collection[object]) -> None:
    """Refuse a value that is none of these choices."""
    if value not in choices:
        raise Refusal(f"{name} = {quoted(value)}; choose one of {', '.join(map(str, choices))}.")


def checked_methods(methods: Sequence[str], kernel: Kernel) -> tuple[str, ...]:
    """Return the methods to compare, one or more; Refusal for an unknown one, or one not for the kernel."""
    names = tuple(checked_sequence("methods", methods))
    if not names:
        raise Refusal("No method is given to compare; name one or more.")
    for name in names:
        checked_method(name, {})
        checked_kernel(name, kernel)
    return tuple(dict.fromkeys(names))
