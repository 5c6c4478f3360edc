"""How fast the published text rules are on one core, in MB of UTF-8 per second, beside datatrove and memory bandwidth.

    python -m benchmarks.heuristics                          seeded text of invented words
    python -m benchmarks.heuristics FILE …                   .warc, .jsonl or .parquet files, also .gz and .zst
    python -m benchmarks.heuristics --shared                 the test data beside this checkout
    python -m benchmarks.heuristics --datatrove .venv-datatrove/bin/python      and datatrove, in the same run

`together` is one stage with all four rule sets and their verdicts, which share measures; `with_c4_lines` also runs C4's
line rules, as datatrove's C4 filter does. Passes are the steps of the rule sets. Figures are CPU time of the fastest of
`--repeats` rounds. datatrove judges `--peer-megabytes` of the same texts, with our words (`whitespace`) and with its
default ones (`spacy`).

In the JSON file: `documents`, `megabytes`, `seconds_to_import`, `memory` (`read` and `copy`: MB/s of memory that is
only read or copied), `share_of_memory` (speed of `together` as a share of `read`), `parts` and `passes` (name -> MB/s;
parts with a variant are called `<variant>/<part>`), `datatrove` (words -> part -> MB/s) and `ratios` (words -> part ->
how many times as fast ours is in the variant `datatrove`; for `together`, ours `with_c4_lines`).
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.heuristics.texts import add_text_options, megabytes_of, peer_speeds, spread_over, texts_from

BATCH_ROWS = 1000
VARIANTS = ("paper", "datatrove")
TOGETHER = "together"
LINES = "with_c4_lines"

Run = Callable[[pa.RecordBatch], object]
Speeds = dict[str, float]
Stage = list[tuple[str, Any]]


def parts() -> dict[str, Run]:
    from curation.dedup.exact import Exact
    from curation.filters.language import Language
    from curation.text.kernels.hashing import hash128
    from curation.text.normalize import normalized

    return {
        **{f"{variant}/{name}": run for variant in VARIANTS for name, run in rule_sets(variant).items()},
        "language": Language().measure,
        "normalized": lambda batch: normalized(batch.column("text")),
        "hash128": lambda batch: hash128(batch.column("text")),
        "exact": Exact().keys,
    }


def rule_sets(variant: Any) -> dict[str, Run]:
    """The four rule sets each alone, and all of them as a stage."""
    from curation.engine.apply import judge, rewrite
    from curation.filters.c4_quality import C4Quality
    from curation.filters.fineweb_quality import FinewebQuality
    from curation.filters.gopher_quality import GopherQuality
    from curation.filters.gopher_repetition import GopherRepetition
    from curation.rewrite.c4_lines import C4Lines

    gopher: Stage = [
        ("gopher_quality", GopherQuality(variant=variant)),
        ("gopher_repetition", GopherRepetition(variant=variant)),
    ]
    others: Stage = [("c4_quality", C4Quality(variant=variant)), ("fineweb_quality", FinewebQuality(variant=variant))]
    lines = [("c4_lines", C4Lines(variant=variant))]
    return {
        **{key: rule_set.measure for key, rule_set in [*gopher, *others]},
        TOGETHER: lambda batch: judge([*gopher, *others], batch),
        LINES: lambda batch: judge(others, rewrite(lines, judge(gopher, batch))),
    }


def passes() -> dict[str, Run]:
    """What takes time in the rule sets of the variant `paper`."""
    from curation.text.counts import count_words
    from curation.text.ngrams import count_ngrams
    from curation.text.phrases.occurrences import count_phrases
    from curation.text.repeats import count_repeats
    from curation.text.sentences import sentence_spans
    from curation.text.sizes import count_newlines
    from curation.text.spans import line_spans, word_spans

    def over_text(measure: Callable[[pa.Array], object]) -> Run:
        return lambda batch: measure(batch.column("text"))

    return {
        "find one byte": over_text(count_newlines),
        "find a phrase": over_text(lambda text: count_phrases(text, ("lorem ipsum",), any_case=True)),
        "lines": over_text(line_spans),
        "repeated lines": over_text(lambda text: count_repeats(line_spans(text))),
        "sentences": over_text(sentence_spans),
        "words": over_text(word_spans),
        "words, letters and stop words": over_text(count_words),
        "words and their n-grams": over_text(count_ngrams),
    }


def memory_speeds(repeats: int) -> Speeds:
    """MB per second of 256 MB that one thread reads, and copies from one place to another."""
    source = np.ones(1 << 25, np.uint64)
    target = np.empty_like(source)
    runs: Mapping[str, Run] = {"read": lambda _: source.max(), "copy": lambda _: np.copyto(target, source)}
    nothing = [pa.record_batch({"text": pa.array([""])})]
    return {name: source.nbytes / 1e6 / fastest(run, nothing, repeats) for name, run in runs.items()}


def measure(texts: pa.Array, repeats: int) -> dict[str, Any]:
    start = time.perf_counter()
    every = parts()
    each_pass = passes()
    seconds_to_import = time.perf_counter() - start
    table = pa.table({"text": texts, "drop_reason": pa.nulls(len(texts), pa.string())})
    batches = table.to_batches(max_chunksize=BATCH_ROWS)
    megabytes = megabytes_of(texts)
    memory = memory_speeds(repeats)
    speeds = {name: megabytes / fastest(run, batches, repeats) for name, run in every.items()}
    return {
        "documents": len(texts),
        "megabytes": megabytes,
        "seconds_to_import": seconds_to_import,
        "memory": memory,
        "share_of_memory": {variant: speeds[f"{variant}/{TOGETHER}"] / memory["read"] for variant in VARIANTS},
        "parts": speeds,
        "passes": {name: megabytes / fastest(run, batches, repeats) for name, run in each_pass.items()},
    }


def ratios(ours: Speeds, theirs: Mapping[str, Speeds]) -> dict[str, Speeds]:
    """Words -> part -> ours in the variant `datatrove` over theirs."""
    own = {name: ours[f"datatrove/{name}"] for name in rule_sets("datatrove")}
    own[TOGETHER] = own[LINES]
    return {words: {name: own[name] / speed for name, speed in speeds.items()} for words, speeds in theirs.items()}


def show(figures: dict[str, Any]) -> None:
    console = Console(width=120)
    memory = figures["memory"]
    console.print(_parts(figures))
    console.print(_speeds("what they are made of (variant paper)", figures["passes"], memory["read"]))
    shares = ", ".join(f"{100 * share:.2f} % ({variant})" for variant, share in figures["share_of_memory"].items())
    console.print(
        f"memory, one thread: {memory['read']:,.0f} MB/s read, {memory['copy']:,.0f} MB/s copied; "
        f"together: {shares} of what can be read"
    )


def _parts(figures: dict[str, Any]) -> Table:
    title = f"{figures['documents']:,} documents, {figures['megabytes']:.1f} MB, one core"
    peers = figures.get("datatrove", {})
    of_peers = [column for words in peers for column in (f"datatrove, {words}", "times")]
    table = empty_table(title, "part", "MB/s", "documents/s", *of_peers)
    for name, speed in figures["parts"].items():
        cells = [f"{speed:,.1f}", f"{speed * figures['documents'] / figures['megabytes']:,.0f}"]
        variant, _, part = name.partition("/")
        compared = {LINES: TOGETHER, TOGETHER: ""}.get(part, part)
        for words, theirs in peers.items():
            known = variant == "datatrove" and compared in theirs
            ratio = figures["ratios"][words][compared] if known else 0
            cells += [f"{theirs[compared]:.3f}", f"{ratio:,.0f}"] if known else ["", ""]
        table.add_row(name, *cells)
    return table


def _speeds(title: str, speeds: dict[str, float], read: float) -> Table:
    table = empty_table(title, "pass", "MB/s", "ms per MB", "of memory read")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{1e3 / speed:.2f}", f"{100 * speed / read:.1f} %")
    return table


def main() -> None:
    parser = command_line("heuristics", __doc__)
    add_text_options(parser, repeats=3)
    parser.add_argument("--shared", action="store_true", help="judge the test data")
    parser.add_argument("--megabytes", type=float, help="judge about this much, in documents spread evenly over all")
    parser.add_argument("--peer-megabytes", type=float, default=1.0, help="text that datatrove judges")
    options = parser.parse_args()
    files = options.files
    if options.shared:
        from benchmarks.parity.texts import default_paths

        files = default_paths()
    texts = texts_from(files, options)
    if options.megabytes:
        texts = spread_over(texts, options.megabytes)
    figures = measure(texts, options.repeats)
    if options.datatrove:
        figures["datatrove"] = peer_speeds(options.datatrove, texts, options.peer_megabytes)
        figures["ratios"] = ratios(figures["parts"], figures["datatrove"])
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
