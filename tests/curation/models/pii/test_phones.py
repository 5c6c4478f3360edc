"""Telephone numbers against the library's own matcher."""

import phonenumbers
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.models.pii.overlaps import PiiSpan, without_contained
from curation.models.pii.phones import SHAPE, Phones
from curation.models.pii.recognizer_list import PresidioRecognizer
from curation.models.pii.recognizers import make
from curation.text.kernels.buffers import text_buffers
from curation.text.patterns.anchors import anchor_runs
from curation.text.patterns.windows import windows_of

PHONE = PresidioRecognizer("phone", "PhoneRecognizer", "", True)
REGIONS = ("US", "GB", "DE", "FR", "IL", "IN", "CA", "BR", "AR", "IT", "MX", "RU")
NUMBERS = [
    "212-555-0123",
    "+44 20 7946 0958",
    "030 901820",
    "00 33 1 42 68 53 00",
    "8 (495) 123-45-67",
    "11 15 2345-6789",
]
SIGNS = [" ", "-", "/", "(", ")", "+", ".", ":", "x", " ext. ", "0", "1", "49", "2012-01-02 08:00", "a", "é", "%", "٣"]
texts = st.lists(
    st.one_of(st.sampled_from(NUMBERS), st.sampled_from(SIGNS), st.integers(0, 10**9).map(str)), max_size=9
)


def found(text: str, regions: tuple[str, ...]) -> set[PiiSpan]:
    data, offsets = text_buffers(pa.array([text]))
    phones = Phones(make(PHONE, "en", regions))
    windows = windows_of(data, offsets, anchor_runs(data, offsets, SHAPE.anchor), SHAPE)
    return set(without_contained(span for _, span in phones.spans(windows, "phone", lambda document: regions)))


def expected(text: str, regions: tuple[str, ...]) -> set[PiiSpan]:
    numbers = [number for code in regions for number in phonenumbers.PhoneNumberMatcher(text, code, leniency=1)]
    places = {(len(text[: number.start].encode()), len(text[: number.end].encode())) for number in numbers}
    return set(without_contained(PiiSpan("phone", start, stop, 0.4) for start, stop in places))


@settings(max_examples=100, deadline=None)
@given(text=texts.map("".join))
def test_the_same_numbers_as_the_library(text: str) -> None:
    assert found(text, REGIONS) == expected(text, REGIONS)


def is_number(digits: str, code: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(digits, code))
    except phonenumbers.NumberParseException:
        return False


@pytest.mark.slow
def test_no_country_has_shorter_numbers() -> None:
    short = [f"{number:0{length}}" for length in range(1, SHAPE.anchors) for number in range(10**length)]
    assert not [
        (digits, code) for code in phonenumbers.SUPPORTED_REGIONS for digits in short if is_number(digits, code)
    ]
    assert is_number("1641", "DE")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("i want limit on card # 4900948022576220 for", id="a prefix after a country's code"),
        pytest.param("555-010-1234 ext. 212-555-0123", id="an extension that is a number"),
        pytest.param("1 212 555 0123 / 212 555 0124", id="two in one candidate"),
        pytest.param("9" * 100_000, id="digits without end"),
    ],
)
def test_the_same_at_the_edges(text: str) -> None:
    assert found(text, REGIONS[:8]) == expected(text, REGIONS[:8])
