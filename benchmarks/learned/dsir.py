"""The fit and the filter `dsir` beside the `data-selection` package: the same weights, and the speed of each.

Target: the encyclopedia; raw text: all test texts and web pages. The package works on `--peer` documents of each side,
in one process, with its own SHA-256 hashes. For the check it is given our hash, fitted on those documents and asked for
their weights again; they agree within 10⁻⁶ nats. Two letters are in lower case before, İ and Σ, which Python lowers by
what stands beside them or to two characters.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import data_selection.hashed_ngram_dsir as package
import numpy as np
import pyarrow as pa

from benchmarks.case import Case, apart
from benchmarks.data import batches_of, default_paths, megabytes_of, shared, texts_in
from curation.fit.dsir import Dsir
from curation.models.dsir.importance import Importance, parse

LOWERED = str.maketrans("İΣ", "iσ")
NEAR = 1e-6  # nats
MASK = (1 << 64) - 1


def labelled(texts: pa.Array, label: str) -> list[pa.RecordBatch]:
    return [batch.append_column("label", pa.array([label] * len(batch))) for batch in batches_of(texts)]


def fitted(target: pa.Array, raw: pa.Array) -> bytes:
    fit = Dsir(target="-")
    counted = fit.count(iter([*labelled(target, "target"), *labelled(raw, "raw")]))
    return fit.finish([fit.merge(counted)])[fit.asset]


def scored(model: bytes, texts: pa.Array) -> Any:
    importance = Importance(parse(model))
    return np.concatenate([importance.log_weights(batch["text"])[0] for batch in batches_of(texts)])


def peer_fitted(folder: Path) -> Any:
    """The package's estimator on two files of JSON lines."""
    with redirect_stderr(StringIO()):  # its progress bars
        files = [str(folder / name) for name in ("raw", "target", "cache")]
        made = package.HashedNgramDSIR([files[0]], [files[1]], files[2], num_proc=1)
        made.fit_importance_estimator(num_tokens_to_fit="all")
    return made


def peer_scored(made: Any, texts: list[str]) -> Any:
    return np.array([made.importance_estimator(made.featurizer(text)) for text in texts])


def with_our_hash(folder: Path, texts: list[str]) -> Any:
    """float64[N]: its weights, by our hash in the place of its SHA-256."""
    own = package.hash_buckets
    package.hash_buckets = bucket
    try:
        return peer_scored(peer_fitted(folder), texts)
    finally:
        package.hash_buckets = own


def bucket(ngram: str, num_buckets: int) -> int:
    """Our bucket of an n-gram in lower case, its words joined by blanks, in plain Python."""
    value = 0x9E3779B97F4A7C15
    for char in ngram:
        value = (value ^ ord(char)) * 0xD1342543DE82EF95 & MASK
        value ^= value >> 29
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & MASK
    return ((value ^ value >> 33) >> 32) * num_buckets >> 32


def run(options: argparse.Namespace) -> Iterator[Case]:
    target = texts_in([shared("text", "encyclopedia*")], options.documents)
    raw = texts_in(default_paths(), options.documents)
    sample = random.Random(0)
    few = [
        [text.translate(LOWERED) for text in sample.sample(texts.to_pylist(), min(options.peer, len(texts)))]
        for texts in (target, raw)
    ]
    arrays = [pa.array(texts, pa.large_string()) for texts in few]
    common: dict[str, Any] = {"called": "data-selection", "packages": ("data-selection",)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, texts in zip(("target", "raw"), few, strict=True):
            (folder / kind).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        yield Case(
            name="fit",
            ours=partial(fitted, target, raw),
            peer=partial(peer_fitted, folder),
            amounts={"documents": len(target) + len(raw)},
            peer_amounts={"documents": sum(map(len, few))},
            **common,
        )
        yield Case(
            name="score",
            ours=partial(scored, fitted(target, raw), raw),
            peer=partial(peer_scored, peer_fitted(folder), few[1]),
            agree=lambda *_: apart(scored(fitted(*arrays), arrays[1]), with_our_hash(folder, few[1]), NEAR),
            amounts={"documents": len(raw), "MB": megabytes_of(raw)},
            peer_amounts={"documents": len(few[1]), "MB": megabytes_of(arrays[1])},
            **common,
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, help="of each side, spread evenly; default: all")
    parser.add_argument("--peer", type=int, default=200, help="documents of each side for the package")
