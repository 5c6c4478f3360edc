"""The files that say what a stage did: a commit per shard, a manifest per sealed stage, `run.json` per run.

A stage is finished exactly when its `_manifest.json` exists and is whole. None of these files needs an atomic rename:
JSON that was cut short does not parse and counts as absent. A takedown writes the files that it changes in a sealed
stage beside the old ones, moves them into place, and notes the change in the manifest's `audit`.
"""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from curation.core.verbs import VERBS, Verb

FORMAT = 4
MANIFEST = "_manifest.json"
RUN = "run.json"


@dataclass(frozen=True)
class Part:
    """One part file of a stage, which is one shard of the next; counts are of documents unless named otherwise."""

    file: str
    source: str
    file_bytes: int
    rows: int
    kept: int
    text_bytes: int = 0  # UTF-8 bytes of text over all rows
    kept_text_bytes: int = 0
    tokens: int = 0  # of kept documents, end-of-text included
    dropped: dict[str, int] = field(default_factory=dict)  # by reason


@dataclass(frozen=True)
class Commit:
    """The outcome of one finished unit."""

    unit: int
    parts: tuple[Part, ...]
    fired: dict[str, int] = field(default_factory=dict)  # "<key>.<signal>:<side>" -> documents beyond the limit
    counts: dict[str, int] = field(default_factory=dict)  # records skipped, edits made, … by name
    faults: tuple[dict[str, Any], ...] = ()  # {"file", "offset", "error"}
    extra: dict[str, Any] = field(default_factory=dict)  # specific to the verb, e.g. a token shard's checksums
    seconds: float = 0.0  # of work, on one worker


@dataclass(frozen=True)
class Manifest:
    """A sealed stage: its config, its inputs and its results."""

    format: int
    number: int
    name: str
    verb: Verb
    chain: str  # its source, or "joined"
    address: str  # SHA-256 (hex) of `address_parts`
    address_parts: dict[str, Any]
    schema: tuple[tuple[str, str], ...]
    commits: tuple[Commit, ...]
    versions: dict[str, str]
    limits: tuple[dict[str, Any], ...] = ()  # {"rule": "<key>.<signal>", …fields of rules.Rule}, in the order of trial
    asset: dict[str, Any] | None = None  # {"file", "sha256", "sample"} of a fit stage
    tokens: dict[str, Any] | None = None  # of a pack stage, see curation/tokens
    mix: dict[str, Any] | None = None  # of a mix stage: target and realised tokens by source
    dedup: dict[str, Any] | None = None  # of a dedup stage: keys, links, clusters by size, earlier stages
    guards: dict[str, Any] = field(default_factory=dict)  # expect_kept, max_errors
    wall_seconds: float = 0.0
    input_bytes: int | None = None  # of a read stage: size of its input files; None if that is unknown
    audit: tuple[dict[str, Any], ...] = ()  # what each takedown changed, see engine/takedown

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All part files in shard order. Cached, because loops over shards read it each time."""
        return tuple(part for commit in self.commits for part in commit.parts)

    @property
    def order(self) -> list[str]:
        """Keys of the stage's components in the order in which they are applied."""
        order: list[str] = self.address_parts["order"]
        return order

    def total(self, name: str) -> int:
        """Sum of one numeric field of `Part`."""
        return sum(getattr(part, name) for part in self.parts)

    def merged(self, name: str) -> dict[str, int]:
        """Sum by key of `dropped` (over parts) or of `fired` or `counts` (over commits), largest first."""
        owners: tuple[Any, ...] = self.parts if name == "dropped" else self.commits
        total: dict[str, int] = {}
        for owner in owners:
            for key, count in getattr(owner, name).items():
                total[key] = total.get(key, 0) + count
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class StageEntry:
    """A stage of a run, in order; `folder` is relative to the run."""

    name: str
    verb: Verb
    chain: str
    folder: str
    address: str


