"""Writes the kept text of a run as the Parquet shards that nanochat trains on.

    shard_00000.parquet …: one column `text`; the last file is the validation split

nanochat reads the files by their sorted names and the row groups of a file in turn by its ranks, and never shuffles. So
the documents are shuffled here (see `buckets`), and a file of few documents has GROUPS row groups: a rank that finds
none in the validation file would wait for ever. Memory is below 2 GB, and the text lies on the disk twice meanwhile.

Validation is the split that `tokenize` made; without one, the documents with the highest doc_ids.

Source: karpathy/nanochat on GitHub, nanochat/dataset.py and dev/repackage_data_reference.py (2026).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.account.sealed.run_folder import RunFolder
from curation.account.texts.buckets import Buckets, places_of
from curation.account.texts.export import TextExport, account, writing
from curation.account.texts.kept_documents import KeptDocuments
from curation.account.texts.text_files import TextFile
from curation.core import storage
from curation.core.errors import UserError
from curation.core.new_file import NewFile

FILE_BYTES = 250_000_000  # of UTF-8, about 100 MB on the disk, as nanochat's own
GROUP_ROWS = 1024
GROUPS = 64  # of a file of few documents
VALIDATION = 0.005
OPTIONS = {"compression": "zstd", "compression_level": 3, "use_dictionary": False, "write_statistics": False}
SHARD = pa.schema([("text", pa.string())])


def export_nanochat(
    run: RunFolder, output: str, *, stage: str | None = None, validation: float = VALIDATION
) -> TextExport:
    """The kept documents of the stage with this name or, for None, of the last ones, in a new folder. `validation` is
    the share for the last file where no `tokenize` stage has drawn it. Raises UserError where a split has no document,
    and as `export_text` does."""
    if not 0 < validation < 1:
        raise UserError(f"validation is {validation}; give a share above 0 and below 1")
    documents = KeptDocuments.of(run, stage, ["text"])
    total = sum(one.manifest.total("kept_text_bytes") for one in documents.stages)
    count = max(1, round(total / FILE_BYTES))
    with (
        writing(run, documents, output, "nanochat") as (folder, files),
        TemporaryDirectory(dir=None if storage.in_store(folder) else folder) as home,
    ):
        train, held_out = _drawn(documents, home, count, validation)
        for number in range(count):
            if texts := train.texts(number):
                files.append(_write(folder, len(files), [texts], train.documents[number]))
        if not files or not any(held_out.documents):
            raise UserError(f"{documents.count:,} documents leave a split without any; give a larger --validation")
        texts_held_out = map(held_out.texts, range(count))
        files.append(_write(folder, len(files), texts_held_out, sum(held_out.documents)))
    return account(run, documents, output, "nanochat", files)


def _drawn(documents: KeptDocuments, home: str, count: int, validation: float) -> tuple[Buckets, Buckets]:
    """The training and the validation documents."""
    splits = [Path(home, split) for split in ("train", "validation")]
    for split in splits:
        split.mkdir()
    train, held_out = (Buckets(str(split), count) for split in splits)
    drawn = documents.has("split")
    for table in documents.batches("doc_id", *(["split"] if drawn else [])):
        places = places_of(table["doc_id"])
        chosen = np.asarray(pc.equal(table["split"], "validation")) if drawn else places >= 1 - validation
        for buckets, rows in ((train, ~chosen), (held_out, chosen)):
            buckets.add(table.filter(pa.array(rows)), places[rows])
    return train, held_out


def _write(folder: str, number: int, pieces: Iterable[pa.Array], documents: int) -> TextFile:
    """One file; `pieces` have that many documents in all."""
    name = f"shard_{number:05d}.parquet"
    rows = min(GROUP_ROWS, -(-documents // GROUPS))
    with NewFile(storage.join(folder, name)) as file, pq.ParquetWriter(file, SHARD, **OPTIONS) as writer:
        for group in _groups(pieces, rows):
            writer.write_table(pa.table([group.cast(pa.string())], SHARD))
    assert file.facts is not None, "a context that ends publishes"
    return TextFile(name, documents, file.facts.bytes, file.facts.blake2b)


def _groups(pieces: Iterable[pa.Array], rows: int) -> Iterator[pa.Array]:
    """The texts in groups of so many."""
    rest = pa.array([], pa.large_string())
    for piece in pieces:
        rest = pa.concat_arrays([rest, piece])
        whole = len(rest) // rows * rows
        yield from (rest.slice(first, rows) for first in range(0, whole, rows))
        rest = rest.slice(whole)
    if len(rest):
        yield rest
