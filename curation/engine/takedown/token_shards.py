"""Turns the tokens of documents in token shards into padding where they stand: no row, no segment changes its place.

In `.bin` the tokens become the padding id, in `.idx` their segments get PADDING_BIT, in the lineage they lose doc_id,
url, offset and number and are marked as padding. Sizes of `.bin` and `.idx` stay. The token that a row repeats of the
row before is a segment of its document, so it goes too. The lineage is changed last: while it names a segment, the
files before it are changed again, with the same outcome.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.engine.takedown.replacing import checksum_of, pieces, replace_groups, replacing
from curation.tokens.lineage import SEGMENT, segments_of
from curation.tokens.token_files import HEADER, PADDING_BIT

Ints = npt.NDArray[np.int64]
UNNAMED = ("doc_id", "url", "doc_offset", "document")  # null in the lineage's rows of padding
Part = dict[str, Any]  # of the section `tokens`


def losses(folder: str, part: Part, documents: pa.Array, text_bytes: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """What the part's counts lose with the documents, and the rows that they stand in; `text_bytes` are their sizes by
    doc_id."""
    found = segments_of(storage.join(folder, f"{part['name']}.parquet"), documents)
    ends = pc.add(found["doc_offset"], found["length"].cast(pa.int64()))
    numbers = [name for name in ("doc_id", "document") if name in found.column_names]
    by_document = found.append_column("end", ends).group_by(numbers, use_threads=False)
    table = by_document.aggregate([("end", "max"), ("length", "max")])
    longest, whole = np.asarray(table["length_max"], np.int64), np.asarray(table["end_max"], np.int64)
    lost = {
        "documents": table.num_rows,
        "tokens": int(whole.sum()),
        "utf8_bytes": sum(text_bytes[one] for one in table["doc_id"].to_pylist()),
        "padding": -int(pc.sum(found["length"]).as_py() or 0),
        "cut": int(np.count_nonzero(longest < whole)),
    }
    return {name: count for name, count in lost.items() if name in part}, len(pc.unique(found["row"]))


def erase_tokens(folder: str, part: Part, section: Mapping[str, Any], documents: pa.Array) -> Part:
    """Changes the part's files; returns its entry with their sizes and checksums as they are now."""
    base = storage.join(folder, part["name"])
    found = segments_of(f"{base}.parquet", documents)
    if found.num_rows:
        starts = np.asarray(found["row"]) * section["row_tokens"] + np.asarray(found["position"])
        _pad_rows(f"{base}.bin", starts, np.asarray(found["length"], np.int64), section)
        _mark_segments(f"{base}.idx", np.asarray(found[SEGMENT]))
        _unname(f"{base}.parquet", documents)
    names = [f"{part['name']}.{kind}" for kind in ("bin", "idx", "parquet")]
    paths = {name: storage.join(folder, name) for name in names}
    files = {name: {"bytes": storage.size(path), "blake2b": checksum_of(path)} for name, path in paths.items()}
    return {**part, "files": files}


def _pad_rows(uri: str, starts: Ints, lengths: Ints, section: Mapping[str, Any]) -> None:
    """Padding in place of the tokens [start, start + length), by their number in the file; streams the file."""
    dtype = np.dtype(section["dtype"]).newbyteorder("<")
    stops, first = starts + lengths, 0
    with replacing(uri) as beside:
        fs, target = storage.resolve(beside)
        with fs.open_output_stream(target, compression=None) as stream:
            for piece in pieces(uri):
                tokens = np.frombuffer(bytearray(piece), dtype)
                last = first + len(tokens)
                inside = np.flatnonzero((starts < last) & (stops > first))
                for start, stop in zip(starts[inside] - first, stops[inside] - first, strict=True):
                    tokens[max(start, 0) : stop] = section["padding"]
                stream.write(tokens.tobytes())
                first = last


def _mark_segments(uri: str, segments: Ints) -> None:
    content = storage.read_bytes(uri)
    _, _, _, _, _, rows, count = HEADER.unpack(content[: HEADER.size])
    at = HEADER.size + 8 * (rows + 1)
    lengths = np.frombuffer(content, "<u4", count, at).copy()
    lengths[segments] |= np.uint32(PADDING_BIT)
    storage.replace_bytes(uri, content[:at] + lengths.tobytes())


def _unname(uri: str, documents: pa.Array) -> None:
    replace_groups(uri, lambda table, _: _unnamed(table, documents))


def _unnamed(table: pa.Table, documents: pa.Array) -> pa.Table:
    gone = pc.is_in(table["doc_id"], documents.cast(table["doc_id"].type), skip_nulls=True)
    for index, field in enumerate(table.schema):
        if field.name in UNNAMED:
            values = pc.if_else(gone, pa.scalar(None, field.type), table[field.name])
        elif field.name == "padding":
            values = pc.or_(table["padding"], gone)
        else:
            continue
        table = table.set_column(index, field, values)
    return table
