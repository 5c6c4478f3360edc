"""Rewriters by name: `winnow.rewrite.Pii()`.

`dir(winnow.rewrite)` names them all, `help(winnow.rewrite.Pii)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.rewrite.c4_lines import C4Lines as C4Lines
    from curation.rewrite.cut_spans import CutSpans as CutSpans
    from curation.rewrite.pii import Pii as Pii
    from curation.rewrite.refinedweb_lines import RefinedwebLines as RefinedwebLines
    from curation.rewrite.secrets import Secrets as Secrets
    from curation.rewrite.unicode import Unicode as Unicode
else:
    __getattr__, __dir__ = room(__name__, "rewrite")
