"""The numbers that a browser shows before the items of ordered lists, where these are not 1, 2, 3.

Parsers number every list from 1. An item of a list with a `start`, `value`, `type` or `reversed` gets its number
between two marks before its first words; `curation.extract.normal_form` puts it in the place of the parser's number.
"""

import re
from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.declared import attributes
from curation.extract.marks import NUMBER_CLOSES, NUMBER_OPENS
from curation.extract.prepare.attribute_names import attribute_names, has_attribute
from curation.extract.prepare.edits import Edit
from curation.extract.prepare.page_tags import PageTags, elements
from curation.text.html.numbering import markers
from curation.text.kernels.compiler.kernel import kernel

_OL = NUMBER["ol"]
_LI = NUMBER["li"]
_TABLE = NUMBER["table"]
_LISTS = elements("ol ul menu dir")
_SHORTEST = len("<ol start>")
_REVERSED = re.compile(rb"\sreversed(?=[\s=/>])", re.IGNORECASE)
_OF_LIST = attribute_names("start type reversed")
_OF_ITEM = attribute_names("value")
_ENDS_ITEM = elements("li ol ul menu dir table")
_NO_WORDS = re.compile(rb"(?:\s+|<!--.*?-->|&nbsp;|&#160;|\xc2\xa0)*", re.DOTALL)
_CHANGED = elements("sup table pre code time label button script style")  # a number in these would go with them


def list_numbers(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Numbers between marks in the items of lists that say how they are numbered."""
    if not _is_stated(tags):
        return
    rows = np.flatnonzero(_LISTS[tags.name] | (tags.name == _LI))
    lists: list[tuple[int, list[int]]] = []  # of each open list the row of its tag, and those of its items
    for at, name, closes in zip(rows.tolist(), tags.name[rows], tags.closes[rows], strict=True):
        if name == _LI:
            if lists and not closes:
                lists[-1][1].append(at)
        elif not closes:
            lists.append((at, []))
        elif lists and tags.partner[at] >= 0:
            yield from _numbers(page, tags, *lists.pop())
    for of, items in lists:
        yield from _numbers(page, tags, of, items)


@kernel
def _is_stated(tags: PageTags) -> bool:
    """Whether a list or an item has an attribute that numbers."""
    for row in range(tags.start.size):
        name = tags.name[row]
        if tags.closes[row] or tags.end[row] - tags.start[row] < _SHORTEST:
            continue
        if name == _OL and has_attribute(tags.html, tags.start[row], tags.end[row], _OF_LIST):
            return True
        if name == _LI and has_attribute(tags.html, tags.start[row], tags.end[row], _OF_ITEM):
            return True
    return False


def _numbers(page: bytes, tags: PageTags, of: int, items: list[int]) -> Iterator[Edit]:
    """The marked numbers of one list's items, none if it is numbered from 1."""
    attributes_of = [attributes(page[tags.start[at] : tags.end[at]]) for at in (of, *items)]
    own, *stated = attributes_of
    backwards = _REVERSED.search(page, tags.start[of], tags.end[of]) is not None
    if tags.name[of] != _OL:
        return
    if not (backwards or "start" in own or "type" in own or any("value" in one for one in stated)):
        return
    numbers = markers(
        [one.get("value") for one in stated],
        start=own.get("start"),
        backwards=backwards,
        kind=own.get("type"),
        kinds=[one.get("type") for one in stated],
    )
    for at, number in zip(items, numbers, strict=True):
        place = _first_words(page, tags, at)
        if place is not None:
            text = f"{number}." if number else "-"
            yield Edit(place, place, f"{NUMBER_OPENS}{text}{NUMBER_CLOSES}".encode())


def _first_words(page: bytes, tags: PageTags, item: int) -> int | None:
    """Where the first words of an item begin; None if a list or the item's end comes before."""
    for at in range(item, tags.start.size):
        if _CHANGED[tags.name[at]] and not tags.closes[at]:
            return int(tags.start[at])
        start = int(tags.end[at])
        stop = int(tags.start[at + 1]) if at + 1 < tags.start.size else len(page)
        words = _NO_WORDS.match(page, start, stop)
        if words and words.end() < stop:
            return words.end()
        if at + 1 == tags.start.size or _ends_item(tags, at + 1):
            return None
    return None


def _ends_item(tags: PageTags, at: int) -> bool:
    return bool(_ENDS_ITEM[tags.name[at]] and (tags.closes[at] or tags.name[at] != _TABLE))
