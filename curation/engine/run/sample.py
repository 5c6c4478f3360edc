"""Draws the text that a fit learns from, balanced over sources or the values of a column, and tells what was drawn.

The sizes of sources are in the manifests. Those of a column's values take a scan of that column; only of a part of the
shards, evenly spread, is the text read to know how long a value's documents are. Documents are then drawn by a hash of
their doc_id, so that the sample is the same on every run and for any number of workers: where it is not balanced each
with the same probability, else as `tokens/drawing.py` has it.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.composed import all_columns
from curation.core.errors import InputError, UserError
from curation.core.protocols import Fit
from curation.core.settings import YamlFile, nearest
from curation.engine.recipe.columns import Columns, columns_after, type_of
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Stage
from curation.engine.run.part_files import read_part
from curation.fit.sample.drawing import Drawing
from curation.fit.sample.shares import NONE, REST, SOURCE, Drawn, Sampled, Shard, targets
from curation.text.kernels.hashing import hash64

EVERYTHING = "all text"  # the only group where a sample is not balanced
MEASURED_BYTES = 1 << 28  # of text that is read to know the sizes of a column's groups, at least one shard


def learn(component: Fit, shards: Sequence[Shard]) -> tuple[bytes, dict[str, object]]:
    """Fits the component on the kept text of the shards in this process: the asset, and what it was learnt from.

    The record has `by` and, per group, the fields of `Drawn`; sizes of a column's groups are estimates where there are
    more than MEASURED_BYTES of text. Raises RecipeError for groups that are not in the text.
    """
    by = component.sample_by if isinstance(component, Sampled) else ""
    sizes = group_sizes(by, shards)
    if isinstance(component, Sampled):
        wanted = targets(component, sizes)
    else:
        wanted = {name: float(min(size, component.sample_bytes)) for name, size in sizes.items()}
    documents, drawn = Counter[str](), Counter[str]()
    if by:
        texts = balanced_texts(shards, by, wanted, documents, drawn)
    else:
        share = wanted[EVERYTHING] / max(sizes[EVERYTHING], 1)
        texts = sampled_texts(shards, share, documents, drawn)
    content = component.fit(texts)
    groups = [Drawn(name, sizes[name], round(wanted[name]), documents[name], drawn[name]) for name in sizes]
    return content, {"by": by, "groups": [asdict(one) for one in groups]}


def check_plan(document: YamlFile, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for a sample by a column that no stage makes or weights of no source."""
    key, fit = stage.components[0]
    if not isinstance(fit, Sampled) or not fit.sample_by:
        return
    at = stage.at(key)
    if fit.sample_by == SOURCE:
        known = [nodes[index].chain for index in _readers(nodes, upstream)]
        for name in fit.sample_weights:
            if name not in (*known, REST):
                raise document.error((*at, "sample_weights", name), f"no source {name!r}{nearest(name, known)}")
        return
    for index in upstream:
        try:
            _check_column(fit.sample_by, columns_after(nodes, index))
        except UserError as error:
            raise document.error((*at, "sample_by"), f"after {nodes[index].name}: {error}") from error


def _readers(nodes: Sequence[Node], upstream: Sequence[int]) -> list[int]:
    before = [one for index in upstream for one in _readers(nodes, nodes[index].upstream)]
    return [*before, *(index for index in upstream if nodes[index].verb.begins)]


def group_sizes(by: str, shards: Sequence[Shard]) -> dict[str, int]:
    """Group -> UTF-8 bytes of kept text, sorted by group. Raises InputError where a shard has no such column."""
    total = sum(shard.kept_bytes for shard in shards)
    if not by:
        return {EVERYTHING: total}
    if by == SOURCE:
        sources = Counter[str]()
        for shard in shards:
            sources[shard.source] += shard.kept_bytes
        return dict(sorted(sources.items()))
    return _column_sizes(by, shards, max(1, math.ceil(total / MEASURED_BYTES)))


