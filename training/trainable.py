"""The face of every model: what the losses of a batch are, and what its parameters are for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from torch import Tensor, nn

from training.batch import Batch
from training.roles import AttentionSize, Role

T = TypeVar("T")


@dataclass(frozen=True)
class Losses:
    """Sums over a batch of B rows, float32; the caller divides by the weights of all processes and micro-batches."""

    total: Tensor  # scalar: what is minimised, with label smoothing, z-loss and further heads
    nats: Tensor  # [B], detached: of each row, weight * -log p(label) added up; what is reported as the loss
    parts: Mapping[str, Tensor]  # scalars, detached: the total's further terms by name, as far as there are several


class Seam(nn.Module):
    """Passes on what it gets, where processes that share rows hear what the others have: "places" of the residual
    stream [B, L, D] before matrices read it, or "keys", with values, [B, H, L, E] each, before they are asked."""

    def __init__(self, lacks: Literal["places", "keys"]) -> None:
        super().__init__()
        self.lacks = lacks

    def forward(self, x: T) -> T:
        return x


class Trainable(nn.Module):
    """A network without any distributed code. It is built on the meta device, moved, and then initialised by its roles;
    so it holds no tensor besides its parameters that is not made where it is used."""

    blocks: nn.ModuleList  # the unit of recompute, compile and sharding
    one_stream: bool = False  # all blocks pass on one stream of a row's places, which processes can share
    width: int = 0  # of it
    entrance: tuple[str, ...] = ()  # modules that `enter` uses, and
    exit: tuple[str, ...] = ()  # `leave`; without any it cannot be cut into stages of a pipeline
    begins: bool = True  # this process has what is before the first block, and
    ends: bool = True  # what is after the last one
    width_multiplier: float = 1.0  # width over the base width of maximal update scaling; 1: unused

    def forward(self, batch: Batch) -> Losses:
        """The losses of a batch on the model's device."""
        raise NotImplementedError

    def enter(self, batch: Batch) -> Tensor:
        """The stream [B, L, D] before the first block."""
        raise NotImplementedError

    def through(self, stream: Tensor, batch: Batch, blocks: Iterable[tuple[int, nn.Module]]) -> Tensor:
        """The stream after some consecutive blocks, which come with their numbers."""
        raise NotImplementedError

    def leave(self, stream: Tensor, batch: Batch) -> Losses:
        """The losses from the stream after the last block."""
        raise NotImplementedError

    def logits(self, batch: Batch) -> Tensor:
        """[B, K, V] for the labels of a batch: for tests, judges and generation, where they fit into memory."""
        raise NotImplementedError

    def roles(self) -> Mapping[str, Role]:
        """Of every parameter, by its name in `named_parameters`."""
        raise NotImplementedError

    def attentions(self) -> Sequence[AttentionSize]:
        """All layers of attention."""
        raise NotImplementedError
