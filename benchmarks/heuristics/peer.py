"""Times datatrove's four text filters over a Parquet file of texts, in datatrove's environment.

    PYTHON -m benchmarks.heuristics.peer INPUT --words whitespace|spacy

INPUT has `text`. Prints one line of JSON: CPU seconds of this process for each filter, and for `together`, all filters
one after the other on each text. The filters have their default options except for words: `whitespace` are ours,
`spacy` are datatrove's own English words. Models are loaded before the clock starts.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

from benchmarks.parity.child import SPLITTER

WARM_UP = "Words and sentences. Of one text! So that nothing is loaded later."


def filters(words: str) -> dict[str, Any]:
    language: Any = SPLITTER if words == "whitespace" else "eng"
    return {
        "gopher_quality": GopherQualityFilter(language=language),
        "gopher_repetition": GopherRepetitionFilter(language=language),
        "c4_quality": C4QualityFilter(language=language),
        "fineweb_quality": FineWebQualityFilter(language=language),
    }


def seconds(run: Callable[[str], object], texts: list[str]) -> float:
    run(WARM_UP)
    start = time.process_time()
    for text in texts:
        run(text)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("--words", choices=("whitespace", "spacy"), required=True)
    options = parser.parse_args()
    texts = pq.read_table(options.input, columns=["text"]).column("text").to_pylist()
    every = filters(options.words)
    by_filter = {
        name: seconds(lambda text, judge=judge: judge.filter(Document(text, "")), texts)  # C4's edits its document
        for name, judge in every.items()
    }
    by_filter["together"] = seconds(lambda text: [judge.filter(Document(text, "")) for judge in every.values()], texts)
    print(json.dumps(by_filter))


if __name__ == "__main__":
    main()
