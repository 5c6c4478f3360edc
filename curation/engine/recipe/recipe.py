"""A recipe: what a run does, as YAML on disk and as frozen dataclasses in code.

    version: 1
    name: demo
    sources:
      web:
        - read: {warc: {paths: ["crawl/*.warc.gz"]}}
        - extract: {resiliparse: {}}
        - filter: {gopher_quality: {min_words: 30}}
          expect_kept: [0.1, 0.9]
    joined:
      - dedup: {exact: {}}
      - fit: {tokenizer: {vocab_size: 16384}}
      - tokenize: {tokenizer: "@tokenizer"}

Each list item is one stage: a verb, then its components by key with their options. `name`, `expect_kept` and
`max_errors` may stand beside the verb, beside `dedup` also what `DedupOptions` lists. A filter stage may
hold several rule sets: all measure every row that the stage reads.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from curation.core import catalog
from curation.core.close_names import nearest
from curation.core.component import Component, Components
from curation.core.credentials import masked, masked_values
from curation.core.errors import UserError
from curation.core.settings import Path, YamlFile, build, load_yaml
from curation.core.storage_options import NO_OPTIONS, StorageOptions
from curation.core.verbs import DEDUP, FILTER, READ, VERBS, Verb
from curation.engine.recipe.bounds import Bound, without_bounds
from curation.engine.recipe.kits import with_kits
from curation.engine.recipe.named_files import at_line
from curation.engine.recipe.options import DedupOptions, StageOptions

T = TypeVar("T")
VERSION = 1
JOINED = "joined"
OPTIONS = {DEDUP: DedupOptions}  # of verbs that take more beside them than StageOptions


@dataclass(frozen=True, kw_only=True)
class Shards:
    """How inputs become shards; part of every stage's address."""

    group_mb: Annotated[int, "MiB of input up to which small files are grouped; 0: never"] = 16
    split_mb: Annotated[
        int, "MiB of input that a splittable file's range has, and of text at which an output file is full"
    ] = 256

    def __post_init__(self) -> None:
        if self.group_mb < 0 or self.split_mb < 1:
            raise ValueError(f"give group_mb >= 0 and split_mb >= 1, got {self.group_mb} and {self.split_mb}")


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """What happens to texts once a stage has redacted them; `until_sealed` takes them out of the stages before it."""

    originals: Annotated[
        Literal["keep", "until_sealed"], "until_sealed: texts as they were leave the stages before the one that redacts"
    ] = "keep"


@dataclass(frozen=True)
class Stage:
    """One recipe item, with its components in order."""

    verb: Verb
    components: Components
    options: StageOptions
    path: Path  # where it stands in the recipe, for error messages
    bounds: tuple[Bound, ...] = ()  # limits of its rule sets that are quantiles; until they are known, their defaults

    def sole(self, kind: type[T]) -> T:
        """The stage's only component, which is of this class."""
        ((_, component),) = self.components
        assert isinstance(component, kind), f"{self.verb} holds a {kind.__name__}"
        return component

    def at(self, *within: str | int) -> Path:
        """The path of something below the stage's verb, for error messages."""
        return (*self.path, self.verb.name, *within)

    @property
    def dedup(self) -> DedupOptions:
        """The options of a dedup stage."""
        assert isinstance(self.options, DedupOptions), f"{self.verb} is no dedup stage"
        return self.options

    @property
    def name(self) -> str:
        keys = "-".join(key for key, _ in self.components) if self.verb.named_by_keys else self.verb.name
        return self.options.name or keys[:60]


