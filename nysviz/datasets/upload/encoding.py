"""How the letters of a text file are stored: as UTF-8, or else as the tables do by which words look right."""

from __future__ import annotations

import codecs
import unicodedata

from nysviz.datasets.upload.limits import UploadError
from nysviz.datasets.upload.table import plain

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
_EAST = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})


def decoded(content: bytes, encoding: str | None = None) -> tuple[bytes, str, str]:
    """Return the text as UTF-8, the name of its encoding, and a doubt where that was guessed.

    Parameters
    ----------
    content : bytes
    encoding : str or None
        What Python calls the encoding; None finds out.

    Returns
    -------
    text : bytes
    encoding : str
    doubt : str
        A sentence, empty where there is none.

    Raises
    ------
    UploadError
        There is no such encoding.
    """
    if encoding is not None:
        return _as_told(content, encoding), encoding, ""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace").encode(), "UTF-16", ""
    if unmarked := _unmarked_utf16(content):
        return content.decode(unmarked, errors="replace").encode(), "UTF-16", ""
    text = content.removeprefix(codecs.BOM_UTF8)
    try:
        text.decode()
    except UnicodeDecodeError:
        encoding = _by_looks(text)
        found = text.decode(encoding, errors="replace")
        return found.encode(), encoding, _doubt(found, encoding)
    return text, "UTF-8", ""


def _as_told(content: bytes, encoding: str) -> bytes:
    try:
        text = content.decode(encoding, errors="replace")
        return text.removeprefix("\ufeff").encode()
    except (LookupError, TypeError, ValueError) as problem:
        raise UploadError(
            f"encoding is {plain(encoding)!r}, which is none that Python knows; give one such as "
            f"{', '.join(ENCODINGS[:4])}, or None."
        ) from problem


def _unmarked_utf16(content: bytes) -> str | None:
    """The order of the bytes of UTF-16 without a mark at its start: every second byte of digits is 0."""
    sample = content[:SAMPLE_BYTES]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    most = 0.8 * (len(sample) // 2)
    if odd > most and not even:
        return "utf-16-le"
    return "utf-16-be" if even > most and not odd else None


def _by_looks(text: bytes) -> str:
    """The table by which the letters beyond ASCII form the likeliest words."""
    lines = dict.fromkeys(line for line in text.split(b"\n") if not line.isascii())
    sample = b"\n".join(lines)[:SAMPLE_BYTES]
    return min(TABLES, key=lambda table: _strangeness(sample, table))


def _strangeness(sample: bytes, table: str) -> float:
    """Return how odd the words would be: signs within them, two alphabets, strange capitals, rare letters."""
    try:
        # Not all at once, for the sample may end in half a letter.
        text = codecs.getincrementaldecoder(table)().decode(sample)
    except UnicodeDecodeError:
        return float("inf")
    odd = 0.0
    for before, sign, after in zip(f" {text}", text, f"{text} "[1:], strict=False):
        if sign.isascii():
            continue
        if not sign.isalpha():
            within = sign != "’" and before.isalpha() and after.isalpha()
            odd += 2.0 if within or sign not in _SIGNS else 0.2
            continue
        odd += 0.3 * (not "\u2000" <= sign < "\uff00" and sign.lower() not in _FREQUENT)
        odd += 0.05 * (sign.isupper() and before.isalpha())
        for one, two in ((before, sign), (sign, after)):
            if one.isalpha() and two.isalpha():
                alphabets = {unicodedata.name(letter, "?").split()[0].split("-")[0] for letter in (one, two)}
                odd += len(alphabets) > 1 and not alphabets <= _EAST
                odd += one.islower() and two.isupper()
                odd += 0.15 * (alphabets == {"LATIN"} and not (one.isascii() or two.isascii()))
    return odd


def _doubt(text: str, encoding: str) -> str:
    """Say what was assumed of the letters, with a word of theirs."""
    word = next((word for word in text.replace(",", " ").replace(";", " ").split() if not word.isascii()), "")
    return (
        f"The text is no UTF-8 and was read as {encoding}, with words such as '{plain(word, 24)}'; if they "
        "look wrong, choose another encoding."
    )
