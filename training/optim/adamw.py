"""AdamW with two groups: matrices decay, norms do not.

Source: Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization" (arXiv:1711.05101). The embedding decays,
because it may be the output projection.
"""

from torch import nn
from torch.optim import AdamW

from training.config import OptimizerConfig


def adamw(model: nn.Module, config: OptimizerConfig) -> AdamW:
    """Must be called after the model is sharded, so that the moments are sharded like the weights."""
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    betas = (config.beta1, config.beta2)
    return AdamW(groups, lr=config.learning_rate, betas=betas, eps=config.epsilon, fused=True)


def set_learning_rate(optimizer: AdamW, rate: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate
