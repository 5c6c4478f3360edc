"""What can be refused of a recipe's stages before any work, with file and line: the order of stages, names of columns,
languages and files that are not there, and limits that can never drop a document."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from curation.core import catalog
from curation.core.by_language import LANGUAGE
from curation.core.close_names import nearest
from curation.core.component import Component, Keyed, each
from curation.core.document import DOCUMENT
from curation.core.filter import Filter, impossible
from curation.core.languages import meant
from curation.core.protocols import Extractor, Source
from curation.core.settings import Path, YamlFile
from curation.core.verbs import FILTER, READ, VERBS, Verb
from curation.engine.recipe.assets import fits_named
from curation.engine.recipe.columns import lack, sources_before, sources_without
from curation.engine.recipe.named_files import at_named
from curation.engine.recipe.node import Node
from curation.engine.recipe.options import StageOptions
from curation.engine.recipe.recipe import JOINED, Recipe, Stage
from curation.filters.language import Language
from curation.tokens.encode import Encode

MAKERS = {"tokenizer": ("tokenizer", "sentencepiece")}  # option -> the fits whose asset it takes, where not its own
BY = ("by_language", "model", "models", "reference", "term_lists")  # options that may be mappings by language


def check_inputs(recipe: Recipe) -> None:
    """Raises one RecipeError for all sources that name no files, which says how to get some."""
    chains = [(name, chain[0]) for name, chain in recipe.sources.items() if chain and chain[0].verb is READ]
    readers = {name: (read.at(key), reader) for name, read in chains for key, reader in each(Source, read.components)}
    empty = [name for name, (_, reader) in readers.items() if not reader.paths]
    if not empty:
        return
    at, reader = readers[empty[0]]
    crawled = (reader.yields, reader.media) == ("html", "html")
    files = "'crawl/*.warc.gz'" if crawled else "'data/*'"
    given = " ".join(f"--input {name}={files}" if len(recipe.sources) > 1 else f"--input {files}" for name in empty)
    hint = "; no archives yet? `wget --mirror --warc-file=crawl URL` makes crawl.warc.gz of a site"
    hint += ", and in a clone of winnow `make curate` crawls one for demonstration"
    message = f"no paths: give them here or with {given}{hint if crawled else ''}"
    raise recipe.document.error(at, message)


def check_order(recipe: Recipe, stage: Stage, before: Sequence[Verb]) -> None:
    """Raises RecipeError where the stage cannot follow stages of the verbs `before`."""
    error = recipe.document.error
    if stage.verb.mixes and not all(verb.packs for verb in before):
        raise error(stage.path, "mix reads packed rows: put it right after pack")
    if stage.verb.packs and not all(verb.encodes for verb in before):
        raise error(stage.path, "pack reads tokens: put it right after tokenize")
    if not stage.verb.mixes and not all(verb.documents for verb in before):
        raise error(stage.path, f"{stage.verb} reads documents, which end with pack")
    if stage.verb.judges and all(verb.encodes for verb in before):
        raise error(stage.path, "filter before tokenize: nothing may be dropped between tokenize and pack")


def check_beside(recipe: Recipe, stage: Stage) -> None:
    """Raises RecipeError for an option beside a verb that has no effect on its stages."""
    inputs = () if stage.verb.begins else ("max_failed_inputs", "max_failed_rows")
    without = dict.fromkeys(inputs, "the stage reads no input files")
    if not stage.verb.documents:
        without |= dict.fromkeys(("expect_kept", "max_errors"), f"{stage.verb} drops no documents")
    if not (stage.verb.begins or stage.verb.judges or stage.verb.edits or stage.verb.encodes):
        without |= dict.fromkeys(("document_seconds", "document_memory_mb"), f"{stage.verb} works on many at once")
    for name, reason in without.items():
        if getattr(stage.options, name) != getattr(StageOptions, name):
            raise recipe.document.error((*stage.path, name), f"it has no effect, as {reason}; leave it out")


def check_source_names(recipe: Recipe, stage: Stage, chain: str) -> None:
    """Raises RecipeError for an option by source that names none of the chain's, and for a share that no source has."""
    sources = tuple(recipe.sources) if chain == JOINED else (chain,)
    for _, component in stage.components:
        if not isinstance(component, Encode):
            continue
        for name in component.validation_by_source:
            if name not in sources:
                hint = " in this chain" if name in recipe.sources else nearest(name, sources)
                raise recipe.document.error(stage.at("validation_by_source", name), f"no source {name!r}{hint}")
        if component.validation != Encode.validation and set(sources) <= set(component.validation_by_source):
            message = "it has no effect, as validation_by_source has a share for every source; leave it out"
            raise recipe.document.error(stage.at("validation"), message)


