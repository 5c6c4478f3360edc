"""Takes citations out of a line with all that belongs to them alone: brackets, separators, "see", "e.g.", pages.

A reader of articles puts each citation between marks (`cited`), and `without_citations` takes them out when the whole
line is known. A citation stays where a sentence needs it as a word: names outside of brackets ("Doe (2001) found"),
and numbers behind "in", "by", "of" or "ref." ("as described in [12]"). Years and numbers that are no citations stay.
"""

import re

CITED = "\U0005fffe"  # a citation begins; the marks are code points that Unicode keeps for use within a program
ENDED = "\U0005ffff"
_GONE = "\U0006fffe"  # a citation that goes, or several
_YEAR_GONE = "\U0006ffff"  # one that is a year, so that the names before it go too
_EITHER = f"[{_GONE}{_YEAR_GONE}]"
_ANY_GONE = re.compile(f"({_EITHER})")
_MARKS = re.compile(f"[{CITED}{ENDED}{_GONE}{_YEAR_GONE}]")
_CITATION = re.compile(f"{CITED}([^{CITED}{ENDED}]*){ENDED}")
_ENCLOSED = re.compile(r"\s*(?:\[[^\[\]]*\]|\([^()]*\))\s*")
_NAME = re.compile(r"[^\W\d_]{2}")
_YEAR = re.compile(r"\W*(?:1[5-9]|20)\d\d[a-z]?(?:\W++\d*+[a-z]?)*+")
_JOINT = r"[\s,;–—/-]{0,8}(?:(?:and|or|to|und|et|e|y|&)\s{1,4})?"  # what joins two citations
_BETWEEN = re.compile(rf"[\])]?(?=\s?[,;–—/a-z-]){_JOINT}[\[(]?")  # two citations that stay
_NEEDS = re.compile(r"\b(?:in|by|from|of|see|with|to|than|as|[Rr]efs?\.?|[Rr]eferences?)\s{1,4}[\[(]?\Z")
_NAMED = re.compile(r"\b[Rr]ef(?:s?\.?|erences?)\s{1,4}\Z")  # in a bracket that says more
_MORE = re.compile(r"\s{1,4}(?:for|and the|as|where|in)\b")
_LOOK_BACK = 16  # characters before a citation that may need it
_RUN = re.compile(f"({_EITHER})(?:{_JOINT}{_EITHER})++")
_BRACKET = re.compile(r"[()\[\]]")
_MAX_BRACKETS = 20  # within brackets
_PAGES = re.compile(r"[\s,]{0,4}(?:\b(?:pp?|págs?|S)\.?\s{0,2}|:\s{0,2})\d{1,5}(?:\s?[–-]\s?\d{1,5})?")
_NUMBERS_BEHIND = re.compile(rf"(?<={_EITHER})(?:\s?[,;–—-]\s?\d{{1,4}}[a-z]?\b)++(?=\s*(?:[;,]|\Z))")
_NUMBERS_BEFORE = re.compile(rf"\A(?:\s?\d{{1,3}}\s?[,;–—-])++\s*(?={_GONE})")
_INTRODUCED = re.compile(
    r"(?:\b(?:see|also|and|or|but|in|by|e\.g\.?|i\.e\.?|cf\.?|refs?\.?|reviewed|for|example|review)[\s,]{1,4}){0,5}"
    rf"[\s,]{{0,4}}{_EITHER}"
)
_EXAMPLE = re.compile(r"\b(?:e\.g|i\.e|cf)\.?\Z")
_STOPS = frozenset(".,;:")
_WORD = re.compile(r"[^\W_]+")
_FILLERS = frozenset(
    "a adapted after also among an and as but by cf cited citing compare contra detail details discussed discussion e"
    " eg ex example examples following for from further g i ie in including information instance literature modified"
    " more notably of or other others overview previously recent recently ref reference references refs review"
    " reviewed reviews s see source such summarised summarized the therein this to viz with work works"
    " apud con de del dem die ejemplo el en et exemple exemplo la las los o os par para por siehe u und v va veja ver"
    " vgl vid vide voir véase véanse y z".split()
)
_PARTICLES = frozenset("al co colleagues da das de del della den der di do dos du et la le van von workers".split())


def cited(content: str) -> str:
    """A citation between its marks."""
    return f"{CITED}{uncited(content)}{ENDED}"


def uncited(text: str) -> str:
    """Text without the marks; what is cited stays."""
    return _MARKS.sub("", text)


def holds_citations(text: str) -> bool:
    """Whether a citation begins in a text."""
    return CITED in text


def without_citing_words(text: str) -> str:
    """Text without its citations; what is around them stays."""
    return _CITATION.sub("", text)


