"""The pages of a dump of MediaWiki, and what its head says of the wiki.

A page is found by its tags, which nothing else in a dump can be, since texts are escaped; so one that is damaged harms
no other, a dump may be begun at any of its bzip2 streams, and no more than a page is in memory. Pages are parsed alone,
without a document type, so nothing can be declared that stands for more text; a head that declares any is refused.

Source: https://www.mediawiki.org/wiki/Help:Export; https://meta.wikimedia.org/wiki/Data_dumps/Dump_format (streams).
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import NamedTuple

from lxml import etree

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources.inflate import InflatedBytes, container, spans
from curation.sources.read_ahead import BLOCK, Window, open_raw
from curation.sources.utf8 import wide_codec

MAX_HEAD = 1 << 20  # bytes of what stands before the first page
MAX_PAGE = 8 << 20  # bytes of XML; MediaWiki's own limit is 2 MiB of wikitext
CODED = 1 << 10  # bytes that tell whether a dump is in UTF-16
MAX_TITLE = 1000  # characters; MediaWiki's own limit is 255 bytes
_OPEN = b"<page>"
_CLOSE = b"</page>"
_LAST = b"</mediawiki>"
_PAGES = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^<>]{0,200}>\s*)?<page>\s*<title>")
_HEAD_ENDS = b"</siteinfo>"
_STREAM = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")  # a bzip2 stream, with the mark of its first block or its end
MARK_BYTES = 10
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)  # fits into 64 bits
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class WikiSite(NamedTuple):
    """The head of a dump: `base` is the address before a title, `namespaces` are names by number. `cut_out`:
    it has no head, as it is pages that somebody cut out of one, and so no end."""

    language: str | None
    base: str
    namespaces: dict[int, str]
    cut_out: bool = False


class WikiPage(NamedTuple):
    """A page at its last revision. `stream` is the offset of the compressed stream in which it ends, `place` its number
    in that; `redirect` if it only leads to another."""

    stream: int
    place: int
    title: str
    number: int
    namespace: int | None
    redirect: bool
    revision: int
    timestamp: str
    model: str
    text: str


def read_site(path: str) -> WikiSite:
    """Reads what a dump says of its wiki; without a <siteinfo>, only the language, and of pages alone nothing.
    Raises InputError if there is no file, or it is no dump."""
    head = _head(path)
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise InputError(f"{path} declares entities, which no dump of MediaWiki does; it is not read")
    if _PAGES.match(head):
        return WikiSite(None, "", {}, cut_out=True)
    start = head.find(b"<mediawiki")
    if start < 0:
        raise InputError(f"{path} does not begin like a dump of MediaWiki, with <mediawiki>; give other `paths`")
    end = head.find(_HEAD_ENDS)
    try:
        root = _parsed((head[start:end] + _HEAD_ENDS if end >= 0 else head[start:].partition(b">")[0] + b">") + _LAST)
        named = {int(space.get("key", "")): space.text or "" for space in root.iter("{*}namespace")}
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputError(f"the head of {path} is damaged: {' '.join(str(error).split())}; fetch it again") from error
    address = root.findtext("{*}siteinfo/{*}base") or ""
    return WikiSite(root.get(_LANGUAGE), address.rpartition("/")[0], named)


def _head(path: str) -> bytes:
    """The bytes before the first page, and some more."""
    head = bytearray()  # bytes would be copied for each stream, of which there may be one for each byte
    with closing(open_raw(path)) as raw:
        window = Window(raw)
        for span in _in_utf8(spans(window, container(window), lambda offset, error: None)):  # told of the pages
            seen = max(len(head) - len(_HEAD_ENDS), 0)
            head += span.data
            if head.find(_HEAD_ENDS, seen) >= 0 or head.find(_OPEN, seen) >= 0 or len(head) > MAX_HEAD:
                break
    return bytes(head)


def pages(piece: Piece, site: WikiSite, tally: ReadTally) -> Iterator[WikiPage]:
    """The pages of the streams that begin in the piece. What is damaged, or longer than `MAX_PAGE`, is counted
    (`skipped.damaged`) and noted."""
    stream = place = 0
    waiting = bytearray()  # of the pages that have not ended

    def damaged(why: str) -> None:
        tally.records["skipped.damaged"] += 1
        tally.fault(piece.path, stream, f"page {place} of this stream {why}")

    for span in _streams(piece, tally):
        if span.gap:
            if _OPEN in waiting:
                damaged("is cut short by damage")
            waiting.clear()
        if span.member is not None:
            stream = span.member
            place = 0
        for content in _ended(waiting, span.data):
            try:
                page = _page(stream, place, content)
            except (etree.XMLSyntaxError, ValueError) as error:
                damaged(str(error))
            else:
                yield page
            place += 1
    if _OPEN in waiting:
        damaged("is cut short by the end")
    elif piece.stop < 0 and not site.cut_out and _LAST not in waiting:
        tally.fault(piece.path, stream, "the dump is cut short: it has no </mediawiki>")


def _ended(waiting: bytearray, data: bytes) -> Iterator[bytes]:
    """The pages that end in `data`, each with what stands before it; what is behind them is left waiting. Of a page of
    more than `MAX_PAGE` bytes only the end is kept."""
    at = max(len(waiting) - len(_CLOSE) + 1, 0)
    waiting += data
    begin = 0
    while (end := waiting.find(_CLOSE, at)) >= 0:
        at = end + len(_CLOSE)
        yield bytes(waiting[begin:at])
        begin = at
    del waiting[:begin]
    if len(waiting) > MAX_PAGE:
        del waiting[: -len(_CLOSE)]


def _page(stream: int, place: int, content: bytes) -> WikiPage:
    """Parses a page, passing over what stands before it. Raises XMLSyntaxError and ValueError."""
    _, begin, rest = content.partition(_OPEN)
    if not begin or _OPEN in rest:
        raise ValueError(f"lacks its beginning or end, or has more than {MAX_PAGE:,} bytes")
    root = _parsed(begin + rest)
    fields = {name: root.findtext(name) or "" for name in ("title", "id", "ns")}
    last = {child.tag: child.text or "" for child in next(root.iterfind("revision[last()]"), ())}
    numbers = (fields["id"] or "0", fields["ns"] or "0", last.get("id") or "0")
    if not (last and 0 < len(fields["title"]) <= MAX_TITLE and all(map(_INTEGER.fullmatch, numbers))):
        raise ValueError("has no title or no revision, or a number that is none")
    number, namespace, revision = map(int, numbers)
    return WikiPage(
        stream=stream,
        place=place,
        title=fields["title"],
        number=number,
        namespace=namespace if fields["ns"] else None,
        redirect=root.find("redirect") is not None,
        revision=revision,
        timestamp=last.get("timestamp", ""),
        model=last.get("model", "wikitext"),
        text=last.get("text", ""),
    )


def _parsed(content: bytes) -> etree._Element:
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _streams(piece: Piece, tally: ReadTally) -> Iterator[InflatedBytes]:
    """The decompressed bytes of the streams that begin in the piece, with offsets in the file."""
    start = _first_stream(piece)
    if start is None:
        return
    with closing(open_raw(piece.path, start)) as raw:
        window = Window(raw)
        found = spans(window, container(window), lambda offset, error: tally.fault(piece.path, start + offset, error))
        for span in _in_utf8(found):
            member = None if span.member is None else start + span.member
            if member is not None and 0 <= piece.stop <= member:
                return
            yield span._replace(member=member)


def _in_utf8(found: Iterator[InflatedBytes]) -> Iterator[InflatedBytes]:
    """The same, of a dump that someone has saved as UTF-16, where only a replacement marks what is damaged."""
    first = next(found, None)
    if first is None:
        return
    codec = wide_codec(first.data[:CODED])
    decoder = codecs.getincrementaldecoder(codec)("replace") if codec else None
    for span in chain([first], found):
        yield span if decoder is None else span._replace(data=decoder.decode(span.data).encode())


def _first_stream(piece: Piece) -> int | None:
    """Where the first bzip2 stream begins that does so in the piece; the file's beginning is one of any kind."""
    if not piece.start:
        return 0
    data = b""
    end = piece.start
    with closing(open_raw(piece.path, piece.start)) as raw:
        while (piece.stop < 0 or end < piece.stop) and (more := raw.read(BLOCK)):
            data = data[1 - MARK_BYTES :] + more
            end += len(more)
            if mark := _STREAM.search(data):
                return end - len(data) + mark.start()
    return None
