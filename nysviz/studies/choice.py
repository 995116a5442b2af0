"""One way to approximate a kernel matrix: a method, its number of landmarks and its options."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from nysviz.landmarks import METHODS
from nysviz.nystroem.approximation import checked_count, checked_kernel, checked_method
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
        """Return what a study's arguments say, or refuse as ``approximate``; m is 5 % of the rows without."""
        n, options = scene.data.n, dict(options or {})
        entry = checked_method(method, options)
        checked_kernel(method, scene.kernel)
        m = offered_counts(n)[first_percent(n)] if m is None else checked_count(m, n)
        defaults = {option.name: option.default for option in entry.options}
        return cls(method, m, tuple({**defaults, **options}.items()))

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
