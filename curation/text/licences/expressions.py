"""Reads a licence statement as an SPDX expression, in the strictest sense that it can have.

Source: annex "SPDX license expressions" of the SPDX specification 2.3; `license-expression` parses expressions.

"A OR B" leaves a choice among the known names; an exception ("WITH …") only grants more and is left out. Everything
else that joins two names asks for both: "A AND B", a slash ("CC-BY-SA-4.0/3.0"), a plus sign, a semicolon, a comma, a
bar, an address beside a name. A name in brackets is a second name. Other words in brackets are a note ("(Wikipedia)")
unless they may limit what comes before ("(research use only)"). A statement that is not understood is unknown, never
freer: a choice between a known name and a sentence, pages of other owners, the licence of a part of the work.
"""

import re
from functools import lru_cache

from boolean.boolean import Expression
from license_expression import ExpressionError, ExpressionParseError, Licensing, get_license_index

from curation.core.rules import CHOICE, JOINT
from curation.text.licences.names import RANK, at_address, in_words

# in place of a name
NONE_STATED = "none stated"
UNKNOWN = "unknown"
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
_REWORDINGS = (  # before the text is split
    (re.compile(r"(?i)\s*\((?:no version|version (?:not |un)(?:stated|specified|known|given))\)"), ""),
    (re.compile(r"(?i)\s*\(\s*>=\s*(\d(?:\.\d)?)\s*\)"), r" \1 or later"),  # "GPL (>= 2)", as R's packages say
    (re.compile(r"(?i)\s*\(\s*(?:version |v)?(\d(?:\.\d)?)\s*\)"), r" \1"),
    (re.compile(r"(?i)\s*\+\s*file licen[cs]e\b"), ""),  # also R
    (re.compile(r"(?i),?\s*\(?\bat your option\b\)?,?"), ""),
)
_VERSIONS = re.compile(r"(.*?[- ])(\d\.\d(?:\s*/\s*\d\.\d)+)")  # "CC-BY-SA-4.0/3.0"
_BRACKET = re.compile(r"\(([^()]*)\)")
_OPEN_END = re.compile(r"(?i)(?:^|[(/;,|&+]|(?:^|\s)(?:and|or|with))\s*$")
_LIMITS = re.compile(  # words in a note that may limit or change the grant before it, or concern a part of the work
    r"(?i)\b(?:no|not|non\w*|nor|never|only|except\w*|exclud\w*|without|unless|if|but|or|modif\w*|amend\w*|custom"
    r"|clause|restrict\w*|research|academic|educational|personal|internal|commercial|ethical|use|permission|prohibit\w*"
    r"|forbid\w*|reserved|proprietary|subject|terms|conditions?|additional|part\w*|portions?|some|most\w*|mixed|various"
    r"|in|outside|until|since|before|after|prior|unclear|unknown|unverified|presumed|assumed|disputed|expired|pending"
    r"|c|copyright\w*|owners?|by|nc|nd|sa|code|software|annotations?|metadata|markup|images?|figures|pictures|photos?"
    r"|layout|design|abstracts?|titles?|users?|requir\w*|train\w*|limit\w*|commerc\w*|private\w*|trial|evaluation"
    r"|revoked|withdrawn|deprecated|former\w*|previous\w*|old\w*|now|embargo\w*"
    r"|nicht|kein\w*|nur|ohne|au(?:ß|ss)er|privat|kommer\w*|pas|sauf|hors|seul\w*|uniquement|sans|usage|priv[ée]\w*"
    r"|sin|s[oó]lo|salvo|excepto|com+erci\w*|apenas|somente|sem|exceto|senza|eccetto|solamente|niet|geen|alleen|zonder"
    r")\b|[©?<>=]|[^\W\d_\u0000-\u024f]"  # any letters that are not Latin
)
_JOINTS = (  # (what joins two names, the operator)
    (re.compile(r"(?i)\s+or\s+(?!(?:any\s+)?(?:later|newer|above|greater|higher)\b)"), " OR "),
    (
        re.compile(r"(?i)\s+and\s+|\s*[;|&]\s*|\s*,\s*(?!v(?:ersion)?\b|\d)|\+(?=[A-Za-z])|\s*/\s*(?=[A-Za-z(])"),
        " AND ",
    ),
)
_OPERATOR = re.compile(r"( OR | AND |[()])")
_OF_A_PART = re.compile(r"(?i)(?:markup|annotations?|metadata|code|images?|pictures|figures|text|data)\s+(?=\S)")
_EXCEPTIONS = {(entry["spdx_license_key"] or "").lower() for entry in get_license_index() if entry["is_exception"]} - {
    ""
}
_LICENSING = Licensing()
# What the parser raises for invalid expressions; "()" and "a OR ( OR b" trip it.
_NO_EXPRESSION = (ExpressionError, ExpressionParseError, AssertionError, IndexError)

