"""Tokens that cannot be made, and those that only seem so: parts of words, and bytes that are no characters."""

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from curation.tokens.encoders.load_tokenizer import PlainTokenizer, load_text
from curation.tokens.encoders.reachable import partial_tokens, unreachable_tokens


def loaded(folder: Path, library: Tokenizer) -> tuple[PlainTokenizer, dict[bytes | str, int]]:
    library.add_special_tokens(["<|endoftext|>"])
    (folder / "tokenizer.json").write_text(library.to_str())
    found = load_text(str(folder / "tokenizer.json"))
    return found, {token: number for number, token in enumerate(found.tokens())}


def test_byte_level(tmp_path: Path) -> None:
    vocabulary = {name: number for number, name in enumerate(["c", "a", "t", "Ã", "©", "at", "cat", "act", "Ã©"])}
    library = Tokenizer(models.BPE(vocab=vocabulary, merges=[("a", "t"), ("c", "at"), ("Ã", "©")]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    tokenizer, ids = loaded(tmp_path, library)
    tokens = tokenizer.tokens()
    text = [number for number, token in enumerate(tokens) if isinstance(token, bytes)]
    partial = partial_tokens(tokens, text)
    assert partial == [ids[b"\xc3"], ids[b"\xa9"]]
    assert unreachable_tokens(tokenizer, tokens, [one for one in text if one not in partial]) == [ids[b"act"]]


@pytest.mark.parametrize(("ids", "expected"), [([0, 1, 2, 3, 4], [4]), ([0, 1], []), ([], [])])
def test_parts_of_words_are_made_after_something(tmp_path: Path, ids: list[int], expected: list[int]) -> None:
    pieces: dict[str, int] = {"a": 0, "cat": 1, "##s": 2, "##cat": 3, "##scat": 4, "##c": 5, "[UNK]": 6}
    words: Any = models.WordPiece(vocab=pieces, unk_token="[UNK]")
    library = Tokenizer(words)
    library.decoder = decoders.WordPiece()
    library.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    content = json.loads(library.to_str())
    content["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "sc"},
        "behavior": "MergedWithPrevious",
        "invert": False,
    }
    tokenizer, _ = loaded(tmp_path, Tokenizer.from_str(json.dumps(content)))
    assert unreachable_tokens(tokenizer, tokenizer.tokens(), ids) == expected
