"""What the author of a message wrote: without what it quotes, the signature, and the footer of a mailing list.

Lines that begin with ">" are quotes, with the line above that says who wrote them. All from the first of these lines
on is left out: a signature's ("-- "), "-----Original Message-----" or that of a forwarded one, the headers that Outlook
copies, a list's footer, and "On … wrote:" without quotes below it. The words are those of eight languages.
"""

import re

LONGEST = 240  # characters of a line that are looked at
VERBS = "wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał"
_ATTRIBUTION = re.compile(rf"\b(?:{VERBS})\b[^\n]{{0,120}}:\s*$")
_DATED = re.compile(r"(?:On|Am|Le|El|Il|Op|Em|Den|W dniu)\b.*\d")
_STARTS = ("--", "__", "From:", "Von:", "De:", "Da:", "Van:", "*From:")
_SIGNATURE = re.compile(r"-- ?\r?")
_END = re.compile(
    r"-{3,} ?(?:original message|forwarded message|forwarded by .{0,80}|ursprüngliche nachricht|"
    r"weitergeleitete nachricht|message d'origine|message original|messaggio originale|mensaje original|"
    r"mensagem original|oorspronkelijk bericht) ?-{3,}"
    r"|[-_]{20,}\s*\n(?:.{0,100}(?:mailing list|mailman/listinfo)|to unsubscribe)"
    r"|\*?\w+:.*\n\*?(?:sent|date|gesendet|envoyé|enviado|inviato|verzonden)\b.*:",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\n{3,}")


def own_text(text: str) -> str:
    """ "" where nothing is left."""
    lines = text.split("\n")
    kept: list[str] = []
    for number, line in enumerate(lines):
        if line.startswith(">"):
            continue
        if line.startswith(_STARTS) and _is_end(line, lines[number + 1 : number + 2]):
            break
        line = line.rstrip()
        if line.endswith(":") and _ATTRIBUTION.search(line[-LONGEST:]):
            wraps = bool(kept) and _DATED.match(kept[-1][:LONGEST]) is not None
            below = next((below for below in lines[number + 1 : number + 4] if below.strip()), "")
            quoted = below.startswith(">")
            if quoted or wraps or _DATED.match(line[:LONGEST]):
                del kept[len(kept) - wraps :]
                if quoted:
                    continue
                break
        kept.append(line)
    return _BLANKS.sub("\n\n", "\n".join(kept)).strip()


def _is_end(line: str, following: list[str]) -> bool:
    """Whether nothing of the author's comes from this line on."""
    two = "\n".join(some[:LONGEST] for some in (line, *following))
    return _SIGNATURE.fullmatch(line) is not None or _END.match(two) is not None
