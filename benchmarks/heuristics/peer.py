"""Times datatrove's four text filters over a Parquet file of texts; `heuristics.py` runs it in datatrove's environment.

    PYTHON -m benchmarks.heuristics.peer INPUT --words whitespace|spacy

INPUT has `text`. Printed is one line of JSON: for each filter, and for `together`, one after the other on the same
text, the seconds of CPU time of this process. The filters are as they come, but for their words: `whitespace` are ours,
`spacy` the ones that datatrove splits English into. Models are loaded before the clock starts.
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

WARM_UP = "Words and sentences. Of one text! To load what is loaded late."


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
    found = {
        name: seconds(lambda text, judge=judge: judge.filter(Document(text, "")), texts)  # C4's edits its document
        for name, judge in every.items()
    }
    found["together"] = seconds(lambda text: [one.filter(Document(text, "")) for one in every.values()], texts)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
