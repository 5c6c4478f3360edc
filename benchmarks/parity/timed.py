"""Times parts of datatrove over a Parquet file of texts, in datatrove's environment.

    PYTHON -m benchmarks.parity.timed filters|signatures|decontamination|c4_lines TEXTS [ITEMS]

TEXTS has `text`, ITEMS (of decontamination) `question` and `answer`. Prints one line of JSON: name -> `seconds`, of CPU
time of this process, and `result`. Models are loaded before the clock starts. Words are ours (`whitespace`) or
datatrove's own English ones (`spacy`).
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter, NGramsDecontIndexer
from datatrove.pipeline.dedup.minhash import MinhashDedupSignature
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

from benchmarks.parity.child import SPLITTER

WARM_UP = "Words and sentences. Of one text! So that nothing is loaded later, and some more words of it."
WORDS = {"whitespace": SPLITTER, "spacy": "eng"}


def timed(work: Callable[[str], Any], texts: list[str]) -> dict[str, Any]:
    work(WARM_UP)
    start = time.process_time()
    result = [work(text) for text in texts]
    return {"seconds": time.process_time() - start, "result": result}


def filters(texts: list[str], _: Any) -> dict[str, Any]:
    """`<filter>, <words>`, and `together`, all filters one after the other on each text; without results."""
    found = {}
    for words, language in WORDS.items():
        every = {
            "gopher_quality": GopherQualityFilter(language=language),
            "gopher_repetition": GopherRepetitionFilter(language=language),
            "c4_quality": C4QualityFilter(language=language),
            "fineweb_quality": FineWebQualityFilter(language=language),
        }
        parts = {name: [judge] for name, judge in every.items()} | {"together": [*every.values()]}
        for name, judges in parts.items():  # C4's edits its document
            one = timed(lambda text, judges=judges: [judge.filter(Document(text, "")) for judge in judges], texts)
            found[f"{name}, {words}"] = {"seconds": one["seconds"]}
    return found


def c4_lines(texts: list[str], _: Any) -> dict[str, Any]:
    """C4's rules on lines alone; the result is what they leave of each text."""
    rules = C4QualityFilter(min_num_sentences=-1, filter_lorem_ipsum=False, filter_curly_bracket=False)

    def left(text: str) -> str:
        document = Document(text, "")
        rules.filter(document)
        return document.text

    return {"c4_lines": timed(left, texts)}


def signatures(texts: list[str], _: Any) -> dict[str, Any]:
    """Shingles and signatures at the defaults (112 hashes in 14 buckets, 5-grams); nothing is written."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for words, splitter in WORDS.items():
            step: Any = MinhashDedupSignature(folder, language="eng")
            if words == "whitespace":
                step.word_tokenizer = splitter

            def sign(text: str, step: Any = step) -> None:
                shingles = step.get_shingles(text)
                if shingles.size:
                    step.get_signature(shingles)

            found[words] = {"seconds": timed(sign, texts)["seconds"]}
    return found


def decontamination(texts: list[str], items: Any) -> dict[str, Any]:
    """NGramsDecontFilter at its defaults (12 words), but also with n-grams of the questions."""
    config = NGramsDecontConfig(find_query_ngrams=True)
    with tempfile.TemporaryDirectory() as folder:
        judge = NGramsDecontFilter(folder, config)
        # The indexer asks for lighteval, which only its own tasks need.
        NGramsDecontIndexer._requires_dependencies = []
        indexer = NGramsDecontIndexer.__new__(NGramsDecontIndexer)
        indexer.config = config
        indexer.tokenizer = judge.tokenizer
        indexer.hash_func = judge.hash_func
        rows = zip(items["answer"].to_pylist(), items["question"].to_pylist(), strict=True)
        hashes = {value for answer, question in rows for value in indexer.compute_hashes(answer, question)}
        np.array(sorted(hashes), config.hash_config.np_descr).tofile(Path(folder, "all.index.hashes"))
        return {"datatrove": timed(lambda text: judge.filter(Document(text, "")) is True, texts)}


def main() -> None:
    what, texts, *items = sys.argv[1:]
    works = {work.__name__: work for work in (filters, c4_lines, signatures, decontamination)}
    rows = pq.read_table(texts, columns=["text"])["text"].to_pylist()
    print(json.dumps(works[what](rows, pq.read_table(items[0]) if items else None)))


if __name__ == "__main__":
    main()
