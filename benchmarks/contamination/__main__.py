"""Speed of looking for the items of evaluation sets: megabytes of text per second of one core, against other tools.

    python -m benchmarks.contamination [--datatrove .venv-datatrove/bin/python] [--json FILE]

Texts are the pages of ../shared/data/web through our extractor, sets those of ../shared/data/benchmarks. Timed are the
filter's methods with all sets, `llama` with one set and with half of them, a plain Python set of tuples of 13 words
(str.lower().split(), one look-up per word), and datatrove's NGramsDecontFilter on a part of the pages.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from benchmarks import figures
from benchmarks.contamination.sets import chosen, index_of, web_pages
from benchmarks.heuristics.texts import megabytes_of
from benchmarks.parity import environment
from curation.filters.contamination import Contamination
from curation.models.evalsets.index import MAIN

BATCH = 1000  # documents
SIZE = 13
METHODS: tuple[Literal["gpt3", "palm", "llama", "decon"], ...] = ("gpt3", "palm", "llama", "decon")


def own_speeds(pages: pa.Array, folder: Path, rounds: int) -> dict[str, float]:
    """Megabytes per CPU second by method and number of sets."""
    batch = pa.record_batch({"text": pages})
    names = list(chosen())
    speeds = {}
    parts = [batch.slice(at, BATCH) for at in range(0, len(batch), BATCH)]
    for label, some in (("all sets", []), ("half of the sets", names[::2]), ("one set", ["gsm8k"])):
        index_of(folder / f"{len(some)}", some)
        for method in METHODS if not some else METHODS[2:3]:
            made = Contamination(evalsets=str(folder / f"{len(some)}" / MAIN), method=method)
            speeds[f"{method}, {label}"] = megabytes_of(pages) / figures.fastest(made.measure, parts, rounds)
    return speeds


def plain_set_seconds(texts: list[str], items: pa.Table) -> float:
    """CPU seconds for a set of tuples of words, as someone would write it."""
    known: set[tuple[str, ...]] = set()
    for row in items.select(["question", "answer"]).to_pylist():
        words = f"{row['question']} {row['answer']}".lower().split()
        known.update(tuple(words[at : at + SIZE]) for at in range(len(words) - SIZE + 1))

    def found(text: str) -> int:
        words = text.lower().split()
        return sum(tuple(words[at : at + SIZE]) in known for at in range(len(words) - SIZE + 1))

    found(texts[0])
    start = time.thread_time()
    for text in texts:
        found(text)
    return time.thread_time() - start


def main() -> None:
    parser = figures.command_line("contamination", __doc__)
    parser.add_argument("--datatrove", type=Path, metavar="PYTHON", help="python of an environment with datatrove")
    parser.add_argument("--folder", type=Path, help="where indexes are kept; default: a new temporary folder")
    parser.add_argument("--rounds", type=int, default=3, help="the fastest one counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        pages = web_pages()["text"].combine_chunks()
        megabytes = megabytes_of(pages)
        speeds = own_speeds(pages, folder, options.rounds)
        items = index_of(folder / "0").items
        speeds["a Python set, all sets"] = megabytes / plain_set_seconds(pages.to_pylist(), items)
        if options.datatrove:
            few = pages.take(list(range(0, len(pages), 10)))
            files = [str(folder / name) for name in ("texts.parquet", "items.parquet")]
            pq.write_table(pa.table({"text": few}), files[0])
            pq.write_table(items.select(["question", "answer"]), files[1])
            peer = json.loads(environment.run(options.datatrove, "contamination.peer", *files).splitlines()[-1])
            speeds["datatrove, all sets"] = megabytes_of(few) / peer["seconds"]
    table = figures.empty_table(f"MB/s per core, {len(pages):,} pages of {megabytes:.1f} MB", "", "MB/s")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.2f}")
    Console().print(table)
    figures.write_json(speeds, options.json)


if __name__ == "__main__":
    main()
