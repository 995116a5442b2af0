"""How the letters of a text file are stored: as UTF-8, or else as the tables do by which words look right."""

from __future__ import annotations

import codecs
import unicodedata

from nysviz.datasets.upload.limits import UploadError
from nysviz.datasets.upload.table import plain, short

# Tried in this order where the bytes are no UTF-8; the first of those that look best is taken.
TABLES = (
    "Windows-1252",
    "ISO-8859-15",
    "Windows-1251",
    "KOI8-R",
    "Windows-1250",
    "Windows-1253",
    "Mac-Roman",
    "CP850",
    "GB2312",
    "Shift_JIS",
    "GB18030",
)
ENCODINGS = ("UTF-8", "UTF-16", *TABLES)
SAMPLE_BYTES = 20_000
# Signs that stand beside numbers and words in tables.
_SIGNS = frozenset("°²³µ€£§±·–—…‘’‚“”„«»、。・（）")
# Frequent letters beyond ASCII: of Western and Central Europe, Russian and Greek.
_FREQUENT = frozenset("äöüßéèàçñáíóúãõåøæêôœąćęłńśźżčěřůýőűоеаинтсрвлαοιετσνηυρςάέήίόύώ")
_EAST = frozenset({"CJK", "HIRAGANA", "KATAKANA"})


def decoded(content: bytes, encoding: str | None = None) -> tuple[bytes, str, str]:
    """Return the text as UTF-8, the name of its encoding, and a sentence of doubt where that was guessed."""
    if encoding is not None:
        try:
            text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
            return text.encode(), encoding, ""
        except (LookupError, TypeError, ValueError) as problem:
            raise UploadError(
                f"encoding is {plain(encoding)!r}, which is none that Python knows; give one such as "
                f"{', '.join(ENCODINGS[:4])}, or None."
            ) from problem
    if utf16 := _utf16(content[:SAMPLE_BYTES]):
        return content.decode(utf16, errors="replace").encode(), "UTF-16", ""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        content.decode()
        return content, "UTF-8", ""
    except UnicodeDecodeError:
        lines = dict.fromkeys(line for line in content.split(b"\n") if not line.isascii())
        sample = b"\n".join(lines)[:SAMPLE_BYTES]
        encoding = min(TABLES, key=lambda table: _strangeness(sample, table))
    text = content.decode(encoding, errors="replace")
    word = next((word for word in text.replace(",", " ").replace(";", " ").split() if not word.isascii()), "")
    doubt = (
        f"The text is no UTF-8 and was read as {encoding}, with words such as '{short(word)}'; if they look "
        "wrong, choose another encoding."
    )
    return text.encode(), encoding, doubt


def _utf16(sample: bytes) -> str | None:
    """The kind of UTF-16, by its mark or because every second byte of digits is 0."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    most = 0.8 * (len(sample) // 2)
    if odd > most and not even:
        return "utf-16-le"
    return "utf-16-be" if even > most and not odd else None


def _strangeness(sample: bytes, table: str) -> float:
    """Return how odd the words would be: strange signs, rare letters, two alphabets or capitals within."""
    try:
        # Not all at once, for the sample may end in half a letter.
        text = codecs.getincrementaldecoder(table)().decode(sample)
    except UnicodeDecodeError:
        return float("inf")
    odd = 0.0
    for before, letter, after in zip(f" {text}", text, f"{text} "[1:], strict=False):
        if not letter.isascii() and not letter.isalpha():
            within = before.isalpha() and after.isalpha()
            odd += 0.2 if letter in _SIGNS and not within else 2.0
        elif not letter.isascii():
            odd += 0.3 * (not "\u2000" <= letter < "\uff00" and letter.lower() not in _FREQUENT)
        if before.isalpha() and letter.isalpha() and not (before.isascii() and letter.isascii()):
            alphabets = {unicodedata.name(one, "?").split()[0].split("-")[0] for one in (before, letter)}
            odd += len(alphabets) > 1 and not alphabets <= _EAST
            odd += before.islower() and letter.isupper()
            odd += 0.15 * (alphabets == {"LATIN"} and not (before.isascii() or letter.isascii()))
    return odd
