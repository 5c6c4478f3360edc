"""The verbs of a recipe, as one record each that holds everything winnow needs to know about a verb.

Code never compares names of verbs: whether a stage drops by limits is `verb.judges`. The engine attaches to each record
how its stages are checked and run. The words under which a training config names components have records of their own,
in `training.config.components`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class Verb:
    """The components that a word of a recipe or a training config takes; of a recipe, the properties of its stages."""

    name: str
    room: str  # package with a module per component
    annex: str = ""  # a package within it that has more of them; it may be left out
    only: str = ""  # key of the single component, which a recipe does not name: `tokenize: {options}`
    several: bool = False  # a stage may hold several components; else exactly one

    begins: bool = False  # comes first in a source, and nowhere else
    documents: bool = False  # its stage has a row per document …
    columns: bool = False  # … and a column per component, named by its key
    named_by_keys: bool = False  # a stage without a name is named after its components, not after the verb

    judges: bool = False  # drops by limits on signals
    edits: bool = False  # changes text
    clusters: bool = False  # drops copies
    encodes: bool = False  # makes tokens of text
    learns: bool = False  # makes an asset, and passes the chain's rows on to the next stage
    packs: bool = False  # makes rows of tokens
    mixes: bool = False  # makes an index of packed rows

    def __repr__(self) -> str:
        return self.name

    @classmethod
    def from_json(cls, value: object) -> "Verb":
        """The verb of a recipe with this name. Raises ValueError."""
        if not isinstance(value, str) or value not in VERBS:
            raise ValueError("a verb of recipes")
        return VERBS[value]

    @property
    def maps_rows(self) -> bool:
        """True if its stage has a row for every row that the earlier stages kept, in the same order."""
        return self.documents and not self.begins


READ = Verb(name="read", room="curation.sources", annex="curation.sources.documents", begins=True, documents=True)
EXTRACT = Verb(name="extract", room="curation.extract", begins=True, documents=True)
FILTER = Verb(
    name="filter",
    room="curation.filters",
    several=True,
    documents=True,
    columns=True,
    named_by_keys=True,
    judges=True,
)
REWRITE = Verb(
    name="rewrite",
    room="curation.rewrite",
    several=True,
    documents=True,
    columns=True,
    named_by_keys=True,
    edits=True,
)
DEDUP = Verb(name="dedup", room="curation.dedup", several=True, documents=True, columns=True, clusters=True)
FIT = Verb(name="fit", room="curation.fit", learns=True)
TOKENIZE = Verb(name="tokenize", room="curation.tokens", only="encode", documents=True, encodes=True)
PACK = Verb(name="pack", room="curation.tokens", only="pack", packs=True)
MIX = Verb(name="mix", room="curation.tokens", only="mix", mixes=True)

VERBS: Mapping[str, Verb] = MappingProxyType(
    {verb.name: verb for verb in (READ, EXTRACT, FILTER, REWRITE, DEDUP, FIT, TOKENIZE, PACK, MIX)}
)
