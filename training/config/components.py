"""What a training config names besides numbers: an objective, a model, an optimizer and a schedule.

Each is a component in a file, or a package, of the room of its verb, or of an installed package (see
`curation.core.catalog`); the field of `TrainConfig` has the verb's name. Nothing else of training knows one by name. A
component's module imports torch only inside its methods, so that a config is read, and a component described, at once
and without torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from curation.core import catalog
from curation.core.component import Component
from curation.core.verbs import Verb
from training.batch import Example, ExampleShape, Kind, Row
from training.config.ranges import check_fraction, check_least, check_most, check_positive

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
    """What the model is asked to predict of a row of tokens: a pure function in NumPy."""

    label_smoothing: Annotated[float, "share of a label's probability that all tokens have alike"] = 0.0
    z_loss: Annotated[float, "weight of the squared logarithm of the softmax's sum"] = 0.0

    verb: ClassVar[Verb | None] = OBJECTIVE
    kind: ClassVar[Kind] = Kind.PLAIN

    def __post_init__(self) -> None:
        check_fraction(self, "label_smoothing")
        check_least(self, 0, "z_loss")

    def tables(self) -> tuple[str, ...]:
        """The tables of SpecialIds that it reads: begins_word, ends_sentence."""
        return ()

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """Its names for the special ids that it puts between the tokens of rows of L = `row` -> the contents by which a
        tokenizer may have them among its added tokens, the best first. One that it has not is appended by the first."""
        return {}

    def shape(self, row: int) -> ExampleShape:
        """Of the example of a row of L = `row`. Raises ValueError for rows that are too short."""
        return ExampleShape(inputs=row, labels=row)

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """The example of a row; all its draws come from `rng`, which depends on the seed and the position of the row in
        the mix. The row is left as it is."""
        raise NotImplementedError


MOST_VOCABULARY = 1 << 32  # a token takes four bytes at most


@dataclass(frozen=True, kw_only=True)
class Architecture(Component):
    """The sizes of a model, which builds it."""

    vocabulary: Annotated[int | None, "rows of the embedding; None: the tokenizer's, up to a multiple of 128"] = None

    verb: ClassVar[Verb | None] = MODEL
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.PLAIN,)  # of examples that it takes

    def __post_init__(self) -> None:
        check_least(self, 1, "vocabulary")
        check_most(self, MOST_VOCABULARY, "vocabulary")

    def check_length(self, places: int) -> None:
        """Raises InputError for rows that are longer than the model can read."""

    def factor(self, name: str) -> float:
        """Factor of a weight in a model folder, for a scale of the network that no option there says."""
        return 1.0

    def build(self, vocabulary: int) -> "Trainable":
        """A new model of `vocabulary` tokens on torch's default device, in a training the meta device. What its weights
        begin with is said by its roles."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Optimizer(Component):
    """How gradients change the weights."""

    learning_rate: Annotated[float, "the peak"]
    max_gradient_norm: Annotated[float | None, "gradients are scaled down to this global norm; None: never"] = 1.0
    max_gradient_value: Annotated[float | None, "each element of a gradient is cut to this size; None: never"] = None

    verb: ClassVar[Verb | None] = OPTIMIZER
    again: ClassVar[bool] = False  # its step takes a closure that computes the gradients anew, unclipped

    def __post_init__(self) -> None:
        check_positive(self, "learning_rate", "max_gradient_norm", "max_gradient_value")

    def build(self, model: "Trainable") -> "torch.optim.Optimizer":
        """An optimizer over all weights of the model, in groups by their roles. It is called once the model is sharded,
        so that the optimizer's moments are sharded like the weights."""
        raise NotImplementedError

    def set_rate(self, optimizer: "torch.optim.Optimizer", rate: float) -> None:
        """Sets the learning rate of the next update of what `build` gave; a group's `scale` multiplies it."""
        for group in optimizer.param_groups:
            group["lr"] = rate * group.get("scale", 1.0)


@dataclass(frozen=True, kw_only=True)
class Schedule(Component):
    """The learning rate as a function of the step alone, so that a resumed run needs no state of it."""

    verb: ClassVar[Verb | None] = SCHEDULE

    def check(self, steps: int) -> None:
        """Raises ValueError if a run of `steps` updates is too short for it."""

    def with_phases(self, begins: Mapping[str, int]) -> "Schedule":
        """With the steps at which the phases of the mix begin in place of their names. Raises ValueError for a name
        that the mix has not."""
        return self

    def shortened(self, steps: int) -> "Schedule":
        """This schedule for a run of `steps` updates, however few they are."""
        return self

    def rate(self, step: int, *, steps: int, peak: float) -> float:
        """The learning rate of update `step`, 0 <= step < steps."""
        raise NotImplementedError
