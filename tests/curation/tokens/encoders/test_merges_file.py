"""`vocab.json` and `merges.txt` give the ids of the tokenizer.json that is made of them."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.tokens.encoders.encoder_probe import CODE, PROSE, sample
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, load
from tests.curation.tokens import byte_pair_files as files

TEXTS = pa.array([*sample(["<|endoftext|>"])][:14], pa.large_string())


def written(folder: Path, stated: dict[str, Any], prefix: str = "", **config: Any) -> str:
    """The pair of a tokenizer.json, as GPT-2's has its special token in the vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    model = stated["model"]
    (folder / f"{prefix}vocab.json").write_text(json.dumps(model["vocab"]))
    lines = (" ".join(pair) for pair in model["merges"])
    (folder / f"{prefix}merges.txt").write_text("#version: 0.2\n" + "\n".join(lines) + "\n")
    if config:
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return str(folder)


def same(found: LoadedTokenizer, stated: dict[str, Any], folder: Path) -> bool:
    (folder / "other.json").write_bytes(files.content(stated))
    return bool(found.text.text_ids(TEXTS)) and [ids.tolist() for ids in found.text.text_ids(TEXTS)] == [
        ids.tolist() for ids in load(str(folder / "other.json")).text.text_ids(TEXTS)
    ]


def test_ids_are_those_of_the_library(tmp_path: Path) -> None:
    stated = files.stated()
    found = load(written(tmp_path / "pair", stated))
    facts = found.vocabulary
    assert (facts.begin_of_text, facts.end_of_text, facts.padding, facts.file) == (None, 0, 1, "tokenizer.json")
    assert same(found, stated, tmp_path)


def test_ids_are_those_of_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    folder = written(tmp_path / "pair", files.stated())
    theirs = transformers.GPT2Tokenizer(vocab=f"{folder}/vocab.json", merges=f"{folder}/merges.txt")
    for text in ("It's what they'd said.", " été 字 😀 12", PROSE, CODE):
        (own,) = load(folder).encode(pa.array([text], pa.large_string())).to_pylist()
        assert own == [*theirs(text).input_ids, 0]


def test_either_file_and_any_prefix_name_the_pair(tmp_path: Path) -> None:
    folder = written(tmp_path, files.stated(), "gpt2-")
    for name in ("gpt2-vocab.json", "gpt2-merges.txt"):
        assert load(f"{folder}/{name}").vocabulary.end_of_text == 0
    written(tmp_path / "alone", files.stated(), "gpt2-")
    (tmp_path / "alone" / "gpt2-merges.txt").unlink()
    with pytest.raises(InputError, match=r"gpt2-vocab\.json needs vocab\.json and merges\.txt in one folder; copy"):
        load(f"{folder}/alone/gpt2-vocab.json")


def test_text_is_cut_as_by_the_class_or_the_pattern(tmp_path: Path) -> None:
    cut = files.sequence(files.split(files.tiktoken_path.QWEN), files.BYTES)
    stated = {**files.stated(cut), "normalizer": {"type": "NFC"}}
    folder = written(tmp_path / "qwen", stated, tokenizer_class="Qwen2Tokenizer", eos_token="<|endoftext|>")
    assert same(load(folder), stated, tmp_path)
    assert load(folder).text.pattern == "qwen"
    assert same(load(written(tmp_path / "named", stated), pattern="qwen"), stated, tmp_path)


def test_tokens_around_a_text(tmp_path: Path) -> None:
    """Roberta's class puts them there; of other classes the config says it."""
    stated = files.stated()
    names = {"<s>": 5000, "</s>": 5001, "<mask>": 5002}
    stated["model"] = {**stated["model"], "vocab": {**stated["model"]["vocab"], **names}}
    roberta = load(written(tmp_path / "roberta", stated, tokenizer_class="RobertaTokenizer", eos_token="</s>"))
    assert (roberta.vocabulary.begin_of_text, roberta.vocabulary.end_of_text) == (5000, 5001)
    told = load(written(tmp_path / "told", stated, add_bos_token=True, bos_token="<s>", eos_token="</s>"))
    assert (told.vocabulary.begin_of_text, told.vocabulary.end_of_text) == (5000, 5001)
    with pytest.raises(InputError, match=r"several tokens that may end a document \(<\|endoftext\|>, </s>\)"):
        load(written(tmp_path / "silent", stated))
    ids = roberta.encode(pa.array(["a<s>b</s>"], pa.large_string())).to_pylist()[0]
    assert (ids.count(5000), ids.count(5001)) == (1, 1)


def test_tokens_that_only_the_config_has(tmp_path: Path) -> None:
    added = {"3000": {"content": "<|im_start|>", "special": True}, "3001": {"content": "x", "special": False}}
    found = load(written(tmp_path, files.stated(), added_tokens_decoder=added, eos_token="<|im_start|>"))
    assert (found.vocabulary.end_of_text, found.vocabulary.size) == (3000, 3001)


def test_a_space_before_the_text(tmp_path: Path) -> None:
    folder = written(tmp_path, files.stated(), add_prefix_space=True, eos_token="<|endoftext|>")
    with_space, without = (load(folder).text.text_ids(pa.array([text], pa.large_string()))[0] for text in ("a", " a"))
    assert with_space.tolist() == without.tolist()
    with pytest.raises(InputError, match="a space is put before a text, which only pattern: gpt2 has"):
        load(folder, pattern="cl100k_base")


@pytest.mark.parametrize(
    ("vocabulary", "merges", "message"),
    [
        pytest.param('["a"]', "a b", "vocab.json has no tokens with their ids", id="a list"),
        pytest.param('{"a": -1}', "a b", "vocab.json has no tokens with their ids", id="a negative id"),
        pytest.param("{", "a b", "vocab.json cannot be read", id="no JSON"),
        pytest.param('{"a": 0}', "a b", "merges.txt has 'ab', which vocab.json lacks", id="of another model"),
        pytest.param('{"a": 0}', "a b c", "line 1 of merges.txt is no pair", id="three"),
        pytest.param('{"a": 0}', "\n a", "line 2 of merges.txt is no pair", id="one"),
        pytest.param('{"a": 0, "b</w>": 1, "ab</w>": 2}', "a b</w>", "marks the ends of words by </w>", id="CLIP"),
    ],
)
def test_pairs_that_are_none(tmp_path: Path, vocabulary: str, merges: str, message: str) -> None:
    (tmp_path / "vocab.json").write_text(vocabulary)
    (tmp_path / "merges.txt").write_text(merges)
    with pytest.raises(InputError, match=message):
        load(str(tmp_path))
