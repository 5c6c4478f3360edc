"""Alerts: what a reader of a report should look at first, each with the threshold that it passed.

They are hints, not errors: a recipe may mean what it does. `docs/accountability.md` lists them with their thresholds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from curation.account.redacted import Redactor
from curation.account.report.composition import Sampled
from curation.account.report.flow import SourceFlow
from curation.account.report.sampling import SampledRows
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.sealed.walk import last_stages
from curation.core.by_language import LANGUAGE
from curation.core.wording import counted, percent

ONE_DOCUMENT = 0.01  # of all kept text: one document that has more …
TIMES_MEAN = 5  # … and more than so many documents of mean length, since in a small run any has a large share
LEAST_DOCUMENTS = 10  # of a run, or of a source in a stage: fewer are no ground for an alert
OF_A_LANGUAGE = 0.5  # of the documents of a language that reach a stage: one limit that drops more …
LEAST_OF_LANGUAGE = 5  # … of so many documents or more …
COMMON = 0.01  # … of a language that has so large a share of the stage's documents …
MANY = 1_000  # … or so many documents: rare labels are often mistakes
MOST = 10  # alerts of a kind that are listed
TO_DEDUP = 0.5  # of the documents of a source that reach a dedup stage: one that drops more


@dataclass(frozen=True)
class Alert:
    """`sentence` says what was found and where; `section` is the part of the page that has the figures."""

    kind: str  # "one document", "language", "dedup", "nothing changed" or "nothing kept"
    sentence: str
    section: str


def alerts(
    stages: Sequence[SealedStage], sampled: Sampled, flows: Sequence[SourceFlow], redactor: Redactor
) -> tuple[Alert, ...]:
    """Those of a run, the largest effect on the data first; `stages` are its stages of documents."""
    kinds = (
        _nothing_kept(flows),
        _one_document(stages, sampled, redactor),
        (alert for stage in stages for alert in _languages(stage, sampled[stage])),
        _duplicates(stages),
        _nothing_changed(stages),
    )
    return tuple(alert for found in kinds for alert in _listed([*found]))


def _listed(found: Sequence[Alert]) -> Iterator[Alert]:
    """The first of a kind, and how many others there are."""
    yield from found[:MOST]
    if len(found) > MOST:
        more = counted(len(found) - MOST, "more alert")
        yield Alert(found[0].kind, f"{more} of the kind above: {found[0].kind}.", found[0].section)


def _nothing_kept(flows: Sequence[SourceFlow]) -> Iterator[Alert]:
    for flow in flows:
        if flow.read and not flow.kept:
            yield Alert("nothing kept", f"Source {flow.source} keeps none of its {flow.read:,} documents.", "losses")


def _one_document(stages: Sequence[SealedStage], sampled: Sampled, redactor: Redactor) -> Iterator[Alert]:
    """The longest of those that were read; of a stage that is not read whole, others may be longer."""
    ends = last_stages(stages)
    every = sum(stage.manifest.total("kept_text_bytes") for stage in ends)
    kept = sum(stage.manifest.total("kept") for stage in ends)
    if not every or kept < LEAST_DOCUMENTS:
        return
    longest = max((_longest(sampled[stage]), number) for number, stage in enumerate(ends))
    (size, row), number = longest
    if size > every * max(ONE_DOCUMENT, TIMES_MEAN / kept):
        shards = sampled[ends[number]].shards
        starts = np.cumsum([0, *(shard.part.rows for shard in shards)])
        place = int(np.searchsorted(starts, row, side="right")) - 1
        values = shards[place].row(row - int(starts[place]), beginning=1)
        name = redactor.url(values["url"]) or values["doc_id"]
        sentence = f"One document is {percent(size, every)} of the kept text: {name} (doc_id {values['doc_id']})."
        yield Alert("one document", sentence, "made")


def _longest(rows: SampledRows) -> tuple[int, int]:
    """Bytes of the longest kept text, and its row."""
    sizes = np.asarray(pc.fill_null(rows.table["text_bytes"], 0), np.int64)
    sizes = sizes * np.asarray(rows.table["drop_reason"].is_null())
    row = int(np.argmax(sizes)) if len(sizes) else 0
    return (int(sizes[row]), row) if len(sizes) else (0, 0)


def _languages(stage: SealedStage, rows: SampledRows) -> Iterator[Alert]:
    """Limits other than those on the language itself."""
    if not (stage.verb.judges and rows.labelled):
        return
    counted_rows = rows.table.group_by(["language", "drop_reason"], use_threads=False).aggregate([([], "count_all")])
    every: dict[str, int] = {}
    dropped: dict[tuple[str, str], int] = {}
    for row in counted_rows.to_pylist():
        language = row["language"]
        reason = row["drop_reason"]
        number = row["count_all"]
        if language is not None:
            every[language] = every.get(language, 0) + number
        if language is not None and reason is not None and not reason.startswith(f"{LANGUAGE}."):
            dropped[language, reason] = number
    enough = min(max(LEAST_OF_LANGUAGE, COMMON * len(rows.table)), MANY)
    for (language, reason), number in sorted(dropped.items(), key=lambda one: (-one[1], one[0])):
        if every[language] >= enough and number > OF_A_LANGUAGE * every[language]:
            share = f"{percent(number, every[language])} of the {counted(every[language], 'document')}"
            sentence = f"Limit {reason} of stage {stage.name} drops {share} in language {language}"
            yield Alert("language", f"{sentence}{'' if rows.share == 1 else ', of those that were read'}.", "limits")


def _duplicates(stages: Sequence[SealedStage]) -> Iterator[Alert]:
    for stage in stages:
        for source, totals in stage.manifest.shards.totals.items() if stage.verb.clusters else ():
            rows = totals.get("parts", {}).get("rows", 0)
            removed = sum(n for reason, n in totals.get("dropped", {}).items() if reason.startswith("dedup."))
            if rows >= LEAST_DOCUMENTS and removed > TO_DEDUP * rows:
                lost = f"{percent(removed, rows)} of its {rows:,} documents"
                sentence = f"Source {source} loses {lost} to the dedup stage {stage.name}."
                yield Alert("dedup", sentence, "duplicates")


def _nothing_changed(stages: Sequence[SealedStage]) -> Iterator[Alert]:
    """Filters that have a limit, dedup stages and rewriters."""
    for stage in stages:
        manifest = stage.manifest
        acts = (stage.verb.judges and bool(manifest.limits)) or stage.verb.clusters or stage.verb.edits
        edits = manifest.merged("counts") if stage.verb.edits else {}
        rows = manifest.total("rows")
        if (
            acts
            and rows >= LEAST_DOCUMENTS
            and not any(manifest.merged("dropped").values())
            and not any(edits.values())
        ):
            did = "changes no text" if stage.verb.edits else "drops no document"
            yield Alert("nothing changed", f"Stage {stage.name} {did}: {rows:,} documents pass it as they are.", "flow")