Names = frozenset[str]  # that all must be allowed
Ways = frozenset[Names]  # of which one is enough


@lru_cache(maxsize=1 << 14)
def asked_for(stated: str | None) -> str:
    """Identifiers (of NAMES) joined by AND if all bind and by OR if there is a choice, the freest first; or NONE_STATED
    or UNKNOWN."""
    if stated is None or _NOTHING.fullmatch(stated[:_MOST_CHARACTERS]):
        return NONE_STATED
    if len(stated) > _MOST_CHARACTERS:
        return UNKNOWN
    ways = _statement(" ".join(stated.split()))
    return _expression(ways) if ways else UNKNOWN


def licence_name(stated: str) -> str | None:
    """The single identifier that is meant; None for none or several."""
    name = asked_for(stated)
    return name if name in RANK else None


def _statement(text: str) -> Ways | None:
    """None if any of the text is not understood."""
    addresses = list(_ADDRESS.finditer(text))
    if addresses:
        rest = _ADDRESS.sub(" ", text)
        named = [_names(at_address(match[1], match[2] or "")) for match in addresses]
        return _all([*named, *([] if _AROUND_ADDRESS.fullmatch(rest) else [_statement(rest)])])
    for pattern, to in _REWORDINGS:
        text = pattern.sub(to, text)
    whole = in_words(text)
    plain = text if whole else _without_notes(text)
    return _names(whole) if whole or plain is None else _joined(plain)


def _without_notes(text: str) -> str | None:
    """The text without notes in brackets, and with AND before licences in brackets; None if a note may limit what comes
    before it."""
    for _ in range(_MOST_BRACKETS):
        note = next((match for match in _BRACKET.finditer(text) if not _OPEN_END.search(text[: match.start()])), None)
        if note is None:
            return text
        named = _statement(note[1]) is not None
        if not named and _LIMITS.search(note[1]):
            return None
        text = f"{text[: note.start()].rstrip()}{f' AND ({note[1]})' if named else ''}{text[note.end() :]}"
    return None


def _joined(text: str) -> Ways | None:
    """What several joined names ask for."""
    text = text.strip(" ;,|&/")
    whole = in_words(text)
    if whole is not None:
        return _names(whole)
    for pattern, to in _JOINTS:
        text = pattern.sub(to, text)
    operands: list[str] = []
    symbols = []
    for token in filter(str.strip, _OPERATOR.split(text)):
        operator = _OPERATOR.fullmatch(token)
        symbols.append(token if operator else f"s{len(operands)}")
        operands += [] if operator else [token.strip()]
    try:
        tree = _LICENSING.parse("".join(symbols))
    except _NO_EXPRESSION:
        return None
    return None if tree is None else _value(tree, operands)


def _value(tree: Expression, operands: list[str]) -> Ways | None:
    """What an expression over s0, s1, … asks for."""
    if not tree.args:
        return _operand(operands[int(tree.key[1:])])
    values = [_value(argument, operands) for argument in tree.args]
    words = ["" if argument.args else operands[int(argument.key[1:])] for argument in tree.args]
    if isinstance(tree, _LICENSING.AND):
        # The licence of a part binds too, if that of the whole is stated beside it.
        if any(value is not None for value in values):
            of_parts = [_operand(_OF_A_PART.sub("", word, count=1)) for word in words]
            values = [of_part if value is None else value for value, of_part in zip(values, of_parts, strict=True)]
        return _all(values)
    if any(value is None and (not word or " " in word) for value, word in zip(values, words, strict=True)):
        return None  # a sentence may not be an alternative
    return frozenset().union(*(value for value in values if value is not None)) or None


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


def _all(operands: list[Ways | None]) -> Ways | None:
    """The ways that meet every operand; None if one is not understood or there are too many ways."""
    ways: Ways = frozenset([frozenset()])
    for operand in operands:
        ways = frozenset(names | more for names in ways for more in operand or ())
        if not ways or len(ways) > _MOST_WAYS:
            return None
    return ways


def _expression(ways: Ways) -> str:
    """The ways as text, without those that ask for more than another does."""
    precise = {_precise(names) for names in ways}
    least = (names for names in precise if not any(fewer < names for fewer in precise))
    ordered = sorted(least, key=lambda names: (max(RANK[name] for name in names), len(names), sorted(names)))
    return CHOICE.join(JOINT.join(sorted(names)) for names in ordered)


def _precise(names: Names) -> Names:
    """Drops "CC-BY" beside the more precise "CC-BY-4.0"."""
    return names - {name for name in names if any(re.match(rf"{re.escape(name)}-\d", longer) for longer in names)}
