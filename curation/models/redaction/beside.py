"""What stands beside a document's text and may name somebody too: its URL, its licence, and the title of its page.

A redacting stage takes the same kinds of values out of these columns, and writes them in its own files, so that later
stages, token shards and exports have them as it made them. What becomes of a URL or a licence depends on nothing else
of the document; a title is read as its text is. Where a rewriter fails on one, of the URL scheme and host are left, of
the others nothing. N = rows.
"""

from collections.abc import Callable, Mapping
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Components
from curation.core.guarded import attempt
from curation.core.protocols import Redacting
from curation.models.redaction.urls import without_details

URL = "url"
LICENCE = "licence"
QUOTING = ("title",)  # fields inside a struct of signals that quote the page
TEXT = "text"


def redacting(components: Components) -> list[Redacting]:
    """Those of the components that redact, in order."""
    return [component for _, component in components if isinstance(component, Redacting)]


def columns_beside(schema: pa.Schema) -> list[str]:
    """The names of the columns that are redacted with the text."""
    return [field.name for field in schema if field.name in (URL, LICENCE) or quotes(field.type)]


def quotes(kind: pa.DataType) -> bool:
    """Whether a struct of signals has a field that quotes the page."""
    return pa.types.is_struct(kind) and any(field.name in QUOTING for field in kind)


def redacted_beside(rewriter: Redacting, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, of which the text is redacted already, with the columns beside it redacted too."""
    for name in (URL, LICENCE):
        if name in batch.schema.names:
            batch = _with(batch, name, redacted_column(rewriter, name, batch.column(name)))
    for field in batch.schema:
        if quotes(field.type):
            structs = batch.column(field.name)
            batch = _with(batch, field.name, _quoting(structs, partial(_as_texts, rewriter, batch, structs)))
    return batch


def redacted_column(rewriter: Redacting, name: str, column: pa.Array) -> pa.Array:
    """string[N]: the column URL or LICENCE, redacted."""
    redact = rewriter.urls if name == URL else rewriter.words
    pieces = []
    for batch, result in attempt(lambda batch: redact(batch.column(name)), pa.record_batch({name: column})):
        if isinstance(result, Exception):
            result = without_details(batch.column(name)) if name == URL else pa.nulls(len(batch), column.type)
        pieces.append(result)
    return pa.concat_arrays(pieces) if pieces else column


def with_quotes(structs: pa.StructArray, others: pa.StructArray) -> pa.StructArray:
    """structs[N] with the fields in QUOTING of others[N], which has the same type; null where that is null."""
    return _quoting(structs, lambda name: pc.struct_field(others, name))


def _quoting(structs: pa.StructArray, quote: Callable[[str], pa.Array]) -> pa.StructArray:
    """structs[N] with what `quote` gives for each name in QUOTING; null where they are null."""
    names = [field.name for field in structs.type]
    fields = [quote(name) if name in QUOTING else pc.struct_field(structs, name) for name in names]
    return pa.StructArray.from_arrays(fields, fields=list(structs.type), mask=structs.is_null())


def _as_texts(rewriter: Redacting, batch: pa.RecordBatch, structs: pa.StructArray, name: str) -> pa.Array:
    """string[N], a field of the structs as the rewriter makes texts of it; nulls stay."""
    given = pc.struct_field(structs, name)
    asked = _with(batch, TEXT, pc.fill_null(given, "").cast(batch.schema.field(TEXT).type))
    new = [_new(piece, result).cast(given.type) for piece, result in attempt(rewriter.rewrite, asked)]
    return pc.if_else(given.is_valid(), pa.concat_arrays(new), pa.scalar(None, given.type))


def _new(piece: pa.RecordBatch, result: tuple[pa.Array, Mapping[str, pa.Array]] | Exception) -> pa.Array:
    return pa.nulls(len(piece), pa.large_string()) if isinstance(result, Exception) else result[0]


def _with(batch: pa.RecordBatch, name: str, values: pa.Array) -> pa.RecordBatch:
    place = batch.schema.get_field_index(name)
    return batch.set_column(place, batch.schema.field(name), values)
