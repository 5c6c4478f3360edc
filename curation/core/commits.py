"""The commits of finished units of work: one per unit, in one Arrow file per group of units.

Requests are made once per group: 100,000 shards are 98 files. A group's file is replaced in one step, so it is never
half written. It is an Arrow stream with its BLAKE2b-256 after it, so that whoever reads it sees that it is whole.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc

from curation.core import storage
from curation.core.errors import InputError
from curation.core.shapes import checked
from curation.core.stage_shapes import Extra, Fault

GROUP_UNITS = 1024
COMMITS = "_commits"  # of the step that writes a stage's part files


@dataclass(frozen=True)
class Part:
    """A part file of a stage = one shard for the next; counts are of documents unless named otherwise."""

    file: str
    source: str
    file_bytes: int
    rows: int
    kept: int
    text_bytes: int = 0  # UTF-8 bytes of text over all rows
    kept_text_bytes: int = 0
    tokens: int = 0  # of kept documents, end-of-text included
    dropped: dict[str, int] = field(default_factory=dict)  # by reason
    blake2b: str = ""  # BLAKE2b-256 of the file, in hex


@dataclass(frozen=True)
class Commit:
    """The result of one finished unit of work."""

    unit: int
    parts: tuple[Part, ...]
    fired: dict[str, int] = field(default_factory=dict)  # "<key>.<signal>:<side>" -> documents beyond the limit
    counts: dict[str, int] = field(default_factory=dict)  # records passed over, edits made, … by name
    faults: tuple[dict[str, Any], ...] = ()  # {"file", "offset", "error"}
    extra: dict[str, Any] = field(default_factory=dict)  # of the stage's kind, e.g. a token shard's checksums
    seconds: float = 0.0  # of work, on one worker

    def files(self) -> dict[str, int]:
        """Bytes of each file that the unit wrote, by its path within the stage's folder."""
        sizes = {part.file: part.file_bytes for part in self.parts}
        return sizes | {name: entry["bytes"] for name, entry in self.extra.get("files", {}).items()}


_COUNTS = pa.map_(pa.string(), pa.int64())
_KINDS = {str: pa.string(), int: pa.int64(), dict[str, int]: _COUNTS}
_PART = pa.struct([(column.name, _KINDS[column.type]) for column in fields(Part)])  # type: ignore[index]
SCHEMA = pa.schema(
    [
        ("unit", pa.int64()),
        ("seconds", pa.float64()),
        ("parts", pa.list_(_PART)),
        ("fired", _COUNTS),
        ("counts", _COUNTS),
        ("faults", pa.string()),  # JSON, as is `extra`
        ("extra", pa.string()),
    ]
)
_OUTSIDE = r"^$|^/|(^|/)\.\.(/|$)|://|\x00"  # of the folder in which a name is looked up
_DIGEST = 32  # bytes
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")


def group_path(folder: str, group: int, step: str = COMMITS) -> str:
    """The file of a group's commits in a stage's folder."""
    return storage.join(folder, step, group_name(group))


def group_name(group: int) -> str:
    return f"group-{group:05d}.arrow"


def write_group(uri: str, commits: Iterable[Commit]) -> None:
    """The commits in the order of their units; equal commits give equal bytes."""
    rows = [_row(commit) for commit in sorted(commits, key=lambda commit: commit.unit)]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA, options=_OPTIONS) as stream:
        stream.write_table(pa.Table.from_pylist(rows, SCHEMA))
    content = sink.getvalue().to_pybytes()
    storage.replace_bytes(uri, content + _digest(content))


def read_group(uri: str, size: int | None = None) -> tuple[Commit, ...]:
    """Raises InputError if the file is missing or damaged. With its `size` in bytes, one request reads it."""
    content = _checked(uri, storage.read_start(uri, size))
    try:
        with pa.ipc.open_stream(pa.BufferReader(content)) as stream:
            table = stream.read_all()
        _check_columns(table, SCHEMA)
        return tuple(map(_commit, table.to_pylist()))
    except (pa.ArrowException, ValueError, RecursionError) as error:
        raise _damaged(uri, error) from error


def read_parts(uri: str) -> tuple[int, pa.StructArray]:
    """The number of commits in a group's file, and their parts as an array with the fields of `Part`. Raises InputError
    if the file is missing or damaged."""
    options = pa.ipc.IpcReadOptions(included_fields=[SCHEMA.get_field_index("parts")])
    content = _checked(uri, storage.read_bytes(uri))
    try:
        with pa.ipc.open_stream(pa.BufferReader(content), options=options) as stream:
            table = stream.read_all()
        _check_columns(table, pa.schema([SCHEMA.field("parts")]))
        lists = table["parts"].combine_chunks()
        return len(lists), lists.flatten()
    except (pa.ArrowException, ValueError) as error:
        raise _damaged(uri, error) from error


def _checked(uri: str, content: bytes) -> bytes:
    """The stream, without its digest."""
    stream = content[:-_DIGEST]
    digest = content[-_DIGEST:]
    if digest != _digest(stream):
        raise _damaged(uri, "its checksum is not that of its content")
    return stream


def _check_columns(table: pa.Table, schema: pa.Schema) -> None:
    """Raises ValueError for other columns, for absent values, and for a part file outside the stage's folder."""
    if table.schema != schema:
        raise ValueError("it has other columns")
    if not all(_has_all(column.combine_chunks()) for column in table.columns):
        raise ValueError("it lacks values")
    files = table["parts"].combine_chunks().flatten().field("file")
    if pc.any(pc.match_substring_regex(files, _OUTSIDE)).as_py():
        raise ValueError("it names a file outside its stage")


def _has_all(array: pa.Array) -> bool:
    """Whether no value is null, at any depth."""
    if array.null_count:
        return False
    if isinstance(array, pa.MapArray):
        return _has_all(array.keys) and _has_all(array.items)
    if isinstance(array, pa.ListArray):
        return _has_all(array.flatten())
    return not isinstance(array, pa.StructArray) or all(map(_has_all, array.flatten()))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _damaged(uri: str, error: object) -> InputError:
    return InputError(f"{uri} is damaged: {error}; delete its stage's folder and curate again")


def _row(commit: Commit) -> dict[str, Any]:
    parts = [{**part.__dict__, "dropped": sorted(part.dropped.items())} for part in commit.parts]
    texts = {name: json.dumps(getattr(commit, name), sort_keys=True) for name in ("faults", "extra")}
    counts = {name: sorted(getattr(commit, name).items()) for name in ("fired", "counts")}
    return {"unit": commit.unit, "seconds": commit.seconds, "parts": parts, **counts, **texts}


def _commit(row: Mapping[str, Any]) -> Commit:
    parts = tuple(Part(**{**part, "dropped": dict(part["dropped"])}) for part in row["parts"])
    return Commit(
        unit=row["unit"],
        parts=parts,
        fired=dict(row["fired"]),
        counts=dict(row["counts"]),
        faults=checked(json.loads(row["faults"]), tuple[Fault, ...]),  # type: ignore[arg-type]
        extra=checked(json.loads(row["extra"]), Extra),  # type: ignore[arg-type]
        seconds=row["seconds"],
    )
