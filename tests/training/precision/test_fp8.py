"""Which layers would compute in fp8; the products themselves need a GPU that has it."""

import sys
from types import ModuleType
from typing import Any

import pytest
from torch import nn

from curation.core.errors import InputError
from training.precision.fp8 import use_fp8
from training.roles import Purpose, Role
from training.trainable import Trainable


class Layers(Trainable):
    def __init__(self, side: int) -> None:
        super().__init__()
        self.up = nn.Linear(16, side)
        self.narrow = nn.Linear(16, 8, bias=False)
        self.head = nn.Linear(32, 16, bias=False)

    def roles(self) -> dict[str, Role]:
        parts = {
            "up.weight": Purpose.HIDDEN,
            "up.bias": Purpose.BIAS,
            "narrow.weight": Purpose.HIDDEN,
            "head.weight": Purpose.OUTPUT,
        }
        return {name: Role(part) for name, part in parts.items()}


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the layers that torchao is asked to replace, in place of torchao, which tests are run without."""
    names: list[str] = []

    def convert(model: nn.Module, *, module_filter_fn: Any, config: object) -> None:
        assert config == "tensorwise"
        names.extend(name for name, module in model.named_modules() if module_filter_fn(module, name))

    config = type("Float8LinearConfig", (), {"from_recipe_name": staticmethod(str)})
    float8 = ModuleType("torchao.float8")
    vars(float8).update(convert_to_float8_training=convert, Float8LinearConfig=config)
    monkeypatch.setitem(sys.modules, "torchao", ModuleType("torchao"))
    monkeypatch.setitem(sys.modules, "torchao.float8", float8)
    return names


def test_hidden_matrices_of_even_sides(chosen: list[str]) -> None:
    use_fp8(Layers(32))
    assert chosen == ["up"]


def test_a_model_with_none_is_refused(chosen: list[str]) -> None:
    with pytest.raises(InputError, match="no hidden matrix has sides that 16 divides; write precision: bf16"):
        use_fp8(Layers(24))
    assert not chosen
