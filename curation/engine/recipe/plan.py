"""The plan: a recipe's stages in order, who reads whom, and everything that can be refused before work starts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pyarrow as pa

from curation.core import catalog
from curation.core.component import Component, Keyed, ReadsColumns
from curation.core.document import DOCUMENT, IDS, RAW, TEXT_OF_DROPPED, empty_batch, with_text_hash
from curation.core.protocols import Extractor, Filter, Methods, Source, UsesAssets
from curation.core.rules import impossible
from curation.core.settings import Path, nearest
from curation.core.verbs import EXTRACT, FILTER, READ, VERBS
from curation.engine.cascade import judging
from curation.engine.dedup import check
from curation.engine.dedup.columns import column
from curation.engine.fit.check import check_plan, nodes_read
from curation.engine.recipe import split_checks
from curation.engine.recipe.asset_checks import check_assets, find_assets
from curation.engine.recipe.assets import fits_named
from curation.engine.recipe.language_checks import check_languages, naming
from curation.engine.recipe.libraries import check_libraries
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import JOINED, Recipe, Stage
from curation.engine.run import mix
from curation.engine.run.steps import mapped
from curation.filters.language import Language
from curation.tokens.encode import Encode


def build_plan(recipe: Recipe) -> list[Node]:
    """All nodes in order of execution. Raises RecipeError for what cannot work, with file, line and reason."""
    nodes: list[Node] = []
    ends: list[int] = []
    several = len(recipe.sources) > 1
    for source, chain in recipe.sources.items():
        first = _first_node(recipe, source, chain, len(nodes), several)
        nodes.append(first)
        rest = chain[2:] if first.extract else chain[1:]
        ends.append(_extend(recipe, nodes, rest, source, (first.index,), f"{source}-" if several else ""))
    if several and not recipe.joined:
        raise recipe.document.error(("joined",), "several sources need a `joined` chain, if only for pack and mix")
    _extend(recipe, nodes, recipe.joined, JOINED, tuple(ends), "")
    read = {index for node in nodes if node.verb.documents for index in node.upstream}
    return [replace(node, last=node.verb.documents and node.index not in read) for node in nodes]


def _check_source_names(recipe: Recipe, stage: Stage) -> None:
    """Options by source may only name sources of this recipe."""
    for _, component in stage.components:
        for name in component.validation_by_source if isinstance(component, Encode) else ():
            if name not in recipe.sources:
                at = stage.at("validation_by_source", name)
                raise recipe.document.error(at, f"no source {name!r}{nearest(name, recipe.sources)}")


def _first_node(recipe: Recipe, source: str, chain: Sequence[Stage], index: int, several: bool) -> Node:
    error = recipe.document.error
    if not chain or chain[0].verb is not READ:
        raise error(("sources", source), "a source begins with `- read: {…}`")
    read, extract = chain[0], chain[1] if len(chain) > 1 and chain[1].verb is EXTRACT else None
    key, reader = cast(Keyed[Source], read.components)[0]
    if not reader.paths:
        raise error(read.at(key), "no paths: give them here or with --input")
    if reader.yields == "html" and extract is None:
        raise error(
            read.path, f"{key} yields pages: the next stage must be `- extract: {{resiliparse: {{}}}}` or another"
        )
    if reader.yields == "text" and extract is not None:
        raise error(extract.path, f"{key} yields text already: remove this extract stage")
    options = extract.options if extract else read.options
    if read.options != type(read.options)() and extract is not None:
        raise error(read.path, "read and extract make one stage: put name, expect_kept and max_errors beside extract")
    name = options.name or ("extract" if extract else "read")
    schema = with_text_hash(DOCUMENT)
    if extract is not None:
        check_libraries(recipe, extract.at(), extract.components)
        _check_judge(recipe, extract)
        extractor = cast(Extractor, extract.components[0][1])
        schema = with_text_hash(extractor.extract(empty_batch(RAW), {}, lambda *_: None).schema)
    stage = replace(read, options=options)
    return Node(index, source, f"{source}-{name}" if several else name, READ, stage, (), extract, schema)


def _extend(
    recipe: Recipe, nodes: list[Node], stages: Sequence[Stage], chain: str, upstream: tuple[int, ...], prefix: str
) -> int:
    """Appends a chain's nodes; returns the index of its last node that has rows or token shards."""
    for stage in stages:
        if stage.verb.begins:
            raise recipe.document.error(stage.path, f"{stage.verb} stands only at the beginning of a source")
        _check_order(recipe, nodes, stage, upstream)
        _check_source_names(recipe, stage)
        schema = _schema(recipe, nodes, stage, upstream)
        name = stage.options.name or (stage.components[0][0] if stage.verb.learns else stage.name)
        if any(node.name == prefix + name for node in nodes):
            raise recipe.document.error(stage.path, f"two stages are called {name!r}; give this one a `name:`")
        examples = nodes_read(recipe, nodes, stage, chain, upstream)
        read = upstream if examples is None else tuple(index for several in examples.values() for index in several)
        node = Node(len(nodes), chain, prefix + name, stage.verb, stage, read, None, schema, examples=examples or {})
        nodes.append(node)
        if not stage.verb.learns:
            upstream = (len(nodes) - 1,)
    return upstream[0]


