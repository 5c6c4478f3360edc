"""A model's weights in groups that are updated alike, by their roles.

Source: Yang et al. 2022, "Tensor Programs V" (arXiv:2203.03466), table 8: where the width is m times that at which a
rate was found, updates whose size does not follow the gradient's are m times smaller for hidden matrices.
"""

from typing import Any

from training.roles import Purpose
from training.trainable import Trainable


def groups(model: Trainable, weight_decay: float, width_multiplier: float = 1.0) -> list[dict[str, Any]]:
    """Hidden matrices, embeddings with the output, and scales of norms with biases, which do not decay. `scale` is what
    a group's rate is multiplied by, `hidden` says which group is the first."""
    roles = model.roles()
    weights: dict[str, list[Any]] = {"hidden": [], "table": [], "vector": []}
    for name, parameter in model.named_parameters():
        part = roles[name].part
        kind = "hidden" if part is Purpose.HIDDEN else "vector" if part in (Purpose.NORM, Purpose.BIAS) else "table"
        weights[kind].append(parameter)
    return [
        {
            "params": parameters,
            "weight_decay": 0.0 if kind == "vector" else weight_decay,
            "scale": 1 / width_multiplier if kind == "hidden" else 1.0,
            "hidden": kind == "hidden",
        }
        for kind, parameters in weights.items()
        if parameters
    ]
