"""Documents get the ids of `transformers`, and the end of text that it only names, by the templates of public ones."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sentencepiece import SentencePieceProcessor

from curation.core.errors import InputError
from curation.tokens.encoders.encoder_probe import CODE, PROSE
from curation.tokens.encoders.load_tokenizer import load
from tests.curation.tokens.encoders.public_tokenizers import every
from tests.curation.tokens.encoders.test_piece_model import trained

TEXTS = ["It's what they'd said.", "été 字 😀", " two  spaces\n", "", PROSE, CODE]


@pytest.mark.parametrize("name", every)
def test_ids_are_those_of_transformers(tmp_path: Path, name: str) -> None:
    transformers = pytest.importorskip("transformers")
    made = every[name]()
    folder = made.write(tmp_path / name)
    found = load(str(folder))
    ids = made.library.token_to_id
    begin, end = made.around
    assert found.vocabulary.begin_of_text == (None if begin is None else ids(begin))
    assert found.vocabulary.end_of_text == ids(end)
    theirs: Any = transformers.PreTrainedTokenizerFast.from_pretrained(str(folder))
    encoded = found.encode(pa.array(TEXTS, pa.large_string())).to_pylist()
    for text, own in zip(TEXTS, encoded, strict=True):
        expected = theirs(text).input_ids
        ends = expected[-1:] == [ids(end)] and (len(expected) > 1 or begin != end)
        assert own == (expected if ends else [*expected, ids(end)]), text


@pytest.mark.parametrize("name", every)
def test_the_file_alone_says_the_same(tmp_path: Path, name: str) -> None:
    """Without the files beside it: Roberta's has one name in ENDS, OPT's also `</s>` alone."""
    made = every[name]()
    folder = made.write(tmp_path / name)
    (folder / "tokenizer_config.json").unlink()
    found = load(str(folder / "tokenizer.json")).vocabulary
    begin, end = (None if one is None else made.library.token_to_id(one) for one in made.around)
    assert (found.begin_of_text, found.end_of_text) == (begin, end)


@pytest.mark.parametrize(
    ("says", "begin"),
    [({"add_bos_token": True}, True), ({"tokenizer_class": "LlamaTokenizer"}, True), ({"add_bos_token": False}, False)],
)
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_ids_of_a_sentencepiece_model(tmp_path: Path, kind: str, says: dict[str, Any], begin: bool) -> None:
    (tmp_path / "tokenizer.model").write_bytes(trained(kind))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(says))
    theirs = SentencePieceProcessor(model_file=str(tmp_path / "tokenizer.model"))
    expected = theirs.encode(TEXTS, add_bos=begin, add_eos=True)
    assert load(str(tmp_path)).encode(pa.array(TEXTS, pa.large_string())).to_pylist() == expected


def test_a_sentencepiece_model_alone(tmp_path: Path) -> None:
    """Of one with a begin-of-text, as Llama 2's, nothing says whether documents have it; T5's has none."""
    (tmp_path / "llama.model").write_bytes(trained())
    (tmp_path / "t5.model").write_bytes(trained(bos_id=-1, eos_id=1, unk_id=2, pad_id=0))
    with pytest.raises(
        InputError, match=r'llama\.model has the begin-of-text <s>, .*write `begin: "<s>"` or `begin: none`'
    ):
        load(str(tmp_path / "llama.model"))
    assert load(str(tmp_path / "llama.model"), "<s>").vocabulary.begin_of_text == 1
    found = load(str(tmp_path / "t5.model")).vocabulary
    assert (found.begin_of_text, found.end_of_text, found.padding) == (None, 1, 0)
