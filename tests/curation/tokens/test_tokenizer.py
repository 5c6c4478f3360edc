"""The tokenizer loses nothing, never reads a special token out of text, and comes out the same every time."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import models

from curation.core.errors import InputError, RecipeError
from curation.core.stage import Fit
from curation.tokens.manifests import checksum
from curation.tokens.tokenizer import Tokenizer, load, vocabulary_of

TEXTS = [
    "the cat sat on the mat, the cat sat still\n" * 20,
    "def cat(mat):\n    return mat + 1\n" * 20,
    "été 数字 😀 " * 20,
]
FIT = Tokenizer(vocab_size=400, special_tokens=("<|mask|>",))


def arrays() -> list[pa.Array]:
    return [pa.array(TEXTS[:2], pa.large_string()), pa.array([*TEXTS[2:], "", None], pa.large_string())]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    file.write_bytes(FIT.fit(iter(arrays())))
    return str(file)


def encode(path: str, text: str) -> list[int]:
    return list(load(path).encoder.encode(text, add_special_tokens=False).ids)


def test_is_a_fit() -> None:
    assert isinstance(FIT, Fit)
    assert FIT.asset == "tokenizer.json"


def test_ids_of_special_tokens_and_bytes(path: str) -> None:
    encoder = load(path).encoder
    assert [encoder.id_to_token(i) for i in range(3)] == ["<|endoftext|>", "<|padding|>", "<|mask|>"]
    vocabulary = vocabulary_of(path)
    assert (vocabulary.end_of_text, vocabulary.padding, vocabulary.dtype.name) == (0, 1, "uint16")
    assert vocabulary.size == encoder.get_vocab_size(with_added_tokens=True) > 256 + 3
    assert vocabulary.tokenizer == checksum(Path(path).read_bytes())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(path: str, text: str) -> None:
    ids = encode(path, text)
    assert load(path).encoder.decode(ids, skip_special_tokens=False) == text
    assert all(token >= 3 for token in ids)


@pytest.mark.parametrize("special", ["<|endoftext|>", "<|padding|>", "<|mask|>"])
def test_special_tokens_in_text_are_text(path: str, special: str) -> None:
    text = f"the cat{special}{special} sat"
    ids = encode(path, text)
    assert min(ids) >= 3
    assert load(path).encoder.decode(ids, skip_special_tokens=True) == text


def test_special_tokens_in_the_sample_are_text_too() -> None:
    content = FIT.fit(iter([pa.array(["<|endoftext|> " * 50], pa.large_string())]))
    encoder = tokenizers.Tokenizer.from_str(content.decode())
    assert encoder.token_to_id("<|endoftext|>") == 0
    assert encoder.token_to_id("endoftext") is not None  # learnt as a word of the text


FIT_IN_A_PROCESS = """
import sys, pyarrow as pa
from curation.tokens.tokenizer import Tokenizer
texts = pa.array(sys.argv[1:], pa.large_string())
sys.stdout.buffer.write(Tokenizer(vocab_size=400, special_tokens=("<|mask|>",)).fit(iter([texts])))
"""


@pytest.mark.parametrize(
    "threads",
    [
        pytest.param({"TOKENIZERS_PARALLELISM": "false"}, id="none"),
        pytest.param({"TOKENIZERS_PARALLELISM": "true", "RAYON_NUM_THREADS": "4"}, id="four"),
    ],
)
def test_fit_is_the_same_for_any_number_of_threads(path: str, threads: dict[str, str]) -> None:
    command = [sys.executable, "-c", FIT_IN_A_PROCESS, *TEXTS]
    found = subprocess.run(command, env=os.environ | threads, capture_output=True, check=True)
    assert found.stdout == Path(path).read_bytes()


def test_how_documents_are_batched_does_not_matter(path: str) -> None:
    one_by_one = [pa.array([text], pa.large_string()) for text in TEXTS]
    assert FIT.fit(iter(one_by_one)) == Path(path).read_bytes()


def test_vocabulary_has_room_for_all_bytes() -> None:
    assert Tokenizer(vocab_size=258).vocab_size == 258
    with pytest.raises(RecipeError, match="vocab_size is 257"):
        Tokenizer(vocab_size=257)


@pytest.mark.parametrize("special", ["<|endoftext|>", ""])
def test_special_tokens_are_distinct(special: str) -> None:
    with pytest.raises(RecipeError, match="must be distinct"):
        Tokenizer(special_tokens=(special,))


def foreign(folder: Path, **vocabulary: int) -> str:
    (folder / "other.json").write_text(tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=[])).to_str())
    return str(folder / "other.json")


def test_a_tokenizer_from_elsewhere_gets_a_padding_id_of_its_own(tmp_path: Path) -> None:
    vocabulary = vocabulary_of(foreign(tmp_path, **{"a": 0, "</s>": 1, "b": 2}))
    assert (vocabulary.end_of_text, vocabulary.padding, vocabulary.size) == (1, 3, 4)


def test_a_tokenizer_without_end_of_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no end-of-text token \(<\|endoftext\|> or"):
        load(foreign(tmp_path, a=0))


def test_a_file_that_is_no_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": 1}')
    with pytest.raises(InputError, match=r"config\.json is no tokenizer\.json"):
        load(str(tmp_path / "config.json"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file at"):
        load(str(tmp_path / "none.json"))
