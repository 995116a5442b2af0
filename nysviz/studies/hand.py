"""The slider of Approximate: its stops, the error curve beside it, and what the page says at each stop."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from nysviz.analysis.spectrum import best_errors
from nysviz.engine import Run
from nysviz.figures.drawing import with_layout
from nysviz.figures.look import Sheet, Theme, colour
from nysviz.figures.strip import Strip, curve_chart, strip_chart
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.studies import matrices
from nysviz.studies.choice import Choice
from nysviz.studies.frames import (
    Drag,
    Frame,
    M,
    bandwidth_label,
    counts_of,
    frames_run,
    message_of,
    multiples_of,
    scene_at,
    stop_name,
)
from nysviz.studies.matrices import is_exact
from nysviz.studies.scene import Scene
from nysviz.text import counted, percent, three_digits


def in_multiples(error: float, best: float) -> str:
    """Return an error in multiples of the best possible one; a dash where that is rounding."""
    # Below this part of the error the best possible error is rounding.
    return three_digits(error / best) if best > max(1e-10 * error, 1e-9) else "–"


def answer_text(method: str, about: str, error: float, m: int, rank: int, times: str) -> str:
    """Say the relative error, and what multiple of the best possible one it is where that is known."""
    best = "" if times == "–" else f", {times} times the best possible at rank {rank}"
    in_words = METHODS[method].in_words(m)
    return f"Relative Frobenius error **{about}{three_digits(error)}** with {in_words}{best}."


def rank_name(method: str) -> str:
    """Name the rank, which random features have at most."""
    return "rank" if METHODS[method].data_dependent else "rank at most"


def rank_text(method: str, m: int, rank: int) -> str:
    """Write the rank, beside m where there are m landmarks."""
    return f"{rank} of {m}" if METHODS[method].data_dependent else str(rank)


def map_title(points: int, worst: float) -> str:
    """Return the title of the map; ``worst`` is the largest error as a part of the largest entry of K."""
    return f"Error at {counted(points, 'point')}: at most {percent(worst)}"


def map_subtitle(choice: Choice, scene: Scene, m: int) -> str:
    """Return what stands below the title of the map."""
    return f"{choice.label}, m = {m}; {scene.subtitle}"


# The charts that follow the slider, that first on which one looks.
CHARTS = ("map", "picture_K", "picture_approximation", "picture_residual", "spectrum", "curve")


@dataclass(frozen=True)
class Measured:
    """The page's own approximation among the frames; ``eigenvalues`` of K are None where not known yet."""

    relative_frobenius: float
    times_best: str
    rank: int
    eigenvalues: FloatArray | None


