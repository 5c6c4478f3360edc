"""Dedup methods by name: `winnow.dedup.Minhash()`.

`dir(winnow.dedup)` names them all, `help(winnow.dedup.Minhash)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.dedup.bloom import Bloom as Bloom
    from curation.dedup.canonical_url import CanonicalUrl as CanonicalUrl
    from curation.dedup.exact import Exact as Exact
    from curation.dedup.line import Line as Line
    from curation.dedup.minhash import Minhash as Minhash
    from curation.dedup.paragraph import Paragraph as Paragraph
    from curation.dedup.semantic import Semantic as Semantic
    from curation.dedup.simhash import Simhash as Simhash
    from curation.dedup.substring import Substring as Substring
else:
    __getattr__, __dir__ = room(__name__, "dedup")