def check_assets(recipe: Recipe, nodes: Sequence[Node], stage: Stage) -> None:
    """Raises RecipeError, with file and line, for an option `@name` that no fit stage makes, and for a missing file
    or key."""
    fits = {node.name: node for node in nodes if node.verb.learns}
    for key, component in stage.components:
        named = fits_named(component)
        for path, name in named.items():
            at = stage.at(*path)
            option = path[0]
            fit = component.fitted_by.get(option, option)
            if name not in fits:
                hint = nearest(name, fits) or f"; put `- fit: {{{fit}: {{}}}}` before this stage"
                raise recipe.document.error(at, f"no fit stage before named {name!r}{hint}")
            maker = fits[name].components[0][0]
            makers = MAKERS.get(fit, (fit,))
            if maker not in makers:
                takes = " or ".join(f"`fit: {fit_key}`" for fit_key in makers)
                raise recipe.document.error(at, f"@{name} makes a {maker}; {option} takes what {takes} makes")
        if not vars(component).get("tokenizer", True):
            message = f"{key} needs a tokenizer: a path, or @ and the name of a fit stage"
            raise recipe.document.error(stage.path, message)
        with at_named(recipe.document, stage.at(*(() if stage.verb.only else (key,))), ValueError):
            component.check_key()
            if not named:
                component.assets()


def language_rules(nodes: Sequence[Node], upstream: Sequence[int]) -> list[Language]:
    """The rule sets in or before the stages `upstream` that tell each document's language."""
    own = [component for i in upstream for _, component in nodes[i].components if isinstance(component, Language)]
    return own + [rules for i in upstream for rules in language_rules(nodes, nodes[i].upstream)]


def check_languages(recipe: Recipe, at: Path, component: Component, languages: Sequence[Language]) -> None:
    """Raises RecipeError for an option of the component for a language of which `languages` keep no document."""
    if LANGUAGE not in component.reads or not languages:
        return
    kept = sorted({label for rules in languages for label in rules.kept()})
    for option, value in vars(component).items():
        named = isinstance(stated(recipe.document, (*at, option)), Mapping)  # kits may have any language
        for label in value if option in BY and isinstance(value, Mapping) and named else ():
            if label not in kept:
                reason = f"the language stage finds no such language{meant(label, kept)}"
                if any(label in rules.known() for rules in languages):
                    reason = f"the language stage keeps no document in it, only {', '.join(kept)}; remove it"
                raise recipe.document.error((*at, option, label), reason)


def stated(document: YamlFile, path: Path) -> Any:
    """The value at a place in the recipe; None if it states none."""
    value = document.data
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def check_judge(recipe: Recipe, extract: Stage) -> None:
    """Checks the rule sets that a cascade holds as those of a filter stage, and the files that they load."""
    for name, extractor in each(Extractor, extract.components):
        names = list(DOCUMENT.names)
        judge = extractor.judging()
        for key, rule_set in judge:
            at = extract.at(name, "judge", key)
            check_reads(recipe, at, rule_set, names)
            check_languages(recipe, at, rule_set, [rules for _, rules in judge if isinstance(rules, Language)])
            names.append(key)
            with at_named(recipe.document, at, ValueError):
                rule_set.assets()
            if not rule_set.rules():
                raise recipe.document.error(at, "has no limit set, so every page goes on; set one or remove it")
        check_rules(recipe, extract.at(name, "judge"), judge)


