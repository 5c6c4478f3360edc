"""Recognises dumps of MediaWiki: pages in XML, with their index, and the lines of Wikimedia Enterprise."""

import re

from curation.core.file_start import FileStart, Guess

INDEX_LINES = 5  # of an index, by which it is recognised
_INDEX_LINE = re.compile(r"\d{1,15}:\d{1,15}:\S[^\n]{0,300}")  # offset of the stream, number of the page, title
_PAGE = re.compile(r"\s*<title>[^<>]{1,1000}</title>[^\0]{0,2000}?<revision>")
_FIRST = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"(?:name|identifier|url|article_body|date_modified|namespace)"\s*:'
)
_OTHERS = (b'"is_part_of"', b'"in_language"', b'"namespace"', b'"version"')
_HTML = re.compile(rb'"article_body"\s*:\s*\{[^{}]{0,100}?"html"\s*:')


def recognised_xml(start: FileStart) -> Guess | None:
    """A dump by its first element; the index of one by its first lines."""
    root = start.root.name if start.root else ""
    if root == "mediawiki":
        return Guess(kind="MediaWiki XML dump", sure="certain", seen="it begins with <mediawiki>")
    if root == "page" and start.text and _PAGE.match(start.text, start.root.end if start.root else 0):
        seen = "it begins with a <page> that has a <title> and a <revision>"
        return Guess(kind="pages of a MediaWiki XML dump", sure="certain", seen=seen)
    lines = (start.text or "").split("\n", INDEX_LINES)[:INDEX_LINES]
    if len(lines) == INDEX_LINES and all(map(_INDEX_LINE.fullmatch, lines)):
        instead = "leave it out: `wikipedia_xml` needs only the dump beside it"
        seen = "its first lines have an offset, a number and a title"
        return Guess(kind="index of a MediaWiki dump", sure="likely", seen=seen, instead=instead)
    return None


def recognised_html(start: FileStart) -> Guess | None:
    """A dump by the fields of its first article, alone or in a tar archive."""
    content = start.members[0].start if start.members else start.content
    line = content.partition(b"\n")[0]
    line = line if line.strip() not in (b"{", b"[", b"[{") else content  # in many lines
    kind = "Wikimedia Enterprise HTML dump"
    instead = "unzip it: `wikipedia_html` reads files and tar archives" if start.archive == "zip" else ""
    if _FIRST.match(line) and _HTML.search(line):
        seen = "it has the fields `article_body` and `html` of such dumps"
        return Guess(kind=kind, sure="certain", seen=seen, instead=instead)
    if not start.rows and not line.endswith(b"}") and _FIRST.match(line) and all(field in line for field in _OTHERS):
        seen = "it has fields of such dumps, but its first line is too long to see the page"
        return Guess(kind=kind, sure="likely", seen=seen, instead=instead)
    return None
