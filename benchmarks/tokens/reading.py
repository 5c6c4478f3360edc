"""Speed of reading token rows: batches in order, with segment ids, seeks and checksums.

Rows are made-up tokens in batches of 16 x 2049 and 8 x 1025, of 2 and of 4 bytes, read several times: in the first pass
their pages are not yet mapped, in later ones they are. Throughput is per second of CPU time, the kernel's included;
seeks are wall-clock.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.case import Figures
from curation.core.manifest import MANIFEST, write_json
from curation.tokens.manifests import INDEX, checksum
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.pack import Pack, tokens_section
from curation.tokens.shards import TokenData
from curation.tokens.token_files import Vocabulary

SHAPES = ((16, 2048), (8, 1024))  # rows of a batch, sequence length
VOCABULARY_SIZES = (32_768, 100_000)  # stored in 2 and in 4 bytes
DOCUMENT_TOKENS = 700  # on average
SHARDS = 8
TOKENIZER = b"stands for a tokenizer"


def vocabulary_of(size: int) -> Vocabulary:
    return Vocabulary(size=size, end_of_text=0, padding=1, tokenizer=checksum(TOKENIZER))


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


def write_run(run: Path, length: int, vocabulary_size: int, tokens: int) -> None:
    """A run with one pack of SHARDS shards and a mix."""
    pack_folder = run / "01-pack"
    mix_folder = run / "02-mix"
    pack_folder.mkdir(parents=True)
    mix_folder.mkdir()
    vocabulary = vocabulary_of(vocabulary_size)
    packer = Pack(sequence_length=length)
    parts = []
    for shard in range(SHARDS):
        count = tokens // SHARDS // DOCUMENT_TOKENS
        lengths = np.random.default_rng(shard).geometric(1 / DOCUMENT_TOKENS, count)
        batches = token_batches(lengths, vocabulary.dtype, shard)
        parts += packer.pack(shard, batches, str(pack_folder), source="web", vocabulary=vocabulary)
    section = tokens_section(parts, pack=packer, vocabulary=vocabulary)
    (pack_folder / "tokenizer.json").write_bytes(TOKENIZER)
    write_json(str(pack_folder / MANIFEST), {"tokens": section})
    (mix_folder / INDEX).write_bytes(index_bytes(Mix().build([(pack_folder.name, section)], folder=str(run))))
    write_json(str(mix_folder / MANIFEST), {})


def measure_batches(data: TokenData, rows: int) -> dict[str, float]:
    """Every step in order, three times: pages unmapped, mapped, and with segment ids; in CPU time, kernel included."""
    steps = data.steps(rows)
    seconds = []
    for segments in (False, False, True):
        started = time.process_time()
        for step in range(steps):
            batch = data.batch(step, batch_rows=rows)
            if segments:
                batch.segment_ids  # noqa: B018 - computed when asked for
        seconds.append(time.process_time() - started)
    millions = steps * rows * data.row_tokens / 1e6
    seeks = []
    for step in np.random.default_rng(0).integers(0, steps, 2000).tolist():
        started = time.perf_counter()
        data.batch(step, batch_rows=rows)
        seeks.append((time.perf_counter() - started) * 1e6)
    return {
        "first pass, Mtokens/s": millions / seconds[0],
        "read, Mtokens/s": millions / seconds[1],
        "with segment ids, Mtokens/s": millions / seconds[2],
        "seek, median us": float(np.median(seeks)),
        "seek, worst us": max(seeks),
    }


def run(options: argparse.Namespace) -> Iterator[Figures]:
    """All shapes and both widths of tokens, each with this many million tokens."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows, length in SHAPES:
            for size in VOCABULARY_SIZES:
                written = Path(folder, f"run-{length}-{size}")
                write_run(written, length, size, options.tokens * 1_000_000)
                started = time.perf_counter()
                data = TokenData.open(str(written / "02-mix"))
                opened = time.perf_counter()
                row = measure_batches(data, rows) | {"open, ms": (opened - started) * 1e3}
                started = time.perf_counter()
                data.verify()
                row["verify, Mtokens/s"] = options.tokens / (time.perf_counter() - started)
                found[f"{rows} x {data.row_tokens}, {data.dtype.name}"] = row
    yield Figures("reading token rows, one process, one core", found)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokens", type=int, default=32, help="millions of tokens to read")
