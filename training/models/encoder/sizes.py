"""The sizes of an encoder, and which fit together.

modernbert_base and modernbert_large are those of Warner et al. 2024, "ModernBERT" (arXiv:2412.13663), table 4;
bert_base and bert_large have the layers, width and heads of Devlin et al. 2018, "BERT" (arXiv:1810.04805), and all of
their layers see everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from training.config.ranges import check_least, check_positive
from training.models.sizes import OF_PRESET, Sizes

BERT = {"global_every": 1, "global_theta": 10_000.0}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "mini": {"layers": 4, "width": 256, "heads": 4},
    "bert_base": BERT | {"layers": 12, "width": 768, "heads": 12},
    "bert_large": BERT | {"layers": 24, "width": 1024, "heads": 16},
    "modernbert_base": {"layers": 22, "width": 768, "heads": 12, "hidden": 1152},
    "modernbert_large": {"layers": 28, "width": 1024, "heads": 16, "hidden": 2624},
}


@dataclass(frozen=True, kw_only=True)
class EncoderSizes(Sizes):
    """The options of `Encoder`."""

    preset: Annotated[str, f"sizes for options that are None: {', '.join(PRESETS)}"] = "mini"
    global_every: Annotated[int, "of so many layers the first sees all places; else 3"] = OF_PRESET
    local_window: Annotated[int, "places around its own that a query of the other layers sees, half on each side"] = 128
    global_theta: Annotated[float, "base of the rotary wavelengths in those; else 160,000"] = OF_PRESET
    local_theta: Annotated[float, "base of the rotary wavelengths in the other layers"] = 10_000.0

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __post_init__(self) -> None:
        super().__post_init__()
        self._fill({"global_every": 3, "global_theta": 160_000.0})
        check_least(self, 1, "global_every")
        check_least(self, 2, "local_window")
        check_positive(self, "global_theta", "local_theta")
