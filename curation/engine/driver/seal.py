"""Seals a stage: makes its manifest and checks that all rows and tokens are accounted for."""

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from curation.core.component import each
from curation.core.filter import Filter
from curation.core.installation import DISTRIBUTION
from curation.core.manifest import FORMAT, Manifest, StepWork, plain
from curation.core.protocols import Extractor
from curation.core.rules import Rule
from curation.core.shard_table import ShardTable
from curation.engine.run.context import Context, Outcome

PACKAGES = (
    DISTRIBUTION, "ray", "pyarrow", "numpy", "numba", "warcio", "trafilatura", "etrafilatura", "resiliparse",
    "mathml-to-latex", "fasttext", "tokenizers", "tiktoken", "sentencepiece", "license-expression", "pypdfium2",
)  # fmt: skip
BOUNDS = ("one_of", "at_least", "at_most", "only", "but", "by")  # fields of a rule, as they stand in a manifest


def manifest(context: Context, outcome: Outcome, wall_seconds: float, steps: Sequence[StepWork] = ()) -> Manifest:
    """The stage's manifest, checked: every row read was written, kept or dropped with a reason."""
    node = context.node
    options = node.stage.options
    sealed = Manifest(
        format=FORMAT,
        number=node.index + 1,
        name=node.name,
        verb=node.verb,
        chain=node.chain,
        address=context.address.digest,
        address_parts=context.address.parts,
        schema=tuple((field.name, str(field.type)) for field in outcome.schema or ()),
        versions=versions(),
        shards=ShardTable.of(outcome.commits, context.folder, node.chain),
        limits=_limits(context),
        asset=outcome.asset,
        tokens=outcome.tokens,
        mix=outcome.mix,
        dedup=outcome.dedup,
        lookup=outcome.lookup,
        guards={"expect_kept": list(options.expect_kept), "max_errors": options.max_errors},
        wall_seconds=wall_seconds,
        steps=tuple(steps),
        input_bytes=context.address.input_bytes,
    )
    _check_balance(context, sealed)
    return sealed


def _check_balance(context: Context, sealed: Manifest) -> None:
    rows = sealed.total("rows")
    kept = sealed.total("kept")
    dropped = sum(sealed.merged("dropped").values())
    assert rows == kept + dropped, f"{sealed.name}: {rows} rows, {kept} kept, {dropped} dropped with a reason"
    lost = _lost_shards(sealed) if sealed.shards.lost else set()
    if sealed.verb.maps_rows:
        kept_before = [part.kept for stage in context.upstream for part in stage.manifest.shards.brief] if lost else []
        read = context.rows_to_read or 0
        given_up = sum(kept_before[shard] for shard in lost)
        assert rows == read - given_up, f"{sealed.name}: read {read} rows, lost {given_up}, wrote {rows}"
    if sealed.tokens is not None and not lost:
        read = sum(stage.manifest.total("tokens") for stage in context.upstream)
        packed = sum(part["tokens"] for part in sealed.tokens["parts"])
        assert packed == read, f"{sealed.name}: read {read} tokens, packed {packed}"


def _lost_shards(sealed: Manifest) -> set[int]:
    """The shards of units that the stage is sealed without; a unit has one shard or several."""
    units = {entry["unit"] for entry in sealed.shards.lost}
    lost = set[int]()
    first = 0
    for commit in sealed.commits:
        if commit.unit in units:
            lost.update(range(first, first + len(commit.parts)))
        first += len(commit.parts)
    return lost


def versions() -> dict[str, str]:
    versions = {"python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _limits(context: Context) -> tuple[dict[str, object], ...]:
    """Each rule's bounds as plain JSON, in the order in which they are tried: infinite ones are left out."""
    limits: list[dict[str, object]] = []
    judge = each(Filter, context.components) if context.node.verb.judges else ()
    if context.node.extract is not None:
        judge = context.node.extract.sole(Extractor).judging()
    for key, rule_set in judge:
        for rule in rule_set.rules():
            stated = {name: getattr(rule, name) for name in BOUNDS if getattr(rule, name) != getattr(Rule, name)}
            limits.append({"rule": f"{key}.{rule.signal}", **plain(stated)})
    return tuple(limits)
