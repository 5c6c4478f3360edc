"""The text that a page gives to search engines as its article: `articleBody` in its JSON-LD.

Some pages show their text by scripts only, and have it here. Others have another text here, the first lines, or that of
a different article, so this is read only where a parser finds next to nothing.

Source: schema.org, "articleBody"; W3C, "JSON-LD 1.1", on data in <script type="application/ld+json">. A value holds
plain text, text with character references, or HTML; the longest of a page is taken.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from curation.extract.normal_form import Writer
from curation.text.html.unescape import unescaped

MAX_SCRIPT = 4 << 20  # characters of one script; a longer one is passed over
MAX_SCRIPTS = 32
READING = "article_body"

_OPENING = re.compile(r"<script\b[^>]{0,500}\bapplication/ld\+json\b[^>]{0,500}>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:p|br|div|span|a|b|i|em|strong|ul|ol|li|h[1-6]|blockquote|img|figure|table)\b", re.I)


def article_body(page: str) -> str:
    """The longest articleBody of a page in the normal form, "" if there is none."""
    if "articleBody" not in page:
        return ""
    body = max((body for script in _scripts(page) for body in _bodies(script)), key=len, default="")
    text = unescaped(body)
    tag = _TAG.search(text)
    return _rendered(text) if tag and text.find(">", tag.end()) >= 0 else _plain(text)


def _rendered(text: str) -> str:
    """The text of HTML; what prepares pages is loaded only here, because few pages give search engines markup."""
    from curation.extract.prepare.page import RESILIPARSE, prepared
    from curation.extract.rendered import rendered
    from curation.extract.stand_ins import without_marks

    page, stand_ins = without_marks(text.encode("utf-8", "replace"))
    return rendered(prepared(page, RESILIPARSE).decode(), main_content=False, alt_texts=False).translate(stand_ins)


def _scripts(page: str) -> Iterator[str]:
    place = 0
    for _ in range(MAX_SCRIPTS):
        opening = _OPENING.search(page, place)
        if opening is None:
            return
        place = opening.end()
        stop = page.find("</script", place, place + MAX_SCRIPT)
        if stop < 0:
            stop = page.find("</SCRIPT", place, place + MAX_SCRIPT)
        if stop > 0 and "articleBody" in (script := page[place:stop]):
            yield script


def _bodies(script: str) -> Iterator[str]:
    """Values of articleBody, anywhere in a script's JSON."""
    try:
        waiting = [json.loads(script, strict=False, parse_int=float)]  # of a million digits: no work
    except (ValueError, RecursionError):
        return  # not JSON, or nested too deeply
    while waiting:
        value: Any = waiting.pop()
        if isinstance(value, dict):
            if isinstance(body := value.get("articleBody"), str):
                yield body
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _plain(text: str) -> str:
    writer = Writer()
    for line in text.splitlines():
        writer.text(line)
        if line.strip():
            writer.line()
        else:
            writer.blank()
    return writer.result()
