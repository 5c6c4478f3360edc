"""What a statement of a licence asks for, as an SPDX expression: read as strictly as it can be meant.

Source: annex "SPDX license expressions" of the SPDX specification 2.3; expressions are parsed by `license-expression`.

"A OR B" leaves the choice between those that are known; an exception ("WITH …") only grants more and is left out.
Everything else that joins two names asks for both: "A AND B", a slash ("CC-BY-SA-4.0/3.0"), a plus sign, a semicolon, a
comma, a bar, an address beside a name. A name in brackets is a second one; other words in brackets are a note
("(Wikipedia)") unless they may limit what stands before them ("(research use only)"). What is not understood makes a
statement unknown, never freer: a choice between a known name and a sentence, pages of other owners, the licence of a
part of the work.
"""

import re
from functools import lru_cache

from boolean.boolean import Expression
from license_expression import ExpressionError, ExpressionParseError, Licensing, get_license_index

from curation.core.rules import CHOICE, JOINT
from curation.text.licences.names import RANK, at_address, in_words

NONE_STATED, UNKNOWN = "none stated", "unknown"  # in the place of a name
_MOST_CHARACTERS = 1_000
_MOST_BRACKETS = 50
_MOST_WAYS = 64
_NOTHING = re.compile(
    r"(?i)\W*(?:none|null|nan|n/?a|noassertion|(?:not|none) (?:stated|specified|given|provided)|unspecified)?\W*"
)
_ADDRESS = re.compile(r"(?:https?:)?//([^/\s]+)(?:/([^\s,;)>\]]*))?", re.IGNORECASE)
_AROUND_ADDRESS = re.compile(
    r"(?i)(?:\b(?:see|cf|at|under|the|is|this|work|text|licen[cs]ed?|url|link|details|of)\b|[\W_])*"
)
_REWORDINGS = (  # before anything is taken apart
    (re.compile(r"(?i)\s*\((?:no version|version (?:not |un)(?:stated|specified|known|given))\)"), ""),
    (re.compile(r"(?i)\s*\(\s*>=\s*(\d(?:\.\d)?)\s*\)"), r" \1 or later"),  # "GPL (>= 2)", as R's packages say
    (re.compile(r"(?i)\s*\(\s*(?:version |v)?(\d(?:\.\d)?)\s*\)"), r" \1"),
    (re.compile(r"(?i)\s*\+\s*file licen[cs]e\b"), ""),  # there as well
    (re.compile(r"(?i),?\s*\(?\bat your option\b\)?,?"), ""),
)
_VERSIONS = re.compile(r"(.*?[- ])(\d\.\d(?:\s*/\s*\d\.\d)+)")  # "CC-BY-SA-4.0/3.0"
_BRACKET = re.compile(r"\(([^()]*)\)")
_OPEN_END = re.compile(r"(?i)(?:^|[(/;,|&+]|(?:^|\s)(?:and|or|with))\s*$")
_LIMITS = re.compile(  # in a note: may limit or change what the name before it grants, or be about a part of the work
    r"(?i)\b(?:no|not|non\w*|nor|never|only|except\w*|exclud\w*|without|unless|if|but|or|modif\w*|amend\w*|custom"
    r"|clause|restrict\w*|research|academic|educational|personal|internal|commercial|ethical|use|permission|prohibit\w*"
    r"|forbid\w*|reserved|proprietary|subject|terms|conditions?|additional|part\w*|portions?|some|most\w*|mixed|various"
    r"|in|outside|until|since|before|after|prior|unclear|unknown|unverified|presumed|assumed|disputed|expired|pending"
    r"|c|copyright\w*|owners?|by|nc|nd|sa|code|software|annotations?|metadata|markup|images?|figures|pictures|photos?"
    r"|layout|design|abstracts?|titles?|users?|requir\w*|train\w*|limit\w*|commerc\w*|private\w*|trial|evaluation"
    r"|revoked|withdrawn|deprecated|former\w*|previous\w*|old\w*|now|embargo\w*"
    r"|nicht|kein\w*|nur|ohne|au(?:ß|ss)er|privat|kommer\w*|pas|sauf|hors|seul\w*|uniquement|sans|usage|priv[ée]\w*"
    r"|sin|s[oó]lo|salvo|excepto|com+erci\w*|apenas|somente|sem|exceto|senza|eccetto|solamente|niet|geen|alleen|zonder"
    r")\b|[©?<>=]|[^\W\d_\u0000-\u024f]"  # or is in letters that are not Latin
)
_JOINTS = (  # from what joins two names to the operator
    (re.compile(r"(?i)\s+or\s+(?!(?:any\s+)?(?:later|newer|above|greater|higher)\b)"), " OR "),
    (
        re.compile(r"(?i)\s+and\s+|\s*[;|&]\s*|\s*,\s*(?!v(?:ersion)?\b|\d)|\+(?=[A-Za-z])|\s*/\s*(?=[A-Za-z(])"),
        " AND ",
    ),
)
_OPERATOR = re.compile(r"( OR | AND |[()])")
_OF_A_PART = re.compile(r"(?i)(?:markup|annotations?|metadata|code|images?|pictures|figures|text|data)\s+(?=\S)")
_EXCEPTIONS = {(one["spdx_license_key"] or "").lower() for one in get_license_index() if one["is_exception"]} - {""}
_LICENSING = Licensing()
# What the parser raises on operators and brackets that make no expression; it trips over "()" and "a OR ( OR b".
_NO_EXPRESSION = (ExpressionError, ExpressionParseError, AssertionError, IndexError)

