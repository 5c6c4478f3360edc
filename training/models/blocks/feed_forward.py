"""The feed-forward half of a block. Source of the gate: Shazeer 2020, "GLU Variants" (arXiv:2002.05202)."""

from collections.abc import Callable

from torch import Tensor, nn

from training.models.blocks.layer import Layer
from training.models.sizes import Sizes
from training.roles import Purpose, Role, Side


class FeedForward(Layer):
    """A gate through `activation`, times a plain projection, projected back; without a gate, the plain projection goes
    through `activation`."""

    def __init__(
        self,
        config: Sizes,
        activation: Callable[[Tensor], Tensor],
        *,
        reads: Side = "inputs",
        gated: bool = True,
        bias: bool = False,
    ) -> None:
        super().__init__()
        self.config = config
        self.activation = activation
        self.reads: Side = reads
        self.gate = nn.Linear(config.width, config.hidden, bias=bias) if gated else None
        self.up = nn.Linear(config.width, config.hidden, bias=bias)
        self.down = nn.Linear(config.hidden, config.width, bias=bias)

    def forward(self, x_BLD: Tensor) -> Tensor:
        if self.gate is None:
            inner = self.activation(self.up(x_BLD))
        else:
            inner = self.activation(self.gate(x_BLD)) * self.up(x_BLD)
        projected: Tensor = self.down(inner)
        return projected

    def roles(self) -> dict[str, Role]:
        reads = Role(Purpose.HIDDEN, "column", self.config.deviation(self.config.width), self.reads)
        writes = Role(Purpose.HIDDEN, "row", self.config.deviation(self.config.hidden, writes=True), self.reads)
        gate = {} if self.gate is None else {"gate.weight": reads}
        return {**gate, "up.weight": reads, "down.weight": writes}
