"""The plan: a recipe's stages in order and the stages that each reads, checked before any work."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

import pyarrow as pa

from curation.core.component import each, only, struct_type
from curation.core.dedup_methods import DedupMethod
from curation.core.document import with_text_hash
from curation.core.filter import Filter
from curation.core.fits import LearnsPages
from curation.core.protocols import Extractor, Source
from curation.core.verbs import EXTRACT, READ
from curation.engine.recipe import checks, dedup_checks
from curation.engine.recipe.assets import fits_named
from curation.engine.recipe.bound_checks import check_bounds, measured_before
from curation.engine.recipe.columns import Columns, check_split, columns_after
from curation.engine.recipe.fit_checks import check_plan, nodes_read
from curation.engine.recipe.libraries import check_libraries
from curation.engine.recipe.mix_checks import check_mix
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import JOINED, Recipe, Stage
from curation.engine.recipe.schemas import after

RAW_CONTENTS = {"html": ("pages", "resiliparse"), "pdf": ("PDF files", "pdfium")}  # by media; an extractor of each


def build_plan(recipe: Recipe) -> list[Node]:
    """All nodes in order of execution. Raises RecipeError for what cannot work, with file, line and reason."""
    checks.check_inputs(recipe)
    check_libraries(recipe)
    planner = _Planner(recipe)
    several = len(recipe.sources) > 1
    ends = [planner.add_chain(name, chain, f"{name}-" if several else "") for name, chain in recipe.sources.items()]
    if several and not recipe.joined:
        raise recipe.document.error(("joined",), "several sources need a `joined` chain, if only for pack and mix")
    planner.add_stages(recipe.joined, JOINED, tuple(ends), "")
    read = {index for node in planner.nodes if node.verb.documents for index in node.upstream}
    return [replace(node, last=node.verb.documents and node.index not in read) for node in planner.nodes]


def of_pages(stage: Stage) -> bool:
    """Whether a stage is a fit that learns from pages."""
    return stage.verb.learns and isinstance(stage.components[0][1], LearnsPages)


class _Planner:
    """The plan as far as it is made: each stage is checked against the nodes before it, then becomes a node."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.nodes = list[Node]()
        self.error = recipe.document.error

    def add_chain(self, source: str, chain: Sequence[Stage], prefix: str) -> int:
        """Appends a source's nodes, the prefix before their names; returns the index of the last one with rows."""
        if not chain or chain[0].verb is not READ:
            raise self.error(("sources", source), "a source begins with `- read: {…}`")
        fits = list(takewhile(of_pages, chain[1:]))
        later = chain[1 + len(fits) :]
        extract = later[0] if later and later[0].verb is EXTRACT else None
        self._check_first(chain[0], extract)
        for stage in fits:
            self._add_page_fit(stage, chain[0], source, prefix)
        if extract:
            checks.check_assets(self.recipe, self.nodes, extract)
        index = len(self.nodes)
        self.nodes.append(self._first_node(source, prefix, chain[0], extract))
        return self.add_stages(later[1:] if extract else later, source, (index,), prefix)

    def _add_page_fit(self, stage: Stage, read: Stage, source: str, prefix: str) -> None:
        reader = read.sole(Source)
        if reader.yields != "html" or reader.media != "html":
            yielded = "text" if reader.yields == "text" else RAW_CONTENTS[reader.media][0]
            raise self.error(stage.path, f"this fit learns from pages, and the source yields {yielded}")
        checks.check_beside(self.recipe, stage)
        checks.check_assets(self.recipe, self.nodes, stage)
        name = self._new_name(stage, prefix)
        self.nodes.append(Node(len(self.nodes), source, name, stage.verb, stage, (), pages_of=read))

    def _new_name(self, stage: Stage, prefix: str) -> str:
        """The stage's name, which no other has."""
        name = stage.options.name or (stage.components[0][0] if stage.verb.learns else stage.name)
        if any(node.name == prefix + name for node in self.nodes):
            raise self.error(stage.path, f"two stages are called {name!r}; give this one a `name:`")
        return prefix + name

    def _check_first(self, read: Stage, extract: Stage | None) -> None:
        key, reader = only(Source, read.components)
        if extract is None:
            if reader.yields == "html":
                contents, extractor = RAW_CONTENTS[reader.media]
                needed = f"the next stage must be `- extract: {{{extractor}: {{}}}}` or another"
                raise self.error(read.path, f"{key} yields {contents}: {needed}")
            return
        if reader.yields == "text":
            raise self.error(extract.path, f"{key} yields text already: remove this extract stage")
        if reader.media != extract.sole(Extractor).media:
            contents, extractor = RAW_CONTENTS[reader.media]
            raise self.error(extract.path, f"{key} yields {contents} here: take `extract: {{{extractor}: {{}}}}`")
        if read.options != type(read.options)():
            beside = "put name, expect_kept and max_errors beside extract"
            raise self.error(read.path, f"read and extract make one stage: {beside}")
        checks.check_judge(self.recipe, extract)

    def _first_node(self, source: str, prefix: str, read: Stage, extract: Stage | None) -> Node:
        options = (extract or read).options
        schema = extract.sole(Extractor).schema() if extract else read.sole(Source).schema()
        name = prefix + (options.name or ("extract" if extract else "read"))
        stage = replace(read, options=options)
        return Node(len(self.nodes), source, name, READ, stage, (), extract, with_text_hash(schema))

    def add_stages(self, stages: Sequence[Stage], chain: str, upstream: tuple[int, ...], prefix: str) -> int:
        """Appends nodes after those of `upstream`; returns the index of the last one with rows or token shards."""
        for stage in stages:
            if stage.verb.begins:
                raise self.error(stage.path, f"{stage.verb} stands only at the beginning of a source")
            checks.check_order(self.recipe, stage, [self.nodes[i].verb for i in upstream])
            checks.check_beside(self.recipe, stage)
            checks.check_source_names(self.recipe, stage, chain)
            schema = self._schema(stage, upstream)
            if of_pages(stage):
                raise self.error(stage.path, "this fit learns from pages: put it between a source's read and extract")
            name = self._new_name(stage, prefix)
            examples = nodes_read(self.recipe, self.nodes, stage, chain, upstream)
            read = upstream if examples is None else tuple(index for several in examples.values() for index in several)
            place = (len(self.nodes), chain, name, stage.verb, stage)
            self.nodes.append(Node(*place, read, None, schema, examples=examples or {}))
            if not stage.verb.learns:
                upstream = (len(self.nodes) - 1,)
        return upstream[0]

    def _schema(self, stage: Stage, upstream: tuple[int, ...]) -> pa.Schema | None:
        """Columns after the stage; checks what its options name. None where it has no rows, or a file decides that is
        still to be fitted."""
        recipe = self.recipe
        verb = stage.verb
        if verb.clusters:
            dedup_checks.check_options(recipe, stage)
        if verb.learns:
            check_plan(recipe.document, self.nodes, stage, upstream)
        if verb.packs:
            check_split(recipe, self.nodes, stage, upstream)
        if verb.mixes:
            check_mix(recipe, self.nodes, stage, upstream)
        check_bounds(recipe, self.nodes, stage, upstream)
        given = self._common_columns(stage, upstream) if verb.documents else None
        if given is not None:
            columns: Columns = {field.name: field.type for field in given}
        else:
            first, *others = (columns_after(self.nodes, index) for index in upstream)
            columns = {name: kind for name, kind in first.items() if all(name in other for other in others)}
        self._check_columns(stage, upstream, columns)
        languages = checks.language_rules(self.nodes, upstream)
        for key, component in stage.components if verb.documents else ():
            checks.check_reads(recipe, stage.at(key), component, list(columns), self.nodes, upstream)
            checks.check_by_source(recipe, stage.at(key), component, self.nodes, upstream)
            if given is not None:
                checks.check_languages(recipe, stage.at(key), component, languages)
                checks.check_types(recipe, stage.at(key), component, given)
        checks.check_assets(recipe, self.nodes, stage)
        if given is None:
            return None
        if verb.clusters:
            dedup_checks.check_columns(recipe, stage, given)
        if verb.judges:
            later = [bound.key for bound in stage.bounds]
            checks.check_rules(recipe, stage.at(), each(Filter, stage.components), later)
        if any(fits_named(component) for _, component in stage.components):
            return None
        return after(stage.verb, stage.components, given)

    def _check_columns(self, stage: Stage, upstream: tuple[int, ...], given: Columns) -> None:
        """Raises RecipeError for a component whose column is there already. A later dedup replaces its own; a rule set
        that only limits what was measured takes it as it is."""
        methods = each(DedupMethod, stage.components) if stage.verb.clusters else ()
        columns = {key: struct_type(method.signal_types()) for key, method in methods}
        for key, _ in stage.components if stage.verb.columns else ():
            replaces = key in columns and given.get(key) in (None, columns[key])
            if key in given and not replaces and not measured_before(self.nodes, upstream, stage, key):
                raise self.error(stage.at(key), "already ran in this chain; its column exists")

    def _common_columns(self, stage: Stage, upstream: tuple[int, ...]) -> pa.Schema | None:
        """Columns that all of `upstream` have with the same type: what a joined stage keeps."""
        first, *others = (self.nodes[i] for i in upstream)
        if first.schema is None:
            return None
        fields = list(first.schema)
        for other in others:
            if other.schema != first.schema:
                fields = [field for field in fields if field in list(other.schema or ())]
                if not fields:
                    raise self.error(stage.path, f"{first.name} and {other.name} have no column in common")
        return pa.schema(fields)