@dataclass(frozen=True)
class Recipe:
    """One chain of stages per source, then the stages that join them."""

    name: str
    shards: Shards
    sources: dict[str, tuple[Stage, ...]]
    joined: tuple[Stage, ...]
    document: YamlFile = field(compare=False, repr=False)
    storage: StorageOptions = NO_OPTIONS
    privacy: Privacy = Privacy()
    removed: str = ""  # path of the list of documents that stay out

    def resolved(self) -> dict[str, Any]:
        """The recipe with every default written out, as plain JSON values, the credentials of URIs masked."""
        chains = {name: [_plain(stage) for stage in chain] for name, chain in self.sources.items()}
        return {
            "version": VERSION,
            "name": self.name,
            "shards": dataclasses.asdict(self.shards),
            "sources": chains,
            JOINED: [_plain(stage) for stage in self.joined],
            **({"privacy": dataclasses.asdict(self.privacy)} if self.privacy != Privacy() else {}),
            **({"removed": masked(self.removed)} if self.removed else {}),
            **({"storage": masked_values(stores)} if (stores := _given(self.storage)) else {}),
        }


@dataclass(frozen=True, kw_only=True)
class TopLevel:
    """What may stand at the top level."""

    version: Annotated[int, "version of the recipe format"]
    sources: Annotated[dict[str, Any], "source name -> its stages in order, the first of which reads"]
    name: Annotated[str, "name of the run; default: the file's name"] = ""
    shards: Annotated[Shards, "how inputs become units of work"] = Shards()
    joined: Annotated[tuple[Any, ...], "stages that all sources share, after their own"] = ()
    storage: Annotated[StorageOptions, "how object stores are reached"] = NO_OPTIONS
    privacy: Annotated[Privacy, "what happens to texts once a stage has redacted them"] = Privacy()
    removed: Annotated[str, "file of URLs and doc_ids, one a line, of pages and documents that stay out"] = ""


def parse(text: str, name: str, inputs: Sequence[str] = ()) -> Recipe:
    """The recipe in `text`; `name` is the file's, for messages. `inputs` replace the paths of sources: each is PATH for
    the only source or SOURCE=PATH. Raises RecipeError with file, line and what to do."""
    return from_document(load_yaml(text, name), inputs)


def from_document(document: YamlFile, inputs: Sequence[str] = ()) -> Recipe:
    """The recipe in values that are parsed already, or that come from Python."""
    if document.data.get("version") != VERSION:
        version = document.data.get("version")
        raise document.error(("version",), f"this winnow reads recipes of `version: {VERSION}`, got {version!r}")
    if "buckets" in document.data:
        raise document.error(("buckets",), "`buckets` is gone: every exchange derives its own; remove this line")
    top = build(TopLevel, document)
    if not top.sources:
        raise document.error(("sources",), "at least one source must be given")
    if top.name.startswith(".") or not top.name.isprintable() or "/" in top.name:
        raise document.error(("name",), f"{top.name!r} becomes part of a folder: no / in it, and no dot before it")
    for key in top.sources:
        if not key.replace("-", "_").isidentifier():
            raise document.error(("sources", key), "a source's name becomes part of folders: letters, digits, - and _")
    paths = _input_paths(document, list(top.sources), inputs)
    sources = {key: _chain(document, ("sources", key), chain, paths.get(key)) for key, chain in top.sources.items()}
    joined = _chain(document, (JOINED,), list(top.joined), None)
    stem = document.name.rpartition("/")[2].rpartition(".")[0]
    return Recipe(top.name or stem, top.shards, sources, joined, document, top.storage, top.privacy, top.removed)


