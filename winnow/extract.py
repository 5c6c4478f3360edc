"""Extractors by name: `winnow.extract.Trafilatura()`.

`dir(winnow.extract)` names them all, `help(winnow.extract.Trafilatura)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.extract.cascade import Cascade as Cascade
    from curation.extract.etrafilatura import Etrafilatura as Etrafilatura
    from curation.extract.learnt import Learnt as Learnt
    from curation.extract.pdfium import Pdfium as Pdfium
    from curation.extract.resiliparse import Resiliparse as Resiliparse
    from curation.extract.trafilatura import Trafilatura as Trafilatura
else:
    __getattr__, __dir__ = room(__name__, "extract")