def without_citations(line: str) -> str:
    """A line whose citations are taken out; one without marks stays as it is."""
    if CITED not in line:
        return line
    return uncited("".join(_closed_gaps(_RUN.sub(r"\1", _outside_brackets(_decided(line))))))


def _closed_gaps(text: str) -> list[str]:
    """The pieces of a text between citations that go, without spaces, commas and "e.g." that belong to those."""
    first, *rest = _ANY_GONE.split(text)
    pieces = [first]
    for mark, behind in zip(rest[::2], rest[1::2], strict=True):
        start = pieces[-1][:-_LOOK_BACK]
        tail = pieces[-1][-_LOOK_BACK:]
        if example := _EXAMPLE.search(tail.rstrip(" ,")):
            tail = tail[: example.start()].rstrip(" ,")
        if not behind[:1].isalnum():
            tail = tail.rstrip()
        if mark == _YEAR_GONE or behind.lstrip()[:1] in _STOPS:
            tail = tail.rstrip(" ,;")
        pieces[-1] = start + tail
        if not any(pieces):
            behind = behind.lstrip(" ,;")
        pieces.append(behind[1:] if tail.endswith(".") and behind.startswith(".") else behind)
    return pieces


def _decided(line: str) -> str:
    """The line with those of its citations that stay, and a mark for each that goes."""
    depth = 0
    stays = False
    before = ""
    written: list[str] = []
    parts = _CITATION.split(line)
    for place, part in enumerate(parts):
        if place % 2:
            stays = bool(part) and (stays or _is_needed(before, parts[place + 1], depth))
            named = not depth and _NAME.search(part) is not None and not _ENCLOSED.fullmatch(part)
            written.append(part if stays or named else _YEAR_GONE if _YEAR.fullmatch(part) else _GONE)
        else:
            for bracket in _BRACKET.findall(part):
                depth = max(0, depth + (1 if bracket in "([" else -1))
            stays = stays and _BETWEEN.fullmatch(part) is not None
            before = part[-_LOOK_BACK:]
            written.append(part)
    return "".join(written)


def _is_needed(before: str, behind: str, depth: int) -> bool:
    """Whether what stands before a citation needs it; within a bracket, only what stands before that bracket, or a
    "Ref." of which the bracket says more."""
    if _NAMED.search(before) and _MORE.match(behind):
        return True
    return depth == before.endswith(("(", "[")) and _NEEDS.search(before) is not None


def _outside_brackets(text: str) -> str:
    """Text in whose brackets nothing is cited; a bracket that is empty then becomes a mark itself."""
    levels: list[list[str]] = [[]]  # what is written of the text, and of each bracket that is open
    too_deep = 0
    done = 0
    for bracket in _BRACKET.finditer(text):
        levels[-1].append(text[done : bracket.start()])
        done = bracket.end()
        opens = bracket[0] in "(["
        if len(levels) > _MAX_BRACKETS and (opens or too_deep):
            too_deep += 1 if opens else -1
            levels[-1].append(bracket[0])
        elif opens:
            levels.append([bracket[0]])
        elif len(levels) > 1:
            opening, *content = levels.pop()
            levels[-1].append(_bracket(opening, "".join(content), bracket[0]))
        else:
            levels[-1].append(bracket[0])
    levels[-1].append(text[done:])
    return "".join("".join(level) for level in levels)


def _bracket(opening: str, content: str, closing: str) -> str:
    """A bracket without what is cited in it, or a mark if nothing else is."""
    if _GONE not in content and _YEAR_GONE not in content:
        return f"{opening}{content}{closing}"
    content = _NUMBERS_BEFORE.sub("", _NUMBERS_BEHIND.sub("", _RUN.sub(r"\1", content)))
    left = ";".join(filter(None, map(_uncited_part, content.split(";")))).strip()
    return f"{opening}{left}{closing}" if left else _GONE


def _uncited_part(part: str) -> str:
    """The words of a bracket between two semicolons, without what is cited; "" if that is all."""
    if _GONE not in part and _YEAR_GONE not in part:
        return "" if all(word.lower() in _FILLERS for word in _WORD.findall(part)) else part
    part = _RUN.sub(r"\1", _PAGES.sub("", part))
    words = _WORD.findall(uncited(part))
    if all(word.lower() in _FILLERS for word in words):
        return ""
    if part.rstrip().endswith(_YEAR_GONE) and all(map(_is_of_name, words)):
        return ""
    return _INTRODUCED.sub("", part).strip(" ,")


def _is_of_name(word: str) -> bool:
    return word[0].isupper() or word in _PARTICLES or word in _FILLERS
