"""The gated layer by hand, and what its matrices are for."""

import torch
import torch.nn.functional as F

from training.models.blocks.feed_forward import FeedForward
from training.models.decoder import Decoder
from training.roles import Purpose, Role


def test_by_hand() -> None:
    layer = FeedForward(Decoder(layers=1, width=2, heads=1, hidden=1), F.relu)
    with torch.no_grad():
        layer.gate.weight.copy_(torch.tensor([[1.0, -1.0]]))
        layer.up.weight.copy_(torch.tensor([[2.0, 0.0]]))
        layer.down.weight.copy_(torch.tensor([[1.0], [10.0]]))
    x = torch.tensor([[[3.0, 1.0], [1.0, 3.0]]])  # gates 2 and -2, which is cut to 0; plain 6 and 2
    assert layer(x).tolist() == [[[12.0, 120.0], [0.0, 0.0]]]


def test_roles() -> None:
    config = Decoder(layers=2, width=8, heads=2, hidden=4, initial_deviation=0.04)
    reads = Role(Purpose.HIDDEN, "column", 0.04, "inputs")
    writes = Role(Purpose.HIDDEN, "row", 0.02, "inputs")
    roles = FeedForward(config, F.silu).roles()
    assert roles == {"gate.weight": reads, "up.weight": reads, "down.weight": writes}
