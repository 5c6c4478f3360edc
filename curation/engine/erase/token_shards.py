"""Turns the tokens of documents in token shards into padding: no row and no segment moves.

In `.bin` the tokens become the padding id, in `.idx` their segments get PADDING_BIT, in the lineage they lose doc_id,
url, offset and number and are marked as padding. The sizes of `.bin` and `.idx` stay. The token that a row repeats from
the row before is a segment of its document, so it goes too.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.composed import read_rows
from curation.core.new_file import CHUNK, FileFacts, NewFile, write_new
from curation.core.protocols import Ints
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.core.threads import map_threads
from curation.engine.erase.documents import Erasure
from curation.engine.erase.replacing import Replacement, rewrite_groups
from curation.engine.run.part_files import text_lengths
from curation.tokens.lineage import SEGMENT, segments_of
from curation.tokens.manifests import shards_in
from curation.tokens.token_files import HEADER, PADDING_BIT

UNNAMED = ("doc_id", "url", "doc_offset", "document")  # null in the lineage's rows of padding
Entry = dict[str, Any]  # of a part in the section `tokens`


def erase_tokens(
    stage: ShardFiles, shards: Mapping[int, Ints], documents: tuple[str, ...], replacement: Replacement
) -> Erasure:
    """Writes the new files of the token shards that hold tokens of the documents, and their commits. `shards` are those
    that the stage read, with the documents' rows."""
    manifest = stage.manifest
    assert manifest.tokens is not None, "a pack stage has a section `tokens`"
    section = manifest.tokens
    ids = pa.array(documents, pa.string())

    def of_part(part: Entry, sizes: Mapping[str, int]) -> tuple[Entry, int, int] | None:
        segments = segments_of(storage.join(stage.folder, f"{part['name']}.parquet"), ids)
        if not segments.num_rows:
            return None
        lost = losses(segments, sizes)
        left = {name: part[name] - count for name, count in lost.items() if name in part}
        files = {name: asdict(facts) for name, facts in write_erased(replacement, part, section, segments, ids).items()}
        new = {**part, "files": part["files"] | files, **left}
        return new, lost["documents"], len(pc.unique(segments["row"]))

    def of_unit(unit: int) -> list[tuple[Entry, int, int] | None]:
        parts = manifest.commits[unit].extra["parts"]
        read = {shard for part in parts for shard in shards_in(part, sorted(shards))}
        sizes = _text_bytes(stage, {shard: shards[shard] for shard in sorted(read)}) if read else {}
        return [of_part(part, sizes) if read else None for part in parts]

    found = map_threads(of_unit, range(len(manifest.commits)))
    changed = [one for parts in found for one in parts if one is not None]
    new = {part["name"]: part for part, _, _ in changed}
    commits = []
    for commit in manifest.commits:
        parts = [new.get(part["name"], part) for part in commit.extra["parts"]]
        files = {name: facts for part in parts for name, facts in part["files"].items()}
        commits.append(replace(commit, extra={**commit.extra, "files": files, "parts": parts}))
    replacement.put_commits(stage.folder, [one for one, parts in zip(commits, found, strict=True) if any(parts)])
    every = [new.get(part["name"], part) for part in section["parts"]]
    return Erasure(
        replace(
            manifest,
            shards=ShardTable.of(commits, stage.folder, manifest.chain),
            tokens={**section, "parts": every, "sources": totals(section["sources"], every)},
        ),
        _checksums(section["parts"], new),
        documents=sum(count for _, count, _ in changed),
        rows=sum(rows for _, _, rows in changed),
    )


def _checksums(parts: list[Entry], new: Mapping[str, Entry]) -> dict[str, dict[str, str]]:
    """Of the files of the parts that changed, {"before", "after"} by name."""
    return {
        name: {"before": facts["blake2b"], "after": new[part["name"]]["files"][name]["blake2b"]}
        for part in parts
        if part["name"] in new
        for name, facts in part["files"].items()
    }