def _check_order(recipe: Recipe, nodes: list[Node], stage: Stage, upstream: tuple[int, ...]) -> None:
    before = [nodes[i].verb for i in upstream]
    error = recipe.document.error
    if stage.verb.mixes and not all(verb.packs for verb in before):
        raise error(stage.path, "mix reads packed rows: put it right after pack")
    if stage.verb.packs and not all(verb.encodes for verb in before):
        raise error(stage.path, "pack reads tokens: put it right after tokenize")
    if not stage.verb.mixes and not all(verb.documents for verb in before):
        raise error(stage.path, f"{stage.verb} reads documents, which end with pack")
    if stage.verb.judges and all(verb.encodes for verb in before):
        raise error(stage.path, "filter before tokenize: nothing may be dropped between tokenize and pack")


def _schema(recipe: Recipe, nodes: list[Node], stage: Stage, upstream: tuple[int, ...]) -> pa.Schema | None:
    """Columns after the stage, found by running its components on no rows; checks what its rules and columns name."""
    schemas = [nodes[i].schema for i in upstream]
    given = schemas[0]
    if stage.verb.clusters:
        check.check_options(recipe, stage)
    if stage.verb.learns:
        check_plan(recipe.document, nodes, stage, upstream)
    if stage.verb.packs:
        split_checks.check_plan(recipe.document, nodes, stage, upstream)
    if stage.verb.mixes:
        mix.check_plan(recipe, nodes, stage, upstream)
    if not stage.verb.documents or given is None:
        check_assets(recipe, nodes, stage)
        return None
    for index, other in zip(upstream[1:], schemas[1:], strict=True):
        if other != given:
            given = _common(recipe, stage, nodes[upstream[0]], nodes[index], given, other)
    named_by = naming(nodes, upstream)
    columns = {key: column(method) for key, method in cast(Methods, stage.components)} if stage.verb.clusters else {}
    for key, component in stage.components:
        _check_reads(recipe, stage.at(key), component, given.names)
        check_languages(recipe.document, stage.at(key), component, named_by)
        again = key in columns and key in given.names and given.field(key).type == columns[key]
        if key in given.names and stage.verb.columns and not again:  # a later dedup's column takes the place
            raise recipe.document.error(stage.at(key), "already ran in this chain; its column exists")
    check_assets(recipe, nodes, stage)
    if stage.verb.clusters:
        check.check_columns(recipe, stage, given)
    if stage.verb.judges:
        _check_rules(recipe, stage.at(), cast(Keyed[Filter], stage.components), given)
    if any(fits_named(component) for _, component in stage.components):
        return None
    return after(stage, given)


