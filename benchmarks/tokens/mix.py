"""Speed of a mix: from sealed packs to an index, for rows without and with padding. No tokens are read.

Made-up index files of ten sources (2,048 tokens a row, about three documents each, 10,000 rows a file) are mixed with
weights, two epochs of the heaviest source and two phases, which together use four fifths of the rows. Seconds are CPU
time, the kernel's included. Memory is the peak growth of the process; each size has a process of its own. The error
is the worst of any source in any phase, from its target; below 1. `locate` and `positions` are of the order of the
mixed rows, a row each.
"""

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.case import Figures
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.mixing.mix_order import MixOrder
from curation.tokens.mixing.phases import Phase
from curation.tokens.token_files import PADDING_BIT, index_header

SOURCES = 10
LENGTH = 2048
FILE_ROWS = 10_000
METHODS = ("concat", "best_fit")
LOOKUPS = 20_000


def write_pack(folder: Path, rows: int, method: str) -> dict[str, Any]:
    """Index files of `rows` rows and the section `tokens` that a manifest would have."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    names = [f"source{number}" for number in range(SOURCES)]
    sources = {name: {"train": {"rows": 0}} for name in names}
    parts: list[dict[str, Any]] = []
    for number in range(0, rows, FILE_ROWS):
        name = names[number // FILE_ROWS % SOURCES]
        count = min(FILE_ROWS, rows - number)
        parts.append({"name": f"tokens-{len(parts):05d}", "source": name, "split": "train", "rows": count})
        sources[name]["train"]["rows"] += count
        cuts = np.sort(rng.integers(1, LENGTH, (count, 3)), axis=1)
        lengths = np.diff(cuts, axis=1, prepend=0, append=LENGTH + 1).astype(np.uint32)
        padded = rng.random(count) < (0.0 if method == "concat" else 0.5)
        parts[-1]["padding"] = int(lengths[padded, 3].sum())
        lengths[padded, 3] |= np.uint32(PADDING_BIT)
        header = index_header(count, lengths.size, item_bytes=4, row_tokens=LENGTH + 1)
        offsets = np.arange(0, lengths.size + 1, 4, "<u8")
        content = header + offsets.tobytes() + lengths.astype("<u4").tobytes()
        (folder / f"{parts[-1]['name']}.idx").write_bytes(content)
    head = {"dtype": "uint32", "vocabulary": 100_000, "end_of_text": 0, "padding": 1, "row_tokens": LENGTH + 1}
    tokenizer = {"file": "tokenizer.json", "blake2b": "0"}
    return {**head, "tokenizer": tokenizer, "method": method, "sources": sources, "parts": parts}


def recipe(rows: int, method: str) -> Mix:
    """Weights from 1 to 10, so that the heaviest source needs its second epoch; a phase of a tenth at the end."""
    weights = {f"source{number}": float(number + 1) for number in range(SOURCES)}
    anneal = Phase(name="anneal", share=0.1, weights={**dict.fromkeys(weights, 0.0), "source0": 1.0, "source1": 1.0})
    tokens = int(0.8 * rows * LENGTH * (1.0 if method == "concat" else 0.9))
    return Mix(weights=weights, tokens=tokens, max_epochs=2, phases=(Phase(name="main", share=0.9), anneal))


def measure(task: tuple[int, str]) -> dict[str, float]:
    """In a process of its own."""
    rows, method = task
    with tempfile.TemporaryDirectory() as name:
        section = write_pack(Path(name) / "01-pack", rows, method)
        mix = recipe(rows, method)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.process_time()
        index = mix.build([("01-pack", section)], folder=name)
        content = index_bytes(index)
        seconds = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    worst = max(abs(line["tokens"] - line["target_tokens"]) for line in json.loads(content)["report"]) / LENGTH
    figures = {"s": seconds, "peak MB": peak / 1024, "worst error, rows": worst}
    return figures if method == "concat" else figures | measure_order(index, section)


def measure_order(index: dict[str, Any], section: dict[str, Any]) -> dict[str, float]:
    of = [[part["rows"] for part in section["parts"] if part["source"] == leaf["source"]] for leaf in index["leaves"]]
    files = [count for counts in of for count in counts]
    table = MixOrder(index, np.cumsum([0, *files]))
    started = time.process_time()
    places = table.locate(table.rows // 2, LOOKUPS).T.tolist()
    located = time.process_time()
    for file, row in places:
        table.positions(file, row)
    ended = time.process_time()
    return {
        "locate, us": (located - started) / LOOKUPS * 1e6,
        "positions, us": (ended - located) / LOOKUPS * 1e6,
    }


def run(options: argparse.Namespace) -> Iterator[Figures]:
    tasks = [(rows, method) for rows in options.rows for method in METHODS]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        found = list(pool.imap(measure, tasks, chunksize=1))
    yield Figures(
        "a mix: one process, one core",
        {f"{method}, {rows:,} rows": row for (rows, method), row in zip(tasks, found, strict=True)},
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000], help="rows to mix from")
