"""A stage's address: the hash of everything that decides its bytes, and of nothing else.

In it: format version, verb, resolved config, `version` of each component and of the libraries that it states, content
of its assets, listing of its input files, how shards are cut, addresses upstream, whether it ends its chain. Not in it:
winnow's own version, numbers of buckets, the cluster, guards, credentials in URIs, where the run lies.
"""

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from curation.core import catalog, storage
from curation.core.component import each, only
from curation.core.credentials import masked
from curation.core.dedup_methods import DedupMethod, Methods
from curation.core.errors import InputError
from curation.core.fits import Fit
from curation.core.input_files import InputFile, list_files
from curation.core.json_files import find_whole
from curation.core.manifest import ANEW, MANIFEST
from curation.core.protocols import Piece, Source
from curation.core.verbs import READ
from curation.engine.recipe.assets import address_config, files_beside, hashes, substitute, unfolded
from curation.engine.recipe.bounds import bounded
from curation.engine.recipe.earlier_runs import find_earlier
from curation.engine.recipe.libraries import versions_of
from curation.engine.recipe.mix_checks import mix_parts
from curation.engine.recipe.named_files import at_named, at_named_only
from curation.engine.recipe.node import Node
from curation.engine.recipe.originals import UNTIL_SEALED
from curation.engine.recipe.recipe import Recipe
from curation.engine.recipe.taken_keys import find_taken_keys
from curation.models.redaction.beside import redacting
from curation.tokens.mix import Mix

Unit = tuple[Piece, ...]
ADDRESS_FORMAT = 6  # raised when stages of one description hold other data, so that they are made again


@dataclass(frozen=True)
class Address:
    """`digest`: SHA-256 (hex) of `parts` as canonical JSON. `units` and `input_bytes`: of a stage that reads inputs.
    `examples`: files by label of a fit that reads some, or indexes them."""

    digest: str
    parts: dict[str, object]
    units: tuple[Unit, ...] = ()
    input_bytes: int | None = None
    examples: Mapping[str, list[InputFile]] = field(default_factory=dict)


def address_of(
    node: Node,
    recipe: Recipe,
    upstream: Mapping[int, Address],
    fitted: dict[str, str],
    removed_in: Sequence[str] = (),
) -> Address:
    """The node's address; options `@name` become `fitted` assets, or numbers in them, first. `removed_in`: other runs
    whose takedowns hold here. Raises InputError for missing files, with file and line where the recipe names them."""
    components = bounded(node.components, node.stage.bounds, fitted)
    resolved = unfolded(tuple((key, substitute(component, fitted).resolved()) for key, component in components))
    config = address_config(resolved)
    parts: dict[str, object] = {
        "format": ADDRESS_FORMAT,
        "verb": node.verb.name,
        "order": [key for key, _ in resolved],  # of several rule sets: the first that fails gives the reason
        "config": config,
        "versions": {key: component.version for key, component in resolved},
        "assets": hashes(resolved),
        "upstream": [upstream[i].digest for i in node.upstream],
    }
    if node.verb.maps_rows:
        parts["last"] = node.last  # which decides the columns of its files
    if recipe.privacy.originals == UNTIL_SEALED and redacting(resolved):
        parts["originals"] = recipe.privacy.originals  # later stages then find no titles in earlier ones
    beside = files_beside(node.components, fitted)
    parts |= {"fitted": beside} if beside else {}
    libraries = {key: versions for key, component in resolved if (versions := versions_of(component))}
    parts |= {"libraries": libraries} if libraries else {}
    packages = {key: package for key, _ in resolved if (package := catalog.package_of(key.rpartition(".")[2]))}
    parts |= {"packages": packages} if packages else {}  # two packages may have components of one key
    units: tuple[Unit, ...] = ()
    input_bytes = None
    if node.verb.begins or node.pages_of:
        files, units = inputs_of(node, recipe)
        input_bytes = sum(file.size for file in files)
        parts |= {"source": node.chain, "input": _listing(files), "files": len(files)}
        parts |= {"shards": dataclasses.asdict(recipe.shards)}
    if node.pages_of:
        (reader,) = node.pages_of.components
        parts["read"] = {**address_config((reader,)), "version": reader[1].version}
    if node.verb.clusters:
        methods = each(DedupMethod, resolved)
        parts |= _dedup_parts(node, recipe, methods)
        taken = [[keys.method, keys.sha256] for keys in find_taken_keys(removed_in, methods)]
        parts |= {"taken": sorted(taken)} if taken else {}
    if node.verb.mixes:
        config["mix"].pop("runs")  # stated below, with their content
        parts |= mix_parts(node.stage.sole(Mix))
    examples = examples_of(node, recipe)
    if examples:
        parts["examples"] = {label: [_listing(files), len(files)] for label, files in examples.items()}
    return Address(_digest(parts), parts, units, input_bytes, examples)


