"""Floating-point operations of a training, from what its model says of itself, and the peak of the device at hand."""

import torch

from training.batch import ExampleShape
from training.metrics.devices import of_name
from training.trainable import Trainable


def row_flops(model: Trainable, shape: ExampleShape, *, halved: bool) -> float:
    """Of a row, forward and backward: six per weight and place that is multiplied with it, and attention's, of which
    `halved` leaves out what a causal mask hides. Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1."""
    roles = model.roles()
    places = shape._asdict()
    weights = {name: parameter.numel() for name, parameter in model.named_parameters()}
    matrices: float = sum(6.0 * weights[name] * places[role.reads] for name, role in roles.items() if role.reads)
    return matrices + sum(size.flops(shape, halved=halved) for size in model.attentions())


def peak_flops(device: torch.device) -> float | None:
    """FLOP/s of one device in bfloat16; None for a CPU or a GPU without figures."""
    if device.type != "cuda":
        return None
    known = of_name(torch.cuda.get_device_name(device))
    return known.bf16 if known else None
