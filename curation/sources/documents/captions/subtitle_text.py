"""Writes what is said in subtitles: their cues as lines, without what only a player needs.

A line ends where a sentence does, or before the dash of another speaker, and not where a cue does; in a file that
seldom ends its sentences with a mark, as in songs or Chinese, each cue is a line. Captions that roll up, which show
each line two or three times, give it once (`rolling`).

Source: Lison and Tiedemann 2016, "OpenSubtitles2016" (LREC): sentences that go on in the next cue, and advertisements.
"""

import html
import re
from typing import NamedTuple

from curation.sources.documents.captions.cues import cues_of
from curation.sources.documents.captions.rolling import ShownLines, said_once
from curation.text.html.inline_marks import resolved
from curation.text.html.inline_markup import marked

MOST_CUES = 100_000  # of a file; a film has 2,000
MARKED = 0.2  # share of lines that end in a mark, from which on a line without one goes on in the next cue
LAST = 8  # characters of a line, in which its mark is
FULL = 6  # characters of full-width brackets around one word
LAYOUT = " \t-‐‑–—♪♫#*"  # a line of these alone says nothing
SITES = (
    "opensubtitles",
    "addic7ed",
    "subscene",
    "podnapisi",
    "tvsubtitles",
    "amara.org",
    "yts.mx",
    "yify",
    "napiprojekt",
    "napisy24",
    "titlovi.com",
    "subdivx",
    "titulky.com",
    "osdb.link",
)

_HEADER_LANGUAGE = re.compile(r"WEBVTT.*\n(?:.+\n)*?Language:[ \t]*([A-Za-z][\w-]{1,30})")
_WORDS_TIMED = re.compile(r"<\d\d:\d\d[:.\d]*>")  # the moment at which a word of a line is said
_TAG = re.compile(r"</?(?:[A-Za-z]|\d\d:)[^<>]*>|\{\\[^{}]*\}|\{[A-Za-z]:[^{}]*\}")
_ITALICS = re.compile(r"^/(?=[\w-])", re.MULTILINE)  # as MPL2 marks them, and files that were made of it
_BREAK = re.compile(r"\\[Nn]")
_ENTITY = re.compile(r"&#?\w{1,10};")
_SOUND = re.compile(
    r"^[^\w\n(（[]*(?:\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|［[^［］]*］)[^\w\n(]*$"
    r"|(?P<within>(?<![\w^])\([^()]*\)|\[[^\[\]]*\]|［[^［］]*］|（[^（）]*）)",
    re.MULTILINE,
)
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # as letters of mathematics make none
_RECKONS = re.compile(r"[\d=+^/\\]")
_CREDIT = re.compile(
    r"""^[^\w\n]*(?:(?:sub(?:title)?s|subtitled|subtitling|(?:closed\ )?caption(?:s|ed|ing)
      |(?:re)?sync(?:ed|hroni[sz]ed)?|ripped|transcript|translat(?:ion|ed))\b[^\n.?!]{0,40}\bby\b
    |advertise\ your\ (?:product|brand)|support\ us\ and\ become
    |(?:untertitel(?:ung)?|sous-titr(?:es|age)|legendas?|subt[ií]tulos|sottotitoli|ondertitel(?:s|ing)|napisy|titulky
      |undertekster|undertexter|textning|teksting|tekstet|субтитры|字幕)\b[^\n.?!]{0,20}?
      (?:[:：]|\b(?:by|von|des|der|im|par|por|de|di|door|av|af|från|fra)\b)
    |sous-titrage\ ST'\ ?\d)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_TRANSLATOR = re.compile(  # without a mark at the end, as a sentence has
    r"""^[^\w\n]*(?:
      (?:p[rř]e(?:vod|klad)|prijevod|titlovi|превод|перевод|переклад|обрада|tłumaczenie|traducci[oó]n|tradução
        |traduzione|traduction|vertaling|übersetzung|oversættelse|översättning|oversettelse
        |(?:danske?\ |norske?\ )?tekst(?:er)?|svensk\ text|suomennos|fordította|felirat|altyaz[ıi]|çeviri
        |υπότιτλοι|απόδοση|תרגום|ترجمة|phụ\ đề|자막|번역|翻[译譯訳]|校[对對]|时间轴|時間軸
        )\b[^\n:：.?!]{0,20}[:：][^\n.?!。]{1,40}
      |(?:translato|transcribe|reviewe)r:\ (?-i:[^\W\d_a-z][^\s.?!,]{0,20}(?:\ [^\s?!,]{1,20}){0,3})
      )$""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_NEXT_LINE = re.compile(r"[^\n]\n[^\n]")
_DASH = re.compile(r"[-‐‑–—]")
_END = re.compile(r"[.!?…。！？؟।♪♫\])][\"'»”’)\]]*$")
_WITHOUT_BLANKS = re.compile(  # Chinese has one where another language has a comma
    r"[\u3001-\u30ff\uff01-\uff5e][\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e]|[\u3400-\u9fff][\u3041-\u30ff]"
)
_ELLIPSIS = re.compile(r"(?:\.\.|…)$")


class SpokenText(NamedTuple):
    """The text, None if there are more than `MOST_CUES`; the language that a WebVTT file declares, and how many cues
    there were, and adverts and sounds."""

    text: str | None
    language: str | None
    cues: int
    adverts: int
    sounds: int


def dialogue(content: str, *, cut_sounds: bool) -> SpokenText | None:
    """The text of a file's cues; None if it has none."""
    text = content.removeprefix("\ufeff").replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    if "\n\n" in text and not _NEXT_LINE.search(text):  # an empty line was put after each
        text = text.replace("\n\n", "\n")
    shown: list[ShownLines] = []
    cues = adverts = sounds = 0
    for cue in cues_of(text):
        cues += 1
        if cues > MOST_CUES:
            return SpokenText(None, None, cues, adverts, sounds)
        plain = _plain(cue.text)
        if _is_advert(plain):
            adverts += 1
            continue
        without, found = _without_sounds(plain)
        sounds += found
        said = without if cut_sounds else plain
        said = _ITALICS.sub("", said) if "/" in said else said
        lines = [" ".join(line.split()) for line in said.split("\n")]
        if lines := [line for line in lines if line.strip(LAYOUT)]:
            shown.append(ShownLines(cue.start, cue.end, lines))
    if not cues:
        return None
    declared = _HEADER_LANGUAGE.match(text)
    kept = said_once(shown, words_timed=_WORDS_TIMED.search(text) is not None)
    return SpokenText(_joined(kept), declared and declared[1], cues, adverts, sounds)


def _plain(cue: str) -> str:
    """Without tags and ruby readings, and with characters for entities."""
    if "<ruby" in cue:
        cue = resolved(marked(cue))
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), _TAG.sub("", _BREAK.sub("\n", cue)).replace("\\h", " "))


