"""Maximal update scaling: how the rate and the weight decay of each role follow the width of a model.

A model is m times as wide as that at which its rate was found. Its embeddings begin with the same deviation, its hidden
matrices with one smaller by sqrt(m), and logits are divided by m, as in table 8 of Yang et al. 2022, "Tensor Programs
V" (arXiv:2203.03466). What a layer gives moves alike at every width if an update's spectral norm stays with
sqrt(outputs / inputs): Yang et al. 2023, "A Spectral Condition for Feature Learning" (arXiv:2310.17813). A matrix loses
the same share to weight decay at every width if rate times decay stays: Wortsman et al. 2023, "Small-scale proxies for
large-scale Transformer training instabilities" (arXiv:2309.14322), "independent" decay; Wang and Aitchison 2024, "How
to set AdamW's weight decay" (arXiv:2405.13698). Both sides of a hidden matrix are taken to grow with m.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from training.roles import Purpose


class Powers(NamedTuple):
    """Powers of m that the rate and the weight decay are multiplied by."""

    rate: float = 0.0
    decay: float = 0.0


WidthRule: TypeAlias = Mapping[Purpose, Powers]


def _hidden(powers: Powers) -> WidthRule:
    return {part: powers if part is Purpose.HIDDEN else Powers() for part in Purpose}


UNSCALED = _hidden(Powers())  # rates and decay are found anew for each width
# Elements of one size in rows that are alike, so that an update's spectral norm grows with its sides (table 8, Adam).
ELEMENTWISE = _hidden(Powers(rate=-1.0, decay=1.0))
# An update with the size of the weights, whose elements shrink with sqrt(m) already: as many times more is left to do.
RELATIVE = _hidden(Powers(rate=-0.5, decay=0.5))
# An orthogonal update times sqrt(longer side), which is its spectral norm.
ORTHOGONAL = _hidden(Powers(rate=-0.5, decay=0.5))
