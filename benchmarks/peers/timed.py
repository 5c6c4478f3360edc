"""Times parts of datatrove over a Parquet file of texts.

Each function gives name -> `seconds`, of CPU time of this process, and `result`. Models are loaded before the clock
starts. Words are ours (`whitespace`) or datatrove's own English ones (`spacy`).
"""

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

from benchmarks.peers.verdicts import LANGUAGES

WARM_UP = "Words and sentences. Of one text! So that nothing is loaded later, and some more words of it."


def _texts(file: str) -> list[str]:
    rows: list[str] = pq.read_table(file, columns=["text"])["text"].to_pylist()
    return rows


def _timed(work: Callable[[str], Any], texts: list[str]) -> dict[str, Any]:
    work(WARM_UP)
    start = time.process_time()
    result = [work(text) for text in texts]
    return {"seconds": time.process_time() - start, "result": result}


def filters(texts: str) -> dict[str, Any]:
    """`<filter>, <words>`, and `together`, all filters one after the other on each text; without results."""
    found = {}
    rows = _texts(texts)
    for words, language in LANGUAGES.items():
        every = {
            "gopher_quality": GopherQualityFilter(language=language),
            "gopher_repetition": GopherRepetitionFilter(language=language),
            "c4_quality": C4QualityFilter(language=language),
            "fineweb_quality": FineWebQualityFilter(language=language),
        }
        parts = {name: [judge] for name, judge in every.items()} | {"together": [*every.values()]}
        for name, judges in parts.items():  # C4's edits its document
            one = _timed(lambda text, judges=judges: [judge.filter(Document(text, "")) for judge in judges], rows)
            found[f"{name}, {words}"] = {"seconds": one["seconds"]}
    return found


def c4_lines(texts: str) -> dict[str, Any]:
    """C4's rules on lines alone; the result is what they leave of each text."""
    rules = C4QualityFilter(min_num_sentences=-1, filter_lorem_ipsum=False, filter_curly_bracket=False)

    def left(text: str) -> str:
        document = Document(text, "")
        rules.filter(document)
        return document.text

    return {"c4_lines": _timed(left, _texts(texts))}


def signatures(texts: str) -> dict[str, Any]:
    """Shingles and signatures at the defaults (112 hashes in 14 buckets, 5-grams); nothing is written."""
    found = {}
    rows = _texts(texts)
    with tempfile.TemporaryDirectory() as folder:
        for words, splitter in LANGUAGES.items():
            step: Any = MinhashDedupSignature(folder, language="eng")
            if words == "whitespace":
                step.word_tokenizer = splitter

            def sign(text: str, step: Any = step) -> None:
                shingles = step.get_shingles(text)
                if shingles.size:
                    step.get_signature(shingles)

            found[words] = {"seconds": _timed(sign, rows)["seconds"]}
    return found


def decontamination(texts: str, items: str) -> dict[str, Any]:
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
        pairs = pq.read_table(items).select(["answer", "question"]).to_pylist()
        hashes = {value for pair in pairs for value in indexer.compute_hashes(pair["answer"], pair["question"])}
        np.array(sorted(hashes), config.hash_config.np_descr).tofile(Path(folder, "all.index.hashes"))
        return {"datatrove": _timed(lambda text: judge.filter(Document(text, "")) is True, _texts(texts))}