@dataclass(frozen=True)
class Hand:
    """The slider, which moves m or σ, at the settings of the study; it has no results of its own."""

    scene: Scene
    choice: Choice
    drag: Drag
    theme: Theme

    @property
    def stop(self) -> str:
        """The name of the stop at which the study is."""
        return stop_name(self.choice.m, None if self.drag.m is None else self.scene.multiple)

    @property
    def stops(self) -> dict[str, float]:
        """The stops of the slider: the values of m, or the multiples of the default width, by their names."""
        if self.drag.along == M:
            # Frames are made from a sample of many rows, which has fewer.
            ms = {*counts_of(matrices.exact_part(self.scene).data.n), self.choice.m}
            return {stop_name(m, None): m for m in sorted(ms)}
        assert self.scene.multiple is not None
        multiples = {*multiples_of(self.scene), self.scene.multiple}
        return {stop_name(self.choice.m, each): each for each in sorted(multiples)}

    @property
    def slider(self) -> dict[str, object]:
        """What the browser needs to draw the slider; the frames come by themselves."""
        drag, theme, stops = self.drag, self.theme, self.stops
        is_m = drag.along == M
        about = (
            f"on {counted(matrices.exact_part(drag.scene).data.n, 'random row')}" if drag.is_sampled else ""
        )
        return {
            "token": drag.token,
            "along": drag.along,
            "stop": self.stop,
            "stops": [
                {"name": name, "label": self._stop_label(value), "value": value}
                for name, value in stops.items()
            ],
            "about": about,
            "label": f"Drag {drag.along}: {METHODS[drag.method].counted if is_m else 'bandwidth'}",
            "ink": theme.ink,
            "ground": theme.ground,
            "faint": theme.faint,
            "hue": colour(drag.method, theme),
            "are_data": METHODS[drag.method].landmarks_are_data,
            "charts": CHARTS,
        }

    @property
    def marks(self) -> dict[str, object]:
        """What the browser needs to mark points and entries: whose rows they are, and the colours."""
        rows, theme = f"{self.scene.data.digest} {self.drag.order}", self.theme
        return {"token": self.drag.token, "rows_token": rows, "ground": theme.ground, "accent": theme.accent}

    def _stop_label(self, value: float) -> str:
        return f"m = {value}" if self.drag.along == M else bandwidth_label(self.scene, value)

    def begin(self) -> Run:
        """Return the run whose records are the frames; it may be under way already."""
        return frames_run(self.drag, self.choice.m, self.scene.multiple)

    def in_order(self, frames: Sequence[Frame]) -> dict[str, Frame]:
        """Return frames by the names of their stops, in the order of the slider."""
        along = self.drag.along
        ordered = sorted(frames, key=lambda each: each.m if along == M else each.multiple or 0.0)
        return {each.stop: each for each in ordered}

    def sent_frames(self, frames: Mapping[str, Frame], stops: Collection[str]) -> list[Mapping[str, object]]:
        """Return the frames of these stops as the browser reads them."""
        top, _ = matrices.scale_of(self.scene, self.drag.method)
        return [message_of(frames[stop], top) for stop in stops]

    def words(self, frames: Mapping[str, Frame], measured: Measured) -> dict[str, object]:
        """Return what the page says at each stop, and where pictures have the points of the map."""
        top, _ = matrices.scale_of(self.scene, self.drag.method)
        words = {name: self._words(frame, top, measured.eigenvalues) for name, frame in frames.items()}
        error, times, rank = measured.relative_frobenius, measured.times_best, measured.rank
        spoken = self._spoken(error, times, rank, self.choice.m)
        words[self.stop] = words.get(self.stop, {}) | {"spoken": spoken}
        places = matrices.places_in_pictures(self.scene, self.drag.order).round(5).tolist()
        return {"stops": words, "places": places}

    def _words(self, frame: Frame, top: float, eigenvalues: FloatArray | None) -> dict[str, object]:
        """Return what the page says of a frame, as it says it of its own approximation."""
        times, method = "–", self.drag.method
        best = frame.best
        if best is None and frame.K is None and eigenvalues is not None and is_exact(self.scene):
            best = best_errors(eigenvalues, frame.rank)[0]
        if best is not None:
            times = in_multiples(frame.frobenius, best)
        scene = self.scene
        if frame.K is not None and frame.multiple is not None:
            scene = scene_at(scene, frame.multiple)
        about = "about " if self.drag.is_sampled else ""
        answer = answer_text(method, about, frame.relative, frame.m, frame.rank, times)
        worst = float(frame.residuals.max(initial=0.0)) / top
        return {
            "spoken": self._spoken(frame.relative, times, frame.rank, frame.m),
            "answer": answer.replace("**", ""),
            "rows": {
                "relative Frobenius error": (three_digits(frame.relative), times),
                rank_name(method): (rank_text(method, frame.m, frame.rank), ""),
            },
            "titles": {
                "map": (map_title(len(frame.residuals), worst), map_subtitle(self.choice, scene, frame.m)),
                "picture_approximation": ("", f"rank {frame.rank}"),
                "picture_residual": ("", f"≤ {three_digits(frame.largest_residual)}"),
            },
        }

    def _spoken(self, error: float, times: str, rank: int, m: int) -> str:
        about = "about " if self.drag.is_sampled else ""
        best = "" if times == "–" else f", {times} times the best possible"
        return (
            f"relative error {about}{three_digits(error)}{best}, rank {rank_text(self.drag.method, m, rank)}"
        )

    def marked(self, figure: go.Figure) -> go.Figure:
        """Tell the browser at which stop of which slider a chart is."""
        return with_layout(figure, meta={"drag": self.drag.token, "stop": self.stop})

    def _strip(self, frames: Mapping[str, Frame]) -> Strip:
        drag = self.drag
        values = [each.m if drag.along == M else each.sigma for each in frames.values()]
        return Strip(
            drag.along,
            tuple(value for value in values if value is not None),
            np.array([each.relative for each in frames.values()]),
            np.array([each.residuals for each in frames.values()]),
            tuple(each.landmarks for each in frames.values()),
            *matrices.scale_of(self.scene, drag.method),
            matrices.exact_part(drag.scene).data.n if drag.is_sampled else 0,
        )

    def curve(self, frames: Mapping[str, Frame], relative_frobenius: float) -> go.Figure:
        """Draw the relative error over what is dragged, with a spot at the study's own error."""
        strip, along = self._strip(frames), self.drag.along
        value = self.choice.m if along == M else self.scene.kernel.sigma  # type: ignore[attr-defined]
        about = f"on {strip.sampled} random rows" if strip.sampled else self.choice.label
        sheet = Sheet(self.theme, f"Error by {along}", about)
        return self.marked(curve_chart(strip, value, relative_frobenius, self.drag.method, sheet))

    @property
    def curve_caption(self) -> str:
        """What one reads off the curve."""
        along = self.drag.along
        return f"The error at each {along} of the slider; the spot is where it stands. Smaller is better."

    def strip(self, frames: Mapping[str, Frame]) -> go.Figure:
        """Draw the map and the curve in one, on which m or σ is dragged without a server."""
        strip, method = self._strip(frames), self.drag.method
        about = f"on {strip.sampled} random rows" if strip.sampled else ""
        ends = f"from {strip.symbol} = {strip.names[0]} to {strip.names[-1]}"
        sheet = Sheet(self.theme, f"Drag {strip.symbol}: {self.choice.label} {ends}", about)
        stops = list(frames)
        start = stops.index(self.stop) if self.stop in stops else len(stops) // 2
        return strip_chart(matrices.picture(self.scene, self.drag.axes), strip, start, method, sheet)
