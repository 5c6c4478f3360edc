"""How fast one core makes MinHash signatures, beside datasketch and datatrove on the same documents.

    python -m benchmarks.dedup.signatures                     seeded text of invented words
    python -m benchmarks.dedup.signatures FILE …              .warc, .jsonl or .parquet files, also .gz and .zst
    python -m benchmarks.dedup.signatures --shared            the true texts of the test data's web pages
    python -m benchmarks.dedup.signatures --datatrove .venv-datatrove/bin/python          and datatrove, in the same run

All make 112 hashes of 5-word shingles. datatrove splits words by spaCy, its default (`spacy`), and at whitespace
(`whitespace`). datasketch gets each document's shingles as bytes by `update_batch` and hashes them itself; `shingles in
Python` is the time to make them, which the other figure leaves out. datatrove's step is `get_shingles` and
`get_signature`, without writing files. Figures are CPU time of the fastest of `--repeats` rounds over all documents;
the peers make one round over the first `--peer-documents`.

In the JSON file: `documents`, `megabytes`, `bytes_per_document`, `hashes`, `shingle_words`, `speeds` (name ->
`megabytes_per_second`, `documents_per_second`; ours is `winnow`, its text to shingles alone `winnow, shingles`) and
`ratios` (name of a peer -> how many times as many MB/s ours makes).
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console

from benchmarks.figures import command_line, empty_table, fastest, write_json
from benchmarks.heuristics.texts import add_text_options, megabytes_of, texts_from
from benchmarks.parity import environment
from tests.support import SHARED

BATCH_ROWS = 1000
OURS = "winnow"
TRUTH = SHARED / "web" / "truth.jsonl.gz"

Speeds = dict[str, dict[str, float]]


def speed(texts: pa.Array, seconds: float) -> dict[str, float]:
    return {"megabytes_per_second": megabytes_of(texts) / seconds, "documents_per_second": len(texts) / seconds}


def ours(texts: pa.Array, repeats: int) -> Speeds:
    from curation.dedup.minhash import Minhash
    from curation.text.shingles import shingle_hashes

    method = Minhash()
    batches = pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS)
    parts = {OURS: method.sign, f"{OURS}, shingles": lambda batch: shingle_hashes(batch.column("text"), 5)}
    return {name: speed(texts, fastest(part, batches, repeats)) for name, part in parts.items()}


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
        printed = environment.run(python, "dedup.signatures_peer", file)
    by_words: dict[str, float] = json.loads(printed.splitlines()[-1])
    return {f"datatrove, {words}": speed(texts, seconds) for words, seconds in by_words.items()}


def ratios(speeds: Speeds) -> dict[str, float]:
    own = speeds[OURS]["megabytes_per_second"]
    return {name: own / peer["megabytes_per_second"] for name, peer in speeds.items() if not name.startswith(OURS)}


def show(figures: dict[str, Any]) -> None:
    title = (
        f"{figures['hashes']} hashes of {figures['shingle_words']}-word shingles, {figures['documents']:,} documents "
        f"of {figures['bytes_per_document']:,.0f} bytes, one core"
    )
    table = empty_table(title, "signatures", "MB/s", "documents/s", "ours, times as fast")
    for name, rates in figures["speeds"].items():
        times = figures["ratios"].get(name)
        cells = (f"{rates['megabytes_per_second']:,.2f}", f"{rates['documents_per_second']:,.0f}")
        table.add_row(name, *cells, f"{times:,.0f}" if times else "")
    Console(width=100).print(table)


def main() -> None:
    parser = command_line("dedup.signatures", __doc__)
    add_text_options(parser, repeats=5)
    parser.add_argument("--shared", action="store_true", help="sign the true texts of the test data")
    parser.add_argument("--peer-documents", type=int, default=200, help="documents that the peers sign")
    options = parser.parse_args()
    texts = texts_from(options.files or ([TRUTH] if options.shared else []), options)
    texts = texts.filter(pc.greater(pc.binary_length(texts), 0))
    some = texts[: options.peer_documents]
    speeds = {**ours(texts, options.repeats), **datasketch_speeds(some)}
    if options.datatrove:
        speeds |= datatrove_speeds(options.datatrove, some)
    size = megabytes_of(texts)
    figures = {
        "documents": len(texts),
        "megabytes": size,
        "bytes_per_document": 1e6 * size / len(texts),
        "hashes": 112,
        "shingle_words": 5,
        "speeds": speeds,
        "ratios": ratios(speeds),
    }
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
