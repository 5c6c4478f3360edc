"""Quality classifiers on whole web pages: documents a second on one core, beside python-fasttext with the same model.

    python -m benchmarks.classifier                    pages as we extract them, both kinds of model
    python -m benchmarks.classifier --dclm             also fastText as DCLM has it: 100 dimensions, 2 M buckets
    python -m benchmarks.classifier --model FILE.bin   a supervised fastText model of your own besides

The models learn from one half of the test data (see `halves.py`). Both sides score every page whole, ours in batches of
1,000 documents through the filter, python-fasttext 0.9.3 by `predict`'s own binding, each text on one line, for all
labels. Speed is CPU time: the fastest of `--repeats` rounds for both. In the JSON file, by model: `documents`,
`megabytes`, `documents_per_second`, and for fastText models `library_documents_per_second`, their `ratio` and
`largest_difference` of the scores.
"""

import tempfile
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from benchmarks.classifier.separation import trained
from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.heuristics.texts import megabytes_of
from benchmarks.parity.texts import read
from curation.filters.quality_classifier import QualityClassifier
from curation.models.classifier.model_file import load
from tests.support import SHARED

BATCH_ROWS = 1000
DCLM = {"dimensions": 100, "buckets": 2_000_000, "learning_rate": 0.1, "epochs": 1}


def measure(path: str, texts: pa.Array, repeats: int) -> dict[str, float]:
    """Figures of the model at `path` on text[N], none of which is blank."""
    model = load(path)
    label = model.metadata.positive or model.labels[0]
    rule_set = QualityClassifier(model=path, label=label)
    batches = pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS)
    scores = np.concatenate([np.asarray(rule_set.measure(batch)["score"]) for batch in batches])
    seconds = fastest(rule_set.measure, batches, repeats)
    figures = {
        "documents": len(texts),
        "megabytes": megabytes_of(texts),
        "documents_per_second": len(texts) / seconds,
    }
    if model.metadata.kind == "fasttext":
        theirs, their_seconds = library(path, f"__label__{label}", texts, repeats)
        figures |= {
            "library_documents_per_second": len(texts) / their_seconds,
            "ratio": their_seconds / seconds,
            "largest_difference": float(np.abs(scores - theirs).max()),
        }
    return figures


def library(path: str, label: str, texts: pa.Array, repeats: int) -> tuple[Any, float]:
    """float64[N] scores of the label and seconds of python-fasttext, by its binding: `predict` fails with NumPy 2."""
    binding: Any = fasttext.load_model(path).f
    lines = [text.replace("\n", " ") + "\n" for text in texts.to_pylist()]
    labels, scores = binding.multilinePredict(lines, -1, 0.0, "strict")
    seconds = fastest(lambda batch: binding.multilinePredict(batch, -1, 0.0, "strict"), [lines], repeats)
    named = [dict(zip(names, values, strict=True)) for names, values in zip(labels, scores, strict=True)]
    return np.minimum([one.get(label, 0.0) for one in named], 1.0), seconds


def show(figures: dict[str, dict[str, float]]) -> None:
    columns = ("documents", "MB", "docs/s", "python-fasttext", "ratio", "largest difference")
    table = empty_table("quality classifiers on whole web pages, one core", "model", *columns)
    for name, row in figures.items():
        cells = [f"{row['documents']:,.0f}", f"{row['megabytes']:.1f}", f"{row['documents_per_second']:,.0f}"]
        if "ratio" in row:
            cells += [f"{row['library_documents_per_second']:,.0f}", f"{row['ratio']:.1f}"]
            cells.append(f"{row['largest_difference']:.1e}")
        table.add_row(name, *cells)
    Console().print(table)


def main() -> None:
    parser = command_line("classifier", __doc__)
    parser.add_argument("--dclm", action="store_true", help="also a fastText model of DCLM's shape (0.9 GB)")
    parser.add_argument("--model", help="a supervised fastText model to measure besides")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    texts = read([str(SHARED / "web" / "pages-public-*.warc.gz")], None)["text"].combine_chunks()
    texts = texts.filter(pc.match_substring_regex(texts, r"\S"))
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        kinds: dict[str, dict[str, Any]] = {"fasttext": {}, "logistic": {}}
        kinds |= {"fasttext like DCLM": DCLM} if options.dclm else {}
        for name, changes in kinds.items():
            path = Path(folder, f"{name}.bin")
            path.write_bytes(trained(name.split()[0], **changes)["model.bin"])
            figures[name] = measure(str(path), texts, options.repeats)
        if options.model:
            figures[options.model] = measure(options.model, texts, options.repeats)
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
