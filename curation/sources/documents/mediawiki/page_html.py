"""Cuts out of an article's HTML what is no part of its text: marks of footnotes and their lists, boxes for navigation
and maintenance, links to edit, hidden elements, and headings that then have nothing below them.

Lists of literature, of links and of related articles stay, since authors write these.

Source: https://www.mediawiki.org/wiki/Specs/HTML, Extension:Cite, and Manual:Interface/IDs and classes;
https://en.wikipedia.org/wiki/Wikipedia:Catalogue_of_CSS_classes.
"""

import re
from collections.abc import Iterator

_CLASSES = frozenset(
    """ambox asbox authority-control bandeau-portail catlinks cmbox cs1-hidden-error cs1-maint dablink
    dmbox error ext-phonos-attribution geo-multi-punct geo-nondefault hatnote homonymie imbox
    indicator Inline-Template mbox-small metadata mw-cite-backlink mw-editsection mw-empty-elt
    mw-indicator mw-indicators mw-jump-link mw-ref mw-references-wrap navbar navbox navigation-only
    noprint ombox portal-bar portalbox printfooter reference references reflist rellink side-box
    sidebar sistersitebox sortkey tmbox toc vertical-navbox Z3988""".split()
)
_MARK = re.compile(
    r'\sclass="(?P<classes>[^"<>]{1,500})"|\srole="(?P<role>navigation)"|\sid="(?P<id>coordinates|toc)"'
    r'|\stypeof="[^"<>]{0,100}(?P<type>mw:Extension/ref(?:erences)?)(?![a-z])'
    r'|\sstyle="[^"<>]{0,200}(?P<hidden>display:\s?none)'
)
_TAG = re.compile(r"""<(?P<name>[a-z][a-z0-9]{0,15})(?:[^<>"']|"[^"]*"|'[^']*')*+>""")
_TAG_BEGINS = re.compile(r"<(/?)([a-z][a-z0-9]{0,15})(?=[\s>/])")
_KEPT = frozenset(("html", "body", "h1", "section"))
_FORMULA = "mwe-math"
_FAR = 2000  # characters between the beginning of a tag and its class
_HEADING = re.compile(r"<h([2-6])[\s>]")
_ANY_TAG = re.compile(r"<[^<>]{0,10000}>")
_SEEN = re.compile(r"<(?:img|math|video|audio|table)\b")
_SHORT = 20_000  # characters of tags below a heading


def without_furniture(page: str) -> str:
    """The page without those elements; one that is never closed stays."""
    kept = []
    at = 0
    for start, stop in _furniture(page):
        kept.append(page[at:start])
        at = stop
    return _without_empty_sections("".join((*kept, page[at:]))) if kept else page


def _furniture(page: str) -> Iterator[tuple[int, int]]:
    """Where the outermost elements begin and end, in order."""
    at = 0
    endless: set[str] = set()
    for mark in _MARK.finditer(page):
        if mark.start() < at or (mark["classes"] and _CLASSES.isdisjoint(mark["classes"].split())):
            continue
        start = page.rfind("<", max(at, mark.start() - _FAR), mark.start())
        tag = _TAG.match(page, start) if start >= 0 else None
        if tag is None or tag.end() < mark.end() or tag["name"] in _KEPT or tag["name"] in endless:
            continue
        if mark["hidden"] and _FORMULA in tag[0]:  # which is hidden behind its picture
            continue
        stop = _end(page, tag["name"], tag.end())
        if stop < 0:
            endless.add(tag["name"])
        else:
            yield start, stop
            at = stop


def _end(page: str, name: str, start: int) -> int:
    """Behind the end of an element whose tag ends at `start`; -1 without one."""
    depth = 1
    for tag in _TAG_BEGINS.finditer(page, start):
        if tag[2] == name:
            depth += -1 if tag[1] else 1
        if not depth:
            return page.find(">", tag.end()) + 1 or -1
    return -1


def _without_empty_sections(page: str) -> str:
    """The page without headings above no text, unless they are above headings with some."""
    kept: list[str] = []
    end = len(page)
    below = 0  # level of the heading that is kept below
    for start in reversed([mark.start() for mark in _HEADING.finditer(page)]):
        level = int(page[start + 2])
        close = page.find(f"</h{level}>", start, end)
        behind = start if close < 0 else close + len("</h2>")
        stays = close < 0 or below > level or _says_something(page[behind:end])
        kept.append(page[start if stays else behind : end])
        below = level if stays else below
        end = start
    return page[:end] + "".join(reversed(kept))


def _says_something(part: str) -> bool:
    return len(part) > _SHORT or _SEEN.search(part) is not None or bool(_ANY_TAG.sub("", part).strip())
