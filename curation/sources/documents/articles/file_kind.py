"""Recognises articles in JATS by their document type or their first elements."""

import re

from curation.core.file_start import FileStart, Guess
from curation.sources.beginning import xml_root

LOOKED = 1 << 16  # characters in which the front begins
_TYPE = re.compile(r"//(?:NLM|NISO)//DTD|JATS")
_DOCBOOK = re.compile(r"docbook", re.IGNORECASE)  # its articles have another front
_FRONT = re.compile(r"<(?:\w+:)?(?:front|front-stub|article-meta|journal-meta)\b")
_ARTICLE = re.compile(r"<(?:\w+:)?article[\s>]")


def recognised(start: FileStart) -> Guess | None:
    """An article, some within another element, or an archive of articles."""
    if start.members:
        texts = [
            member for member in start.members if b"\0" not in member.start and not member.start.startswith(b"%PDF")
        ]
        found = sum(_is_article(member.start.decode("utf-8", "replace")) for member in texts)
        if not found or found * 2 < len(texts):
            return None
        seen = f"{found} of its first {len(texts)} files of text are JATS articles"
        instead = "unzip it: `jats` reads files and tar archives" if start.archive == "zip" else ""
        return Guess(kind=f"{start.archive} archive of JATS articles", sure="certain", seen=seen, instead=instead)
    if start.root and start.text and _is_article(start.text):
        return Guess(kind="JATS article", sure="certain", seen="it has an <article> with the front of JATS")
    return None


def _is_article(text: str) -> bool:
    root = xml_root(text)
    if root is None or root.name == "html" or _DOCBOOK.search(root.doctype + root.attributes):
        return False
    behind = text[root.end : root.end + LOOKED]
    if root.name == "article" and (_TYPE.search(root.doctype) or "article-type" in root.attributes):
        return True
    within = root.name == "article" or _ARTICLE.search(behind) is not None
    return within and _FRONT.search(behind) is not None
