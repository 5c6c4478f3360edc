"""What the shipped recipes keep of judged pages.

A recipe's own filters and rewriters judge, in its order, the text that its own extractor finds. Wanted languages are
lifted, because they drop by design; the least score of a language stays. Left out are stages that compare documents,
cut what these found, or need what a fit learns, and the rewriters behind the last filter. The recipes `ccnet` and
`fineweb_edu` need models or scores by path, and those of mixtures read no pages.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import pipelines
from curation.account.audit.clean import parts, words
from curation.account.audit.losses.measured import GROUP, MeasuredStage, losses
from curation.core.component import Component
from curation.core.fits import LearnsPages
from curation.core.protocols import Extractor
from curation.engine.recipe.assets import fits_used
from curation.engine.recipe.recipe import parse
from curation.filters.language import Language

RECORD = "page"  # column: the id of its record
FOLDER = Path(pipelines.__file__).parent / "curate"
RECIPES = ("web", "demo", "gopher", "c4", "refinedweb", "fineweb", "dclm")


@dataclass(frozen=True)
class Fate:
    """What became of some documents, by record id: those of which text is `kept`; and for each limit, in the recipe's
    order, those that are beyond it, whatever the others say."""

    kept: frozenset[str]
    beyond: Mapping[str, frozenset[str]]


def read_recipe(name: str) -> tuple[Any, list[MeasuredStage]]:
    """A recipe's extractor, or the fit that learns it, and the stages that judge or edit, by the name of a shipped one
    or by path."""
    file = Path(name) if name.endswith(".yaml") else FOLDER / f"{name}.yaml"
    (chain,) = parse(file.read_text(), file.name, ["none"]).sources.values()
    firsts = [stage.components[0][1] for stage in chain]
    extractor = next(first for first in firsts if isinstance(first, LearnsPages | Extractor))
    able = [
        stage
        for stage in chain
        if (stage.verb.judges or stage.verb.edits) and not fits_used(stage.components, stage.bounds)
    ]
    last = max(place for place, stage in enumerate(able) if stage.verb.judges)
    steps = [
        MeasuredStage(stage.name, stage.verb, tuple((key, _any_language(one)) for key, one in stage.components))
        for stage in able[: last + 1]
    ]
    return extractor, steps


def _any_language(component: Component) -> Component:
    if not isinstance(component, Language):
        return component
    return dataclasses.replace(component, languages=(), min_scores={})


def judge(name: str, steps: Sequence[MeasuredStage], documents: pa.RecordBatch) -> Fate:
    """Takes documents with a column RECORD through the steps. One without text is beyond "extract"."""
    empty = set(documents.filter(pc.is_null(documents["text"]))[RECORD].to_pylist())
    whole = documents.filter(pc.is_valid(documents["text"])).drop_columns(["drop_reason"])
    columns = whole.schema.names
    named = whole.append_column(GROUP, whole[RECORD])
    loss = losses(name, steps, parts(named), columns, words)
    beyond = {
        limit.limit: frozenset(limit.groups)
        for stage in loss.stages
        if stage.verb == "filter"
        for limit in stage.limits
    }
    kept = frozenset(group.group for group in loss.groups if group.kept.documents)
    return Fate(kept, {"extract": frozenset(empty), **beyond})
