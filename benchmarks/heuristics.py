"""How fast the text filters and the exact-dedup key are on one core, in MB of UTF-8 and in documents per second.

    python -m benchmarks.heuristics                         seeded text of invented words
    python -m benchmarks.heuristics FILE.jsonl.gz …         the `text` fields of these files
    python -m benchmarks.heuristics --json figures.json     also write the figures

The figures are of the fastest of `--repeats` rounds, in CPU time of the one thread that works. In the JSON file:
`documents`, `megabytes`, `seconds_to_import`, and `parts`, for each part `seconds`, `megabytes_per_second` and
`documents_per_second`; `gopher_both` is quality and repetition one after the other.
"""

import argparse
import gzip
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.table import Table

BATCH_ROWS = 1000
Batches = Sequence[pa.RecordBatch]


def seeded_texts(documents: int, seed: int) -> Iterator[str]:
    """Texts of about 5 kB in paragraphs and lines, their words drawn as unevenly as those of a language."""
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(draw.choices(letters, k=1 + min(rank // 20, draw.randint(1, 9)))) for rank in range(20_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    for _ in range(documents):
        drawn = iter(draw.choices(words, weights, k=draw.randint(100, 1700)))
        lines: list[str] = []
        while line := [word for word, _ in zip(drawn, range(draw.randint(5, 60)), strict=False)]:
            lines.append(" ".join(line) + draw.choice([".\n", ".\n\n", "\n"]))
        yield "".join(lines)


def texts_of(files: Sequence[Path]) -> Iterator[str]:
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as rows:
            yield from (text for row in rows if (text := json.loads(row)["text"]))


def parts() -> dict[str, Callable[[pa.RecordBatch], object]]:
    from curation.dedup.exact import Exact
    from curation.filters.gopher_quality import GopherQuality
    from curation.filters.gopher_repetition import GopherRepetition
    from curation.filters.language import Language
    from curation.text.hashing import hash128
    from curation.text.normalize import normalized

    quality, repetition = GopherQuality().measure, GopherRepetition().measure
    return {
        "gopher_quality": quality,
        "gopher_repetition": repetition,
        "gopher_both": lambda batch: (quality(batch), repetition(batch)),
        "language": Language().measure,
        "normalized": lambda batch: normalized(batch.column("text")),
        "hash128": lambda batch: hash128(batch.column("text")),
        "exact": Exact().keys,
    }


def fastest(part: Callable[[pa.RecordBatch], object], batches: Batches, repeats: int) -> float:
    """CPU seconds of the fastest round over all batches."""
    part(batches[0])
    rounds = []
    for _ in range(repeats):
        start = time.thread_time()
        for batch in batches:
            part(batch)
        rounds.append(time.thread_time() - start)
    return min(rounds)


def measure(texts: Sequence[str], repeats: int) -> dict[str, object]:
    start = time.perf_counter()
    every = parts()
    seconds_to_import = time.perf_counter() - start
    table = pa.table({"text": pa.array(texts, pa.large_string())})
    batches = table.to_batches(max_chunksize=BATCH_ROWS)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    figures = {}
    for name, part in every.items():
        seconds = fastest(part, batches, repeats)
        figures[name] = {
            "seconds": seconds,
            "megabytes_per_second": megabytes / seconds,
            "documents_per_second": len(texts) / seconds,
        }
    return {
        "documents": len(texts),
        "megabytes": megabytes,
        "seconds_to_import": seconds_to_import,
        "parts": figures,
    }


def show(figures: dict[str, object]) -> None:
    table = Table(title=f"{figures['documents']:,} documents, {figures['megabytes']:.1f} MB, one core")
    for column in ("part", "MB/s", "documents/s"):
        table.add_column(column, justify="left" if column == "part" else "right")
    measured = figures["parts"]
    assert isinstance(measured, dict)
    for name, part in measured.items():
        table.add_row(name, f"{part['megabytes_per_second']:.1f}", f"{part['documents_per_second']:,.0f}")
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="jsonl.gz files with a `text` field")
    parser.add_argument("--documents", type=int, default=2000, help="seeded texts, where no files are given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    texts = list(texts_of(options.files) if options.files else seeded_texts(options.documents, options.seed))
    figures = measure(texts, options.repeats)
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