def examples_of(node: Node, recipe: Recipe) -> dict[str, list[InputFile]]:
    """The files of examples that a fit reads, by label, or that it indexes, by name. Raises RecipeError, with file and
    line, for missing files."""
    if not node.verb.learns:
        return {}
    with at_named(recipe.document, node.stage.at(node.components[0][0])):
        return {name: list_inputs(paths) for name, paths in node.stage.sole(Fit).inputs().items()}


def inputs_of(node: Node, recipe: Recipe) -> tuple[list[InputFile], tuple[Unit, ...]]:
    """The files that a first stage reads, and the units that they make. Raises InputError for missing files, with file
    and line where the recipe names them."""
    read = node.pages_of or node.stage
    key, reader = only(Source, read.components[:1])
    shards = recipe.shards
    with at_named_only(recipe.document, (*read.path, READ.name, key)):
        files = list_inputs(reader.paths, reader.list_inputs)
    return files, tuple(reader.split(files, group_bytes=shards.group_mb << 20, split_bytes=shards.split_mb << 20))


def check_inputs(node: Node, recipe: Recipe, units: Sequence[Unit]) -> None:
    """Raises InputError for an input file that cannot be read, with file and line where the recipe names it. Where the
    recipe lets files be passed over, those are counted while the stage runs."""
    key = node.components[0][0]
    reader = node.stage.sole(Source)
    options = node.stage.options
    check = reader.check_fields if options.max_failed_inputs or options.max_failed_rows == 1.0 else reader.check
    with at_named_only(recipe.document, (*node.stage.path, READ.name, key)):
        check(list(dict.fromkeys(piece.path for unit in units for piece in unit)))


def _dedup_parts(node: Node, recipe: Recipe, methods: Methods) -> dict[str, object]:
    """The options beside `dedup:` that decide which documents survive. Raises RecipeError, with file and line, for an
    earlier run that cannot be compared."""
    options = node.stage.dedup
    against = earlier_addresses(node, recipe, methods)
    limits = dataclasses.asdict(options.clusters)
    # The option `prepass` is gone; its place in the address stays, so that sealed stages keep theirs.
    return {"keep": options.keep, "clusters": limits, "against": against, "prepass": None}


def earlier_addresses(node: Node, recipe: Recipe, methods: Methods) -> list[str]:
    """The addresses of the earlier stages that a dedup stage is compared with, by its `methods`. Raises RecipeError,
    with file and line, for one that cannot be compared."""
    with at_named(recipe.document, (*node.stage.path, "against")):
        return [stage.address for path in node.stage.dedup.against for stage in find_earlier(path, methods)]


def list_inputs(patterns: tuple[str, ...], listed: Callable[[str], list[InputFile]] = list_files) -> list[InputFile]:
    """All files that the patterns match, as `listed` finds them, each once, sorted by path without credentials.

    Raises InputError where a pattern matches none, and where two paths differ in credentials only."""
    files = {file.path: file for pattern in patterns for path in _paths(pattern) for file in listed(path)}
    by_name = {masked(path): file for path, file in files.items()}
    if len(by_name) < len(files):
        twice = next(name for name, count in Counter(map(masked, files)).items() if count > 1)
        raise InputError(f"{twice} is given twice, with different credentials; give it once")
    return named(by_name[path] for path in sorted(by_name))


def _paths(pattern: str) -> list[str]:
    """The pattern itself, or the files of a crawl that it names."""
    if not pattern.startswith("commoncrawl:") or "://" in pattern:
        return [pattern]
    from curation.sources.commoncrawl.crawl_files import crawl_uris  # slow to import and not often needed

    return crawl_uris(pattern)


def named(files: Iterable[InputFile]) -> list[InputFile]:
    """The files, each with its name: as few last parts of its path as tell it from all others."""
    with_ends = [(file, _ends(masked(file.path))) for file in files]
    alike = Counter(end for _, own in with_ends for end in own)
    return [
        dataclasses.replace(file, name=next((end for end in own if alike[end] == 1), own[-1]))
        for file, own in with_ends
    ]


def _ends(path: str) -> list[str]:
    """The last part of a path, its last two, …"""
    parts = path.split("/")
    return ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]


class StageAddress(TypedDict):
    """The field of a stage's manifest that identifies the stage."""

    address: str


def locate(output: str, node: Node, address: Address) -> str:
    """The stage's folder `NN-name-<hash8>`: the one that ends in its hash, if there is one, else a new name.

    The number only tells the order, so a stage that moves within the recipe keeps its folder. Raises InputError if the
    folder belongs to another address with the same first eight digits.
    """
    short = address.digest[:8]
    for name in storage.list_names(output):
        if name.endswith(f"-{short}"):
            folder = storage.join(output, name)
            seen = find_whole(storage.join(folder, MANIFEST), StageAddress, ANEW)
            if seen is not None and seen["address"] != address.digest:
                raise InputError(
                    f"{folder} belongs to another stage with the same short hash; curate into a new folder"
                )
            return folder
    return storage.join(output, f"{node.index + 1:02d}-{node.name}-{short}")


def _listing(files: list[InputFile]) -> str:
    return _digest([[masked(file.path), file.size, file.stamp] for file in files])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
