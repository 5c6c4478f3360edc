"""The fit and the filter `dsir` beside the `data-selection` package: the same weights, and the speed of each.

    python -m benchmarks.dsir                      target: encyclopedia; raw text: all test texts and web pages
    python -m benchmarks.dsir --json figures.json  also write the figures

Speed is in CPU time of the one thread that works: ours the fastest of `--repeats` rounds over all documents, the
package one round over `--peer` of them, in one process, with its own SHA-256 hashes. Then the package is given our
hash, fitted on those documents and asked for their weights again. Two letters are in lower case before, İ and Σ, which Python
lowers by what stands beside them or to two characters. In the JSON file: `documents`, `megabytes`,
`fit_documents_per_second` and `score_documents_per_second` of ours, the same with `peer_` before, their ratios
`fit_ratio` and `score_ratio`, `megabytes_per_second` scored, `largest_weight` and `largest_difference` (in nats) from
the package.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from benchmarks.figures import show
from benchmarks.parity.texts import default_paths, read
from curation.fit.dsir import Dsir
from curation.models.dsir.importance import Importance, parse
from tests.curation.models.dsir.peer import package_scores
from tests.support import SHARED

BATCH_ROWS = 1000
LOWERED = str.maketrans("İΣ", "iσ")


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def batches(texts: pa.Array, label: str) -> list[pa.RecordBatch]:
    table = pa.table({"text": texts, "label": pa.array([label] * len(texts), pa.string())})
    return list(table.to_batches(max_chunksize=BATCH_ROWS))


def fitted(target: pa.Array, raw: pa.Array) -> bytes:
    fit = Dsir(target="-")
    counted = fit.count(iter([*batches(target, "target"), *batches(raw, "raw")]))
    return fit.finish([fit.merge(counted)])[fit.asset]


def scored(model: bytes, texts: pa.Array) -> Any:
    importance = Importance(parse(model))
    return np.concatenate([importance.log_weights(batch["text"])[0] for batch in batches(texts, "raw")])


def peer(folder: Path, target: list[str], raw: list[str]) -> dict[str, float]:
    """Documents per second of the package, and how far its weights are from ours where it has our hash."""
    from data_selection import HashedNgramDSIR

    for name, texts in (("target", target), ("raw", raw)):
        (folder / name).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    with redirect_stderr(StringIO()):  # its progress bars
        package = HashedNgramDSIR([str(folder / "raw")], [str(folder / "target")], str(folder / "cache"), num_proc=1)
        fit_seconds = timed(lambda: package.fit_importance_estimator(num_tokens_to_fit="all"))[1]
        score = timed(lambda: [package.importance_estimator(package.featurizer(text)) for text in raw])[1]
        with pytest.MonkeyPatch.context() as patch:
            theirs = package_scores(patch, folder, str(folder / "target"), str(folder / "raw"), raw)
    ours = scored(fitted(pa.array(target, pa.large_string()), pa.array(raw, pa.large_string())), pa.array(raw))
    return {
        "peer_fit_documents_per_second": (len(target) + len(raw)) / fit_seconds,
        "peer_score_documents_per_second": len(raw) / score,
        "largest_weight": float(np.abs(theirs).max()),
        "largest_difference": float(np.abs(ours - theirs).max()),
    }


def measure(target: pa.Array, raw: pa.Array, documents: int, repeats: int) -> dict[str, float]:
    model = fitted(target, raw)
    fit_seconds = min(timed(lambda: fitted(target, raw))[1] for _ in range(repeats))
    seconds = min(timed(lambda: scored(model, raw))[1] for _ in range(repeats))
    sample = random.Random(0)
    few = [
        [text.translate(LOWERED) for text in sample.sample(texts.to_pylist(), min(documents, len(texts)))]
        for texts in (target, raw)
    ]
    with tempfile.TemporaryDirectory() as folder:
        theirs = peer(Path(folder), *few)
    megabytes = pc.sum(pc.binary_length(raw)).as_py() / 1e6
    ours = {
        "documents": len(raw),
        "megabytes": megabytes,
        "fit_documents_per_second": (len(target) + len(raw)) / fit_seconds,
        "score_documents_per_second": len(raw) / seconds,
        "megabytes_per_second": megabytes / seconds,
    }
    steps = ("fit", "score")
    rates = {
        f"{step}_ratio": ours[f"{step}_documents_per_second"] / theirs[f"peer_{step}_documents_per_second"]
        for step in steps
    }
    return ours | theirs | rates


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dsir", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--peer", type=int, default=200, help="documents of each side for the package")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    target = read((str(SHARED / "text" / "encyclopedia*"),), None)["text"].combine_chunks()
    raw = read(default_paths(), None)["text"].combine_chunks()
    figures = measure(target, raw, options.peer, options.repeats)
    show(figures, title="dsir beside data-selection, one core", path=options.json, digits=7)


if __name__ == "__main__":
    main()
