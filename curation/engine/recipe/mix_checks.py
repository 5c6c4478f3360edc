"""Checks the mix stage of a plan, and finds the packs of other runs that it names.

Other runs are read where they lie: the index holds their absolute paths, and the address of the mix holds those and the
addresses of their packs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError, RecipeError
from curation.core.manifest import RUN, read_manifest, read_run
from curation.core.settings import Path, YamlFile
from curation.engine.recipe.named_files import at_line
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import JOINED, Recipe, Stage
from curation.engine.recipe.split_labels import labels_of
from curation.tokens.encode import Encode
from curation.tokens.mix import Mix, check_leaves
from curation.tokens.mixing.streams import Packs, split_sources
from curation.tokens.mixing.weight_names import SourceLabels
from curation.tokens.pack import Pack


@dataclass(frozen=True)
class OtherPack:
    """A sealed pack stage of another run, and the section `tokens` of its manifest."""

    folder: str  # absolute
    address: str
    section: dict[str, Any]


def other_packs(runs: Mapping[str, str]) -> dict[str, list[OtherPack]]:
    """Name -> the packs of the run at its path, in order. Raises InputError for one that is missing or not finished."""
    names: dict[str, str] = {}
    for name, path in runs.items():
        if masked(path) != path:
            message = "has credentials, which the index of the mix would keep; give them by the environment"
            raise InputError(f"runs: {name}: {path} {message}")
        if names.setdefault(storage.real(path), name) != name:
            other = names[storage.real(path)]
            raise InputError(f"runs: {other} and {name} are the same folder, {path}; one is enough")
    return {name: _packs_of(name, storage.absolute(path)) for name, path in runs.items()}


def _packs_of(name: str, path: str) -> list[OtherPack]:
    if not storage.exists(storage.join(path, RUN)):
        raise InputError(f"runs: {name} is no run, {path} has no {RUN}; give the folder that `winnow curate` wrote")
    run = read_run(path)
    folders = [storage.join(path, entry.folder) for entry in run.stages if entry.verb.packs]
    manifests = [read_manifest(folder) for folder in folders]
    sealed = [
        OtherPack(folder, manifest.address, manifest.tokens)
        for folder, manifest in zip(folders, manifests, strict=True)
        if manifest is not None and manifest.tokens is not None
    ]
    if not run.complete or not sealed or len(sealed) < len(folders):
        raise InputError(
            f"runs: {name} at {path} is not finished, or packs nothing, or is this run itself; give a finished one"
        )
    return sealed


def mix_index(mix: Mix, packs: Packs, run: str) -> dict[str, object]:
    """The index of a mix in the folder `run` of packs of this run, by their folder's name, and of others. Raises
    UserError for what cannot be mixed."""
    runs = {name: [(pack.folder, pack.section) for pack in others] for name, others in other_packs(mix.runs).items()}
    return mix.build(packs, folder=run, runs=runs)


def mix_parts(mix: Mix) -> dict[str, object]:
    """The part of the mix's address that names the packs of other runs."""
    packs = other_packs(mix.runs)
    return {"runs": {name: [[pack.folder, pack.address] for pack in others] for name, others in packs.items()}}


def check_mix(recipe: Recipe, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError for names that no pack will have, and for other runs that are missing or do not fit.

    `nodes`: of the plan so far; `upstream`: the packs that the mix reads, by their index.
    """
    mix = stage.sole(Mix)
    at = stage.at()
    packs = [(nodes[i], nodes[i].stage.sole(Pack)) for i in upstream]
    with at_line(recipe.document, at):
        others = other_packs(mix.runs)
        leaves, split = _leaves(mix, recipe, nodes, packs, others)
        mix.check_temperature(leaves, split)
    for place, keys in mix.named():
        with at_line(recipe.document, (*at, *place)):
            check_leaves(place, keys, leaves, split)
    for node, pack in packs:
        length = pack.sequence_length
        if mix.tokens is not None and mix.tokens < length:
            raise recipe.document.error((*at, "tokens"), f"{mix.tokens} tokens are less than one row of {length}")
        for other in (pack for run_packs in others.values() for pack in run_packs):
            _check_fit(recipe.document, at, length, [nodes[i].stage.sole(Encode) for i in node.upstream], other)


def _leaves(
    mix: Mix,
    recipe: Recipe,
    nodes: Sequence[Node],
    packs: Sequence[tuple[Node, Pack]],
    others: Mapping[str, list[OtherPack]],
) -> tuple[list[str], dict[str, SourceLabels]]:
    """The sources that this run packs and the leaves of other runs; and the labels of those with `split_by`. Raises
    UserError for another run that is called like a source."""
    by_source = {
        name: (node, pack)
        for node, pack in packs
        for name in (recipe.sources if node.chain == JOINED else [node.chain])
    }
    for name in mix.runs:
        if name in by_source:
            raise RecipeError(f"runs: {name!r} is a source of this recipe; give the other run another name")
    split = {
        source: labels_of(nodes, node, source, pack.split_by)
        for source, (node, pack) in by_source.items()
        if pack.split_by is not None
    }
    leaves = list(by_source)
    for name, run_packs in others.items():
        sections = [(pack.folder, pack.section) for pack in run_packs]
        leaves += [f"{name}/{leaf}" for _, section in sections for leaf in section["sources"]]
        split |= split_sources(sections, {name: [folder for folder, _ in sections]})
    return leaves, split


def _check_fit(document: YamlFile, at: Path, length: int, encoders: Sequence[Encode], other: OtherPack) -> None:
    """Raises RecipeError where the other pack has another row length or tokenizer. A tokenizer that is still to be
    fitted is compared when the mix is built."""
    theirs = other.section["row_tokens"] - 1
    if length != theirs:
        raise document.error(at, f"{other.folder} has rows of sequence_length {theirs}, this recipe packs {length}")
    tokenizer = storage.join(other.folder, other.section["tokenizer"]["file"])
    for own in (encoder.loaded().vocabulary for encoder in encoders if not encoder.is_fitted):
        if own.tokenizer != other.section["tokenizer"]["blake2b"]:
            raise document.error(at, f"{other.folder} was made with another tokenizer; tokenize with {tokenizer}")
        ends = other.section["begin_of_text"], other.section["end_of_text"]
        if (own.begin_of_text, own.end_of_text) != ends:
            around = " and ".join("none" if number is None else str(number) for number in ends)
            raise document.error(
                at, f"in {other.folder} documents begin and end with the ids {around}; give `begin` and `end` so"
            )
