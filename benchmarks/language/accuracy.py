"""The rule set `language` on texts whose language is known: right labels by windows alone, by the whole text, and now.

A row is in the half "choosing" if the first byte of the SHA-1 of its id is even. Bokmål counts as `no`. Languages that
the model lacks count only in `won`, as wrong. Shares are of right labels, and `read_whole` of texts whose windows score
low; `won` and `won_right` are the texts that reach 0.65 now and did not by windows.
"""

import argparse
import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.case import Figures
from benchmarks.data import SHARED
from curation.core.errors import InputError
from curation.filters.language import LOW, Language, of_windows
from curation.models.fasttext.classifier import EMBEDDED, load
from curation.models.text_windows import whole

LIMIT = 0.65
HALVES = ("choosing", "other")


def rows_of(half: str) -> list[dict[str, Any]]:
    """The rows of one half, by language and source and in the order of their hashes."""
    path = SHARED / "langid" / "langid.jsonl.gz"
    if not path.is_file():
        raise InputError(f"there is no test data at {path}")
    with gzip.open(path, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    hashes = {row["id"]: hashlib.sha1(row["id"].encode()).digest() for row in rows}
    chosen = [row for row in rows if hashes[row["id"]][0] % 2 == HALVES.index(half)]
    return sorted(chosen, key=lambda row: (*_group(row), hashes[row["id"]]))


def joined(rows: Sequence[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """Rows of at least `size` bytes, each joined from neighbours of one language and source, without the remainder."""
    long_rows = []
    for _, group in groupby(rows, key=_group):
        parts: list[str] = []
        for row in group:
            parts.append(row["text"])
            if len("\n\n".join(parts).encode()) >= size:
                long_rows.append(row | {"text": "\n\n".join(parts)})
                parts = []
    return long_rows


def measure(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    texts = pa.array([row["text"] for row in rows], pa.large_string())
    classifier = load(EMBEDDED)
    labels, scores, partly = of_windows(texts, classifier)
    now = Language().measure(pa.record_batch({"text": texts}))
    now_labels, now_scores = (now[name].to_numpy(zero_copy_only=False) for name in ("label", "score"))
    truth = np.array(["no" if row["lang1"] == "nb" else str(row["lang1"]) for row in rows], np.object_)
    by_way = {"windows": labels[:, 0], "whole": classifier.best(whole(texts))[0][:, 0], "now": now_labels}
    right = {way: best == truth for way, best in by_way.items()} | {"read_whole": partly & ~(scores[:, 0] >= LOW)}
    known = np.isin(truth.astype(str), classifier.labels.astype(str))
    groups = {"all": known} | {str(language): truth == language for language in np.unique(truth[known].astype(str))}
    figures = {
        language: {"texts": int(rows.sum())} | {name: float(mask[rows].mean()) for name, mask in right.items()}
        for language, rows in groups.items()
    }
    won = (now_scores >= LIMIT) & ~(scores[:, 0] >= LIMIT)
    figures["all"] |= {"won": int(won.sum()), "won_right": int((won & right["now"]).sum())}
    return figures


def _group(row: dict[str, Any]) -> tuple[str, str]:
    return str(row["lang3"]), str(row["source"])


def run(options: argparse.Namespace) -> Iterator[Figures]:
    rows = rows_of(options.half)
    yield Figures(
        "right labels of lid.176, by what is read", measure(joined(rows, options.long) if options.long else rows)
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", choices=HALVES, default=HALVES[1], help="choosing: that on which `LOW` was chosen")
    parser.add_argument("--long", type=int, help="join texts of one language and source until they have so many bytes")
