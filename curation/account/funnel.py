"""The funnel: what each stage read, kept and dropped, with warnings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow.compute as pc

from curation.account.mixture import Mixture, mixture
from curation.account.sealed.bounds import recorded, sides
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.core.by_language import NO_KIT, NO_MODEL
from curation.core.input_rows import InputRows
from curation.core.manifest import Manifest
from curation.core.threads import map_threads
from curation.core.verbs import Verb
from curation.core.wording import counted, listed
from curation.tokens.validation_share import misses

LICENCES = "licence_policy"
SHOWN = 10  # unknown licences
FAULTS = 2  # shown of those in the input
FILES = 3  # shown of those with rows that could not be read
MAX_CHARACTERS = 80  # of each
TOTALS = ("rows", "kept", "text_bytes", "kept_text_bytes", "tokens")


@dataclass(frozen=True)
class StageLine:
    """One stage. `rows` and `kept` count documents; `dropped` is by reason, largest first. `text_bytes` is the text of
    all documents, `kept_text_bytes` of those kept. None: a stage without documents, or before they have tokens.

    `never_fired` names the limits that no document broke, e.g. "gopher_quality.words (low)". `parsers` counts the pages
    of an extract stage by the last parser they reached.
    """

    name: str
    verb: Verb
    folder: str
    rows: int | None
    kept: int | None
    text_bytes: int | None
    kept_text_bytes: int | None
    tokens: int | None
    seconds: float
    dropped: dict[str, int]
    counts: dict[str, int]
    parsers: dict[str, int]
    never_fired: tuple[str, ...]
    warnings: tuple[str, ...]
    faults: tuple[dict[str, Any], ...] = field(repr=False, default=())


@dataclass(frozen=True)
class PackedSource:
    """A source or sub-source of a pack stage, both splits together. `slots` counts places for tokens in the rows,
    `padding` the unused ones, `cut` documents in more than one row."""

    stage: str
    method: str
    source: str
    rows: int
    slots: int
    padding: int
    documents: int
    cut: int


@dataclass(frozen=True)
class Funnel:
    """The run as a table. `tokens` counts the packed tokens by split. `taken_down` counts documents that stages and
    mixes sealed before still count as kept."""

    run: str
    complete: bool
    stages: tuple[StageLine, ...]
    tokens: dict[str, int]
    packs: tuple[PackedSource, ...] = ()
    mixture: Mixture | None = None
    taken_down: int = 0
    takedowns_finished: bool = True


def funnel(run: RunFolder) -> Funnel:
    tokens = Counter[str]()
    for stage in run.stages:
        for part in (stage.manifest.tokens or {}).get("parts", ()):
            tokens[part["split"]] += part["tokens"]
    return Funnel(
        run=run.record.name,
        complete=run.record.complete,
        stages=tuple(_line(run.folder, stage) for stage in run.stages),
        tokens=dict(tokens),
        packs=packed(run.stages),
        mixture=mixture(run.stages),
        taken_down=sum(takedown["tombstones"] for takedown in run.record.takedowns),
        takedowns_finished=run.record.takedowns_finished,
    )


def packed(stages: Iterable[SealedStage]) -> tuple[PackedSource, ...]:
    packs = []
    for stage in stages:
        section = stage.manifest.tokens or {}
        for source, splits in section.get("sources", {}).items():
            rows, padding, documents, cut = (
                sum(split[kind] for split in splits.values()) for kind in ("rows", "padding", "documents", "cut")
            )
            slots = rows * section["row_tokens"]
            packs.append(PackedSource(stage.name, section["method"], source, rows, slots, padding, documents, cut))
    return tuple(packs)


def _line(run: str, stage: SealedStage) -> StageLine:
    manifest = stage.manifest
    return StageLine(
        name=manifest.name,
        verb=manifest.verb,
        folder=stage.entry.folder,
        **_totals(manifest),
        seconds=manifest.wall_seconds,
        dropped=manifest.merged("dropped"),
        counts=manifest.merged("counts"),
        parsers=manifest.merged("parsers"),
        never_fired=never_fired(manifest),
        warnings=tuple(_warnings(run, stage)),
        faults=manifest.shards.faults,
    )


def _totals(manifest: Manifest) -> dict[str, int | None]:
    totals = {name: manifest.total(name) if manifest.verb.documents else None for name in TOTALS}
    if not totals["tokens"] and not manifest.verb.encodes:
        totals["tokens"] = None
    return totals


def never_fired(manifest: Manifest) -> tuple[str, ...]:
    """Limits of a filter stage that no document broke. Rule sets in a cascade are loose on purpose and do not count."""
    if not manifest.verb.judges or not manifest.total("rows"):
        return ()
    fired = manifest.merged("fired")
    limits = [(f"{key}.{rule.signal}", side) for key, rule in recorded(manifest) for side in sides(rule)]
    return tuple(f"{signal} ({side})" for signal, side in dict.fromkeys(limits) if not fired.get(f"{signal}:{side}"))


def _warnings(run: str, stage: SealedStage) -> Iterator[str]:
    """Faults in the input, what was lost or not judged, unknown licences, and a stage that leaves no document."""
    manifest = stage.manifest
    counts = manifest.merged("counts")
    yield from _unread(run, manifest)
    yield from _faults(run, manifest)
    if counts.get("inputs.failed"):
        yield f"sealed without {counted(counts['inputs.failed'], 'input file')} that could not be read"
    lost = [f"unit {entry['unit']} ({entry['input']}): {entry['error']}" for entry in manifest.shards.lost]
    if lost:
        yield f"sealed without {counted(len(lost), 'unit')}: {listed(lost, SHOWN)}"
    unmodelled = (name.removeprefix(NO_MODEL).partition(".")[0] for name in counts if name.startswith(NO_MODEL))
    for key in dict.fromkeys(unmodelled):
        number, languages = _by_language(counts, f"{NO_MODEL}{key}.")
        documents = counted(number, "document")
        yield f"{key} has no model for {documents}, which it neither measured nor limited: {languages}"
    number, languages = _by_language(counts, NO_KIT)
    if languages:
        documents = counted(number, "kept document")
        yield f"no kit for {languages}: the limits for all other languages judged {documents}"
    if manifest.total("rows") and not manifest.total("kept") and manifest.verb.documents:
        yield f"kept no document: see winnow show {run} {manifest.name}"
    if manifest.verb.begins and not manifest.total("rows"):
        yield "found no document in its input"
    yield from misses(manifest)
    yield from licence_warning(unknown_licences(stage))


def _by_language(counts: Mapping[str, int], prefix: str) -> tuple[int, str]:
    """The sum of the counts "<prefix><language>", and each in words."""
    own = {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}
    return sum(own.values()), listed((f"{language} {count:,}" for language, count in own.items()), SHOWN)


def _unread(run: str, manifest: Manifest) -> Iterator[str]:
    """One warning, or none, with the rows of each file that could not be read: what never became a row of the stage."""
    table = manifest.shards
    if table.unread_files:
        files = [f"{file.file}: {file.words()}" for file in map(InputRows.parsed, table.unread[:FILES])]
        more = table.unread_files - len(files)
        others = f"; and rows of {counted(more, 'other file')}" if more else ""
        yield f"{'; '.join(files)}{others}; {_command(run, manifest)}"


def _command(run: str, manifest: Manifest) -> str:
    """Where all faults are found, which those of the rows are among."""
    table = manifest.shards
    every = "them" if table.fault_count <= len(table.faults) else f"the first {len(table.faults):,}"
    return f"winnow funnel {run} --json lists {every} as `faults` of {manifest.name}"


def _faults(run: str, manifest: Manifest) -> Iterator[str]:
    """One warning, or none, with the first faults in the input and the command that lists all; none where all are rows
    that `_unread` names."""
    table = manifest.shards
    told = sum(1 if file["called"] == "byte" else sum(file["failed"].values()) for file in table.unread)
    if table.fault_count > told:
        first = "; ".join(f"{fault['file']} at {fault['offset']}: {fault['error']}" for fault in table.faults[:FAULTS])
        command = _command(run, manifest)
        yield f"{counted(table.fault_count, 'fault')} in the input{first and f', such as {first}'}; {command}"


def unknown_licences(stage: SealedStage) -> Counter[str]:
    """Licences unknown to a `licence_policy` stage -> documents. They are read from two narrow columns, because a stage
    may keep such documents and a manifest must not quote pages."""
    words = Counter[str]()
    if stage.verb.judges and LICENCES in stage.manifest.order:
        for counts in map_threads(_unknown_in, stage.shards):
            words.update(counts)
    return words


def licence_warning(words: Counter[str]) -> tuple[str, ...]:
    """One warning, or none if every licence is known."""
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    shown = listed((f"{text[:MAX_CHARACTERS]!r} {number:,}" for text, number in ordered), SHOWN)
    return (f"{counted(words.total(), 'document')} of unknown licences: {shown}",) if words else ()


def _unknown_in(shard: SealedShard) -> dict[str, int]:
    if not shard.part.rows:
        return {}
    table = shard.read(["licence", f"{LICENCES}.known"])
    unknown = pc.fill_null(pc.equal(pc.struct_field(table[LICENCES], "known"), 0), False)
    counts = pc.value_counts(table["licence"].filter(unknown)).to_pylist()
    return {entry["values"]: entry["counts"] for entry in counts}
