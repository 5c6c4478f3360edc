"""The texts and documents that encoding and packing are timed on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import data
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer

GENERATED = 1200  # documents, about 6 MB
ROWS_OF_TEXT = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")


def texts_of(folder: Path | None) -> dict[str, list[str]]:
    """File -> its texts: the rows of JSON lines and Parquet, any other file as one; without a folder, generated."""
    if folder is None:
        return {"generated": list(data.seeded_texts(GENERATED, 0))}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.name: data.texts_in([path]).to_pylist()
        if path.name.endswith(ROWS_OF_TEXT)
        else [path.read_text(errors="replace")]
        for path in files
    }


def fitted(fit: Tokenizer | Sentencepiece, texts: pa.Array, file: Path) -> str:
    """The path of the file, to which the fitted tokenizer is written."""
    batch = pa.RecordBatch.from_arrays([texts], names=["text"])
    file.write_bytes(fit.fit(iter([batch]))[fit.asset])
    return str(file)


def token_batches(
    lengths: "np.ndarray[Any, np.dtype[np.int64]]", dtype: "np.dtype[Any]", seed: int
) -> Iterator[pa.RecordBatch]:
    """Documents of random tokens and of these lengths, 1,000 a batch."""
    rng = np.random.default_rng(seed)
    for first in range(0, len(lengths), 1000):
        sizes = lengths[first : first + 1000]
        offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]))
        values = rng.integers(2, 30_000, sizes.sum()).astype(dtype)
        numbers = range(first, first + len(sizes))
        columns = {
            "doc_id": [f"{seed:016x}{number:016x}" for number in numbers],
            "url": [f"https://www.example.org/some/page/{number}.html" for number in numbers],
            "source": ["web"] * len(sizes),
            "tokens": pa.LargeListArray.from_arrays(offsets, pa.array(values)),
            "split": ["train"] * len(sizes),
            "utf8_bytes": 4 * sizes,
        }
        yield pa.RecordBatch.from_pydict(columns)
