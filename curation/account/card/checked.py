"""What a run did about personal data, secrets and evaluation sets: which values it took out, and which items it met."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from curation.account.sealed.sealed_stage import SealedStage
from curation.core.manifest import Manifest

CONTAMINATION = "contamination"  # key of the filter


@dataclass(frozen=True)
class RedactionFacts:
    """A rewriter that redacts, in one stage: the `values` that it took out by kind, of so many `affected` documents
    among those that it read. `originals`: whether the stages before still hold the texts as they were."""

    stage: str
    component: str
    documents: int
    affected: int
    values: dict[str, int]
    originals: bool


@dataclass(frozen=True)
class ContaminationFacts:
    """A filter that looks for items of evaluation sets. `affected` documents hold enough of an item by its method;
    `by_set` counts them by the set of the item that they hold most of, and `items` the different ones among these."""

    stage: str
    method: str
    action: str
    documents: int
    affected: int
    dropped: int
    by_set: dict[str, int]
    items: int


def redacted(stages: Sequence[SealedStage]) -> tuple[RedactionFacts, ...]:
    return tuple(_redacted(stage, key) for stage in stages for key in _redacting(stage.manifest))


def contaminated(stages: Sequence[SealedStage]) -> tuple[ContaminationFacts, ...]:
    own = (stage for stage in stages if stage.verb.judges and CONTAMINATION in stage.manifest.order)
    return tuple(map(_contaminated, own))


def _redacting(manifest: Manifest) -> Iterator[str]:
    """The rewriters whose column tells where values of which kinds were."""
    types = dict(manifest.schema)
    yield from (key for key in manifest.order if manifest.verb.edits and "struct<kind: " in types[key])


def _redacted(stage: SealedStage, key: str) -> RedactionFacts:
    spans = f"{key}.spans"
    lengths = (pc.list_value_length(batch[spans]) for batch in stage.scan([spans]))
    affected = sum(pc.sum(pc.greater(length, 0)).as_py() or 0 for length in lengths)
    counts = stage.manifest.merged("counts")
    values = {name.removeprefix(f"{key}."): n for name, n in counts.items() if name.startswith(f"{key}.") and n}
    documents = stage.manifest.total("rows")
    return RedactionFacts(stage.name, key, documents, affected, values, stage.manifest.originals is None)


def _contaminated(stage: SealedStage) -> ContaminationFacts:
    manifest = stage.manifest
    config: dict[str, Any] = manifest.address_parts["config"][CONTAMINATION]
    by_set = Counter[str]()
    items = set[str]()
    for batch in stage.scan([f"{CONTAMINATION}.set", f"{CONTAMINATION}.item"]):
        by_set.update(batch[f"{CONTAMINATION}.set"].drop_null().to_pylist())
        items.update(batch[f"{CONTAMINATION}.item"].drop_null().to_pylist())
    dropped = sum(n for reason, n in manifest.merged("dropped").items() if reason.startswith(f"{CONTAMINATION}."))
    return ContaminationFacts(
        stage=stage.name,
        method=config["method"],
        action=config["action"],
        documents=manifest.total("rows"),
        affected=by_set.total(),
        dropped=dropped,
        by_set=dict(sorted(by_set.items(), key=lambda one: (-one[1], one[0]))),
        items=len(items),
    )
