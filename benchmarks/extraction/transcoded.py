"""Whole pages that are decoded wrongly: real pages in UTF-8, transcoded to the legacy encodings of their languages,
with no declaration, the right one and wrong ones; and with single broken bytes.

    python -m benchmarks extraction.transcoded [--half fit]

A page is wrong unless its whole text, scripts and attributes included, equals that of the true encoding. Characters
that an encoding lacks become references. Left out are pages of which it lacks over 2 % of the characters beyond ASCII,
and pages with C1 controls or mojibake of their own, whose bytes in the other encoding are again valid UTF-8.
Hosts are in two halves by the hash of their name: constants were chosen on `fit`, and `report` is measured (the
default). Peers see the bytes without a declaration; charset-normalizer, which is slow, every twentieth page.
"""

import argparse
import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import chardet
from resiliparse.parse.encoding import detect_encoding

from benchmarks import case
from benchmarks.data import pages_of, rows_of, shared
from curation.extract.charset import decode
from curation.text.charsets.damage import valid_share
from curation.text.charsets.evidence import LABEL
from curation.text.charsets.labels import codec_of

_WESTERN = ("cp1252", "iso8859-15")
_CENTRAL = ("cp1250", "iso8859-2")
_CYRILLIC = ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic")
LEGACY = {
    **dict.fromkeys(("de", "en", "es", "fr", "it", "nl", "pt", "sv", "no", "da", "gl", "id"), _WESTERN),
    **dict.fromkeys(("pl", "cs", "sk", "hr", "hu"), _CENTRAL),
    "ru": _CYRILLIC,
    "uk": ("cp1251", "koi8-u"),
    "el": ("cp1253", "iso8859-7"),
    "ja": ("cp932", "euc_jp"),
    "ko": ("cp949",),
    "zh": ("gb18030", "big5hkscs"),
    "ar": ("cp1256", "iso8859-6"),
    "tr": ("cp1254",),
}
WRONG = {  # a label of another encoding that may stand on such a page
    **dict.fromkeys((*_WESTERN, *_CENTRAL, "cp1253", "iso8859-7", "cp1254", "cp1256", "iso8859-6"), "windows-1251"),
    **dict.fromkeys(("koi8-r", "koi8-u", "iso8859-5", "cp866", "mac-cyrillic"), "windows-1251"),
    "cp1251": "koi8-r",
    "gb18030": "big5",
    "big5hkscs": "gbk",
    "cp932": "euc-jp",
    "euc_jp": "shift_jis",
    "cp949": "shift_jis",
}
MOST_LOST = 0.02
SLOW_STEP = 20
_MARKUP = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
_CONTROLS = re.compile("[\x80-\x9f]")
_LABEL = re.compile(LABEL.pattern.decode(), re.IGNORECASE)


class Transcoded(NamedTuple):
    """A page in a legacy encoding, its true text, and its language."""

    content: bytes
    encoding: str
    text: str
    language: str


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", choices=("fit", "report"), default="report", help="of the hosts; default: report")


def _utf8_pages(half: str) -> Iterator[tuple[str, str, str]]:
    """Record id, text without declarations, and language of each different page in UTF-8 that is not all ASCII."""
    languages = {row["record_id"]: row["lang"] for row in rows_of(shared("web", "pages.jsonl.gz"))}
    seen: set[bytes] = set()
    for archive in sorted(shared("web").glob("pages-*.warc.gz")):
        for page in pages_of(archive):
            host = hashlib.sha1((urlsplit(page.url).hostname or "").encode()).digest()
            digest = hashlib.sha1(page.content).digest()
            if digest in seen or ("fit", "report")[host[0] & 1] != half or page.content.isascii():
                continue
            seen.add(digest)
            try:
                text = page.content.decode()
            except UnicodeDecodeError:
                continue
            if (language := languages.get(page.record)) and not text.startswith("\ufeff"):
                yield page.record, _LABEL.sub("", text), language


