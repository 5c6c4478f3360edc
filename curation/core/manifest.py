"""The files that say what a stage did: a manifest per sealed stage, `run.json` per run.

A stage is finished exactly when its `_manifest.json` exists and is whole; JSON that was cut short counts as absent. The
manifest holds totals and points to the table of shards: the commits of the stage's units, which are read group by group
when a shard is asked for. A takedown writes the changed files of a sealed stage beside the old ones, moves them into
place, and records the change in `audit`.
"""

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, TypedDict, TypeVar

from curation.core import storage
from curation.core.commits import Commit, Part
from curation.core.energy import Energy
from curation.core.errors import InputError
from curation.core.json_files import find_shape, find_whole, shaped
from curation.core.removals import KnownTakedown
from curation.core.shapes import As, Within
from curation.core.shard_table import ShardTable
from curation.core.stage_shapes import (
    AddressParts,
    Asset,
    AuditEntry,
    DedupFigures,
    GuardLimits,
    LimitBounds,
    Originals,
    RecipeRecord,
    TakedownEntry,
)
from curation.core.token_shapes import MixIndex, Section
from curation.core.verbs import Verb

T = TypeVar("T")
FORMAT = 8
MANIFEST = "_manifest.json"
RUN = "run.json"
ORIGINALS = "_originals"  # in a redacting stage, while its originals are being replaced
TAKEN_DOWN = "_takedown"  # in a stage, while documents are being taken out of it
TAKEN_KEYS = "_taken"  # in a dedup stage: a file of the keys of documents taken down, for each method
ANEW = "restore it from a copy, or delete the stage's folder and curate again"
RESTORE = "restore it from a copy, or delete it and curate again; this forgets the takedowns that it records"


class FileFormat(TypedDict):
    """A file of a run, before its format is known."""

    format: int


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
    address_parts: Annotated[dict[str, Any], As(AddressParts)]
    schema: tuple[tuple[str, str], ...]
    versions: dict[str, str]
    shards: ShardTable
    limits: Annotated[tuple[dict[str, Any], ...], As(tuple[LimitBounds, ...])] = ()  # as they are tried
    asset: Annotated[dict[str, Any] | None, As(Asset | None)] = None  # of a fit stage
    tokens: Annotated[dict[str, Any] | None, As(Section | None)] = None  # of a pack stage
    mix: Annotated[dict[str, Any] | None, As(MixIndex | None)] = None  # of a mix stage
    dedup: Annotated[dict[str, Any] | None, As(DedupFigures | None)] = None  # of a dedup stage
    lookup: Mapping[str, int] | None = None  # of a read stage: rows and buckets of its look-up table
    guards: Annotated[dict[str, Any], As(GuardLimits)] = field(default_factory=dict)  # expect_kept, max_errors
    wall_seconds: float = 0.0
    steps: tuple[StepWork, ...] = ()  # in the order in which they ran
    energy: Energy | None = None  # over all attempts; of no effect on the stage's data, as its seconds are
    input_bytes: int | None = None  # of a read stage: size of its input files; None if that is unknown
    audit: Annotated[tuple[dict[str, Any], ...], As(tuple[AuditEntry, ...])] = ()  # what each takedown changed
    # what became of texts that a later stage redacted, see engine/privacy
    originals: Annotated[dict[str, Any] | None, As(Originals | None)] = None

    @property
    def order(self) -> list[str]:
        """Keys of the stage's components in the order in which they are applied."""
        order: list[str] = self.address_parts["order"]
        return order

    def options(self, key: str, kind: type[T]) -> T:
        """Returns a component's options. Raises InputError where they are of another shape."""
        return shaped(self.address_parts["config"][key], kind, f"the config of {key} in the stage {self.name}", ANEW)

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
    folder: Within
    address: str


@dataclass(frozen=True)
class RunRecord:
    """`run.json`: the recipe as resolved and its stages so far."""

    format: int
    name: str
    recipe: Annotated[dict[str, Any], As(RecipeRecord)]
    stages: tuple[StageEntry, ...]
    complete: bool
    tombstones: tuple[str, ...] = ()  # doc_ids taken down, in the order of the takedowns
    taken_texts: tuple[str, ...] = ()  # hashes of their texts, each once, in that order
    takedowns: Annotated[tuple[dict[str, Any], ...], As(tuple[TakedownEntry, ...])] = ()
    taken_urls: tuple[str, ...] = ()  # hashes of the URLs that takedowns asked for, each once, in that order
    reads: tuple[str, ...] = ()  # folders of other runs whose files or keys the recipe reads, or has read
    removals: tuple[KnownTakedown, ...] = ()  # of the runs that this one reads, and of its recipe's list
    # of the removals: "all" while sealed stages may hold their documents, "copies" while only copies of them may be
    # there, which are known once the run has ended
    unsettled: Literal["", "copies", "all"] = ""

    def reader(self, source: str) -> tuple[str, dict[str, Any]]:
        """The key and the options of what reads a source. Raises InputError if the recipe has none."""
        for stage in self.recipe["sources"].get(source, ())[:1]:
            for key, options in stage.get("read", {}).items():
                return key, options
        raise InputError(f"the {RUN} of {self.name} is damaged: nothing in its recipe reads {source!r}; {RESTORE}")

    @property
    def takedowns_finished(self) -> bool:
        """False if one was interrupted: its files and their manifests may disagree."""
        return all(takedown["finished"] for takedown in self.takedowns)


def write_json(uri: str, value: Any) -> None:
    """Writes dataclasses or plain values with sorted keys, so that equal values give equal bytes."""
    storage.write_bytes(uri, json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """The bytes that `write_json` writes; a run's record keeps the order of its recipe, in which filters are tried."""
    ordered = isinstance(value, RunRecord)
    return json.dumps(value, default=_plain, sort_keys=not ordered, indent=1, ensure_ascii=False).encode()


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


def read_manifest(folder: str) -> Manifest | None:
    """The manifest of a stage's folder, None if the stage is not sealed. Raises InputError for another format, and for
    a file that is damaged."""
    uri = storage.join(folder, MANIFEST)
    written = find_whole(uri, FileFormat, ANEW)
    if written is None:
        return None
    _check_format(written, folder)
    manifest = shaped(written, Manifest, uri, ANEW)
    parts = manifest.address_parts
    for key in manifest.order or [""]:
        if key not in parts["config"] or key not in parts["versions"]:
            raise InputError(f"{uri} is damaged: address_parts has no component {key!r}; {ANEW}")
    return replace(manifest, shards=replace(manifest.shards, folder=folder))


def read_run(folder: str) -> RunRecord:
    """Raises InputError if the folder is not a run or has another format."""
    uri = storage.join(folder, RUN)
    written = find_shape(uri, FileFormat, RESTORE)
    if written is None:
        raise InputError(f"{folder} is not a run: it has no {RUN}; give the folder that `winnow curate` wrote")
    _check_format(written, folder)
    return shaped(written, RunRecord, uri, RESTORE)


def _check_format(value: FileFormat, folder: str) -> None:
    if value["format"] != FORMAT:
        raise InputError(
            f"{folder} has format {value['format']}, this winnow reads {FORMAT}; use the winnow that wrote it, or "
            "curate again into a new folder"
        )
