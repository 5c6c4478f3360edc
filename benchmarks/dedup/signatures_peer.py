"""Times datatrove's signature step over a Parquet file of texts; `signatures.py` runs it in datatrove's environment.

    PYTHON -m benchmarks.dedup.signatures_peer INPUT

INPUT has `text`. Prints one line of JSON: CPU seconds of this process for the shingles and signatures of all texts at
datatrove's defaults (112 hashes in 14 buckets, 5-grams), with datatrove's own English words (`spacy`) and with ours
(`whitespace`). Models are loaded before the clock starts; nothing is written.
"""

import argparse
import json
import tempfile
import time
from typing import Any

import pyarrow.parquet as pq
from datatrove.pipeline.dedup.minhash import MinhashDedupSignature

from benchmarks.parity.child import SPLITTER

WARM_UP = "Words of one text, so that nothing is loaded later, and some more of them."


def seconds(step: Any, texts: list[str]) -> float:
    step.get_signature(step.get_shingles(WARM_UP))
    start = time.process_time()
    for text in texts:
        shingles = step.get_shingles(text)
        if shingles.size:
            step.get_signature(shingles)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    texts = pq.read_table(parser.parse_args().input, columns=["text"]).column("text").to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        spacy = MinhashDedupSignature(folder, language="eng")
        whitespace = MinhashDedupSignature(folder, language="eng")
        whitespace.word_tokenizer = SPLITTER
        print(json.dumps({"spacy": seconds(spacy, texts), "whitespace": seconds(whitespace, texts)}))


if __name__ == "__main__":
    main()
