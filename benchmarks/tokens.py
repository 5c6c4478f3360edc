"""Speed of the token room: encoding, packing, reading batches and seeking, each in one process on one core.

Run: python benchmarks/tokens.py [--text FOLDER] [--tokens MILLIONS] [--json FILE]
Text is generated from a seed unless a folder of text files is given; rows to read are made-up tokens, read twice so
that the second pass finds them in the page cache and mapped. Throughput is per second of CPU time, so that other work
on the machine does not count; seeks are wall-clock. Figures in the JSON file, by name:
`encode_mtokens_per_second`, `encode_bytes_per_token`, `pack_mtokens_per_second`, `verify_mtokens_per_second` and, for
batches of 16 x 2049 and 8 x 1025, `read_<rows>x<row tokens>_<dtype>_mtokens_per_second`, `…_first_pass_…` (pages not
yet mapped), `…_segments_…` (with segment ids) and `seek_<…>_microseconds` (median, and `_worst`).
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from curation.core.manifest import MANIFEST, write_json
from curation.tokens.encode import Encode
from curation.tokens.manifests import INDEX, checksum
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.pack import Pack, tokens_section
from curation.tokens.shards import TokenData
from curation.tokens.token_files import Vocabulary
from curation.tokens.tokenizer import Tokenizer

SHAPES = ((16, 2048), (8, 1024))  # rows of a batch, sequence length
VOCABULARY_SIZES = (32_768, 100_000)  # stored in 2 and in 4 bytes
TEXT_BYTES = 6_000_000
DOCUMENT_TOKENS = 700  # on average
SHARDS = 8
TOKENIZER = b"stands for a tokenizer"
Figures = dict[str, float]


def generated_text(seed: int = 0) -> list[str]:
    """Documents of made-up words whose frequencies fall as in natural text (Zipf)."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    vocabulary = ["".join(rng.choice(letters, rng.integers(1, 11), p=_zipf(26))) for _ in range(30_000)]
    words = np.array(vocabulary)[rng.choice(len(vocabulary), TEXT_BYTES // 6, p=_zipf(len(vocabulary)))]
    return [" ".join(words[start : start + 600]) + "." for start in range(0, len(words), 600)]


def _zipf(count: int) -> "np.typing.NDArray[np.float64]":
    weights = 1.0 / np.arange(1, count + 1)
    shares: np.typing.NDArray[np.float64] = weights / weights.sum()
    return shares


def text_in(folder: Path) -> list[str]:
    texts, size = [], 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        texts.append(path.read_text(errors="replace"))
        size += len(texts[-1])
        if size > TEXT_BYTES:
            break
    return texts


def measure_encode(texts: list[str], folder: Path) -> Figures:
    """The tokenizer is fitted on the same text."""
    column = pa.array(texts, pa.large_string())
    path = folder / "fitted.json"
    path.write_bytes(Tokenizer().fit(iter([column])))
    encoder = Encode(tokenizer=str(path))
    batch = pa.RecordBatch.from_pydict({"text": column, "source": pa.array(["web"] * len(texts))})
    encoder.encode(batch.slice(0, 10))
    started = time.process_time()
    tokens = len(encoder.encode(batch)["tokens"].flatten())
    seconds = time.process_time() - started
    size = sum(len(text.encode()) for text in texts)
    return {"encode_mtokens_per_second": tokens / seconds / 1e6, "encode_bytes_per_token": size / tokens}


def token_batches(tokens: int, dtype: np.dtype[np.unsignedinteger], seed: int) -> Iterator[pa.RecordBatch]:  # type: ignore[type-arg]
    """Random documents, 1,000 a batch, `tokens` tokens or a little more."""
    rng = np.random.default_rng(seed)
    document = 0
    while tokens > 0:
        lengths = rng.geometric(1 / DOCUMENT_TOKENS, 1000)
        values = rng.integers(2, 30_000, lengths.sum()).astype(dtype)
        offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]))
        columns = {
            "doc_id": [f"{seed:016x}{document + i:016x}" for i in range(1000)],
            "source": ["web"] * 1000,
            "tokens": pa.LargeListArray.from_arrays(offsets, pa.array(values)),
            "split": ["train"] * 1000,
            "utf8_bytes": 4 * lengths,
        }
        yield pa.RecordBatch.from_pydict(columns)
        document += 1000
        tokens -= len(values)


def write_run(run: Path, length: int, vocabulary_size: int, tokens: int) -> float:
    """A run with one pack of SHARDS shards and a mix; returns the CPU seconds that packing took."""
    pack_folder, mix_folder = run / "01-pack", run / "02-mix"
    pack_folder.mkdir(parents=True)
    mix_folder.mkdir()
    vocabulary = Vocabulary(size=vocabulary_size, end_of_text=0, padding=1, tokenizer=checksum(TOKENIZER))
    packer, parts, seconds = Pack(sequence_length=length), [], 0.0
    for shard in range(SHARDS):
        batches = list(token_batches(tokens // SHARDS, vocabulary.dtype, shard))
        started = time.process_time()
        parts += packer.pack(shard, batches, str(pack_folder), source="web", vocabulary=vocabulary)
        seconds += time.process_time() - started
    section = tokens_section(parts, pack=packer, vocabulary=vocabulary)
    (pack_folder / "tokenizer.json").write_bytes(TOKENIZER)
    write_json(str(pack_folder / MANIFEST), {"tokens": section})
    (mix_folder / INDEX).write_bytes(index_bytes(Mix().build([(pack_folder.name, section)])))
    write_json(str(mix_folder / MANIFEST), {})
    return seconds


def measure_reading(data: TokenData, rows: int) -> Figures:
    """Every step in order, three times: pages unmapped, mapped, and with segment ids; in CPU time, kernel included."""
    name = f"{rows}x{data.row_tokens}_{data.dtype.name}"
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
        f"read_{name}_first_pass_mtokens_per_second": millions / seconds[0],
        f"read_{name}_mtokens_per_second": millions / seconds[1],
        f"read_{name}_segments_mtokens_per_second": millions / seconds[2],
        f"seek_{name}_microseconds": float(np.median(seeks)),
        f"seek_{name}_microseconds_worst": max(seeks),
    }


def measure_rows(folder: Path, millions: int) -> Figures:
    figures: Figures = {}
    for rows, length in SHAPES:
        for size in VOCABULARY_SIZES:
            run = folder / f"run-{length}-{size}"
            seconds = write_run(run, length, size, millions * 1_000_000)
            figures.setdefault("pack_mtokens_per_second", millions / seconds)
            started = time.perf_counter()
            data = TokenData.open(str(run / "02-mix"))
            figures.setdefault("open_milliseconds", (time.perf_counter() - started) * 1e3)
            figures |= measure_reading(data, rows)
            started = time.perf_counter()
            data.verify()
            figures.setdefault("verify_mtokens_per_second", millions / (time.perf_counter() - started))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--text", type=Path, help="folder of text files to encode (default: generated text)")
    parser.add_argument("--tokens", type=int, default=32, help="millions of tokens to pack and to read (default: 32)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        texts = text_in(arguments.text) if arguments.text else generated_text()
        figures = {**measure_encode(texts, Path(name)), **measure_rows(Path(name), arguments.tokens)}
    table = Table("figure", "value", title="tokens: one process, one core")
    for figure, value in figures.items():
        table.add_row(figure, f"{value:,.2f}")
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
