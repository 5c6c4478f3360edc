"""What datatrove's filters decide and measure of a Parquet file of texts, and the lists of its URL filter.

The signals are datatrove's own numbers: its limits are replaced by ones that no value breaks and that note each value
compared with them. Words and sentences are those of `splitters.py`.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline import filters
from datatrove.pipeline.filters.base_filter import get_filter_result
from datatrove.utils.text import TERMINAL_PUNCTUATION
from datatrove.utils.typeshelper import Languages
from datatrove.utils.word_tokenizers import WordTokenizer
from fasttext.FastText import _FastText
from tldextract import TLDExtract

from benchmarks.parity.pairs import PAIRS, Pair
from benchmarks.peers.splitters import sentence_ends, sentence_spans, words

Row = dict[str, Any]
Judge = Callable[[str, str], Row]  # of a text and a URL
ENDS = sentence_ends(TERMINAL_PUNCTUATION)
BATCH_ROWS = 20
BY_NGRAM = ("top_n_grams", "dup_n_grams")
LISTS = ("block_listed_domains", "block_listed_url", "banned_words", "banned_subwords", "soft_banned_words")


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
LANGUAGES = {"whitespace": SPLITTER, "spacy": Languages.english}
loaded: dict[str, Judge] = {}  # of each process


def judge(texts: str, output: str, names: Sequence[str], model: str, processes: int) -> None:
    """Writes a row for each of `texts` (`text`, `url`). For each pair of `names`: `<pair>/reason` (null: kept;
    "": dropped without a reason) and `<pair>/<signal>` for each of its limits, null if datatrove did not measure it."""
    batches = pq.ParquetFile(texts).iter_batches(BATCH_ROWS, columns=["text", "url"])
    parts = ((batch.column(0).to_pylist(), batch.column(1).to_pylist()) for batch in batches)
    with Pool(processes, _load, (names, model)) as pool:
        rows = [row for part in pool.imap(_rows, parts) for row in part]
    columns = sorted({name for row in rows for name in row})
    pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in columns}), output)


def write_lists(folder: str) -> None:
    """The lists of datatrove's URL filter, one entry a line, so that ours reads the same."""
    urls = filters.URLFilter()
    urls.download_data()
    for name in LISTS:
        Path(folder, f"{name}.txt").write_text("\n".join(sorted(getattr(urls, name))) + "\n")


def _load(names: Sequence[str], model: str) -> None:
    """Called once in each process."""
    for name in names:
        pair = PAIRS[name]
        if pair.theirs == "LanguageFilter":
            loaded[name] = _language(model, **pair.their_options)
        elif pair.theirs == "URLFilter":
            loaded[name] = _url()
        elif pair.theirs == "C4QualityFilter":
            loaded[name] = _c4(pair)
        else:
            loaded[name] = _heuristic(pair)


def _rows(part: tuple[list[str], list[str]]) -> list[Row]:
    return [
        {
            f"{name}/{key}": value
            for name, of_pair in loaded.items()
            for key, value in of_pair(text or "", url or "").items()
        }
        for text, url in zip(*part, strict=True)
    ]


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


def _made(pair: Pair, **options: Any) -> Any:
    return getattr(filters, pair.theirs)(language=SPLITTER, **pair.their_options, **options)


def _watching(pair: Pair) -> Callable[[Document], Row]:
    """A function that gives the signals which the filter compares with its limits."""
    notes: dict[str, list[float]] = defaultdict(list)
    order: dict[str, list[str]] = defaultdict(list)
    for limit in pair.limits:
        order[limit.argument].append(limit.signal)
    values = {limit.argument: limit.value for limit in pair.limits}
    arguments: dict[str, Any] = {a: _watched(v, notes[a]) for a, v in values.items() if "." not in a}
    for argument in BY_NGRAM:
        pairs = [(int(a.partition(".")[2]), a) for a in values if a.startswith(f"{argument}.")]
        if pairs:
            arguments[argument] = tuple((n, _watched(values[a], notes[a])) for n, a in pairs)
    watched = _made(pair, **arguments)

    def signals(document: Document) -> Row:
        for noted in notes.values():
            noted.clear()
        # A text without words or lines divides by their number; the real limits drop it before they get there.
        with suppress(ZeroDivisionError, IndexError):
            watched.filter(document)
        return {s: v for a in order for s, v in zip(order[a], notes[a], strict=False)}

    return signals


def _reason(decided: Any) -> str | None:
    kept, reason = get_filter_result(decided)
    return None if kept else reason or ""


def _heuristic(pair: Pair) -> Judge:
    measure = _watching(pair)
    plain = _made(pair)
    return lambda text, _: {"reason": _reason(plain.filter(Document(text, ""))), **measure(Document(text, ""))}


def _c4(pair: Pair) -> Judge:
    """As `_heuristic`, and the text that the line rules leave."""
    own = _heuristic(pair)
    cut = _made(pair, filter_lorem_ipsum=False, filter_curly_bracket=False, min_num_sentences=-1)

    def run(text: str, url: str) -> Row:
        document = Document(text, "")
        cut.filter(document)
        return {**own(text, url), "text": document.text}

    return run


def _language(model: str, languages: list[str] | None = None) -> Judge:
    by_model = filters.LanguageFilter(languages)
    by_model.model._model = _FastText(model)  # in place of a download of the larger form of the same model

    def run(text: str, _: str) -> Row:
        return {"reason": None if by_model.filter(Document(text, "")) else ""}

    return run


def _url() -> Judge:
    by_lists = filters.URLFilter()
    by_lists.tldextractor = TLDExtract(suffix_list_urls=())  # the list that comes with it, without a download
    return lambda _, url: {"reason": _reason(by_lists.filter(Document("", "", metadata={"url": url})))}
