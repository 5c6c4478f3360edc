"""Models by name: `winnow.models.Decoder(width=512)`.

`dir(winnow.models)` names them all, `help(winnow.models.Decoder)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from training.models.decoder import Decoder as Decoder
    from training.models.electra import Electra as Electra
    from training.models.encoder import Encoder as Encoder
    from training.models.encoder_decoder import EncoderDecoder as EncoderDecoder
    from training.models.two_stream import TwoStream as TwoStream
else:
    __getattr__, __dir__ = room(__name__, "model")
