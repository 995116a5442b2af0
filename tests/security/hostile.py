"""Hostile texts for names, labels and values of a file; each has ``MARK`` in it."""

from __future__ import annotations

import csv
import io
import re

import numpy as np

MARK = "zqz"
SCRIPT = f"<script>alert('{MARK}')</script>"
IMAGE = f"<img src=http://{MARK}.invalid/x onerror=alert('{MARK}')>"
ICON = f":material/{MARK}:"
TEX = f"$\\href{{javascript:alert('{MARK}')}}{{{MARK}}}$"
LINK = f"[{MARK}](javascript:alert(1))"
PICTURE = f"![{MARK}](http://{MARK}.invalid/x.png)"
COLOUR = f":red[{MARK}]"
BOLD = f"**{MARK}**"
CODE = f"`{MARK}`"
ADDRESS = f"www.{MARK}.invalid"
LONG = MARK + "W" * 300
WORDS = (SCRIPT, IMAGE, TEX, LINK, PICTURE, COLOUR, BOLD, CODE, ICON, ADDRESS, LONG)
# What is left of them in Markdown where they are not escaped.
ACTS = re.compile(
    rf"<script|<img[^>]*{MARK}|\$\\?href|\$[^$]*{MARK}|\[{MARK}|{MARK}\]|\*\*{MARK}|`{MARK}|://{MARK}|www\.{MARK}|"
    rf"javascript:|:material/{MARK}"
)
FILE_NAME = f"<img src=x onerror=alert('{MARK}')> $x$ **{MARK}** [{MARK}](javascript:x) :red[x].csv"


def csv_file(columns=WORDS, labels=(SCRIPT, TEX), rows=24, texts=(PICTURE, COLOUR)):
    rng = np.random.default_rng(3)
    numbers = columns[: len(columns) - 2]
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow([*numbers, columns[-2], columns[-1]])
    for k in range(rows):
        values = [f"{x:.6f}" for x in rng.standard_normal(len(numbers))]
        lines.writerow([*values, texts[k % len(texts)], labels[k // 2 % len(labels)]])
    return out.getvalue().encode()
