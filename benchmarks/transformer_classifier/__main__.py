"""The filter `transformer_classifier` beside the pipeline of `transformers`: scores, and the speed on this device.

    python -m benchmarks.transformer_classifier                      a BERT of 6 layers and 384 numbers, random weights
    python -m benchmarks.transformer_classifier --model FOLDER       any classifier
    python -m benchmarks.transformer_classifier --gpu                on the GPU, in bfloat16 (both sides)
    python -m benchmarks.transformer_classifier --json figures.json  also write the figures

Documents are test texts, spread evenly, cut to 512 tokens. On a processor both sides run on one thread; the pipeline
runs them one by one and in batches of 16, in the order in which they come. Speed is in seconds of the clock. In the
JSON file: `device`, `documents`, `tokens` read; `documents_per_second`, `tokens_per_second`, for the pipeline
`pipeline_documents_per_second` and the same with `_of_16`; `ratio` to the faster of them; `largest_difference` of
scores from the pipeline's one by one, `pipeline_largest_difference` of its scores in batches from those one by one.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
import transformers
from rich.console import Console

from benchmarks.parity.texts import default_paths, read
from curation.models.sequence_classifier.folder import opened
from curation.models.sequence_classifier.scoring import SequenceScorer
from tests.curation.models.sequence_classifier.tiny import save, tokenizer_of

TOKENS = 512
MINI = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}


def mini(folder: Path, texts: pa.Array) -> str:
    """A classifier of the size of FineWeb-Edu's smaller kin, with a tokenizer of 30,000 pieces of these texts."""
    size = tokenizer_of(folder, texts.to_pylist(), vocab_size=30_000)
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=size, num_labels=1, problem_type="regression", **MINI)
    save(transformers.BertForSequenceClassification(config), folder)
    return str(folder)


def of_pipeline(model: str, texts: list[str], batch: int, *, gpu: bool) -> tuple[Any, float]:
    """float64[N] scores of the first label, and documents per second."""
    kind = torch.bfloat16 if gpu else torch.float32
    pipeline: Any = transformers.pipeline(
        "text-classification", model, device="cuda" if gpu else "cpu", dtype=kind, top_k=None
    )
    pipeline(texts[:2], truncation=True)
    first = opened(model).labels[0]
    start = time.perf_counter()
    results = list(pipeline(texts, truncation=True, max_length=TOKENS, batch_size=batch))
    seconds = time.perf_counter() - start
    scores = [next(one["score"] for one in result if one["label"] == first) for result in results]
    return np.array(scores), len(texts) / seconds


def measure(model: str, texts: pa.Array, *, gpu: bool) -> dict[str, float | str]:
    scorer = SequenceScorer(opened(model), gpu=gpu)
    scorer.outputs(texts.slice(0, 2), TOKENS)
    before = scorer.tokens
    start = time.perf_counter()
    outputs = scorer.outputs(texts, TOKENS)[:, 0]
    seconds = time.perf_counter() - start
    torch.set_num_threads(1)
    alone, single = of_pipeline(model, texts.to_pylist(), 1, gpu=gpu)
    batched, sixteen = of_pipeline(model, texts.to_pylist(), 16, gpu=gpu)
    return {
        "device": torch.cuda.get_device_name() if gpu else "one core",
        "documents": len(texts),
        "tokens": scorer.tokens - before,
        "documents_per_second": len(texts) / seconds,
        "tokens_per_second": (scorer.tokens - before) / seconds,
        "pipeline_documents_per_second": single,
        "pipeline_documents_per_second_of_16": sixteen,
        "ratio": len(texts) / seconds / max(single, sixteen),
        "largest_difference": float(np.abs(outputs - alone).max()),
        "pipeline_largest_difference": float(np.abs(batched - alone).max()),
    }


def main() -> None:
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transformer_classifier", description=summary)
    parser.add_argument("--model", help="folder of a classifier; none: one with random weights is made")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    texts = read(default_paths(), options.documents)["text"].combine_chunks()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.model or mini(Path(folder), texts), texts, gpu=options.gpu)
    for name, value in figures.items():
        Console().print(f"{name:36} {value if isinstance(value, str) else f'{value:,.7g}'}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
