"""How much more each stage of a planned run will read than in the sample."""

from collections.abc import Sequence
from dataclasses import dataclass

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import Manifest, read_manifest, read_run
from curation.engine.recipe.address import inputs_of
from curation.engine.recipe.assets import unfolded
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe

HOW = "run the recipe on a sample first, e.g. winnow curate RECIPE --input SOME_FILES --output SAMPLE"


@dataclass(frozen=True)
class Growth:
    """A stage of the planned run: its documents as a multiple of the sample's, and its shards."""

    documents: float
    shards: int


def sample_stages(folder: str, nodes: Sequence[Node]) -> list[Manifest]:
    """The manifest of the sample's stage for each node, by name. Raises InputError for a stage that is missing, has
    other components, or was sealed by an older winnow without figures of its steps."""
    entries = {entry.name: entry for entry in read_run(folder).stages}
    manifests = []
    for node in nodes:
        entry = entries.get(node.name)
        manifest = None if entry is None else read_manifest(storage.join(folder, entry.folder))
        if manifest is None:
            raise InputError(f"{folder} has no finished stage {node.name}, so that its rates are unknown; {HOW}")
        has, wants = (", ".join(keys) for keys in (manifest.order, [key for key, _ in unfolded(node.components)]))
        if has != wants:
            raise InputError(f"{node.name} of {folder} has {has}, the recipe has {wants}; {HOW}")
        if not manifest.steps and not node.verb.mixes:
            raise InputError(f"{node.name} of {folder} says nothing of its steps: an older winnow sealed it; {HOW}")
        manifests.append(manifest)
    return manifests


def growths(recipe: Recipe, nodes: Sequence[Node], sample: Sequence[Manifest], times: float) -> list[Growth]:
    """The growth of each stage: by input bytes, `times` those of the recipe's inputs, for stages that read files; by
    the documents that reach them for all others."""
    grown: list[Growth] = []
    for node, manifest in zip(nodes, sample, strict=True):
        if node.verb.begins:
            grown.append(_of_input(node, recipe, manifest, times))
        elif not node.upstream:  # a fit of files alone, which stay the same
            grown.append(Growth(1.0, 1))
        else:
            above = [grown[index] for index in node.upstream]
            weights = [_handed_on(sample[index]) for index in node.upstream]
            documents = sum(one.documents * weight for one, weight in zip(above, weights, strict=True)) / sum(weights)
            grown.append(Growth(documents, sum(one.shards for one in above)))
    return grown


def _of_input(node: Node, recipe: Recipe, manifest: Manifest, times: float) -> Growth:
    files, units = inputs_of(node, recipe)
    size = sum(file.size for file in files)
    before = manifest.input_bytes or 0
    if size <= 0 or before <= 0 or any(file.size < 0 for file in files):
        raise InputError(f"{node.name}: the sizes of its inputs, or of the sample's, are unknown; give --input files")
    documents = size * times / before
    shards = max(1, round(len(units) * times))
    if len(manifest.shards) > manifest.shards.units:  # units were cut for their size
        shards = max(shards, round(len(manifest.shards) * documents))
    return Growth(documents, shards)


def _handed_on(manifest: Manifest) -> int:
    """Documents, or tokens of a pack, that a stage hands on; at least 1."""
    tokens: int = sum(part["tokens"] for part in (manifest.tokens or {}).get("parts", ()))
    return max(tokens, manifest.total("kept"), 1)
