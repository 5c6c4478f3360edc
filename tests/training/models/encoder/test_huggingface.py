"""ModernBERT folders: the logits of transformers, the same bytes back, older configs, and what cannot be read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import ModernBertConfig, ModernBertForMaskedLM

from curation.core.errors import InputError
from tests.training.models.made import SMALL, example_of, model_of
from training.batch import Batch, Kind
from training.models.encoder import Encoder
from training.models.encoder.huggingface import layout
from training.models.folder_writer import WholeWeights, export
from training.models.hugging_face import FolderWeights, read_folder

EXAMPLE = example_of(Kind.PREFIXED, segments=np.ones(12, np.int32))
IDS = torch.from_numpy(EXAMPLE.inputs)[None]
ENCODER = Encoder(**SMALL | {"layers": 5}, global_every=2, local_window=4, global_theta=900.0, local_theta=50.0)


def read(folder: Path | str) -> FolderWeights:
    return read_folder(str(folder), layout)


def tensors_of(found: FolderWeights) -> dict[str, torch.Tensor]:
    return {name: found.box(name, (0,) * len(shape), shape) for name, shape in found.shapes.items()}


def modernbert() -> ModernBertForMaskedLM:
    torch.manual_seed(0)
    no_ids = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"))
    config = ModernBertConfig(
        vocab_size=50,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=5,
        num_attention_heads=4,
        global_attn_every_n_layers=2,
        local_attention=4,
        global_rope_theta=900.0,
        local_rope_theta=50.0,
        initializer_range=0.5,
        **no_ids,
    )
    model = ModernBertForMaskedLM(config).eval()
    torch.nn.init.normal_(model.decoder.bias)
    return model


def test_logits_are_those_of_transformers(tmp_path: Path) -> None:
    theirs = modernbert()
    theirs.save_pretrained(tmp_path)
    found = read(tmp_path)
    assert Encoder(**found.options) == Encoder(
        **SMALL | {"layers": 5}, vocabulary=50, global_every=2, local_window=4, global_theta=900.0, local_theta=50.0
    )
    ours = model_of(ENCODER)
    ours.load_state_dict(tensors_of(found))
    places = torch.from_numpy(EXAMPLE.places)
    with torch.no_grad():
        expected = theirs(IDS).logits[:, places]
        torch.testing.assert_close(ours.logits(Batch.of([EXAMPLE])), expected, rtol=0, atol=1e-4)
        export(WholeWeights.of(ours), ENCODER, str(tmp_path / "exported"))
        again = ModernBertForMaskedLM.from_pretrained(tmp_path / "exported").eval()
        torch.testing.assert_close(again(IDS).logits[:, places], expected, rtol=0, atol=1e-6)


def test_export_and_import_give_the_same_bits(tmp_path: Path) -> None:
    model = model_of(ENCODER)
    export(WholeWeights.of(model), ENCODER, str(tmp_path))
    tensors = tensors_of(read(tmp_path))
    assert tensors.keys() == model.state_dict().keys()
    assert all(torch.equal(tensors[name], own) for name, own in model.state_dict().items())


def changed(folder: Path, change: dict[str, Any]) -> str:
    """An exported model whose config has been changed."""
    export(WholeWeights.of(model_of(ENCODER)), ENCODER, str(folder))
    config = json.loads((folder / "config.json").read_text()) | change
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


@pytest.mark.parametrize(
    ("layers", "every"),
    [
        pytest.param("fsfss", None, id="uneven"),
        pytest.param("sfsss", None, id="the first is local"),
        pytest.param("sssss", None, id="none"),
        pytest.param("fssss", 5, id="the first alone"),
        pytest.param("fsfsf", 2, id="every second"),
        pytest.param("fffff", 1, id="all"),
    ],
)
def test_which_layers_see_all(layers: str, every: int | None, tmp_path: Path) -> None:
    kinds = ["full_attention" if one == "f" else "sliding_attention" for one in layers]
    folder = changed(tmp_path, {"layer_types": kinds})
    if every is None:
        with pytest.raises(InputError, match=r"layer_types in config\.json has full_attention at"):
            read(folder)
    else:
        assert read(folder).options["global_every"] == every


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"model_type": "bert"}, "only models with 'modernbert' can be read", id="BERT"),
        pytest.param({"norm_bias": True}, "norm_bias is True", id="biases"),
        pytest.param({"num_hidden_layers": 6}, "has no model.layers.5.attn_norm.weight", id="a layer is missing"),
        pytest.param(
            {"rope_parameters": {"full_attention": {"rope_type": "yarn", "rope_theta": 1.0}}}, "'yarn'", id="positions"
        ),
    ],
)
def test_what_is_no_such_model(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(changed(tmp_path, change))


def test_heads_of_another_width_are_not_exported(tmp_path: Path) -> None:
    encoder = Encoder(**SMALL, head_width=6)
    with pytest.raises(InputError, match="no head_width of its own"):
        export(WholeWeights.of(model_of(encoder)), encoder, str(tmp_path))
