"""Maps the columns of a data set onto the document schema: which field is the text, the id, the url and so on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import DOCUMENT, document_id
from curation.core.protocols import Piece
from curation.core.reasons import extract_reason
from curation.sources.dates import MOMENT
from curation.sources.units import MAX_BYTES, MAX_ROWS
from curation.text.text_hash import text_hashes


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Names of a data set's fields; dots lead into nested ones (`metadata.url`); None if the data set has none."""

    text: str = "text"
    id: str | None = None  # part of doc_id, with the row's place; without it, a hash of the text is used
    url: str | None = None
    crawled_at: str | None = None  # ISO 8601 (also truncated), timestamps, or seconds since 1970
    licence: str | None = None
    declared_language: str | None = None
    default_licence: str | None = None  # the licence of rows without one: a value, not a field

    def named(self) -> dict[str, str]:
        """Document column -> field, for the columns that the data set has."""
        names = ("text", "id", "url", "crawled_at", "licence", "declared_language")
        return {name: field for name in names if (field := getattr(self, name)) is not None}

    def batches(
        self, values: dict[str, pa.Array], offsets: npt.NDArray[np.int64], piece: Piece, source: str
    ) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches of at most `MAX_ROWS` rows and, unless one row is longer, `MAX_BYTES` of text.

        `values` holds large_string[N] text and, if the data set has them, id, url, licence, declared_language
        (strings[N]) and crawled_at (`dates.MOMENT`). A null text gives the reason `extract:no_text`.
        """
        rows = len(offsets)
        text = values["text"]
        licence = _strings(values.get("licence"), rows)
        columns = {
            "doc_id": pa.array(_document_ids(values, source, piece.name, offsets), pa.string()),
            "url": _strings(values.get("url"), rows),
            "source": pa.repeat(pa.scalar(source, pa.string()), rows),
            "crawled_at": values.get("crawled_at", pa.nulls(rows, MOMENT)),
            "licence": pc.coalesce(licence, pa.scalar(self.default_licence, pa.string())),
            "declared_language": _strings(values.get("declared_language"), rows),
            "origin": pa.repeat(pa.scalar(piece.path, pa.string()), rows),
            "origin_offset": pa.array(offsets, pa.int64()),
            "text": text,
            "drop_reason": pc.if_else(pc.is_null(text), extract_reason("no_text"), pa.scalar(None, pa.string())),
        }
        batch = pa.RecordBatch.from_arrays([columns[field.name] for field in DOCUMENT], schema=DOCUMENT)
        for start, stop in _slices(text):
            yield batch.slice(start, stop - start)


def _document_ids(values: dict[str, pa.Array], source: str, file: str, offsets: npt.NDArray[np.int64]) -> list[str]:
    ids = values["id"].cast(pa.string()) if "id" in values else pa.nulls(len(offsets), pa.string())
    if ids.null_count:
        ids = pc.coalesce(ids, text_hashes(values["text"]))
    places = zip(offsets.tolist(), ids.to_pylist(), strict=True)
    return [document_id(source, file, offset, name or "") for offset, name in places]


def _strings(values: pa.Array | None, rows: int) -> pa.Array:
    return pa.nulls(rows, pa.string()) if values is None else values.cast(pa.string())


def _slices(text: pa.Array) -> Iterator[tuple[int, int]]:
    ends = np.cumsum(pc.fill_null(pc.binary_length(text), 0).to_numpy(zero_copy_only=False))
    start = 0
    while start < len(text):
        before = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, before + MAX_BYTES, side="right"))
        stop = min(max(stop, start + 1), start + MAX_ROWS, len(text))
        yield start, stop
        start = stop
