"""The normal form of exact dedup against plain Python."""

import pyarrow as pa
import pytest
import regex
from hypothesis import given

from curation.text.kernels.buffers import text_buffers
from curation.text.normalize import normalized
from tests.curation.text.texts import as_text, batches, garbage, sliced

# What always goes, and what else is default-ignorable, which may stay beside some letters and emoji.
USELESS = regex.compile("[\xad\u2060\ufeff\U000e0001]")
CONTEXTUAL = regex.compile(r"(?V1)[\p{Default_Ignorable_Code_Point}--[\xad\u2060\ufeff\U000e0001]]")


@given(batches)
def test_normal_form(values: list[str | None]) -> None:
    values = [value and CONTEXTUAL.sub("", value) for value in values]
    seen = [USELESS.sub("", value or "").replace("\u2800", " ") for value in values]
    expected = [" ".join("".join(char.lower()[0] for char in value).split()) for value in seen]
    assert normalized(sliced(values)).to_pylist() == expected


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  One\u3000TWO\n\nthree ", "one two three"),
        ("ȺȺȺ", "ⱥⱥⱥ"),  # longer in lower case
        ("İ", "i"),
        ("e\u0301", "e\u0301"),
        ("Nr. 1!", "nr. 1!"),
        (" \u2028\x85", ""),
        ("\ufeffOne\u200b \u2060\nt\u00adwo\u200e\ufe0f", "one two"),
        ("\u200b\u2060\n\u2800", ""),
        ("one\u2800two", "one two"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("❤\ufe0f", "❤\ufe0f"),
    ],
)
def test_by_hand(text: str, normal: str) -> None:
    assert normalized(pa.array([text])).to_pylist() == [normal]


@given(garbage)
def test_bytes_that_are_no_text_stay(contents: list[bytes]) -> None:
    data, offsets = text_buffers(normalized(as_text(contents)))
    assert offsets[-1] == len(data)
    assert normalized(as_text([b"A\xff\xe2B"])).view(pa.large_binary()).to_pylist() == [b"a\xff\xe2b"]
