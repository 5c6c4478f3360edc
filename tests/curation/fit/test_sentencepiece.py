"""SentencePiece models: ids, text that comes back, special tokens that stay out of it, the same bytes each time."""

from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from curation.core.errors import InputError, RecipeError
from curation.fit.sentencepiece import Sentencepiece
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, load
from tests.support import learned

TEXTS = [
    "the cat sat on the mat, the cat sat still\n" * 20,
    "def cat(mat):\n\treturn mat + 1\n        pass\n" * 20,
    "été 数字 tête mêlé 2024 " * 20 + "<|endoftext|> <0x41> <|mask|>" * 5,
]
Type = Literal["bpe", "unigram"]
TYPES: tuple[Type, ...] = ("bpe", "unigram")


def fit(model_type: Type, texts: list[str | None] | None = None, **options: Any) -> bytes:
    given = {"vocab_size": 420, "special_tokens": ("<|mask|>",), "character_coverage": 1.0} | options
    return learned(Sentencepiece(model_type=model_type, **given), [pa.array(texts or TEXTS, pa.large_string())])


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LoadedTokenizer]:
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for one in TYPES:
        (folder / f"{one}.model").write_bytes(fit(one))
        found[one] = load(str(folder / f"{one}.model"))
    return found


def encode(tokenizer: LoadedTokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(pa.array([text], pa.large_string()))[0].as_py()
    return ids[:-1]


@pytest.mark.parametrize("model_type", TYPES)
def test_ids(loaded: dict[str, LoadedTokenizer], model_type: str) -> None:
    tokens = loaded[model_type].tokens()
    vocabulary = loaded[model_type].vocabulary
    assert tokens[:6] == ["<|endoftext|>", "<|padding|>", "<|unknown|>", "<|mask|>", b"\n", b"\t"]
    assert tokens[6:262] == [bytes([byte]) for byte in range(256)]
    assert (vocabulary.end_of_text, vocabulary.padding, vocabulary.size) == (0, 1, len(tokens))


@pytest.mark.parametrize("model_type", TYPES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@example(TEXTS[0])
@example(TEXTS[1])
@example(TEXTS[2])
@example("  two  spaces <|endoftext|><|padding|><|unknown|><|mask|><0x41>")
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="▁")))
def test_any_text_comes_back(loaded: dict[str, LoadedTokenizer], model_type: str, text: str) -> None:
    ids = encode(loaded[model_type], text)
    assert loaded[model_type].decode(ids) == text
    assert min(ids, default=9) > 3


def test_runs_of_spaces_are_tokens(loaded: dict[str, LoadedTokenizer]) -> None:
    tokens = loaded["bpe"].tokens()
    assert [tokens[number] for number in encode(loaded["bpe"], "\n        pass")][:2] == [b"\n", b" " * 8]


@pytest.mark.parametrize("model_type", TYPES)
def test_the_same_bytes_however_texts_are_batched(model_type: Type) -> None:
    options: dict[str, Any] = {"vocab_size": 420, "special_tokens": ("<|mask|>",), "character_coverage": 1.0}
    one_by_one = [pa.array([text, None], pa.large_string()) for text in TEXTS]
    assert learned(Sentencepiece(model_type=model_type, **options), one_by_one) == fit(model_type)


@pytest.mark.parametrize("model_type", TYPES)
def test_digits_normalization_and_length(tmp_path: Path, model_type: Type) -> None:
    path = tmp_path / "tokenizer.model"
    options: dict[str, Any] = {"split_digits": "each", "normalization": "nfkc", "lowercase": True}
    path.write_bytes(fit(model_type, max_token_length=4, **options))
    tokenizer = load(str(path))
    assert tokenizer.decode(encode(tokenizer, "The ﬁrst ÉTÉ 2024")) == "the first été 2024"
    assert not any(len(one) > 1 and one[-2:].isdigit() for one in tokenizer.tokens() if isinstance(one, bytes))
    assert max(len(one.decode(errors="ignore")) for one in tokenizer.tokens() if isinstance(one, bytes)) <= 4


@pytest.mark.parametrize("model_type", TYPES)
def test_without_bytes_the_rest_is_unknown(tmp_path: Path, model_type: Type) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(fit(model_type, byte_fallback=False, vocab_size=150))
    assert encode(load(str(path)), "😀") == [2]
    assert load(str(path)).decode([2]) == "<|unknown|>"


@pytest.mark.parametrize("model_type", TYPES)
def test_a_long_run_without_spaces_and_bytes_that_are_none(model_type: Type) -> None:
    assert fit(model_type, ["ab" * 40_000 + "\0" + "the cat", *TEXTS])


@pytest.mark.parametrize("model_type", TYPES)
def test_little_text_gives_fewer_tokens(tmp_path: Path, model_type: Type) -> None:
    (tmp_path / "tokenizer.model").write_bytes(fit(model_type, ["the cat sat"], vocab_size=5_000))
    assert 262 < load(str(tmp_path / "tokenizer.model")).vocabulary.size < 320


@pytest.mark.parametrize("texts", [[""], [None], ["\n\n"]])
def test_no_text(texts: list[str | None]) -> None:
    with pytest.raises(InputError, match="no text to learn a tokenizer from"):
        fit("bpe", texts)


def test_an_alphabet_without_room() -> None:
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))
    with pytest.raises(RecipeError, match="vocab_size is 420, too few for the alphabet alone"):
        fit("bpe", [letters])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"vocab_size": 262}, None, id="room for one character"),
        pytest.param({"vocab_size": 261}, "256 bytes, 3 special tokens, 2 of whitespace and an alphabet", id="bytes"),
        pytest.param({"vocab_size": 5, "byte_fallback": False}, "; 3 special tokens, 2 of", id="no bytes"),
        pytest.param({"special_tokens": ("<|unknown|>",)}, "special tokens must be distinct", id="special"),
        pytest.param({"lowercase": True}, "lowercase has an effect only with normalization", id="lowercase"),
        pytest.param({"character_coverage": 0.97}, "must lie between 0.98 and 1", id="coverage"),
        pytest.param({"max_token_length": 0}, "must lie between 1 and 512", id="length"),
        pytest.param({"sample_temperature": 2}, "need sample_by", id="sample"),
    ],
)
def test_impossible_options(options: dict[str, Any], message: str | None) -> None:
    if message is None:
        Sentencepiece(**options)
    else:
        with pytest.raises(RecipeError, match=message):
            Sentencepiece(**options)
