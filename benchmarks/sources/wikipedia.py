"""Wikipedia's dumps: XML beside mwparserfromhell's `strip_code`, HTML through `extract` beside resiliparse alone.

The dumps are made of texts: every third sentence gets a measure, which is a call of `convert` in wikitext, and in HTML
what MediaWiki makes of one. The share of their numbers that are in the texts is told. MB are those of wikitext or of
HTML, uncompressed, per CPU second, one process.
"""

import argparse
import bz2
import io
import json
import re
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

import mwparserfromhell
from resiliparse.extract.html2text import extract_plain_text

from benchmarks.case import Case
from curation.core.protocols import Piece, ReadTally
from curation.extract.resiliparse import Resiliparse
from curation.sources.documents.wikipedia_html import WikipediaHtml
from curation.sources.documents.wikipedia_xml import WikipediaXml
from curation.sources.jsonl import Jsonl

EVERY = 3  # sentences
FIRST = 1_000_001  # numbers that are in no text


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", type=Path, required=True, help="JSON lines whose texts are taken, such as encyclopedia.jsonl.gz."
    )


def run(options: argparse.Namespace) -> Iterator[Case]:
    batches = Jsonl(paths=()).read([Piece(str(options.text))], "benchmark", ReadTally())
    texts = [text.replace("<", "").replace(">", "") for batch in batches for text in batch["text"].to_pylist() if text]
    wikitexts = _measured(texts, "{{{{convert|{}|km|mi|1|abbr=on}}}}")
    pages = [_page(text) for text in _measured(texts, '<span typeof="mw:Transclusion">{}&nbsp;km</span>')]
    numbers = sum(text.count("{{convert|") for text in wikitexts)
    with tempfile.TemporaryDirectory() as folder:
        xml = Path(folder, "x.xml.bz2")
        xml.write_bytes(bz2.compress(_export(wikitexts)))
        yield Case(
            name="wikipedia_xml, bz2",
            amounts={"MB": sum(len(text.encode()) for text in wikitexts) / 1e6},
            ours=partial(_xml, xml),
            peer=lambda: [mwparserfromhell.parse(text).strip_code() for text in wikitexts],
            called="strip_code",
            agree=partial(_kept, numbers),
            packages=("mwparserfromhell",),
        )
        html = Path(folder, "x.json.tar.gz")
        html.write_bytes(_archive(pages))
        yield Case(
            name="wikipedia_html and resiliparse, tar.gz",
            amounts={"MB": sum(len(page.encode()) for page in pages) / 1e6},
            ours=partial(_html, html),
            peer=lambda: [extract_plain_text(page, main_content=True) for page in pages],
            called="resiliparse alone",
            agree=partial(_kept, numbers),
            packages=("resiliparse",),
        )


def _measured(texts: Sequence[str], form: str) -> list[str]:
    """The texts with a number at the end of every third sentence."""
    number = iter(range(FIRST, FIRST * 10))
    measured: list[str] = []
    for text in texts:
        parts = re.split(r"(?<=[a-z]) \. ", text)
        shown = [f"{part} {form.format(next(number))}" if at % EVERY == 0 else part for at, part in enumerate(parts)]
        measured.append(" . ".join(shown))
    return measured


def _page(text: str) -> str:
    paragraphs = "".join(
        f'<section data-mw-section-id="1"><p id="mwAg">{line}</p></section>' for line in text.split("\n")
    )
    return f"<!DOCTYPE html><html><head><title>A</title></head><body lang='en'>{paragraphs}</body></html>"


def _export(texts: Sequence[str]) -> bytes:
    head = "<mediawiki><siteinfo><base>https://en.wikipedia.org/wiki/Main_Page</base></siteinfo>"
    pages = (
        f"<page><title>A {number}</title><ns>0</ns><id>{number}</id><revision><id>{number}</id>"
        f"<text>{escape(text)}</text></revision></page>"
        for number, text in enumerate(texts)
    )
    return f"{head}{''.join(pages)}</mediawiki>".encode()


def _archive(pages: Sequence[str]) -> bytes:
    lines = "".join(json.dumps({"name": "A", "article_body": {"html": page}}) + "\n" for page in pages).encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("enwiki_namespace_0_0.ndjson")
        member.size = len(lines)
        archive.addfile(member, io.BytesIO(lines))
    return out.getvalue()


def _xml(path: Path) -> list[str]:
    batches = WikipediaXml(paths=()).read([Piece(str(path))], "benchmark", ReadTally())
    return [text or "" for batch in batches for text in batch["text"].to_pylist()]


def _html(path: Path) -> list[str]:
    extractor = Resiliparse()
    batches = WikipediaHtml(paths=()).read([Piece(str(path))], "benchmark", ReadTally())
    made = (extractor.extract(batch, {}, lambda page, cause: None) for batch in batches)
    return [text or "" for batch in made for text in batch["text"].to_pylist()]


def _kept(numbers: int, ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Shares of the numbers, all of which have seven digits."""
    found = [len(set(re.findall(r"\b1\d{6}\b", " ".join(texts)))) / numbers for texts in (ours, theirs)]
    return f"{found[0]:.1%} of {numbers:,} numbers kept, {found[1]:.1%} by the peer"
