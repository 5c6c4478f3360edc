"""A SentencePiece model's ids decode to the text, and no text becomes one of its special tokens."""

import io
from typing import Any

import pyarrow as pa
import pytest
import sentencepiece

from curation.core.errors import InputError
from curation.tokens.encoders.encoder_probe import CODE, PROSE
from curation.tokens.encoders.piece_model import PieceModel

SPECIAL = ("<unk>", "<s>", "</s>", "<|sep|>", "<mask>", "[CLS]")


def trained(kind: str = "unigram", **options: Any) -> bytes:
    model = io.BytesIO()
    settings = {
        "vocab_size": 650,
        "model_type": kind,
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "control_symbols": ["<|sep|>"],
        "user_defined_symbols": ["<mask>", "[CLS]", "\n\n", "▁▁"],
        "minloglevel": 2,
        **options,
    }
    lines = (PROSE + CODE).split("\n") * 3
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, **settings)
    return model.getvalue()


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def model(request: pytest.FixtureRequest) -> PieceModel:
    return PieceModel(trained(request.param), "given.model")


def ids(model: PieceModel, *texts: str | None) -> list[list[int]]:
    return [found.tolist() for found in model.ids(pa.array(texts, pa.large_string()))]


def test_ids_decode_to_the_text(model: PieceModel) -> None:
    texts = ["It's here.", "été 字 😀\t\0", "a\n\n  b", PROSE]
    assert [model.decode(found) for found in ids(model, *texts)] == texts


def test_no_text_has_no_ids(model: PieceModel) -> None:
    assert ids(model, "", None) == [[], []]


@pytest.mark.parametrize("name", SPECIAL)
def test_special_tokens_in_text_are_text(model: PieceModel, name: str) -> None:
    text = f"{name} a{name}{name} b"
    (found,) = ids(model, text)
    assert model.names[name] not in found
    assert model.decode(found) == text


@pytest.mark.parametrize(("text", "symbol"), [("a\n\nb", "\n\n"), ("a   b", "▁▁")])
def test_other_user_defined_symbols_stay_one_token(model: PieceModel, text: str, symbol: str) -> None:
    assert model.names[symbol] in ids(model, text)[0]


def test_control_symbols_and_the_unknown_token_have_names_and_no_bytes(model: PieceModel) -> None:
    assert {token for token in model.tokens().values() if isinstance(token, str)} == set(SPECIAL)
    assert (model.begin, model.end, model.padding) == ("<s>", "</s>", None)


def test_a_model_may_state_its_padding_and_lack_an_end() -> None:
    found = PieceModel(trained(pad_id=3, eos_id=-1, bos_id=-1), "given.model")
    assert (found.begin, found.end, found.padding) == (None, None, "<pad>")


def test_tokens_are_bytes_and_special_ones_names(model: PieceModel) -> None:
    tokens = model.tokens()
    assert [tokens[model.names[name]] for name in SPECIAL] == list(SPECIAL)
    assert tokens[model.names["<0x0A>"]] == b"\n"
    assert tokens[model.names["▁▁"]] == b"  "
    assert len(tokens) == 650


@pytest.mark.parametrize("content", [b"", b"hello", b"\x0a\xff\xff", b"\x08\x01"])
def test_what_is_no_model(content: bytes) -> None:
    with pytest.raises(InputError, match=r"given\.model is neither a tokenizer\.json nor a SentencePiece model"):
        PieceModel(content, "given.model")
