"""A document is a row of an Arrow schema, not an object.

Every row of a source begins with the HEAD columns. A source of raw pages adds `content`, `content_type` and
`preferences` (RAW); extraction replaces those with `text` (DOCUMENT). The first written stage adds the text's hash
(`with_text_hash`); later stages add a struct column of signals per component, named after its key, and write the text
of dropped rows only (TEXT_OF_DROPPED) unless they change it or are the last. Inside the engine a document is one int64:
`shard << 32 | row`.
"""

import hashlib

import numpy as np
import numpy.typing as npt
import pyarrow as pa

HEAD = pa.schema(
    [
        ("doc_id", pa.string()),  # 32 hex digits, see `document_id`; no two rows of a source have the same
        ("url", pa.string()),
        ("source", pa.string()),  # its name in the recipe
        ("record_id", pa.string()),  # what the data set calls it, from the field that the recipe names as `id`
        ("crawled_at", pa.timestamp("ms", tz="UTC")),
        ("licence", pa.string()),  # as declared by file, page or dataset; null = none stated
        ("declared_language", pa.string()),  # BCP 47 as declared, e.g. by <html lang>
        ("origin", pa.string()),  # file or URI that the record came from
        ("origin_offset", pa.int64()),  # byte offset or row number in it
        ("truncated", pa.string()),  # why its end is missing, see `curation/core/truncation.py`; null: it is whole
    ]
)
RAW = pa.schema(
    [
        *HEAD,
        ("content", pa.large_binary()),
        ("content_type", pa.string()),
        ("preferences", pa.string()),  # what its header states, see `curation/models/preferences/statements.py`
        ("drop_reason", pa.string()),
    ]
)
DOCUMENT = pa.schema([*HEAD, ("text", pa.large_string()), ("drop_reason", pa.string())])
TEXT_HASH = pa.field("text_hash", pa.string())  # 32 hex digits, see `curation.text.text_hash`; of the text as extracted

# A longer text is dropped where it is read, as `extract:too_many_bytes`. The hungriest component of the shipped recipes
# (`refinedweb_lines`) takes 58 bytes for each byte of a text of lines of one letter (measured 2026-11), so one document
# takes at most 1 GB of a task. "War and Peace" is 3 MB.
MAX_DOCUMENT_BYTES = 16 << 20
TEXT_OF_DROPPED = pa.field("text", pa.large_string(), metadata={"rows": "dropped"})  # null where the row is kept
SPANS = pa.list_(pa.struct([("start", pa.int64()), ("stop", pa.int64())]))  # parts of a text, in bytes of its UTF-8
IDS = ("doc_id", "url", "source")  # which every stage's part files have

ROW_BITS = 32


def document_id(source: str, file: str, position: int, record_id: str) -> str:
    """32 hex digits: BLAKE2b-128 of source, file name, position in the file and record id, with NULs between them.

    A record in two files, or twice in one, gives two documents, told apart by position. `file` is unique in its source
    (`InputFile.name`) but no path, so documents keep their ids when files are moved.
    """
    place = f"{source}\0{file}\0{position}\0{record_id}"
    return hashlib.blake2b(place.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def with_text_hash(schema: pa.Schema) -> pa.Schema:
    """The schema with TEXT_HASH right after `text`."""
    return schema.insert(schema.get_field_index("text") + 1, TEXT_HASH)


def holds_all(field: pa.Field) -> bool:
    """Whether a part file with this column holds it for all its rows: false of TEXT_OF_DROPPED."""
    return not (field.metadata and TEXT_OF_DROPPED.metadata.items() <= field.metadata.items())


def pack_doc(shard: int, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64[N]: engine ids of rows int64[N] (each below 2^32) of one shard (below 2^31)."""
    return np.int64(shard) << ROW_BITS | rows


def unpack_doc(docs: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Shard and row of each engine id, int64[N] each."""
    return docs >> ROW_BITS, docs & ((1 << ROW_BITS) - 1)


def bucket_of(key_hi: npt.NDArray[np.uint64], buckets: int) -> npt.NDArray[np.int64]:
    """int64[N]: bucket by key prefix, in [0, buckets)."""
    return ((key_hi >> np.uint64(32)) * np.uint64(buckets) >> np.uint64(32)).astype(np.int64)


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """A batch of `schema` with no rows."""
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def kept_mask(batch: pa.RecordBatch | pa.Table) -> pa.Array:
    """bool[N]: true where the row has no drop reason."""
    mask = batch.column("drop_reason").is_null()
    return mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask
