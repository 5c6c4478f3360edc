"""A mixture of objectives of one kind: each row takes one of them, drawn by weight.

    objective: {mixture: {objectives: {prefix_lm: {}, masked: {probability: 0.3}}, weights: {masked: 2}}}

A row has as many places and labels as the largest of the objectives needs; the others leave theirs empty.
Source: Tay et al. 2022 (arXiv:2205.05131), section 3.1, for mixing by row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np

from curation.core.verbs import Verb
from training.batch import Example, ExampleShape, Kind, Row
from training.config.components import OBJECTIVE, Objective
from training.objectives.text import filled

# The arrays of an example that are as long as each number of its shape; of these, the ones of tokens.
ARRAYS = (
    ("inputs", "segments", "seen", "order", "detection"),
    ("labels", "weights", "places", "uniforms"),
    ("targets", "target_segments"),
)
TOKENS = ("inputs", "labels", "targets")


@dataclass(frozen=True, kw_only=True)
class Mixture(Objective):
    """Objectives by their keys, and how often each is taken."""

    objectives: Annotated[Mapping[str, Objective], "by key"] = field(default_factory=dict)
    weights: Annotated[Mapping[str, float], "by key, in any unit; 1 for those without one"] = field(
        default_factory=dict
    )

    holds: ClassVar[Mapping[str, Verb]] = {"objectives": OBJECTIVE}
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = {key: one.kind.value for key, one in self.objectives.items()}
        if len(set(kinds.values())) > 1:
            stated = ", ".join(f"{key} {kind}" for key, kind in kinds.items())
            raise ValueError(f"objectives of a mixture must be of one kind, and these are not: {stated}")
        for key, one in self.objectives.items():
            if isinstance(one, Mixture) or one.label_smoothing or one.z_loss:
                raise ValueError(f"{key} in a mixture: give label_smoothing and z_loss beside it, and no mixture in it")
        wrong = [key for key, weight in self.weights.items() if key not in kinds or not 0 < weight < inf]
        if wrong and kinds:  # a config's objectives come after its plain options
            raise ValueError(f"weights has {', '.join(wrong)}; give numbers above 0 for keys of the objectives")

    @property
    def kind(self) -> Kind:  # type: ignore[override]  # all others state it
        """That of its objectives."""
        return self._each[0].kind

    @property
    def _each(self) -> Sequence[Objective]:
        if not self.objectives:
            raise ValueError("objectives of the mixture are missing; give some by their keys")
        return tuple(self.objectives.values())

    def tables(self) -> tuple[str, ...]:
        """All that any of them reads."""
        return tuple(dict.fromkeys(table for one in self._each for table in one.tables()))

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """All that any of them wants."""
        return {name: contents for one in self._each for name, contents in one.special(row).items()}

    def shape(self, row: int) -> ExampleShape:
        """The largest of each."""
        return ExampleShape(*map(max, zip(*self._shapes(row), strict=True)))

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective."""
        shares = np.cumsum([self.weights.get(key, 1.0) for key in self.objectives])
        chosen = int(np.searchsorted(shares[:-1] / shares[-1], rng.random(), side="right"))
        example = self._each[chosen].example(row, rng)
        length = len(row.tokens) - 1
        # All rows of a batch name their labels' places, or none does.
        if example.places is None and any(one.labels < (one.targets or one.inputs) for one in self._shapes(length)):
            example = replace(example, places=np.arange(len(example.labels)))
        return _widened(example, self.shape(length), row.ids.padding)

    def _shapes(self, row: int) -> list[ExampleShape]:
        return [one.shape(row) for one in self._each]


def _widened(example: Example, shape: ExampleShape, padding: int) -> Example:
    """The example with empty places up to the shape's."""
    arrays: dict[str, Any] = {}
    for size, names in zip(shape, ARRAYS, strict=True):
        for name in names:
            values = getattr(example, name)
            if values is not None:
                arrays[name] = filled(values, size, padding if name in TOKENS else 0)
    return Example(**arrays)
