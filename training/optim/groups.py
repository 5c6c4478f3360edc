"""A model's weights in groups that are updated alike, by their roles."""

from typing import Any

from training.optim.width import UNSCALED, WidthRule
from training.roles import Purpose
from training.trainable import Trainable


def groups(model: Trainable, weight_decay: float, rule: WidthRule = UNSCALED) -> list[dict[str, Any]]:
    """Weights of one rate and one decay: scales of norms and biases do not decay. `scale` is what a group's rate is
    multiplied by, `hidden` says whether its weights are matrices between layers, `width` is the width multiplier."""
    roles = model.roles()
    width = model.width_multiplier
    alike: dict[tuple[bool, float, float], list[Any]] = {}
    for name, parameter in model.named_parameters():
        part = roles[name].part
        powers = rule[part]
        decay = 0.0 if part in (Purpose.NORM, Purpose.BIAS) else weight_decay * width**powers.decay
        alike.setdefault((part is Purpose.HIDDEN, decay, width**powers.rate), []).append(parameter)
    return [
        {"params": parameters, "weight_decay": decay, "scale": scale, "hidden": hidden, "width": width}
        for (hidden, decay, scale), parameters in alike.items()
    ]
