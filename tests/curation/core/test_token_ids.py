"""The ids of a tokenizer.json, and an identity that does not change with how the file is written."""

import json

import pytest

from curation.core.token_ids import token_ids, tokenizer_identity

WORDS = {"model": {"vocab": {"a": 0, "b": 1}}, "added_tokens": [{"id": 2, "content": "<s>"}]}


def test_ids_of_all_tokens() -> None:
    assert token_ids(json.dumps(WORDS).encode()) == {"a": 0, "b": 1, "<s>": 2}
    unigram = {"model": {"vocab": [["a", -1.5], ["b", -2.0]]}}
    assert token_ids(json.dumps(unigram).encode()) == {"a": 0, "b": 1}


@pytest.mark.parametrize("content", [b"pieces", b"[]", b'{"added_tokens": [{}]}', b'{"model": []}'])
def test_what_is_no_tokenizer(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"tokenizer|JSON|UTF-8"):
        token_ids(content)


def test_identity() -> None:
    own = tokenizer_identity(json.dumps(WORDS).encode())
    turned = {"model": {"vocab": {"b": 1, "a": 0}}, "added_tokens": WORDS["added_tokens"]}
    assert tokenizer_identity(json.dumps(turned, indent=2).encode()) == own
    assert tokenizer_identity(json.dumps(WORDS | {"added_tokens": []}).encode()) != own
    assert tokenizer_identity(b"pieces") != tokenizer_identity(b"other pieces")
