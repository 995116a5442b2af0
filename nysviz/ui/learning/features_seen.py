"""What the view "Nyström against random features" has seen so far: scores, tests, how they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev

from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES
from nysviz.learning.paired_test import Paired
from nysviz.learning.trial_setting import Setting
from nysviz.papers.yang2012.figure2 import Scores, Series, compare
from nysviz.ui.sidebar.scene import Scene


@dataclass(frozen=True)
class Seen:
    """What is there so far: the scores, and which two lines are tested against each other."""

    scene: Scene
    setting: Setting
    nystroem: Series
    random: Series | None
    found: Scores
    ms: tuple[int, ...]

    @property
    def percent(self) -> bool:
        """Whether the score is an accuracy."""
        return self.setting.measure == "accuracy"

    @cached_property
    def tests(self) -> Mapping[int, Paired]:
        """Paired test at each m, positive where the Nyström features are ahead."""
        if self.random is None:
            return {}
        return compare(self.found, self.nystroem.id, self.random.id, larger_is_better=self.percent)

    def value(self, score: float) -> str:
        """A score with its unit."""
        return f"{three_digits(100 * score)} %" if self.percent else three_digits(score)

    def around(self, values: Sequence[float]) -> str:
        """Mean ± deviation with the unit."""
        mean, deviation = spread(values)
        if len(values) < 2:
            return self.value(mean)
        if self.percent:
            return f"{100 * mean:.1f} ± {100 * deviation:.1f} %"
        return f"{three_digits(mean)} ± {three_digits(deviation)}"


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation, 0 for one value."""
    return fmean(values), stdev(values) if len(values) > 1 else 0.0


def label_of(line: Series) -> str:
    """Name of a line in words."""
    if line.method not in RANDOM_FEATURES:
        return f"Nyström, {METHODS[line.method].label}"
    more = "" if line.reading == "frequencies" else ", m columns"
    return RANDOM_FEATURES[line.method] + more


def score_name(setting: Setting) -> str:
    """Name of the vertical axis."""
    return "test accuracy (%)" if setting.measure == "accuracy" else "test mean square error / variance"


def ahead(seen: Seen) -> dict[int, str]:
    """Name at each m the method that is significantly ahead there."""
    if seen.random is None:
        return {}
    methods = (seen.nystroem.method, seen.random.method)
    return {m: methods[test.difference < 0] for m, test in seen.tests.items() if test.significant}
