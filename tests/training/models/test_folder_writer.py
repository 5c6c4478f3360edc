"""Folders of transformers that are written tensor by tensor: shards, number formats, tensors that hold several."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import AutoModelForCausalLM

from curation.core.errors import InputError
from tests.training.models.made import SMALL, model_of
from training.models.decoder import Decoder
from training.models.decoder.huggingface import config_of, layout
from training.models.folder_writer import WholeWeights, export, write_folder
from training.models.hugging_face import FolderWeights, TensorSource, read_folder

DECODER = Decoder(**SMALL, kv_heads=2)


def tensors_of(found: FolderWeights) -> dict[str, Tensor]:
    return {name: found.box(name, (0,) * len(shape), shape) for name, shape in found.shapes.items()}


def written(folder: Path) -> dict[str, Tensor]:
    return {name: one for path in sorted(folder.glob("*.safetensors")) for name, one in load_file(path).items()}


@pytest.mark.parametrize("shard", [1, 4_000, 10**9])
def test_shards_are_those_that_transformers_reads(shard: int, tmp_path: Path) -> None:
    model = model_of(DECODER)
    config = config_of(DECODER, 50)
    write_folder(str(tmp_path), config, layout(config)[1], WholeWeights.of(model), shard=shard)
    files = sorted(tmp_path.glob("*.safetensors"))
    sizes = [sum(tensor.nbytes for tensor in load_file(file).values()) for file in files]
    assert all(size <= shard for size, file in zip(sizes, files, strict=True) if len(load_file(file)) > 1)
    if shard == 10**9:
        assert [file.name for file in files] == ["model.safetensors"]
    else:
        count = len(files)
        assert [file.name for file in files] == [
            f"model-{n:05d}-of-{count:05d}.safetensors" for n in range(1, count + 1)
        ]
        index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
        assert index["metadata"]["total_size"] == sum(sizes)
    theirs, report = AutoModelForCausalLM.from_pretrained(tmp_path, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    state = model.state_dict()
    assert torch.equal(theirs.model.layers[1].mlp.up_proj.weight, state["blocks.1.feed_forward.up.weight"])
    found = tensors_of(read_folder(str(tmp_path), layout))
    assert all(torch.equal(found[name], own) for name, own in state.items())


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [("fp32", torch.float32), ("bf16", torch.bfloat16), ("fp16", torch.float16)],
)
def test_number_formats(dtype: str, kind: torch.dtype, tmp_path: Path) -> None:
    model = model_of(DECODER)
    export(WholeWeights.of(model), DECODER, str(tmp_path), dtype=dtype)
    assert json.loads((tmp_path / "config.json").read_text())["dtype"] == str(kind).removeprefix("torch.")
    tensors = written(tmp_path)
    assert {tensor.dtype for tensor in tensors.values()} == {kind}
    assert torch.equal(tensors["model.embed_tokens.weight"], model.state_dict()["embedding.weight"].to(kind))


def test_what_fp16_cannot_hold(tmp_path: Path) -> None:
    model = model_of(DECODER)
    with torch.no_grad():
        model.get_parameter("norm.weight")[0] = 70_000.0
    with pytest.raises(InputError, match=r"norm\.weight has numbers that fp16 cannot hold"):
        export(WholeWeights.of(model), DECODER, str(tmp_path), dtype="fp16")


def test_several_tensors_in_one_that_is_stored_transposed(tmp_path: Path) -> None:
    query, key, bias = torch.arange(6.0).reshape(2, 3), torch.arange(9.0).reshape(3, 3), torch.arange(5.0)
    sources = {
        "key": TensorSource("t.attention", 2, 3, transposed=True),
        "query": TensorSource("t.attention", 0, 2, transposed=True),
        "bias": TensorSource("t.bias"),
    }
    tensors = {"query": query, "key": key, "bias": bias}
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    write_folder(str(tmp_path), {}, sources, WholeWeights(shapes, tensors.__getitem__))
    assert torch.equal(written(tmp_path)["t.attention"], torch.cat([query, key]).T)
    found = read_folder(str(tmp_path), lambda config: ({}, sources))
    assert found.shapes == shapes
    assert torch.equal(found.box("key", (1, 2), (2, 1)), key[1:3, 2:3])
    assert torch.equal(found.box("query", (0, 1), (2, 2)), query[:, 1:])
    assert torch.equal(found.box("bias", (3,), (2,)), bias[3:])
