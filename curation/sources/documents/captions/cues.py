"""The cues of a file of subtitles: their times, and what stands in each, with tags.

- SubRip and WebVTT: a line of two times with an arrow between them. Players read times without milliseconds or hours,
  with points or colons before milliseconds, with blanks within, and short arrows; so does this, and it reads the arrows
  `- & gt;` of files that were translated by machine, and text behind the times.
- SubViewer and YouTube's SBV: a line of two times with a comma between them; `[br]` parts lines.
- Advanced SubStation Alpha and its older form: lines `Dialogue:` of fields with commas between them, by `Format:`.
- MicroDVD and MPL2: lines `{25}{50}text` and `[10][20]text`, with `|` between lines.

Sources: https://www.w3.org/TR/webvtt1/; http://www.tcax.org/docs/ass-specs.htm; the readers of pysubs2 for the others.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

FRAME = 40  # milliseconds: MicroDVD counts frames, mostly 24 or 25 a second
TENTH = 100  # milliseconds: MPL2 counts tenths of a second

_TIME = r"-?\d{1,9}(?: ?: ?-?\d{1,3}){1,3}(?: ?[.,;] ?\d{1,9})?"
_ARROW = r"[ \t]*(?:-{1,3}|[‐-―]|- -)[ ]?(?:[>›]|& ?gt;)[ \t]*"
_CUE = re.compile(
    rf"^(?:[ \t]*\d+[ \t]*\n)?[ \t]*(?P<start>{_TIME}){_ARROW}(?P<end>{_TIME})?(?P<rest>.*)\n?", re.MULTILINE
)
_PAIR = re.compile(
    r"^[ \t]*(?P<start>\d{1,3}:\d\d:\d\d\.\d{1,3}),(?P<end>\d{1,3}:\d\d:\d\d\.\d{1,3})[ \t]*(?P<rest>)\n", re.MULTILINE
)
_FRAMES = re.compile(r"^(?:\{(\d{1,9})\}\{(\d{0,9})\}|\[(\d{1,9})\]\[(\d{0,9})\])(.*)", re.MULTILINE)
_DIALOGUE = re.compile(r"^(?:Dialogue:[ \t]*(?P<said>.*)|Format:[ \t]*(?P<format>.*))", re.MULTILINE)
_DRAWING = re.compile(r"\{[^{}]{0,200}\\p[1-9]")
_SETTING = re.compile(r"\w+:\S", re.ASCII)  # of WebVTT, or SubRip's coordinates
_FIELDS = ("layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text")
_PLAIN_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)[,.](\d{3})")
_NUMBER = re.compile(r"\d+")


class Cue(NamedTuple):
    """A cue from `start` to `end`, in milliseconds."""

    start: int
    end: int
    text: str


def cues_of(text: str) -> Iterator[Cue]:
    """The cues of a text with line feeds, in the order of the file; those of SubStation Alpha by their times."""
    if _CUE.search(text):
        yield from _between(_CUE, text, one_block=text.startswith("WEBVTT"))
    elif _PAIR.search(text):
        yield from (cue._replace(text=cue.text.replace("[br]", "\n")) for cue in _between(_PAIR, text, one_block=True))
    elif any(found["said"] for found in _DIALOGUE.finditer(text)):
        yield from sorted(_dialogue(text), key=lambda cue: cue.start)
    else:
        yield from _framed(text)


def _between(head: re.Pattern[str], text: str, *, one_block: bool) -> Iterator[Cue]:
    """The text below each line of times, and behind them; `one_block` if an empty line ends it."""
    last: re.Match[str] | None = None
    for found in head.finditer(text):
        if last:
            yield _cue(last, text[last.end() : found.start()], one_block)
        last = found
    if last:
        yield _cue(last, text[last.end() :], one_block)


def _cue(head: re.Match[str], below: str, one_block: bool) -> Cue:
    start = _milliseconds(head["start"])
    if one_block:
        below = "\n".join(takewhile(bool, below.split("\n")))
    rest = head["rest"].strip()
    behind = "" if not rest or all(map(_SETTING.match, rest.split())) else rest + "\n"
    return Cue(start, _milliseconds(head["end"]) if head["end"] else start, behind + below)


def _milliseconds(time: str) -> int:
    """The seconds of a time, with or without hours and a fraction; a fourth number is a fraction too."""
    if plain := _PLAIN_TIME.fullmatch(time):
        return 1000 * (3600 * int(plain[1]) + 60 * int(plain[2]) + int(plain[3])) + int(plain[4])
    clock, _, fraction = re.sub("[,;]", ".", time).partition(".")
    numbers = _NUMBER.findall(clock)
    parts = _NUMBER.findall(fraction) or numbers[3:]
    seconds = 0
    for number in numbers[:3]:
        seconds = 60 * seconds + int(number[-9:])
    return 1000 * seconds + int(parts[0].ljust(3, "0")[:3] if parts else 0)


def _dialogue(text: str) -> Iterator[Cue]:
    fields: tuple[str, ...] = _FIELDS
    for found in _DIALOGUE.finditer(text):
        if found["format"] is not None:
            named = tuple(field.strip().lower() for field in found["format"].split(","))
            fields = named if named[-1] == "text" and {"start", "end"} <= {*named} else fields
            continue
        values = dict(zip(fields, found["said"].split(",", len(fields) - 1), strict=False))
        said = values.get("text", "")
        if not _DRAWING.search(said):
            yield Cue(_milliseconds(values.get("start", "")), _milliseconds(values.get("end", "")), said)


def _framed(text: str) -> Iterator[Cue]:
    for found in _FRAMES.finditer(text):
        said = found[5].replace("|", "\n")
        if found[1]:
            yield Cue(FRAME * int(found[1]), FRAME * int(found[2] or found[1]), said)
        else:
            yield Cue(TENTH * int(found[3]), TENTH * int(found[4] or found[3]), said)
