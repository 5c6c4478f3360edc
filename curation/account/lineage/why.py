"""Tells a document's story: the verdict of every stage, with the values it measured and its limits.

A look-up gives shard and row in the document's first stage. Its row in each next stage is the number of kept rows
before it, so a stage costs one narrow column and the row group of its own columns. `token_rows` finds the tokens of a
kept document.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curation.account.lineage.look_up import find_requested
from curation.account.lineage.taken_down import taken_down
from curation.account.redacted import Redactor
from curation.account.sealed.bounds import concerns, recorded
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import follow, lost_after
from curation.account.status import not_yet
from curation.core.errors import InputError
from curation.core.manifest import Manifest
from curation.core.reasons import TAKEDOWN
from curation.core.verbs import Verb

if TYPE_CHECKING:
    from curation.account.lineage.token_rows import TokenRows

HIDDEN = ("text", "text_hash", "tokens", "drop_reason")
WAYS = "give one of --url URL, --doc-id ID and --id ID"
HEAD = ("source", "record_id", "crawled_at", "licence", "declared_language", "origin", "origin_offset", "truncated")


@dataclass(frozen=True)
class Decision:
    """One stage's verdict: `values` are its columns by name, `limits` its rules for the document's language."""

    stage: str
    verb: Verb
    reason: str | None
    values: dict[str, Any]
    limits: tuple[dict[str, Any], ...]
    text_bytes: int


@dataclass(frozen=True)
class Story:
    """One document: every decision, then its fate: the stage that dropped it and why, or the place of its tokens."""

    doc_id: str
    url: str | None
    head: dict[str, Any]
    decisions: tuple[Decision, ...]
    fate: str
    dropped_by: str | None
    reason: str | None
    duplicate_of: dict[str, Any] | None = None
    tokens: dict[str, Any] = field(default_factory=dict)  # as `token_rows.TokenRows.of` returns them
    taken_down: str | None = None  # when, ISO 8601; empty where a list names it
    redacted_by: str | None = None  # the stage whose texts replaced those of the stages before it
    taken_down_in: str | None = None  # the other run, or the list; empty for this run


def why(
    run: RunFolder,
    *,
    url: str | None = None,
    doc_id: str | None = None,
    record_id: str | None = None,
    trainings: Sequence[str] = (),
) -> list[Story]:
    """All documents of the run with this url, or this id in their data set, or the one with this doc_id, in order of
    shard and row.

    `trainings` are folders of training runs in addition to those beside the run. Raises InputError if no document
    matches.
    """
    asked = {"url": url, "doc_id": doc_id, "record_id": record_id}
    column, wanted = next(((name, value) for name, value in asked.items() if value is not None), ("", ""))
    if not column:
        raise InputError(f"say which document: {WAYS}")
    token_rows = _token_rows(run, trainings)
    rows, _ = find_requested(run, column, [wanted])
    stories = [_story(run, token_rows, shard, row) for shard, own in rows.items() for row in own.tolist()]
    if not stories:
        raise InputError(f"no record with {column} {wanted} {_missing(run, column)}")
    return stories


def _missing(run: RunFolder, column: str) -> str:
    """Why no document was found: also a source that is not read yet may have it, or one without URLs."""
    read = {stage.entry.chain for stage in run.stages if stage.verb.begins}
    pending = not_yet(run) if any(chain not in read for chain in run.record.recipe["sources"]) else ""
    if pending:
        return f"{'in the sources read so far' if read else 'so far'}; {pending}"
    option = {"url": "url", "record_id": "id"}.get(column, "")
    nameless = _unnamed(run, option) if option else []
    have = f"have no {'URL' if option == 'url' else 'id of their own'}"
    hint = f"; documents of {', '.join(nameless)} {have}, because `read` there names no field as `{option}`"
    return f"reached this run: it was not in the input, or was not an HTML page{hint if nameless else ''}"


def _unnamed(run: RunFolder, option: str) -> list[str]:
    """The sources whose data sets have a field for this, `url` or `id`, that the recipe does not name; archives always
    have URLs."""
    reads = {name: run.record.reader(name)[1] for name in run.record.recipe["sources"]}
    return [name for name, options in reads.items() if option in options and options[option] is None]


def story_of(run: RunFolder, shard: SealedShard, row: int) -> Story:
    """Of the document in a row of a first stage, without the places of its tokens."""
    return _story(run, None, shard, row)


def _story(run: RunFolder, token_rows: "TokenRows | None", shard: SealedShard, row: int) -> Story:
    following = follow(run, shard, np.array([row]), shard.kept())
    places = [(shard, row), *((step.shard, int(step.rows[0])) for step in following)]
    rows: list[dict[str, Any]] = []
    for at, number in places:
        rows.append(at.row(number, before=rows[-1] if rows else None))
    head = rows[0]
    redactor = Redactor.of(run)
    rows = [*map(redactor.row, rows)]
    decisions = []
    columns = set[str]()
    for (at, _), values in zip(places, rows, strict=True):
        decisions.append(_decision(at.stage.manifest, values, columns))
        columns |= set(values)
    first = rows[0]
    last = rows[-1]
    end, _ = places[-1]
    reason = last["drop_reason"]
    stage = end.stage
    packs = [(pack, shard) for pack, shard in run.shards_after(end) if pack.verb.packs and reason is None]
    tokens = token_rows.of(first["doc_id"], *packs[0], last) if packs and token_rows else {}
    fate = f"dropped by {stage.name}: {reason}" if reason else _kept_fate(stage.name, tokens)
    lost = lost_after(run, end) if reason is None else None
    if lost is not None:
        fate = f"lost after {stage.name}: {lost.name} was sealed without the unit that it was in, see winnow funnel"
    taken = taken_down(run.record, head["doc_id"], head["text_hash"], head["url"], reason)
    if taken is not None:
        fate = taken.words + ("" if reason == TAKEDOWN else f"; before that {fate}")
    return Story(
        first["doc_id"],
        first["url"],
        {name: first[name] for name in HEAD},
        tuple(decisions),
        fate,
        stage.name if reason else None,
        reason,
        _survivor(stage, last, redactor),
        tokens,
        taken.when if taken else None,
        (shard.stage.manifest.originals or {}).get("stage"),
        taken.where if taken else None,
    )


def _token_rows(run: RunFolder, trainings: Sequence[str]) -> "TokenRows | None":
    """None in a run that packs nothing: importing `token_rows` takes as long as answering the question."""
    if not any(stage.verb.packs for stage in run.stages):
        return None
    from curation.account.lineage.token_rows import TokenRows

    return TokenRows(run, trainings)


def _decision(manifest: Manifest, values: dict[str, Any], before: set[str]) -> Decision:
    own = {name: value for name, value in values.items() if name not in before and name not in HIDDEN}
    if manifest.verb.columns:
        own = {key: values[key] for key in manifest.order if key in values}
    if manifest.verb.begins:
        own = _extracted(values["extract"]) if "extract" in values else {}
    if "tokens" in values:
        own["tokens"] = values["tokens"]
    rules = zip(manifest.limits, recorded(manifest), strict=True)
    limits = tuple(limit for limit, (_, rule) in rules if concerns(rule, {**values, **own}))
    return Decision(manifest.name, manifest.verb, values["drop_reason"], own, limits, values["text"])


def _extracted(signals: dict[str, Any] | None) -> dict[str, Any]:
    """The column `extract`, with the measures of a cascade's rule sets as entries of their own."""
    judged = {name: value for name, value in (signals or {}).items() if isinstance(value, dict)}
    return {"extract": signals and {name: value for name, value in signals.items() if name not in judged}, **judged}


def _survivor(stage: SealedStage, values: dict[str, Any], redactor: Redactor) -> dict[str, Any] | None:
    """doc_id and url of the kept copy of a duplicate, in the same stage or in an earlier run."""
    if not stage.verb.clusters or values["drop_reason"] is None:
        return None
    for name, value in values.items():
        if isinstance(value, dict) and value.get("duplicate_of") is not None:
            place = stage.document(value["duplicate_of"])
            run = {} if place.folder == stage.folder else {"run": place.folder}
            kept = place.shard.row(place.row) if place.shard is not None else {}
            return {"method": name, "doc_id": kept.get("doc_id"), "url": redactor.url(kept.get("url")), **run}
    return None


def _kept_fate(name: str, tokens: dict[str, Any]) -> str:
    if not tokens:
        return f"kept by every stage so far, the last of which is {name}"
    if not tokens["rows"]:
        return f"kept by every stage; its tokens in {tokens['file']} are padding now"
    return f"kept: {tokens['count']} tokens of the {tokens['split']} split in {tokens['file']}"
