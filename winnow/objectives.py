"""Training objectives by name: `winnow.objectives.Causal()`.

`dir(winnow.objectives)` names them all, `help(winnow.objectives.Causal)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from training.objectives.bart import Bart as Bart
    from training.objectives.causal import Causal as Causal
    from training.objectives.fim import Fim as Fim
    from training.objectives.masked import Masked as Masked
    from training.objectives.mixture import Mixture as Mixture
    from training.objectives.permutation import Permutation as Permutation
    from training.objectives.prefix_lm import PrefixLm as PrefixLm
    from training.objectives.replaced_token import ReplacedToken as ReplacedToken
    from training.objectives.span_corruption import SpanCorruption as SpanCorruption
    from training.objectives.ul2 import Ul2 as Ul2
else:
    __getattr__, __dir__ = room(__name__, "objective")
