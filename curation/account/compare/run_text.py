"""The text that a run, or a file, gives a model to learn from: kept documents, without those of a validation split.

Of a large run a sample is read, drawn by hashes of the documents' ids (`curation/account/tokenizers/kept_text.py`); of
a file, the documents whose ids have the smallest hashes. Documents without text are left out. N documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.annotate.files import file_units
from curation.account.sealed.run_folder import RunFolder
from curation.account.tokenizers.kept_text import sampled, shards_of, text_stages
from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.manifest import RUN
from curation.core.progress import PROGRESS
from curation.text.kernels.hashing import Hashes, hash64

DOCUMENTS = pa.schema([("doc_id", pa.string()), ("text", pa.large_string())])
# of a tokenize stage
SPLIT = "split"
TRAIN = "train"
TEXT_HASH = "text_hash"  # of the text as it was read, before any rewriter


@dataclass(frozen=True, eq=False)
class RunText:
    """A run's text under its name."""

    name: str
    path: str
    texts: pa.Array  # large_string[N]
    keys: Hashes  # uint64[N]: of the documents' ids; documents are drawn by them
    as_read: pa.Array = field(default_factory=lambda: pa.array([], pa.string()))  # their TEXT_HASH, of a run only

    @property
    def bytes(self) -> int:
        return int(pc.sum(pc.binary_length(self.texts)).as_py() or 0)


def named(runs: Sequence[str]) -> dict[str, str]:
    """Name -> path of what is to be compared, each PATH or NAME=PATH; a path alone is named by its end. Raises
    UserError for fewer than two, or two of one name."""
    if len(runs) < 2:
        raise UserError("nothing to compare with; give two runs or more, such as: winnow compare RUN_A RUN_B")
    pairs = []
    for run in runs:
        name, equals, path = run.partition("=")
        whole = not equals or "/" in name or storage.exists(run)
        pairs.append((run.rstrip("/").rpartition("/")[2], run) if whole else (name, path))
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1 or not name), None)
    if twice is not None:
        raise UserError(f"two of the runs have the name {twice!r}, or none; give names, such as first=PATH second=PATH")
    return dict(pairs)


def read(name: str, path: str, sample_bytes: int) -> RunText:
    """About `sample_bytes` of text of a run, or of JSON lines or Parquet by path, folder or glob. Raises InputError for
    a run that is not finished, and for one without text."""
    is_run = storage.exists(storage.join(path, RUN)) or storage.exists(storage.join(path, PROGRESS))
    table = _of_run(path, sample_bytes) if is_run else _of_files(path, sample_bytes)
    table = table.filter(has_text(table["text"]))
    if not table.num_rows:
        missing = f"text to learn from; see: winnow funnel {path}" if is_run else "document with text"
        raise InputError(f"{path} has no {missing}")
    ids = table["doc_id"].cast(pa.large_string()).combine_chunks()
    as_read = table[TEXT_HASH].combine_chunks() if TEXT_HASH in table.column_names else pa.array([], pa.string())
    return RunText(name, path, table["text"].combine_chunks(), hash64(ids), as_read)


def has_text(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """bool[N]: whether a text holds more than whitespace."""
    return pc.fill_null(pc.match_substring_regex(texts, r"\S"), False)


def _of_run(path: str, sample_bytes: int) -> pa.Table:
    run = RunFolder.open(path)
    if not run.record.complete:
        raise InputError(f"{path} is not finished; run its winnow curate again, or see: winnow status {path}")
    schema = DOCUMENTS.append(pa.field(TEXT_HASH, pa.string()))
    tables = [schema.empty_table()]
    for _, table in sampled(shards_of(text_stages(run, None)), sample_bytes, [SPLIT, TEXT_HASH]):
        if SPLIT in table.column_names:
            table = table.filter(pc.equal(table[SPLIT], TRAIN))
        tables.append(table.select(schema.names).cast(schema))
    return pa.concat_tables(tables)


def _of_files(path: str, sample_bytes: int) -> pa.Table:
    """The documents with the smallest hashes; at most twice as much text is held."""
    limit = 2**64 - 1
    held = 0
    parts = [DOCUMENTS.empty_table()]
    for unit in file_units(path, None):
        for table in unit.tables():
            table = _below(table.select(DOCUMENTS.names), limit)
            parts.append(table)
            held += table["text"].nbytes
            while held > 2 * sample_bytes:
                limit //= 2
                parts = [_below(pa.concat_tables(parts), limit).combine_chunks()]
                held = parts[0]["text"].nbytes
    return pa.concat_tables(parts)


def _below(table: pa.Table, limit: int) -> pa.Table:
    ids = table["doc_id"].cast(pa.large_string()).combine_chunks()
    return table.filter(pa.array(hash64(ids) <= np.uint64(limit)))
