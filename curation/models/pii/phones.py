"""Telephone numbers as Presidio's PhoneRecognizer finds them, without trying every number in every region.

Source: Google's libphonenumber through the library `phonenumbers`, PhoneNumberMatcher with leniency VALID. It cuts
candidates out of a text, the same for all regions, and parses each, and each part of it, as a number of the region. To
be valid, a number's last digits must be a number of the region (of any type that its metadata has), unless it is
written for a call from abroad. A candidate of which no digits are that cannot be valid, and is not parsed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.recognizers import presidio
from curation.text.patterns.shape import DIGITS, UNBOUNDED, Shape
from curation.text.patterns.windows import JoinedWindows

_LEAST = 4  # digits of the shortest number of any country (a German pager's)
# An extension follows a number after a word, so a candidate may reach over a few letters; 16 characters may stand
# before its first digit, of which brackets and plus signs belong to it.
SHAPE = Shape(
    anchor=DIGITS,
    anchors=_LEAST,
    gap=24,
    lead=16,
    trail=4,
    before=1,
    after=1,
    shortest=0,
    longest=UNBOUNDED,
)
_MOST_GROUPS = 24  # of digits; a candidate with more is parsed whatever they are
# characters of a candidate that takes long to parse; how many of a text are parsed
_LONG = 30
_MOST_LONG = 250
_MOST_VAIN = 65_535  # candidates of a text, by region, that are parsed and are no number; as the library's `max_tries`
_LEAST_ABROAD = 6  # digits of a number with a country's code
_ABROAD = 5  # digits after a prefix for calls abroad, at least
_AFTER = 4  # characters after a candidate that decide about it: the minutes of a time
_NO_DIGITS = re.compile(r"\D+")
_DIGIT = re.compile(r"[\d#]")
_PLUS = frozenset("+＋")
_NOWHERE = ("ZZ",)  # the library's name of no region
RegionsOf = Callable[[int], tuple[str, ...]]  # of a document
_TYPES = "fixed_line mobile toll_free premium_rate shared_cost personal_number voip pager uan voicemail".split()


@lru_cache
def _numbers_of(code: str) -> re.Pattern[str]:
    """What the digits of a number must be as a whole, if it is valid in a region and has no plus sign.

    Raises KeyError for a code that has no telephone numbers.
    """
    import phonenumbers

    own = phonenumbers.PhoneMetadata.metadata_for_region(code)
    if own is None:
        raise KeyError(code)
    patterns = []
    # A number is valid in any region of the same country code; a rule that adds digits may make a shorter one valid.
    for other in phonenumbers.COUNTRY_CODE_TO_REGION_CODE[int(own.country_code or 0)]:
        metadata = phonenumbers.PhoneMetadata.metadata_for_region(other)
        described = [getattr(metadata, kind, None) for kind in _TYPES]
        patterns += [one.national_number_pattern for one in described if one and one.national_number_pattern]
    rule = own.national_prefix_transform_rule or ""
    if re.sub(r"\\\d", "", rule):
        patterns.append(rf"\d{{{_ABROAD},}}")
    abroad = rf"(?:{own.international_prefix or '(?!)'})\d{{{_ABROAD},}}"
    prefix = (
        f"(?:{own.national_prefix_for_parsing or ''})?"  # cut off before it is known whether there is a code, and after
    )
    before = f"{prefix}(?:{own.country_code})?{prefix}{prefix}"
    return re.compile(f"{abroad}|{before}(?:{'|'.join(patterns)})")


class Phones:
    """Finds the telephone numbers in windows of texts, as they are written in some regions."""

    def __init__(self, recognizer: Any) -> None:
        presidio()
        from phonenumbers import phonenumbermatcher

        self.score = recognizer.SCORE
        self.regions = tuple(recognizer.supported_regions)
        self._leniency = recognizer.leniency
        self._library = phonenumbermatcher
        self._regions_of = lru_cache(maxsize=1 << 15)(self._regions)
        self._numbers = lru_cache(maxsize=1 << 12)(self._matched)
        self._is_number = lru_cache(maxsize=1 << 15)(self._is_valid)

    def spans(self, windows: JoinedWindows, kind: str, regions: RegionsOf) -> Iterator[tuple[int, PiiSpan]]:
        """The document and the place of each number of its document's regions, in bytes; a number may come several
        times, and a part of one may be left out."""
        text = windows.text
        long = Counter[int]()
        vain = Counter[int]()
        for match in self._library._PATTERN.finditer(text):
            candidate = match.group()
            first = max(match.start() - 1, 0)
            if len(candidate) < _LEAST:
                continue
            document = windows.document(match.start())
            if len(candidate) > _LONG and long[document] >= _MOST_LONG:
                continue
            groups = _NO_DIGITS.sub(" ", candidate).strip()
            abroad = not _PLUS.isdisjoint(candidate)
            codes = self._regions_of(groups, abroad, regions(document))
            if not codes:
                continue
            long[document] += len(candidate) > _LONG
            piece = text[first : match.end() + _AFTER]
            alone = self._is_alone(piece, match.start() - first, match.end() - first)
            for code in codes:
                if vain[document] >= _MOST_VAIN:
                    break
                places = [place for place in self._numbers(piece, code) if first + place[0] < match.end()]
                vain[document] += not places
                for start, stop in places:
                    own, begin, end = windows.place(first + start, first + stop)
                    yield own, PiiSpan(kind, begin, end, self.score)
                if alone and places == [(match.start() - first, match.end() - first)]:
                    break  # in another region it is the same number, or a part of it

    def is_one(self, value: str) -> bool:
        """Whether all of a text is a number of one of the regions."""
        return any((0, len(value)) in self._numbers(value, code) for code in self.regions)

    def _is_alone(self, piece: str, start: int, stop: int) -> bool:
        """Whether the candidate piece[start:stop] is the only one that begins in it, wherever the search begins."""
        if stop - start > _LONG or _DIGIT.search(piece, stop):
            return False
        found = self._library._PATTERN.search(piece)
        return found is not None and found.span() == (start, stop)

    def _matched(self, piece: str, code: str) -> Sequence[tuple[int, int]]:
        """Where a piece of text has numbers of a region."""
        found = self._library.PhoneNumberMatcher(piece, code, leniency=self._leniency)
        return tuple((number.start, number.end) for number in found)

    def _regions(self, groups: str, abroad: bool, regions: tuple[str, ...]) -> Sequence[str]:
        """Those of the regions in which a candidate's groups of digits, or some of them, are a number."""
        digits = [str(int(char)) if char != " " else char for char in groups]
        parts = "".join(digits).split()
        if len(parts) > _MOST_GROUPS:
            return regions
        runs = ["".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)]
        found = [code for code in regions if any(self._is_number(run, code) for run in runs)]
        if found or not abroad or sum(map(len, parts)) < _LEAST_ABROAD:
            return found
        return regions[:1] or _NOWHERE  # with a country's code it is one everywhere

    def _is_valid(self, digits: str, code: str) -> bool:
        if not _numbers_of(code).fullmatch(digits):
            return False
        library = self._library
        try:
            number = library.parse(digits, code, keep_raw_input=True)
        except library.NumberParseException:
            return False
        valid: bool = library._verify(self._leniency, number, digits, None)
        return valid