def _text_bytes(stage: ShardFiles, shards: Mapping[int, Ints]) -> dict[str, int]:
    """UTF-8 bytes of the rows' documents by doc_id, from the files that the stage read."""
    by_id: dict[str, int] = {}
    for shard, rows in shards.items():
        for table in read_rows(stage.before(shard), ("doc_id", "text"), rows=rows):
            by_id |= dict(zip(table["doc_id"].to_pylist(), text_lengths(table).tolist(), strict=True))
    return by_id


def losses(segments: pa.Table, text_bytes: Mapping[str, int]) -> dict[str, int]:
    """What a part's counts lose with the documents that have these segments; `text_bytes` are the sizes of documents
    by doc_id."""
    ends = pc.add(segments["doc_offset"], segments["length"].cast(pa.int64()))
    numbers = [name for name in ("doc_id", "document") if name in segments.column_names]
    by_document = segments.append_column("end", ends).group_by(numbers, use_threads=False)
    table = by_document.aggregate([("end", "max"), ("length", "max")])
    longest = np.asarray(table["length_max"], np.int64)
    whole = np.asarray(table["end_max"], np.int64)
    return {
        "documents": table.num_rows,
        "tokens": int(whole.sum()),
        "utf8_bytes": sum(text_bytes[doc_id] for doc_id in table["doc_id"].to_pylist()),
        "padding": -int(pc.sum(segments["length"]).as_py() or 0),
        "cut": int(np.count_nonzero(longest < whole)),
    }


def write_erased(
    replacement: Replacement, part: Entry, section: Mapping[str, Any], segments: pa.Table, documents: pa.Array
) -> dict[str, FileFacts]:
    """Writes the part's files anew, without the documents that have these segments; returns what they are by name."""
    base = storage.join(replacement.home, part["name"])
    new = {kind: replacement.path(replacement.home, f"{part['name']}.{kind}") for kind in ("bin", "idx", "parquet")}
    starts = np.asarray(segments["row"]) * section["row_tokens"] + np.asarray(segments["position"])
    lengths = np.asarray(segments["length"], np.int64)
    facts = {
        "bin": _pad_rows(f"{base}.bin", new["bin"], starts, lengths, section),
        "idx": _mark_segments(f"{base}.idx", new["idx"], np.asarray(segments[SEGMENT])),
        "parquet": rewrite_groups(f"{base}.parquet", new["parquet"], lambda table, _: _unnamed(table, documents)),
    }
    return {f"{part['name']}.{kind}": fact for kind, fact in facts.items()}


def totals(sources: dict[str, Any], parts: list[Entry]) -> dict[str, Any]:
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


def _pad_rows(uri: str, target: str, starts: Ints, lengths: Ints, section: Mapping[str, Any]) -> FileFacts:
    """Replaces the tokens [start, start + length) of the file by padding; streams the file."""
    dtype = np.dtype(section["dtype"]).newbyteorder("<")
    stops = starts + lengths
    first = 0
    fs, path = storage.resolve(uri)
    with fs.open_input_stream(path, compression=None) as stream, NewFile(target) as file:
        while piece := stream.read(CHUNK):
            tokens = np.frombuffer(bytearray(piece), dtype)
            last = first + len(tokens)
            inside = np.flatnonzero((starts < last) & (stops > first))
            for start, stop in zip(starts[inside] - first, stops[inside] - first, strict=True):
                tokens[max(start, 0) : stop] = section["padding"]
            file.write(tokens.tobytes())
            first = last
    assert file.facts is not None, "a context that ends publishes"
    return file.facts


def _mark_segments(uri: str, target: str, segments: Ints) -> FileFacts:
    content = storage.read_bytes(uri)
    _, _, _, _, _, rows, count = HEADER.unpack(content[: HEADER.size])
    at = HEADER.size + 8 * (rows + 1)
    lengths = np.frombuffer(content, "<u4", count, at).copy()
    lengths[segments] |= np.uint32(PADDING_BIT)
    return write_new(target, content[:at] + lengths.tobytes())


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