def _column_sizes(by: str, shards: Sequence[Shard], every: int) -> dict[str, int]:
    """Of each `every`th shard the text is read; in the others only documents are counted."""
    documents, measured, sizes = Counter[str](), Counter[str](), Counter[str]()
    for shard in shards[:1]:
        _check_column(by, {field.name: field.type for field in all_columns(shard.files)})
    for number, shard in enumerate(shards):
        columns = (by, "text") if number % every == 0 else (by,)
        for table in read_part(shard.files, columns=columns):
            counts = {"groups": _groups(table, by, shard.source), "bytes": pa.nulls(table.num_rows, pa.int64())}
            if "text" in columns:
                counts["bytes"] = pc.binary_length(table["text"]).cast(pa.int64())
            groups = pa.table(counts).group_by("groups")
            for row in groups.aggregate([([], "count_all"), ("bytes", "count"), ("bytes", "sum")]).to_pylist():
                documents[row["groups"]] += row["count_all"]
                measured[row["groups"]] += row["bytes_count"]
                sizes[row["groups"]] += row["bytes_sum"] or 0
    whole, seen = sizes.total(), max(measured.total(), 1)  # 0 where takedowns left no text
    return {
        name: documents[name] * sizes[name] // measured[name] if measured[name] else documents[name] * whole // seen
        for name in sorted(documents)
    }


def _check_column(by: str, columns: Columns) -> None:
    kind = type_of(by, columns, by="sample_by")
    if kind is not None and not _is_word(kind):
        hint = f"; give a field of it, such as {by}.{kind[0].name}" if pa.types.is_struct(kind) else ""
        raise InputError(f"sample_by cannot take the values of {by}, which holds {kind}{hint}")


def _is_word(kind: pa.DataType) -> bool:
    """Whether values of the type tell groups: text, whole numbers, true and false."""
    types = pa.types
    text = types.is_string(kind) or types.is_large_string(kind) or types.is_dictionary(kind)
    return bool(text or types.is_integer(kind) or types.is_boolean(kind))


def _groups(table: pa.Table, by: str, source: str) -> pa.Array:
    """string[N]: each row's group."""
    if by == SOURCE:
        return pa.array([source]).take(pa.array(np.zeros(table.num_rows, np.int32)))
    name, *fields = by.split(".")
    column = table[name].combine_chunks()
    return (pc.struct_field(column, fields) if fields else column).cast(pa.string()).fill_null(NONE)


def sampled_texts(
    shards: Sequence[Shard], share: float, documents: Counter[str], drawn: Counter[str]
) -> Iterator[pa.Array]:
    """large_string arrays of the kept texts, in shard order, each document with the probability `share`.

    Adds the documents and their UTF-8 bytes to `documents` and `drawn`, as EVERYTHING.
    """
    limit = np.uint64(min(int(share * 2**64), 2**64 - 1))
    for shard in shards:
        for table in _with_text(shard, ("doc_id", "text")):
            texts = table["text"].filter(pa.array(_hashes(table) <= limit)).combine_chunks()
            documents[EVERYTHING] += len(texts)
            drawn[EVERYTHING] += pc.sum(pc.binary_length(texts)).as_py() or 0
            if len(texts):
                yield texts


def balanced_texts(
    shards: Sequence[Shard], by: str, wanted: Mapping[str, float], documents: Counter[str], drawn: Counter[str]
) -> Iterator[pa.Array]:
    """large_string arrays of kept texts, in shard order, of each group as near to the `wanted` bytes as may be.

    Adds the documents and their UTF-8 bytes to `documents` and `drawn`, by group.
    """
    names, drawing = pa.array(list(wanted), pa.string()), Drawing(list(wanted.values()))
    columns = ("doc_id", "text") if by == SOURCE else ("doc_id", "text", by)
    for shard in shards:
        for table in _with_text(shard, columns):
            groups = pc.index_in(_groups(table, by, shard.source), names)
            drawing.add(groups.to_numpy().astype(np.int64), _hashes(table), table["text"])
    for numbers, texts in drawing.drawn():
        counts = pa.table({"group": numbers, "bytes": pc.binary_length(texts)}).group_by("group")
        for row in counts.aggregate([([], "count_all"), ("bytes", "sum")]).to_pylist():
            documents[names[row["group"]].as_py()] += row["count_all"]
            drawn[names[row["group"]].as_py()] += row["bytes_sum"]
        yield texts


def _with_text(shard: Shard, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Kept rows; not documents that were taken down, which have no text."""
    for table in read_part(shard.files, columns=columns):
        yield table.filter(table["text"].is_valid())


def _hashes(table: pa.Table) -> npt.NDArray[np.uint64]:
    return hash64(table["doc_id"].cast(pa.large_string()).combine_chunks())
