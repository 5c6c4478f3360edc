"""The feed-forward half of a block, with a gate. Source: Shazeer 2020, "GLU Variants" (arXiv:2002.05202).

A block takes any layer [B, L, D] -> [B, L, D] in its place.
"""

from collections.abc import Callable

from torch import Tensor, nn

from training.models.blocks.layer import Layer
from training.models.sizes import Sizes
from training.roles import Purpose, Role, Side


class FeedForward(Layer):
    """A gate through `activation`, times a plain projection, projected back."""

    def __init__(self, config: Sizes, activation: Callable[[Tensor], Tensor], *, reads: Side = "inputs") -> None:
        super().__init__()
        self.config = config
        self.activation = activation
        self.reads: Side = reads
        self.gate = nn.Linear(config.width, config.hidden, bias=False)
        self.up = nn.Linear(config.width, config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, config.width, bias=False)

    def forward(self, x_BLD: Tensor) -> Tensor:
        projected: Tensor = self.down(self.activation(self.gate(x_BLD)) * self.up(x_BLD))
        return projected

    def roles(self) -> dict[str, Role]:
        reads = Role(Purpose.HIDDEN, "column", self.config.deviation(self.config.width), self.reads)
        writes = Role(Purpose.HIDDEN, "row", self.config.deviation(self.config.hidden, writes=True), self.reads)
        return {"gate.weight": reads, "up.weight": reads, "down.weight": writes}
