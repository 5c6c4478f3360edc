"""What a run read and what its stages did: why they dropped documents, which values they took out of texts, and which
items of evaluation sets they met."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from curation.account.funnel import never_fired
from curation.account.sealed.bounds import BOUNDS, recorded, sides
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.core.energy import Energy
from curation.core.json_files import shaped
from curation.core.manifest import RESTORE, RUN, Manifest
from curation.core.rules import Rule
from curation.core.stage_shapes import ContaminationOptions
from curation.core.truncation import COUNTED
from curation.core.verbs import Verb
from curation.core.wording import listed
from curation.sources.layouts import LAYOUTS, published

_LIMIT = re.compile(r"(?P<rule>[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*):(?P<side>low|high|not_in|unmeasured)")
SHOWN = 12  # values of a list
CONTAMINATION = "contamination"  # key of the filter


@dataclass(frozen=True)
class Input:
    """One source. `listing` is a hash of the paths, sizes and times of its `files`; `file_bytes` is None if unknown.

    `records` became rows. `passed_over` counts, by cause, those that did not; `lenient` counts, by kind, deviations
    from their standard that were tolerated; `truncated` counts, by cause, rows whose end is missing. `licence` is the
    recipe's default for rows that state none. `corpus` has the name of a ready corpus, with what is known of its
    version and of its publisher's licence; "" for other inputs.
    """

    source: str
    reader: str
    extractor: str | None
    paths: tuple[str, ...]
    files: int
    file_bytes: int | None
    listing: str
    records: int
    passed_over: dict[str, int]
    lenient: dict[str, int]
    truncated: dict[str, int]
    faults: int
    licence: str | None
    corpus: str


@dataclass(frozen=True)
class DropCount:
    """Documents that a stage dropped for one reason, and the limit in words ("at least 50; de: at least 20")."""

    reason: str
    documents: int
    limit: str


@dataclass(frozen=True)
class StageFacts:
    """One stage. `edits` are a rewriter's counts, `components` the keys that the recipe names. `energy` is None in a
    stage that was sealed before it was measured."""

    name: str
    verb: Verb
    chain: str
    components: tuple[str, ...]
    folder: str
    address: str
    has_documents: bool
    rows: int
    kept: int
    kept_text_bytes: int
    dropped: tuple[DropCount, ...]
    edits: dict[str, int]
    never_fired: tuple[str, ...]
    energy: Energy | None


@dataclass(frozen=True)
class RedactionFacts:
    """A rewriter that redacts, in one stage: the `values` that it took out by kind, of so many `affected` documents
    among those that it read. `originals`: whether the stages before still hold the texts as they were."""

    stage: str
    component: str
    documents: int
    affected: int
    values: dict[str, int]
    originals: bool


@dataclass(frozen=True)
class ContaminationFacts:
    """A filter that looks for items of evaluation sets. `affected` documents hold enough of an item by its method;
    `by_set` counts them by the set of the item that they hold most of, and `items` the different ones among these."""

    stage: str
    method: str
    action: str
    documents: int
    affected: int
    dropped: int
    by_set: dict[str, int]
    items: int


def inputs(run: RunFolder) -> tuple[Input, ...]:
    """One per source whose first stage is sealed."""
    return tuple(_input(run, stage.manifest) for stage in run.stages if stage.verb.begins)


def _input(run: RunFolder, manifest: Manifest) -> Input:
    counts = manifest.merged("counts")

    def counted(prefix: str) -> dict[str, int]:
        return {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}

    reader, options = run.record.reader(manifest.chain)
    chain = run.record.recipe["sources"][manifest.chain]
    extractors = [next(iter(item["extract"])) for item in chain[1:2] if "extract" in item]
    return Input(
        source=manifest.chain,
        reader=reader,
        extractor=extractors[0] if extractors else None,
        paths=shaped(options.get("paths"), tuple[str, ...], f"the recipe in {run.folder}/{RUN}", RESTORE),
        files=manifest.address_parts["files"],
        file_bytes=manifest.input_bytes,
        listing=manifest.address_parts["input"],
        records=manifest.total("rows"),
        passed_over=counted("skipped."),
        lenient=counted("lenient."),
        truncated=counted(COUNTED),
        faults=manifest.shards.fault_count,
        licence=options["default_licence"] if "default_licence" in options else options.get("licence"),
        corpus=_corpus(options["name"]) if reader == "corpus" else "",
    )


def _corpus(name: str) -> str:
    layout = LAYOUTS.get(name)  # a later winnow may have another name for it
    return " ".join([name, *([f"({published(layout)})"] if layout and published(layout) else [])])


def stage_facts(stage: SealedStage) -> StageFacts:
    manifest = stage.manifest
    entry = stage.entry
    dropped = manifest.merged("dropped")
    return StageFacts(
        **vars(entry),
        components=tuple(key for key in manifest.order if "." not in key),
        has_documents=entry.verb.documents,
        rows=manifest.total("rows"),
        kept=manifest.total("kept"),
        kept_text_bytes=manifest.total("kept_text_bytes"),
        dropped=tuple(DropCount(reason, count, limit_of(reason, manifest)) for reason, count in dropped.items()),
        edits=manifest.merged("counts") if entry.verb.edits else {},
        never_fired=never_fired(manifest),
        energy=manifest.energy,
    )


def limit_of(reason: str, manifest: Manifest) -> str:
    """The bounds behind a drop reason in words, for each language with its own; "" if there are none."""
    match = _LIMIT.fullmatch(reason)
    if match is None:
        return ""
    if match["side"] == "unmeasured":
        return "could not be measured"
    only: dict[tuple[str, str], list[str]] = {}  # limits with the same words share one entry
    for key, rule in recorded(manifest):
        if f"{key}.{rule.signal}" == match["rule"] and match["side"] in sides(rule):
            only.setdefault((_words(rule, match["side"]), rule.by), []).extend(rule.only or ())
    limits = [(f"{listed(names, SHOWN)}: {words}" if names else words, by) for (words, by), names in only.items()]
    # A column that several limits in a row depend on is named once, after the last of them.
    following = [*(by for _, by in limits[1:]), Rule.by]
    pairs = zip(limits, following, strict=False)
    return "; ".join(words if by in (Rule.by, after) else f"{words} by {by}" for (words, by), after in pairs)


def _words(rule: Rule, side: str) -> str:
    bound = sides(rule)[side]
    value = listed(bound, SHOWN) if side == "not_in" else number(bound)
    return f"{BOUNDS[side].replace('_', ' ')} {value}" + (
        f" (other than {listed(rule.but, SHOWN)})" if rule.but else ""
    )


def number(value: float) -> str:
    """ "50", "100,000", "0.35"."""
    return f"{value:,.0f}" if value % 1 == 0 else f"{value:g}"


def redacted(stages: Sequence[SealedStage]) -> tuple[RedactionFacts, ...]:
    return tuple(_redacted(stage, key) for stage in stages for key in redacting(stage.manifest))


def contaminated(stages: Sequence[SealedStage]) -> tuple[ContaminationFacts, ...]:
    own = (stage for stage in stages if stage.verb.judges and CONTAMINATION in stage.manifest.order)
    return tuple(map(_contaminated, own))


def redacting(manifest: Manifest) -> Iterator[str]:
    """The rewriters whose column tells where values of which kinds were."""
    types = dict(manifest.schema)
    yield from (key for key in manifest.order if manifest.verb.edits and "struct<kind: " in types[key])


def _redacted(stage: SealedStage, key: str) -> RedactionFacts:
    spans = f"{key}.spans"
    lengths = (pc.list_value_length(batch[spans]) for batch in stage.scan([spans]))
    affected = sum(pc.sum(pc.greater(length, 0)).as_py() or 0 for length in lengths)
    counts = stage.manifest.merged("counts")
    values = {name.removeprefix(f"{key}."): n for name, n in counts.items() if name.startswith(f"{key}.") and n}
    documents = stage.manifest.total("rows")
    return RedactionFacts(stage.name, key, documents, affected, values, stage.manifest.originals is None)


def _contaminated(stage: SealedStage) -> ContaminationFacts:
    manifest = stage.manifest
    config = manifest.options(CONTAMINATION, ContaminationOptions)
    by_set = Counter[str]()
    items = set[str]()
    for batch in stage.scan([f"{CONTAMINATION}.set", f"{CONTAMINATION}.item"]):
        by_set.update(batch[f"{CONTAMINATION}.set"].drop_null().to_pylist())
        items.update(batch[f"{CONTAMINATION}.item"].drop_null().to_pylist())
    dropped = sum(n for reason, n in manifest.merged("dropped").items() if reason.startswith(f"{CONTAMINATION}."))
    return ContaminationFacts(
        stage=stage.name,
        method=config["method"],
        action=config["action"],
        documents=manifest.total("rows"),
        affected=by_set.total(),
        dropped=dropped,
        by_set=dict(sorted(by_set.items(), key=lambda one: (-one[1], one[0]))),
        items=len(items),
    )
