"""The pages of a dump of MediaWiki, and what its head says of the wiki.

A page is found by its tags, which nothing else in a dump can be, since texts are escaped; so one that is damaged harms
no other, a dump may be begun at any of its bzip2 streams, and no more than a page is in memory. Pages are parsed alone,
without a document type, so nothing can be declared that stands for more text; a head that declares any is refused.

Source: https://www.mediawiki.org/wiki/Help:Export; https://meta.wikimedia.org/wiki/Data_dumps/Dump_format (streams).
"""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from lxml import etree

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources.inflate import InflatedBytes, container, spans
from curation.sources.read_ahead import BLOCK, Window, open_raw

MAX_HEAD = 1 << 20  # bytes of what stands before the first page
MAX_PAGE = 8 << 20  # bytes of XML; MediaWiki's own limit is 2 MiB of wikitext
MAX_TITLE = 1000  # characters; MediaWiki's own limit is 255 bytes
_OPEN = b"<page>"
_CLOSE = b"</page>"
_LAST = b"</mediawiki>"
_STREAM = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")  # a bzip2 stream, with the mark of its first block or its end
MARK_BYTES = 10
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)  # fits into 64 bits
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class WikiSite(NamedTuple):
    """What the head of a dump says: `base` is the address before a title, `namespaces` are names by number."""

    language: str | None
    base: str
    namespaces: dict[int, str]


class WikiPage(NamedTuple):
    """A page at its last revision. `stream` is the offset of the compressed stream in which it ends, `place` its number
    in that; `redirect` if it only leads to another."""

    stream: int
    place: int
    title: str
    number: int
    namespace: int
    redirect: bool
    revision: int
    timestamp: str
    model: str
    text: str


def read_site(path: str) -> WikiSite:
    """What the dump at `path` says of its wiki. Raises InputError if there is none, or it is no dump."""
    head = b""
    with closing(open_raw(path)) as raw:
        window = Window(raw)
        for span in spans(window, container(window), lambda offset, error: None):  # which is told of the pages
            head += span.data
            if b"</siteinfo>" in head or _OPEN in head or len(head) > MAX_HEAD:
                break
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise InputError(f"{path} declares entities, which no dump of MediaWiki does; it is not read")
    start = head.find(b"<mediawiki")
    end = head.find(b"</siteinfo>")
    if start < 0 or end < 0:
        raise InputError(f"{path} does not begin like a dump of MediaWiki, with <mediawiki> and <siteinfo>")
    try:
        root = _parsed(head[start:end] + b"</siteinfo></mediawiki>")
        named = {int(space.get("key", "")): space.text or "" for space in root.iter("{*}namespace")}
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputError(f"the head of {path} is damaged: {error}; fetch it again") from error
    address = root.findtext("{*}siteinfo/{*}base") or ""
    return WikiSite(root.get(_LANGUAGE), address.rpartition("/")[0], named)


def pages(piece: Piece, tally: ReadTally) -> Iterator[WikiPage]:
    """The pages of the streams that begin in the piece. What is damaged, or longer than `MAX_PAGE`, is counted
    (`skipped.damaged`) and noted."""
    stream = place = 0
    waiting = b""

    def damaged(why: str) -> None:
        tally.records["skipped.damaged"] += 1
        tally.fault(piece.path, stream, f"page {place} of this stream {why}")

    for span in _streams(piece, tally):
        if span.gap:
            if _OPEN in waiting:
                damaged("is cut short by damage")
            waiting = b""
        if span.member is not None:
            stream = span.member
            place = 0
        *ended, waiting = (waiting + span.data).split(_CLOSE)
        for part in ended:
            try:
                page = _page(stream, place, part + _CLOSE)
            except (etree.XMLSyntaxError, ValueError) as error:
                damaged(str(error))
            else:
                yield page
            place += 1
        if len(waiting) > MAX_PAGE:
            waiting = waiting[-len(_CLOSE) :]
    if _OPEN in waiting:
        damaged("is cut short by the end")
    elif piece.stop < 0 and _LAST not in waiting:
        tally.fault(piece.path, stream, "the dump is cut short: it has no </mediawiki>")


def _page(stream: int, place: int, content: bytes) -> WikiPage:
    """What stands before the page is passed over. Raises XMLSyntaxError and ValueError."""
    _, begin, rest = content.partition(_OPEN)
    if not begin or _OPEN in rest:
        raise ValueError(f"lacks its beginning or end, or has more than {MAX_PAGE:,} bytes")
    root = _parsed(begin + rest)
    fields = {name: root.findtext(name) or "" for name in ("title", "id", "ns")}
    last = {child.tag: child.text or "" for child in next(root.iterfind("revision[last()]"), ())}
    numbers = (fields["id"], fields["ns"] or "0", last.get("id", ""))
    if not (0 < len(fields["title"]) <= MAX_TITLE and all(map(_INTEGER.fullmatch, numbers))):
        raise ValueError("has no title, or no number of itself, its namespace or its revision")
    number, namespace, revision = map(int, numbers)
    return WikiPage(
        stream=stream,
        place=place,
        title=fields["title"],
        number=number,
        namespace=namespace,
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
        for span in found:
            member = None if span.member is None else start + span.member
            if member is not None and 0 <= piece.stop <= member:
                return
            yield span._replace(member=member)


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
