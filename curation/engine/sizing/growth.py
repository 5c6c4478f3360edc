"""How much more each stage of a planned run will read than in the sample, and in how many units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import Manifest, StageEntry, read_manifest, read_run
from curation.engine.recipe.address import Unit, inputs_of
from curation.engine.recipe.assets import unfolded
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe

HOW = "run the recipe on a sample first, e.g. winnow curate RECIPE --input SOME_FILES --output SAMPLE"


@dataclass(frozen=True)
class Growth:
    """A stage compared with the sample's. `documents`: how many times as many. `units` of its first step, and `shards`,
    of which a first stage makes one or several per unit. `unit` and `largest`: bytes of the mean and of the largest
    unit, as multiples of the sample's mean unit."""

    documents: float
    units: int
    shards: int
    unit: float
    largest: float


def sample_stages(folder: str, nodes: Sequence[Node]) -> list[Manifest]:
    """The manifest of the sample's stage for each node, by name. Raises InputError for a stage that is missing, has
    other components, or was sealed by an older winnow without figures of its steps."""
    run = read_run(folder)
    entries: Mapping[str, StageEntry] = {entry.name: entry for entry in run.stages}
    manifests = []
    for node in nodes:
        entry = entries.get(node.name)
        manifest = None if entry is None else read_manifest(storage.join(folder, entry.folder))
        if manifest is None:
            raise InputError(f"{folder} has no finished stage {node.name}, so that its rates are unknown; {HOW}")
        keys = [key for key, _ in unfolded(node.components)]
        if manifest.order != keys:
            has = ", ".join(manifest.order)
            wants = ", ".join(keys)
            raise InputError(f"{node.name} of {folder} has {has}, the recipe has {wants}; {HOW}")
        if not manifest.steps and not node.verb.mixes:
            raise InputError(f"{node.name} of {folder} says nothing of its steps: an older winnow sealed it; {HOW}")
        manifests.append(manifest)
    return manifests


def growths(recipe: Recipe, nodes: Sequence[Node], sample: Sequence[Manifest], times: float) -> list[Growth]:
    """The growth of each stage: by input bytes, `times` those of the recipe's inputs, for stages that read files; by
    the documents that reach them for all others. Each stage keeps the same share of documents as in the sample."""
    grown: list[Growth] = []
    for node, manifest in zip(nodes, sample, strict=True):
        if node.verb.begins:
            grown.append(_of_input(node, recipe, manifest, times))
            continue
        above = [(grown[index], _passed_on(sample[index])) for index in node.upstream]
        if not above:  # a fit of files alone, which stay the same
            grown.append(Growth(1.0, 1, 1, 1.0, 1.0))
            continue
        total = sum(weight for _, weight in above)
        documents = sum(growth.documents * weight for growth, weight in above) / total
        unit = sum(growth.unit * weight for growth, weight in above) / total
        shards = sum(growth.shards for growth, _ in above)
        largest = max(growth.largest for growth, _ in above)
        grown.append(Growth(documents, shards, shards, unit, largest))
    return grown


def _passed_on(manifest: Manifest) -> int:
    """Documents, or tokens of a pack, that a stage hands on; at least 1."""
    tokens: int = sum(part["tokens"] for part in (manifest.tokens or {}).get("parts", ()))
    return max(tokens, manifest.total("kept"), 1)


def _of_input(node: Node, recipe: Recipe, manifest: Manifest, times: float) -> Growth:
    files, units = inputs_of(node, recipe)
    size = sum(file.size for file in files)
    before = manifest.input_bytes or 0
    if size <= 0 or before <= 0 or any(file.size < 0 for file in files):
        raise InputError(f"{node.name}: the sizes of its inputs, or of the sample's, are unknown; give --input files")
    mean = before / manifest.shards.units
    many = max(1, round(len(units) * times))
    unit = size * times / many / mean
    parts = len(manifest.shards) / manifest.shards.units  # more than 1 where units were cut for their size
    shards = many if parts <= 1 else max(many, round(many * parts * unit))
    return Growth(size * times / before, many, shards, unit, max(map(_bytes, units), default=0) / mean)


def _bytes(unit: Unit) -> int:
    """Bytes of the files of a unit that it reads whole; ranges of files are about equal and need no look."""
    return sum(piece.size for piece in unit if piece.start == 0 and piece.stop == -1)
