"""Weights of another model, of other ends of documents or of another tokenizer are refused, unless it is on purpose."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.processors import TemplateProcessing
from transformers import LlamaConfig, LlamaForCausalLM

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from tests.training.runs import TINY, counting_documents, counting_run, write_run
from training.checkpoint.initial_differences import check_initial_weights
from training.config.parse import parse
from training.models.decoder import Decoder
from training.parallel.mesh import RefusedError
from training.preflight import whole_model
from training.start import train

SIZES: dict[str, Any] = {"layers": 2, "width": 32, "heads": 4, "kv_heads": 2, "hidden": 64}


def run_of(folder: Path, begin: int | None = None, tokenizer: bytes = b"{}") -> str:
    """Documents that begin with this token, if with any."""
    front = [] if begin is None else [begin]
    training, held_out = (
        [[*front, *document] for document in counting_documents(count, seed=count, vocabulary=62)] for count in (70, 7)
    )
    return str(write_run(folder, training, validation=held_out, begin_of_text=begin, tokenizer=tokenizer))


def words(*changed: str, begin: str = "") -> bytes:
    """A tokenizer.json of 64 words."""
    names = [*(f"w{number}" for number in range(64 - len(changed))), *changed]
    own = Tokenizer(WordLevel({name: number for number, name in enumerate(names)}, "w2"))
    if begin:
        ids = [(begin, own.token_to_id(begin))]
        own.post_processor = TemplateProcessing(single=f"{begin} $A", special_tokens=ids)
    return own.to_str().encode()


def check(source: Path | str, data: str, model: Decoder, *change: str) -> None:
    config = parse({**TINY, "init_change": list(change)})
    config = replace(config, model=replace(model, vocabulary=128))
    check_initial_weights(str(source), config, TokenData.open(data), whole_model(config))


def llama(folder: Path, **options: Any) -> Path:
    sizes = {"vocab_size": 128, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": True, "rms_norm_eps": 1e-5}
    with torch.device("cpu"):
        LlamaForCausalLM(LlamaConfig(**sizes | heads | options)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of SIZES, on tokens of `words()`."""
    folder = tmp_path_factory.mktemp("trained")
    run = run_of(folder / "run", tokenizer=words())
    train(parse({**TINY, "model": {"decoder": SIZES}, "steps": 3}), run, str(folder / "model"))
    return folder


@pytest.mark.parametrize(
    ("options", "named"),
    [
        pytest.param(
            {"heads": 2, "head_width": 16, "kv_heads": 1}, "heads is 4 there and 2 here, head_width is", id="heads"
        ),
        pytest.param({"rope_theta": 500.0}, r"rope_theta is 10000\.0 there and 500\.0 here;", id="theta"),
        pytest.param({"norm_epsilon": 1e-6}, "norm_epsilon is 1e-05 there and 1e-06 here;", id="epsilon"),
        pytest.param({"base_width": 16}, "base_width is none there and 16 here;", id="base width"),
        pytest.param(
            {"dropout": 0.1, "initialisation": "plain", "initial_deviation": 0.5}, "", id="what decides nothing"
        ),
    ],
)
def test_options_that_shapes_do_not_show(options: dict[str, Any], named: str, trained: Path) -> None:
    other = Decoder(**SIZES | options)
    newest = max((trained / "model" / "checkpoints").glob("step_*"))
    for source in (trained / "model", newest):
        if not named:
            check(source, str(trained / "run"), other)
            continue
        with pytest.raises(InputError, match=f"learnt with other settings: {named}"):
            check(source, str(trained / "run"), other)


def test_a_change_on_purpose(trained: Path) -> None:
    data = str(trained / "run")
    longer = Decoder(**SIZES, rope_theta=500.0, norm_epsilon=1e-6)
    with pytest.raises(InputError, match=r"settings: norm_epsilon is .*write `init_change: \[norm_epsilon\]` if"):
        check(trained / "model", data, longer, "rope_theta")
    check(trained / "model", data, longer, "rope_theta", "norm_epsilon")
    with pytest.raises(InputError, match="init_change names 'rope_thta'; did you mean 'rope_theta'"):
        check(trained / "model", data, longer, "rope_thta")
    with pytest.raises(InputError, match="do not fit the model: layers is 2 there and 3 here; give the model"):
        check(trained / "model", data, Decoder(**SIZES | {"layers": 3}), "layers")


