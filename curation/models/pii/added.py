"""Personal data that Presidio misses: addresses written to hide from it, and numbers that no plan of numbers has.

Chosen on one half of the marked texts of `benchmarks/pii`, by the hash of their ids, and on nothing else.
Source: ISO/IEC 7812-1 (Luhn); the ranges of cards are those that the networks publish.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import IPv6Address

import pyarrow as pa
import pyarrow.compute as pc
import regex

from curation.models.pii.labels import is_right_after_label
from curation.models.pii.number_form import digits, in_thousands
from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.patterns import CAPITALS, Texts
from curation.models.pii.recognizer_list import EVERYWHERE
from curation.models.pii.recognizers import blank, offline_domains
from curation.models.pii.refused import CARD_WORD
from curation.models.redaction.surrogates import luhn_digit
from curation.text.kernels.buffers import text_array
from curation.text.patterns.shape import Shape, shape_of

_LABELLED = r"(?<!\d)(?P<value>\+?\(?\d(?:[ ().\-/]{0,3}\d){5,14})(?![\d-])"
_ABROAD = r"(?<![\w+])(?P<value>\+\(?\d(?:[ ().\-/]{0,3}\d){7,14})(?![\d-])"
_CARD = r"(?<![\w-])(?P<value>\d(?:[ -]?\d){11,18})(?![\w-])"
_IBAN = r"(?<![a-z0-9])(?P<value>[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?)(?![a-z0-9])"
# Groups apart by other signs than blanks and hyphens, the same ones everywhere.
_GAP = r"(?: {2}| ?[-./_] ?|[\t\n])"
_CARD_APART = (
    rf"(?<![\w-])(?P<value>\d{{4}}(?:(?P<gap>{_GAP})\d{{4}}(?P=gap)\d{{4}}(?P=gap)\d{{4}}"
    rf"|(?P<gap_amex>{_GAP})\d{{6}}(?P=gap_amex)\d{{5}}))(?![\w-])"
)
_IBAN_APART = (
    rf"(?<![A-Za-z0-9])(?P<value>[A-Z]{{2}}\d{{2}}(?P<gap>{_GAP})[A-Z0-9]{{4}}(?:(?P=gap)[A-Z0-9]{{4}}){{2,6}}"
    r"(?:(?P=gap)[A-Z0-9]{1,3})?)(?![A-Za-z0-9])"
)
_SSN_APART = rf"(?<![\w-])(?P<value>\d{{3}}(?P<gap>{_GAP})\d{{2}}(?P=gap)\d{{4}})(?![\w-])"
_IP = (
    r"(?:(?<![\w:])|(?<=[^\W\d_a-f]:)|(?<=v6:))(?P<value>[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){1,6}:[0-9a-f]{1,4})"
    r"(?!\w|:[0-9a-f:]|\.\d)"
)
_LOGIN = r"\b[a-z][a-z0-9+.-]{1,15}://(?P<value>[^\s/:@<>\"']{1,64}:[^\s/@<>\"']{1,128}@[\w.-]{1,253})"
_AT = r"\s?(?:[\[({<]\s?(?:at|@|ät|arroba)\s?[\])}>])\s?"
_DOT = r"(?:\.|\s?[\[({<]\s?(?:dot|\.|punkt|punto|point)\s?[\])}>]\s?|\sdot\s)"
_HIDDEN = (
    rf"(?<![\w.+-])(?P<value>[\w+-]+(?:{_DOT}[\w+-]+){{0,16}}(?:{_AT}|\sat\s)[\w-]+(?:{_DOT}[\w-]+){{1,4}})(?![\w-])"
)
_HINT = r"(?i)[\[({<]\s?(?:at|@|ät|arroba)\s?[\])}>]|\sdot\s"  # in RE2's syntax
_CARD_WORDS = regex.compile(r"\b(?:card|cc|credit|maestro|visa|mastercard)\b", regex.I)
_SSN_WORDS = regex.compile(r"\b(?:ssns?|social security)\b", regex.I)
_ISSUED = regex.compile(r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}")
_BRANDS = regex.compile(r"(?=\d{16}\Z)(?:4|5[1-5]|6(?:011|4[4-9]|5)|35)\d+|3[47]\d{13}")
_SURE_GAPS = frozenset(" -._")
_BEFORE = 32  # characters before a value that a check reads
_FLAGS = regex.IGNORECASE | regex.MULTILINE
Check = Callable[[str, str], float]  # of a value and the text before it in its window: its score; 0: it is none


@dataclass(frozen=True)
class AddedPattern:
    """A pattern whose group `value` is a value of a kind, if a check says so."""

    kind: str
    pattern: str
    check: Check
    flags: int = _FLAGS
    letters: tuple[int, int] | None = None  # the first and last of those of which two stand before the first digit
    language: str = EVERYWHERE  # of the texts that it looks in

    def find(self, texts: Texts) -> Iterator[tuple[int, PiiSpan]]:
        """Document and place of each value."""
        compiled, shape = _compiled(self.pattern, self.flags)
        windows = texts.windows(shape, 2, self.letters) if self.letters else texts.windows(shape)
        for match in compiled.finditer(windows.text):
            start, stop = match.span("value")
            score = self.check(match["value"], windows.text[max(start - _BEFORE, 0) : start].rpartition("\0")[2])
            if score:
                document, first, last = windows.place(start, stop)
                yield document, PiiSpan(self.kind, first, last, score)


@lru_cache
def _compiled(pattern: str, flags: int) -> tuple[regex.Pattern[str], Shape]:
    """The pattern, and a shape whose windows hold some words before a value too."""
    shape = shape_of(pattern, ignore_case=bool(flags & regex.IGNORECASE))
    assert shape is not None
    return regex.compile(pattern, flags), replace(shape, before=_BEFORE)


def _is_labelled(value: str, before: str) -> float:
    return 0.75 if 6 <= digits(value) <= 15 and is_right_after_label(before) else 0.0


def _is_abroad(value: str, before: str) -> float:
    """An amount such as +12 345 678 is none."""
    if not 8 <= digits(value) <= 15 or value.startswith("+0"):
        return 0.0
    return 0.0 if in_thousands(value[1:]) else 0.5


def _number(value: str) -> str:
    return "".join(char for char in value if char.isdecimal())


def _is_card_apart(value: str, before: str) -> float:
    """A card of a known brand; after a word such as card where tabs, slashes and the like part its groups."""
    number = _number(value)
    if not _BRANDS.fullmatch(number) or luhn_digit(number[:-1]) != number[-1]:
        return 0.0
    gap = value[4 : next(at for at in range(4, len(value)) if value[at].isdecimal())]
    return 1.0 if (gap != "  " and set(gap) <= _SURE_GAPS) or CARD_WORD.search(before) else 0.0


def _is_ssn(value: str, before: str) -> float:
    return 0.75 if _ISSUED.fullmatch(_number(value)) and _SSN_WORDS.search(before) else 0.0


def _is_ip(value: str, before: str) -> float:
    try:
        IPv6Address(value)
    except ValueError:
        return 0.0
    return 0.6


def _is_card(value: str, before: str) -> float:
    """Mastercard's second range, Visa's and JCB's other lengths; Maestro's only after a word such as card."""
    number = _number(value)
    if int(luhn_digit(number[:-1])) != int(number[-1]):
        return 0.0
    if len(number) == 16 and "2221" <= number[:4] <= "2720":
        return 1.0
    if (len(number) == 15 and number[:4] in ("2131", "1800")) or (len(number) == 19 and number[0] == "4"):
        return 1.0
    maestro = number[:2] in ("50", "56", "57", "58") or number[0] == "6"
    return 0.75 if maestro and _CARD_WORDS.search(before) else 0.0


def _is_iban(value: str, before: str) -> float:
    signs = "".join(filter(str.isalnum, value)).upper()
    if not 15 <= len(signs) <= 34 or not signs.isascii():
        return 0.0
    number = int("".join(str(int(sign, 36)) for sign in signs[4:] + signs[:4]))
    return 1.0 if number % 97 == 1 else 0.0


PHONES = (AddedPattern("phone", _LABELLED, _is_labelled), AddedPattern("phone", _ABROAD, _is_abroad))
URLS = (AddedPattern("url_credentials", _LOGIN, lambda value, before: 1.0),)
CARDS = (AddedPattern("credit_card", _CARD, _is_card), AddedPattern("credit_card", _CARD_APART, _is_card_apart))
IBANS = (
    AddedPattern("iban", _IBAN, _is_iban, flags=regex.MULTILINE, letters=(ord("a"), ord("z"))),
    AddedPattern("iban", _IBAN_APART, _is_iban, flags=regex.MULTILINE, letters=CAPITALS),
)
NUMBERS = (AddedPattern("us_ssn", _SSN_APART, _is_ssn, language="en"), AddedPattern("ip", _IP, _is_ip))


def hidden_addresses(texts: Texts) -> Iterator[tuple[int, PiiSpan]]:
    """Addresses such as `name (at) domain dot org`: with brackets, or with both words and a domain that can be.

    Where only the links of a page say what its addresses are, such an address counts as a false alarm, so that e-mail
    falls below plain Presidio on the pages of `benchmarks/pii`.
    """
    held = pc.match_substring_regex(text_array(texts.data, texts.offsets).view(pa.large_binary()), _HINT)
    compiled = regex.compile(_HIDDEN, _FLAGS)
    domains = offline_domains()
    for document in pc.indices_nonzero(held).to_pylist():
        begin, end = (int(place) for place in texts.offsets[document : document + 2])
        text = texts.data[begin:end].tobytes().decode("utf-8", "surrogateescape")
        done = 0
        for match in compiled.finditer(text):
            if _is_hidden(match["value"], domains):
                first = begin + len(text[done : match.start("value")].encode("utf-8", "surrogateescape"))
                begin = first + len(match["value"].encode("utf-8", "surrogateescape"))
                done = match.end("value")
                yield document, PiiSpan("email", first, begin, 0.75)


def _is_hidden(value: str, domains: Callable[[str], object]) -> bool:
    name, at, rest = _split(value)
    domain = regex.sub(_DOT, ".", rest, flags=_FLAGS)
    plain = at.strip().lower() == "at"
    if plain and ("." in rest or not regex.search(r"\sdot\s", rest, _FLAGS)):
        return False
    if plain and domain.partition(".")[0].lower() in blank("en").Defaults.stop_words:
        return False  # look at the dot com bubble
    return bool(name) and getattr(domains(domain), "fqdn", "") != ""


def _split(value: str) -> tuple[str, str, str]:
    found = regex.search(rf"{_AT}|\sat\s", value, _FLAGS)
    assert found is not None
    return value[: found.start()], found.group(), value[found.end() :]