def _is_advert(cue: str) -> bool:
    """Whether it names a site of subtitles, or who made these."""
    lower = cue.lower()
    if any(site in lower for site in SITES) or _CREDIT.search(cue) is not None:
        return True
    return (":" in cue or "：" in cue) and _TRANSLATOR.search(cue) is not None


def _without_sounds(cue: str) -> tuple[str, int]:
    """Without what brackets say is heard, and how many there were."""
    spoken = 0

    def cut(found: re.Match[str]) -> str:
        nonlocal spoken
        if found["within"] and not _is_heard(found[0], begins=cue[: found.start()].rpartition("\n")[2].strip() == ""):
            spoken += 1
            return found[0]
        return ""

    without, brackets = _SOUND.subn(cut, cue)
    return without, brackets - spoken


def _is_heard(brackets: str, *, begins: bool) -> bool:
    """Whether brackets in a line of speech tell a sound or a speaker, and are no formula or remark: round ones in
    capitals, and full ones that begin the line or hold one word."""
    if _RECKONS.search(brackets):
        return False
    if brackets[0] == "(":
        return brackets.isupper() and _WORD.search(brackets) is not None
    if brackets[0] == "（":
        return _WORD.search(brackets) is not None and (begins or len(brackets) <= FULL)
    return _WORD.search(brackets) is not None or not any(map(str.isalpha, brackets))


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
            glued = joined[-1] and goes_on and _WITHOUT_BLANKS.match(joined[-1][-1][-1] + line[0])
            joined[-1].append(line if glued or not joined[-1] else " " + line)
    return "\n".join(map("".join, joined))