@dataclass(frozen=True)
class RunRecord:
    """`run.json`: the recipe as resolved and its stages so far."""

    format: int
    name: str
    recipe: dict[str, Any]
    stages: tuple[StageEntry, ...]
    complete: bool
    tombstones: tuple[str, ...] = ()  # doc_ids taken down, in the order of the takedowns
    taken_texts: tuple[str, ...] = ()  # hashes of their texts, each once, in that order
    takedowns: tuple[dict[str, Any], ...] = ()  # when, what was changed: see engine/takedown

    @property
    def takedowns_finished(self) -> bool:
        """False if one was interrupted: its files and their manifests may disagree."""
        return all(takedown["finished"] for takedown in self.takedowns)


def write_json(uri: str, value: Any) -> None:
    """Writes dataclasses or plain values with sorted keys, so that equal values give equal bytes."""
    storage.write_bytes(uri, json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """The bytes that `write_json` writes."""
    return json.dumps(value, default=_plain, sort_keys=True, indent=1, ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    """A verb as its name, a dataclass as its fields."""
    if isinstance(value, Verb):
        return value.name
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def replace_json(uri: str, value: Any) -> None:
    """As `write_json`, but whole or not at all: if the process dies, the old file stays."""
    storage.replace_bytes(uri, json_bytes(value))


def plain(value: Any) -> Any:
    """The value after a round trip through JSON."""
    return json.loads(json.dumps(value))


def read_json(uri: str) -> Any | None:
    """None if the file is absent or was cut short."""
    if not storage.exists(uri):
        return None
    try:
        return json.loads(storage.read_bytes(uri))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None


def read_commit(uri: str) -> Commit | None:
    """None also if it is damaged, so that its unit is done again."""
    value = read_json(uri)
    try:
        return _commit(value) if value is not None else None
    except (KeyError, TypeError, AttributeError):
        return None


def _commit(value: dict[str, Any]) -> Commit:
    parts = tuple(Part(**part) for part in value.pop("parts"))
    return Commit(parts=parts, faults=tuple(value.pop("faults")), **value)


def read_manifest(folder: str) -> Manifest | None:
    """The manifest of a stage's folder, None if the stage is not sealed. Raises InputError for another format."""
    uri = storage.join(folder, MANIFEST)
    value = read_json(uri)
    if value is None:
        return None
    with as_written(uri):
        _check_format(value, folder)
        commits = tuple(map(_commit, value.pop("commits")))
        schema = tuple((name, kind) for name, kind in value.pop("schema"))
        limits, audit = (tuple(value.pop(name)) for name in ("limits", "audit"))
        verb = VERBS[value.pop("verb")]
        return Manifest(verb=verb, commits=commits, schema=schema, limits=limits, audit=audit, **value)


def read_run(folder: str) -> RunRecord:
    """Raises InputError if the folder is not a run or has another format."""
    uri = storage.join(folder, RUN)
    value = read_json(uri)
    if value is None and storage.exists(uri):
        raise _damaged(uri)
    if value is None:
        raise InputError(f"{folder} is not a run: it has no {RUN}; give the folder that `winnow curate` wrote")
    with as_written(uri):
        _check_format(value, folder)
        stages = tuple(StageEntry(verb=VERBS[stage.pop("verb")], **stage) for stage in value.pop("stages"))
        tombstones, texts, takedowns = (tuple(value.pop(name)) for name in ("tombstones", "taken_texts", "takedowns"))
        return RunRecord(stages=stages, tombstones=tombstones, taken_texts=texts, takedowns=takedowns, **value)


@contextmanager
def as_written(uri: str) -> Iterator[None]:
    """Raises InputError for the Python errors of JSON that lacks the fields which winnow writes."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(uri) from error


def _damaged(uri: str) -> InputError:
    lost = "; this forgets the takedowns that it records" if uri.endswith(RUN) else ""
    return InputError(
        f"{uri} is damaged: it is not as winnow writes it; restore it from a copy, or delete it and curate again{lost}"
    )


def _check_format(value: dict[str, Any], folder: str) -> None:
    if value.get("format") != FORMAT:
        raise InputError(
            f"{folder} has format {value.get('format')}, this winnow reads {FORMAT}; use the winnow that wrote it, or "
            "curate again into a new folder"
        )
