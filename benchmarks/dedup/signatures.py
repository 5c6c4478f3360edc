"""How fast MinHash signatures are made on one core, beside datasketch's and datatrove's, of the same documents.

    python -m benchmarks.dedup.signatures                     seeded text of invented words
    python -m benchmarks.dedup.signatures FILE …              .warc, .jsonl or .parquet files, also .gz and .zst
    python -m benchmarks.dedup.signatures --shared            the true texts of the test data's web pages
    python -m benchmarks.dedup.signatures --datatrove .venv-datatrove/bin/python          and datatrove, in the same run

All make 112 hashes of 5-word shingles, words being ours or, of datatrove, as it comes (`spacy`) and split at whitespace
(`whitespace`). datasketch is given each document's shingles as bytes by `update_batch`, its own hash function and all;
`shingles in Python` is the time before that, which its figure leaves out. datatrove's step is `get_shingles` and
`get_signature`, without the writing of files. Figures are of the fastest of `--repeats` rounds over all documents, in
CPU time of the one thread that works; peers take the first `--peer-documents`, once.

In the JSON file: `documents`, `megabytes`, `bytes_per_document`, `hashes`, `shingle_words`, `speeds` (name ->
`megabytes_per_second`, `documents_per_second`; ours is `winnow`, its text to shingles alone `winnow, shingles`) and
`ratios` (name of a peer -> how many times as many MB/s ours makes).
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.heuristics.texts import ROOT, seeded_texts, texts_of
from benchmarks.parity.environment import required

BATCH_ROWS = 1000
OURS = "winnow"
TRUTH = ROOT.parent / "shared" / "data" / "web" / "truth.jsonl.gz"

Speeds = dict[str, dict[str, float]]


def speed(texts: pa.Array, seconds: float) -> dict[str, float]:
    size = pc.sum(pc.binary_length(texts)).as_py() / 1e6
    return {"megabytes_per_second": size / seconds, "documents_per_second": len(texts) / seconds}


def ours(texts: pa.Array, repeats: int) -> Speeds:
    from curation.dedup.minhash import Minhash
    from curation.text.shingles import shingle_hashes

    method = Minhash()
    batches = pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS)
    parts = {OURS: method.sign, f"{OURS}, shingles": lambda batch: shingle_hashes(batch.column("text"), 5)}
    best = dict.fromkeys(parts, float("inf"))
    for _ in range(repeats):
        for name, run in parts.items():
            start = time.thread_time()
            for batch in batches:
                run(batch)
            best[name] = min(best[name], time.thread_time() - start)
    return {name: speed(texts, seconds) for name, seconds in best.items()}


def datasketch_speeds(texts: pa.Array) -> Speeds:
    from datasketch import MinHash

    spent = {"datasketch, update_batch": 0.0, "datasketch, shingles in Python": 0.0}
    MinHash(num_perm=112).update_batch([b"warm", b"up"])
    for text in texts.to_pylist():
        start = time.thread_time()
        words = text.lower().split()
        shingles = [" ".join(words[k : k + 5]).encode() for k in range(max(1, len(words) - 4))]
        middle = time.thread_time()
        MinHash(num_perm=112).update_batch(shingles)
        spent["datasketch, update_batch"] += time.thread_time() - middle
        spent["datasketch, shingles in Python"] += middle - start
    return {name: speed(texts, seconds) for name, seconds in spent.items()}


def datatrove_speeds(python: Path, texts: pa.Array) -> Speeds:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.parquet")
        pq.write_table(pa.table({"text": texts}), file)
        command = [str(required(python)), "-m", "benchmarks.dedup.signatures_peer", str(file)]
        output = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    seconds: dict[str, float] = json.loads(output.splitlines()[-1])
    return {f"datatrove, {words}": speed(texts, one) for words, one in seconds.items()}


def ratios(speeds: Speeds) -> dict[str, float]:
    own = speeds[OURS]["megabytes_per_second"]
    return {name: own / one["megabytes_per_second"] for name, one in speeds.items() if not name.startswith(OURS)}


def given_texts(options: argparse.Namespace) -> Iterator[str]:
    if options.files or options.shared:
        return (text for text in texts_of(options.files or [TRUTH]) if text)
    return seeded_texts(options.documents, options.seed)


def show(figures: dict[str, Any]) -> None:
    title = (
        f"{figures['hashes']} hashes of {figures['shingle_words']}-word shingles, {figures['documents']:,} documents "
        f"of {figures['bytes_per_document']:,.0f} bytes, one core"
    )
    table = Table("signatures", title=title)
    for column in ("MB/s", "documents/s", "ours, times as fast"):
        table.add_column(column, justify="right")
    for name, one in figures["speeds"].items():
        times = figures["ratios"].get(name)
        cells = (f"{one['megabytes_per_second']:,.2f}", f"{one['documents_per_second']:,.0f}")
        table.add_row(name, *cells, f"{times:,.0f}" if times else "")
    Console(width=100).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="files of texts or pages")
    parser.add_argument("--shared", action="store_true", help="sign the true texts of the test data")
    parser.add_argument("--documents", type=int, default=2000, help="seeded texts, where no files are given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--datatrove", type=Path, metavar="PYTHON", help="python of an environment with datatrove")
    parser.add_argument("--peer-documents", type=int, default=200, help="documents that the peers sign")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    texts = pa.array(list(given_texts(options)), pa.large_string())
    some = texts[: options.peer_documents]
    speeds = {**ours(texts, options.repeats), **datasketch_speeds(some)}
    if options.datatrove:
        speeds |= datatrove_speeds(options.datatrove, some)
    size = pc.sum(pc.binary_length(texts)).as_py()
    figures = {
        "documents": len(texts),
        "megabytes": size / 1e6,
        "bytes_per_document": size / len(texts),
        "hashes": 112,
        "shingle_words": 5,
        "speeds": speeds,
        "ratios": ratios(speeds),
    }
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
