"""Turns the tokens of documents in token shards into padding, in place: no row and no segment moves.

In `.bin` the tokens become the padding id, in `.idx` their segments get PADDING_BIT, in the lineage they lose doc_id,
url, offset and number and are marked as padding. The sizes of `.bin` and `.idx` stay. The token that a row repeats from
the row before is a segment of its document, so it goes too. The lineage is changed last: while it names a segment, a
repeated call changes the other files again, with the same outcome.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.new_file import FileFacts
from curation.core.protocols import Ints
from curation.engine.erase.replacing import facts_of, pieces, rewrite_groups
from curation.tokens.lineage import SEGMENT, segments_of
from curation.tokens.token_files import HEADER, PADDING_BIT

UNNAMED = ("doc_id", "url", "doc_offset", "document")  # null in the lineage's rows of padding
Part = dict[str, Any]  # of the section `tokens`


def losses(folder: str, part: Part, documents: pa.Array, text_bytes: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """What the part's counts lose with the documents, and the number of rows that hold them; `text_bytes` are the sizes
    of the documents by doc_id."""
    segments = segments_of(storage.join(folder, f"{part['name']}.parquet"), documents)
    ends = pc.add(segments["doc_offset"], segments["length"].cast(pa.int64()))
    numbers = [name for name in ("doc_id", "document") if name in segments.column_names]
    by_document = segments.append_column("end", ends).group_by(numbers, use_threads=False)
    table = by_document.aggregate([("end", "max"), ("length", "max")])
    longest = np.asarray(table["length_max"], np.int64)
    whole = np.asarray(table["end_max"], np.int64)
    lost = {
        "documents": table.num_rows,
        "tokens": int(whole.sum()),
        "utf8_bytes": sum(text_bytes[doc_id] for doc_id in table["doc_id"].to_pylist()),
        "padding": -int(pc.sum(segments["length"]).as_py() or 0),
        "cut": int(np.count_nonzero(longest < whole)),
    }
    return {name: count for name, count in lost.items() if name in part}, len(pc.unique(segments["row"]))


def erasures(
    folder: str, part: Part, section: Mapping[str, Any], documents: pa.Array
) -> dict[str, Callable[[str], FileFacts]]:
    """Name of each of the part's files -> function that writes it anew at a path, in the order of replacement; empty
    where the lineage no longer names any of the documents."""
    base = storage.join(folder, part["name"])
    segments = segments_of(f"{base}.parquet", documents)
    if not segments.num_rows:
        return {}
    starts = np.asarray(segments["row"]) * section["row_tokens"] + np.asarray(segments["position"])
    lengths = np.asarray(segments["length"], np.int64)
    numbers = np.asarray(segments[SEGMENT])

    def pad_rows(target: str) -> FileFacts:
        _pad_rows(f"{base}.bin", target, starts, lengths, section)
        return facts_of(target)

    def mark_segments(target: str) -> FileFacts:
        _mark_segments(f"{base}.idx", target, numbers)
        return facts_of(target)

    def unname(target: str) -> FileFacts:
        rewrite_groups(f"{base}.parquet", target, lambda table, _: _unnamed(table, documents))
        return facts_of(target)

    kinds = {"bin": pad_rows, "idx": mark_segments, "parquet": unname}
    return {f"{part['name']}.{kind}": write for kind, write in kinds.items()}


def totals(sources: dict[str, Any], parts: list[Part]) -> dict[str, Any]:
    """Source -> split -> kind -> count, summed over the parts, of the kinds that `sources` has."""
    return {
        source: {
            split: {
                kind: sum(p[kind] for p in parts if (p["source"], p["split"]) == (source, split)) for kind in counts
            }
            for split, counts in splits.items()
        }
        for source, splits in sources.items()
    }


def _pad_rows(uri: str, target: str, starts: Ints, lengths: Ints, section: Mapping[str, Any]) -> None:
    """Replaces the tokens [start, start + length) of the file by padding; streams the file."""
    dtype = np.dtype(section["dtype"]).newbyteorder("<")
    stops = starts + lengths
    first = 0
    fs, path = storage.resolve(target)
    with fs.open_output_stream(path, compression=None) as stream:
        for piece in pieces(uri):
            tokens = np.frombuffer(bytearray(piece), dtype)
            last = first + len(tokens)
            inside = np.flatnonzero((starts < last) & (stops > first))
            for start, stop in zip(starts[inside] - first, stops[inside] - first, strict=True):
                tokens[max(start, 0) : stop] = section["padding"]
            stream.write(tokens.tobytes())
            first = last


def _mark_segments(uri: str, target: str, segments: Ints) -> None:
    content = storage.read_bytes(uri)
    _, _, _, _, _, rows, count = HEADER.unpack(content[: HEADER.size])
    at = HEADER.size + 8 * (rows + 1)
    lengths = np.frombuffer(content, "<u4", count, at).copy()
    lengths[segments] |= np.uint32(PADDING_BIT)
    storage.write_bytes(target, content[:at] + lengths.tobytes())


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
