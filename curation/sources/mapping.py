"""Maps the columns of a data set onto the document schema: which field is the text, the id, the url and so on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import DOCUMENT, document_id
from curation.core.protocols import Piece, ReadTally
from curation.core.reasons import extract_reason
from curation.sources.dates import MOMENT
from curation.sources.field_values import alternatives, joined_lists
from curation.sources.source_files import TextSource
from curation.sources.units import MAX_BYTES, MAX_ROWS
from curation.text.text_hash import text_hashes

MAX_VALUE_BYTES = 1 << 16  # of a URL, an id …: a dictionary may repeat one in every row

Convert: TypeAlias = Callable[[str, pa.Array], pa.Array]  # (document column, its values)


def unchanged(name: str, values: pa.Array) -> pa.Array:
    """The values as they are."""
    return values


@dataclass(frozen=True, kw_only=True)
class Columns(TextSource):
    """Names of a data set's fields; dots lead into nested ones, also within strings of JSON (`metadata.url`); of
    several (`id|key`) the first that has a value counts, and lists are joined; None if the data set has none."""

    text: Annotated[str, "the field with the document's text"] = "text"
    id: Annotated[
        str | None, "field of its own id: the column record_id, and part of doc_id, else a hash of the text is"
    ] = None
    url: Annotated[str | None, "field of its address"] = None
    crawled_at: Annotated[str | None, "ISO 8601 (also truncated), timestamps, or seconds since 1970"] = None
    licence: Annotated[str | None, "field of its licence"] = None
    declared_language: Annotated[str | None, "field of the language that the data set says it is in"] = None
    default_licence: Annotated[str | None, "the licence of rows without one: a value, not a field"] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, field in self.named().items():
            if not all(alternatives(field)):
                raise ValueError(f"{name} is the name of a field, not {field!r}; leave it out if the data has none")

    def named(self) -> dict[str, str]:
        """Document column -> field, for the columns that the data set has."""
        names = ("text", "id", "url", "crawled_at", "licence", "declared_language")
        return {name: field for name in names if (field := getattr(self, name)) is not None}

    def batches(
        self,
        values: dict[str, pa.Array],
        offsets: npt.NDArray[np.int64],
        piece: Piece,
        source: str,
        tally: ReadTally,
        convert: Convert = unchanged,
    ) -> Iterator[pa.RecordBatch]:
        """Batches of DOCUMENT, and of the further columns of `values` after it, of at most `MAX_ROWS` rows and, unless
        one row is longer, `MAX_BYTES` of text.

        `values` holds text[N] and, if the data set has them, id, url, licence, declared_language and crawled_at; each
        may be lists. A dictionary is decoded row by row, and lists are joined so, since a small dictionary may stand
        for any amount of text. `convert` then gives large_string, `dates.MOMENT` for crawled_at, and string for the
        others.

        A null text gives the reason `extract:no_text`, one longer than `max_document_bytes` `extract:too_many_bytes`.
        Any other value longer than `MAX_VALUE_BYTES` becomes null and is counted (`lenient.long_value`).
        """
        limits = {name: self.max_document_bytes if name == "text" else MAX_VALUE_BYTES for name in values}
        capped = {name: _capped(array, limits[name]) for name, array in values.items()}
        for start, stop in _slices(_sizes(capped["text"][0])):
            rows = {name: decoded_values(name, array.slice(start, stop - start)) for name, (array, _) in capped.items()}
            rows = {name: convert(name, array) for name, array in rows.items()}
            too_long = capped["text"][1][start:stop]
            yield self._batch(rows, too_long, offsets[start:stop], piece, source)
        if long_values := sum(int(long.sum()) for name, (_, long) in capped.items() if name != "text"):
            tally.records["lenient.long_value"] += long_values

    def _batch(
        self,
        values: dict[str, pa.Array],
        too_long: npt.NDArray[np.bool_],
        offsets: npt.NDArray[np.int64],
        piece: Piece,
        source: str,
    ) -> pa.RecordBatch:
        rows = len(offsets)
        text = values["text"]
        licence = _strings(values.get("licence"), rows)
        no_text = pc.if_else(pc.is_null(text), extract_reason("no_text"), pa.scalar(None, pa.string()))
        columns = {
            "doc_id": pa.array(_document_ids(values, source, piece.name, offsets), pa.string()),
            "url": _strings(values.get("url"), rows),
            "source": pa.repeat(pa.scalar(source, pa.string()), rows),
            "record_id": _strings(values.get("id"), rows),
            "crawled_at": values.get("crawled_at", pa.nulls(rows, MOMENT)),
            "licence": pc.coalesce(licence, pa.scalar(self.default_licence, pa.string())),
            "declared_language": _strings(values.get("declared_language"), rows),
            "origin": pa.repeat(pa.scalar(piece.path, pa.string()), rows),
            "origin_offset": pa.array(offsets, pa.int64()),
            "truncated": pa.nulls(rows, pa.string()),
            "text": text,
            "drop_reason": pc.if_else(pa.array(too_long), extract_reason("too_many_bytes"), no_text),
        }
        schema = DOCUMENT
        for name in values.keys() - {*columns, "id"}:
            columns[name] = _strings(values[name], rows)
            schema = schema.append(pa.field(name, pa.string()))
        return pa.RecordBatch.from_arrays([columns[field.name] for field in schema], schema=schema)


def _sizes(values: pa.Array) -> npt.NDArray[np.int64]:
    """int64[N]: bytes of each value, or of all in a list; 0 for null; a dictionary is not decoded."""
    if _is_list(values.type):
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(_sizes(values.flatten()))])
        stops = np.cumsum(np.asarray(pc.fill_null(pc.list_value_length(values), 0), np.int64))
        sizes: npt.NDArray[np.int64] = np.diff(ends[np.concatenate([np.zeros(1, np.int64), stops])])
        return sizes
    if pa.types.is_dictionary(values.type):
        lengths = pa.array(_sizes(values.dictionary)).take(values.indices)
    elif _is_text(values.type):
        lengths = pc.binary_length(values)
    else:
        return np.zeros(len(values), np.int64)
    return np.asarray(pc.fill_null(lengths, 0).cast(pa.int64()))


def _capped(values: pa.Array, most: int) -> tuple[pa.Array, npt.NDArray[np.bool_]]:
    """The values with null for those longer than `most` bytes, and bool[N]: which these are."""
    if _is_list(values.type):
        long = _sizes(values) > most
        return values.filter(pa.array(~long)).take(_places_of(~long)) if long.any() else values, long
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if not (_is_text(kind) and len(values)):
        return values, np.zeros(len(values), np.bool_)
    if pa.types.is_dictionary(values.type):
        dictionary, _ = _capped(values.dictionary, most)
        return pa.DictionaryArray.from_arrays(values.indices, dictionary), _sizes(values) > most
    long = _sizes(values) > most
    return pc.if_else(pa.array(long), pa.scalar(None, kind), values) if long.any() else values, long


def _is_text(kind: pa.DataType) -> bool:
    names = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(is_kind(kind) for is_kind in names)


def _places_of(kept: npt.NDArray[np.bool_]) -> pa.Array:
    """int64[N]: where each row is among those kept; null for the others."""
    return pa.array(np.cumsum(kept) - 1, mask=~kept)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def decoded_values(name: str, values: pa.Array) -> pa.Array:
    """The values of a document column, neither lists nor a dictionary."""
    if _is_list(values.type):
        return joined_lists(name, values)
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _document_ids(values: dict[str, pa.Array], source: str, file: str, offsets: npt.NDArray[np.int64]) -> list[str]:
    ids = values["id"].cast(pa.string()) if "id" in values else pa.nulls(len(offsets), pa.string())
    if ids.null_count:
        ids = pc.coalesce(ids, text_hashes(values["text"]))
    places = zip(offsets.tolist(), ids.to_pylist(), strict=True)
    return [document_id(source, file, offset, name or "") for offset, name in places]


def _strings(values: pa.Array | None, rows: int) -> pa.Array:
    return pa.nulls(rows, pa.string()) if values is None else values.cast(pa.string())


def _slices(sizes: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, before + MAX_BYTES, side="right"))
        stop = min(max(stop, start + 1), start + MAX_ROWS, len(sizes))
        yield start, stop
        start = stop
