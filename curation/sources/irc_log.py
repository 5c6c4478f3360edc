"""Lines of IRC logs as irssi, WeeChat, ZNC, mIRC, HexChat and Ubuntu's logger write them, by day.

A line has its time (`[12:34]`, `12:34:56`, `2020-01-02 12:34:56`, `[2020-01-02T12:34:56Z]`, `Jan 02 12:34:56`), then
`<nick> text`, WeeChat's nick and text with a tab between them, `* nick does`, or an event. Some mark events with the
star of an action: it is an event where it has the words of one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

MAX_DAY_LINE = 200  # characters in which its date is
HALF_DAY = 12  # hours by which the clock goes back at midnight, at least, where nothing else tells a new day
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_FORMAT = re.compile(
    r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04[\dA-Fa-f]{6}|[\x00-\x02\x05-\x08\x0b-\x1f\ufeff]"
)  # bold, colours
_MONTH = rf"({'|'.join(MONTHS)})"
_CLOCK = r"(\d\d?):\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_TIME = re.compile(rf"\[?(?:(\d{{4}}-\d\d-\d\d)[T ]|{_MONTH} +(\d\d?) )?{_CLOCK}\]?[ \t]\s*", re.IGNORECASE)
_DAY_LINE = re.compile(r"--- (?:Log|Day) |\*{4} (?:BEGIN|ENDING) LOGGING AT |Session (?:Start|Time|Close): |=== Day ")
_NUMBERS = re.compile(r"(?<!\d)((?:19|20)\d\d)([-./_]?)(\d\d)\2(\d\d)(?!\d)")
_WORDS = re.compile(rf"\b{_MONTH} +(\d\d?)\b.* (\d{{4}})", re.IGNORECASE)
_SAID = re.compile(r"<[ @+%&~!]?([^\s<>]+)>\s?(.*)")
_SAID_BY_TAB = re.compile(r"[@+%&~!]?([^\s<>*=→←⇐⇒-]\S*)\t(.*)")
_DOES = re.compile(r"\*\s+(\S+) (.*)")
_MARK = re.compile(r"(?:\*+|-!-|===|---?|-->|<--|[→←⇐⇒]|Session)\s+")
_NOTICE = re.compile(r"-[^\s-]\S*- ?")
_WHO = r"\S+ (?:.*[\])] )?"
_EVENTS = {
    "join": re.compile(rf"{_WHO}has joined(?: [#&]|$)|Joins: |Now talking "),
    "part": re.compile(rf"{_WHO}has left(?: [#&(\[]|$)|Parts: "),
    "quit": re.compile(rf"{_WHO}(?:has quit|Quit)(?: [(\[]| IRC|$)|Quits: |Disconnected"),
    "mode": re.compile(r"mode[/ ][#&]|\S+ sets? mode|\S+ (?:gives|removes) (?:channel|voice)", re.IGNORECASE),
    "kick": re.compile(r"\S+ (?:was kicked|has kicked) "),
    "nick": re.compile(r"\S+ (?:is|are) now known as "),
    "topic": re.compile(r"topic |set by |\S+ (?:has )?change[sd] (?:the )?topic ", re.IGNORECASE),
}


@dataclass
class Conversation:
    """What is said on a day, which is None if nothing tells it: nicks with their lines, of a long one the first."""

    day: date | None
    said: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0  # characters of all lines


def conversations(log: Iterable[str], day: date | None, most: int, counts: Counter[str]) -> Iterator[Conversation]:
    """Those of the lines of a log that begins on a day; of one of more than `most` characters, its first lines. Other
    lines are counted by what they are: `join` …, `event`, `notice`, and `line` for one of no known form."""
    talk = Conversation(day)
    last = 0
    for raw in log:
        line = _FORMAT.sub("", raw.rstrip())
        time = _TIME.match(line)
        day = _day(line, time, day)
        hour = int(time[4]) if time else last
        if day != talk.day or (day is None and last - hour > HALF_DAY):
            if talk.said:
                yield talk
            talk = Conversation(day)
        last = hour
        rest = line[time.end() :] if time else line
        if time and (said := _said(rest)):
            if talk.size <= most:
                talk.said.append(said)
            talk.size += len(said[1])
        elif rest and not _DAY_LINE.match(line):
            counts[_cause(rest)] += 1
    if talk.said:
        yield talk


def date_in(text: str) -> date | None:
    """The last date in a name, such as 2020-01-02, 20200102 or 2020/01/02."""
    found = [_date(one[1], one[3], one[4]) for one in _NUMBERS.finditer(text.replace("/", "-"))]
    return found[-1] if found else None


def _day(line: str, time: re.Match[str] | None, day: date | None) -> date | None:
    """The day of a line after one of `day`."""
    if time is None and _DAY_LINE.match(line):
        words = _WORDS.search(line[:MAX_DAY_LINE])
        return (_date(words[3], _number(words[1]), words[2]) if words else date_in(line[:MAX_DAY_LINE])) or day
    if time and time[1]:
        return _date(*time[1].split("-")) or day
    if time and time[2] and day:
        month = _number(time[2])
        return _date(day.year + (day.month - month > 6), month, time[3]) or day  # December's log goes on in January
    return day


def _number(month: str) -> int:
    return MONTHS.index(month.lower()) + 1


def _date(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _said(rest: str) -> tuple[str, str] | None:
    """Nick and line of what somebody says or does."""
    said = _SAID.match(rest) or _SAID_BY_TAB.match(rest)
    if said:
        return (said[1], f"<{said[1]}> {said[2].strip()}") if said[2].strip() else None
    does = _DOES.match(rest)
    if does and not any(event.match(rest, does.start(1)) for event in _EVENTS.values()):
        return does[1], f"* {does[1]} {does[2].strip()}"
    return None


def _cause(rest: str) -> str:
    mark = _MARK.match(rest)
    if mark is None:
        return "notice" if _NOTICE.match(rest) else "line"
    return next((name for name, event in _EVENTS.items() if event.match(rest, mark.end())), "event")
