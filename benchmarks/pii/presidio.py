"""Plain Presidio over many texts."""

import time
from typing import Any

from benchmarks.pii.judging import Spans
from benchmarks.pii.marked import Marked
from curation.models.pii.find import PiiSearch
from curation.models.pii.kinds import kind_of
from curation.models.pii.recognizers import plain_presidio


def presidio_spans(texts: list[Marked], sought: PiiSearch) -> tuple[list[Spans], float]:
    """The spans of each text, in bytes, and CPU seconds of the analysis."""
    engines = {
        language: plain_presidio(
            language, sought.all(), min_score=sought.min_score, regions=sought.regions_of(language)
        )
        for language in {text.language for text in texts}
    }
    found: list[Spans] = []
    seconds = 0.0
    for text in texts:
        begin = time.thread_time()
        results = engines[text.language].analyze(text.text, text.language)
        seconds += time.thread_time() - begin
        found.append([_in_bytes(text.text, one) for one in results])
    return found, seconds


def _in_bytes(text: str, found: Any) -> tuple[str, int, int, float]:
    start = found.start
    end = found.end
    first = len(text[:start].encode())
    return (
        kind_of(found.entity_type),
        first,
        first + len(text[start:end].encode()),
        round(found.score, 5),
    )
