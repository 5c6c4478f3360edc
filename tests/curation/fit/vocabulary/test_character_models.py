"""BPE, WordPiece and Unigram on characters: text comes back, special tokens are not in it, the same bytes each time."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.core.errors import InputError, RecipeError
from curation.fit.tokenizer import Tokenizer
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, load
from tests.support import learned

TEXTS = [
    "## Cats\n\nthe cat sat on the mat, the cat sat still\n" * 20,
    "def cat(mat):\n\treturn mat + 1\n\t\tpass\n" * 20,
    "été 数字 tête mêlé " * 20 + "<|endoftext|> <0x41> <|mask|>" * 5,
]
Model = Literal["bpe", "wordpiece", "unigram"]
MODELS: tuple[Model, ...] = ("bpe", "wordpiece", "unigram")


def fit(model: Model, texts: list[str] | None = None, **options: Any) -> bytes:
    given = {"vocab_size": 500, "special_tokens": ("<|mask|>",), "character_coverage": 1.0} | options
    return learned(Tokenizer(model=model, **given), [pa.array(texts or TEXTS, pa.large_string())])


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LoadedTokenizer]:
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for model in MODELS:
        (folder / f"{model}.json").write_bytes(fit(model))
        found[model] = load(str(folder / f"{model}.json"))
    return found


def encode(tokenizer: LoadedTokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(pa.array([text], pa.large_string()))[0].as_py()
    return ids[:-1]


def names(tokenizer: LoadedTokenizer, text: str) -> list[bytes | str]:
    tokens = tokenizer.tokens()
    return [tokens[number] for number in encode(tokenizer, text)]


@pytest.mark.parametrize("model", MODELS)
def test_what_was_learnt_comes_back(loaded: dict[str, LoadedTokenizer], model: str) -> None:
    for text in (*TEXTS, " the  cat\n\n", "# ### cat##s", ""):
        ids = encode(loaded[model], text)
        assert loaded[model].decode(ids) == text
        assert len(ids) < len(text) or len(text) < 20


@pytest.mark.parametrize("model", ["bpe", "unigram"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_in_bytes(loaded: dict[str, LoadedTokenizer], model: str, text: str) -> None:
    ids = encode(loaded[model], text)
    assert loaded[model].decode(ids) == text
    assert min(ids, default=9) > 2


@pytest.mark.parametrize("model", ["bpe", "unigram"])
def test_a_character_outside_the_alphabet_is_spelt(loaded: dict[str, LoadedTokenizer], model: str) -> None:
    assert names(loaded[model], "😀") == [b"\xf0", b"\x9f", b"\x98", b"\x80"]


def test_a_word_piece_goes_on_with_its_own_tokens(loaded: dict[str, LoadedTokenizer]) -> None:
    tokenizer = loaded["wordpiece"]
    assert names(tokenizer, "catcat") != 2 * names(tokenizer, "cat")
    assert names(tokenizer, "the 😀") == [b"the", "<|unknown|>"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pattern", ["gpt2", r"\S+|\s+"])
def test_special_tokens_in_text_are_text(tmp_path: Path, model: Model, pattern: str) -> None:
    specials = ("<|endoftext|>", "<|mask|>", "<|unknown|>", "<|reserved_0|>")
    texts = ["".join(f"{one} the cat {one}{one}<0x41>\n" for one in specials) * 50, *TEXTS]
    path = tmp_path / "tokenizer.json"
    path.write_bytes(fit(model, texts, pattern=pattern, reserved_tokens=1))
    ids = encode(load(str(path)), texts[0])
    tokens = load(str(path)).tokens()
    assert all(isinstance(tokens[number], bytes) for number in ids)
    assert b"A" not in {tokens[number] for number in ids}
    assert load(str(path)).decode(ids) == texts[0]


def test_special_tokens_come_first(loaded: dict[str, LoadedTokenizer]) -> None:
    assert loaded["bpe"].tokens()[:3] == ["<|endoftext|>", "<|padding|>", "<|mask|>"]
    for model in ("wordpiece", "unigram"):
        assert loaded[model].tokens()[:4] == ["<|endoftext|>", "<|padding|>", "<|unknown|>", "<|mask|>"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("longest", [2, None])
def test_digits_normalization_and_the_longest_token(tmp_path: Path, model: Model, longest: int | None) -> None:
    path = tmp_path / "tokenizer.json"
    options: dict[str, Any] = {"split_digits": "three", "normalization": "nfkc", "lowercase": True}
    path.write_bytes(fit(model, ["Cats 2024 were 12345 ÉTÉ ﬁt\n" * 30], max_token_length=longest, **options))
    tokenizer = load(str(path))
    assert tokenizer.decode(encode(tokenizer, "CATS ﬁt 2024")) == "cats fit 2024"
    tokens = [token.decode(errors="ignore") for token in tokenizer.tokens() if isinstance(token, bytes)]
    assert not any(len(token) > 3 and token[-4:].isdigit() for token in tokens)
    assert longest is None or max(map(len, tokens)) == longest


@pytest.mark.parametrize("model", ["bpe", "unigram"])
def test_without_bytes_the_rest_is_unknown(tmp_path: Path, model: Model) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(fit(model, byte_fallback=False, vocab_size=200))
    assert names(load(str(path)), "😀") == ["<|unknown|>"]


@pytest.mark.parametrize("model", MODELS)
def test_a_frequent_word_that_is_part_of_no_other_is_a_token(tmp_path: Path, model: Model) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(fit(model, ["a zebra met the quagga and a cat met the quagga\n" * 50]))
    assert names(load(str(path)), " quagga") == [b" quagga"]


def test_rare_characters_are_not_in_the_alphabet() -> None:
    texts = ["the cat sat " * 1000 + "Ω"]
    assert '"Ω"' in fit("bpe", texts, character_coverage=1.0).decode()
    assert '"Ω"' not in fit("bpe", texts, character_coverage=0.9995).decode()


FIT_IN_A_PROCESS = """
import sys, pyarrow as pa
from curation.fit.tokenizer import Tokenizer
from tests.support import learned
texts = pa.array(sys.argv[2:], pa.large_string())
fit = Tokenizer(model=sys.argv[1], vocab_size=500, special_tokens=("<|mask|>",))
sys.stdout.buffer.write(learned(fit, [texts]))
"""


@pytest.mark.parametrize("model", ["byte_bpe", *MODELS])
@pytest.mark.parametrize("threads", [pytest.param("false", marks=pytest.mark.soak), "true"])
def test_the_same_bytes_in_any_process_and_of_any_batches(model: Any, threads: str) -> None:
    environment = os.environ | {"TOKENIZERS_PARALLELISM": threads, "RAYON_NUM_THREADS": "3"}
    command = [sys.executable, "-c", FIT_IN_A_PROCESS, model, *TEXTS]
    found = subprocess.run(command, env=environment, capture_output=True, check=True)
    one_by_one = [pa.array([text], pa.large_string()) for text in TEXTS]
    own = Tokenizer(model=model, vocab_size=500, special_tokens=("<|mask|>",))
    assert found.stdout == learned(own, one_by_one)
    assert found.stderr == b""


@pytest.mark.parametrize("model", MODELS)
def test_an_alphabet_larger_than_the_vocabulary(model: Model) -> None:
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))
    with pytest.raises(RecipeError, match=r"vocab_size is 500; the 400 characters that make up 100\.00% of the text"):
        fit(model, [letters])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("texts", [[], [""]])
def test_no_text(model: Model, texts: list[str]) -> None:
    with pytest.raises(InputError, match="no text to learn a tokenizer from"):
        learned(Tokenizer(model=model), [pa.array(texts, pa.large_string())])


@pytest.mark.parametrize("model", MODELS)
def test_little_text_gives_fewer_tokens(model: Model) -> None:
    found = tokenizers.Tokenizer.from_str(fit(model, ["the cat sat"], vocab_size=5_000).decode())
    assert found.get_vocab_size(with_added_tokens=True) < 400