def test_another_tokenizer_of_equal_size(trained: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    same = run_of(tmp_path / "same", tokenizer=json.dumps(json.loads(words()), indent=3).encode())
    check(trained / "model", same, Decoder(**SIZES))
    other = run_of(tmp_path / "other", tokenizer=words("another"))
    with pytest.raises(
        InputError, match=r"tokenizer is one with the checksum .{8} of its ids there and .*change: \[tokenizer\]`"
    ):
        check(trained / "model", other, Decoder(**SIZES))
    check(trained / "model", other, Decoder(**SIZES), "tokenizer")
    record = json.loads((trained / "model" / "config.json").read_text())
    del record["tokenizer"]
    (tmp_path / "old" / "checkpoints").parent.mkdir()
    (tmp_path / "old" / "checkpoints").symlink_to(trained / "model" / "checkpoints")
    (tmp_path / "old" / "config.json").write_text(json.dumps(record))
    with caplog.at_level(logging.INFO):
        check(tmp_path / "old", other, Decoder(**SIZES))
    assert "does not say with which tokenizer it was trained" in caplog.text


def test_ends_of_the_documents_of_a_training(tmp_path: Path) -> None:
    plain, begun = (run_of(tmp_path / name, begin) for name, begin in (("plain", None), ("begun", 63)))
    train(parse({**TINY, "steps": 3}), plain, str(tmp_path / "first"))
    record = json.loads((tmp_path / "first" / "config.json").read_text())
    assert record["around_documents"] == {"begin_of_text": None, "end_of_text": 0}
    begin = parse({**TINY, "init": str(tmp_path / "first")})
    with pytest.raises(
        RefusedError, match="first learnt with other settings: begin_of_text is none there and 63 here; g"
    ):
        train(begin, begun, str(tmp_path / "second"))
    train(replace(begin, init_change=("begin_of_text",), steps=3), begun, str(tmp_path / "second"))


def test_folders_of_hugging_face(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    own = Decoder(**SIZES)
    data = run_of(tmp_path / "data", tokenizer=words())
    folder = llama(tmp_path / "llama")
    with caplog.at_level(logging.INFO):
        check(folder, data, own)
    assert "has no tokenizer.json" in caplog.text
    theta = llama(tmp_path / "theta", rope_theta=5e5)
    with pytest.raises(InputError, match=r"rope_theta is 500000\.0 there and 10000\.0 here"):
        check(theta, data, own)
    check(theta, data, own, "rope_theta")
    with pytest.raises(InputError, match="other settings: heads is 2 there and 4 here, head_width is 16 there"):
        check(llama(tmp_path / "heads", num_attention_heads=2, num_key_value_heads=1), data, own)


def test_tokenizers_of_such_folders(tmp_path: Path) -> None:
    own = Decoder(**SIZES)
    data = run_of(tmp_path / "data", tokenizer=words())
    begun = run_of(tmp_path / "begun", begin=63, tokenizer=words())
    folder = llama(tmp_path / "llama")
    (folder / "tokenizer.json").write_bytes(words("another"))
    with pytest.raises(
        InputError, match="tokenizer is one that has 'another' as 63 there and one that has 'another' as none here"
    ):
        check(folder, data, own)
    (folder / "tokenizer.json").write_bytes(words(begin="w63"))
    check(folder, begun, own)
    with pytest.raises(InputError, match="begin_of_text is 63 there and none here"):
        check(folder, data, own)
    appended = json.loads(words())
    appended["added_tokens"] = [{"id": 64, "content": "<|fim_prefix|>"}]
    (folder / "tokenizer.json").write_text(json.dumps(appended))
    check(folder, data, own)


def test_a_checkpoint_outside_of_its_training(trained: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    newest = max((trained / "model" / "checkpoints").glob("step_*"))
    (tmp_path / "alone").symlink_to(newest)
    with caplog.at_level(logging.INFO):
        check(tmp_path / "alone", str(trained / "run"), Decoder(**SIZES, rope_theta=5.0))
    assert "lies in no training" in caplog.text


def test_what_is_neither(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a training nor a checkpoint"):
        check(tmp_path, str(counting_run(tmp_path / "run")), Decoder(**SIZES))