def after(stage: Stage, given: pa.Schema) -> pa.Schema:
    """Columns that the stage's components give for rows of schema `given`."""
    if stage.verb.clusters:
        added = [pa.field(key, column(method)) for key, method in cast(Methods, stage.components)]
        fields = [field for field in given if field.name not in {"drop_reason", *(field.name for field in added)}]
        return pa.schema([*fields, *added, given.field("drop_reason")])
    return mapped(stage.verb, stage.components, empty_batch(given)).schema


def written(stage: Stage, given: pa.Schema, whole: pa.Schema, *, last: bool) -> pa.Schema:
    """Columns of the stage's own files: all that its rows have (`whole`) where it is the last, else those that it adds
    to `given`, what tells the documents apart, and their text: of all rows where it edits text, else of dropped ones.
    """
    if last:
        return whole
    own = {*IDS, "text", "drop_reason", *(key for key, _ in stage.components)}
    fields = [field for field in whole if field.name in own or field.name not in given.names]
    text = whole.field("text") if stage.verb.edits else TEXT_OF_DROPPED
    return pa.schema([text if field.name == "text" else field for field in fields])


def _common(recipe: Recipe, stage: Stage, one: Node, two: Node, given: pa.Schema, other: pa.Schema | None) -> pa.Schema:
    """Columns that both chains have with the same type: what a joined stage keeps. Text and head are always there."""
    fields = [field for field in given if other is not None and field in list(other)]
    if not fields:
        raise recipe.document.error(stage.path, f"{one.name} and {two.name} have no column in common")
    return pa.schema(fields)


def _check_judge(recipe: Recipe, extract: Stage) -> None:
    """What a filter stage is checked for, of the rule sets that a cascade holds, and the files that they load."""
    for name, extractor in cast(Keyed[Extractor], extract.components):
        names, judge = list(DOCUMENT.names), judging(extractor)
        for key, rule_set in judge:
            at = extract.at(name, "judge", key)
            _check_reads(recipe, at, rule_set, names)
            check_languages(recipe.document, at, rule_set, [own for _, own in judge if isinstance(own, Language)])
            names.append(key)
            if isinstance(rule_set, UsesAssets):
                find_assets(recipe, at, rule_set)
        _check_rules(recipe, extract.at(name, "judge"), judge, DOCUMENT)


def _check_reads(recipe: Recipe, at: Path, component: Component, names: Sequence[str]) -> None:
    for name in component.reads if isinstance(component, ReadsColumns) else ():
        if name not in names:
            hint = _maker(at, name) or nearest(name, names)
            raise recipe.document.error(at, f"reads column {name!r}, which no stage before makes{hint}")


def _maker(at: Path, column: str) -> str:
    """How to get a column that is called by the key of a component; "" where none is."""
    verbs = [verb for verb in VERBS.values() if verb.columns and column in catalog.known(verb)]
    if at[-2] == "judge" and FILTER in verbs:
        return f"; put `{column}: {{…}}` before it in `judge`"
    return f'; put a stage "- {verbs[0]}: {{{column}: …}}" before it' if verbs else ""


def _check_rules(recipe: Recipe, path: Path, filters: Keyed[Filter], given: pa.Schema) -> None:
    error = recipe.document.error
    for key, rule_set in filters:
        at = (*path, key)
        measured = rule_set.measure(empty_batch(given))
        if not rule_set.rules():
            raise error(at, "has no limit set, so it can never drop a document; set one or remove it")
        for rule in rule_set.rules():
            if rule.signal not in measured:
                raise error(at, f"a rule bounds {rule.signal!r}, which is not measured")
            if not rule.can_fire():
                raise error(at, f"the limit on {rule.signal} can never drop a document; set it or remove it")
        mistake = impossible(rule_set)
        if mistake is not None:
            raise error((*at, *mistake[0]), mistake[1])
