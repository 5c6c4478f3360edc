"""What a training config names besides numbers: an objective, a model, an optimizer and a schedule.

Each is a component in a file, or a package, of the room of its verb, or of an installed package (see
`curation.core.catalog`); the field of `TrainConfig` has the verb's name. Nothing else of training knows one by name. A
component's module imports torch only inside its methods, so that a config is read, and a component described, at once
and without torch.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from curation.core import catalog
from curation.core.component import Component
from curation.core.verbs import Verb
from training.batch import Example
from training.config.ranges import check_least, check_positive

if TYPE_CHECKING:  # slow to import
    import torch

    from training.trainable import Trainable

OBJECTIVE = Verb(name="objective", room="training.objectives")
MODEL = Verb(name="model", room="training.models")
OPTIMIZER = Verb(name="optimizer", room="training.optim")
SCHEDULE = Verb(name="schedule", room="training.optim.schedule")
# The key of the component where a config names none.
DEFAULTS = {OBJECTIVE: "causal", MODEL: "decoder", OPTIMIZER: "adamw", SCHEDULE: "cosine"}


def default(verb: Verb) -> Any:
    """The component of a config that names none, with its default options."""
    return catalog.find(verb, DEFAULTS[verb])()


@dataclass(frozen=True, kw_only=True)
class Objective(Component):
    """What the model is asked to predict of rows of tokens."""

    verb: ClassVar[Verb | None] = OBJECTIVE

    def example(self, tokens: npt.NDArray[Any], segments: npt.NDArray[np.int32], rng: np.random.Generator) -> Example:
        """Unsigned tokens [B, L + 1] and segments int32[B, L + 1], the number of each token's document within its row
        or 0 for padding -> an example of B rows. It leaves both as they are, and all its draws come from `rng`."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Architecture(Component):
    """The sizes of a model, which builds it."""

    vocabulary: Annotated[int | None, "rows of the embedding; None: the tokenizer's"] = None

    verb: ClassVar[Verb | None] = MODEL

    def __post_init__(self) -> None:
        check_least(self, 1, "vocabulary")

    def build(self, vocabulary: int, seed: int) -> "Trainable":
        """A new model of `vocabulary` tokens on the CPU. All weights follow from `seed`, so that they are the same in
        every process."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Optimizer(Component):
    """How gradients change the weights."""

    learning_rate: Annotated[float, "the peak"]
    max_gradient_norm: Annotated[float, "gradients are scaled down to this global norm"] = 1.0

    verb: ClassVar[Verb | None] = OPTIMIZER

    def __post_init__(self) -> None:
        check_positive(self, "learning_rate", "max_gradient_norm")

    def build(self, model: "torch.nn.Module") -> "torch.optim.Optimizer":
        """An optimizer over all weights of the model. It is called once the model is sharded, so that the optimizer's
        moments are sharded like the weights."""
        raise NotImplementedError

    def set_rate(self, optimizer: "torch.optim.Optimizer", rate: float) -> None:
        """Sets the learning rate of the next update of what `build` gave."""
        for group in optimizer.param_groups:
            group["lr"] = rate


@dataclass(frozen=True, kw_only=True)
class Schedule(Component):
    """The learning rate as a function of the step alone, so that a resumed run needs no state of it."""

    verb: ClassVar[Verb | None] = SCHEDULE

    def check(self, steps: int) -> None:
        """Raises ValueError if a run of `steps` updates is too short for it."""

    def shortened(self, steps: int) -> "Schedule":
        """This schedule for a run of `steps` updates, however few they are."""
        return self

    def rate(self, step: int, *, steps: int, peak: float) -> float:
        """The learning rate of update `step`, 0 <= step < steps."""
        raise NotImplementedError
