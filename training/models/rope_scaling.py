"""Scaling of rotary positions, with which a model reads longer rows than those it was trained on.

    rope_scaling: {type: yarn, factor: 4, original_length: 8192}

Sources: linear: Chen et al. 2023, "Positional Interpolation" (arXiv:2306.15595); ntk, a larger base for all pairs, and
yarn: Peng et al. 2023, "YaRN" (arXiv:2309.00071), sections 3.1 to 3.4; llama3: the code published with Llama 3.1.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from training.config.ranges import check_least, check_positive


@dataclass(frozen=True, kw_only=True)
class RopeScaling:
    """Options that a type does not list are refused."""

    type: Annotated[
        Literal["none", "linear", "ntk", "yarn", "llama3"],
        "linear: all frequencies are divided by the factor; ntk: the lowest one, the others by less; yarn and llama3: "
        "those of long wavelengths",
    ] = "none"
    factor: Annotated[float, "number of times that rows become longer"] = 1.0
    original_length: Annotated[int | None, "yarn, llama3: tokens of the rows trained on before"] = None
    low_freq_factor: Annotated[
        float | None, "llama3: pairs with fewer turns in original_length are divided by the factor; else 1"
    ] = None
    high_freq_factor: Annotated[float | None, "llama3: pairs with more turns in it stay; else 4"] = None
    beta_fast: Annotated[float | None, "yarn: pairs with more turns in original_length stay; else 32"] = None
    beta_slow: Annotated[float | None, "yarn: pairs with fewer turns in it are divided by the factor; else 1"] = None
    attention_factor: Annotated[float | None, "yarn: multiplies queries and keys; else 0.1 * ln(factor) + 1"] = None

    own: ClassVar[Mapping[str, dict[str, Any]]] = {
        "none": {},
        "linear": {},
        "ntk": {},
        "yarn": {"original_length": None, "beta_fast": 32.0, "beta_slow": 1.0, "attention_factor": None},
        "llama3": {"original_length": None, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    }

    def __post_init__(self) -> None:
        check_least(self, 1, "factor", "original_length")
        own = self.own[self.type]
        for name in self.own["yarn"] | self.own["llama3"]:
            if getattr(self, name) is None:
                object.__setattr__(self, name, own.get(name))
            elif name not in own:
                raise ValueError(f"{name} is no option of rope_scaling of type {self.type}; leave it out")
        if own and self.original_length is None:
            raise ValueError(f"original_length is needed for type {self.type}: the tokens of a row trained on before")
        if self.type == "yarn" and self.attention_factor is None:
            object.__setattr__(self, "attention_factor", 0.1 * math.log(self.factor) + 1)
        check_positive(self, "low_freq_factor", "beta_slow", "attention_factor")
        low, high = self.turns
        if own and low >= high:
            raise ValueError(
                f"{'beta_slow' if self.type == 'yarn' else 'low_freq_factor'} is {low}; give less than {high}"
            )

    @property
    def turns(self) -> tuple[float, float]:
        """In rows of `original_length`: pairs that turn less often are divided by the factor, more often stay."""
        return self.low_freq_factor or self.beta_slow or 0.0, self.high_freq_factor or self.beta_fast or 0.0

    def __str__(self) -> str:
        """As a config has it."""
        return f"{{{', '.join(f'{name}: {value}' for name, value in vars(self).items() if value is not None)}}}"


UNSCALED = RopeScaling()
