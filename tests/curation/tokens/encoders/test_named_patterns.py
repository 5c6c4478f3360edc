"""The tokenizer.json that is made of tokens and merges, with special tokens whose ids have gaps."""

import json

import pytest
from tokenizers import Tokenizer

from curation.core.errors import InputError
from curation.core.token_names import BYTES
from curation.tokens.encoders.named_patterns import PATTERNS, byte_level, named, with_special

VOCABULARY = {**BYTES, "it": 256}


@pytest.mark.parametrize("name", PATTERNS)
def test_the_library_reads_it(name: str) -> None:
    stated = byte_level(named(name), VOCABULARY, [["i", "t"]])
    made = Tokenizer.from_str(json.dumps(with_special(stated, {"<e>": 300, "<b>": 400}, "<b>")))
    made.encode_special_tokens = True
    assert made.encode("it<e>").ids == [400, 256, *b"<e>"]
    assert made.get_added_tokens_decoder().keys() == {300, 400}
    assert made.decode([256, 300], skip_special_tokens=False) == "it<e>"


def test_without_a_begin() -> None:
    made = Tokenizer.from_str(json.dumps(with_special(byte_level(named("gpt2"), VOCABULARY, []), {"<e>": 300}, None)))
    assert made.encode("it").ids == [*b"it"]


def test_no_such_name() -> None:
    with pytest.raises(InputError, match="pattern: there is none named 'o200k'; did you mean 'o200k_base'"):
        named("o200k")
