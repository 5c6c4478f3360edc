"""Runs datatrove's filters over a Parquet file of texts and writes what each decided and measured.

    PYTHON -m benchmarks.parity.child INPUT OUTPUT --filters gopher_quality,… [--model FILE] [--processes N]

INPUT has `text` and `url`. OUTPUT has the same rows: for each filter `<filter>/reason` (null: kept; "": dropped without
a reason) and `<filter>/<signal>` for every limit of `limits.py`, null if datatrove did not measure it. The signals are
datatrove's own numbers: its limits are replaced by ones that no value breaks and that note each value compared with
them. Words and sentences are those of `splitters.py`.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pool
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
    LanguageFilter,
    URLFilter,
)
from datatrove.pipeline.filters.base_filter import get_filter_result
from datatrove.utils.text import TERMINAL_PUNCTUATION
from datatrove.utils.word_tokenizers import WordTokenizer
from fasttext.FastText import _FastText
from tldextract import TLDExtract

from benchmarks.parity.limits import limits_of
from benchmarks.parity.splitters import sentence_ends, sentence_spans, words

Row = dict[str, Any]
ENDS = sentence_ends(TERMINAL_PUNCTUATION)
BATCH_ROWS = 20
BY_NGRAM = ("top_n_grams", "dup_n_grams")


class SharedSplitter(WordTokenizer):
    """The same words and sentences as ours; datatrove takes an instance in place of a language."""

    def word_tokenize(self, text: str) -> list[str]:
        return words(text)

    def sent_tokenize(self, text: str) -> list[str]:
        return [text[start:stop] for start, stop in self.span_tokenize(text)]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        # Never empty, since its caller reads the last one.
        return sentence_spans(text, ENDS) or [(0, 0)]


SPLITTER = SharedSplitter()
loaded: dict[str, Callable[[str, str], Row]] = {}


class Watched(float):
    """A limit that no value breaks; notes each value that is compared with it."""

    __array_ufunc__ = None  # so that NumPy's scalars leave the comparison to this class
    seen: list[float]

    def _note(self, value: Any) -> bool:
        self.seen.append(float(value))
        return False

    __lt__ = __gt__ = __le__ = __ge__ = _note


def _watched(value: float, notes: list[float]) -> Watched:
    limit = Watched(value)
    limit.seen = notes
    return limit


def watching(name: str, make: Callable[..., Any]) -> Callable[[Document], Row]:
    """A function that gives the signals which the filter compares with its limits."""
    notes: dict[str, list[float]] = defaultdict(list)
    order: dict[str, list[str]] = defaultdict(list)
    for limit in limits_of(name):
        order[limit.argument].append(limit.signal)
    values = {limit.argument: limit.value for limit in limits_of(name)}
    arguments: dict[str, Any] = {a: _watched(v, notes[a]) for a, v in values.items() if "." not in a}
    for argument in BY_NGRAM:
        pairs = [(int(a.partition(".")[2]), a) for a in values if a.startswith(f"{argument}.")]
        if pairs:
            arguments[argument] = tuple((n, _watched(values[a], notes[a])) for n, a in pairs)
    judge = make(**arguments)

    def signals(document: Document) -> Row:
        for noted in notes.values():
            noted.clear()
        # A text without words or lines divides by their number; the real limits drop it before they get there.
        with suppress(ZeroDivisionError, IndexError):
            judge.filter(document)
        return {s: v for a in order for s, v in zip(order[a], notes[a], strict=False)}

    return signals


def heuristic(name: str, make: Callable[..., Any]) -> Callable[[str, str], Row]:
    measure = watching(name, make)
    judge = make()

    def run(text: str, _: str) -> Row:
        kept, reason = get_filter_result(judge.filter(Document(text, "")))
        return {"reason": None if kept else reason or "", **measure(Document(text, ""))}

    return run


def c4(filter_no_terminal_punct: bool) -> Callable[[str, str], Row]:
    """As `heuristic`, and the text that the line rules leave, and how many lines each of them removed."""

    def make(**options: Any) -> C4QualityFilter:
        return C4QualityFilter(language=SPLITTER, filter_no_terminal_punct=filter_no_terminal_punct, **options)

    measure = watching("c4_quality", make)
    judge = make()
    cut = make(filter_lorem_ipsum=False, filter_curly_bracket=False, min_num_sentences=-1)
    counts: dict[str, int] = {}

    def count(label: str, *_: Any, **__: Any) -> None:
        counts[label] = counts.get(label, 0) + 1

    cut.stat_update = count

    def run(text: str, _: str) -> Row:
        counts.clear()
        kept, reason = get_filter_result(judge.filter(Document(text, "")))
        document = Document(text, "")
        cut.filter(document)
        lines = {label.removeprefix("line-filter-"): n for label, n in counts.items() if "filter" in label}
        return {"reason": None if kept else reason or "", "text": document.text, **lines, **measure(Document(text, ""))}

    return run


def language(model: str, languages: list[str] | None) -> Callable[[str, str], Row]:
    judge = LanguageFilter(languages)
    judge.model._model = _FastText(model)  # in place of a download of the larger form of the same model

    def run(text: str, _: str) -> Row:
        document = Document(text, "")
        kept = judge.filter(document)
        metadata = document.metadata
        return {"reason": None if kept else "", "label": metadata["language"], "score": metadata["language_score"]}

    return run


def url() -> Callable[[str, str], Row]:
    judge = URLFilter()
    judge.tldextractor = TLDExtract(suffix_list_urls=())  # the list that comes with it, without a download

    def run(_: str, address: str) -> Row:
        kept, reason = get_filter_result(judge.filter(Document("", "", metadata={"url": address})))
        return {"reason": None if kept else reason or ""}

    return run


def runners(names: str, model: str) -> dict[str, Callable[[str, str], Row]]:
    splitting = {"language": SPLITTER}
    makers: dict[str, Callable[[], Callable[[str, str], Row]]] = {
        "gopher_quality": lambda: heuristic("gopher_quality", lambda **o: GopherQualityFilter(**splitting, **o)),
        "gopher_repetition": lambda: heuristic(
            "gopher_repetition", lambda **o: GopherRepetitionFilter(**splitting, **o)
        ),
        "c4_quality": lambda: c4(filter_no_terminal_punct=True),
        "c4_fineweb": lambda: c4(filter_no_terminal_punct=False),
        "fineweb_quality": lambda: heuristic("fineweb_quality", lambda **o: FineWebQualityFilter(**splitting, **o)),
        "language": lambda: language(model, None),
        "language_english": lambda: language(model, ["en"]),
        "url_blocklist": url,
        "url_spellings": url,
    }
    return {name: makers[name]() for name in names.split(",")}


def load(names: str, model: str) -> None:
    """Called once in each process."""
    global loaded
    loaded = runners(names, model)


def rows(part: tuple[list[str], list[str]]) -> list[Row]:
    flat = []
    for text, address in zip(*part, strict=True):
        by_filter = {name: run(text or "", address or "") for name, run in loaded.items()}
        flat.append({f"{name}/{key}": value for name, row in by_filter.items() for key, value in row.items()})
    return flat


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--filters", required=True)
    parser.add_argument("--model", default="")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    batches = pq.ParquetFile(options.input).iter_batches(BATCH_ROWS, columns=["text", "url"])
    parts = ((batch.column(0).to_pylist(), batch.column(1).to_pylist()) for batch in batches)
    with Pool(options.processes, load, (options.filters, options.model)) as pool:
        table = [row for part in pool.imap(rows, parts) for row in part]
    names = sorted({name for row in table for name in row})
    pq.write_table(pa.table({name: [row.get(name) for row in table] for name in names}), options.output)


if __name__ == "__main__":
    main()
