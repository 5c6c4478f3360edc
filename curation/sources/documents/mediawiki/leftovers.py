"""Removes markup that was left in a page's text, since its other part is in a template or is missing.

Tables that a template begins, cells with attributes only, tags and brackets without their partner. Lines of a table
become lines with tabs, as of one that the parser knows.

Source: https://www.mediawiki.org/wiki/Help:Tables, Help:Formatting.
"""

import re

_TAGS = """abbr b bdi bdo big blink caption center cite code data del dfn div em font gallery i includeonly ins kbd li
    mark math noinclude nowiki ol onlyinclude p poem pre ref references rp rt ruby s samp section small span strike
    strong sub sup table tbody td th thead time tr tt u ul var"""
_TAG = re.compile(rf"</?(?:{'|'.join(_TAGS.split())})(?:[\s;,\"'][^<>\n]{{0,500}}|/)?>", re.IGNORECASE)
_BREAK = re.compile(r"<[/\\]?br\b[^<>]{0,40}>", re.IGNORECASE)
_TABLE = re.compile(r"(?m)^[ \t]*(?:\{\||\|[-}])")
_ATTRIBUTES = re.compile(
    r"\s*(?:\|\s*)?(?:(?:abbr|align|bgcolor|border|cellpadding|cellspacing|class|col[sw]pan|data-[a-z-]{1,30}|height|id|lang|"
    r"nowrap|rowspan|scope|style|title|valign|width)\s{0,5}=\s{0,5}(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|[^\s|\"']{1,50})\s*)+"
    r"(?:\|(?!\|))?",
    re.IGNORECASE,
)
UNCLOSED_CALL = "\ue00b"  # of private use, so no text has it
_CALL = re.compile(rf"{UNCLOSED_CALL}(?:[^\n|{UNCLOSED_CALL}]{{0,80}}(?:(?:(?:\n[ \t]*)+\|[^\n]*)+|\|))?")
_ARGUMENT = re.compile(r"(?m)^[ \t]*\|[^\n|=]{1,60}=[^\n]*\n?")


def without_attributes(cell: str) -> str:
    """The text of a cell, without attributes that the parser has left in it."""
    begin = _ATTRIBUTES.match(cell) if "=" in cell else None
    return cell[begin.end() :] if begin else cell


def without_marks_of_wikitext(text: str) -> str:
    """Text as it stands in a page, without tags and brackets that have no partner. A template that is never closed is
    left as `UNCLOSED_CALL`, since its arguments may be in other nodes."""
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "{{" in text or "}}" in text:
        text = text.replace("{{{", "").replace("{{", UNCLOSED_CALL).replace("}}", "")
    if "[[" in text or "]]" in text:
        text = text.replace("[[", "").replace("]]", "")
    return text


def without_rests(text: str) -> str:
    """The text of a page, without names and arguments of templates that are never closed, and marks of tables."""
    if UNCLOSED_CALL in text:
        text = _ARGUMENT.sub("", _CALL.sub("", text))
    return _without_rows(text) if "|" in text and _TABLE.search(text) else text


def _without_rows(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        begin = line.lstrip()[:2]
        if begin in ("{|", "|-", "|}"):
            continue
        lines.append(_cells(line.strip()) if begin[:1] in ("|", "!") else line)
    return "\n".join(lines)


def _cells(line: str) -> str:
    """The cells of a line, with tabs between them."""
    mark = "||" if line[0] == "|" or "!!" not in line else "!!"
    return "\t".join(without_attributes(cell).strip() for cell in line[1:].removeprefix("+").split(mark))
