"""The sizes that models have in common, and how a preset gives those that are left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from curation.core.close_names import nearest
from training.config.components import Architecture
from training.config.ranges import check_fraction, check_least, check_most, check_positive

MOST_LAYERS = 10_000  # the deepest models have some hundred
MOST_WIDTH = 1 << 24
OF_PRESET: Any = None  # the default of an option that is no longer None once the preset has given it


@dataclass(frozen=True, kw_only=True)
class Sizes(Architecture):
    """Options of blocks of attention and feed-forward. "Else" is what holds if neither config nor preset say it."""

    preset: Annotated[str, "sizes for options that are None"]
    layers: Annotated[int, "blocks of attention and feed-forward"] = OF_PRESET
    width: Annotated[int, "of the residual stream"] = OF_PRESET
    heads: Annotated[int, "query heads"] = OF_PRESET
    head_width: Annotated[int, "of one head; else width / heads"] = OF_PRESET
    hidden: Annotated[int, "inner width of feed-forward; else 8/3 of `width`, up to a multiple of 64"] = OF_PRESET
    dropout: Annotated[float, "share of the embedding, and of what each half of a block adds, that is set to 0"] = 0.0
    norm_epsilon: Annotated[float, "added to the mean square that a norm divides by"] = 1e-5
    initialisation: Annotated[
        Literal["scaled", "plain", "fan_in"],
        "deviation of the initial matrices: plain: initial_deviation; scaled: of those that write to the residual "
        "stream over the root of 2 * layers; fan_in: 1 over the root of the inputs",
    ] = "scaled"
    initial_deviation: Annotated[float, "standard deviation of the initial weights"] = 0.02

    presets: ClassVar[Mapping[str, Mapping[str, Any]]]
    turns_pairs: ClassVar[bool] = True  # within a head, for rotary positions

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.preset not in self.presets:
            raise ValueError(f"preset is {self.preset!r}{nearest(self.preset, self.presets)}")
        self._fill(self.presets[self.preset])
        check_least(self, 1, "layers", "width", "heads", "head_width", "hidden")
        check_most(self, MOST_LAYERS, "layers")
        check_most(self, MOST_WIDTH, "width", "heads", "head_width", "hidden")
        uneven = self.head_width is None and self.width % self.heads
        self._fill({"head_width": self.width // self.heads, "hidden": -(-8 * self.width // 3 // 64) * 64})
        if uneven or (self.turns_pairs and self.head_width % 2):
            raise ValueError(
                f"width {self.width} over heads {self.heads} must give an even whole number, because rotary positions "
                "turn pairs; change one of them, or head_width"
            )
        check_positive(self, "norm_epsilon", "initial_deviation")
        check_fraction(self, "dropout")

    def _fill(self, values: Mapping[str, Any]) -> None:
        """Gives options that are None their values."""
        for name, value in values.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    def scale(self) -> float | None:
        """Of the scores of attention; None: 1 / the root of head_width."""
        return None

    def deviation(self, inputs: int, *, writes: bool = False) -> float:
        """Standard deviation that a matrix of this many inputs begins with; `writes`: to the residual stream.

        Source of "scaled": Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.3.
        """
        if self.initialisation == "fan_in":
            return float(inputs**-0.5)
        return self.initial_deviation / ((2 * self.layers) ** 0.5 if writes and self.initialisation == "scaled" else 1)
