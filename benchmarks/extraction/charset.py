"""Accuracy and speed of `curation.extract.charset` beside chardet, charset-normalizer and Resiliparse's uchardet.
There are three corpora: 205 real feeds and pages in 30 encodings; the same without declarations, so that only the bytes
count; and real article texts in the legacy encodings of their languages, cut to 400 characters. The first two are from
chardet's own test suite, so chardet may be tuned to them; the third is not. A hit: the text equals that of the true
encoding or of its web superset. A strict hit: the encoding's name is right too. EUC-TW (one page) is a miss for all,
because Python cannot decode it.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator

import chardet
import charset_normalizer
from fastwarc.warc import ArchiveIterator
from resiliparse.parse.encoding import detect_encoding

from benchmarks import case
from benchmarks.data import rows_of, shared
from curation.extract.charset import decode
from curation.text.charsets.evidence import LABEL
from curation.text.charsets.labels import codec_of

Case = tuple[bytes, str]  # content, true encoding
Detector = Callable[[bytes], str | None]
CUT = 400
MAX_ROWS = 300  # per language
LEGACY = {
    "de": ("cp1252",),
    "el": ("cp1253", "iso8859-7"),
    "es": ("cp1252",),
    "fr": ("cp1252",),
    "it": ("cp1252",),
    "ja": ("cp932", "euc_jp"),
    "ko": ("cp949",),
    "pl": ("cp1250", "iso8859-2"),
    "pt": ("cp1252",),
    "ru": ("cp1251", "koi8-r", "iso8859-5", "cp866"),
    "sv": ("cp1252",),
    "zh": ("gb18030", "big5hkscs"),
}


def _ours(content: bytes) -> str | None:
    return decode(content).encoding


def _normalizer(content: bytes) -> str | None:
    best = charset_normalizer.from_bytes(content).best()
    return best.encoding if best else None


DETECTORS: dict[str, Detector] = {
    "winnow": _ours,
    "chardet": lambda content: chardet.detect(content)["encoding"],
    "charset-normalizer": _normalizer,
    "resiliparse": lambda content: detect_encoding(content),
    "resiliparse, whole page, its own names": lambda c: detect_encoding(c, max_len=0, html5_compatible=False),
}


def _real_pages() -> list[Case]:
    truth = {row["record_id"]: row["encoding"] for row in rows_of(shared("web", "charset_truth.jsonl.gz"))}
    with shared("web", "charset-public.warc.gz").open("rb") as stream:
        records = ((record.headers["WARC-Record-ID"], record.reader.read()) for record in ArchiveIterator(stream))
        return [(content, truth[record]) for record, content in records if record in truth]


def _written_texts() -> list[Case]:
    cases = []
    seen: Counter[str] = Counter()
    for row in rows_of(shared("web", "truth.jsonl.gz")):
        text = (row.get("text") or "")[:CUT]
        language = row["lang"]
        seen[language] += 1
        if len(text) == CUT and seen[language] <= MAX_ROWS:
            contents = [(text.encode(encoding, "ignore"), encoding) for encoding in LEGACY.get(language, ())]
            cases += [(content, encoding) for content, encoding in contents if not content.isascii()]
    return cases


def _text(content: bytes, encoding: str | None) -> str | None:
    try:
        return content.decode(encoding, "replace").lstrip("\ufeff") if encoding else None
    except LookupError:
        return None


def _is_hit(content: bytes, detected: str | None, truth: str) -> bool:
    """Any name that a detector gives may also stand for its superset, as ours does."""
    texts = {_text(content, detected), _text(content, codec_of(detected or ""))} - {None}
    return bool(texts & ({_text(content, truth), _text(content, codec_of(truth))} - {None}))


def accuracy(cases: list[Case], names: list[str | None]) -> dict[str, int]:
    pairs = list(zip(cases, names, strict=True))
    return {
        "hits": sum(_is_hit(content, name, truth) for (content, truth), name in pairs),
        "strict hits": sum(name is not None and codec_of(name) == codec_of(truth) for (_, truth), name in pairs),
        "of": len(cases),
    }


def run(_: argparse.Namespace) -> Iterator[case.Case | case.Figures]:
    pages = _real_pages()
    corpora = {
        "as they are": pages,
        "bytes only": [(LABEL.sub(b"", content), truth) for content, truth in pages],
        f"texts of {CUT} characters": _written_texts(),
    }
    found: dict[str, dict[str, int]] = {}
    for corpus, cases in corpora.items():
        contents = [content for content, _ in cases]
        for name, detector in DETECTORS.items():
            found[f"{corpus}: {name}"] = accuracy(cases, [detector(content) for content in contents])
        for name, detector in list(DETECTORS.items())[1:]:
            yield case.Case(
                name=corpus,
                ours=case.over(_ours, contents),
                peer=case.over(detector, contents),
                called=name,
                amounts={"pages": len(cases)},
                packages=("chardet", "charset-normalizer", "resiliparse"),
            )
    yield case.Figures("encodings found", found)
