"""The files that say what a stage did: a manifest per sealed stage, `run.json` per run.

A stage is finished exactly when its `_manifest.json` exists and is whole; JSON that was cut short counts as absent. The
manifest holds totals and points to the table of shards: the commits of the stage's units, which are read group by group
when a shard is asked for. A takedown writes the changed files of a sealed stage beside the old ones, moves them into
place, and records the change in `audit`.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from curation.core import storage
from curation.core.commits import Commit, Part
from curation.core.energy import Energy
from curation.core.errors import InputError
from curation.core.shard_table import ShardTable
from curation.core.verbs import VERBS, Verb

FORMAT = 7
MANIFEST = "_manifest.json"
RUN = "run.json"
ORIGINALS = "_originals"  # in a redacting stage, while its originals are being replaced
TAKEN_DOWN = "_takedown"  # in a stage, while documents are being taken out of it


def run_around(folder: str) -> str | None:
    """The run whose folder this is, or lies in; None if there is none."""
    while folder and not folder.endswith(":/"):
        if storage.exists(storage.join(folder, RUN)):
            return folder
        folder = folder.rpartition("/")[0]
    return None


@dataclass(frozen=True)
class StepWork:
    """The cost of a step of a stage; it stays when the step's own files are deleted."""

    name: str
    units: int
    seconds: float  # of work, over all units
    longest: float  # seconds of one unit
    first_seconds: float  # of as many of the longest units as the cluster has cores: each process starts slowly
    wall_seconds: float
    files: int  # written by units …
    file_bytes: int  # … and their size
    memory: int  # bytes that a task asks for
    cpus: float  # cores that a task asks for
    cores: int  # of the Ray cluster


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
    versions: dict[str, str]
    shards: ShardTable
    limits: tuple[dict[str, Any], ...] = ()  # {"rule": "<key>.<signal>", …as in rules.Rule}, as they are tried
    asset: dict[str, Any] | None = None  # {"file", "sha256", "sample"} of a fit stage
    tokens: dict[str, Any] | None = None  # of a pack stage, see curation/tokens
    mix: dict[str, Any] | None = None  # of a mix stage: target and realised tokens by source
    dedup: dict[str, Any] | None = None  # of a dedup stage: keys, links, clusters by size, earlier stages
    lookup: Mapping[str, int] | None = None  # of a read stage: rows and buckets of its look-up table
    guards: dict[str, Any] = field(default_factory=dict)  # expect_kept, max_errors
    wall_seconds: float = 0.0
    steps: tuple[StepWork, ...] = ()  # in the order in which they ran
    energy: Energy | None = None  # over all attempts; of no effect on the stage's data, as its seconds are
    input_bytes: int | None = None  # of a read stage: size of its input files; None if that is unknown
    audit: tuple[dict[str, Any], ...] = ()  # what each takedown changed, see engine/takedown
    originals: dict[str, Any] | None = None  # what became of texts that a later stage redacted, see engine/privacy

    @property
    def order(self) -> list[str]:
        """Keys of the stage's components in the order in which they are applied."""
        order: list[str] = self.address_parts["order"]
        return order

    @property
    def parts(self) -> tuple[Part, ...]:
        """All part files in shard order; read from the commits when first asked for."""
        return self.shards.parts

    @property
    def commits(self) -> tuple[Commit, ...]:
        """All commits in unit order; read when first asked for."""
        return self.shards.commits

    def total(self, name: str) -> int:
        """Sum of one numeric field of `Part`."""
        return sum(totals.get("parts", {}).get(name, 0) for totals in self.shards.totals.values())

    def merged(self, name: str) -> dict[str, int]:
        """Sum by key of `dropped`, `fired` or `counts`, largest first."""
        total = Counter[str]()
        for totals in self.shards.totals.values():
            total.update(totals.get(name, {}))
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
    """Dataclasses by the fields that make them equal, verbs by their names."""
    if isinstance(value, Verb):
        return value.name
    return {entry.name: getattr(value, entry.name) for entry in dataclasses.fields(value) if entry.compare}


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


def read_manifest(folder: str) -> Manifest | None:
    """The manifest of a stage's folder, None if the stage is not sealed. Raises InputError for another format."""
    uri = storage.join(folder, MANIFEST)
    value = read_json(uri)
    if value is None:
        return None
    with as_written(uri):
        _check_format(value, folder)
        shards = value.pop("shards")
        for name in ("groups", "faults", "unread", "lost"):
            shards[name] = tuple(shards[name])
        schema = tuple((name, kind) for name, kind in value.pop("schema"))
        limits, audit = (tuple(value.pop(name)) for name in ("limits", "audit"))
        steps = tuple(StepWork(**step) for step in value.pop("steps", ()))
        verb = VERBS[value.pop("verb")]
        if value.get("energy"):
            value["energy"] = Energy.read(value["energy"])
        table = ShardTable(**shards, folder=folder)
        return Manifest(verb=verb, shards=table, schema=schema, limits=limits, audit=audit, steps=steps, **value)


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
