"""Each byte has a character of its own, printable and never a space."""

import pytest
from tokenizers.pre_tokenizers import ByteLevel

from curation.tokens.encoders import byte_level


def test_the_alphabet_is_that_of_the_library() -> None:
    assert set(byte_level.BYTES) == set(ByteLevel.alphabet())
    assert sorted(byte_level.BYTES.values()) == list(range(256))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a!~", b"a!~"), ("Ġthe", b" the"), ("Ċ", b"\n"), ("Ã©", "é".encode()), ("", b""), ("a b", None), ("字", None)],
)
def test_what_a_name_stands_for(name: str, expected: bytes | None) -> None:
    assert byte_level.to_bytes(name) == expected
