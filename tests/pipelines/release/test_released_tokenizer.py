"""Released tokenizers of trainings on a SentencePiece model: a tokenizer.json that agrees, or the model alone."""

from pathlib import Path

import pyarrow as pa
import pytest
from transformers import AutoTokenizer

from curation.core.errors import InputError
from curation.tokens.encoders.load_tokenizer import load_text
from curation.tokens.shards import TokenData
from pipelines.release.released_tokenizer import check_tokenizer, released_tokenizer
from tests.curation.tokens.encoders.test_piece_json import trained
from tests.training.runs import TINY
from training.batch import SpecialIds
from training.config.parse import parse
from training.data.check import PreparedData
from training.release.tokenizer import write_tokenizer

LLAMA = {"model_type": "llama"}
TEXTS = ("The boats  came back", " a\n", "昨天晚上下了雨")


class Data:
    """What is read of token data."""

    begin_of_text: int | None = 1
    end_of_text = 2
    padding = 3
    vocabulary = 700

    def __init__(self, path: Path) -> None:
        self.tokenizer_path = str(path)


def prepared(folder: Path, content: bytes) -> PreparedData:
    (folder / "tokenizer.model").write_bytes(content)
    ids = SpecialIds(700, 2, 3, {}, begin_of_text=1)
    data: TokenData = Data(folder / "tokenizer.model")  # type: ignore[assignment]
    return PreparedData(parse(TINY), data, ids, (), None, "")


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_transformers_gives_the_ids_of_the_training(tmp_path: Path, model_type: str) -> None:
    own = prepared(tmp_path, trained(model_type=model_type))
    tokenizer = released_tokenizer(own)
    folder = tmp_path / "out"
    folder.mkdir()
    write_tokenizer(tokenizer, folder, 64, 700)
    assert check_tokenizer(tokenizer, own.data, LLAMA).startswith("transformers gives 50 sample texts the ids")
    found = AutoTokenizer.from_pretrained(folder)
    ids = load_text(own.data.tokenizer_path).text_ids(pa.array(TEXTS, pa.large_string()))
    assert [found(text)["input_ids"] for text in TEXTS] == [[1, *one.tolist()] for one in ids]


def test_a_model_whose_ids_are_others_there_is_for_its_own_library(tmp_path: Path) -> None:
    own = prepared(tmp_path, trained(normalization_rule_name="nmt_nfkc"))
    tokenizer = released_tokenizer(own)
    assert tokenizer.file == "sentencepiece.model"
    folder = tmp_path / "out"
    folder.mkdir()
    write_tokenizer(tokenizer, folder, 64, 700)
    assert [path.name for path in folder.iterdir()] == ["sentencepiece.model"]
    assert "for sentencepiece alone" in check_tokenizer(tokenizer, own.data, LLAMA)


def test_other_ids_are_refused(tmp_path: Path) -> None:
    """A template that puts <s> before a text, after a training without it."""
    own = prepared(tmp_path, trained())
    begun = released_tokenizer(own)
    own.data.begin_of_text = None
    problem = r"transformers would read '' as \[1\] … for a llama model, the training read it as \[\] …; publish"
    with pytest.raises(InputError, match=problem):
        check_tokenizer(begun, own.data, LLAMA)


def test_a_kind_of_model_whose_tokenizers_transformers_reads_by_its_own_rules(tmp_path: Path) -> None:
    own = prepared(tmp_path, trained(model_type="bpe"))
    with pytest.raises(InputError, match=r"transformers would read .* for a qwen2 model, the training"):
        check_tokenizer(released_tokenizer(own), own.data, {"model_type": "qwen2"})
