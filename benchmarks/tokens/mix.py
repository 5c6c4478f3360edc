"""Speed of a mix: from sealed packs to an index, for rows without and with padding. No tokens are read.

    python -m benchmarks.tokens.mix [--rows 1000000 10000000] [--json FILE]

Made-up index files of ten sources (2,048 tokens a row, about three documents each, 10,000 rows a file) are mixed with
weights, two epochs of the heaviest source and two phases, which together use four fifths of the rows. Seconds are CPU
time, the kernel's included. Memory is the peak growth of the process; each size has a process of its own. Figures in
the JSON file, by name, for every number of rows: `<method>_<rows>_seconds`, `<method>_<rows>_peak_mb`,
`<method>_<rows>_worst_error_rows` (of any source in any phase, from its target; below 1) and, for the order of the
mixed rows, `locate_<rows>_microseconds` and `positions_<rows>_microseconds` (a row each).
"""

import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import command_line, show
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.mixing.mix_order import MixOrder
from curation.tokens.mixing.phases import Phase
from curation.tokens.token_files import PADDING_BIT, index_header

SOURCES = 10
LENGTH = 2048
FILE_ROWS = 10_000
METHODS = ("concat", "best_fit")
LOOKUPS = 20_000
Figures = dict[str, float]


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


def measure(task: tuple[int, str]) -> Figures:
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
    key = f"{method}_{rows}"
    figures = {f"{key}_seconds": seconds, f"{key}_peak_mb": peak / 1024, f"{key}_worst_error_rows": worst}
    return figures if method == "concat" else figures | measure_order(index, section, rows)


def measure_order(index: dict[str, Any], section: dict[str, Any], rows: int) -> Figures:
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
        f"locate_{rows}_microseconds": (located - started) / LOOKUPS * 1e6,
        f"positions_{rows}_microseconds": (ended - located) / LOOKUPS * 1e6,
    }


def main() -> None:
    parser = command_line("tokens.mix", __doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000], help="rows to mix from")
    arguments = parser.parse_args()
    figures: Figures = {}
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for more in pool.imap(measure, [(rows, method) for rows in arguments.rows for method in METHODS], chunksize=1):
            figures |= more
    show(figures, title="mix: one process, one core", path=arguments.json, digits=3)


if __name__ == "__main__":
    main()
