"""How fast the rewriters are on one core, in MB of UTF-8 and documents per second, beside their peers.

    python -m benchmarks.heuristics.rewriters                                      seeded pages of invented words
    python -m benchmarks.heuristics.rewriters FILES …                       .warc, .jsonl or .parquet, also .gz and .zst
    python -m benchmarks.parity.environment                             once: sets up datatrove
    python -m benchmarks.heuristics.rewriters --datatrove .venv-datatrove/bin/python --json figures.json

The peers see the same texts in the same run. The peer of `c4_lines` is datatrove's C4 filter with only its rules on
lines, in the environment whose Python is given; that of `unicode` is ftfy's `fix_text` with its default options, one
document after the other. Figures are CPU time of the fastest of `--repeats` rounds; a peer has one round.

In the JSON file: `documents`, `megabytes`, `parts` (for each rewriter and peer `seconds`, `megabytes_per_second` and
`documents_per_second`), `ratios` (for each rewriter with a peer, how many times as fast it is) and, with datatrove,
`same_text`, the fraction of documents in which `c4_lines` in the variant `datatrove` leaves the same text.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.heuristics.texts import add_text_options, seeded_texts, texts_of
from benchmarks.parity import environment

BATCH_ROWS = 1000
PEERS = {"c4_lines": "datatrove", "c4_lines (datatrove)": "datatrove", "unicode": "ftfy"}
ODD_LINES = (  # a page's frame, and what a careless program leaves in a text
    *("3 likes", "HOME NEWS CONTACT", "the story so far read more...", "We use cookies on this page.", "2024", ""),
    *(
        "It is so. [1][citation needed]",
        "“Quoted” — and naïve…",
        "voilÃ  le rÃ©sumÃ©",
        "cafe\u0301 au lait\r",
        "中文。",
    ),
)


def seeded_pages(documents: int, seed: int) -> Iterator[str]:
    """The seeded texts, with one of ODD_LINES after every fifth line on average."""
    draw = random.Random(seed)
    for text in seeded_texts(documents, seed):
        lines = (f"{line}\n{draw.choice(ODD_LINES)}" if draw.random() < 0.2 else line for line in text.split("\n"))
        yield "\n".join(lines)


def rewriters() -> dict[str, Callable[[pa.RecordBatch], Any]]:
    from curation.rewrite.c4_lines import C4Lines
    from curation.rewrite.refinedweb_lines import RefinedwebLines
    from curation.rewrite.unicode import Unicode

    return {
        "c4_lines": C4Lines().rewrite,
        "c4_lines (datatrove)": C4Lines(variant="datatrove").rewrite,
        "refinedweb_lines": RefinedwebLines().rewrite,
        "unicode": Unicode().rewrite,
        "unicode (straight)": Unicode(form="NFKC", straight_punctuation=True).rewrite,
    }


def ftfy_seconds(texts: Sequence[str]) -> float:
    from ftfy import fix_text

    start = time.thread_time()
    for text in texts:
        fix_text(text)
    return time.thread_time() - start


def datatrove_seconds(python: Path, texts: Sequence[str]) -> tuple[float, list[str]]:
    """CPU seconds of datatrove's C4 filter, and what it leaves of each text."""
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder, "before.parquet")
        after = Path(folder, "after.parquet")
        pq.write_table(pa.table({"text": pa.array(texts, pa.large_string())}), before)
        printed = environment.run(python, "heuristics.rewriters", "--peer", before, after)
        return float(printed.split()[-1]), pq.read_table(after)["text"].to_pylist()


def run_datatrove(before: Path, after: Path) -> None:
    """Runs in datatrove's environment: prints CPU seconds, writes what is left of the texts."""
    from datatrove.data import Document
    from datatrove.pipeline.filters import C4QualityFilter

    rules = C4QualityFilter(min_num_sentences=-1, filter_lorem_ipsum=False, filter_curly_bracket=False)
    documents = [Document(text, "") for text in pq.read_table(before)["text"].to_pylist()]
    start = time.thread_time()
    for document in documents:
        rules.filter(document)
    seconds = time.thread_time() - start
    pq.write_table(pa.table({"text": pa.array([document.text for document in documents], pa.large_string())}), after)
    print(seconds)


def measure(texts: Sequence[str], repeats: int, datatrove: Path | None) -> dict[str, Any]:
    parts = rewriters()
    batches = pa.table({"text": pa.array(texts, pa.large_string())}).to_batches(max_chunksize=BATCH_ROWS)
    seconds = {name: fastest(part, batches, repeats) for name, part in parts.items()}
    seconds["ftfy"] = ftfy_seconds(texts)
    same_text: dict[str, float] = {}
    if datatrove:
        seconds["datatrove"], left = datatrove_seconds(datatrove, texts)
        ours = [text for batch in batches for text in parts["c4_lines (datatrove)"](batch)[0].to_pylist()]
        same_text["same_text"] = sum(a == b for a, b in zip(ours, left, strict=True)) / len(texts)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    return {
        "documents": len(texts),
        "megabytes": megabytes,
        "parts": {
            name: {
                "seconds": spent,
                "megabytes_per_second": megabytes / spent,
                "documents_per_second": len(texts) / spent,
            }
            for name, spent in seconds.items()
        },
        "ratios": {name: seconds[peer] / seconds[name] for name, peer in PEERS.items() if peer in seconds},
        **same_text,
    }


def show(figures: dict[str, Any]) -> None:
    title = f"{figures['documents']:,} documents, {figures['megabytes']:.1f} MB, one core"
    table = empty_table(title, "part", "MB/s", "documents/s", "times its peer")
    for name, part in figures["parts"].items():
        ratio = f"{figures['ratios'][name]:,.0f} × {PEERS[name]}" if name in figures["ratios"] else ""
        table.add_row(name, f"{part['megabytes_per_second']:.1f}", f"{part['documents_per_second']:,.0f}", ratio)
    console = Console()
    console.print(table)
    if "same_text" in figures:
        console.print(
            f"same text as datatrove leaves: {100 * figures['same_text']:.2f} % of documents", highlight=False
        )


def main() -> None:
    parser = command_line("heuristics.rewriters", __doc__)
    add_text_options(parser, repeats=5)
    options = parser.parse_args()
    texts = texts_of(options.files) if options.files else list(seeded_pages(options.documents, options.seed))
    figures = measure(texts, options.repeats, options.datatrove)
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        run_datatrove(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
