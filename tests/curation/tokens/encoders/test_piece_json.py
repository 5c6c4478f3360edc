"""SentencePiece models as a tokenizer.json: the same ids for texts of many scripts, special tokens at their place."""

import io
import json
from typing import Any

import pyarrow as pa
import pytest
import sentencepiece
from tokenizers import Tokenizer

from curation.tokens.encoders.encoder_probe import CODE, PROSE, sample
from curation.tokens.encoders.load_tokenizer import parse
from curation.tokens.encoders.piece_json import json_of_pieces

TEXTS = [*sample(()), " a", "a ", "\n a\n\n", "Ab  c", "a\tb"]


def trained(**options: Any) -> bytes:
    """As winnow learns them, in which nothing of a text is lost."""
    written = io.BytesIO()
    common: dict[str, Any] = {"vocab_size": 700, "hard_vocab_limit": False, "minloglevel": 2, "byte_fallback": True}
    kept = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    lines = iter((PROSE + CODE).split("\n") * 5)
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=written, **common | kept | options)
    return written.getvalue()


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="defaults"),
        pytest.param({"add_dummy_prefix": False}, id="no space before a text"),
        pytest.param({"byte_fallback": False}, id="unknown characters"),
        pytest.param({"user_defined_symbols": ["\n", "\t"], "control_symbols": ["<mask>"]}, id="symbols"),
    ],
)
def test_the_same_ids(model_type: str, options: dict[str, Any]) -> None:
    content = trained(model_type=model_type, **options)
    own = parse(content, "model").text_ids(pa.array(TEXTS, pa.large_string()))
    other = Tokenizer.from_str(json_of_pieces(content).decode())
    for text, ids in zip(TEXTS, own, strict=True):
        assert other.encode(text, add_special_tokens=False).ids == ids.tolist(), text[:50]
    assert other.decode(other.encode("Ab  c").ids).strip() == "Ab  c"


def test_special_tokens_keep_their_ids() -> None:
    content = trained(control_symbols=["<mask>"], user_defined_symbols=["[SEP]"])
    stated = json.loads(json_of_pieces(content))
    special = {token["content"]: token["id"] for token in stated["added_tokens"] if token["special"]}
    names = parse(content, "model")
    assert {name: number for name, number in special.items() if names.name_of(number) == name} == special
    assert special.keys() == {"<unk>", "<s>", "</s>", "<mask>", "[SEP]"}


def test_models_of_whole_words_are_none() -> None:
    with pytest.raises(ValueError, match="neither Unigram nor BPE"):
        json_of_pieces(trained(model_type="char"))
