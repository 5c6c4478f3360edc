"""Special ids: those that a tokenizer has, those that are appended, and tables for each way to mark words."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from training.config.components import Objective
from training.data.special_ids import special_ids, utf8_bytes

END = {"id": 0, "content": "<|endoftext|>"}
SPACED = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}


@dataclass(frozen=True, kw_only=True)
class Wishes(Objective):
    """Asks for what a test says."""

    wanted: Mapping[str, Sequence[str]]
    asked: tuple[str, ...] = ()

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        return self.wanted

    def tables(self) -> tuple[str, ...]:
        return self.asked


@dataclass
class Facts:
    """What is read of token data."""

    tokenizer_path: str
    vocabulary: int
    begin_of_text: int | None = None
    end_of_text: int = 0
    padding: int = 1


def data(folder: Path, content: Mapping[str, Any] | bytes, vocabulary: int) -> TokenData:
    path = folder / "tokenizer.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return cast(TokenData, Facts(str(path), vocabulary))


def tables(folder: Path, pieces: Sequence[str], **stated: Any) -> tuple[list[str], list[str]]:
    """The pieces that begin a word and those that end a sentence, of a tokenizer with these."""
    model = {"vocab": {piece: number for number, piece in enumerate(pieces)}, **stated.pop("model", {})}
    wishes = Wishes(wanted={}, asked=("begins_word", "ends_sentence"))
    content = {"added_tokens": [END], "model": model, **stated}
    ids, _ = special_ids(wishes, 8, data(folder, content, len(pieces)))
    assert ids.begins_word is not None
    assert ids.ends_sentence is not None
    return list(np.array(pieces)[ids.begins_word]), list(np.array(pieces)[ids.ends_sentence])


def test_ids_are_found_or_appended(tmp_path: Path) -> None:
    added = [END, {"id": 7, "content": "<mask>"}, {"id": 5, "content": "<extra_id_1>"}]
    wanted = {
        "mask": ("<|mask|>", "<mask>"),
        "sentinel_0": ("<extra_id_0>",),
        "sentinel_1": ("<extra_id_1>",),
        "mode": ("[R]", "[NLU]"),
    }
    ids, appended = special_ids(Wishes(wanted=wanted), 8, data(tmp_path, {"added_tokens": added}, 10))
    assert ids.named == {"mask": 7, "sentinel_0": 10, "sentinel_1": 5, "mode": 11}
    assert appended == ("<extra_id_0>", "[R]")
    assert (ids.size, ids.end_of_text, ids.padding) == (12, 0, 1)
    assert ids.begins_word is ids.ends_sentence is None


def test_what_begins_a_document_is_known_and_a_word(tmp_path: Path) -> None:
    model = {"vocab": {"<|endoftext|>": 0, "<pad>": 1, "<s>.": 2, "▁a.": 3}}
    facts = data(tmp_path, {"added_tokens": [END], "model": model, "decoder": SPACED}, 4)
    begun = cast(TokenData, replace(cast(Facts, facts), begin_of_text=2))
    wishes = Wishes(wanted={}, asked=("begins_word", "ends_sentence"))
    for of, begin, word, ending in ((facts, None, False, True), (begun, 2, True, False)):
        ids, _ = special_ids(wishes, 8, of)
        assert ids.begins_word is not None
        assert ids.ends_sentence is not None
        assert (ids.begin_of_text, bool(ids.begins_word[2]), bool(ids.ends_sentence[2])) == (begin, word, ending)


def test_what_asks_for_nothing_reads_nothing() -> None:
    ids, appended = special_ids(Wishes(wanted={}), 8, cast(TokenData, Facts("/nowhere", 10)))
    assert (ids.size, dict(ids.named), appended) == (10, {}, ())


def test_byte_level_pieces(tmp_path: Path) -> None:
    pieces = ["<|endoftext|>", "p", "Ġthe", "the", "Ċ", ".", '."', "Ġ1.5", "ãĢĤ", "à"]
    begins, ends = tables(tmp_path, pieces, decoder={"type": "ByteLevel"})
    assert begins == ["<|endoftext|>", "p", "Ġthe", "Ċ", "Ġ1.5"]
    assert ends == ["Ċ", ".", '."', "ãĢĤ"]


def test_pieces_with_spaces_of_their_own(tmp_path: Path) -> None:
    vocabulary = [[piece, -1.0] for piece in ("<|endoftext|>", "p", "▁the", "the", "。", "!»", ". a")]
    model = {"type": "Unigram", "vocab": vocabulary}
    cut = {"type": "Metaspace", "replacement": "▁"}
    begins, ends = tables(tmp_path, [piece for piece, _ in vocabulary], model=model, pre_tokenizer=cut)  # type: ignore[misc]
    assert begins == ["<|endoftext|>", "p", "▁the"]
    assert ends == ["。", "!»"]


def test_word_pieces(tmp_path: Path) -> None:
    model = {"type": "WordPiece", "continuing_subword_prefix": "##"}
    begins, ends = tables(tmp_path, ["<|endoftext|>", "p", "the", "##s", ".", "##?"], model=model)
    assert begins == ["<|endoftext|>", "p", "the", "."]
    assert ends == [".", "##?"]


def test_appended_ids_are_words_and_end_nothing(tmp_path: Path) -> None:
    wishes = Wishes(wanted={"mask": ("<|mask.",)}, asked=("begins_word", "ends_sentence"))
    model = {"vocab": {"<|endoftext|>": 0, "p": 1, "▁a": 2, "b.": 3}}
    ids, _ = special_ids(wishes, 8, data(tmp_path, {"added_tokens": [END], "model": model, "decoder": SPACED}, 4))
    assert ids.begins_word is not None
    assert ids.begins_word.tolist() == [True, True, True, False, True]
    assert ids.ends_sentence is not None
    assert ids.ends_sentence.tolist() == [False, False, False, True, False]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"added_tokens": [END], "model": {"vocab": {"<|endoftext|>": 0, "p": 1, "a": 2}}}, id="no spaces"),
        pytest.param(b"\x0a\x0e a model of SentencePiece", id="no tokenizer.json"),
    ],
)
def test_a_tokenizer_that_does_not_show_words(content: Any, tmp_path: Path) -> None:
    wishes = Wishes(wanted={}, asked=("begins_word",))
    with pytest.raises(InputError, match=r"tokenizer\.json does not show begins_word of any token, .* other options"):
        special_ids(wishes, 8, data(tmp_path, content, 3))


def test_a_model_of_sentencepiece_does_not_say_its_bytes(tmp_path: Path) -> None:
    assert utf8_bytes(data(tmp_path, b"\n\x0e\n", 3)) is None
