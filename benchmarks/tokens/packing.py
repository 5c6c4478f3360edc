"""Speed of packing by each method, how well best-fit fills rows, beside TRL's best-fit packing.

Made-up documents have the lengths of web pages (log-normal, median 403 tokens),
one in eleven longer than a row of 2,049. TRL packs the same documents by `pack_dataset(strategy="bfd_split")` in a
process of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.case import Case, DisagreementError, Figures, Timed
from benchmarks.datatrove import ROOT
from benchmarks.tokens.reading import token_batches, vocabulary_of
from benchmarks.tokens.texts import texts_of
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
PEER_MILLIONS = 8  # tokens that the peer packs
PEER_FOLDER = ROOT / ".venv-trl"
SAMPLE_CHARACTERS = 20_000  # of each document that the tokenizer is fitted on
SAMPLE_DOCUMENTS = 400  # of each file


def document_lengths(tokens: int, seed: int) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Lengths of web pages that add up to `tokens` or a little less."""
    drawn = np.random.default_rng(seed).lognormal(6, 1.2, tokens // 400).astype(np.int64) + 2
    return drawn[: int(np.searchsorted(np.cumsum(drawn), tokens))]


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from by_method(folder, options.tokens)
        yield measure_text(texts_of(options.text), folder)
        if options.peer:
            install_peer()
            yield beside_peer(folder, min(PEER_MILLIONS, options.tokens))


def by_method(folder: Path, millions: int) -> Iterator[Case | Figures]:
    """Each method on the same documents: `Pack.pack` with its files written; and best-fit without them."""
    lengths = document_lengths(millions * 1_000_000, 0)
    vocabulary = vocabulary_of(32_768)
    batches = list(token_batches(lengths, vocabulary.dtype, 0))
    rows = {}
    methods: tuple[Method, ...] = ("concat", "best_fit", "one_per_row")
    for method in methods:
        own = batches[: 1 + len(batches) // 4] if method == "one_per_row" else batches  # rows that are mostly padding
        (folder / method).mkdir()
        packer = Pack(sequence_length=LENGTH, method=method)
        pack = partial(packer.pack, 0, own, str(folder / method), source="web", vocabulary=vocabulary)
        part, _ = pack()
        rows[method] = {"filled, %": filled([part]), "cut documents, %": 100 * part["cut"] / part["documents"]}
        yield Case(name=f"pack, {method}", ours=pack, amounts={"Mtokens": part["tokens"] / 1e6})
    tokens = np.random.default_rng(0).integers(2, 30_000, lengths.sum()).astype(np.uint16)
    yield Case(name="place, best_fit", ours=partial(place, lengths, tokens), amounts={"Mtokens": len(tokens) / 1e6})
    yield Figures("how full rows are", rows)


def filled(parts: Sequence[Mapping[str, Any]]) -> float:
    """Slots that hold a token, in percent."""
    rows, padding = (sum(part[kind] for part in parts) for kind in ("rows", "padding"))
    return float(100 * (1 - padding / (rows * ROW)))


def place(lengths: "np.ndarray[Any, np.dtype[np.int64]]", tokens: "np.ndarray[Any, np.dtype[np.uint16]]") -> None:
    """Choosing rows and copying tokens into them, without lineage, checksums and files."""
    pieces = cut_documents(lengths, ROW)
    starts = (np.cumsum(lengths) - lengths)[pieces.documents] + pieces.offsets
    order, counts = best_fit(pieces.lengths, ROW)
    gather(tokens, starts[order], pieces.lengths[order], counts, row_tokens=ROW, padding=1)


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
    row = {
        "encoded and packed, Mtokens/s": sum(part["tokens"] for part in parts) / seconds / 1e6,
        "filled, %": filled(parts),
        "worst file": min(filled([part]) for part in parts),
        "as one shard": filled(together),
        "cut documents, %": 100 * together[0]["cut"] / together[0]["documents"],
    }
    return Figures("texts, end to end with best-fit, a shard per file", {"all files": row})


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
    """Installs TRL and its imports that this environment lacks, unless PEER_FOLDER has them."""
    if not (PEER_FOLDER / "trl").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(PEER_FOLDER), *PEER], check=True, stdout=sys.stderr)


def beside_peer(folder: Path, millions: int) -> Case:
    """TRL's packing of the first of these documents."""
    lengths = document_lengths(millions * 1_000_000, 0)
    vocabulary = vocabulary_of(32_768)
    batches = list(token_batches(lengths, vocabulary.dtype, 0))
    ids = pa.concat_arrays([batch.column("tokens").cast(pa.list_(pa.int32())) for batch in batches])
    pq.write_table(pa.table({"input_ids": ids}), folder / "documents.parquet")
    packer = Pack(sequence_length=LENGTH, method="best_fit")
    return Case(
        name="pack, best_fit, the same documents",
        ours=lambda: packer.pack(1, batches, str(folder), source="web", vocabulary=vocabulary)[0],
        peer=partial(packed_by_peer, folder / "documents.parquet"),
        called="TRL",
        agree=as_full,
        amounts={"Mtokens": int(lengths.sum()) / 1e6},
    )


def packed_by_peer(documents: Path) -> Timed:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.tokens.packing_peer", str(documents), str(ROW)]
    variables = {**os.environ, "PYTHONPATH": str(PEER_FOLDER)}
    done = subprocess.run(command, check=True, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True)
    result = json.loads(done.stdout.splitlines()[-1])
    return Timed(result, result["seconds"])


def as_full(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Rows must be filled alike, within one percent."""
    shares = filled([ours]), 100 * theirs["tokens"] / (theirs["rows"] * ROW)
    if abs(shares[0] - shares[1]) > 1:
        raise DisagreementError(f"rows are filled to {shares[0]:.2f} and {shares[1]:.2f} %")
    return f"rows are filled to {shares[0]:.2f} and {shares[1]:.2f} %"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", type=Path, help="folder of texts to encode and pack (default: generated text)")
    parser.add_argument("--tokens", type=int, default=32, help="millions of tokens to pack")
    parser.add_argument(
        "--peer", action="store_true", help="also pack with TRL, which is installed into .venv-trl once"
    )
