"""All that refuses a run, found before a byte is written, the folder is claimed or Ray is started.

`curate` and a dry run begin here, so both refuse the same. It reads the recipe, the inputs and the run's folder only.
"""

from dataclasses import dataclass
from typing import Literal

from curation.core import storage
from curation.core.component import each
from curation.core.dedup_methods import DedupMethod
from curation.core.errors import InputError
from curation.core.fits import Fit
from curation.core.manifest import RUN, RunRecord, read_manifest, read_run
from curation.core.protocols import Piece
from curation.core.removals import merged
from curation.core.shard_files import ShardFiles
from curation.core.storage_options import configure
from curation.core.wording import counted, size
from curation.engine.driver.state import State
from curation.engine.fit.example_files import ExampleFile, check_fields
from curation.engine.recipe.address import check_inputs, earlier_addresses, examples_of
from curation.engine.recipe.assets import fits_named, fits_used
from curation.engine.recipe.mix_checks import mix_index
from curation.engine.recipe.named_files import at_line, at_named
from curation.engine.recipe.node import Node
from curation.engine.recipe.originals import has_originals, last_redacting, refuse_without_originals
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe
from curation.engine.recipe.removed import removals, runs_read
from curation.engine.run.guards import check_guards
from curation.tokens.mix import Mix


@dataclass(frozen=True)
class PreparedRun:
    """A run that nothing refuses, as it stands: `state` has the manifests of the sealed stages, and the addresses that
    can be known before a fit has run. `before` is what run.json said, None without one. `redacting`: the nodes after
    which originals go."""

    state: State
    before: RunRecord | None
    redacting: frozenset[int]

    @property
    def unsealed(self) -> list[Node]:
        return [node for node in self.state.nodes if node.index not in self.state.manifests]

    @property
    def finished(self) -> bool:
        """Whether the same run has ended well before, so that nothing is to be run or written."""
        return (
            not self.unsealed
            and self.before is not None
            and self.before == self.state.new_record(self.before, complete=True)
            and not any(self._has_originals(index) for index in self.redacting)
        )

    @property
    def has_units(self) -> bool:
        """Whether an executor has something to run: a mix is made by the driver alone."""
        runs = any(not node.verb.mixes for node in self.unsealed)
        return runs or any(self._has_originals(index) for index in self.redacting)

    def line(self) -> str:
        """For a log: "8 input files, 3.1 MB; 3 of 13 stages are sealed"."""
        first = [address for address in self.state.addresses.values() if address.input_bytes is not None]
        files = sum(len(unit) for address in first for unit in address.units)
        inputs = f"{counted(files, 'input file')}, {size(sum(address.input_bytes or 0 for address in first))}"
        return f"{inputs}; {len(self.state.manifests)} of {len(self.state.nodes)} stages are sealed"

    def _has_originals(self, index: int) -> bool:
        return has_originals(ShardFiles(self.state.folders[index], self.state.manifests[index]))


def prepare(recipe: Recipe, output: str) -> PreparedRun:
    """Raises RecipeError or InputError for what cannot run into the folder `output`, and StageError for a sealed stage
    that is outside the bounds of the recipe."""
    configure(recipe.storage)
    state = State(recipe, storage.absolute(output), build_plan(recipe))
    before = recorded(state.output)
    redacting = last_redacting(recipe, state.nodes)
    state.find_inputs()
    state.reads = runs_read(recipe, state.nodes, state.addresses, state.output)
    state.removals = merged(before.removals if before else (), removals(recipe, state.reads, state.output))
    known = {stage.address for stage in before.stages} if before is not None else set[str]()
    as_before = set[int]()  # nodes that are sealed, or would be sealed once the fits before them have run as before
    for node in state.nodes:
        fits = _fits_of(state, node)
        given = all(index in state.manifests for index in fits) and all(i in state.addresses for i in node.upstream)
        manifest = read_manifest(state.locate(node)) if given else None
        if manifest is not None:
            state.manifests[node.index] = manifest
            check_guards(node, manifest)
        if manifest or (state.addresses[node.index].digest in known if given else as_before >= {*fits, *node.upstream}):
            as_before.add(node.index)
        if manifest is None:
            _check_unsealed(state, node, found_later=not given and node.index in as_before)
    state.unsettled = _unsettled(state, before)
    return PreparedRun(state, before, frozenset(redacting))


def _unsettled(state: State, before: RunRecord | None) -> Literal["", "copies", "all"]:
    """Says where to look for removed documents once the run has ended: nowhere, among copies, or in all files."""
    if before is None:
        return "copies" if state.removals else ""
    if before.removals != state.removals:
        return "all"
    more = bool(state.removals) and len(state.manifests) < len(state.nodes)
    return before.unsettled or ("copies" if more else "")


def recorded(output: str) -> RunRecord | None:
    """What run.json says. Raises InputError for one of another format, and while a takedown has not been finished."""
    storage.check_run_folder(output)
    names = storage.list_names(output)  # a store that refuses says so here
    if not names and (bucket := storage.missing_bucket(output)):
        raise InputError(
            f"cannot write to {output}: the store has no bucket {bucket}; make it, or give another output folder"
        )
    if RUN not in names:
        return None
    run = read_run(output)
    if not run.takedowns_finished:
        raise InputError(f"a takedown in {output} was cut off; run the same `winnow takedown` again, then this")
    return run


def _fits_of(state: State, node: Node) -> list[int]:
    """The fit stages that options of the node name; its address hashes what they made."""
    names = fits_used(node.components, node.stage.bounds)
    return [fit.index for fit in state.nodes if fit.verb.learns and fit.name in names]


def _check_unsealed(state: State, node: Node, *, found_later: bool) -> None:
    upstream = [state.manifests[index] for index in node.upstream if index in state.manifests]
    if not found_later:
        refuse_without_originals(node, upstream)
    if node.verb.begins and node.index in state.addresses:
        check_inputs(node, state.recipe, state.addresses[node.index].units)
    if node.verb.learns:
        _check_files(node, state.recipe)
    if node.verb.clusters and not any(fits_named(component) for _, component in node.components):
        earlier_addresses(node, state.recipe, each(DedupMethod, node.components))
    if node.verb.mixes and len(upstream) == len(node.upstream):
        folders = [state.folders[index].rpartition("/")[2] for index in node.upstream]
        packs = [(folder, pack.tokens or {}) for folder, pack in zip(folders, upstream, strict=True)]
        with at_line(state.recipe.document, node.stage.at()):
            mix_index(node.stage.sole(Mix), packs, state.output)


def _check_files(node: Node, recipe: Recipe) -> None:
    """Raises RecipeError, with file and line, where a fit's examples are missing, or the first file of a label cannot
    be read or lacks a field; of a fit that indexes files, any of them."""
    fit = node.stage.sole(Fit)
    found = examples_of(node, recipe)
    with at_named(recipe.document, node.stage.at(node.components[0][0])):
        fit.check({name: [file.path for file in files] for name, files in found.items()})
        for label, examples in (fit.examples() or {}).items():
            if label in found:
                check_fields(ExampleFile(Piece.of(found[label][0]), examples))
