"""Speed of packing by each method, how well best-fit fills rows, beside TRL's best-fit packing.

`benchmarks.tokens` names the figures. Made-up documents have the lengths of web pages (log-normal, median 403 tokens),
one in eleven longer than a row of 2,049. TRL packs the same documents by `pack_dataset(strategy="bfd_split")` in a
process of its own.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.parity.environment import ROOT
from benchmarks.tokens.reading import Figures, token_batches, vocabulary_of
from curation.fit.tokenizer import Tokenizer
from curation.tokens.encode import Encode
from curation.tokens.encoders.load_tokenizer import load
from curation.tokens.pack import Method, Pack
from curation.tokens.packing.best_fit import best_fit
from curation.tokens.packing.documents import gather
from curation.tokens.packing.one_per_row import cut_documents

LENGTH = 2048
ROW = LENGTH + 1
PEER = ("trl==1.16.0", "transformers==5.23.0", "accelerate==1.15.0", "safetensors==0.8.0")
PEER_FOLDER = ROOT / ".venv-trl"
SAMPLE_CHARACTERS = 20_000  # of each document that the tokenizer is fitted on
SAMPLE_DOCUMENTS = 400  # of each file


def document_lengths(tokens: int, seed: int) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Lengths of web pages that add up to `tokens` or a little less."""
    drawn = np.random.default_rng(seed).lognormal(6, 1.2, tokens // 400).astype(np.int64) + 2
    return drawn[: int(np.searchsorted(np.cumsum(drawn), tokens))]


def measure_packing(folder: Path, millions: int) -> Figures:
    """Each method on the same documents: `Pack.pack` with its files written; and best-fit without them."""
    lengths = document_lengths(millions * 1_000_000, 0)
    vocabulary = vocabulary_of(32_768)
    batches = list(token_batches(lengths, vocabulary.dtype, 0))
    figures: Figures = {}
    methods: tuple[Method, ...] = ("concat", "best_fit", "one_per_row")
    for method in methods:
        if method == "one_per_row":
            batches = batches[: 1 + len(batches) // 4]  # rows that are mostly padding
        out = folder / method
        out.mkdir()
        started = time.process_time()
        part, _ = Pack(sequence_length=LENGTH, method=method).pack(
            0, batches, str(out), source="web", vocabulary=vocabulary
        )
        seconds = time.process_time() - started
        figures[f"pack_{method}_mtokens_per_second"] = part["tokens"] / seconds / 1e6
        figures[f"{method}_filled_percent"] = filled([part])
        figures[f"{method}_cut_documents_percent"] = 100 * part["cut"] / part["documents"]
    return figures | measure_placing(lengths)


def filled(parts: Sequence[Mapping[str, Any]]) -> float:
    """Slots that hold a token, in percent."""
    rows, padding = (sum(part[kind] for part in parts) for kind in ("rows", "padding"))
    return float(100 * (1 - padding / (rows * ROW)))


def measure_placing(lengths: "np.ndarray[Any, np.dtype[np.int64]]") -> Figures:
    """Choosing rows and copying tokens into them, without lineage, checksums and files."""
    tokens = np.random.default_rng(0).integers(2, 30_000, lengths.sum()).astype(np.uint16)
    started = time.process_time()
    pieces = cut_documents(lengths, ROW)
    starts = (np.cumsum(lengths) - lengths)[pieces.documents] + pieces.offsets
    order, counts = best_fit(pieces.lengths, ROW)
    gather(tokens, starts[order], pieces.lengths[order], counts, row_tokens=ROW, padding=1)
    return {"place_best_fit_mtokens_per_second": len(tokens) / (time.process_time() - started) / 1e6}


def measure_text(texts: Mapping[str, Sequence[str]], folder: Path) -> Figures:
    """Encoding and best-fit packing of each file's texts, as a shard; then of all as one shard."""
    path = folder / "end-to-end.json"
    sample = [text[:SAMPLE_CHARACTERS] for own in texts.values() for text in own[:SAMPLE_DOCUMENTS]]
    batch = pa.RecordBatch.from_arrays([pa.array(sample, pa.large_string())], names=["text"])
    path.write_bytes(Tokenizer().fit(iter([batch]))[Tokenizer.asset])
    encoder = Encode(tokenizer=str(path), validation=0)
    vocabulary = load(str(path)).vocabulary
    packer = Pack(sequence_length=LENGTH, method="best_fit")
    encoder.encode(_documents(["warms up"], count()))
    parts = []
    batches = []
    started = time.process_time()
    for shard, own in enumerate(texts.values()):
        documents = [_documents(own[first : first + 100], count(first)) for first in range(0, len(own), 100)]
        encoded = [_encoded(encoder, batch) for batch in documents]
        parts += packer.pack(shard, encoded, str(folder), source="text", vocabulary=vocabulary)[:1]
        batches += encoded
    seconds = time.process_time() - started
    together = packer.pack(len(texts), batches, str(folder), source="text", vocabulary=vocabulary)[:1]
    return {
        "encode_and_pack_mtokens_per_second": sum(part["tokens"] for part in parts) / seconds / 1e6,
        "text_filled_percent": filled(parts),
        "text_filled_percent_worst_file": min(filled([part]) for part in parts),
        "text_filled_percent_one_shard": filled(together),
        "text_cut_documents_percent": 100 * together[0]["cut"] / together[0]["documents"],
    }


def _documents(texts: Sequence[str], numbers: "count[int]") -> pa.RecordBatch:
    column = pa.array(texts, pa.large_string())
    ids = [f"{number:032x}" for number, _ in zip(numbers, texts, strict=False)]
    sizes = pc.binary_length(column)
    return pa.RecordBatch.from_pydict(
        {"doc_id": ids, "source": ["text"] * len(texts), "text": column, "utf8_bytes": sizes}
    )


def _encoded(encoder: Encode, batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = {name: batch.column(name) for name in ("doc_id", "source", "utf8_bytes")}
    return pa.RecordBatch.from_pydict({**columns, **encoder.encode(batch)})


def install_peer() -> None:
    """Installs TRL and its imports that this environment lacks, unless `folder` has them."""
    if not (PEER_FOLDER / "trl").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(PEER_FOLDER), *PEER], check=True, stdout=sys.stderr)


def measure_peer(folder: Path, millions: int) -> Figures:
    """TRL's packing of the first of these documents, and how many times as fast ours is on them."""
    lengths = document_lengths(millions * 1_000_000, 0)
    vocabulary = vocabulary_of(32_768)
    batches = list(token_batches(lengths, vocabulary.dtype, 0))
    started = time.process_time()
    part, _ = Pack(sequence_length=LENGTH, method="best_fit").pack(
        1, batches, str(folder), source="web", vocabulary=vocabulary
    )
    ours = time.process_time() - started
    ids = pa.concat_arrays([batch.column("tokens").cast(pa.list_(pa.int32())) for batch in batches])
    pq.write_table(pa.table({"input_ids": ids}), folder / "documents.parquet")
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.tokens.packing_peer"]
    output = subprocess.run(
        [*command, str(folder / "documents.parquet"), str(ROW)],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(PEER_FOLDER)},
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    theirs = json.loads(output.splitlines()[-1])
    return {
        "trl_best_fit_mtokens_per_second": part["tokens"] / theirs["seconds"] / 1e6,
        "trl_best_fit_filled_percent": 100 * theirs["tokens"] / (theirs["rows"] * ROW),
        "best_fit_filled_percent_same_documents": filled([part]),
        "best_fit_times_as_fast_as_trl": theirs["seconds"] / ours,
    }
