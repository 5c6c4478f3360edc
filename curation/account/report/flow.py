"""The way of each source's documents through the stages, from the totals that manifests hold: exact at any size."""

from collections.abc import Sequence
from dataclasses import dataclass

from curation.account.sealed.sealed_stage import SealedStage
from curation.core.verbs import EXTRACT as EXTRACT_VERB

EXTRACT = EXTRACT_VERB.name  # the column of what was measured of a page


@dataclass(frozen=True)
class FlowStep:
    """What a stage of documents read of a source, and kept. `dropped`: documents by reason. `tokens` is None before
    documents have them."""

    stage: str
    rows: int
    kept: int
    text_bytes: int
    kept_text_bytes: int
    tokens: int | None
    dropped: dict[str, int]


@dataclass(frozen=True)
class SourceFlow:
    """A source's steps in the order of the run; `records` is what its files hold, also those passed over, such as
    requests and images of an archive. `pages`: whether its documents are pages of HTML."""

    source: str
    records: int
    pages: bool
    steps: tuple[FlowStep, ...]

    @property
    def read(self) -> int:
        """The pages or documents that were read: all records but those passed over."""
        return self.steps[0].rows

    @property
    def kept(self) -> int:
        return self.steps[-1].kept


def source_flows(stages: Sequence[SealedStage]) -> tuple[SourceFlow, ...]:
    """The largest sources, by what they read, come first."""
    steps: dict[str, list[FlowStep]] = {}
    records: dict[str, int] = {}
    pages: dict[str, bool] = {}
    for stage in stages:
        if not stage.verb.documents:
            continue
        for source, totals in stage.manifest.shards.totals.items():
            parts = totals.get("parts", {})
            if not parts.get("rows") and source not in steps and not stage.verb.begins:
                continue
            if stage.verb.begins:
                passed = sum(n for name, n in totals.get("counts", {}).items() if name.startswith("skipped."))
                records[source] = parts.get("rows", 0) + passed
                pages[source] = EXTRACT in dict(stage.manifest.schema)
            steps.setdefault(source, []).append(
                FlowStep(
                    stage=stage.name,
                    **{name: parts.get(name, 0) for name in ("rows", "kept", "text_bytes", "kept_text_bytes")},
                    tokens=parts.get("tokens", 0) if stage.verb.encodes else None,
                    dropped=dict(sorted(totals.get("dropped", {}).items(), key=lambda one: (-one[1], one[0]))),
                )
            )
    flows = (
        SourceFlow(source, records.get(source, own[0].rows), pages.get(source, False), tuple(own))
        for source, own in steps.items()
    )
    return tuple(sorted(flows, key=lambda flow: (-flow.records, flow.source)))