def _input_paths(document: YamlFile, sources: list[str], inputs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for entry in inputs:
        key, mark, path = entry.partition("=")
        if not mark or key not in sources:
            if len(sources) > 1:
                known = ", ".join(sources)
                raise UserError(f"{entry}: {document.name} has several sources; say SOURCE=PATH with one of {known}")
            key = sources[0]
            path = entry
        paths[key] = (*paths.get(key, ()), path)
    return paths


def _chain(document: YamlFile, path: Path, items: Any, paths: tuple[str, ...] | None) -> tuple[Stage, ...]:
    if not isinstance(items, list):
        raise document.error(path, "expected a list of stages, each `- verb: {key: {options}}`")
    return tuple(_stage(document, (*path, i), item, paths) for i, item in enumerate(items))


def _stage(document: YamlFile, path: Path, item: Any, paths: tuple[str, ...] | None) -> Stage:
    verbs = [key for key in item if key in VERBS] if isinstance(item, dict) else []
    if len(verbs) != 1:
        known = {field.name for field in dataclasses.fields(DedupOptions)} | set(VERBS)
        unknown = [key for key in item if key not in known] if isinstance(item, dict) else []
        hint = f"; {unknown[0]!r} is not known{nearest(str(unknown[0]), known)}" if unknown else ""
        raise document.error(path, f"a stage has exactly one of the verbs {', '.join(VERBS)}{hint}")
    verb = VERBS[verbs[0]]
    beside = {key: value for key, value in item.items() if key != verb.name}
    options: StageOptions = build(OPTIONS.get(verb, StageOptions), document, path, beside)
    at = (*path, verb.name)
    if verb.only:
        return Stage(verb, ((verb.only, build(catalog.find(verb, verb.only), document, at)),), options, path)
    value, bounds = without_bounds(document, at, item[verb.name]) if verb is FILTER else (item[verb.name], ())
    return Stage(verb, _components(document, at, verb, value, paths), options, path, bounds)


def _components(
    document: YamlFile,
    path: Path,
    verb: Verb,
    value: object,
    paths: tuple[str, ...] | None = None,
    *,
    several: bool = False,
) -> Components:
    by_key = {value: {}} if isinstance(value, str) else value
    if not isinstance(by_key, dict) or not by_key:
        raise document.error(path, f"expected `{verb}: {{key: {{options}}}}`; keys: {', '.join(catalog.known(verb))}")
    if not (verb.several or several) and len(by_key) != 1:
        raise document.error(path, f"{verb} takes one component, got {', '.join(by_key)}")
    if verb is READ and paths is not None:
        by_key = {
            key: {**(options or {}), "paths": list(paths)} if isinstance(options, dict | None) else options
            for key, options in by_key.items()
        }
    return tuple((str(key), component_of(document, (*path, key), verb, options)) for key, options in by_key.items())


def component_of(document: YamlFile, path: Path, verb: Verb, options: Any) -> Component:
    """The component whose key `path` ends in, from its options; options that hold components themselves are read like
    stages of their verb, and an empty one is not given. Raises RecipeError for an unknown key and as `build` does."""
    with at_line(document, path):
        kind: type[Component] = catalog.find(verb, str(path[-1]))
    own_names = {field.name for field in dataclasses.fields(kind)}
    for name in options if isinstance(options, dict) else ():
        if name not in own_names and name in {
            field.name for field in dataclasses.fields(OPTIONS.get(verb, StageOptions))
        }:
            raise document.error((*path, name), f"{name} is an option of the stage: write it beside `{verb}:`")
    by_name = options if isinstance(options, dict) and kind.holds else {}
    held = {
        name: dict(_components(document, (*path, name), of, by_name[name], several=name in kind.holds_several))
        for name, of in kind.holds.items()
        if by_name.get(name)
    }
    own = {name: value for name, value in by_name.items() if name not in kind.holds} if by_name else options
    return build(kind, document, path, with_kits(document, path, kind, own), held)


def _plain(stage: Stage) -> dict[str, object]:
    components: dict[str, Any] = {key: dataclasses.asdict(component) for key, component in stage.components}
    for bound in stage.bounds:
        components[bound.key][bound.option] = bound.text
    if stage.verb.only:
        components = components[stage.verb.only]
    values = {stage.verb.name: components, **dataclasses.asdict(stage.options)}
    return {name: masked_values(value) for name, value in values.items()}


def _given(options: StorageOptions) -> dict[str, object]:
    """The section without what it leaves out; secrets by where they are."""
    stores = dataclasses.asdict(options).items()
    options_set = {scheme: {k: v for k, v in (section or {}).items() if v} for scheme, section in stores}
    return {scheme: section for scheme, section in options_set.items() if section}
