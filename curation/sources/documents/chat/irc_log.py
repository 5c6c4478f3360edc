"""Lines of IRC logs by day, as clients, bouncers and loggers write them.

A line has its time, then what somebody says or does, or an event. Times have a date or none, in brackets or not:
`[12:34]`, `12:34:56`, `2020-01-02 12:34:56 PST/-0800`, `[2020-01-02T12:34:56Z]`, `Jan 02 12:34:56`, `[02 Jan 12:34]`,
`02 Jan 2020 12:34`, `1577968496`, `[Thu Jan 2 2020] [12:34:56]`. Speech is `<nick> text`, of dircproxy with the nick's
host mask, of Madoka and Tiarra with the channel's name; or WeeChat's nick and text, with a tab or a bar between them.
What somebody does is `* nick does`, Textual's `• nick: does`, Eggdrop's `Action: nick does`, or `=== nick does` in
Ubuntu's logs until 2007, `-*- nick does` of Quassel, `***nick does` of Pidgin. What a bridge relays from another
network, `<bridge> [network] <nick> text`, is said by that nick. Some mark events with the star of an action, others not
at all: both are told by the words of an event.

A log that has none of these may be one without times, or of `nick: text` after them: see `form_of`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from curation.sources.dates import MONTHS
from curation.sources.documents.chat.irc_events import event_in

MAX_DAY_LINE = 200  # characters in which its date is
HALF_DAY = 12  # hours by which the clock goes back at midnight, at least, where nothing else tells a new day
LOOSE = 0.5  # of a log's first lines, at least, that are something where none is speech as clients write it
MOST_OTHERS = 100_000  # lines that say nothing, behind which the others of a log are passed over where so few say
RARE = 0.01  # of these that say something
ENOUGH = 30  # lines of speech by which a form is known
KONVERSATION = frozenset(("Join", "Part", "Quit", "Nick", "Topic", "Mode", "Kick", "Notice", "Notify", "Info", "CTCP"))

_FORMAT = re.compile(
    r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04[\dA-Fa-f]{6}|[\x00-\x02\x05-\x08\x0b-\x1f\ufeff]"
)  # bold, colours
_MONTH = rf"({'|'.join(MONTHS)})[a-z]{{0,6}}"
_DATE = (
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?"
    rf"(?:(\d{{4}})([-/.]?)(\d\d)\2(\d\d)|{_MONTH} +(\d\d?)(?:,? (\d{{4}}))?|(\d\d?) {_MONTH}(?: (\d{{4}}))?"
    r"|(\d\d?)[-.](\d\d?)[-.](\d{4})|\d\d?/\d\d?/\d{4})"  # the last begins with the day or the month
)
_CLOCK = r"(\d\d?):\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?([ap])m)?(?:Z|[+-]\d\d:?\d\d)?(?: [A-Z]{3,4}/[+-]\d{4})?"
_TIME = re.compile(  # before it there may be what is left of a colour
    rf"(?:\d\d(?=\[))?[\[(]?(?:{_DATE}(?:T|[\])]?,? {{1,2}}[\[(]?))?{_CLOCK}[\])]?:?[ \t]\s*", re.IGNORECASE
)
_DAY_LINE = re.compile(
    r"--- (?:Log|Day) |\*{4} (?:BEGIN|ENDING) LOGGING AT |Session (?:Start|Time|Close|Ident)\b|=== Day |#{2,3} |# Log "
    r"|Conversation with "
)
_TIMED_DAY_LINE = re.compile(r"-{3,} (?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? ", re.IGNORECASE)
_NUMBERS = re.compile(r"(?<!\d)((?:19|20)\d\d)([-./_]?)(\d\d)\2(\d\d)(?!\d)")
_WORDS = re.compile(rf"\b{_MONTH} +(\d\d?)\b.* (\d{{4}})", re.IGNORECASE)
_SAID = re.compile(
    r"<[ @+%&~!]{0,3}(?:[#&][^\s<>]{0,64}:)?([^<>!]{1,64}?)(![^<>]*)?>\s?(.*)"
    r"|< ?([^\s<>!:]{1,64})(![^\s<>]{1,255}): (.*)"  # of bip
)
_SAID_BY_TAB = re.compile(r"[@+%&~!]?([^\s<>*=→←⇐⇒-]\S*)(?:\t| [|│┃] )(.*)")
_SAID_BY_COLON = re.compile(r"([A-Za-z\[\]\\`_^{|}][\w\[\]\\`^{|}-]{0,30}): +(.*)")
_DOES = re.compile(r"(?:[*•](?: [|│┃])?\s+|===\s+(?![#&])|Action: |-\*- |\*{3}(?=\w))([^\s!]+)(?:!\S*)? (.*)")
_EPOCH = re.compile(r"(1\d{9})(?=[ \t])")
_MARK = re.compile(r"(?:(?:\*+|-!-|={2,3}|-{1,3}|\+|-->|<--|[→←⇐⇒!│|]|Session|[A-Z][a-z]{2,7}(?=\t))\s+){1,2}")
_NOTICE = re.compile(r"-[^\s-]\S*- ?")
_TIME_AT_END = re.compile(r"\s\[?\d\d?:\d\d(?::\d\d)?\]?\Z")
_BRIDGE = re.compile(r"bridge|relay|gateway|discord|telegram|matrix|slack|matter|bot[\d_`-]*$", re.IGNORECASE)
_RELAYED = re.compile(r"(?:\[[^\[\]]{1,40}\] ?)?<([^<>]{1,64})> ?(.+)")
_IDENTIFIED = re.compile(r"[+-](?=\S)")


@dataclass
class Conversation:
    """The speech of a day, which is None if nothing tells it: nicks with their lines, of a long one the first."""

    day: date | None
    said: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0  # characters of all lines


@dataclass(frozen=True, kw_only=True)
class Form:
    """The way in which a log is read: `loose` where lines have no times, or `nick: text` after them; `marked` where a
    sign before each text of others says whether its author has identified, as servers did for clients which asked."""

    loose: bool = False
    marked: bool = False


def conversations(
    log: Iterable[str], day: date | None, most: int, counts: Counter[str], form: Form = Form()
) -> Iterator[Conversation]:
    """Those of the lines of a log that begins on a day; of one of more than `most` characters, its first lines. Other
    lines are counted by what they are: `join` …, `event`, `notice`, and `line` for one of no known form, or behind more
    than `MOST_OTHERS` of which hardly one says something."""
    lines = iter(log)
    talk = Conversation(day)
    last = spoken = others = 0
    turn: tuple[date | None, str | None] = (day, None)
    nicks: set[str] = set()
    for raw in lines:
        line = raw.rstrip()
        if not line.isprintable():
            line = _FORMAT.sub("", line)
        if line[:1] == "1" and (epoch := _EPOCH.match(line)):  # of ii
            line = f"{datetime.fromtimestamp(int(epoch[1]), UTC):%Y-%m-%d %H:%M:%S}{line[epoch.end() :]}"
        time = _TIME.match(line)
        day = _day(line, time, day)
        hour = _hour(time) if time else last
        # Without a year, the day of the month tells a new day.
        now = (day, None if day else (time and (time[6] or time[8])) or turn[1])
        if now != turn or (now == (None, None) and last - hour >= HALF_DAY):
            if talk.said:
                yield talk
            talk = Conversation(day)
        last = hour
        turn = now
        rest = line[time.end() :] if time else line
        if form.loose and not time:
            rest = _TIME_AT_END.sub("", rest)
        said = _said(rest, form)
        if said and (time or form.loose or said[0] in nicks):
            nicks.add(said[0])
            spoken += 1
            if talk.size <= most:
                talk.said.append(said)
            talk.size += len(said[1])
        elif rest and not _DAY_LINE.match(line) and not _TIMED_DAY_LINE.match(rest):
            counts[_cause(rest, timed=time is not None) if said is None else "line"] += 1
            others += 1
            if others > MOST_OTHERS and spoken < RARE * others:
                counts["line"] += sum(not line.isspace() for line in lines)
    if talk.said:
        yield talk


def form_of(head: Iterable[str]) -> Form:
    """The form of a log that begins with these lines: loose if none of them is speech as clients write it, and half of
    them are something; marked if most texts of those whose host masks are told begin with a sign."""
    lines = understood = spoken = masked = signs = 0
    for raw in head:
        if spoken > ENOUGH:
            break
        line = _FORMAT.sub("", raw.strip())
        time = _TIME.match(line)
        rest = line[time.end() :] if time else line
        said = _SAID.match(rest)
        if said and said[2]:
            masked += 1
            signs += _IDENTIFIED.match(said[3]) is not None
        if rest and not _DAY_LINE.match(line):
            lines += 1
            strict = _said(rest, Form())
            spoken += bool(time and strict and strict[1][0] == "<")
            understood += bool(strict or (time and _SAID_BY_COLON.match(rest)) or event_in(rest))
    return Form(loose=not spoken and 0 < understood >= LOOSE * lines, marked=signs > masked / 2)


def date_in(text: str) -> date | None:
    """The last date in a name, such as 2020-01-02, 20200102 or 2020/01/02."""
    found = [_date(one[1], one[3], one[4]) for one in _NUMBERS.finditer(text.replace("/", "-"))]
    return found[-1] if found else None


def _hour(time: re.Match[str]) -> int:
    hour = int(time[14])
    return hour % 12 + 12 * (time[15] in "pP") if time[15] else hour


def _day(line: str, time: re.Match[str] | None, day: date | None) -> date | None:
    """The day of a line after one of `day`."""
    if time is None or _TIMED_DAY_LINE.match(line, time.end()):
        return (_day_told(line[:MAX_DAY_LINE]) if time or _DAY_LINE.match(line) else None) or day
    if time[1]:
        return _date(time[1], time[3], time[4]) or day
    if time[13]:
        return _date(time[13], time[12], time[11]) or day
    month = time[5] or time[9]
    year = time[7] or time[10]
    if month and (year or day):
        of = _number(month)
        # December's log goes on in January
        return _date(year or (day.year + (day.month - of > 6) if day else 0), of, time[6] or time[8]) or day
    return day


def _day_told(line: str) -> date | None:
    words = _WORDS.search(line)
    return _date(words[3], _number(words[1]), words[2]) if words else date_in(line)


def _number(month: str) -> int:
    return MONTHS.index(month.lower()) + 1


def _date(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _said(rest: str, form: Form) -> tuple[str, str] | None:
    """Nick and line of what somebody says or does."""
    if rest[:1] == "<":
        if not (said := _SAID.match(rest)):
            return None
        nick = (said[1] or said[4]).strip()
        if nick == "-":  # before events of Quassel
            return None
        text = (said[3] or said[6] or "").strip()
        if form.marked and said[2]:
            text = _IDENTIFIED.sub("", text, count=1) if _IDENTIFIED.match(text) else text
        if (relayed := _RELAYED.match(text)) and _BRIDGE.search(nick):
            nick, text = relayed.groups()
        by_server = text.startswith(nick + " ") and event_in(text)  # W3C's logs have <nick> before events too
        return (nick, f"<{nick}> {text}") if nick and text and not by_server else None
    if (said := _SAID_BY_TAB.match(rest)) and said[1] not in KONVERSATION:
        return (said[1], f"<{said[1]}> {said[2].strip()}") if said[2].strip() else None
    does = _DOES.match(rest)
    if does and not event_in(rest, does.start(1)):
        nick = does[1].rstrip(":") or does[1]
        return nick, f"* {nick} {does[2].strip()}"
    if form.loose and (said := _SAID_BY_COLON.match(rest)) and not event_in(rest):
        return said[1], f"<{said[1]}> {said[2]}"
    return None


def _cause(rest: str, *, timed: bool) -> str:
    """The word under which a line that says nothing is counted."""
    said = _SAID.match(rest) if timed else None
    if said:
        return event_in(said[3] or "") or "empty"
    mark = _MARK.match(rest)
    if mark is None:
        return event_in(rest) or ("notice" if _NOTICE.match(rest) else "line")
    return event_in(rest, mark.end()) or "event"
