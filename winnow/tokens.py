"""Stages that make token shards: `winnow.tokens.Pack(sequence_length=2048)`.

`dir(winnow.tokens)` names them all, `help(winnow.tokens.Pack)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.tokens.encode import Encode as Encode
    from curation.tokens.mix import Mix as Mix
    from curation.tokens.pack import Pack as Pack
else:
    __getattr__, __dir__ = room(__name__, "tokenize", "pack", "mix")
