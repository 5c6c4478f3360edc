"""Each limit's histogram, from the signals that filter stages stored; no component is built, so none can be missing."""

from dataclasses import dataclass

import pyarrow as pa

from curation.account.report.sampling import sampled
from curation.account.sealed.bounds import recorded
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.tune.limits import bounds_by_limit
from curation.account.tune.signals import has_language
from curation.account.tune.spreads import Histogram, histogram, read_spreads
from curation.core.by_language import LANGUAGE


@dataclass(frozen=True)
class LimitedSignal:
    """A signal's histogram, over the documents that were read, with the share (0 to 1) of all documents of the stage
    beyond each bound, by side, whatever other limits say of them."""

    histogram: Histogram
    beyond: dict[str, float]


def limited_signals(stage: SealedStage) -> tuple[LimitedSignal, ...]:
    """Every signal that the stage limits, in the order of its limits; empty for a stage without documents."""
    rules = recorded(stage.manifest)
    shards = sampled(stage)
    if not rules or not shards:
        return ()
    schema = stage.schema
    signals = [f"{key}.{rule.signal}" for key, rule in rules if _measured(schema, key, rule.signal)]
    labels = [f"{LANGUAGE}.label"] if has_language(schema) else []
    spreads = read_spreads(shards, [*dict.fromkeys([*signals, *labels]), "drop_reason"], [*dict.fromkeys(signals)])
    bounds = bounds_by_limit(rules)
    figures = [histogram(spreads, signal, None, bounds, bounds) for signal in dict.fromkeys(signals)]
    fired = stage.manifest.merged("fired")
    rows = stage.manifest.total("rows")
    return tuple(
        LimitedSignal(one, {side: fired.get(f"{one.signal}:{side}", 0) / rows for side in one.before})
        for one in figures
    )


def _measured(schema: pa.Schema, key: str, signal: str) -> bool:
    """Whether its values are in the stage's files, as numbers or words."""
    if key not in schema.names or schema.field(key).type.get_field_index(signal) < 0:
        return False
    kind = schema.field(key).type.field(signal).type
    return not (pa.types.is_nested(kind) or pa.types.is_temporal(kind))
