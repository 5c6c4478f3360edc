"""Matrix products in fp8, scaled by tensor, through torchao: on GPUs of compute capability 9.0, and so run by no test.

Source: Micikevicius et al. 2022, "FP8 Formats for Deep Learning" (arXiv:2209.05433).
"""

from torch import nn

from curation.core.errors import InputError
from training.roles import Purpose
from training.trainable import Trainable

SIDE = 16  # that the kernels take multiples of


def use_fp8(model: Trainable) -> None:
    """Replaces the linear layers of hidden matrices, in place, before the model is compiled and sharded. It must be
    compiled: else fp8 is slower than bf16. Raises InputError if there is no such layer."""
    from torchao.float8 import Float8LinearConfig, convert_to_float8_training

    roles = model.roles()
    chosen = [
        name
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear)
        and roles[f"{name}.weight"].part is Purpose.HIDDEN
        and roles[f"{name}.weight"].reads != "labels"  # of which there may be any number
        and not any(side % SIDE for side in module.weight.shape)
    ]
    if not chosen:
        raise InputError(f"precision is fp8, but no hidden matrix has sides that {SIDE} divides; write precision: bf16")
    convert_to_float8_training(
        model,
        module_filter_fn=lambda module, name: name in chosen,
        config=Float8LinearConfig.from_recipe_name("tensorwise"),
    )
