"""Studies of recorded runs: they have no data, no kernel and no seed of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from nysviz.lazy import lazy_property
from nysviz.papers.records import Stamp, stamp
from nysviz.studies.study import SHARED_FIELDS, Study


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedStudy(Study):
    """Base of the studies whose runs are all recorded."""

    scene: None = field(default=None, init=False, repr=False)  # type: ignore[assignment]

    @lazy_property
    def record(self) -> Stamp:
        """Content of the recorded files, by which results are kept."""
        return stamp()

    def arguments(self) -> Mapping[str, object]:
        """Return the keyword arguments of the function that makes this study."""
        return {
            each.name: getattr(self, each.name) for each in fields(self) if each.name not in SHARED_FIELDS
        }

    def run_rows(self) -> list[dict[str, object]]:
        """Return no rows: nothing is run."""
        return []
