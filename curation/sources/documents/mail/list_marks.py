"""Takes away what mailing lists, their archives and mail services add to a message: footers, and what stands in the
place of attachments.

Mailman writes "-------------- next part --------------" before each further part of a message; that of which it kept no
text is four lines with a URL. `parts` cuts a text there. A footer is a line of dashes or underscores above a line that
speaks of the list, and all below; a line of many underscores among the last lines begins one, too.
"""

import re
from collections.abc import Sequence
from itertools import islice

LONGEST = 240  # characters of a line that are looked at
SHORT = 12  # lines below underscores that may be a footer, whatever they say
_NEXT = re.compile(r"(?:\s*|Skipped content of type [\w/.+-]{1,80}?)-{10,} ?(?:[^\W\d_]+ ){1,3}-{10,}\s*$")
_SCRUBBED = re.compile(
    r"\s*(?:An? .{1,60} was scrubbed\.\.\.|Skipped content of type \S+|Ein Dateianhang .{1,60}abgetrennt)"
)
_FIELD = re.compile(
    r"\s*(?:Name|Type|Size|Desc|From|Subject|Date|To|Dateiname|Dateityp|Dateigröße|Beschreibung|URL|Url)\s*:"
)
_LETTER = re.compile(r"(?:Message|Date|From|To|Cc|Subject|Message-ID|Reply-To|Content-[\w-]{1,30}) *:", re.IGNORECASE)
_DIGEST_RULES = ("-" * 30, "-" * 70)
_END_OF_DIGEST = re.compile(r"End of .{1,80}\bDigest\b")
_URL = re.compile(r"\s*URL\s*: ?", re.IGNORECASE)
_DELETED = re.compile(r"\s*\[\[(?:alternative|elided|replacing|HTML|text)\b.{0,80}\]\]\s*$")
_RULE = re.compile(r"(?:[-_=*~#][-_=*~# ]*$|—$|--~-|-{2,40} ?Yahoo! Groups Sponsor)")
_OF_LIST = re.compile(
    r"mailing[ -]?list\b|listinfo|unsubscri|\bto subscribe\b|subscription|list archive|listserv|google groups"
    r"|posting guide|yahoo! ?groups|do you yahoo|yahoo\.com|hotmail|msn\b|\bmailman\b|lists?\.[\w-]{1,60}\.\w"
    r"|this list is|you received this|désabonner|désinscri|abmelden|abbestellen|mailingliste|lista de "
    r"|automatic(?:ally generated)? (?:notification|message|e-?mail)|notification (?:settings|preferences)"
    r"|reply to this e-?mail directly|receiving this (?:e-?mail|mail|message)|\bsf\.net e-?mail is sponsored"
    r"|liste de diffusion|disiscri|cancellar|отписаться|afmelden|avregistrera|wypisa",
    re.IGNORECASE,
)
_UNDERSCORES = re.compile(r"_{15,}$")
_LINKS = re.compile(
    r"(?:-{3,} You are receiving this mail because|Yahoo! Groups Links"
    r"|You received this message because you are subscribed to)\b"
)
_DEVICE = re.compile(
    r"(?:Sent (?:from|via|with)|Get Outlook for|Envoyé de(?:puis)?|Gesendet (?:von|mit)|Von meinem"
    r"|Diese Nachricht wurde|Enviado (?:desde|do|de|a partir)|Inviato (?:da|dal)|Verstuurd vanaf"
    r"|Verzonden (?:vanaf|met)|Wysłan[eo] (?:z|za)|Отправлено (?:с|из)|Odesláno z|Skickat från|Sendt fra|Lähetetty"
    r"|发自|發自|从我的|通过)\b.{0,60}$|iPhoneから送信|iPadから送信|나의 iPhone에서 보냄",
)


# first characters of what `parts` and `without_footer` look for
_MARKED = frozenset("- \t[AES")
_BEGIN = frozenset("-_=*~#—YSGEDVIWОL发發从通i나")


def has_marks(text: str) -> bool:
    """Whether `parts` may find any in a text."""
    return "----------" in text or "scrubbed..." in text or "[[" in text or "Skipped content" in text


def parts(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each part of a message, without what says that an attachment was left out."""
    found: list[list[str]] = [[]]
    number = 0
    while number < len(lines):
        line = lines[number]
        if line[:1] not in _MARKED:
            found[-1].append(line)
            number += 1
        elif "----------" in line and _NEXT.match(line[:LONGEST]):
            found.append([])
            number = _after_scrubbed(lines, number + 1)
        elif line in _DIGEST_RULES and (letter := _after_head(lines, number + 1)):
            if any(line.startswith("Today's Topics") for line in found[0]):
                found[0] = []
            found.append([])
            number = letter
        elif line.startswith("End of ") and _END_OF_DIGEST.match(line[:LONGEST]):
            return found
        elif ("scrubbed..." in line or line.startswith("Skipped content")) and _SCRUBBED.match(line[:LONGEST]):
            number = _after_scrubbed(lines, number)
        else:
            if "[[" not in line or not _DELETED.match(line[:LONGEST]):
                found[-1].append(line)
            number += 1
    return found


def _after_head(lines: Sequence[str], number: int) -> int:
    """Behind the head of a message in a digest (RFC 1153), 0 where none is below a line of dashes and a blank one."""
    end = number + 1
    if lines[number:end] == [""]:
        while end < len(lines) and (_LETTER.match(lines[end][:LONGEST]) or lines[end].startswith(("\t", " "))):
            end += 1
    return end if end > number + 1 else 0


def _after_scrubbed(lines: Sequence[str], number: int) -> int:
    """Behind the lines that stand for an attachment; the same number where there are none."""
    if number >= len(lines) or not lines[number]:
        return number
    if not _SCRUBBED.match(lines[number][:LONGEST]):
        below = lines[number : number + SHORT]
        url = next((place for place, line in enumerate(below) if _URL.match(line[:LONGEST])), 0)
        if url < 2 or not all(_FIELD.match(line[:LONGEST]) for line in below[1:url]):
            return number
    after = number + 1
    while after < len(lines) and _FIELD.match(lines[after][:LONGEST]):
        open_url = _URL.match(lines[after]) and "<" in lines[after] and ">" not in lines[after]
        after += 1 + bool(open_url)
    return min(after, len(lines))


def without_footer(lines: list[str]) -> list[str]:
    """These lines up to a footer, and without the line of a telephone that sent them."""
    left_out: set[int] = set()
    first = next((number for number, line in enumerate(lines) if line), 0)
    for number, line in enumerate(lines):
        if line[:1] == " " and (bare := line.lstrip()).startswith("___"):  # of Yahoo, or of HTML
            line = bare
        if line[:1] in _BEGIN:
            marks = _LINKS.match(line[:LONGEST]) or (_RULE.match(line[:LONGEST]) and _is_footer(lines, number))
            if marks and (number > first or _is_near_end(lines, number)):
                lines = lines[:number]
                break
            if _DEVICE.match(line[:LONGEST]):
                left_out.add(number)
    return [line for number, line in enumerate(lines) if number not in left_out] if left_out else lines


def _is_footer(lines: Sequence[str], number: int) -> bool:
    below = next((below for below in lines[number + 1 : number + 4] if below), "")
    if _OF_LIST.search(below[:LONGEST]):
        return True
    return _UNDERSCORES.match(lines[number].lstrip()) is not None and _is_near_end(lines, number)


def _is_near_end(lines: Sequence[str], number: int) -> bool:
    left = (below for below in range(number + 1, len(lines)) if lines[below])
    return len(list(islice(left, SHORT + 1))) <= SHORT
