"""A stage of a plan: its place and the stages that it reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from curation.core.component import Components
from curation.core.verbs import Verb
from curation.engine.recipe.recipe import Stage


@dataclass(frozen=True)
class Node:
    """One stage of the run. `upstream` are indices of the nodes whose rows it reads (several: in that order)."""

    index: int
    chain: str
    name: str
    verb: Verb  # READ for a source's first stage, with or without extraction
    stage: Stage
    upstream: tuple[int, ...]
    extract: Stage | None = None
    schema: pa.Schema | None = None  # of its rows; None where it has none (fit, pack, mix) or an asset decides
    last: bool = False  # whether no later stage reads its documents: its files then have all columns
    pages_of: Stage | None = None  # of a fit that learns from a source's pages: the stage that reads them
    examples: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of a fit, by label: nodes among `upstream`

    @property
    def components(self) -> Components:
        return self.stage.components + (self.extract.components if self.extract else ())
