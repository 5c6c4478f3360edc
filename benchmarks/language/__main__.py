"""The rule set `language` beside python-fasttext on whole texts: how often they decide alike, and the speed of each.

    python -m benchmarks.language                      web pages as we extract them, and the other test texts
    python -m benchmarks.language FILE …               .warc, .jsonl or .parquet files (also .gz and .zst)

Both give the embedded model's best label: ours in batches of 1,000 documents, python-fasttext 0.9.3 for all texts at
once, each text on one line. Speed is CPU time: the fastest of `--repeats` rounds for ours, one round for the library,
which is slow. A document is kept from a score of 0.65 on; "label" also counts kept documents whose labels differ as
disagreements. In the JSON file, for each corpus: `documents`, `megabytes`, `kept` (share that python-fasttext keeps),
`agree` and `agree_with_label` (shares), `largest_difference` (between our score of the whole text and the library's),
`documents_per_second`, `library_documents_per_second` and their `ratio`.
"""

import time
from collections.abc import Sequence
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.heuristics.texts import megabytes_of
from benchmarks.parity.texts import default_paths, read
from curation.filters.language import Language
from curation.models.fasttext.classifier import EMBEDDED, load, locate
from curation.models.text_windows import whole

BATCH_ROWS = 1000
LIMIT = 0.65


def library(texts: pa.Array) -> tuple[Any, Any, float]:
    """Labels, scores and seconds of python-fasttext, by its binding, because its `predict` fails with NumPy 2."""
    binding: Any = fasttext.load_model(locate(EMBEDDED)).f
    lines = [text.replace("\n", " ") + "\n" for text in texts.to_pylist()]
    start = time.thread_time()
    labels, scores = binding.multilinePredict(lines, 1, 0.0, "strict")
    seconds = time.thread_time() - start
    best = np.array([ranked[0].removeprefix("__label__") for ranked in labels], np.object_)
    return best, np.minimum(np.array([ranked[0] for ranked in scores], np.float64), 1.0), seconds


def ours(texts: pa.Array, repeats: int) -> tuple[Any, Any, float]:
    """The same of the rule set; None and NaN for a text without a word."""
    batches = pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS)
    measured = [Language().measure(batch) for batch in batches]
    labels, scores = (
        np.concatenate([signals[name].to_numpy(zero_copy_only=False) for signals in measured])
        for name in ("label", "score")
    )
    return labels, scores, fastest(Language().measure, batches, repeats)


def measure(texts: pa.Array, repeats: int) -> dict[str, float]:
    texts = texts.filter(pc.match_substring_regex(texts, r"\S"))
    their_labels, their_scores, their_seconds = library(texts)
    labels, scores, seconds = ours(texts, repeats)
    keep = scores >= LIMIT
    they_keep = their_scores >= LIMIT
    on_whole = load(EMBEDDED).best(whole(texts))[1][:, 0]
    return {
        "documents": len(texts),
        "megabytes": megabytes_of(texts),
        "kept": float(they_keep.mean()),
        "agree": float((keep == they_keep).mean()),
        "agree_with_label": float(((keep == they_keep) & (~keep | (labels == their_labels))).mean()),
        "largest_difference": float(np.nanmax(np.abs(on_whole - their_scores))),
        "documents_per_second": len(texts) / seconds,
        "library_documents_per_second": len(texts) / their_seconds,
        "ratio": their_seconds / seconds,
    }


def show(figures: dict[str, dict[str, float]]) -> None:
    title = f"language beside python-fasttext on whole texts, kept at {LIMIT}, one core"
    table = empty_table(title, "corpus", "documents", "MB", "kept", "agree", "label", "docs/s", "fasttext", "ratio")
    for name, row in figures.items():
        shares = [f"{row[key]:.2%}" for key in ("kept", "agree", "agree_with_label")]
        speeds = [f"{row[key]:,.0f}" for key in ("documents_per_second", "library_documents_per_second")]
        table.add_row(name, f"{row['documents']:,}", f"{row['megabytes']:.1f}", *shares, *speeds, f"{row['ratio']:.1f}")
    Console().print(table)


def corpora(files: Sequence[str]) -> dict[str, pa.Array]:
    groups = {"given": tuple(files)} if files else {path.split("/")[-2]: (path,) for path in default_paths()}
    return {name: read(paths, None)["text"].combine_chunks() for name, paths in groups.items()}


def main() -> None:
    parser = command_line("language", __doc__)
    parser.add_argument("files", nargs="*", help="files with texts; default: the test data beside this checkout")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    figures = {name: measure(texts, options.repeats) for name, texts in corpora(options.files).items()}
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
