"""What a model says of its parameters, which is all that the rest of training knows of its layers.

Readers: the groups of optimizers, initialisation, precision, tensor parallelism, maximal update scaling and FLOPs.
"""

from enum import Enum
from typing import Literal, NamedTuple, TypeAlias

from training.batch import ExampleShape

Side: TypeAlias = Literal["inputs", "labels", "targets"]  # a number of places of `ExampleShape`


class Purpose(Enum):
    """What a parameter is for."""

    EMBEDDING = "embedding"  # rows are looked up
    HIDDEN = "hidden"  # a matrix between layers
    OUTPUT = "output"  # a matrix that gives logits, unless it is the embedding
    NORM = "norm"  # scales of a norm
    BIAS = "bias"


class Role(NamedTuple):
    """Of one parameter."""

    part: Purpose
    split: Literal["column", "row"] | None = None  # between processes, by its outputs; by its inputs, and it adds up
    deviation: float = 0.0  # of the normal distribution that an embedding or a matrix begins with
    reads: Side | None = None  # the places of a row that are multiplied with it; None: none are
    together: int = 1  # neighbours that stay in one process where it is split: those of a head


class AttentionSize(NamedTuple):
    """Layers of attention that are alike, for their FLOPs."""

    layers: int
    width: int  # of all heads
    queries: Side
    keys: Side
    causal: bool
    window: int | None = None  # keys that a query sees at most; None: no limit
    kv_width: int = 0  # of all key heads, and of all value heads

    def flops(self, shape: ExampleShape, *, halved: bool) -> float:
        """Of a row, forward and backward: 12 * layers * queries * keys * width; `halved`: without what a causal mask
        hides, half of it if there is no window. Source: Chowdhery et al. 2022, "PaLM" (arXiv:2204.02311), appendix B.
        """
        places = shape._asdict()
        keys = min(places[self.keys], self.window or places[self.keys])
        whole: float = 12.0 * self.layers * self.width * places[self.queries] * keys
        hidden = keys / (2 * places[self.keys]) if halved and self.causal else 0.0
        return whole * (1 - hidden)
