"""The pages by their purpose, with names in the menu, icons and questions; Lessons in no group."""

from pathlib import Path
from typing import NamedTuple

from nysviz.root import ROOT


class Door(NamedTuple):
    """A page: its file without ``.py``, its name in the menu, its icon and its question."""

    page: str
    title: str
    icon: str
    question: str


DOORS: dict[str, tuple[Door, ...]] = {
    "": (Door("lessons", "Lessons", "menu_book", "New to kernels? Start here."),),
    "Understand": (
        Door("playground", "Playground", "touch_app", "Where should a landmark go?"),
        Door("approximate", "Approximate", "grid_on", "How good is this approximation, and where?"),
        Door("steps", "Step by step", "footprint", "How does the algorithm choose?"),
        Door("spectrum", "Spectrum", "stairs", "How fast do the eigenvalues fall?"),
        Door(
            "quantization", "Quantization", "bubble_chart", "Does a good encoding make a good approximation?"
        ),
        Door("bounds", "Bounds", "verified_user", "What is guaranteed, and how loosely?"),
    ),
    "Use": (
        Door("data", "Data", "table_chart", "What bandwidth and m suit my data?"),
        Door("recommend", "Recommend", "recommend", "Which method, and how many landmarks?"),
        Door("learning", "Learning", "school", "Does the prediction survive?"),
        Door("kernel_pca", "Kernel PCA", "scatter_plot", "Does the embedding survive?"),
        Door("solve", "Solve", "calculate", "What does the approximation buy?"),
        Door("clusters", "Clusters", "workspaces", "Does the grouping survive?"),
    ),
    "The papers": (
        Door("compare", "Compare", "stacked_line_chart", "Which method for which m?"),
        Door("lift", "Lift", "trending_up", "What does a clever choice gain?"),
        Door("two_balls", "Two balls", "join", "When do data-dependent bases win?"),
        Door("claims", "Claims", "fact_check", "Which of the papers' claims hold?"),
        Door("findings", "Findings", "emoji_events", "Does choosing landmarks help, and when?"),
    ),
}
QUESTIONS = {"home": "Can a few landmarks replace a kernel matrix?"}
QUESTIONS |= {door.page: door.question for doors in DOORS.values() for door in doors}
TITLES = {door.page: door.title for doors in DOORS.values() for door in doors}


def script_of(page: str) -> Path:
    """Return the file of the page of this name."""
    return ROOT / "pages" / f"{page}.py"