def check_reads(
    recipe: Recipe,
    at: Path,
    component: Component,
    names: Sequence[str],
    nodes: Sequence[Node] = (),
    upstream: Sequence[int] = (),
) -> None:
    """Raises RecipeError for a column that the component reads and that is not among `names`; of the sources before the
    stages `upstream`, it names those that lack it."""
    for name in component.reads:
        if name not in names:
            lacking = lack(nodes, upstream, name)
            hint = _maker(at, name, "there too" if lacking else "before it") or nearest(name, names)
            option = _stand_in(component, name, sources_without(nodes, upstream, name)) if lacking else ""
            if not option and hint and name in vars(component):
                option = f", or set its option `{name}`"
            raise recipe.document.error(
                at, f"reads column {name!r}, {lacking or 'which no stage before makes'}{hint}{option}"
            )


def check_by_source(
    recipe: Recipe, at: Path, component: Component, nodes: Sequence[Node], upstream: Sequence[int]
) -> None:
    """Raises RecipeError where an option by source, which stands in for a column, names none of the sources before the
    stages `upstream`, or not each that lacks the column."""
    for column, option in component.by_source.items():
        given = vars(component)[option]
        if not isinstance(given, Mapping):
            continue
        sources = sources_before(nodes, upstream)
        for name in given:
            if name not in sources:
                raise recipe.document.error((*at, option, name), f"no source {name!r} here{nearest(name, sources)}")
        missing = [name for name in sources_without(nodes, upstream, column) if name not in given]
        if given and missing:
            message = f"column {column!r} is not there for {', '.join(missing)}; add `{missing[0]}: …`"
            raise recipe.document.error((*at, option), message)


def _stand_in(component: Component, column: str, sources: Sequence[str]) -> str:
    """Says which option by source would stand in for the column; "" where none does."""
    if column not in component.by_source:
        return ""
    return f", or give it `{component.by_source[column]}: {{{', '.join(f'{source}: …' for source in sources)}}}`"


def _maker(at: Path, column: str, place: str) -> str:
    """Says which stage would make the column, and its place; "" where it is no component's key."""
    verbs = [verb for verb in VERBS.values() if verb.columns and column in catalog.known(verb)]
    if at[-2] == "judge" and FILTER in verbs:
        return f"; put `{column}: {{…}}` before it in `judge`"
    return f'; put a stage "- {verbs[0]}: {{{column}: …}}" {place}' if verbs else ""


def check_types(recipe: Recipe, at: Path, component: Component, given: pa.Schema) -> None:
    """Raises RecipeError where a column of `given` that the component reads is of no use to it."""
    with at_named(recipe.document, at, ValueError):
        component.check_columns({name: given.field(name).type for name in component.reads})


def check_rules(recipe: Recipe, path: Path, filters: Keyed[Filter], later: Sequence[str] = ()) -> None:
    """Raises RecipeError for a rule that can never drop a document, or bounds what is not measured. Of the rule sets
    `later` some limits are not known yet; one without any only measures."""
    error = recipe.document.error
    for key, rule_set in filters:
        at = (*path, key)
        measured = rule_set.signal_types()
        for rule in rule_set.rules():
            if rule.signal not in measured:
                raise error(at, f"a rule bounds {rule.signal!r}, which is not measured")
            if not rule.can_fire() and key not in later:
                raise error(at, f"the limit on {rule.signal} can never drop a document; set it or remove it")
        mistake = impossible(rule_set)
        if mistake is not None:
            raise error((*at, *mistake[0]), mistake[1])
