"""A run folder as curation seals it, made of given documents of tokens, and the settings of a tiny run over it."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from curation.tokens import mix, pack
from curation.tokens.manifests import checksum
from curation.tokens.token_files import Vocabulary

PACK = "01-pack-test"
MIX = "02-mix-test"
TINY = {
    "model": {"decoder": {"layers": 2, "width": 32, "heads": 4, "kv_heads": 2}},
    "optimizer": {"adamw": {"learning_rate": 0.01}},
    "schedule": {"cosine": {"warmup_steps": 2}},
    "steps": 8,
    "batch_rows": 4,
    "checkpoint_every": 3,
    "validate_every": 4,
    "log_every": 1,
}


def write_run(
    folder: Path,
    documents: Sequence[Sequence[int]],
    *,
    validation: Sequence[Sequence[int]],
    vocabulary: int = 64,
    sequence_length: int = 16,
    tokenizer: bytes = b"{}",
    utf8_bytes: int = 1000,  # of all documents of a split
    begin_of_text: int | None = None,
) -> Path:
    """One source "test"; documents must end with token 0 (end of text), and begin with that for it, themselves; padding
    is token 1."""
    digest = hashlib.blake2b(tokenizer, digest_size=32).hexdigest()
    facts = Vocabulary(size=vocabulary, begin_of_text=begin_of_text, end_of_text=0, padding=1, tokenizer=digest)
    (folder / PACK).mkdir(parents=True)
    (folder / MIX).mkdir()
    (folder / PACK / "tokenizer.json").write_bytes(tokenizer)
    packing = pack.Pack(sequence_length=sequence_length)
    splits = {"train": documents, "validation": validation}
    batches = [_batch(rows, split, facts, utf8_bytes) for split, rows in splits.items() if rows]
    parts = packing.pack(0, batches, str(folder / PACK), source="test", vocabulary=facts)
    section = pack.tokens_section(parts, pack=packing, vocabulary=facts)
    _write(folder / PACK / "_manifest.json", {"tokens": section})
    index = mix.Mix().build([(PACK, section)])
    (folder / MIX / "index.json").write_bytes(mix.index_bytes(index))
    _write(folder / MIX / "_manifest.json", {"mix": index})
    stages = [{"verb": "pack", "folder": PACK}, {"verb": "mix", "folder": MIX}]
    _write(folder / "run.json", {"stages": stages})
    return folder


def counting_documents(count: int, *, seed: int = 0, vocabulary: int = 64) -> list[list[int]]:
    """Documents that count upwards from a random start: every token but the first follows from the one before."""
    rng = np.random.default_rng(seed)
    starts = rng.integers(2, vocabulary, count)
    lengths = rng.integers(5, 40, count)
    pairs = zip(starts.tolist(), lengths.tolist(), strict=True)
    return [[2 + (start + i) % (vocabulary - 2) for i in range(length)] + [0] for start, length in pairs]


def counting_run(folder: Path) -> Path:
    """About 100 training rows and 10 validation rows of 16 tokens."""
    return write_run(folder, counting_documents(70), validation=counting_documents(7, seed=1))


def change_rows(path: Path, rows: "np.ndarray[Any, Any]") -> None:
    """Writes other rows in a token file, with their checksum in the manifest of its pack."""
    rows.tofile(path)
    manifest = path.parent / "_manifest.json"
    written = json.loads(manifest.read_text())
    for part in written["tokens"]["parts"]:
        if path.name in part["files"]:
            part["files"][path.name]["blake2b"] = checksum(path.read_bytes())
    manifest.write_text(json.dumps(written))


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The records of a metrics.jsonl; fails where a line was cut off."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def _batch(documents: Sequence[Sequence[int]], split: str, facts: Vocabulary, utf8_bytes: int) -> pa.RecordBatch:
    lists = pa.array([list(one) for one in documents], pa.large_list(pa.from_numpy_dtype(facts.dtype)))
    sizes = [utf8_bytes] + [0] * (len(documents) - 1)
    return pa.RecordBatch.from_pydict(
        {
            "doc_id": [f"{split}{i}" for i in range(len(documents))],
            "source": ["test"] * len(documents),
            "url": [f"https://example.org/{i}" for i in range(len(documents))],
            "tokens": lists,
            "split": [split] * len(documents),
            "utf8_bytes": pa.array(sizes, pa.int64()),
        }
    )


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content))
