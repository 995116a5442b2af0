"""gzip and bzip2: unpacked as a stream that stops at a ceiling, and only once."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib

from nysviz.datasets.upload.limits import MAX_UNPACKED, UploadError

GZIP, BZIP2 = b"\x1f\x8b", b"BZh"
PACKED_ENDINGS = (".gz", ".bz2")
# A packed file may be a chain of packed pieces; a chain of empty ones would only cost time.
MAX_PIECES = 10_000


def is_packed(content: bytes) -> bool:
    """Whether the file begins as gzip or bzip2 do."""
    return content.startswith(GZIP) or (content.startswith(BZIP2) and content[4:10] == b"1AY&SY")


def unpack(content: bytes) -> bytes:
    """What a gzip or bzip2 file holds.

    Raises
    ------
    UploadError
        When it is damaged, would grow beyond ``MAX_UNPACKED``, or holds another packed file.
    """
    kind = "gzip" if content.startswith(GZIP) else "bzip2"
    start = b"\x1f\x8b\x08" if kind == "gzip" else BZIP2
    if content.count(start) > MAX_PIECES:
        raise UploadError(f"The {kind} file is a chain of too many pieces; pack it again in one piece.")
    opened = gzip.open if kind == "gzip" else bz2.open
    try:
        with opened(io.BytesIO(content), "rb") as file:
            text = file.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error, ValueError) as problem:
        raise UploadError(
            f"The {kind} file is damaged or cut off; send the whole file again, or unpack it first."
        ) from problem
    if len(text) > MAX_UNPACKED:
        raise UploadError(
            f"The {kind} file unpacks to more than the {MAX_UNPACKED / 1e6:.0f} MB that are read; send a "
            "sample of its rows or fewer columns."
        )
    if is_packed(text):
        raise UploadError(f"The {kind} file holds another packed file; pack the table once only.")
    return text
