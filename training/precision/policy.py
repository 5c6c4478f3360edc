"""Which format a training computes in. Weights, moments, and sums of gradients are float32 in all of them.

Source: Micikevicius et al. 2018, "Mixed Precision Training" (arXiv:1710.03740).
"""

from importlib.util import find_spec
from typing import NamedTuple

import torch

from curation.core.errors import InputError
from curation.core.installation import with_extras

AMPERE = (8, 0)  # the first compute capability with bfloat16
HOPPER = (9, 0)  # the first with fp8 in torchao


class Policy(NamedTuple):
    """What a run computes in."""

    name: str  # fp32, bf16, fp16 or fp8
    compute: torch.dtype | None  # of a block's weights and activations; None: as weights are

    @property
    def scaled(self) -> bool:
        """Whether losses must be scaled, since small gradients would be lost (see `training.precision.scaler`)."""
        return self.compute is torch.float16


def choose(precision: str, capability: tuple[int, int] | None) -> Policy:
    """The policy of a config's `precision`; `auto` takes what a GPU of this compute capability, None: the CPU, does
    natively. Raises InputError for what it does not; one call with None, before any process starts, is enough to refuse
    what CPUs do not do."""
    if precision == "auto":
        precision = "fp32" if capability is None else "bf16" if capability >= AMPERE else "fp16"
    if capability is None and precision in ("fp16", "fp8"):
        raise InputError(f"precision is {precision}, which needs a GPU; write precision: fp32 or auto")
    for name, least in (("bf16", AMPERE), ("fp8", HOPPER)):
        if precision == name and capability is not None and capability < least:
            raise InputError(
                f"precision is {name}, which needs a GPU of compute capability {least[0]}.{least[1]} or more, and this "
                f"one has {capability[0]}.{capability[1]}; write precision: auto"
            )
    if precision == "fp8" and find_spec("torchao") is None:
        raise InputError(f"precision is fp8, which needs torchao; run {with_extras('fp8')}, or write precision: auto")
    compute = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.bfloat16}
    return Policy(precision, compute[precision])


def policy_of(precision: str, device: torch.device) -> Policy:
    """As `choose`, for a device."""
    return choose(precision, torch.cuda.get_device_capability(device) if device.type == "cuda" else None)
