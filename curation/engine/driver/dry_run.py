"""Says what running a recipe would do, stage by stage, without Ray."""

from dataclasses import dataclass, replace

from curation.engine.dedup.notes import notes
from curation.engine.driver.input_notes import input_notes
from curation.engine.driver.prepare import prepare
from curation.engine.recipe.assets import substitute
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe, Stage
from curation.engine.recipe.removed import notes as removal_notes
from curation.engine.run.commit_log import committed_units
from curation.tokens.encode import Encode


@dataclass(frozen=True)
class PlannedStage:
    """A stage in a dry run. `folder` and `address` are empty while a fit stage before it has not run."""

    node: Node
    folder: str
    address: str
    status: str  # "sealed", "partly done", "will run", "waits for a fit"
    done: int
    units: int
    notes: tuple[str, ...] = ()  # sizes and warnings to know before work


def dry_run(recipe: Recipe, output: str) -> list[PlannedStage]:
    """What `curate` would do, stage by stage; refuses what it would refuse. Writes nothing."""
    state = prepare(recipe, output).state
    lines: list[PlannedStage] = []
    for node in state.nodes:
        if node.index not in state.addresses:
            told = _around_documents(node.stage)
            lines.append(PlannedStage(node, "", "", "waits for a fit", 0, 0, told))
            continue
        folder = state.folders[node.index]
        sealed = [state.manifests[i] for i in node.upstream if i in state.manifests]
        documents = sum(before.total("kept") for before in sealed) if len(sealed) == len(node.upstream) else None
        manifest = state.manifests.get(node.index)
        address = state.addresses[node.index]
        name = folder.rpartition("/")[2]
        removed = removal_notes(state.removals) if node.index == 0 else ()
        fitted = state.fitted()
        stage = replace(node.stage, components=tuple((k, substitute(c, fitted)) for k, c in node.components))
        if manifest is not None:
            units = manifest.shards.units
            told = (*removed, *_around_documents(stage))
            lines.append(PlannedStage(node, name, address.digest, "sealed", units, units, told))
            continue
        done = committed_units(folder)
        status = "partly done" if done else "will run"
        told = (*removed, *notes(stage, documents), *_around_documents(stage), *input_notes(node, address.units))
        lines.append(PlannedStage(node, name, address.digest, status, done, len(address.units), told))
    return lines


def _around_documents(stage: Stage) -> tuple[str, ...]:
    """Says which tokens a stage that tokenizes puts around each document."""
    return stage.sole(Encode).notes() if stage.verb.encodes else ()
