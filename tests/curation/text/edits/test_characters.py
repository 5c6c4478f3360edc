"""Characters and strings exchanged for others, against plain Python."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.characters import exchanged, substituted, valid_utf8
from tests.curation.text.texts import batches, garbage, sliced

BY = {"\r": "\n", "\0": "", "“": '"', "…": "...", "é": "e", "\u2028": "\n"}


@given(batches)
def test_characters_are_exchanged(values: list[str | None]) -> None:
    values = [f"{value}\r\n\r“x" if value is not None else None for value in values]
    text, counts = exchanged(valid_utf8(sliced(values))[0], BY)
    given_texts = [value or "" for value in values]
    assert text.to_pylist() == [value.replace("\r\n", "\n").translate(str.maketrans(BY)) for value in given_texts]
    assert counts.tolist() == [sum(char in BY for char in value) for value in given_texts]


def test_what_would_grow_or_is_plain_is_refused() -> None:
    for wrong in ({"é": "eee"}, {"a": ""}, {"\n": ""}):
        with pytest.raises(ValueError, match="cannot replace"):
            exchanged(pa.array(["a"]), wrong)


parts = st.sampled_from(["<s>", "<s", "s>", "</s>", "<", ">", "a", "é", "[X]", "[X", "x" * 70])


@given(st.lists(st.lists(parts, max_size=15).map("".join), max_size=4))
def test_strings_are_substituted(values: list[str]) -> None:
    old = ("<s>", "</s>", "[X]", "<s")
    new = ("< s >", "", "[[X]]", "é")
    text, counts = substituted(pa.array(["b", *values], pa.large_string()).slice(1), old, new)
    marked = [
        value.replace("<s>", "\1").replace("</s>", "\2").replace("[X]", "\3").replace("<s", "\4") for value in values
    ]
    assert counts.tolist() == [sum(char in "\1\2\3\4" for char in value) for value in marked]
    expected = [
        value.replace("\1", "< s >").replace("\2", "").replace("\3", "[[X]]").replace("\4", "é") for value in marked
    ]
    assert text.to_pylist() == expected


@given(garbage)
def test_bytes_that_are_no_utf8_are_replaced(contents: list[bytes]) -> None:
    text, invalid = valid_utf8(pa.array([b"\xff", *contents], pa.large_binary()).view(pa.large_string()).slice(1))
    text.validate(full=True)
    assert text.to_pylist() == [content.decode("utf-8", "replace") for content in contents]
    assert [count > 0 for count in invalid.tolist()] == [not is_utf8(content) for content in contents]


def is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_a_replacement_character_that_was_there_does_not_count() -> None:
    text = pa.array(["\ufffd".encode() + b"\xffa", "\ufffd".encode()], pa.large_binary()).view(pa.large_string())
    valid, invalid = valid_utf8(text)
    assert valid.to_pylist() == ["\ufffd\ufffda", "\ufffd"]
    assert invalid.tolist() == [1, 0]
    assert valid_utf8(pa.array([None, "é"]))[0].to_pylist() == ["", "é"]
