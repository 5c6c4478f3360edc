"""Prints how well our rule sets and datatrove's agree on the same texts, limit by limit, with every difference.

    python -m benchmarks.parity.environment                       once: sets up datatrove
    python -m benchmarks.parity [FILES …]                         .warc, .jsonl or .parquet, also .gz and .zst; globs
    python -m benchmarks.parity --json figures.json --documents 2000

Ours run in the variant `datatrove`. Both sides use the same word splitter, the same language model and datatrove's URL
lists. Our resiliparse reads archives. URLs are those of the documents and, because the lists name hardly any URL of a
crawl, made-up ones. `url_spellings` are spellings of listed URLs that datatrove does not recognize by design; only
their causes count. Verdicts are compared for each limit, whatever the others say, and for each rule set.

The target: each difference (of verdicts, of the remaining texts, and of signals by more than 1e-6) has a cause, and the
verdicts of a rule set differ on at most 1 % of the documents that either side drops. `language` reads only parts of a
text by design: its verdicts must be the same on 99.5 % of all documents. The exit status is 1 if the target is missed.

In the JSON file: `lines` with the fields of `compare.Agreement`, `same_verdict` and `share_of_dropped`; `differences`
with the fields of `compare.Difference`; and `missed`, the failures in words.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.figures import command_line, empty_table, write_json
from benchmarks.parity import addresses, environment, ours, texts
from benchmarks.parity.causes import UNEXPLAINED
from benchmarks.parity.compare import Agreement, Difference, causes_of, compare
from curation.models.fasttext.classifier import EMBEDDED, locate

OF_LANGUAGE = ("language", "language_english")
ON_TEXTS = ("gopher_quality", "gopher_repetition", "c4_quality", "c4_fineweb", "fineweb_quality", *OF_LANGUAGE)
ON_URLS = ("url_blocklist", "url_spellings")
MAX_DIFFERENT = 0.01  # of the documents that either side drops
MIN_SAME_LANGUAGE = 0.995  # of all documents
HELD_TO_TARGET = (*(name for name in ON_TEXTS if name not in OF_LANGUAGE), "url_blocklist")

Comparison = tuple[list[Agreement], list[Difference]]


def both(python: Path, documents: pa.Table, names: Sequence[str], folder: Path, processes: int) -> Comparison:
    texts_file = folder / "texts.parquet"
    verdicts = folder / "verdicts.parquet"
    pq.write_table(documents, texts_file)
    options = ("--filters", ",".join(names), "--model", locate(EMBEDDED), "--processes", processes)
    environment.run(python, "parity.child", texts_file, verdicts, *options, cache=folder)
    theirs = pq.read_table(verdicts)
    judged = ours.judge_all(names, documents, folder)
    pairs = [compare(name, documents, theirs, judged[name]) for name in names]
    return [line for lines, _ in pairs for line in lines], [row for _, rows in pairs for row in rows]


def run(python: Path, patterns: Sequence[str], limit: int | None, only: Sequence[str], processes: int) -> Comparison:
    documents = texts.read(patterns, limit)
    lines = []
    differences = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [([rule_set for rule_set in ON_TEXTS if rule_set in only], documents, processes)]
        if set(ON_URLS) & set(only):
            environment.run(python, "parity.lists", folder, cache=folder)
            real = [url for url in documents.column("url").to_pylist() if url]
            urls = {
                "url_blocklist": addresses.table([*real, *addresses.plain(folder).column("url").to_pylist()]),
                "url_spellings": addresses.odd(folder),
            }
            # One process, because the lists take much memory.
            parts += [([rule_set], urls[rule_set], 1) for rule_set in ON_URLS if rule_set in only]
        for names, table, workers in parts:
            if names:
                more_lines, more_differences = both(python, table, names, folder, workers)
                lines += more_lines
                differences += more_differences
    return lines, differences


def missed(lines: Sequence[Agreement], differences: Sequence[Difference]) -> list[str]:
    """What misses the target, in words."""
    shares = [
        f"{line.name}: verdicts differ on {line.share_of_dropped:.1%} of what either side drops"
        for line in lines
        if line.name in HELD_TO_TARGET and line.share_of_dropped > MAX_DIFFERENT
    ]
    shares += [
        f"{line.name}: verdicts are the same on {line.same_verdict:.2%} of the documents"
        for line in lines
        if line.name in OF_LANGUAGE and line.same_verdict < MIN_SAME_LANGUAGE
    ]
    unexplained = causes_of([row for row in differences if row.cause == UNEXPLAINED])
    return shares + [f"{name}: {total} differences not explained" for name, _, total, _ in unexplained]


def show(lines: Sequence[Agreement], title: str) -> Table:
    counted = ("documents", "dropped: datatrove", "ours", "verdicts differ")
    table = empty_table(title, "limit", *counted, "of dropped", "same", "max |Δ|", "Δ > 1e-6")
    for line in lines:
        counts = [line.documents, line.dropped_by_datatrove, line.dropped_by_us, line.disagreements]
        apart = "" if line.largest_difference is None else f"{line.largest_difference:.1e}"
        cells = [*(f"{n:,}" for n in counts), f"{line.share_of_dropped:.2%}", f"{line.same_verdict:.2%}", apart]
        style = "bold" if line.is_rule_set else None
        table.add_row(line.name, *cells, str(line.signals_that_differ or ""), style=style)
    return table


def show_causes(differences: Sequence[Difference]) -> Table:
    table = Table(title="why they differ", title_justify="left")
    for name in ("limit", "cause"):
        table.add_column(name, overflow="fold")
    for name in ("differences", "of them verdicts"):
        table.add_column(name, justify="right")
    for name, why, total, verdicts in causes_of(differences):
        table.add_row(name, why, f"{total:,}", f"{verdicts:,}")
    return table


def show_differences(differences: Sequence[Difference]) -> Table:
    table = Table(title="every verdict that differs", title_justify="left")
    for name in ("limit", "document", "datatrove", "ours", "cause"):
        table.add_column(name, overflow="fold")
    for row in differences:
        if row.verdicts_differ:
            table.add_row(row.name, row.url or row.doc_id[:12], row.datatrove, row.ours, row.cause)
    return table


def main() -> None:
    parser = command_line("parity", __doc__)
    parser.add_argument("files", nargs="*", help="default: the test data beside this checkout")
    parser.add_argument("--python", type=Path, default=environment.python_of(environment.FOLDER), help="of datatrove")
    parser.add_argument("--documents", type=int, help="so many of the texts, evenly spread; default: all")
    parser.add_argument("--only", default=",".join((*ON_TEXTS, *ON_URLS)), help="rule sets, separated by commas")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="for datatrove")
    options = parser.parse_args()
    python = environment.required(options.python)
    files = options.files or texts.default_paths()
    lines, differences = run(python, files, options.documents, options.only.split(","), options.processes)
    console = Console(width=150)
    console.print(show(lines, "datatrove's verdicts and ours"))
    if differences:
        console.print(show_causes(differences), show_differences(differences))
    misses = missed(lines, differences)
    console.print("\n".join(misses) or "everything is within the target")
    write_json(figures(lines, differences, misses), options.json)
    sys.exit(bool(misses))


def figures(lines: Sequence[Agreement], differences: Sequence[Difference], misses: Sequence[str]) -> dict[str, Any]:
    ratios = ("same_verdict", "share_of_dropped")
    return {
        "lines": [asdict(line) | {name: getattr(line, name) for name in ratios} for line in lines],
        "differences": [asdict(row) for row in differences],
        "missed": misses,
    }


if __name__ == "__main__":
    main()
