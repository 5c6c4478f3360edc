"""Optimizers and learning-rate schedules by name: `winnow.optim.Adamw(learning_rate=3e-4)`.

`dir(winnow.optim)` names them all, `help(winnow.optim.Adamw)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from training.optim.adafactor import Adafactor as Adafactor
    from training.optim.adamw import Adamw as Adamw
    from training.optim.lamb import Lamb as Lamb
    from training.optim.lion import Lion as Lion
    from training.optim.muon import Muon as Muon
    from training.optim.sam import Sam as Sam
    from training.optim.schedule.constant import Constant as Constant
    from training.optim.schedule.cosine import Cosine as Cosine
    from training.optim.schedule.inverse_square_root import InverseSquareRoot as InverseSquareRoot
    from training.optim.schedule.linear import Linear as Linear
    from training.optim.schedule.wsd import Wsd as Wsd
    from training.optim.sophia import Sophia as Sophia
else:
    __getattr__, __dir__ = room(__name__, "optimizer", "schedule")
