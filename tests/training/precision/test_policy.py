"""What each machine computes in, and what it refuses."""

import pytest
import torch

from curation.core.errors import InputError
from training.precision.policy import choose, policy_of

T4 = (7, 5)
A100 = (8, 0)
H100 = (9, 0)


@pytest.mark.parametrize(
    ("precision", "machine", "name", "compute"),
    [
        ("auto", None, "fp32", None),
        ("auto", (7, 0), "fp16", torch.float16),
        ("auto", T4, "fp16", torch.float16),
        ("auto", A100, "bf16", torch.bfloat16),
        ("auto", H100, "bf16", torch.bfloat16),
        ("fp32", A100, "fp32", None),
        ("fp16", A100, "fp16", torch.float16),
        ("bf16", None, "bf16", torch.bfloat16),
    ],
)
def test_choice(precision: str, machine: tuple[int, int] | None, name: str, compute: torch.dtype | None) -> None:
    chosen = choose(precision, machine)
    assert (chosen.name, chosen.compute, chosen.scaled) == (name, compute, name == "fp16")


@pytest.mark.parametrize(
    ("precision", "machine", "message"),
    [
        ("fp16", None, "precision is fp16, which needs a GPU; write precision: fp32 or auto"),
        ("fp8", None, "precision is fp8, which needs a GPU; write precision: fp32 or auto"),
        (
            "bf16",
            T4,
            r"bf16, which needs a GPU of compute capability 8\.0 or more, and this one has 7\.5; write .* auto",
        ),
        ("fp8", (8, 9), r"fp8, which needs a GPU of compute capability 9\.0 or more, and this one has 8\.9"),
    ],
)
def test_refusal(precision: str, machine: tuple[int, int] | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose(precision, machine)


def test_this_machine() -> None:
    assert policy_of("auto", torch.device("cpu")) == ("fp32", None)
