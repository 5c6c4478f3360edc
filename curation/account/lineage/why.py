"""Tells a document's story: every stage's verdict with the values it measured and the limits it set them.

The look-up table gives shard and row in the first stage. From there on a document's row in the next stage is the number
of kept rows before it, so each stage costs one narrow column and one row group, never the corpus. What became of the
tokens of a kept document is told in `whereabouts`.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import pyarrow as pa

from curation.account.funnel import open_stages
from curation.account.lineage.token_rows import Tokens, Whereabouts
from curation.account.run.rows import DOC_ID, URL, find_document, kept_rows, look_up, read_row
from curation.core.document import unpack_doc
from curation.core.errors import InputError
from curation.core.manifest import Manifest, Run, StageEntry
from curation.core.reasons import TAKEDOWN
from curation.core.rules import Rule
from curation.core.verbs import Verb
from curation.text.kernels.hashing import hash64

Stages = list[tuple[StageEntry, str, Manifest]]
HIDDEN = ("text", "text_hash", "tokens", "drop_reason")


@dataclass(frozen=True)
class Decision:
    """One stage's say: `values` are its columns by name; `limits` its rules for the document's language."""

    stage: str
    verb: Verb
    reason: str | None
    values: dict[str, Any]
    limits: tuple[dict[str, Any], ...]
    text_bytes: int


@dataclass(frozen=True)
class Story:
    """One document from its record to its fate: the stage that dropped it and why, or where its tokens went."""

    doc_id: str
    url: str | None
    head: dict[str, Any]
    decisions: tuple[Decision, ...]
    fate: str
    dropped_by: str | None
    reason: str | None
    duplicate_of: dict[str, Any] | None = None
    tokens: dict[str, Any] = field(default_factory=dict)  # the fields of `whereabouts.Tokens`
    taken_down: str | None = None  # when, ISO 8601


def why(
    folder: str, *, url: str | None = None, doc_id: str | None = None, trainings: Sequence[str] = ()
) -> list[Story]:
    """All documents of the run with this url, or the one with this doc_id, in order of shard and row. `trainings`:
    training runs to look into beside those that lie beside the run.

    Raises InputError where there is none.
    """
    run, stages = open_stages(folder)
    whereabouts = Whereabouts(folder, stages, trainings)
    wanted, kind, column = (url, URL, "url") if url is not None else (doc_id, DOC_ID, "doc_id")
    if wanted is None:
        raise InputError("say which document: either --url URL or --doc-id ID")
    stories = []
    for index, (_, path, manifest) in enumerate(stages):
        if manifest.verb.begins:
            for shard, row in _find(path, manifest, wanted, kind):
                first = read_row(path, manifest, shard, row)
                if first[column] == wanted:
                    stories.append(_story(run, whereabouts, index, shard, row, first))
    if not stories:
        raise InputError(
            f"no record with {column} {wanted} reached this run; it was not in the input, or was no HTML page"
        )
    return stories


def _find(path: str, manifest: Manifest, wanted: str, kind: int) -> list[tuple[int, int]]:
    """(shard, row) of every entry with the key, in order."""
    docs = look_up(path, manifest, hash64(pa.array([wanted], pa.large_string())), kind)
    shards, rows = unpack_doc(docs)
    return list(zip(shards.tolist(), rows.tolist(), strict=True))


def _kept_before(path: str, manifest: Manifest, shard: int, row: int) -> int:
    return int(kept_rows(path, manifest, shard)[:row].sum())


def _story(run: Run, whereabouts: Whereabouts, index: int, shard: int, row: int, first: dict[str, Any]) -> Story:
    stages = whereabouts.stages
    decisions: list[Decision] = []
    values, seen = first, set[str]()
    duplicate_of = None
    while True:
        _, path, manifest = stages[index]
        decisions.append(_decision(manifest, values, seen))
        seen |= set(values)
        if values["drop_reason"] is not None:
            duplicate_of = _survivor(path, manifest, values)
            break
        following = _next(stages, index, shard)
        if following is None:
            break
        row = _kept_before(path, manifest, shard, row)
        index, shard = following
        values = read_row(stages[index][1], stages[index][2], shard, row)
    reason = values["drop_reason"]
    name = stages[index][2].name
    head = {
        key: first[key] for key in ("source", "crawled_at", "licence", "declared_language", "origin", "origin_offset")
    }
    taken_down = when_taken(run, first["doc_id"], first["text_hash"])
    tokens = _tokens(whereabouts, index, shard, values) if reason is None else None
    fate = f"dropped by {name}: {reason}" if reason else _kept_fate(name, tokens)
    if taken_down is not None:
        fate = (
            f"taken down on {taken_down}; before that {fate}" if reason != TAKEDOWN else f"taken down on {taken_down}"
        )
    return Story(
        first["doc_id"],
        first["url"],
        head,
        tuple(decisions),
        fate,
        name if reason else None,
        reason,
        duplicate_of,
        dataclasses.asdict(tokens) if tokens else {},
        taken_down,
    )


def when_taken(run: Run, doc_id: str, text_hash: str | None) -> str | None:
    """When a document, or one with the same text, was taken down, ISO 8601; None where it was not."""
    for name, names, count in ((doc_id, run.tombstones, "tombstones"), (text_hash, run.taken_texts, "texts")):
        if name in names:
            ends = accumulate(takedown[count] for takedown in run.takedowns)
            at = names.index(name)
            return next(str(one["when"]) for one, end in zip(run.takedowns, ends, strict=True) if at < end)
    return None


def _decision(manifest: Manifest, values: dict[str, Any], seen: set[str]) -> Decision:
    own = {name: value for name, value in values.items() if name not in seen and name not in HIDDEN}
    if manifest.verb.columns:
        own = {key: values[key] for key in manifest.order if key in values}
    if manifest.verb.begins:
        own = _extracted(values["extract"]) if "extract" in values else {}
    if "tokens" in values:
        own["tokens"] = values["tokens"]
    limits = tuple(limit for limit in manifest.limits if _concerns(limit, {**values, **own}))
    return Decision(manifest.name, manifest.verb, values["drop_reason"], own, limits, values["text"])


def _extracted(signals: dict[str, Any] | None) -> dict[str, Any]:
    """The column `extract`, and apart from it what the rule sets of a cascade measured on its first text."""
    judged = {name: value for name, value in (signals or {}).items() if isinstance(value, dict)}
    return {"extract": signals and {name: value for name, value in signals.items() if name not in judged}, **judged}


def _concerns(limit: dict[str, Any], signals: dict[str, Any]) -> bool:
    column, _, label = limit.get("by", Rule.by).partition(".")
    language = (signals.get(column) or {}).get(label)
    return language not in limit.get("but", ()) and ("only" not in limit or language in limit["only"])


def _next(stages: Stages, index: int, shard: int) -> tuple[int, int] | None:
    """The stage that reads this one's rows, and the shard's number there; None after the last with rows."""
    address = stages[index][0].address
    for later in range(index + 1, len(stages)):
        manifest = stages[later][2]
        upstream = manifest.address_parts["upstream"]
        if address in upstream and manifest.verb.maps_rows:
            return later, shard + _before(stages, manifest, address)
    return None


def _before(stages: Stages, manifest: Manifest, address: str) -> int:
    """Shards that a stage reads before those of the stage at `address`."""
    upstream = manifest.address_parts["upstream"]
    by_address = {entry.address: one for entry, _, one in stages}
    return sum(len(by_address[one].parts) for one in upstream[: upstream.index(address)])


def _survivor(path: str, manifest: Manifest, values: dict[str, Any]) -> dict[str, Any] | None:
    """doc_id and url of the kept copy of a duplicate: a row of the same stage, or of one of an earlier run."""
    for name, value in values.items():
        if isinstance(value, dict) and value.get("duplicate_of") is not None and manifest.verb.clusters:
            at = find_document(path, manifest, value["duplicate_of"])
            run = {} if at.folder == path else {"run": at.folder}
            if at.manifest is None:
                return {"method": name, "doc_id": None, "url": None, **run}
            kept = read_row(at.folder, at.manifest, at.shard, at.row)
            return {"method": name, "doc_id": kept["doc_id"], "url": kept["url"], **run}
    return None


def _tokens(whereabouts: Whereabouts, index: int, shard: int, values: dict[str, Any]) -> Tokens | None:
    """What became of its tokens, where the run packs."""
    stages = whereabouts.stages
    address = stages[index][0].address
    for _, path, manifest in stages[index + 1 :]:
        if manifest.verb.packs and address in manifest.address_parts["upstream"]:
            unit = shard + _before(stages, manifest, address)
            return whereabouts.of(values["doc_id"], path, manifest, unit, values)
    return None


def _kept_fate(name: str, tokens: Tokens | None) -> str:
    if tokens is None:
        return f"kept by every stage so far; the last was {name}"
    if not tokens.rows:
        return f"kept by every stage; its tokens in {tokens.file} are padding now"
    return f"kept: {tokens.count} tokens of the {tokens.split} split in {tokens.file}"
