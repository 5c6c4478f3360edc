"""What is written for transformers beside the weights; architectures that it lacks are refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import AutoModelForCausalLM, AutoTokenizer

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from tests.training.models.made import model_of
from tests.training.runs import TINY, counting_run, write_run
from training.config.parse import parse
from training.models.folder_writer import WholeWeights
from training.models.hugging_face import layout_module
from training.release.folder import write_model
from training.release.tokenizer import ReleasedTokenizer


def released(path: Path, **options: Any) -> ReleasedTokenizer:
    names = {"begin_of_text": None, "end_of_text": "<|endoftext|>", "padding": "<|padding|>"}
    return ReleasedTokenizer(path=str(path), **names | options)


def test_ids_of_special_tokens_and_the_length(tmp_path: Path) -> None:
    data = TokenData.open(str(counting_run(tmp_path / "data")))
    config = parse({**TINY, "sequence_length": 8})
    with torch.device("cpu"):
        model = config.model.build(data.vocabulary)
    (tmp_path / "tokenizer.json").write_text("{}")
    tokenizer = released(tmp_path / "tokenizer.json")
    write_model(WholeWeights.of(model), config, data, tokenizer, str(tmp_path / "out"))
    written = {path.name: path for path in (tmp_path / "out").iterdir()}
    names = {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert written.keys() == names
    config_json = json.loads(written["config.json"].read_text())
    names_of_ids = ("bos_token_id", "eos_token_id", "pad_token_id", "max_position_embeddings")
    assert [config_json[name] for name in names_of_ids] == [0, 0, 1, 8]
    facts = json.loads(written["tokenizer_config.json"].read_text())
    assert (facts["eos_token"], facts["pad_token"], facts["model_max_length"]) == ("<|endoftext|>", "<|padding|>", 8)
    assert "suppress_tokens" not in json.loads(written["generation_config.json"].read_text())


def test_ids_that_the_tokenizer_cannot_write_are_never_sampled(tmp_path: Path) -> None:
    data = TokenData.open(str(counting_run(tmp_path / "data")))
    config = parse({**TINY, "sequence_length": 8})
    (tmp_path / "tokenizer.json").write_text("{}")
    tokenizer = released(tmp_path / "tokenizer.json", padding=None, appended=("<|mask|>",))
    weights = WholeWeights.of(config.model.build(data.vocabulary + 3))
    write_model(weights, config, data, tokenizer, str(tmp_path / "out"))
    found = json.loads((tmp_path / "out" / "generation_config.json").read_text())["suppress_tokens"]
    assert found == [data.padding, data.vocabulary + 1, data.vocabulary + 2]


def test_all_learned_positions_stay(tmp_path: Path) -> None:
    """Also where a training read shorter rows than the model can."""
    data = TokenData.open(str(counting_run(tmp_path / "data")))
    sizes = {"preset": "gpt2", "layers": 1, "width": 32, "heads": 4, "hidden": 64, "learned_positions": 20}
    config = parse({**TINY, "model": {"decoder": sizes}, "sequence_length": 8})
    (tmp_path / "tokenizer.json").write_text("{}")
    weights = WholeWeights.of(model_of(config.model, vocabulary=data.vocabulary))
    write_model(weights, config, data, released(tmp_path / "tokenizer.json"), str(tmp_path / "out"))
    found = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert found.config.max_position_embeddings == 20
    assert torch.equal(found.transformer.wpe.weight, weights.read("position_embedding.weight"))


def test_tokens_that_the_objective_appended(tmp_path: Path) -> None:
    data = TokenData.open(str(counting_run(tmp_path / "data")))
    config = parse(TINY)
    words = ("<|endoftext|>", "<|padding|>", *(f"w{number}" for number in range(2, data.vocabulary)))
    own = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, "w2"))
    own.add_special_tokens(list(words[:2]))
    own.save(str(tmp_path / "tokenizer.json"))
    marks = ("<|fim_prefix|>", "<|fim_suffix|>")
    tokenizer = released(tmp_path / "tokenizer.json", appended=marks)
    write_model(WholeWeights.of(config.model.build(data.vocabulary)), config, data, tokenizer, str(tmp_path / "out"))
    first = data.vocabulary
    found = AutoTokenizer.from_pretrained(tmp_path / "out")("w3<|fim_suffix|>w4<|fim_prefix|>")["input_ids"]
    assert found == [3, first + 1, 4, first]


@pytest.mark.parametrize("template", [None, "<s> $A", "<s> $A </s>"])
@pytest.mark.parametrize("begin", [None, "<s>"])
def test_a_text_begins_as_the_documents_of_the_training(
    tmp_path: Path, template: str | None, begin: str | None
) -> None:
    number = None if begin is None else 2
    documents = [[*([] if number is None else [number]), *range(3, 40), 0]] * 9
    data = TokenData.open(str(write_run(tmp_path / "data", documents, validation=documents[:1], begin_of_text=number)))
    words = ["</s>", "<|padding|>", "<s>", *(f"w{one}" for one in range(3, data.vocabulary))]
    own = Tokenizer(WordLevel({word: at for at, word in enumerate(words)}, "w3"))
    own.pre_tokenizer = Whitespace()
    own.add_special_tokens(words[:3])
    if template:
        own.post_processor = TemplateProcessing(single=template, special_tokens=[("<s>", 2), ("</s>", 0)])
    own.save(str(tmp_path / "tokenizer.json"))
    tokenizer = released(tmp_path / "tokenizer.json", begin_of_text=begin, end_of_text="</s>")
    config = parse(TINY)
    out = tmp_path / "out"
    write_model(WholeWeights.of(config.model.build(data.vocabulary)), config, data, tokenizer, str(out))
    for name in ("config.json", "generation_config.json"):
        facts = json.loads((out / name).read_text())
        assert (facts["bos_token_id"], facts["eos_token_id"]) == (0 if begin is None else 2, 0)
    found = AutoTokenizer.from_pretrained(out)
    assert found("w5 w6")["input_ids"] == [*([] if begin is None else [2]), 5, 6]
    assert (found.bos_token_id, found.eos_token_id) == (0 if begin is None else 2, 0)


def test_transformers_does_not_find_a_sentence_piece_model(tmp_path: Path) -> None:
    data = TokenData.open(str(counting_run(tmp_path / "data")))
    config = parse(TINY)
    (tmp_path / "tokenizer.model").write_bytes(b"pieces")
    tokenizer = released(tmp_path / "tokenizer.model", end_of_text="</s>", padding=None)
    write_model(WholeWeights.of(config.model.build(data.vocabulary)), config, data, tokenizer, str(tmp_path / "out"))
    assert (tmp_path / "out" / "sentencepiece.model").read_bytes() == b"pieces"
    assert not (tmp_path / "out" / "tokenizer_config.json").exists()
    with pytest.raises(ValueError, match="instantiate the backend tokenizer"):
        AutoTokenizer.from_pretrained(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "generation_config.json").read_text())["pad_token_id"] == 0


def test_an_architecture_without_a_layout() -> None:
    config = parse({**TINY, "model": {"encoder_decoder": {}}, "objective": {"span_corruption": {}}})
    with pytest.raises(InputError, match="no layout of transformers for a EncoderDecoder"):
        layout_module(config.model)
