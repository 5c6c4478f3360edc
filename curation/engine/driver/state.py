"""The state of a run while it is planned or run: addresses, folders and manifests of its stages, and `run.json`."""

from dataclasses import dataclass, field, replace
from typing import Literal

from curation.core import storage
from curation.core.credentials import masked
from curation.core.manifest import FORMAT, RUN, Manifest, RunRecord, StageEntry, plain, read_run, replace_json
from curation.core.removals import KnownTakedown
from curation.engine.recipe.address import Address, address_of, locate
from curation.engine.recipe.assets import fits_named
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe


@dataclass
class State:
    """The addresses, folders and manifests of nodes by index, as far as they are known."""

    recipe: Recipe
    output: str
    nodes: list[Node]
    addresses: dict[int, Address] = field(default_factory=dict)
    folders: dict[int, str] = field(default_factory=dict)
    manifests: dict[int, Manifest] = field(default_factory=dict)
    reads: tuple[str, ...] = ()  # as in RunRecord, with the credentials of URIs
    removals: tuple[KnownTakedown, ...] = ()
    unsettled: Literal["", "copies", "all"] = ""  # as in RunRecord

    def fitted(self) -> dict[str, str]:
        """Path of each sealed fit stage's asset, by the stage's name."""
        sealed = self.manifests.items()
        return {self.nodes[i].name: storage.join(self.folders[i], m.asset["file"]) for i, m in sealed if m.asset}

    def find_inputs(self) -> None:
        """Lists the inputs of every source, before any work. Raises InputError for those that are missing or cannot be
        read, with file and line where the recipe names them."""
        for node in self.nodes:
            if node.verb.begins and not any(fits_named(component) for _, component in node.components):
                self.addresses[node.index] = address_of(node, self.recipe, {}, {})

    def locate(self, node: Node) -> str:
        """Finds the node's address, if it is not known yet, and its folder; returns the folder."""
        if node.index not in self.addresses:
            self.addresses[node.index] = address_of(node, self.recipe, self.addresses, self.fitted(), self.removed_in())
        self.folders[node.index] = locate(self.output, node, self.addresses[node.index])
        return self.folders[node.index]

    def removed_in(self) -> tuple[str, ...]:
        """The other runs whose takedowns hold here."""
        named = (removal.of for removal in self.removals if removal.when)
        known = {masked(run): run for run in self.reads}
        return tuple(dict.fromkeys(known.get(run, run) for run in named))

    def record(self, *, complete: bool = False) -> RunRecord:
        """Writes run.json unless it has these stages already, so that repeating a finished run leaves it as it is."""
        path = storage.join(self.output, RUN)
        before = read_run(self.output) if storage.exists(path) else None
        run = self.new_record(before, complete=complete)
        known = (
            before is not None
            and (before.recipe, before.reads) == (run.recipe, run.reads)
            and (before.removals, before.unsettled) == (run.removals, run.unsettled)
            and before.stages[: len(run.stages)] == run.stages
        )
        if before is not None and known and not complete:
            return before
        if run != before:
            replace_json(path, run)
        return run

    def new_record(self, before: RunRecord | None, *, complete: bool) -> RunRecord:
        """The record of the stages with a manifest; what `before` noted of takedowns stays."""
        entries = tuple(
            StageEntry(
                name=node.name,
                verb=node.verb,
                chain=node.chain,
                folder=self.folders[node.index].rstrip("/").rpartition("/")[2],
                address=self.addresses[node.index].digest,
            )
            for node in self.nodes
            if node.index in self.manifests
        )
        run = RunRecord(
            FORMAT,
            self.recipe.name,
            plain(self.recipe.resolved()),
            entries,
            complete,
            reads=tuple(dict.fromkeys([*(before.reads if before is not None else ()), *map(masked, self.reads)])),
            removals=self.removals,
            unsettled=self.unsettled,
        )
        if before is None:
            return run
        kept = {name: getattr(before, name) for name in ("tombstones", "taken_texts", "taken_urls", "takedowns")}
        return replace(run, **kept)
