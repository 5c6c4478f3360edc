"""The filter `transformer_classifier` beside the pipeline of `transformers`: scores, and the speed on this device.

Without `--model FOLDER`: a BERT of 6 layers and 384 numbers with random weights, and a tokenizer of 30,000 pieces.
Documents are test texts, spread evenly, cut to 512 tokens. On a processor both sides run on one thread; with `--gpu` in
bfloat16. The pipeline runs documents one by one and in batches of 16, as they come. Speed is in seconds of the clock;
scores agree within 10⁻⁴, on the GPU within 0.1.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
import transformers
from tokenizers import BertWordPieceTokenizer

from benchmarks.case import Case, apart
from benchmarks.data import default_paths, texts_in
from curation.models.sequence_classifier.folder import opened
from curation.models.sequence_classifier.scoring import SequenceScorer

TOKENS = 512
PIECES = 30_000
MINI = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}


def mini(folder: Path, texts: pa.Array) -> str:
    """A classifier of the size of FineWeb-Edu's smaller kin."""
    learned = BertWordPieceTokenizer()
    learned.train_from_iterator(texts.to_pylist(), vocab_size=PIECES, show_progress=False)
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=learned._tokenizer, model_max_length=TOKENS, **names)
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=len(fast), num_labels=1, problem_type="regression", **MINI)
    transformers.utils.logging.disable_progress_bar()
    transformers.BertForSequenceClassification(config).eval().save_pretrained(folder)
    return str(folder)


def of_pipeline(model: str, texts: list[str], batch: int, *, gpu: bool) -> Any:
    """float64[N]: scores of the first label."""
    kind = torch.bfloat16 if gpu else torch.float32
    pipeline: Any = transformers.pipeline(
        "text-classification", model, device="cuda" if gpu else "cpu", dtype=kind, top_k=None
    )
    first = opened(model).labels[0]
    results = pipeline(texts, truncation=True, max_length=TOKENS, batch_size=batch)
    return np.array([next(one["score"] for one in result if one["label"] == first) for result in results])


def run(options: argparse.Namespace) -> Iterator[Case]:
    texts = texts_in(default_paths(), options.documents)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or mini(Path(folder), texts)
        scorer = SequenceScorer(opened(model), gpu=options.gpu)
        for batch in (1, 16):
            yield Case(
                name=f"on {torch.cuda.get_device_name() if options.gpu else 'one core'}",
                ours=lambda: scorer.outputs(texts, TOKENS)[:, 0],
                peer=partial(of_pipeline, model, texts.to_pylist(), batch, gpu=options.gpu),
                called=f"pipeline by {batch}",
                agree=partial(apart, most=0.1 if options.gpu else 1e-4),
                amounts={"documents": len(texts)},
                clock=time.perf_counter,
                packages=("torch", "transformers"),
            )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="folder of a classifier; none: one with random weights is made")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--gpu", action="store_true")
