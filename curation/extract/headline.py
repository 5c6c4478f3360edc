"""The title that a page shows: found in its markup, and put first in the text, once.

Parsers drop or move a heading that stands outside of what they take for the main text. The title is the <h1> that
shares most words with the page's <title>, at least half of its own. A site's name is none: a part of the <title>,
between dashes, bars or dots, that is not the part with most words. A page without such an <h1> shows no title.

On 436 pages with a known title of `pages-public-00000` and `-00001` of data/web (2026-11), an <h1> is right on 340; of
those that share no word with the <title>, two in three are wrong.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator

MAX_HEADING_BYTES = 4_000  # of markup
MAX_TITLE = 300  # characters; a longer <h1> is a block of text
MAX_HEADINGS = 16  # read from the start of a page
SHARED = 0.5  # of the heading's words
TOP = 3  # lines of a text: a title within a longer line of these is there already

_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W\u3040-\u30ff\u3400-\u9fff]+")
_UNSHOWN = re.compile(r"<!--.*?-->|<(script|style|svg)\b.*?</\1[^>]*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_PARTS = re.compile(
    "(?<!\\s)\\s+(?:[-|/~:\u2013\u2014\u00b7\u2022\u00bb\u00ab\u203a]+)\\s+|(?:(?<!\\s)\\s+)?[|\u2022\u00bb\u00ab]\\s*"
)


def headed(text: str, title: str) -> str:
    """The text with a page's title as its first line, apart by a blank one; as it is if either is empty."""
    if not text or not title:
        return text
    lines = text.split("\n")
    folded = title.casefold()
    top = [line.casefold() for line in lines if line][:TOP]
    if folded in top[0] or any(folded in line and folded != line for line in top):
        return text
    rest = "\n".join(line for line in lines if line.casefold() != folded).strip("\n")
    return f"{title}\n\n{rest}"


def headline(page: str) -> str:
    """The title that a page shows, "" if none."""
    declared = next(_contents(page, "title"), "")
    return title_among(_contents(page, "h1"), declared) if declared else ""


def title_among(headings: Iterable[str], declared: str) -> str:
    """The heading that is the title, as the page's <title> declares it; "" if none is."""
    words = Counter(_words(declared))
    best = ""
    most = 0
    for heading in headings:
        own = _words(heading)
        shared = (Counter(own) & words).total()
        if shared > most and shared >= SHARED * len(own) and not _is_site(own, declared):
            best = heading
            most = shared
    return best


def _is_site(own: list[str], declared: str) -> bool:
    parts = [_words(part) for part in _PARTS.split(declared)]
    return own in parts and len(own) < max(map(len, parts))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _contents(page: str, name: str) -> Iterator[str]:
    """The text of the page's elements of a name, in one line each."""
    tag = name if f"<{name}" in page else name.upper()  # a page has one or the other
    place = 0
    for _ in range(MAX_HEADINGS):
        start = page.find(f"<{tag}", place)
        if start < 0:
            return
        place = start + len(name) + 1
        end = page.find(">", place, place + MAX_HEADING_BYTES)
        stop = page.find(f"</{tag}", end, end + MAX_HEADING_BYTES)
        if end < 0 or stop < 0 or page[place] not in " \t\r\n\f>":
            continue
        text = " ".join(html.unescape(_UNSHOWN.sub(" ", page[end + 1 : stop])).split())
        if 0 < len(text) <= MAX_TITLE:
            yield text
