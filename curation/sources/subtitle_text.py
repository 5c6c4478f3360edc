"""What is said in subtitles of SubRip or WebVTT: their cues as lines, without what only a player needs.

A line ends where a sentence does, or before the dash of another speaker, and not where a cue does; in a file that
seldom ends its sentences with a mark, as in songs or Chinese, each cue is a line. Captions that roll up, which show
each line two or three times, give it once.

Source: Lison and Tiedemann 2016, "OpenSubtitles2016" (LREC): sentences that go on in the next cue, and advertisements.
"""

import html
import re
from collections.abc import Iterator
from itertools import pairwise, takewhile
from typing import NamedTuple

from curation.text.html.inline_marks import resolved
from curation.text.html.inline_markup import marked

MARKED = 0.2  # share of lines that end in a mark, from which on a line without one goes on in the next cue
LAST = 8  # characters of a line, in which its mark is
LAYOUT = " \t-‐‑–—♪♫#*"  # a line of these alone says nothing
SITES = ("opensubtitles", "addic7ed", "subscene", "podnapisi", "tvsubtitles", "amara.org", "yts.mx", "yify")

_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}[,.]\d{1,3}"
_CUE = re.compile(rf"^(?:[ \t]*\d+[ \t]*\n)?[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}.*\n?", re.MULTILINE)
_HEADER_LANGUAGE = re.compile(r"WEBVTT.*\n(?:.+\n)*?Language:[ \t]*([A-Za-z][\w-]{1,30})")
_ROLLING = re.compile(r"<\d\d:\d\d[:.\d]*>")  # the moment at which a word of a line is said
_TAG = re.compile(r"</?(?:[A-Za-z]|\d\d:)[^<>]*>|\{\\[^{}]*\}|\{[A-Za-z]:[^{}]*\}")
_ENTITY = re.compile(r"&#?\w{1,10};")
_SOUND = re.compile(
    r"\[[^\[\]]*\]|［[^［］]*］|（[^（）]*）|^[^\w\n(]*\([^()]*\)[^\w\n(]*$|(?P<within>\([^()]*\))", re.MULTILINE
)
_CREDIT = re.compile(
    r"""^[^\w\n]*(?:(?:sub(?:title)?s|subtitled|subtitling|(?:closed\ )?caption(?:s|ed|ing)
      |(?:re)?sync(?:ed|hroni[sz]ed)?|ripped|transcript|translat(?:ion|ed))\b[^\n.?!]{0,40}\bby\b
    |advertise\ your\ (?:product|brand)|support\ us\ and\ become
    |(?:untertitel(?:ung)?|sous-titr(?:es|age)|legendas?|subt[ií]tulos|sottotitoli|ondertitel(?:s|ing)|napisy|titulky
      |undertekster|субтитры|字幕)\b[^\n.?!]{0,20}?(?::|\b(?:by|von|des|der|im|par|por|de|di|door|av|af)\b))""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_DASH = re.compile(r"[-‐‑–—]")
_END = re.compile(r"[.!?…。！？؟।♪♫\])][\"'»”’)\]]*$")
_ELLIPSIS = re.compile(r"(?:\.\.|…)$")


class SpokenText(NamedTuple):
    """The text, the language that a WebVTT file declares, and how many cues there were, and adverts and sounds."""

    text: str
    language: str | None
    cues: int
    adverts: int
    sounds: int


def dialogue(content: str, *, cut_sounds: bool) -> SpokenText | None:
    """What the cues of a file say; None if it has none."""
    text = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rolling = _ROLLING.search(text) is not None
    webvtt = text.startswith("WEBVTT")
    kept: list[list[str]] = []
    cues = adverts = sounds = 0
    before = ""
    for cue in _cues(text):
        cues += 1
        lines = cue.split("\n")
        plain = _plain("\n".join(takewhile(bool, lines) if webvtt else lines))
        if _is_advert(plain):
            adverts += 1
            continue
        without, found = _without_sounds(plain)
        sounds += found
        shown = [" ".join(line.split()) for line in (without if cut_sounds else plain).split("\n")]
        shown = [line for line in shown if line.strip(LAYOUT)]
        kept.append([line for old, line in pairwise([before, *shown]) if not (rolling and line == old)])
        before = shown[-1] if shown else before
    declared = _HEADER_LANGUAGE.match(text)
    return SpokenText(_joined(kept), declared and declared[1], cues, adverts, sounds) if cues else None


def _cues(text: str) -> Iterator[str]:
    """What stands below each line of times."""
    start = -1
    for head in _CUE.finditer(text):
        if start >= 0:
            yield text[start : head.start()]
        start = head.end()
    if start >= 0:
        yield text[start:]


def _plain(cue: str) -> str:
    """Without tags and ruby readings, and with characters for entities."""
    if "<ruby" in cue:
        cue = resolved(marked(cue))
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), _TAG.sub("", cue.replace(r"\N", "\n")))


def _is_advert(cue: str) -> bool:
    """Whether it names a site of subtitles, or who made these."""
    lower = cue.lower()
    return any(site in lower for site in SITES) or _CREDIT.search(cue) is not None


def _without_sounds(cue: str) -> tuple[str, int]:
    """Without what brackets say is heard, and how many there were: in round ones, what is in capitals or has a line."""
    spoken = 0

    def cut(found: re.Match[str]) -> str:
        nonlocal spoken
        if found["within"] and not found[0].isupper():
            spoken += 1
            return found[0]
        return ""

    without, brackets = _SOUND.subn(cut, cue)
    return without, brackets - spoken


def _joined(cues: list[list[str]]) -> str:
    """The lines of cues as lines of text."""
    ends = sum(_END.search(line[-LAST:]) is not None for lines in cues for line in lines)
    goes_on = ends >= MARKED * sum(map(len, cues))
    joined: list[list[str]] = []
    for lines in cues:
        for number, line in enumerate(lines):
            last = joined[-1][-1] if joined else "."
            ended = _END.search(last[-LAST:]) and not (
                _ELLIPSIS.search(last[-LAST:]) and line.lstrip(".… ")[:1].islower()
            )
            if ended or _DASH.match(line) or not (number or goes_on):
                joined.append([])
            joined[-1].append(line)
    return "\n".join(map(" ".join, joined))
