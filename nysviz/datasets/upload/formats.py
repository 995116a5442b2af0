"""One reader a format: bytes in, a named table out, refused before it can do harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from nysviz.datasets.upload.arff import is_arff, read_arff
from nysviz.datasets.upload.arrays import NPY, is_idx, read_idx, read_npy, read_npz
from nysviz.datasets.upload.libsvm import is_libsvm, read_libsvm
from nysviz.datasets.upload.limits import UploadError, check_bytes, check_limits
from nysviz.datasets.upload.matlab import HDF, read_mat
from nysviz.datasets.upload.packing import PACKED_ENDINGS, is_packed, unpack
from nysviz.datasets.upload.parquet import PARQUET, read_parquet
from nysviz.datasets.upload.table import Table, plain
from nysviz.datasets.upload.text import read_text
from nysviz.datasets.upload.workbook import is_workbook, read_workbook

__all__ = ["ENDINGS", "Table", "UploadError", "read_upload", "without_packing"]

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".data")
# Endings of other formats, in words; their content decides, not the ending.
OTHER_ENDINGS = {
    ".npy": "NumPy",
    ".npz": "NumPy",
    ".mat": "MATLAB",
    ".parquet": "Parquet",
    ".xlsx": "Excel",
    ".xlsb": "Excel",
    ".xls": "Excel",
    ".ods": "OpenDocument",
    ".arff": "ARFF",
    ".libsvm": "LIBSVM",
    ".svm": "LIBSVM",
    ".svmlight": "LIBSVM",
    ".idx": "IDX",
    ".gz": "gzip",
    ".bz2": "bzip2",
}
ENDINGS = (*TEXT_ENDINGS, *OTHER_ENDINGS)
_BINARY: tuple[tuple[bytes, str, Callable[[bytes], Table]], ...] = (
    (NPY, "NumPy", read_npy),
    (b"PK\x03\x04", "zip", read_npz),
    (b"PK\x05\x06", "zip", read_npz),
    (b"MATLAB 5.0", "MATLAB", read_mat),
    (b"MATLAB 7.3", "MATLAB", read_mat),
    (HDF, "MATLAB", read_mat),
    (PARQUET, "Parquet", read_parquet),
)


def without_packing(filename: str) -> PurePosixPath:
    """The last part of the file's name, without .gz or .bz2."""
    path = PurePosixPath(PurePosixPath(str(filename).replace("\\", "/")).name)
    return path.with_suffix("") if path.suffix.lower() in PACKED_ENDINGS else path


def read_upload(
    content: bytes,
    filename: str,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Find out the format, by content first and by the name's ending second, and read the table.

    Parameters
    ----------
    content : bytes
        The file, not larger than ``MAX_BYTES``.
    filename : str
    header : bool or None
        Whether the first line of a table of text names its columns; None finds out.
    encoding : str or None
        How the letters of a table of text are stored; None finds out.
    sheet : str or None
        The sheet of a workbook; None takes the first that is shown and has two rows or more.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        One sentence, when the file is of no known format, damaged, or beyond the limits, or where ``header``,
        ``encoding`` or ``sheet`` is given for a format that leaves no choice.
    """
    table = _read(content, filename, header, encoding, sheet)
    for name, given, found in (
        ("header", header, table.header),
        ("encoding", encoding, table.encoding),
        ("sheet", sheet, table.sheets or None),
    ):
        if given is not None and found is None:
            raise UploadError(
                f"{name} is {plain(given)!r}, but the format of this file leaves no choice; leave it away."
            )
    return table


def _read(
    content: bytes, filename: str, header: bool | None, encoding: str | None, sheet: str | None
) -> Table:
    ending = without_packing(filename).suffix.lower()
    if is_packed(content):
        content = unpack(content)
        check_bytes(len(content))
        if not content.strip():
            raise UploadError("The packed file is empty; send a table with at least one row of numbers.")
    elif PurePosixPath(str(filename)).suffix.lower() in PACKED_ENDINGS:
        ending = PurePosixPath(str(filename)).suffix.lower()
    if is_workbook(content):
        return read_workbook(content, header, sheet)
    for start, kind, reader in _BINARY:
        if content.startswith(start):
            return _guarded(reader, content, kind)
    if is_idx(content):
        return _guarded(read_idx, content, "IDX")
    if ending == ".arff" or is_arff(content):
        return _guarded(read_arff, content, "ARFF")
    if ending not in (".csv", ".tsv") and is_libsvm(content):
        return _guarded(read_libsvm, content, "LIBSVM")
    return _text(content, ending, header, encoding)


def _guarded(reader: Callable[[bytes], Table], content: bytes, kind: str) -> Table:
    try:
        table = reader(content)
        rows, columns = table.frame.shape
        check_limits(rows, max(columns - (table.target is not None), 1))
        return table
    except (UploadError, MemoryError):
        raise
    except Exception as problem:
        # Broad on purpose: pyarrow, SciPy, scikit-learn and zipfile raise a dozen types on a damaged file.
        raise UploadError(
            f"The file looks like {kind} data but cannot be read as such ({type(problem).__name__}), so it "
            "is damaged or cut off; save it again, or send the table as CSV."
        ) from problem


def _text(content: bytes, ending: str, header: bool | None, encoding: str | None) -> Table:
    listed = f"{', '.join(TEXT_ENDINGS[:-1])} or {TEXT_ENDINGS[-1]}"
    if ending in OTHER_ENDINGS:
        raise UploadError(
            f"The file ends in {ending} but does not begin like {OTHER_ENDINGS[ending]} data; save it again, "
            f"or send a table as text ending in {listed}."
        )
    if ending not in TEXT_ENDINGS:
        raise UploadError(
            f"Files ending in {plain(ending, 20) or 'nothing'} cannot be read; save the table as text ending "
            f"in {listed}, or as Excel, LIBSVM, ARFF, Parquet, NumPy, MATLAB or IDX data."
        )
    return read_text(content, header, encoding)