Names = frozenset[str]  # that all must be allowed
Ways = frozenset[Names]  # of which one is enough


@lru_cache(maxsize=1 << 14)
def asked_for(stated: str | None) -> str:
    """Identifiers (of NAMES) with AND between those that all bind and OR between those that leave the choice, the
    freest first; or NONE_STATED or UNKNOWN."""
    if stated is None or _NOTHING.fullmatch(stated[:_MOST_CHARACTERS]):
        return NONE_STATED
    if len(stated) > _MOST_CHARACTERS:
        return UNKNOWN
    found = _statement(" ".join(stated.split()))
    return _expression(found) if found else UNKNOWN


def licence_name(stated: str) -> str | None:
    """The one identifier that is meant; None where none is known or several are named."""
    found = asked_for(stated)
    return found if found in RANK else None


def _statement(text: str) -> Ways | None:
    """None where any of it is not understood."""
    addresses = list(_ADDRESS.finditer(text))
    if addresses:
        rest = _ADDRESS.sub(" ", text)
        found = [_names(at_address(one[1], one[2] or "")) for one in addresses]
        return _all([*found, *([] if _AROUND_ADDRESS.fullmatch(rest) else [_statement(rest)])])
    for pattern, to in _REWORDINGS:
        text = pattern.sub(to, text)
    whole = in_words(text)
    plain = text if whole else _without_notes(text)
    return _names(whole) if whole or plain is None else _joined(plain)


def _without_notes(text: str) -> str | None:
    """The text without brackets that only tell more, those that name licences joined to what stands before them; None
    where a note may limit that."""
    for _ in range(_MOST_BRACKETS):
        note = next((one for one in _BRACKET.finditer(text) if not _OPEN_END.search(text[: one.start()])), None)
        if note is None:
            return text
        named = _statement(note[1]) is not None
        if not named and _LIMITS.search(note[1]):
            return None
        text = f"{text[: note.start()].rstrip()}{f' AND ({note[1]})' if named else ''}{text[note.end() :]}"
    return None


def _joined(text: str) -> Ways | None:
    """What names with joints between them ask for."""
    text = text.strip(" ;,|&/")
    whole = in_words(text)
    if whole is not None:
        return _names(whole)
    for pattern, to in _JOINTS:
        text = pattern.sub(to, text)
    operands: list[str] = []
    symbols = []
    for part in (one for one in _OPERATOR.split(text) if one.strip()):
        operator = _OPERATOR.fullmatch(part)
        symbols.append(part if operator else f"s{len(operands)}")
        operands += [] if operator else [part.strip()]
    try:
        tree = _LICENSING.parse("".join(symbols))
    except _NO_EXPRESSION:
        return None
    return None if tree is None else _value(tree, operands)


def _value(tree: Expression, operands: list[str]) -> Ways | None:
    """What the expression over s0, s1, … asks for."""
    if not tree.args:
        return _operand(operands[int(tree.key[1:])])
    found = [_value(one, operands) for one in tree.args]
    words = ["" if one.args else operands[int(one.key[1:])] for one in tree.args]
    if isinstance(tree, _LICENSING.AND):
        # The licence of a part is one more to keep, where that of the whole is told beside it.
        told = any(one is not None for one in found)
        parts = [_operand(_OF_A_PART.sub("", one, count=1)) if told else None for one in words]
        return _all([own if own is not None else part for own, part in zip(found, parts, strict=True)])
    if any(own is None and (not word or " " in word) for own, word in zip(found, words, strict=True)):
        return None  # a sentence may be no alternative
    return frozenset().union(*(one for one in found if one is not None)) or None


def _operand(text: str) -> Ways | None:
    name, _, exception = re.sub(r"(?i)\s+with\s+", " WITH ", text).partition(" WITH ")
    if exception and exception.lower() not in _EXCEPTIONS:
        return None
    several = _VERSIONS.fullmatch(name)
    if several is None:
        return _names(in_words(name))
    return _all([_names(in_words(several[1] + version)) for version in re.split(r"\s*/\s*", several[2])])


def _names(name: str | None) -> Ways | None:
    return None if name is None else frozenset([frozenset([name])])


def _all(found: list[Ways | None]) -> Ways | None:
    """The ways that meet all of them; None where one is not understood, or there are too many."""
    ways: Ways = frozenset([frozenset()])
    for one in found:
        ways = frozenset(own | more for own in ways for more in one or ())
        if not ways or len(ways) > _MOST_WAYS:
            return None
    return ways


def _expression(ways: Ways) -> str:
    """Without a way that asks for more than another does."""
    precise = {_precise(one) for one in ways}
    least = (one for one in precise if not any(other < one for other in precise))
    ordered = sorted(least, key=lambda names: (max(RANK[name] for name in names), len(names), sorted(names)))
    return CHOICE.join(JOINT.join(sorted(names)) for names in ordered)


def _precise(names: Names) -> Names:
    """Without "CC-BY" beside "CC-BY-4.0", which says more."""
    return names - {one for one in names if any(re.match(rf"{re.escape(one)}-\d", other) for other in names)}
