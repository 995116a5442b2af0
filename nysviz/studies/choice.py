"""One way to approximate a kernel matrix: a method, its number of landmarks and its options."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.counts import checked_sequence, quoted
from nysviz.nystroem.approximation import checked_count, checked_kernel, checked_method
from nysviz.refusal import Refusal
from nysviz.studies.landmark_counts import first_percent, offered_counts
from nysviz.studies.matrices import Options
from nysviz.studies.scene import Scene, head


@dataclass(frozen=True)
class Choice:
    """A method, its number of landmarks, and its options."""

    method: str
    m: int
    options: Options = ()

    @classmethod
    def from_arguments(
        cls, scene: Scene, method: str, m: int | None, options: Mapping[str, object] | None
    ) -> Self:
        """Return the choice that a study's arguments name, or refuse it; by default m is about 5 % of n."""
        n, chosen_options = scene.data.n, dict(options or {})
        entry = checked_method(method, chosen_options)
        checked_kernel(method, scene.kernel)
        m = offered_counts(n)[first_percent(n)] if m is None else checked_count(m, n)
        defaults = {option.name: option.default for option in entry.options}
        return cls(method, m, tuple({**defaults, **chosen_options}.items()))

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
    """Refuse a value that is not among these choices."""
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
