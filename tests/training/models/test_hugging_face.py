"""Model folders: tensors that nothing names, or of other shapes and types, and folders in a store."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from curation.core.errors import InputError
from training.models.encoder_decoder import EncoderDecoder
from training.models.hugging_face import TensorSource, layout_module, read_folder


def folder_of(path: Path, tensors: dict[str, Tensor], config: str = "{}") -> str:
    path.mkdir(exist_ok=True)
    save_file(tensors, path / "model.safetensors")
    (path / "config.json").write_text(config)
    return str(path)


@pytest.mark.parametrize(
    ("source", "tensor", "message"),
    [
        pytest.param(
            TensorSource("a"), torch.zeros(2, dtype=torch.int64), r"a in .* is I64\[2\], from which no", id="int"
        ),
        pytest.param(
            TensorSource("a", 2, 3), torch.zeros(4, 2), r"a in .* is F32\[4, 2\], from which no", id="few rows"
        ),
        pytest.param(TensorSource("a"), torch.tensor(1.0), r"a in .* is F32\[\], from which", id="no dimension"),
        pytest.param(TensorSource("m.b"), torch.zeros(2), r"the model in .* has no m\.b", id="absent"),
    ],
)
def test_tensors_that_are_refused(source: TensorSource, tensor: Tensor, message: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "model", {"a": tensor})
    with pytest.raises(InputError, match=message):
        read_folder(folder, lambda config: ({}, {"ours": source}))


def test_a_tensor_that_the_family_has_not_is_named(tmp_path: Path) -> None:
    tensors = {name: torch.zeros(2) for name in ("m.a", "m.rotary_emb.inv_freq", "lm_head.weight")}
    read_folder(folder_of(tmp_path / "old", tensors), lambda config: ({}, {"ours": TensorSource("m.a")}))
    folder = folder_of(tmp_path / "new", {**tensors, "m.q_proj.bias": torch.zeros(2)}, '{"model_type": "llama"}')
    with pytest.raises(InputError, match=r"has m\.q_proj\.bias, which a llama of its config\.json has not"):
        read_folder(folder, lambda config: ({}, {"ours": TensorSource("m.a")}))


def test_names_without_that_of_the_model_around_them(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "model", {"h.0.w": torch.arange(3.0)})
    found = read_folder(folder, lambda config: ({}, {"ours": TensorSource("transformer.h.0.w")}))
    assert found.box("ours", (1,), (2,)).tolist() == [1, 2]


def test_a_family_without_a_layout() -> None:
    with pytest.raises(InputError, match="no layout of transformers for a EncoderDecoder; a decoder or an encoder"):
        layout_module(EncoderDecoder())
