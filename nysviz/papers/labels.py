"""Labels of recorded methods and data sets, which the records name by the code's short names."""

import math
import re
from collections.abc import Mapping

from nysviz.datasets.cards import read_cards
from nysviz.landmarks import METHODS
from nysviz.text import grouped, signed

# Suffixes of recorded method names, in words.
STARTS = {"uniform": "uniform start", "kmeanspp": "k-means++ start", "10m": "sketch 10 m"}
# Settings of recorded data sets, behind @, in words.
_SETTINGS = {"width": ", 2σ² = {}", "mu": ", μ = {} tr K", "gamma": ", 1/σ² = {}"}
_SETTING = re.compile(rf"@(?P<key>{'|'.join(_SETTINGS)})=(?P<value>[^ ,]+)")
_COUNTED = {"dpp": "steps", "partition_greedy": "groups"}


def method_label(method: str) -> str:
    """Return the label of a recorded method, with the record's suffix in words.

    >>> method_label("rff (scale 1)"), method_label("kmeanspp_lloyd"), method_label("dpp_1000")
    ('random Fourier features (scale 1)', 'kernel k-means++ (refined)', 'k-DPP by swaps (1000 steps)')
    """
    if method in METHODS:
        return METHODS[method].listed
    base = max((name for name in METHODS if method.startswith((f"{name}_", f"{name} "))), key=len, default="")
    if not base:
        return method
    added = method[len(base) + 1 :]
    if added.startswith("("):
        return f"{METHODS[base].listed} {added}"
    counted = _COUNTED.get(base, "")
    details = [
        f"{grouped(int(word))} {counted}".rstrip() if word.isdecimal() else STARTS.get(word, word)
        for word in added.split("_")
    ]
    return f"{METHODS[base].listed} ({', '.join(details)})"


def data_label(name: str) -> str:
    """Return the title of recorded data, with its setting and the text that follows.

    >>> data_label("german"), data_label("wine, K = 20"), data_label("gap/N 0.5")
    ('German credit', 'Wine, K = 20', 'gap/N 0.5')
    >>> data_label("wine@mu=0.01, m = 50")
    'Wine, μ = 0.01 tr K, m = 50'
    """
    first, suffix = re.fullmatch(r"([\w-]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    suffix = _SETTING.sub(lambda found: _SETTINGS[found["key"]].format(found["value"]), suffix)
    if suffix and suffix[0] not in " ,":
        return name
    title = {card.name: card.title for card in read_cards()}.get(first)
    if title is None:
        return name
    return f"{title}:{suffix}" if suffix.startswith(" ") else f"{title}{suffix}"


def by_method(values: Mapping[str, float], unit: str = "") -> str:
    """Write a number for each recorded method: "k-means centres 0.12, uniform sampling 0.15"."""
    return ", ".join(f"{method_label(name)} {signed(value)}{unit}" for name, value in values.items())


def name_bandwidth(multiple: float) -> str:
    """Name the bandwidth at a multiple of the default width 2σ² by the default σ: σ/4, σ, 2σ."""
    times = math.sqrt(multiple)
    return f"σ/{1 / times:.3g}" if times < 1 else "σ" if times == 1 else f"{times:.3g}σ"
