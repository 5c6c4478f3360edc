"""Writes texts that a program holds into a run's folder, as the input of its first stage, for as long as it runs.

The file lies in a folder named by the hash of its content. It has the same bytes however the texts are given: as a
list, an iterator or a table, in batches of any size. So the same texts give a stage the same address, and a run that
was cut off goes on when it is called with them again. A document's id depends on its place among the texts and on its
own id or text, so it stays when texts are added. What can be read only once is read once. After the run the file is
removed, because each document is in the first stage.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.documents_given import batches_of
from curation.core.errors import UserError
from curation.core.new_file import checksum_of
from curation.core.settings import YamlFile
from curation.core.verbs import EXTRACT, READ
from pipelines.recipe_objects import CHAIN

FOLDER = "_input"  # in the run's folder
GROUP_ROWS = 10_000  # of a row group, at most
GROUP_BYTES = 64 << 20  # of its texts, unless one has more
FIELDS = ("id", "url", "crawled_at", "licence", "declared_language")  # kept of documents beside `text`
SCHEMA = pa.schema([("text", pa.large_string()), *((name, pa.string()) for name in FIELDS)])


@contextmanager
def texts_written(texts: Any, output: str) -> Iterator[str]:
    """Writes the texts and gives the file's path. It is removed at the end; after an error it stays, because another
    process may be at work in the folder. Raises UserError for what holds no texts."""
    folder = storage.join(storage.absolute(output), FOLDER)
    is_new = not storage.exists(output)
    try:
        yield _write(texts, folder)
    except UserError:
        if is_new and storage.list_names(output) == [FOLDER]:
            storage.delete_folder(output)
        raise
    storage.delete_folder(folder)


def reading(document: YamlFile, path: str) -> YamlFile:
    """The recipe with the texts in place of what its only source reads. Raises RecipeError where it has several, or
    extracts from pages."""
    sources = document.data.get("sources")
    if not isinstance(sources, Mapping) or len(sources) != 1:
        raise document.error(("sources",), "texts are the input of one source; give a recipe with one")
    ((name, chain),) = sources.items()
    stages = list(chain) if isinstance(chain, list | tuple) else []
    if stages and isinstance(stages[0], Mapping) and READ.name in stages[0]:
        beside = {key: value for key, value in stages.pop(0).items() if key != READ.name}
    else:
        beside = {}
    if any(isinstance(stage, Mapping) and EXTRACT.name in stage for stage in stages):
        raise document.error(("sources", name), "texts in memory are no pages: remove the extract stage")
    options = {"paths": [path], **{field: field for field in FIELDS}}
    chain = [{READ.name: {"parquet": options}, **beside}, *stages]
    return YamlFile(document.name, {**document.data, "sources": {name: chain}}, document.lines)


def _write(texts: Any, folder: str) -> str:
    """The path of the file with the texts, which is there whole."""
    storage.make_folder(folder)
    beside = storage.join(folder, f"_partial.{uuid4().hex}.parquet")
    try:
        fs, inner = storage.resolve(beside)
        with fs.open_output_stream(inner) as stream:
            _write_groups(texts, stream)
        place = storage.join(folder, checksum_of(beside)[:16])
        storage.make_folder(place)
        path = storage.join(place, f"{CHAIN}.parquet")
        storage.move_file(beside, path)
    except BaseException:
        storage.delete_file(beside)
        raise
    return path


def _write_groups(texts: Any, stream: Any) -> None:
    """Writes row groups that depend on the rows alone, not on the batches in which they come."""
    rest = SCHEMA.empty_table()
    rows = 0
    with pq.ParquetWriter(stream, SCHEMA, compression="zstd", store_schema=False) as writer:
        for batch in batches_of(texts):
            rows += len(batch)
            *whole, rest = _groups(pa.concat_tables([rest, _as_strings(batch)]))
            for group in whole:
                writer.write_table(group, row_group_size=GROUP_ROWS)
        writer.write_table(rest, row_group_size=GROUP_ROWS)
    if not rows:
        raise UserError("there are no texts to curate; give at least one")


def _groups(table: pa.Table) -> list[pa.Table]:
    """The table cut into row groups, of which the last may not be full yet."""
    ends = np.cumsum(np.asarray(pc.fill_null(pc.binary_length(table["text"]), 0), np.int64))
    groups: list[pa.Table] = []
    start = 0
    while True:
        before = ends[start - 1] if start else 0
        fitting = int(np.searchsorted(ends, before + GROUP_BYTES, side="right"))
        stop = min(max(fitting, start + 1), start + GROUP_ROWS)
        if stop >= len(table):
            return [*groups, table.slice(start)]
        groups.append(table.slice(start, stop - start))
        start = stop


def _as_strings(batch: pa.Table) -> pa.Table:
    """The columns of SCHEMA; null where the documents have none."""
    columns = {}
    for field in SCHEMA:
        try:
            there = field.name in batch.column_names
            values = batch[field.name] if there else pa.nulls(len(batch), field.type)
            columns[field.name] = (_moments(values) if field.name == "crawled_at" else values).cast(field.type)
        except pa.ArrowException as error:
            raise UserError(f"the column `{field.name}` of the documents cannot be read as strings: {error}") from error
    return pa.table(columns, SCHEMA)


def _moments(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times as ISO 8601; numbers are seconds since 1970."""
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        values = pc.multiply(values.cast(pa.float64()), 1e6).cast(pa.int64(), safe=False).cast(pa.timestamp("us"))
    if not pa.types.is_temporal(values.type):
        return values
    return pc.strftime(values.cast(pa.timestamp("us", "UTC")), "%Y-%m-%dT%H:%M:%SZ")
