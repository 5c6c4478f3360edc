"""What tokens stand for, whatever their names write otherwise."""

from typing import Any

import pytest
from tokenizers.pre_tokenizers import ByteLevel

from curation.core.token_names import BYTES, reader_of, to_bytes

PLAIN: dict[str, Any] = {"pre_tokenizer": None, "decoder": None, "model": {"type": "BPE"}}
SPACED = PLAIN | {"decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}}
LEVEL = PLAIN | {"pre_tokenizer": {"type": "ByteLevel"}}
FALLBACK = PLAIN | {"model": {"type": "BPE", "byte_fallback": True}}
WORDS = PLAIN | {"model": {"type": "WordPiece", "continuing_subword_prefix": "##"}}


@pytest.mark.parametrize(
    ("stated", "name", "expected"),
    [
        pytest.param(LEVEL, "Ġté", " té".encode("latin-1"), id="bytes as characters"),
        pytest.param(LEVEL, "数", "数".encode(), id="no byte"),
        pytest.param(SPACED, "▁the", b" the", id="space"),
        pytest.param(PLAIN, "▁the", "▁the".encode(), id="no space"),
        pytest.param(FALLBACK, "<0x0A>", b"\n", id="byte"),
        pytest.param(PLAIN, "<0x0A>", b"<0x0A>", id="no byte by name"),
        pytest.param(WORDS, "##ing", b"ing", id="goes on"),
        pytest.param(WORDS, "##", b"##", id="nothing to go on with"),
    ],
)
def test_bytes_of_names(stated: dict[str, Any], name: str, expected: bytes) -> None:
    assert reader_of(stated)(name) == expected


def test_the_alphabet_of_bytes_is_that_of_the_library() -> None:
    assert set(BYTES) == set(ByteLevel.alphabet())
    assert sorted(BYTES.values()) == list(range(256))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a!~", b"a!~"), ("Ġthe", b" the"), ("Ċ", b"\n"), ("Ã©", "é".encode()), ("", b""), ("a b", None), ("字", None)],
)
def test_what_a_byte_level_name_stands_for(name: str, expected: bytes | None) -> None:
    assert to_bytes(name) == expected