def _transcoded(text: str, language: str) -> Iterator[Transcoded]:
    beyond = "".join(char for char in _MARKUP.sub(" ", text) if char > "\x7f")
    for encoding in LEGACY.get(language, ()) if beyond and not _CONTROLS.search(text) else ():
        if len(beyond.encode(encoding, "ignore").decode(encoding, "ignore")) >= (1 - MOST_LOST) * len(beyond):
            content = text.encode(encoding, "xmlcharrefreplace")
            if not content.isascii() and valid_share(content) != 1:
                yield Transcoded(content, encoding, content.decode(encoding), language)


def _by(detector: Callable[[bytes], str | None]) -> Callable[[Transcoded], bool]:
    """Whether the page is right by the name that a detector gives, or by the superset that the web means by it."""

    def is_right(page: Transcoded) -> bool:
        name = detector(page.content)
        codecs = {name, codec_of(name or "")} - {None}
        return any(_text(page.content, str(codec)) == page.text for codec in codecs)

    return is_right


def _text(content: bytes, codec: str) -> str | None:
    try:
        return content.decode(codec, "replace")
    except LookupError:
        return None


def _ours(label: Callable[[Transcoded], str | None]) -> Callable[[Transcoded], bool]:
    def is_right(page: Transcoded) -> bool:
        name = label(page)
        return decode(page.content, name and f"text/html; charset={name}").text == page.text

    return is_right


def _normalizer(content: bytes) -> str | None:
    best = case.package("charset_normalizer").from_bytes(content).best()
    return best.encoding if best else None


SIDES: dict[str, Callable[[Transcoded], bool]] = {
    "winnow": _ours(lambda page: None),
    "declared rightly": _ours(lambda page: page.encoding),
    "as Latin-1": _ours(lambda page: "iso-8859-1"),
    "as UTF-8": _ours(lambda page: "utf-8"),
    "as another": _ours(lambda page: WRONG[page.encoding]),
    "chardet": _by(lambda content: chardet.detect(content)["encoding"]),
    "resiliparse": _by(lambda content: detect_encoding(content)),
    "charset-normalizer": _by(_normalizer),
}


def _shares(pages: list[Transcoded]) -> dict[str, dict[str, str]]:
    """Encoding -> side -> wrong of how many."""
    wrong: defaultdict[str, Counter[str]] = defaultdict(Counter)
    total: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for side, is_right in SIDES.items():
        for page in pages[:: SLOW_STEP if side == "charset-normalizer" else 1]:
            is_wrong = not is_right(page)
            for row in (page.encoding, "all"):
                wrong[row][side] += is_wrong
                total[row][side] += 1
    return {
        encoding: {side: f"{wrong[encoding][side]} of {total[encoding][side]}" for side in total[encoding]}
        for encoding in sorted(total, key=lambda name: (name == "all", name))
    }


def _broken(pages: list[tuple[str, str, str]]) -> dict[str, dict[str, int]]:
    """Pages in UTF-8 with bytes inserted at random places that are read as anything else."""
    rows: dict[str, dict[str, int]] = {}
    for header in ("text/html; charset=utf-8", None):
        for number in (1, 3):
            counts = rows.setdefault(f"{number} bytes, {'declared' if header else 'undeclared'}", {"wrong": 0, "of": 0})
            for record, text, _ in pages:
                rng = random.Random(f"{record} {number}")
                content = bytearray(text.encode())
                for _ in range(number):
                    content.insert(rng.randrange(len(content) + 1), rng.randrange(0x80, 0x100))
                counts["wrong"] += decode(bytes(content), header).encoding != "utf-8"
                counts["of"] += 1
    return rows


def run(options: argparse.Namespace) -> Iterator[case.Case | case.Figures]:
    pages = list(_utf8_pages(options.half))
    transcoded = [page for _, text, language in pages for page in _transcoded(text, language)]
    contents = [page.content for page in transcoded]
    yield case.Case(
        name="undeclared pages",
        ours=case.over(decode, contents),
        peer=case.over(chardet.detect, contents),
        called="chardet",
        amounts={"pages": len(contents)},
        packages=("chardet", "resiliparse", "charset-normalizer"),
    )
    yield case.Figures(f"pages decoded wrongly, {options.half}", _shares(transcoded))
    yield case.Figures(f"broken bytes in UTF-8, {options.half}", _broken(pages))
