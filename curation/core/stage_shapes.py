"""Shapes of what run.json and the manifests of stages hold, beside `curation.core.token_shapes`.

A value is read as its shape; what its reader does not look into may be anything.
"""

from typing import Any, NotRequired, TypedDict

from curation.core.shapes import Count, Within
from curation.core.token_shapes import TokenPart


class AddressParts(TypedDict):
    """Parts of the address of a stage. `files` and `input`: number and listing of a first stage's files."""

    order: list[str]
    config: dict[str, dict[str, Any]]
    versions: dict[str, int]
    assets: dict[str, str]
    upstream: list[str]
    keep: NotRequired[Any]  # one order, or one per source
    files: NotRequired[Count]
    input: NotRequired[str]


class ContaminationOptions(TypedDict):
    """Options of `contamination` that reports read."""

    method: str
    action: str


class Asset(TypedDict):
    """The file that a fit stage made. `sample`: what it was learnt from."""

    file: Within
    sha256: str
    sample: NotRequired["Sample"]


class Sample(TypedDict):
    """The documents that a fit learnt from, by group."""

    groups: NotRequired[list["SampleGroup"]]


class SampleGroup(TypedDict):
    """See `curation.fit.sample.shares.DrawnGroup`."""

    group: str
    available_bytes: Count
    target_bytes: Count
    documents: Count
    sample_bytes: Count


class Exchange(TypedDict):
    """Where the key files of a dedup stage are."""

    buckets: Count
    blocks: Count
    key_files: Count
    key_step: Within
    key_shards: Count
    vectors: bool


class FoundCluster(TypedDict):
    """See `curation.dedup.clusters.elect.Cluster`."""

    root: int
    documents: Count
    diameter: int  # -1: not measured
    members: list[int]


class FoundClusters(TypedDict, total=False):
    """See `curation.dedup.clusters.elect.Review`."""

    sizes: list[tuple[Count, Count]]
    largest: list[FoundCluster]
    above: list[FoundCluster]
    clusters_above: Count
    clusters_split: Count


class ComparedStage(TypedDict):
    """A dedup stage of an earlier run: its folder, and this run's number of its first shard of so many."""

    folder: str
    first: Count
    shards: Count


class BloomFacts(TypedDict):
    """The Bloom filter that a dedup stage wrote."""

    folder: str
    items: Count
    rate: float
    bytes: Count


class DedupFigures(TypedDict):
    """Figures of a dedup stage."""

    keys: Count
    links: Count
    exchange: NotRequired[Exchange]
    skipped: NotRequired[dict[str, Count]]
    rounds: NotRequired[Count]
    refined_keys: NotRequired[Count]
    candidates: NotRequired[Count]
    pairs: NotRequired[Count]
    verified: NotRequired[Count]
    clusters: NotRequired[FoundClusters | None]
    earlier: NotRequired[list[ComparedStage]]
    bloom: NotRequired[BloomFacts]


class GuardLimits(TypedDict, total=False):
    """The options that end a stage."""

    expect_kept: list[float]
    max_errors: float


class LimitBounds(TypedDict):
    """A limit as it was tried, see `curation.core.rules.Rule`."""

    rule: str
    at_least: NotRequired[float]
    at_most: NotRequired[float]
    one_of: NotRequired[list[str]]
    only: NotRequired[list[str] | None]
    but: NotRequired[list[str]]
    by: NotRequired[str]


class Originals(TypedDict):
    """The stage that redacted texts of this one, once its originals are gone."""

    stage: str
    address: str


class FileChange(TypedDict):
    """BLAKE2b-256 (hex) of a file that a takedown changed; `before` is empty for one that it wrote first."""

    before: str
    after: str


class AuditEntry(TypedDict):
    """Changes by one takedown in a stage."""

    takedown: Count
    when: str
    documents: Count
    rows: Count
    files: dict[str, FileChange]


class Fault(TypedDict):
    """Damage in an input file, from byte `offset` on; -1 if that is unknown."""

    file: str
    offset: int
    error: str


class LostUnit(TypedDict):
    """A unit that a stage was sealed without."""

    unit: Count
    input: str
    error: str


class FaultRecord(TypedDict):
    """See `curation.core.input_rows.FirstFault`."""

    offset: int
    error: str
    line: int | None


class UnreadRows(TypedDict):
    """See `curation.core.input_rows.InputRows`."""

    file: str
    called: str
    read: Count
    failed: dict[str, Count]
    lines: Count
    first: FaultRecord | None


class SentFacts(TypedDict):
    """Size and BLAKE2b-256 (hex) of a file that a unit wrote beside its parts."""

    bytes: Count
    blake2b: NotRequired[str]


class Extra(TypedDict, total=False):
    """Values in a commit that only its kind of stage has."""

    files: dict[str, SentFacts]
    parts: list[TokenPart]
    parsers: dict[str, Count]
    inputs: list[UnreadRows]
    lost: LostUnit
    asset: Asset


class TakedownEntry(TypedDict):
    """A takedown in run.json, see `curation.engine.erase.takedown`."""

    when: str
    request: NotRequired[str]
    tombstones: Count
    texts: Count
    urls: NotRequired[Count]
    of: NotRequired[list[str]]
    finished: bool
    rows: NotRequired[Count]
    files: NotRequired[Count]
    stages: NotRequired[list[str]]


class RecipeStage(TypedDict, total=False):
    """A stage of a recipe: one verb with the options of its components by their keys, or of its only component; and
    options of the stage."""

    read: dict[str, dict[str, Any]]
    extract: dict[str, dict[str, Any]]
    filter: dict[str, dict[str, Any]]
    rewrite: dict[str, dict[str, Any]]
    dedup: dict[str, dict[str, Any]]
    fit: dict[str, dict[str, Any]]
    tokenize: dict[str, Any]
    pack: dict[str, Any]
    mix: dict[str, Any]


class RecipeRecord(TypedDict):
    """A recipe as resolved: the stages of each source, and those after all sources."""

    sources: dict[str, list[RecipeStage]]
    joined: list[RecipeStage]
