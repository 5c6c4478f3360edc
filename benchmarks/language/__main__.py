"""The rule set `language` beside python-fasttext on whole texts: how often they decide alike, and the speed of each.

    python -m benchmarks.language                      web pages as we extract them, and the other test texts
    python -m benchmarks.language FILE …               .warc, .jsonl or .parquet files (also .gz and .zst)
    python -m benchmarks.language --json figures.json  also write the figures

Both are asked for the embedded model's best label: ours in batches of 1,000 documents, python-fasttext 0.9.3 for all
texts at once, each text on one line. Speed is in CPU time of the one thread that works, the fastest of `--repeats`
rounds for ours and one round for the other, which is slow. A document is kept at 0.65; "label" counts kept documents
whose labels differ as disagreements, too. In the JSON file, for each corpus: `documents`, `megabytes`, `kept` (share
that python-fasttext keeps), `agree` and `agree_with_label` (shares), `largest_difference` (of our score on the whole
text from the other's), `documents_per_second`, `library_documents_per_second` and their `ratio`.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

from benchmarks.parity.texts import default_paths, read
from curation.filters.language import Language
from curation.models.fasttext.classifier import EMBEDDED, load, locate
from curation.models.text_windows import whole

BATCH_ROWS = 1000
LIMIT = 0.65


def library(texts: pa.Array) -> tuple[Any, Any, float]:
    """Labels, scores and seconds of python-fasttext; below its `predict`, which fails with NumPy 2."""
    binding: Any = fasttext.load_model(locate(EMBEDDED)).f
    lines = [text.replace("\n", " ") + "\n" for text in texts.to_pylist()]
    start = time.thread_time()
    labels, scores = binding.multilinePredict(lines, 1, 0.0, "strict")
    seconds = time.thread_time() - start
    found = np.array([one[0].removeprefix("__label__") for one in labels], np.object_)
    return found, np.minimum(np.array([one[0] for one in scores], np.float64), 1.0), seconds


def ours(texts: pa.Array, repeats: int) -> tuple[Any, Any, float]:
    """The same of the rule set; None and NaN for a text without a word."""
    batches = pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS)
    rule_set, rounds = Language(), []
    rule_set.measure(batches[0])
    for _ in range(repeats):
        start = time.thread_time()
        measured = [rule_set.measure(batch) for batch in batches]
        rounds.append(time.thread_time() - start)
    labels = np.concatenate([one["label"].to_numpy(zero_copy_only=False) for one in measured])
    scores = np.concatenate([one["score"].to_numpy(zero_copy_only=False) for one in measured])
    return labels, scores, min(rounds)


def measure(texts: pa.Array, repeats: int) -> dict[str, float]:
    texts = texts.filter(pc.match_substring_regex(texts, r"\S"))
    their_labels, their_scores, their_seconds = library(texts)
    labels, scores, seconds = ours(texts, repeats)
    keep, they_keep = scores >= LIMIT, their_scores >= LIMIT
    on_whole = load(EMBEDDED).best(whole(texts))[1][:, 0]
    return {
        "documents": len(texts),
        "megabytes": pc.sum(pc.binary_length(texts)).as_py() / 1e6,
        "kept": float(they_keep.mean()),
        "agree": float((keep == they_keep).mean()),
        "agree_with_label": float(((keep == they_keep) & (~keep | (labels == their_labels))).mean()),
        "largest_difference": float(np.nanmax(np.abs(on_whole - their_scores))),
        "documents_per_second": len(texts) / seconds,
        "library_documents_per_second": len(texts) / their_seconds,
        "ratio": their_seconds / seconds,
    }


def show(figures: dict[str, dict[str, float]]) -> None:
    table = Table(title=f"language beside python-fasttext on whole texts, kept at {LIMIT}, one core")
    for column in (
        "corpus",
        "documents",
        "MB",
        "kept",
        "agree",
        "label",
        "docs/s",
        "fasttext",
        "ratio",
    ):
        table.add_column(column, justify="left" if column == "corpus" else "right")
    for name, one in figures.items():
        shares = [f"{one[key]:.2%}" for key in ("kept", "agree", "agree_with_label")]
        speeds = [f"{one[key]:,.0f}" for key in ("documents_per_second", "library_documents_per_second")]
        table.add_row(name, f"{one['documents']:,}", f"{one['megabytes']:.1f}", *shares, *speeds, f"{one['ratio']:.1f}")
    Console().print(table)


def corpora(files: Sequence[str]) -> dict[str, pa.Array]:
    groups = {"given": tuple(files)} if files else {path.split("/")[-2]: (path,) for path in default_paths()}
    return {name: read(paths, None)["text"].combine_chunks() for name, paths in groups.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.language", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", help="files with texts; none: the test data beside this checkout")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    figures = {name: measure(texts, options.repeats) for name, texts in corpora(options.files).items()}
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
