"""Speed of packing by each method, how well best-fit fills rows, beside TRL's best-fit packing.

Made-up documents have the lengths of web pages (log-normal, median 403 tokens),
one in eleven longer than a row of 2,049. TRL packs the first of these documents by
`pack_dataset(strategy="bfd_split")` in a process of its own, where `--install-peer` has once put it.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import datatrove as environment
from benchmarks.case import AbsentError, Case, DisagreementError, Figures, Timed
from curation.tokens.manifests import checksum
from curation.tokens.pack import Method, Pack
from curation.tokens.token_files import Vocabulary

LENGTH = 2048
ROW = LENGTH + 1
VOCABULARY = Vocabulary(size=32_768, end_of_text=0, padding=1, tokenizer=checksum(b"stands for a tokenizer"))
METHODS: tuple[Method, ...] = ("concat", "best_fit", "one_per_row")
PEER = ("trl==1.16.0", "transformers==5.23.0", "accelerate==1.15.0", "safetensors==0.8.0")
PEER_MILLIONS = 8  # tokens that the peer packs
PEER_FOLDER = environment.ROOT / ".venv-trl"


def document_lengths(millions: int) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Lengths of web pages that add up to so many million tokens or a little less."""
    tokens = millions * 1_000_000
    drawn = np.random.default_rng(0).lognormal(6, 1.2, tokens // 400).astype(np.int64) + 2
    return drawn[: int(np.searchsorted(np.cumsum(drawn), tokens))]


def token_batches(lengths: "np.ndarray[Any, np.dtype[np.int64]]") -> Iterator[pa.RecordBatch]:
    """Documents of random tokens and of these lengths, 1,000 a batch."""
    rng = np.random.default_rng(0)
    for first in range(0, len(lengths), 1000):
        sizes = lengths[first : first + 1000]
        offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]))
        values = rng.integers(2, 30_000, sizes.sum()).astype(VOCABULARY.dtype)
        numbers = range(first, first + len(sizes))
        columns = {
            "doc_id": [f"{number:032x}" for number in numbers],
            "url": [f"https://www.example.org/some/page/{number}.html" for number in numbers],
            "source": ["web"] * len(sizes),
            "tokens": pa.LargeListArray.from_arrays(offsets, pa.array(values)),
            "split": ["train"] * len(sizes),
            "utf8_bytes": 4 * sizes,
        }
        yield pa.RecordBatch.from_pydict(columns)


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    if options.install_peer and not (PEER_FOLDER / "trl").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--target", str(PEER_FOLDER), *PEER], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from by_method(folder, options.tokens)
        (folder / "peer").mkdir()
        yield beside_peer(folder / "peer", min(PEER_MILLIONS, options.tokens))


def by_method(folder: Path, millions: int) -> Iterator[Case | Figures]:
    """Each method on the same documents: `Pack.pack` with its files written."""
    batches = list(token_batches(document_lengths(millions)))
    rows = {}
    for method in METHODS:
        own = batches[: 1 + len(batches) // 4] if method == "one_per_row" else batches  # rows that are mostly padding
        (folder / method).mkdir()
        packer = Pack(sequence_length=LENGTH, method=method)
        pack = partial(packer.pack, 0, own, str(folder / method), source="web", vocabulary=VOCABULARY)
        part, _ = pack()
        rows[method] = {"filled, %": filled([part]), "cut documents, %": 100 * part["cut"] / part["documents"]}
        yield Case(name=f"pack, {method}", ours=pack, amounts={"Mtokens": part["tokens"] / 1e6})
    yield Figures("how full rows are", rows)


def filled(parts: Sequence[Mapping[str, Any]]) -> float:
    """Slots that hold a token, in percent."""
    rows, padding = (sum(part[kind] for part in parts) for kind in ("rows", "padding"))
    return float(100 * (1 - padding / (rows * ROW)))


def beside_peer(folder: Path, millions: int) -> Case:
    """TRL's packing of the first of these documents."""
    lengths = document_lengths(millions)
    batches = list(token_batches(lengths))
    ids = pa.concat_arrays([batch.column("tokens").cast(pa.list_(pa.int32())) for batch in batches])
    pq.write_table(pa.table({"input_ids": ids}), folder / "documents.parquet")
    packer = Pack(sequence_length=LENGTH, method="best_fit")
    return Case(
        name="pack, best_fit, the same documents",
        ours=lambda: packer.pack(1, batches, str(folder), source="web", vocabulary=VOCABULARY)[0],
        peer=partial(packed_by_peer, folder / "documents.parquet"),
        called="TRL",
        agree=as_full,
        amounts={"Mtokens": int(lengths.sum()) / 1e6},
    )


def packed_by_peer(documents: Path) -> Timed:
    if not (PEER_FOLDER / "trl").exists():
        raise AbsentError("no TRL in .venv-trl; run with --install-peer first")
    python = Path(sys.executable)
    result = environment.run(python, "packing.pack", packages=PEER_FOLDER, documents=documents, row_tokens=ROW)
    return Timed(result, result["seconds"])


def as_full(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Rows must be filled alike, within one percent."""
    shares = filled([ours]), 100 * theirs["tokens"] / (theirs["rows"] * ROW)
    says = f"rows are filled to {shares[0]:.2f} and {shares[1]:.2f} %"
    if abs(shares[0] - shares[1]) > 1:
        raise DisagreementError(says)
    return says


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokens", type=int, default=32, help="millions of tokens to pack")
    parser.add_argument("--install-peer", action="store_true", help="install TRL into .venv-trl, unless it is there")
