"""Finds in HTML what plain text would lose or run together, and puts marks in its place (`inline_marks`).

Superscripts are marked, with whether they link to a note. Ruby readings are taken out, so that the base text is whole:
水車 and not 水車すいしゃ. Items of ordered lists are marked with the number that a browser shows, where it is not the
one that comes of counting from 1. Tags are found in the source by their names, without a tree.

Source: WHATWG HTML Standard, "The ruby element", "The ol element".
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.text.html.inline_marks import ENDED, LINKED, LOWERED, RAISED, numbered, spared
from curation.text.html.numbering import markers

_MAY_NEED = r"(?i)<(?:sup|ruby|ol\s|li\s)"  # of RE2, ten times as fast as the next one
_NEEDED = re.compile(r"<(?:sup|ruby)[\s/>]|<(?:ol|li)\s[^<>]*\b(?:start|reversed|type|value)\b", re.IGNORECASE)
_BLOCKS = "p|div|table|tr|td|th|h[1-6]|blockquote|pre|br|section|article"
_TOKEN = re.compile(
    rf"(?P<comment><!--)|<(?P<ends>/?)(?P<name>sup|sub|a|ruby|rb|rt|rp|rtc|ol|ul|menu|dir|li|{_BLOCKS})(?=[\s/>])"
    r"(?P<attributes>[^<>]*)>",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?:\s*<(?:p|div|section|article)(?:\s[^<>]*)?>)+", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z][\w:-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""", re.IGNORECASE)
_MAY_BE_NOTE = re.compile("#|note|ref", re.IGNORECASE)
_NOTE_CLASS = re.compile(r"(?:foot|end)note|noteref|\b(?:mw-)?ref(?:erence)?\b", re.IGNORECASE)
_READINGS = ("rt", "rp", "rtc")


def marked(markup: str) -> str:
    """HTML with marks, and without ruby readings; the same where it has nothing of the kind."""
    return _Marking(spared(markup)).written() if _NEEDED.search(markup) else markup


def may_need_marks(markups: pa.Array) -> list[int]:
    """The rows of HTML [N] that `marked` may change, found in a fraction of the time."""
    return np.flatnonzero(pc.fill_null(pc.match_substring_regex(markups, _MAY_NEED), False)).tolist()


@dataclass(frozen=True)
class _OrderedList:
    """One that is open: its attributes and those of its items, and where in the output their marks belong."""

    attributes: dict[str, str]
    items: list[dict[str, str]] = field(default_factory=list)
    places: list[int] = field(default_factory=list)


class _Marking:
    """One pass over a page's source."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._out: list[str] = []
        self._kept = 0  # all before is written or left out
        self._reading = False  # whether what comes is a ruby reading
        self._in_ruby = False
        self._note_link = False
        self._raised: list[int] = []  # where the marks of open superscripts are in the output
        self._lists: list[_OrderedList | None] = []  # None for one with bullets
        self._acts: dict[str, Callable[[re.Match[str]], None]] = {
            "sup": self._sup,
            "sub": self._sub,
            "a": self._link,
            "ruby": self._ruby,
            "rb": self._base,
            **dict.fromkeys(_READINGS, self._ruby_reading),
            **dict.fromkeys(("ol", "ul", "menu", "dir"), self._list),
            "li": self._item,
        }

    def written(self) -> str:
        """All of it."""
        place = 0
        while token := _TOKEN.search(self._markup, place):
            place = token.end()
            if token["comment"]:
                place = self._markup.find("-->", place)
                if place < 0:
                    break
                continue
            act = self._acts.get(token["name"].lower())
            if act is None:
                self._end_ruby(token)
            else:
                act(token)
            place = max(place, self._kept)
        self._put(len(self._markup))
        while self._lists:
            self._close_list()
        return "".join(self._out)

    def _put(self, stop: int) -> None:
        """What is between the last place and this one, unless it is a reading."""
        if not self._reading and stop > self._kept:
            self._out.append(self._markup[self._kept : stop])
        self._kept = max(self._kept, stop)

    def _sup(self, token: re.Match[str]) -> None:
        self._put(token.start())
        self._kept = token.end()
        if self._reading:
            return
        if not token["ends"]:
            self._raised.append(len(self._out))
            self._out.append(LINKED if self._note_link or _names_note(token) else RAISED)
        elif self._raised:
            self._raised.pop()
            self._out.append(ENDED)

    def _sub(self, token: re.Match[str]) -> None:
        behind_slash = self._markup[max(token.start() - 1, 0) : token.start()] in ("/", "∕")
        if behind_slash and not token["ends"] and not self._reading:
            self._put(token.end())
            self._out.append(LOWERED)

    def _link(self, token: re.Match[str]) -> None:
        self._note_link = not token["ends"] and _names_note(token)
        if self._note_link and self._raised:
            self._out[self._raised[-1]] = LINKED

    def _ruby(self, token: re.Match[str]) -> None:
        self._end_ruby(token)
        self._in_ruby = not token["ends"]

    def _end_ruby(self, token: re.Match[str]) -> None:
        self._put(token.start())
        self._in_ruby = self._reading = False

    def _base(self, token: re.Match[str]) -> None:
        self._put(token.start())
        self._reading = False

    def _ruby_reading(self, token: re.Match[str]) -> None:
        if not self._in_ruby:
            return
        self._put(token.start())
        self._kept = token.end()
        self._reading = not token["ends"]

    def _list(self, token: re.Match[str]) -> None:
        self._end_ruby(token)
        if token["ends"]:
            if self._lists:
                self._close_list()
        else:
            ordered = token["name"].lower() == "ol"
            self._lists.append(_OrderedList(_attributes(token["attributes"])) if ordered else None)

    def _item(self, token: re.Match[str]) -> None:
        self._end_ruby(token)
        if token["ends"] or not self._lists or (within := self._lists[-1]) is None:
            return
        opening = _OPENING.match(self._markup, token.end())
        self._put(opening.end() if opening else token.end())
        within.items.append(_attributes(token["attributes"]))
        within.places.append(len(self._out))
        self._out.append("")

    def _close_list(self) -> None:
        """Mark the items of the innermost list, unless they are numbered from 1 on."""
        ordered = self._lists.pop()
        if ordered is None:
            return
        shown = markers(
            [item.get("value") for item in ordered.items],
            start=ordered.attributes.get("start"),
            backwards="reversed" in ordered.attributes,
            kind=ordered.attributes.get("type"),
            kinds=[item.get("type") for item in ordered.items],
        )
        if shown != [str(number) for number in range(1, len(shown) + 1)]:
            for place, marker in zip(ordered.places, shown, strict=True):
                self._out[place] = numbered(marker)


def _names_note(token: re.Match[str]) -> bool:
    """Whether a tag links to a place in the page, or says that it is a note's mark."""
    if not _MAY_BE_NOTE.search(token["attributes"]):
        return False
    found = _attributes(token["attributes"])
    roles = " ".join(found.get(name, "") for name in ("class", "role", "rel", "epub:type"))
    return found.get("href", "").startswith("#") or _NOTE_CLASS.search(roles) is not None


def _attributes(written: str) -> dict[str, str]:
    """Those of a tag by their names in lower case, the first of each."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(written) if written.strip(" /") else ():
        found.setdefault(match[1].lower(), (match[2] or "").strip("\"'"))
    return found
