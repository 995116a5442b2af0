"""Read Parquet in a process of its own: what crashes the parser or asks for too much memory ends this alone.

Run by its path, with the bytes of memory it may take; imports nothing of the package, whose start takes
seconds. The file comes by standard input. A line of JSON that describes it goes to standard output, then its
columns of numbers and text as an Arrow stream, texts as dictionaries.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import parquet

# Room for the file's own description, whose sizes could lie.
MAX_DESCRIPTION = 10_000_000


def main(memory: int, most_cells: int) -> None:
    """Describe the file on standard input and, unless it has too many cells, write its columns."""
    _limit(memory)
    content = pa.py_buffer(sys.stdin.buffer.read())
    limits = {"thrift_string_size_limit": MAX_DESCRIPTION, "thrift_container_size_limit": MAX_DESCRIPTION}
    file = parquet.ParquetFile(pa.BufferReader(content), **limits)
    schema, metadata = file.schema_arrow, file.metadata
    kept = [field.name for field in schema if _is_plain(field.type)]
    described = {
        "rows": metadata.num_rows,
        "columns": metadata.num_columns,
        "bytes": sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups)),
        "kept": kept,
        "left": [field.name for field in schema if not _is_plain(field.type)],
    }
    out = sys.stdout.buffer
    out.write(json.dumps(described).encode() + b"\n")
    if metadata.num_rows * metadata.num_columns > most_cells:
        return
    try:
        # As dictionaries, texts that repeat take no more room here than in the file.
        texts = [field.name for field in schema if _is_text(field.type)]
        file = parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts, **limits)
        table = file.read(columns=kept, use_threads=False)
    except (OSError, NotImplementedError):  # some encodings of text cannot be read so
        file = parquet.ParquetFile(pa.BufferReader(content), **limits)
        table = file.read(columns=kept, use_threads=False)
    table = pa.table([_with_texts_as_dictionaries(column) for column in table.columns], names=kept)
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)


def _limit(memory: int) -> None:
    """Let this process take so many bytes beside those that it has."""
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            held = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return  # Windows and macOS have no such limit
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_plain(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return bool(number or pa.types.is_boolean(kind) or pa.types.is_null(kind) or _is_text(kind))


def _with_texts_as_dictionaries(column: Any) -> Any:
    if _is_text(column.type):
        return column.cast(pa.large_string()).dictionary_encode()
    if pa.types.is_dictionary(column.type) and not _is_text(column.type.value_type):
        return column.cast(column.type.value_type)
    return column


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
