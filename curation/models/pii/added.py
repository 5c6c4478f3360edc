"""Personal data that Presidio misses: addresses written to hide from it, and numbers that no plan of numbers has.

Chosen on one half of the marked texts of `benchmarks/pii`, by the hash of their ids, and on nothing else.
Source: ISO/IEC 7812-1 (Luhn); the ranges of cards are those that the networks publish.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc
import regex

from curation.models.pii.labels import is_right_after_label
from curation.models.pii.number_form import digits
from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.patterns import Texts
from curation.models.pii.recognizers import blank, offline_domains
from curation.models.redaction.surrogates import luhn_digit
from curation.text.kernels.buffers import text_array
from curation.text.patterns.shape import Shape, shape_of

_LABELLED = r"(?<!\d)(?P<value>\+?\(?\d(?:[ ().\-/]{0,3}\d){5,14})(?![\d-])"
_ABROAD = r"(?<![\w+])(?P<value>\+\(?\d(?:[ ().\-/]{0,3}\d){7,14})(?![\d-])"
_CARD = r"(?<![\w-])(?P<value>\d(?:[ -]?\d){11,18})(?![\w-])"
_IBAN = r"(?<![a-z0-9])(?P<value>[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?)(?![a-z0-9])"
_LOGIN = r"\b[a-z][a-z0-9+.-]{1,15}://(?P<value>[^\s/:@<>\"']{1,64}:[^\s/@<>\"']{1,128}@[\w.-]{1,253})"
_AT = r"\s?(?:[\[({<]\s?(?:at|@|ät|arroba)\s?[\])}>])\s?"
_DOT = r"(?:\.|\s?[\[({<]\s?(?:dot|\.|punkt|punto|point)\s?[\])}>]\s?|\sdot\s)"
_HIDDEN = rf"(?<![\w.+-])(?P<value>[\w+-]+(?:{_DOT}[\w+-]+)*(?:{_AT}|\sat\s)[\w-]+(?:{_DOT}[\w-]+){{1,4}})(?![\w-])"
_HINT = r"(?i)[\[({<]\s?(?:at|@|ät|arroba)\s?[\])}>]|\sdot\s"  # in RE2's syntax
_CARD_WORDS = regex.compile(r"\b(?:card|cc|credit|maestro|visa|mastercard)\b", regex.I)
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
    small: bool = False  # two small letters stand before the first digit

    def find(self, texts: Texts) -> Iterator[tuple[int, PiiSpan]]:
        """Document and place of each value."""
        compiled, shape = _compiled(self.pattern, self.flags)
        windows = texts.windows(shape, 2 if self.small else 0, letters=(ord("a"), ord("z")))
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
    return 0.5 if 8 <= digits(value) <= 15 and not value.startswith("+0") else 0.0


def _is_card(value: str, before: str) -> float:
    """Mastercard's second range, Visa's and JCB's other lengths; Maestro's only after a word such as card."""
    number = "".join(char for char in value if char.isdecimal())
    if int(luhn_digit(number[:-1])) != int(number[-1]):
        return 0.0
    if len(number) == 16 and "2221" <= number[:4] <= "2720":
        return 1.0
    if (len(number) == 15 and number[:4] in ("2131", "1800")) or (len(number) == 19 and number[0] == "4"):
        return 1.0
    maestro = number[:2] in ("50", "56", "57", "58") or number[0] == "6"
    return 0.75 if maestro and _CARD_WORDS.search(before) else 0.0


def _is_iban(value: str, before: str) -> float:
    signs = "".join(value.split()).upper()
    if not 15 <= len(signs) <= 34 or not signs.isascii():
        return 0.0
    number = int("".join(str(int(sign, 36)) for sign in signs[4:] + signs[:4]))
    return 1.0 if number % 97 == 1 else 0.0


PHONES = (AddedPattern("phone", _LABELLED, _is_labelled), AddedPattern("phone", _ABROAD, _is_abroad))
URLS = (AddedPattern("url_credentials", _LOGIN, lambda value, before: 1.0),)
CARDS = (AddedPattern("credit_card", _CARD, _is_card),)
IBANS = (AddedPattern("iban", _IBAN, _is_iban, flags=regex.MULTILINE, small=True),)


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
        for match in compiled.finditer(text):
            if _is_hidden(match["value"], domains):
                first, last = (begin + len(text[:at].encode("utf-8", "surrogateescape")) for at in match.span("value"))
                yield document, PiiSpan("email", first, last, 0.75)


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
